"""The pages and the scripts of docs/, for the tests that hold them to the code."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def written_pages():
    """The pages that somebody wrote; those in the folders of docs/reference are made when the site is built."""
    return [page for page in sorted(DOCS.rglob("*.md")) if page.parents[1] != DOCS / "reference"]


def script(name):
    """A script of docs/ as a module, which is no part of a package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
