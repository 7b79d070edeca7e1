"""Damaged run folders: a finished assessment with bits flipped, files cut, emptied, removed or put in place of others.

What is read back is what was written, or a sentence: never other cells.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from tests.fuzz.contract import Example
from tests.fuzz.hostile import damaged, flipped, stopped_clock

import steadyset as st
from steadyset.assessment.folder import RunFolder
from steadyset.findings.parts import record_findings

X = np.random.default_rng(0).normal(size=(20, 4))
Y = [0, 1] * 10


def examples(seed: int, count: int) -> Iterator[Example]:
    """Copies of a finished folder, of one in the middle of its work, and of one that holds methods, each damaged."""
    random_ = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with stopped_clock():
            whole = [_finished(place / "packed"), _unfinished(place / "single"), _told(place / "told")]
        for number in range(count):
            source = whole[number % len(whole)]
            copy = place / f"copy{number}"
            shutil.copytree(source, copy)
            told = _damage(copy, random_)
            yield Example(f"{source.name}: {told}", partial(_read, source, copy))
            shutil.rmtree(copy, ignore_errors=True)


def _finished(path: Path) -> Path:
    st.assess(["anova:k=2", "auc:k=1"], X, Y, resampling=st.KFold(5), out=path)
    return path


def _unfinished(path: Path) -> Path:
    """The same folder as an interruption leaves it: cells in files of their own."""
    _finished(path)
    folder = RunFolder(path)
    cells = folder.cells()
    for name in os.listdir(path):
        if name.startswith("cells"):
            (path / name).unlink()
    for cell in cells.values():
        folder.add(cell)
    return path


def _told(path: Path) -> Path:
    """A folder with what a tuning leaves of its methods."""
    path.mkdir()
    record_findings(st.findings_of([[1, 0, 1], [1, 1, 0], [1, 0, 1]]), path)
    return path


def _damage(folder: Path, random_: random.Random) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    path = random_.choice(files)
    content = path.read_bytes()
    kind = random_.choice(("flip", "flip", "flip", "damage", "empty", "remove", "swap"))
    if kind == "flip" and content:
        bit = random_.randrange(8 * len(content))
        path.write_bytes(flipped(content, bit))
        return f"bit {bit} of {path.name}"
    if kind == "swap":
        other = random_.choice(files)
        path.write_bytes(other.read_bytes())
        return f"{path.name} holds {other.name}"
    if kind == "remove":
        path.unlink()
        return f"no {path.name}"
    path.write_bytes(b"" if kind == "empty" else damaged(content, random_))
    return f"{path.name} {kind}"


def _read(source: Path, folder: Path) -> None:
    """What comes back is some of the cells that were written: a file that is gone is work to do again."""
    if source.name == "told":
        assert st.methods_text(folder) == st.methods_text(source), "other methods were accepted"
        return
    before, after = st.Assessment.open(source), st.Assessment.open(folder)
    known = {repr(cell) for cell in before.cells}
    other = [cell for cell in after.cells if repr(cell) not in known]
    assert not other, f"another cell was accepted: {other[0]}"
    if after.settings == before.settings:
        after.summary()
