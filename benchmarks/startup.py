"""Commands from start to end on small files, beside importing scikit-learn alone.

Processor seconds of the whole process and of those that it starts, and seconds of the clock, which mean something on a
quiet machine only; the least of several starts after a first one that may compile. The ratio is the share of the time
that any program needs that imports scikit-learn's models. The five selectors are anova, mim, lasso, forest and rfe on
the 569 x 30 table of breast cancers; each selection is scored by a logistic regression.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

import steadyset as st

TITLE = "Start-up"
FIVE = [part for name in ("anova", "mim", "lasso", "forest", "rfe") for part in ("--selector", name)]
FRESH = "a new folder"
SCIKIT_LEARN = [sys.executable, "-c", "import sklearn.feature_selection, sklearn.linear_model"]


def rows(repeats: int = 3) -> list[dict[str, Any]]:
    """One row per command; the import is timed in turns with it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, runs = write_data(folder), write_runs(folder)
        command = [sys.executable, "-m", "steadyset"]
        assess = [*command, "assess", str(data), "--target", "target", "--runs", "5", "--out"]
        table = "569 x 30"
        cases = [
            ("assess, 5 selectors x 5 runs, any number of jobs", table, [*assess, FRESH, *FIVE]),
            ("assess, 5 selectors x 5 runs, one job", table, [*assess, FRESH, *FIVE, "--jobs", "1"]),
            ("assess, anova x 5 runs", table, [*assess, FRESH, "--selector", "anova"]),
            ("measure, all 22 measures", "M=20, d=100", [*command, "measure", str(runs)]),
            ("--help", "", [*command, "--help"]),
            ("import steadyset", "", [sys.executable, "-c", "import steadyset"]),
        ]
        return [{"case": case, "size": size, **timed(asked, folder, repeats)} for case, size, asked in cases]


def timed(command: Sequence[str], folder: Path, repeats: int) -> dict[str, float]:
    """The least of some starts, each with a run folder of its own."""
    own, theirs = [], []
    for _ in range(repeats + 1):
        fresh = str(Path(tempfile.mkdtemp(dir=folder)) / "runs")
        own.append(spent([fresh if part == FRESH else part for part in command]))
        theirs.append(spent(SCIKIT_LEARN))
    (ours_s, clock), (theirs_s, _) = (np.min(times[1:], axis=0).tolist() for times in (own, theirs))
    return {"ours_s": ours_s, "theirs_s": theirs_s, "ratio": theirs_s / ours_s, "clock (s)": clock}


def spent(command: Sequence[str]) -> tuple[float, float]:
    """Processor seconds of a command with the processes that it starts, and seconds of the clock."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    after, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def write_data(folder: Path) -> Path:
    path = folder / "cancer.csv"
    load_breast_cancer(as_frame=True).frame.to_csv(path, index=False)
    return path


def write_runs(folder: Path) -> Path:
    path, random = folder / "runs.csv", np.random.default_rng(0)
    st.Selections.from_sets([random.choice(100, 10, replace=False) for _ in range(20)], n_features=100).write(path)
    return path
