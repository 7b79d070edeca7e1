"""A whole shortlist with its defaults, beside scikit-learn's lasso paths of 100 halves.

The shortlist ranks 100 halves of the observed target and of 50 permuted ones by filter and lasso, then those of smaller
samples, repeats and power, and fits the models of the repeats. The other side is `lasso_path` on 100 halves of 100 rows
and 10,000 features with the same 30 penalties: one target, and nothing but the paths. This one time is what all three
sizes are compared with; "times" is how many times as long the shortlist takes. Seconds are the processor's of this
process, with one job; the two sides take turns, and the least of two calls counts.
"""

from functools import partial
from typing import Any

import numpy as np

import steadyset as st
from benchmarks.shortlists import by_lasso
from benchmarks.timing import seconds
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.shortlists.exchange import exchange_of
from steadyset.tasks import CLASSES

TITLE = "The whole shortlist"
WIDE = 100, 10_000
SIZES = WIDE, (120, 100), (200, 7)
SPLITS, REPEATS = 50, 2


def rows() -> list[dict[str, Any]]:
    """One record per size."""
    st.shortlist(*data(60, 200), permutations=20, splits=10)  # loads the compiled kernels
    taken: dict[tuple[int, int], list[float]] = {size: [] for size in SIZES}
    theirs = []
    for _ in range(REPEATS):
        theirs.append(seconds(all_paths))
        for size in SIZES:
            X, y = data(*size)
            taken[size].append(seconds(partial(st.shortlist, X, y, n_jobs=1)))
    return [record(size, min(taken[size]), min(theirs)) for size in SIZES]


def record(size: tuple[int, int], ours: float, theirs: float) -> dict[str, Any]:
    """The seconds of one size."""
    n, d = size
    return {
        "case": "defaults, paths of 100 x 10,000",
        "size": f"n={n}, d={d:,}",
        "ours_s": ours,
        "theirs_s": theirs,
        "ratio": theirs / ours,
        "times": ours / theirs,
    }


def data(n: int, d: int) -> tuple[Any, Any]:
    """Rows of two classes, some features of which differ between them."""
    random = np.random.default_rng([5, n, d])
    X = random.normal(size=(n, d))
    y = np.arange(n) % 2
    n_effects = 3 if d < 50 else 10
    X[y == 1, :n_effects] += np.linspace(1.4, 0.6, n_effects)
    return X, y


@with_one_arithmetic_thread
def all_paths() -> None:
    """The paths of both halves of each split of the wide data."""
    X, y = data(*WIDE)
    halves = exchange_of(y, CLASSES).halves(y, SPLITS, np.random.default_rng(0))
    for half in (*halves, *~halves):
        by_lasso(X[half], y[half])
