"""Whole programs that select features with error control, from the start of the process to its end.

The command `steadyset shortlist` with its defaults (list, repeats, prediction and what would help) and with `--quick`
(the list alone), stability selection with stabs and glmnet in R (100 halves, 20 features each, a bound of 1 false
feature), the PyPI package ipss with its lasso, and two loops without error control: `lasso_path` of scikit-learn and
glmnet on 100 halves. All of them read the same values from a file, of two classes, and use one thread. The
programs do different things: only the first one estimates the number of false features by permuted targets, repeats
the selection and predicts left-out rows. Processor seconds are those of the process and of those that it starts;
seconds of the clock depend on other work of the machine. Each program is run once; those that are not
installed are left out.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

TITLE = "Whole programs"
SIZES = ((120, 100), (200, 1000), (100, 10_000))
SHORTLIST = "import sys; from steadyset.cli import run; sys.exit(run(sys.argv[1:]))"
READ = """
import sys, warnings
import numpy as np
warnings.simplefilter("ignore")
table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
X, y = table[:, 1:], table[:, 0]
"""
LOOP = """
from sklearn.linear_model import lasso_path
random = np.random.default_rng(0)
for _ in range(100):
    half = random.permutation(len(y))[: len(y) // 2]
    values = (X[half] - X[half].mean(axis=0)) / X[half].std(axis=0)
    lasso_path(values, y[half] - y[half].mean(), eps=0.05, n_alphas=30)
"""
IPSS = """
from ipss import ipss
ipss(X, y, selector="l1")
"""
READ_IN_R = """
table <- as.matrix(read.csv(commandArgs(TRUE)[1])); X <- table[, -1]; y <- table[, 1]
set.seed(0)
"""
GLMNET = """
suppressMessages(library(glmnet))
for (b in 1:100) {
  half <- sample(nrow(X), nrow(X) %/% 2)
  glmnet(X[half, ], factor(y[half]), family = "binomial", nlambda = 30, lambda.min.ratio = 0.05)
}
"""
STABS = """
suppressMessages({library(glmnet); library(stabs)})
stabsel(X, factor(y), fitfun = glmnet.lasso, args.fitfun = list(family = "binomial"), q = 20, PFER = 1, B = 50)
"""


def rows() -> list[dict[str, Any]]:
    """One record per size and program."""
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for n, d in SIZES:
            path = Path(folder) / f"{n}-{d}.csv"
            write_data(path, n, d)
            asked = [sys.executable, "-c", SHORTLIST, "shortlist", str(path), "--target", "y", "--jobs", "1"]
            programs = {
                "steadyset shortlist": [*asked, "--out", f"{folder}/{n}-{d}"],
                "steadyset shortlist --quick": [*asked, "--out", f"{folder}/{n}-{d}-quick", "--quick"],
                "ipss": [sys.executable, "-c", READ + IPSS, str(path)],
                "stabs": ["Rscript", "-e", READ_IN_R + STABS, str(path)],
                "loop over scikit-learn's lasso_path": [sys.executable, "-c", READ + LOOP, str(path)],
                "loop over glmnet": ["Rscript", "-e", READ_IN_R + GLMNET, str(path)],
            }
            for name, command in programs.items():
                times = measured(command)
                print(f"{name}, n={n}, d={d}: {times or 'not installed'}", flush=True)
                table += [{"case": name, "size": f"n={n}, d={d:,}", **one} for one in times]
    return table


def write_data(path: Path, n: int, d: int) -> None:
    """Write two classes that differ in six of the features."""
    random = np.random.default_rng(d)
    y = np.arange(n) % 2
    X = random.normal(size=(n, d))
    X[y == 1, :6] += 1.0
    names = ",".join(["y", *(f"x{f}" for f in range(d))])
    np.savetxt(path, np.column_stack([y, X]), delimiter=",", header=names, comments="", fmt="%.5g")


def measured(command: list[str]) -> list[dict[str, float]]:
    """Return the processor seconds and the seconds of the clock of a command; nothing if it cannot run."""
    if shutil.which(command[0]) is None:
        return []
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, **one})
    clock, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return []
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [{"processor (s)": processor, "clock (s)": clock}]
