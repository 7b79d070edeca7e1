"""Intervals of all measures of subsets: side by side with evaluating every measure again without each run.

Both give the leave-one-out values that intervals and tests start from; the naive way evaluates all measures on each of
the M collections of M - 1 runs. d = 10,000, about 50 selected features, 22 measures. Processor seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import steadyset as st
from benchmarks.timing import median_seconds, seconds
from steadyset.inference.interval import jackknives
from steadyset.measures.evaluate import Options, chosen_measures, estimates, has_needs

TITLE = "Intervals"
N_FEATURES, SELECTED = 10_000, 50


def rows() -> list[dict[str, Any]]:
    """One row for each number of runs."""
    return [leave_one_out(M) for M in (25, 50, 100, 200)]


def leave_one_out(M: int) -> dict[str, Any]:
    selections, options = runs(M), Options()
    records = [record for record in chosen_measures("all") if has_needs(record, selections, options)]
    ours = median_seconds(lambda: jackknives(selections, records, options))
    found: list[np.ndarray] = []
    theirs = seconds(lambda: found.append(naive(selections, records, options)))
    direct = np.array([one.without for one in jackknives(selections, records, options)])
    known = ~np.isnan(direct).all(axis=1)
    np.testing.assert_allclose(direct[known], found[0][known], atol=1e-9)
    return {
        "case": "leave-one-out values",
        "size": f"M={M}",
        "ours_s": ours,
        "theirs_s": theirs,
        "ratio": theirs / ours,
    }


def naive(selections: st.Selections, records: list[st.Measure], options: Options) -> np.ndarray:
    every = np.arange(selections.n_runs)
    return np.array([[x.value for x in estimates(selections.take(every != i), records, options)] for i in every]).T


def runs(M: int) -> st.Selections:
    rng = np.random.default_rng(M)
    rows = [np.unique(np.r_[np.flatnonzero(rng.random(60) < 0.7), rng.integers(0, N_FEATURES, 8)]) for _ in range(M)]
    return st.Selections.from_sets(rows, n_features=N_FEATURES)
