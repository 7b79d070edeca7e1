"""Weighted class means and variances of a tile of features under many resamples; rows are sorted by class.

Rows starts[c] to starts[c + 1] of a tile belong to class c. Every column is summed in the order of the rows: equal
columns get equal numbers, whatever their place.
"""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel

# Columns of a tile: they stay in the cache over all resamples. A constant, so that the compiler knows how far apart
# sums and squares lie and vectorises their common loop.
WIDTH = 256


@kernel
def class_moments(tile: Floats, starts: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Mean and sum of squared deviations of each class in each resample, both (M, K, WIDTH)."""
    n_runs, n_classes = weights.shape[0], starts.size - 1
    means = np.empty((n_runs, n_classes, WIDTH))
    scatters = np.empty((n_runs, n_classes, WIDTH))
    totals = np.empty(n_classes)
    moments = np.empty((n_classes, 2 * WIDTH))
    for run in range(n_runs):
        run_moments(tile, starts, weights[run], totals, moments)
        for c in range(n_classes):
            for j in range(WIDTH):
                means[run, c, j] = moments[c, j]
                scatters[run, c, j] = moments[c, WIDTH + j]
    return means, scatters


@kernel
def mean_squares(tile: Floats, starts: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Mean squares between and within classes, both (M, WIDTH); classes without weight in a resample do not count."""
    n_runs, n_classes = weights.shape[0], starts.size - 1
    between = np.zeros((n_runs, WIDTH))
    within = np.zeros((n_runs, WIDTH))
    totals = np.empty(n_classes)
    moments = np.empty((n_classes, 2 * WIDTH))
    centre = np.empty(WIDTH)
    for run in range(n_runs):
        run_moments(tile, starts, weights[run], totals, moments)
        size = totals.sum()
        present = (totals > 0.0).sum()
        centre[:] = 0.0
        for c in range(n_classes):
            share = totals[c] / size
            for j in range(WIDTH):
                centre[j] += share * moments[c, j]
        for c in range(n_classes):
            share = totals[c] / (present - 1)
            for j in range(WIDTH):
                between[run, j] += share * (moments[c, j] - centre[j]) ** 2
            share = 1.0 / (size - present)
            for j in range(WIDTH):
                within[run, j] += share * moments[c, WIDTH + j]
    return between, within


@kernel
def run_moments(tile: Floats, starts: Ints, weights: Floats, totals: Floats, moments: Floats) -> None:
    """Weight of each class, and its means and scatters side by side (K, 2 WIDTH), in one resample.

    Values are taken relative to the first row of their class in the resample. A class that does not vary then has a
    scatter of exactly zero, and because that row is one of those summed, the subtraction in sum w t^2 - (sum w t)^2 / W
    loses no more than a factor W / w of precision, whatever the values. Means are relative to the first row of all.
    """
    totals[:] = 0.0
    moments[:] = 0.0
    rows = np.empty(4, np.int64)
    shares = np.empty(4)
    origin = -1
    for c in range(totals.size):
        base = -1
        filled = 0
        for i in range(starts[c], starts[c + 1]):
            if weights[i] <= 0.0:
                continue
            totals[c] += weights[i]
            if base < 0:
                base = i
                continue
            rows[filled] = i
            shares[filled] = weights[i]
            filled += 1
            if filled == 4:
                add_rows(tile, base, rows, shares, moments[c])
                filled = 0
        if filled > 0:
            for unused in range(filled, 4):
                rows[unused] = base
                shares[unused] = 0.0
            add_rows(tile, base, rows, shares, moments[c])
        if base >= 0:
            origin = base if origin < 0 else origin
            settle(tile, base, origin, totals[c], moments[c])


@kernel
def add_rows(tile: Floats, base: int, rows: Ints, shares: Floats, moments: Floats) -> None:
    """Add the weighted distances of four rows from the row ``base``, and their squares."""
    a, b, c, d = rows[0], rows[1], rows[2], rows[3]
    weight_a, weight_b, weight_c, weight_d = shares[0], shares[1], shares[2], shares[3]
    for j in range(WIDTH):
        distance_a = tile[a, j] - tile[base, j]
        distance_b = tile[b, j] - tile[base, j]
        distance_c = tile[c, j] - tile[base, j]
        distance_d = tile[d, j] - tile[base, j]
        part_a = weight_a * distance_a
        part_b = weight_b * distance_b
        part_c = weight_c * distance_c
        part_d = weight_d * distance_d
        moments[j] += (part_a + part_b) + (part_c + part_d)
        squares = (part_a * distance_a + part_b * distance_b) + (part_c * distance_c + part_d * distance_d)
        moments[WIDTH + j] += squares


@kernel
def settle(tile: Floats, base: int, origin: int, total: float, moments: Floats) -> None:
    """Turn sums into means relative to the row ``origin`` and sums of squares into scatters."""
    share = 1.0 / total
    for j in range(WIDTH):
        mean = share * moments[j]
        moments[WIDTH + j] = max(moments[WIDTH + j] - moments[j] * mean, 0.0)
        moments[j] = mean + (tile[base, j] - tile[origin, j])
