"""Whatever is added to steadyset is one file or one record: the rest of the house takes it, and shows it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.additions.added import ADDED

from steadyset.kernels import jit

ROOT = Path(__file__).parents[2]
LEFT_OUT = (".git", ".venv*", "build", "dist", "site", "demo-output", ".mypy_cache", ".pytest_cache", ".hypothesis")


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the whole project, to which one thing of every kind is added; compiled kernels are shared with it."""
    root = tmp_path_factory.mktemp("house") / "steadyset"
    left_out = shutil.ignore_patterns(*LEFT_OUT)
    shutil.copytree(
        ROOT, root, ignore=lambda folder, names: left_out(folder, names) if Path(folder) == ROOT else (), symlinks=True
    )
    if jit.FOLDER is not None and jit.FOLDER.is_relative_to(ROOT):
        shared = root / jit.FOLDER.relative_to(ROOT)
        shutil.rmtree(shared)
        shared.symlink_to(jit.FOLDER)
    for added in ADDED:
        added.write(root)
    return root


def told(house: Path, *command: str | Path) -> str:
    """What a program prints that is run in the copy; it has to end well."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(house / "src"), str(house)])}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        env=environment,
        cwd=house,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=3600,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-20_000:]
    return done.stdout


@pytest.fixture(scope="module")
def shown(house):
    """{kind: {place: whether it shows what was added}}, told by one process of the copy."""
    return json.loads(told(house, "-m", "tests.additions.places"))


@pytest.mark.parametrize("added", ADDED, ids=lambda added: added.kind)
def test_what_is_added_shows_up_everywhere(shown, added):
    places = shown[added.kind]
    assert places
    assert [place for place, shows in places.items() if not shows] == []


@pytest.mark.slow  # buys: no test, type or contract of today has a list that an addition has to be written into
def test_everything_that_holds_today_holds_with_the_additions(house):
    told(house, "-m", "ruff", "check", *(file for added in ADDED for file in (added.file, *added.beside)))
    told(house, "-m", "mypy")
    # What pages print and count is written by docs/make_outputs.py and by hand; a new section or measure changes it.
    pages = ("the_examples_of_a_page_run_and_print_what_it_shows", "counts_in_words_are_those_of_the_catalogues")
    deselected = [f"--deselect=tests/test_docs.py::test_{name}" for name in pages]
    told(house, "-m", "pytest", "-q", "-n", "2", "-m", "not slow", "--ignore", "tests/additions", *deselected)
