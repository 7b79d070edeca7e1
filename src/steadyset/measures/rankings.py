"""Measures of rankings: how alike the runs order the features.

A score takes the ranks of all runs (`Rows`: 1 = best, ties averaged) and gives a runs x runs table or Correlations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steadyset.foundation.arguments import is_whole, wrong_argument
from steadyset.kernels.arrays import Floats
from steadyset.measures.record import INFINITY, Measure, register
from steadyset.measures.rows import Correlations, Rows


def spearman_score(ranks: Rows) -> Correlations:
    """Spearman's rho: the Pearson correlation of the ranks, ties averaged; the mean over pairs takes linear time.

    Without ties the mean is 1 - mean_f v_f / ((d² - 1)/12), v_f the sample variance (M - 1) of the rank of f. Without
    rankings the features are ranked by absolute weight; those of weight 0 are tied.

    Formula: 1 - 6 sum_f (rank_i - rank_j)² / (d (d² - 1)) without ties, else the correlation of the averaged ranks
    Undefined: a run ties all features
    Reference: Spearman 1904; Kalousis et al. 2005
    """
    return Correlations(ranks)


def kendall_score(ranks: Rows) -> Floats:
    """Kendall's tau-b: concordant minus discordant pairs of features, relative to the pairs that are not tied.

    Without rankings the features are ranked by absolute weight; those of weight 0 are tied.

    Formula: (C - D) / sqrt((n0 - n_i)(n0 - n_j)), n0 = d (d - 1)/2, n_i the pairs of features that run i ties
    Undefined: a run ties all features
    Reference: Kendall 1945
    """
    from steadyset.kernels.importances.sparse_rankings import kendall_table

    runs = ranks.runs
    order = np.lexsort((ranks.values, runs))
    values, ordered_runs = ranks.values[order], runs[order]
    is_new = np.ones(len(order), dtype=np.int64)
    is_new[1:] = (values[1:] != values[:-1]) | (ordered_runs[1:] != ordered_runs[:-1])
    n_levels = np.bincount(ordered_runs, weights=is_new, minlength=len(ranks.rest)).astype(np.int64)
    levels = np.cumsum(is_new) - 1 - np.repeat(np.cumsum(n_levels) - n_levels, ranks.sizes)
    return kendall_table(ranks.indptr, ranks.indices[order], levels, n_levels, ranks.n_features)


def canberra_score(ranks: Rows, *, top: int | None = None, relative: bool = False) -> Floats:
    """Canberra distance of the ranks: differences near the top weigh most. Lower is steadier.

    With top=k every rank beyond k counts as k + 1 (the location parameter), so only the heads of the rankings matter.
    With relative=True the distance is divided by its exact expectation for two random rankings without ties, the
    stability indicator: 0 for equal rankings, about 1 for random ones. With t(a) = min(a, k + 1) the expectation is
    (1/d) sum_{a,b=1}^{d} |t(a) - t(b)| / (t(a) + t(b)). Without rankings the features are ranked by absolute weight;
    those of weight 0 share the mean of the ranks that remain. Such ties shorten the distance but not its expectation,
    so sparse weights ask for `top`: without it random ones would look steady.

    Formula: sum_f |rank_i - rank_j| / (rank_i + rank_j), ranks beyond `top` counted as top + 1
    Undefined: relative to random rankings of a single feature
    Reference: Lance and Williams 1967; Jurman et al. 2008
    """
    from steadyset.kernels.importances.sparse_rankings import canberra_table

    d = ranks.n_features
    if top is not None and not (is_whole(top) and 1 <= top <= d):
        raise wrong_argument("top", f"None or a whole number from 1 to {d}, the number of features", top)
    last = d if top is None else int(top) + 1
    values, rest = np.minimum(ranks.values, last), np.minimum(ranks.rest, last)
    table = canberra_table(ranks.indptr, ranks.indices, values, rest, d)
    if relative:
        expected = expected_canberra(d, d if top is None else int(top))
        table = table / expected if expected > 0 else np.full_like(table, np.nan)
    return table


def expected_canberra(d: int, top: int) -> float:
    """The mean Canberra distance of two independent uniform rankings of d features, ranks beyond `top` as top + 1.

    A feature has each pair of ranks (a, b) with probability 1/d². The pairs b < a <= top sum to
    sum_a [2a (H(2a-1) - H(a)) - (a - 1)], H the harmonic numbers; each of the d - top others meets the ranks a <= top.
    """
    a = np.arange(1, top + 1, dtype=np.float64)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, 2 * top + 1))])
    both_at_top = 2 * a * (harmonic[1 : 2 * top : 2] - harmonic[1 : top + 1]) - (a - 1)
    one_at_top = (top + 1 - a) / (top + 1 + a)
    return float(2 * both_at_top.sum() + 2 * (d - top) * one_at_top.sum()) / d


_COMMON: dict[str, Any] = {"family": "rankings", "needs": ("rankings",)}
for _measure in (
    Measure(name="spearman", score=spearman_score, bounds=(-1, 1), corrected=True, **_COMMON),
    Measure(name="kendall", score=kendall_score, bounds=(-1, 1), corrected=True, **_COMMON),
    Measure(
        name="canberra",
        score=canberra_score,
        bounds=(0, INFINITY),
        higher_is_steadier=False,
        params={"top": None, "relative": False},
        **_COMMON,
    ),
):
    register(_measure)
