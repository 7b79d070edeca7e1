"""The peak of the memory that each kind of work needs beyond its data and the loaded library.

Every row is a process of its own: it does the work with small numbers, so that everything is loaded, makes the data,
notes its peak, does the work, and notes the peak again. The last two columns say what one dense table of 8 bytes a
number would take that has a row for each of the M runs and a column for each of the d features, and one with d rows and
d columns: nothing here keeps either. What grows with M are the selected sets and their scores, some 20 kilobytes a run,
and for intervals of measures blocks of M x M numbers; what grows with d are a few copies of the data, and for filters
and paths the scores of the resamples that are computed together.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import steadyset as st
from benchmarks.core import realistic_runs
from benchmarks.timing import PEAK
from steadyset.selectors.filters import ranked

TITLE = "Memory"
N_ROWS = 100
MB = 1024**2
BESIDE = ["yu", "zucknick", "intersection_count", "intersection_mbm"]
Call = Callable[[], object]


def rows() -> list[dict[str, Any]]:
    """One row for each work and size."""
    return [measured(name, M, d) for name, work in WORK.items() for M, d in work.sizes]


def measured(name: str, M: int, d: int) -> dict[str, Any]:
    """A work at one size, in a process of its own."""
    script = f"""{PEAK}
import time
from benchmarks.memory import WORK
make = WORK[{name!r}].make
make(*WORK[{name!r}].small)()
call = make({M}, {d})
before, start = peak(), time.process_time()
call()
print(time.process_time() - start, (peak() - before) * 1024)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    spent, peak = map(float, found.stdout.splitlines()[-1].split())
    tables = {"M x d dense": f"{8 * M * d / MB:,.0f} MB", "d x d dense": f"{8 * d * d / MB:,.0f} MB"}
    return {"case": name, "size": f"M={M:,}, d={d:,}", "ours_s": spent, "peak": f"{peak:,.0f} MB", **tables}


def assessing(selector: str) -> Callable[[int, int], Call]:
    def make(M: int, d: int) -> Call:
        X, y = data(N_ROWS, d)
        return lambda: st.assess(selector, X, y, resampling=st.Bootstrap(M), n_jobs=1)

    return make


def stability_selection(M: int, d: int) -> Call:
    X, y = data(N_ROWS, d)
    return lambda: st.StabilitySelection(q=min(20, d // 2), threshold=0.75, n_runs=M, random_state=0).fit(X, y)


def long_jmi(M: int, d: int) -> Call:
    X, y = data(49, d)
    draws = np.random.default_rng(1).integers(0, len(y), (M, len(y)))
    weights = np.stack([np.bincount(draw, minlength=len(y)) for draw in draws])
    return lambda: ranked("jmi", X, y, weights, k=round(0.42 * d)).best(round(0.42 * d))


def tuning(M: int, d: int) -> Call:
    X, y = data(N_ROWS, d)
    return lambda: st.tune("bommert", X, y, n_trials=max(1, M // 10), resampling=st.KFold(10), n_jobs=1)


def measuring(M: int, d: int) -> Call:
    sel = st.Selections.from_sets(realistic_runs(M, d, min(50, d // 4), varying=True), n_features=d)
    return lambda: st.stability_table(sel, level=0.95)


def measuring_alike(M: int, d: int) -> Call:
    sel = st.Selections.from_sets(realistic_runs(M, d, min(50, d // 4), varying=True), n_features=d)
    groups = np.arange(d) // 5

    def call() -> None:
        similarity = st.FeatureSimilarity.from_groups(groups, n_features=d)
        st.stability_table(sel, BESIDE, similarity=similarity, n_draws=1_000, level=None)

    return call


def finding_alike(M: int, d: int) -> Call:
    X, _ = data(N_ROWS, d)
    return lambda: st.FeatureSimilarity.from_data(X).neighbours


def data(n_rows: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, d))
    return X, (X[:, :3].sum(axis=1) + random.normal(size=n_rows) > 0).astype(int)


class Work(NamedTuple):
    """What to do with M runs and d features, and at which sizes."""

    make: Callable[[int, int], Call]
    sizes: tuple[tuple[int, int], ...]
    small: tuple[int, int] = (4, 40)  # enough to load what the work needs


WORK = {
    "assess, anova, n=100": Work(assessing("anova"), ((50, 5_000), (200, 5_000), (50, 40_000))),
    "assess, mim, n=100": Work(assessing("mim"), ((50, 5_000), (200, 5_000), (50, 40_000))),
    "assess, lasso, n=100": Work(assessing("lasso"), ((50, 2_000), (200, 2_000), (50, 16_000))),
    "stability selection, n=100": Work(stability_selection, ((50, 2_000), (200, 2_000), (50, 16_000))),
    "jmi, 42% of the features, n=49": Work(long_jmi, ((1, 3_500), (2, 3_500), (1, 7_129))),
    "tune, 10 folds a configuration, n=100": Work(tuning, ((20, 2_000), (60, 2_000), (20, 16_000))),
    "22 measures with intervals, k=50": Work(
        measuring, ((100, 100_000), (1_000, 100_000), (1_000, 1_000_000)), small=(100, 1_000)
    ),
    "4 measures of similar features, k=50": Work(measuring_alike, ((20, 10_000), (80, 10_000), (20, 80_000))),
    "similar features of the data, n=100": Work(finding_alike, ((1, 5_000), (1, 20_000))),
}
