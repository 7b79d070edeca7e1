"""Filters that compare rows: with the nearest ones (relief, relieff), or by the ranks of a feature (kruskal, auc).

Where y is a number, kruskal is Spearman's correlation.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.spatial.distance import cdist

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.scores import neighbour_shares, rank_products, rank_sums, weighted_differences
from steadyset.selectors.filters.hazards import COX, constant_is_zero, cox_ranks
from steadyset.selectors.filters.moments import class_totals, ratio
from steadyset.selectors.filters.registry import Filter, Variant, register_filter
from steadyset.selectors.validation import check_counts, check_integer, dense_columns
from steadyset.tasks import CLASSES, NUMBER, SURVIVAL


def relieff(X: Floats, y: Ints, weights: Floats, *, n_neighbors: int = 10) -> Floats:
    """Mean over the rows i of sum_{c != c_i} p_c / (1 - p_{c_i}) diff(i, misses of c) - diff(i, hits).

    diff(i, B) is the mean of |x_i - x_b| / (max - min) over the k nearest rows b of the class by the sum of these
    differences over all features (fewer where the class has fewer; ties by row); every row is visited, p_c is the
    share of class c. A row of weight w is w rows at distance 0 from each other. A constant feature scores 0.
    Distances take an n x n array.
    """
    check_integer("n_neighbors", n_neighbors, least=1)
    width = X.max(axis=0) - X.min(axis=0)
    scaled = (X - X.min(axis=0)) / np.where(width > 0, width, 1)
    nearest = np.argsort(cdist(scaled, scaled, "cityblock"), axis=1, kind="stable")
    shares = neighbour_shares(nearest, y, weights, n_neighbors, int(y.max()) + 1)
    return weighted_differences(scaled, shares)


def relief(X: Floats, y: Ints, weights: Floats, *, n_neighbors: int = 1) -> Floats:
    """ReliefF with the nearest hit and the nearest miss of every row, for two classes."""
    return relieff(X, y, weights, n_neighbors=n_neighbors)


register_filter(
    Filter(
        name="relief",
        constant=0.0,
        score=relief,
        multiclass=False,
        reference="Kira and Rendell 1992",
        summary="distance to the nearest row of the other class minus that to the nearest of the same",
        formula="mean_i (|x_i - x_miss| - |x_i - x_hit|) / (max_i x_i - min_i x_i)",
    )
)
register_filter(
    Filter(
        name="relieff",
        constant=0.0,
        score=relieff,
        reference="Kononenko 1994; Robnik-Šikonja and Kononenko 2003",
        summary="distance to the nearest rows of other classes minus that to the nearest of the same",
        formula="mean_i [sum_{c != c_i} p_c D_c / (1 - p_{c_i}) - D_{c_i}], "
        "D_c = mean_{b in B_c} |x_i - x_b| / (max_i x_i - min_i x_i)",
    )
)


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


def spearman(X: Floats, y: Floats, weights: Floats) -> Floats:
    """|rho|: the correlation of the mid-ranks of a feature and of the target. A constant feature scores 0."""
    check_counts(weights, "kruskal")
    scores = np.empty((len(weights), X.shape[1]))
    size = weights.sum(axis=1, keepdims=True)
    centred = _mid_ranks(y, weights) - (size + 1) / 2
    spread = (weights * centred**2).sum(axis=1, keepdims=True)
    nothing = ROUNDING * size**3
    if (spread <= nothing).any():
        raise InputError("y has one value only in a resample; a rank correlation needs a target that varies.")
    for features, products, spreads in _blocks(X, X.shape[0] + len(weights), partial(rank_products, centred, weights)):
        related = np.minimum(ratio(np.abs(products), np.sqrt(spreads * spread)), 1.0)
        scores[:, features] = np.where(spreads > nothing, related, 0.0)
    return scores


def _mid_ranks(y: Floats, weights: Floats) -> Floats:
    """Weighted mid-ranks of the target in every resample (M, n)."""
    levels, place = np.unique(y, return_inverse=True)
    tied = np.stack([np.bincount(place, weight, minlength=levels.size) for weight in weights])
    return np.asarray((np.cumsum(tied, axis=1) - tied + (tied + 1) / 2)[:, place])


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
    return _blocks(X, X.shape[0] + len(weights) * n_classes, partial(rank_sums, y, weights, n_classes))


def _blocks(
    X: Floats, cells: int, kernel: Callable[[Floats, Ints], tuple[Floats, Floats]]
) -> Iterator[tuple[slice, Floats, Floats]]:
    """What a kernel makes of blocks of sorted columns; ``cells`` is what a feature takes."""
    size = max(1, BLOCK_CELLS // cells)
    for start in range(0, X.shape[1], size):
        features = slice(start, min(start + size, X.shape[1]))
        columns = np.ascontiguousarray(dense_columns(X, features).T)
        yield features, *kernel(columns, np.argsort(columns, axis=1, kind="stable"))


register_filter(
    Filter(
        name="kruskal",
        constant=0.0,
        score=kruskal,
        variants={
            NUMBER: Variant(spearman, "Spearman's rank correlation", "|ρ|"),
            SURVIVAL: Variant(
                constant_is_zero(cox_ranks), "score statistic of Cox's model of the ranks", "U(0)² / I(0)", COX
            ),
        },
        target=(CLASSES, NUMBER, SURVIVAL),
        batched=True,
        reference="Kruskal and Wallis 1952; Spearman 1904",
        summary="Kruskal-Wallis H statistic",
        formula="(n - 1) sum_c n_c (r_c - r̄)² / [sum_i (r_i - r̄)²]",
    )
)
register_filter(
    Filter(
        name="auc",
        constant=0.0,
        score=auc,
        batched=True,
        multiclass=False,
        reference="Bommert 2020, 3.1.2",
        summary="distance of the area under the ROC curve from 1/2",
        formula="|1/2 - AUC|",
    )
)
