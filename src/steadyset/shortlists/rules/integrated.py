"""Integrated path stability selection: the area under a feature's stability path against what chance allows.

For a grid of levels a_1 > ... > a_n let p_j(a) be the share of 2B complementary halves that choose feature j at level
a, and q(a) the mean number of features chosen. With h_m(p) = (2p - 1)^m above p = 1/2 and 0 below, m = 2 (quadratic) or
3 (cubic), and the measure mu(da) proportional to a^-delta da, a feature's score is S_j = integral of h_m(p_j(a))
mu(da). Where false features are chosen no more often than at random, the expected number of them with S_j >= t is at
most I / t, where I integrates

    m = 2: q^2 / (d B) + (B - 1) q^4 / (B d^3)
    m = 3: q^2 / (d B^2) + 3 (B - 1) q^4 / (B^2 d^3) + (B - 1)(B - 2) q^6 / (B^2 d^5).

The path ends where I would pass a cut-off: beyond it everything is chosen and nothing can be told. A feature's own
number of expected false ones is I / S_j, at most d.

References: Melikechi and Miller (2025), Integrated path stability selection, JASA; Melikechi, Dunson and Miller (2025),
Nonparametric IPSS, Bioinformatics.
"""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.shortlists.rules.halves import Found, Halves

CUT_OFF = 0.05
LEVELS = 100
LOWEST = 1e-8  # the last level of a grid, as a part of the first
SETTLED = 0.01  # a path that no longer changes ends, once this share is chosen on average


LASSO_LEVELS = 30
MEASURE = {"lasso": 1.0, "filter": 1.25}  # delta by base: the package's for its lasso and for its importances


def integrated(halves: Halves, order: int) -> Found:
    """The features with at most as many expected false ones, or as small an estimated share, as is allowed."""
    delta = MEASURE[halves.base]
    if halves.base == "lasso":
        expected = _expected_of_lasso(halves.importances, order, delta)
    else:
        expected = expected_false(halves.importances, order, delta)
    if (rate := halves.judged.procedure.fdr) is not None:
        return Found(q_values(expected) <= rate, f"at most {100 * rate:g}% false")
    return Found(expected <= halves.false, f"at most {halves.false:g} false")


def _expected_of_lasso(penalties: Floats, order: int, delta: float) -> Floats:
    """From the largest penalty at which each half takes a feature in, on a grid that ends where the paths do."""
    if not penalties.any():
        return np.full(penalties.shape[1], float(penalties.shape[1]))
    last = np.where(penalties > 0, penalties, np.inf).min(axis=1)
    levels = np.geomspace(1.01 * penalties.max(), np.median(last[np.isfinite(last)]), LASSO_LEVELS)
    frequencies = np.array([(penalties > level).mean(axis=0) for level in levels])
    return expected_false_on_path(frequencies, levels, len(penalties) // 2, order, delta)


def expected_false(importances: Floats, order: int = 3, delta: float = 1.25, cut_off: float = CUT_OFF) -> Floats:
    """Expected false features with a score as large, for each feature, from 2B x d importances on halves in pairs."""
    values = importances + abs(min(0.0, importances.min()))
    largest = values.max() + 0.01
    levels = np.logspace(np.log10(largest), np.log10(largest * LOWEST), LEVELS)
    frequencies = np.array([(values > level).mean(axis=0) for level in levels])
    return expected_false_on_path(frequencies, levels, len(values) // 2, order, delta, cut_off)


def expected_false_on_path(
    frequencies: Floats, levels: Floats, n_pairs: int, order: int, delta: float, cut_off: float = CUT_OFF
) -> Floats:
    """The same from the share of halves (levels x d) that choose each feature at each level."""
    end = _end_of_changes(frequencies)
    frequencies, levels = frequencies[:end], levels[:end]
    d = frequencies.shape[1]
    chosen = frequencies.sum(axis=1)
    weights = _weights(levels, delta)
    parts = weights * _bound(chosen, d, n_pairs, order)[:-1]
    # A sum that would pass the cut-off leaves out its last part, and the levels from there on.
    last = int(np.searchsorted(np.cumsum(parts), cut_off, side="right"))
    bound = float(parts[:last].sum())
    kept = levels[: last + 1] if last < len(parts) else levels
    heights = np.where(frequencies > 0.5, 2 * frequencies - 1, 0.0) ** order
    scores = _weights(kept, delta) @ heights[: len(kept) - 1] if len(kept) > 1 else np.zeros(d)
    return np.round(bound / np.maximum(scores, bound / d), 8) if bound > 0 else np.full(d, float(d))


def q_values(expected: Floats) -> Floats:
    """The estimated share of false features among those with as few expected ones or fewer, made monotone."""
    ascending = np.sort(expected)
    share = ascending / np.searchsorted(ascending, ascending, side="right")
    least = np.minimum.accumulate(share[::-1])[::-1]
    return np.asarray(least[np.searchsorted(ascending, expected, side="left")])


def _bound(chosen: Floats, d: int, n_pairs: int, order: int) -> Floats:
    share, B = chosen / d, n_pairs
    if order == 2:
        return np.asarray(d * (share**2 / B + (B - 1) * share**4 / B))
    return np.asarray(d * (share**2 + 3 * (B - 1) * share**4 + (B - 1) * (B - 2) * share**6) / B**2)


def _weights(levels: Floats, delta: float) -> Floats:
    """Of the value at the left of each step of a grid that is even on the log scale."""
    if len(levels) < 2:
        return np.zeros(0)
    low, high = float(levels.min()), float(levels.max())
    step = 1 - (low / high) ** (1 / len(levels))
    if delta == 1:
        return np.full(len(levels) - 1, step / np.log(high / low))
    return np.asarray((1 - delta) * step / (high ** (1 - delta) - low ** (1 - delta)) * levels[1:] ** (1 - delta))


def _end_of_changes(frequencies: Floats) -> int:
    """Where the paths stop changing for two levels, once enough is chosen."""
    for i in range(2, len(frequencies)):
        still = np.isclose(frequencies[i], frequencies[i - 2]).all()
        if still and frequencies[i].mean() > SETTLED and not np.isclose(frequencies[i], 0).all():
            return i
    return len(frequencies)
