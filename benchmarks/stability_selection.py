"""One computation of the paths read by every rule, beside the naive way: for each rule a fit of every half at its q.

Both give the four rules of stability selection with the lasso on 40 halves of 100 rows. The naive way follows the path
of each half to the q of each of three rules anew, and for calibration fits each of 20 penalties by itself.
"""

from typing import Any

import numpy as np

from benchmarks.timing import seconds
from steadyset.resampling import ComplementaryPairs, Rows
from steadyset.selectors import ElasticNetSelector, StabilitySelection, error_control
from steadyset.selectors.ensembles.rules import RULES

TITLE = "Stability selection"
N_RUNS, N_LAMBDAS = 40, 20
LIMITS: dict[str, Any] = {"threshold": 0.8, "pfer": 1.0}


def rows() -> list[dict[str, Any]]:
    """One record per number of features."""
    compare(50)
    return [compare(d) for d in (250, 500, 1000)]


def compare(d: int) -> dict[str, Any]:
    random = np.random.default_rng(d)
    X = random.normal(size=(100, d))
    y = X[:, 0] - X[:, 1] + X[:, 2] + random.normal(size=100)
    ours, theirs = seconds(lambda: read_once(X, y)), seconds(lambda: fit_for_each_rule(X, y))
    return {"case": "four rules, lasso", "size": f"d={d}", "ours_s": ours, "theirs_s": theirs, "ratio": theirs / ours}


def read_once(X: Any, y: Any) -> None:
    fitted = StabilitySelection(n_runs=N_RUNS, n_lambdas=N_LAMBDAS, random_state=0, **LIMITS).fit(X, y)
    for rule in RULES:
        fitted.select(rule=rule)


def fit_for_each_rule(X: Any, y: Any) -> None:
    halves = [ComplementaryPairs(N_RUNS).draw(run, Rows(len(y))).train for run in range(N_RUNS)]
    sizes = [error_control(X.shape[1], rule=rule, n_runs=N_RUNS, **LIMITS).q for rule in RULES if rule != "calibrated"]
    penalties = np.logspace(0.0, -1.0, N_LAMBDAS)
    for rows_of_half in halves:
        for q in sizes:
            ElasticNetSelector(k=q).fit(X[rows_of_half], y[rows_of_half])
        for penalty in penalties:
            ElasticNetSelector(penalty=float(penalty), n_lambdas=2).fit(X[rows_of_half], y[rows_of_half])
