"""Where things are."""

import re
from pathlib import Path

import steadyset

PACKAGE = Path(steadyset.__file__).parent


def test_each_public_name_stands_in_one_list_once_and_is_found_where_it_says():
    lines = [line.split() for line in (PACKAGE / "__init__.pyi").read_text(encoding="utf-8").splitlines()]
    names = [words[-1] for words in lines if words[:1] == ["from"]]
    assert len(set(names)) == len(names)
    assert steadyset.__all__ == sorted([*names, "__version__"]) == dir(steadyset)
    assert all(getattr(steadyset, name) is not None for name in names)


def test_files_of_tests_have_names_that_occur_once():
    """Two of one name are not collected together."""
    names = [path.name for path in Path(__file__).parent.rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_few_modules_stand_outside_of_a_folder():
    assert len(list(PACKAGE.glob("*.py"))) <= 6


def test_types_of_arrays_have_one_home():
    alias = re.compile(r"^\w+ = (?:np\w*\.)*NDArray\[np\.", re.MULTILINE)
    homes = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if alias.search(path.read_text(encoding="utf-8"))
    ]
    assert homes == ["kernels/arrays.py"]


def test_no_picture_has_the_name_of_a_function():
    assert set(steadyset.plot.list_pictures().index) & set(steadyset.__all__) == set()
