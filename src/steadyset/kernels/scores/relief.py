"""Weights of nearest neighbours for Relief, and the differences between neighbours summed by feature."""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel


@kernel
def neighbour_shares(nearest: Ints, classes: Ints, weights: Floats, n_neighbors: int, n_classes: int) -> Floats:
    """Coefficient of each pair of rows in the score of ReliefF: negative for hits, positive for misses, n x n.

    ``nearest`` lists all rows by distance. A row offers as many neighbours as its weight, to itself one fewer.
    """
    n_rows = classes.size
    totals = np.zeros(n_classes)
    for i in range(n_rows):
        totals[classes[i]] += weights[i]
    total = totals.sum()
    shares = np.zeros((n_rows, n_rows))
    found = np.empty(n_classes)
    for i in range(n_rows):
        found[:] = 0.0
        for j in nearest[i]:
            offered = max(weights[j] - 1.0, 0.0) if j == i else weights[j]
            shares[i, j] = min(offered, n_neighbors - found[classes[j]])
            found[classes[j]] += shares[i, j]
        for j in range(n_rows):
            if shares[i, j] > 0.0:
                c = classes[j]
                factor = -1.0 if c == classes[i] else totals[c] / (total - totals[classes[i]])
                shares[i, j] *= factor * weights[i] / (found[c] * total)
    return shares


@kernel
def weighted_differences(X: Floats, shares: Floats) -> Floats:
    """Sum over pairs of rows of share x |x_i - x_j|, for each feature."""
    n_rows, n_features = X.shape
    sums = np.zeros(n_features)
    for i in range(n_rows):
        for j in range(n_rows):
            share = shares[i, j]
            if share != 0.0:
                for f in range(n_features):
                    sums[f] += share * abs(X[i, f] - X[j, f])
    return sums
