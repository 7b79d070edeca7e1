"""Weighted class means and scatters of many features under many resamples."""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel


@kernel
def class_moments(X: Floats, classes: Ints, weights: Floats, n_classes: int) -> tuple[Floats, Floats, Floats]:
    """Total weight (M, K), mean (M, K, d) and sum of squared deviations (M, K, d) of each class in each resample.

    Means are measured from the first row of the resample, deviations from the first row of the class, so that a column
    that does not vary has exactly equal means and a scatter of exactly zero. Every column is summed in the order of the
    rows: equal columns get equal numbers, whatever their place and whatever the other resamples.
    """
    n_runs, n_rows = weights.shape
    n_features = X.shape[1]
    totals = np.zeros((n_runs, n_classes))
    means = np.zeros((n_runs, n_classes, n_features))
    scatters = np.zeros((n_runs, n_classes, n_features))
    first = np.empty(n_classes, np.int64)
    for run in range(n_runs):
        first[:] = -1
        origin = -1
        for i in range(n_rows):
            weight = weights[run, i]
            if weight <= 0.0:
                continue
            c = classes[i]
            if origin < 0:
                origin = i
            if first[c] < 0:
                first[c] = i
            totals[run, c] += weight
            base = first[c]
            for j in range(n_features):
                means[run, c, j] += weight * (X[i, j] - X[base, j])
        for c in range(n_classes):
            if first[c] >= 0:
                for j in range(n_features):
                    means[run, c, j] /= totals[run, c]
        for i in range(n_rows):
            weight = weights[run, i]
            if weight <= 0.0:
                continue
            c = classes[i]
            base = first[c]
            for j in range(n_features):
                deviation = (X[i, j] - X[base, j]) - means[run, c, j]
                scatters[run, c, j] += weight * deviation * deviation
        for c in range(n_classes):
            if first[c] >= 0:
                for j in range(n_features):
                    means[run, c, j] += X[first[c], j] - X[origin, j]
    return totals, means, scatters
