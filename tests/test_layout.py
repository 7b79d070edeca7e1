"""Where things are: a file name says where in the package something is."""

import re
from collections import Counter
from pathlib import Path

import steadyset

PACKAGE = Path(steadyset.__file__).parent
REPEATED = {"__init__.py", "__main__.py", "conftest.py"}


def test_every_file_name_occurs_once():
    for folder in (PACKAGE, Path(__file__).parent):
        names = Counter(path.name for path in folder.rglob("*.py"))
        assert {name for name, times in names.items() if times > 1} <= REPEATED


def test_types_of_arrays_have_one_home():
    alias = re.compile(r"^\w+ = (?:np\w*\.)*NDArray\[np\.", re.MULTILINE)
    homes = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if alias.search(path.read_text(encoding="utf-8"))
    ]
    assert homes == ["kernels/arrays.py"]
