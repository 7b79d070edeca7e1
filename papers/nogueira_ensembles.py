"""Nogueira (2018), section 6.2.2: stability selection beside the lasso, on four data sets.

What the thesis does not state is taken from the code that was published with it: q is rounded down, and the lasso takes
the largest penalty within a standard error of the best in 10-fold cross-validation. Our halves are complementary, and a
path ends where it has 100 features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import ndtri
from sklearn.model_selection import KFold

from papers.framework import DataSet, Row, Run, item
from papers.framework.arrays import Floats
from steadyset import Selections, compare, plot, stability, test_difference
from steadyset.selectors import StabilitySelection, elastic_net_path

PAPER = "nogueira-2018"
SETS = ("spambase", "sonar", "madelon", "boston")
LARGE = ("spambase", "madelon")  # minutes: in the full version only
THRESHOLDS, FACTORS = (0.6, 0.9), (1.0, 1.5, 2.0)
LASSO = "lasso"
N_FOLDS = 10
MOST_IN_PATH = 100
TOLERANCE = 1e-7
LEVEL = 0.05
BLOCK = 10  # bootstraps that are kept at once
SURE = 3  # standard errors of the difference of two experiments
HALVES, FAST_HALVES, FAST_RUNS = 100, 50, 30


@item(PAPER, "figure-6.12", data=SETS, seconds=10, full_seconds=300)
def figure_6_12(run: Run) -> Iterator[Row]:
    """Stability selection by threshold and q, and the test against the lasso."""
    n_runs, n_halves = _sizes(run)
    run.size({"bootstraps": (n_runs, run.published.given["n_runs"]), "halves": (n_halves, HALVES)})
    for name in run.at_hand():
        names = [claim for claim in run.published.claims if claim.name.startswith(name)]
        if name in LARGE and not run.full:
            yield from (run.only_full(claim) for claim in names)
            continue
        runs = _selected(run, run.data(name))
        run.figure(plot.selectors_compared(compare(runs, paired=False)), f"figure-{name}")
        values = {key: float(stability(one)) for key, one in runs.items()}
        tests = {key: _test(runs, key) for key in runs if key != LASSO}
        run.table(pd.DataFrame({"stability": values, "p_value": tests}).rename_axis("selector"), f"table-{name}")
        others = {key: value for key, value in values.items() if key != LASSO}
        told = f"lasso {values[LASSO]:.2f}, stability selection " + ", ".join(f"{one:.2f}" for one in others.values())
        lower = [key for key, value in others.items() if value <= values[LASSO]]
        by_chance = all(tests[key] > LEVEL for key in lower)
        why = f"{len(lower)} of {len(others)} are not, by less than chance can explain." if lower and by_chance else ""
        yield run.claim(f"{name}-steadier", by_chance, told, weak=bool(lower), reason=why)
        if any(claim.name == f"{name}-not-all" for claim in names):
            n_rejected = sum(p <= LEVEL for p in tests.values())
            seen = f"equality is rejected for {n_rejected} of {len(tests)}"
            # Where all are rejected, another experiment of this size may still fail to reject the least sure one.
            unsure = ndtri(1 - max(tests.values()) / 2) < ndtri(1 - LEVEL / 2) + SURE * 2**0.5
            some = 0 < n_rejected < len(tests)
            why = "" if some else "Another experiment of this size could leave one out by chance."
            yield run.claim(f"{name}-not-all", n_rejected > 0 and bool(unsure), seen, weak=not some, reason=why)


def _sizes(run: Run) -> tuple[int, int]:
    """Bootstraps, and halves of each."""
    return (run.published.given["n_runs"], HALVES) if run.full else (FAST_RUNS, FAST_HALVES)


def _test(runs: Mapping[str, Selections], key: str) -> float:
    return test_difference(runs[LASSO], runs[key], paired=False, method="normal").p_value


def _selected(run: Run, data: DataSet) -> dict[str, Selections]:
    """What each of them selects in bootstraps of the data."""
    n_runs, n_halves = _sizes(run)
    X, y = data.X.to_numpy(float), data.y.to_numpy()
    target = y.astype(float) if data.name == "boston" else (y == y[0]).astype(int)
    sets: dict[str, list[list[int]]] = {}
    for start in range(0, n_runs, BLOCK):
        places = range(start, start + BLOCK)
        for one in run.kept(f"{data.name}-{start}", partial(_block, X, target, run, places, n_halves)):
            for key, chosen in one.items():
                sets.setdefault(key, []).append(chosen)
    return {key: Selections.from_sets(chosen, n_features=X.shape[1]) for key, chosen in sets.items()}


def _block(X: Floats, y: Floats, run: Run, places: range, n_halves: int) -> Any:
    """What is selected in some of the bootstraps."""
    return Parallel(n_jobs=run.jobs)(delayed(_in_bootstrap)(X, y, (run.seed, place), n_halves) for place in places)


def _in_bootstrap(X: Floats, y: Floats, seed: tuple[int, int], n_halves: int) -> dict[str, list[int]]:
    random = np.random.default_rng(seed)
    rows = random.integers(len(y), size=len(y))
    X, y = X[rows], y[rows]
    found = {LASSO: _lasso(X, y, int(random.integers(2**31)))}
    q = (0.8 * X.shape[1]) ** 0.5
    selector = StabilitySelection(
        threshold=THRESHOLDS[0],
        q=int(FACTORS[-1] * q),
        n_runs=n_halves,
        max_features=int(FACTORS[-1] * q),
        random_state=int(random.integers(2**31)),
    ).fit(X, y)
    for threshold in THRESHOLDS:
        for factor in FACTORS:
            stable = selector.select(threshold=threshold, q=int(factor * q))
            found[f"threshold {threshold}, q {int(factor * q)}"] = np.flatnonzero(stable.support).tolist()
    return found


def _lasso(X: Floats, y: Floats, seed: int) -> list[int]:
    """The features of the sparsest model within one standard error of the best in cross-validation."""
    family: Literal["linear", "logistic"] = "linear" if y.dtype.kind == "f" else "logistic"
    path = elastic_net_path(X, y, family=family, max_features=MOST_IN_PATH, tol=TOLERANCE)
    losses = []
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=seed).split(X):
        fold = elastic_net_path(X[train], y[train], family=family, lambdas=path.lambdas, tol=TOLERANCE)
        score = X[test] @ fold.coefs.T + fold.intercepts
        if family == "linear":
            losses.append(((y[test][:, None] - score) ** 2).mean(axis=0))
        else:
            losses.append(np.logaddexp(0, -score * (2 * y[test] - 1)[:, None]).mean(axis=0))
    loss = np.mean(losses, axis=0)
    error = np.std(losses, axis=0, ddof=1) / N_FOLDS**0.5
    best = int(np.argmin(loss))
    chosen = int(np.argmax(loss <= loss[best] + error[best]))  # penalties fall: the first is the largest
    return np.flatnonzero(path.coefs[chosen]).tolist()
