"""Rules of other kinds on the orders of a shortlist's study: one size, averaged sizes, no halves, and two bounds.

Each is calibrated by the same permuted targets as the list, but for the bounds and Benjamini and Hochberg's procedure,
which need none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control
from sklearn.feature_selection import f_classif, f_regression

from steadyset.foundation.errors import InputError
from steadyset.selectors.ensembles.rules import ROUNDING, error_control
from steadyset.shortlists.bases import SIZES
from steadyset.shortlists.rules import counts_by_size
from steadyset.tasks import CLASSES, TASKS

BOUNDS = {"Meinshausen-Bühlmann": "meinshausen_buhlmann", "unimodal": "shah_samworth_unimodal"}
AT = 20  # features of a half that the bounds and the single size count


def peers(
    orders: list[Any], tests: list[Any], n_features: int, falses: tuple[float, ...], rates: tuple[float, ...]
) -> Iterator[tuple[str, Any]]:
    """What each rule lists at each allowance: orders and F tests (F, p) of the observed target first."""
    counted = [counts_by_size(one, n_features, max(SIZES)) for one in orders]
    sizes = [min(size, len(counted[0])) - 1 for size in SIZES]
    statistics = {
        f"one size of {AT}": [one[min(AT, len(one)) - 1] for one in counted],
        "mean of sizes": [one[sizes].mean(axis=0) for one in counted],
        "no halves": [np.nan_to_num(one[0]) for one in tests],
    }
    for name, (seen, *permuted) in statistics.items():
        null = np.sort(np.concatenate(permuted))[::-1]
        for false in falses:
            yield f"{name}, false {false:g}", seen > null[min(len(null) - 1, round(false * len(permuted)))]
        for rate in rates:
            yield f"{name}, fdr {rate:g}", by_estimate(seen, null, len(permuted), rate)
    p = np.nan_to_num(tests[0][1], nan=1.0)
    for rate in rates:
        yield f"Benjamini-Hochberg, fdr {rate:g}", false_discovery_control(p) <= rate
    often = statistics[f"one size of {AT}"][0]
    for name, rule in BOUNDS.items():
        for false in falses:
            yield f"{name}, false {false:g}", by_bound(often, len(orders[0]), false, rule)


def by_estimate(seen: Any, null: Any, n_permuted: int, rate: float) -> Any:
    """Those above the least value where permuted features, on average, are at most such a share of those listed."""
    levels = np.unique(seen)
    expected = (len(null) - np.searchsorted(null[::-1], levels)) / n_permuted
    found = len(seen) - np.searchsorted(np.sort(seen), levels)
    fitting = levels[expected <= rate * found]
    return seen >= fitting[0] if len(fitting) else np.zeros(len(seen), np.bool_)


def by_bound(counts: Any, n_halves: int, false: float, rule: str) -> Any:
    """Those whose frequency among the first 20 reaches what a bound needs."""
    try:
        control = error_control(len(counts), q=AT, pfer=false, rule=rule, n_runs=n_halves)
    except InputError:
        return np.zeros(len(counts), np.bool_)
    return counts >= control.threshold * n_halves - ROUNDING


def f_tests(X: Any, y: Any, task: str) -> tuple[Any, Any]:
    """F and p of every feature on all rows."""
    with np.errstate(all="ignore"):
        found: tuple[Any, Any] = f_classif(X, y) if task == CLASSES else f_regression(X, TASKS[task].amounts(y))
    return found
