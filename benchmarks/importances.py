"""Measures of importances and rankings, side by side with the plain way to compute them.

msi: our network simplex against one linear program per pair (HiGHS through scipy, sparse constraints); spearman: the
mean in linear time against scipy's spearmanr pair by pair; kendall: one compiled pass over the pairs against scipy's
kendalltau pair by pair. Both sides get the same runs in one process and their answers are compared; the plain way is
stopped after a few seconds and scaled up from the pairs that it finished. Both run on one thread.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse, stats
from scipy.optimize import linprog
from threadpoolctl import threadpool_limits

import steadyset as st
from benchmarks.timing import median_seconds, scaled_seconds

TITLE = "Importances and rankings"
BOX = 3.0  # seconds for the plain way
D = 2000


def rows() -> list[dict[str, Any]]:
    """One row per case and size: seconds of ours and of the plain way, and theirs / ours."""
    with threadpool_limits(limits=1):
        return [*_msi_rows(), *_spearman_rows(), *_kendall_rows()]


def _msi_rows() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    similarity = st.FeatureSimilarity.from_data(_grouped_data(rng))
    C = similarity.block(np.arange(D), np.arange(D))
    liking = rng.random(D) ** 3
    for k, M in itertools.product((20, 100), (10, 30, 100)):
        W = np.zeros((M, D))
        for row in W:
            row[rng.choice(D, k, replace=False, p=liking / liking.sum())] = rng.exponential(size=k)
        sel = st.Selections.from_weights(W)
        yield _row(
            f"msi, k={k}",
            f"M={M}",
            lambda sel=sel: st.stability(sel, "msi", similarity=similarity),
            lambda i, j, W=W: _linear_program(W[i], W[j], C),
            M,
        )


def _linear_program(w: np.ndarray, v: np.ndarray, C: np.ndarray) -> float:
    """The definition of msi for two runs: a variable for each pair of selected features, a bound for each feature."""
    f, g = np.flatnonzero(w), np.flatnonzero(v)
    given = sparse.kron(sparse.eye_array(len(f)), np.ones((1, len(g))))
    taken = sparse.kron(np.ones((1, len(f))), sparse.eye_array(len(g)))
    bounds = np.concatenate([w[f] / w.sum(), v[g] / v.sum()])
    gains = C[np.ix_(f, g)].ravel()
    return -float(linprog(-gains, A_ub=sparse.vstack([given, taken]).tocsr(), b_ub=bounds).fun)


def _spearman_rows() -> Iterator[dict[str, Any]]:
    for M in (10, 30, 100):
        ranks = _rankings(M, D)
        sel = st.Selections.from_rankings(ranks)
        yield _row(
            f"spearman, d={D}",
            f"M={M}",
            lambda sel=sel: st.stability(sel, "spearman"),
            lambda i, j, ranks=ranks: stats.spearmanr(ranks[i], ranks[j]).statistic,
            M,
        )


def _kendall_rows() -> Iterator[dict[str, Any]]:
    M = 20
    for d in (200, 2000, 20_000):
        ranks = _rankings(M, d)
        sel = st.Selections.from_rankings(ranks)
        yield _row(
            f"kendall, M={M}",
            f"d={d}",
            lambda sel=sel: st.stability(sel, "kendall"),
            lambda i, j, ranks=ranks: stats.kendalltau(ranks[i], ranks[j]).statistic,
            M,
        )


def _row(
    case: str, size: str, ours: Callable[[], float], theirs: Callable[[int, int], float], M: int
) -> dict[str, Any]:
    value, scores = ours(), []
    ours_s = median_seconds(ours, repeats=3)
    pairs = list(itertools.combinations(range(M), 2))
    theirs_s, n = scaled_seconds(lambda pair: scores.append(theirs(*pair)), pairs, len(pairs), BOX)
    if n == len(pairs):
        assert abs(np.mean(scores) - value) < 1e-8
    else:
        case = f"{case}, {n:,} of {len(pairs):,} pairs timed and scaled"
    return {"case": case, "size": size, "ours_s": ours_s, "theirs_s": theirs_s, "ratio": theirs_s / ours_s}


def _grouped_data(rng: np.random.Generator) -> np.ndarray:
    """100 samples of D features in groups of 10 that are correlated."""
    return rng.normal(size=(100, D)) + 2 * rng.normal(size=(100, D // 10))[:, np.arange(D) // 10]


def _rankings(M: int, d: int) -> np.ndarray:
    """Rankings of one common signal with noise."""
    rng = np.random.default_rng(d + M)
    signal = rng.normal(size=d)
    return np.array([np.argsort(np.argsort(-(signal + rng.normal(size=d)))) + 1 for _ in range(M)])
