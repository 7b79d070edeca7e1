"""Filters that are functions of the ranks of a feature's values: kruskal, auc."""

from collections.abc import Iterator

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.ranks import rank_sums
from steadyset.selectors.filters.moments import class_totals, ratio
from steadyset.selectors.filters.registry import Filter, register_filter
from steadyset.selectors.validation import check_counts

# Cells (features x (rows + resamples x classes)) of one block.
BLOCK_CELLS = 1 << 20
ROUNDING = 1e-13


def kruskal(X: Floats, y: Ints, weights: Floats) -> Floats:
    """H = (n - 1) sum_c n_c (r_c - r)^2 / sum_i (r_i - r)^2 with mid-ranks r_i: Kruskal-Wallis, corrected for ties.

    A constant feature scores 0.
    """
    check_counts(weights, "kruskal")
    scores = np.empty((len(weights), X.shape[1]))
    totals = class_totals(y, weights)
    size = totals.sum(axis=1)
    nothing = ROUNDING * size[:, None] ** 3  # the spread of ranks is of the order of n³ / 12
    centre = (size + 1)[:, None] / 2
    for features, sums, spreads in _ranks(X, y, weights):
        # Sums of ranks are multiples of one half: their distance from the expected sum is exact, for mirror images too.
        between = ratio((sums - (totals * centre)[:, None, :]) ** 2, totals[:, None, :]).sum(axis=2)
        scores[:, features] = np.where(spreads > nothing, ratio((size - 1)[:, None] * between, spreads), 0.0)
    return scores


def auc(X: Floats, y: Ints, weights: Floats) -> Floats:
    """|1/2 - AUC| with AUC = (R_1 - n_1 (n_1 + 1) / 2) / (n_0 n_1), R_1 the sum of the mid-ranks of the second class.

    A constant feature scores 0.
    """
    scores = np.empty((len(weights), X.shape[1]))
    first, second = class_totals(y, weights).T[:, :, None]
    for features, sums, _ in _ranks(X, y, weights):
        wins = sums[:, :, 1] - second * (second + 1) / 2
        # Distance from half of all pairs: a feature and its mirror image tie exactly.
        scores[:, features] = np.abs(wins - first * second / 2) / (first * second)
    return scores


def _ranks(X: Floats, y: Ints, weights: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
    n_classes = int(y.max()) + 1
    size = max(1, BLOCK_CELLS // (len(X) + len(weights) * n_classes))
    for start in range(0, X.shape[1], size):
        features = slice(start, start + size)
        columns = np.ascontiguousarray(X[:, features].T)
        order = np.argsort(columns, axis=1, kind="stable")
        yield features, *rank_sums(columns, order, y, weights, n_classes)


register_filter(Filter(name="kruskal", score=kruskal, batched=True, reference="Kruskal and Wallis 1952"))
register_filter(Filter(name="auc", score=auc, batched=True, multiclass=False, reference="Bommert 2020, 3.1.2"))
