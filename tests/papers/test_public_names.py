"""The papers use steadyset as anybody does: by its public names, and the package knows nothing of them."""

import ast
from pathlib import Path

import pytest

import steadyset as st

ROOT = Path(__file__).parents[2]
MODULES = ("datasets", "plot", "selectors")  # that are imported by their public names


def imports(file):
    """Each module that a file imports, with the names that it takes from there."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", tuple(alias.name for alias in node.names)


def private(file):
    """What a file imports of steadyset without a right to it."""
    public = {"steadyset": {*st.__all__, *MODULES}} | {
        f"steadyset.{name}": set(dir(getattr(st, name))) for name in MODULES
    }
    for module, names in imports(file):
        if module.partition(".")[0] == "steadyset":
            known = public.get(module)
            yield from [module] if known is None else [f"{module}.{name}" for name in names if name not in known]
            yield from (f"{module}.{name}" for name in names if name.startswith("_") and name != "__version__")


@pytest.mark.parametrize("file", sorted((ROOT / "papers").rglob("*.py")), ids=lambda file: file.name)
def test_papers_use_public_names_only(file):
    assert list(private(file)) == []


def test_private_names_are_found(tmp_path):
    file = tmp_path / "paper.py"
    file.write_text(
        "from steadyset.io.disk import explained\nfrom steadyset import Selections, nothing\n", encoding="utf-8"
    )
    assert list(private(file)) == ["steadyset.io.disk", "steadyset.nothing"]


def test_the_package_does_not_import_the_papers():
    told = [
        file.name
        for file in (ROOT / "src").rglob("*.py")
        for name, _ in imports(file)
        if name.split(".")[0] == "papers"
    ]
    assert told == []
