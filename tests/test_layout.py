"""Where things are."""

import re
from pathlib import Path

import steadyset

PACKAGE = Path(steadyset.__file__).parent


def test_types_of_arrays_have_one_home():
    alias = re.compile(r"^\w+ = (?:np\w*\.)*NDArray\[np\.", re.MULTILINE)
    homes = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if alias.search(path.read_text(encoding="utf-8"))
    ]
    assert homes == ["kernels/arrays.py"]
