"""The site, built once for all tests, as `make docs` builds it."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS))  # where the generators of the reference are

NEEDED = ("sphinx", "myst_parser", "numpydoc", "pydata_sphinx_theme")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]  # without the extra docs there is no site


@pytest.fixture(scope="session")
def site(tmp_path_factory, request):
    """The folder of the site; a warning of the build is an error."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if hasattr(request.config, "workerinput") else shared  # of all workers of one test run
    folder, trees, told = shared / "site", shared / "site-doctrees", shared / "site-warnings.txt"
    with FileLock(shared / "site.lock"):
        if not told.exists():
            options = ["-b", "html", "-W", "--keep-going", "-q", "-j", "2", "-d", str(trees)]
            command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(folder)]
            built = subprocess.run(command, capture_output=True, text=True)
            told.write_text(built.stderr if built.returncode else "", encoding="utf-8")
    assert told.read_text(encoding="utf-8") == ""
    return folder
