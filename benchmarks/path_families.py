"""Lasso paths of 100 halves for times to an event, counts and classes, beside a plain loop of R's glmnet.

Each path ends at 20 features, or at 0.05 of the strongest penalty. Here all halves are solved together to KKT
violations of 1e-10; glmnet is called for each half with its defaults (thresh 1e-7), on ranks of times, because its Cox
paths depend on the unit of time where events and censored times are tied. Both use one thread. They take turns, so that
other work on the machine slows both; times are medians of three. At the larger sizes the first 20 halves are timed in R
and scaled to all of them. Without Rscript and its package glmnet there are no times of it.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import seconds
from steadyset.foundation.threads import arithmetic_libraries
from steadyset.kernels.arrays import Floats
from steadyset.selectors import elastic_net_paths

TITLE = "Paths of times, counts and classes"
N_HALVES, TURNS, SIZES = 100, 3, ((100, 2000), (200, 20_000), (500, 5000))
CASES = (("cox", False), ("poisson", False), ("multinomial", False), ("multinomial", True))
LOOP = """
suppressMessages({library(glmnet); library(survival)})
given <- commandArgs(TRUE); n <- as.integer(given[2]); d <- as.integer(given[3]); count <- as.integer(given[5])
read <- function(name, rows, columns) matrix(readBin(file.path(given[1], name), "double", rows * columns), rows)
X <- read("X", n, d); y <- read("y", n, 2); W <- read("W", n, count)
start <- proc.time()
for (b in 1:count) {
  rows <- W[, b] > 0
  target <- switch(given[4], cox = Surv(rank(y[rows, 1], ties.method = "min"), y[rows, 2]),
                   poisson = y[rows, 1], factor(y[rows, 1]))
  more <- if (given[4] == "multinomial") list(type.multinomial = given[6]) else list()
  do.call(glmnet, c(list(X[rows, ], target, family = given[4], dfmax = 20, lambda.min.ratio = 0.05), more))
}
cat(sum((proc.time() - start)[1:2]))
"""


def rows() -> list[dict[str, Any]]:
    """One record per size and family."""
    table = []
    with arithmetic_libraries().limit(limits=1):
        for n, d in SIZES:
            X, targets, W = drawn(n, d)
            table += [compare(X, targets[family], W, family, grouped) for family, grouped in CASES]
    return table


def compare(X: Floats, y: Floats, W: Floats, family: str, grouped: bool) -> dict[str, Any]:
    n, d = X.shape
    options: dict[str, Any] = {"family": family, "grouped": grouped, "lambda_min_ratio": 0.05, "max_features": 20}
    some = W[: 20 if n * d > 1_000_000 else N_HALVES]
    elastic_net_paths(X, y, W, **options)
    turns = [
        (seconds(lambda: elastic_net_paths(X, y, W, **options)), of_glmnet(X, y, some, family, grouped))
        for _ in range(TURNS)
    ]
    ours = statistics.median(own for own, _ in turns)
    case = f"{family}{', grouped' if grouped else ''}, to 20 features, 100 halves"
    found: dict[str, Any] = {"case": case, "size": f"n={n}, d={d}", "ours_s": ours}
    if all(other is not None for _, other in turns):
        theirs = statistics.median(other for _, other in turns)
        found |= {"theirs_s": theirs, "ratio": theirs / ours}
        print(f"{case}, {found['size']}: {found['ratio']:.1f} times faster than glmnet", flush=True)
    return found


def drawn(n: int, d: int) -> tuple[Floats, dict[str, Floats], Floats]:
    """Features, the target of each family, and halves."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    eta = 0.8 * X[:, :8] @ np.array([1, -1, 0.8, -0.8, 0.6, -0.6, 0.5, -0.5])
    time = rng.exponential(np.exp(-eta))
    end = rng.exponential(2 * np.quantile(time, 0.6), size=n)
    scores = 1.5 * np.column_stack(
        [X[:, 0] - X[:, 1] + X[:, 2] / 2, X[:, 3] - X[:, 4] + X[:, 5] / 2, X[:, 6] - X[:, 7]]
    )
    targets = {
        "cox": np.column_stack([np.minimum(time, end), time <= end]).astype(float),
        "poisson": rng.poisson(np.exp(0.5 * eta)).astype(float),
        "multinomial": (scores + rng.gumbel(size=scores.shape)).argmax(axis=1).astype(float),
    }
    return X, targets, np.array([rng.permutation(n) < n // 2 for _ in range(N_HALVES)], dtype=float)


def of_glmnet(X: Floats, y: Floats, W: Floats, family: str, grouped: bool) -> float | None:
    """Processor seconds of glmnet for all halves; None without it."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        pairs = np.zeros((len(y), 2))
        pairs[:, : y.ndim] = y.reshape(len(y), -1)
        for name, values in (("X", X.T), ("y", pairs.T), ("W", W)):  # by columns, as R holds them
            np.ascontiguousarray(values).tofile(Path(folder) / name)
        script = Path(folder) / "loop.R"
        script.write_text(LOOP, encoding="utf-8")
        given = [folder, *map(str, X.shape), family, str(len(W)), "grouped" if grouped else "ungrouped"]
        one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
        done = subprocess.run(
            ["Rscript", str(script), *given], capture_output=True, text=True, check=False, env={**os.environ, **one}
        )
    return float(done.stdout) * N_HALVES / len(W) if done.returncode == 0 else None
