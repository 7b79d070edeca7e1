"""The command from start to end on a small file: 5 runs of anova, against importing scikit-learn alone.

Processor seconds of the whole process and of those that it starts, the mean of two after a first that may compile. The
ratio is the share of the time that any command that imports scikit-learn would take.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

TITLE = "Start-up"
ROWS, COLUMNS, RUNS = 60, 20, 5
SCIKIT_LEARN = [sys.executable, "-c", "import sklearn.feature_selection, sklearn.linear_model"]


def write(path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(ROWS, COLUMNS))
    table = np.column_stack([X, X[:, 0] > 0])
    header = ",".join([*(f"g{i}" for i in range(COLUMNS)), "y"])
    np.savetxt(path, table, delimiter=",", header=header, comments="", fmt="%.6g")


def processor_seconds(command: Sequence[str]) -> float:
    """What a command takes, with the processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rows(repeats: int = 2) -> list[dict[str, Any]]:
    """One row: the command, and the import."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "small.csv"
        write(file)
        command = [sys.executable, "-m", "steadyset", "assess", str(file), "--target", "y", "--selector", "anova"]
        command += ["--runs", str(RUNS), "--jobs", "2"]
        own, theirs = [], []
        for i in range(repeats + 1):  # the first may compile
            own.append(processor_seconds([*command, "--out", str(Path(name) / f"runs{i}")]))
            theirs.append(processor_seconds(SCIKIT_LEARN))
    ours_s, theirs_s = statistics.mean(own[1:]), statistics.mean(theirs[1:])
    case = {"case": f"assess, {RUNS} runs of anova", "size": f"{ROWS} x {COLUMNS}"}
    return [{**case, "ours_s": ours_s, "theirs_s": theirs_s, "ratio": theirs_s / ours_s}]
