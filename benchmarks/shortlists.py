"""The procedure of a shortlist, batched over halves, beside the naive way: every half of every target by itself.

100 rows, 100 halves, the observed target and 20 permuted ones, up to the list. The naive way ranks each half with
scikit-learn, by `f_classif` and by `lasso_path` with the same 30 penalties; it is measured on ten halves and
multiplied. Seconds are the processor's, of one thread: targets are spread over threads, so that two cores take half of
them. Megabytes are the most that NumPy holds at one time beyond the data.
"""

import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_selection import f_classif
from sklearn.linear_model import lasso_path

from benchmarks.timing import scaled_seconds, seconds
from steadyset.shortlists.bases import LAST_LEVEL, LEVELS
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.procedure import Procedure
from steadyset.tasks import CLASSES

TITLE = "Shortlists"
N_ROWS, SPLITS, PERMUTATIONS, PART = 100, 50, 20, 10
FILTER, BOTH = ("filter",), ("filter", "lasso")
LARGE = 10_000


def rows() -> list[dict[str, Any]]:
    """One record per size and number of permuted targets."""
    listed(BOTH, 300, PERMUTATIONS)  # loads the compiled kernels
    found = [beside(bases, d) for bases in (FILTER, BOTH) for d in (1000, 3000, LARGE)]
    return found + [record(FILTER, LARGE, permutations) for permutations in (50, 100)]


def beside(bases: tuple[str, ...], d: int) -> dict[str, Any]:
    """The list beside the naive way."""
    theirs = sum(naive(RANKED[base], *data(d)) for base in bases)
    found = record(bases, d, PERMUTATIONS)
    return found | {"theirs_s": theirs, "ratio": theirs / found["ours_s"]}


def naive(rank: Callable[[Any, Any], Any], X: Any, y: Any) -> float:
    """Seconds of all halves of all targets, from some halves of the first."""
    halves = exchange_of(y, CLASSES).halves(y, PART // 2, np.random.default_rng(0))
    total = 2 * SPLITS * (1 + PERMUTATIONS)
    return scaled_seconds(lambda half: rank(X[half], y[half]), (*halves, *~halves), total)[0]


def record(bases: tuple[str, ...], d: int, permutations: int) -> dict[str, Any]:
    """Seconds and megabytes of one list."""
    ours = seconds(lambda: listed(bases, d, permutations))
    tracemalloc.start()
    listed(bases, d, permutations)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    case = f"{' + '.join(bases)}, {permutations} permuted targets"
    return {"case": case, "size": f"d={d:,}", "ours_s": ours, "megabytes": most / 2**20}


def data(d: int) -> tuple[Any, Any]:
    random = np.random.default_rng(d)
    y = np.arange(N_ROWS) % 2
    X = random.normal(size=(N_ROWS, d))
    X[y == 1, :20] += np.linspace(1.4, 0.6, 20)
    return X, y


def listed(bases: tuple[str, ...], d: int, permutations: int) -> None:
    X, y = data(d)
    Procedure(1.0, None, bases, permutations, SPLITS, 1).run(X, CLASSES, exchange_of(y, CLASSES), 0)


def by_lasso(X: Any, y: Any) -> None:
    """The path of one half."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a level that was not reached
        lasso_path(X, y - y.mean(), eps=LAST_LEVEL, n_alphas=LEVELS)


RANKED: dict[str, Callable[[Any, Any], Any]] = {
    "filter": lambda X, y: np.argsort(-f_classif(X, y)[0]),
    "lasso": by_lasso,
}
