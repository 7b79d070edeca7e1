"""Weighted mid-ranks of many features under many resamples, summed by class."""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel


@kernel
def rank_sums(classes: Ints, weights: Floats, n_classes: int, columns: Floats, order: Ints) -> tuple[Floats, Floats]:
    """Sum of weighted ranks per class (M, d, K) and weighted sum of squared deviations of the ranks (M, d).

    ``columns`` holds one feature per row, ``order`` the rows of the data sorted by it. Tied values of total weight t
    with weight C below them share the rank C + (t + 1) / 2, which is the mid-rank when weights count copies.
    """
    n_runs, n_rows = weights.shape
    n_features = columns.shape[0]
    sums = np.zeros((n_runs, n_features, n_classes))
    spreads = np.zeros((n_runs, n_features))
    centres = np.empty(n_runs)
    for run in range(n_runs):
        centres[run] = 0.5 * (weights[run].sum() + 1.0)
    ends = np.empty(n_rows, np.int64)
    labels = np.empty(n_rows, np.int64)
    for j in range(n_features):
        n_groups = tie_groups(columns[j], order[j], ends)
        for i in range(n_rows):
            labels[i] = classes[order[j, i]]
        for run in range(n_runs):
            weight = weights[run]
            total = sums[run, j]
            spread = 0.0
            below = 0.0
            start = 0
            for group in range(n_groups):
                size = 0.0
                for i in range(start, ends[group]):
                    size += weight[order[j, i]]
                rank = below + 0.5 * (size + 1.0)
                for i in range(start, ends[group]):
                    total[labels[i]] += weight[order[j, i]] * rank
                spread += size * (rank - centres[run]) ** 2
                below += size
                start = ends[group]
            spreads[run, j] = spread
    return sums, spreads


@kernel
def rank_products(targets: Floats, weights: Floats, columns: Floats, order: Ints) -> tuple[Floats, Floats]:
    """Weighted sums of ranks times ``targets`` (M, n; centred), and of squared deviations of the ranks: both (M, d).

    Columns, order and ranks are those of `rank_sums`.
    """
    n_runs, n_rows = weights.shape
    n_features = columns.shape[0]
    products = np.zeros((n_runs, n_features))
    spreads = np.zeros((n_runs, n_features))
    ends = np.empty(n_rows, np.int64)
    for j in range(n_features):
        n_groups = tie_groups(columns[j], order[j], ends)
        for run in range(n_runs):
            weight, target = weights[run], targets[run]
            centre = 0.5 * (weight.sum() + 1.0)
            below = 0.0
            start = 0
            for group in range(n_groups):
                size = 0.0
                lean = 0.0
                for i in range(start, ends[group]):
                    size += weight[order[j, i]]
                    lean += weight[order[j, i]] * target[order[j, i]]
                distance = below + 0.5 * (size + 1.0) - centre
                products[run, j] += lean * distance
                spreads[run, j] += size * distance**2
                below += size
                start = ends[group]
    return products, spreads


@kernel
def tie_groups(column: Floats, order: Ints, ends: Ints) -> int:
    """Write the end of each run of equal values into ``ends``; their number."""
    n_groups = 0
    for i in range(order.size):
        if i + 1 == order.size or column[order[i]] != column[order[i + 1]]:
            ends[n_groups] = i + 1
            n_groups += 1
    return n_groups
