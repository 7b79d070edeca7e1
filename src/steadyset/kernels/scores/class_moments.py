"""Weighted class means and variances of a tile of features under many resamples.

Every column is summed in the order of the rows: equal columns get equal numbers, whatever their place.
"""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel

# Columns of a tile: they stay in the cache over all resamples. A constant, so that the compiler knows how far apart
# sums and squares lie and vectorises their common loop; no power of two, so that rows spread over the cache.
WIDTH = 200

# Rows that one pass over the columns adds; groups are padded with rows of weight 0 to a multiple of it.
STEP = 4


@kernel
def group_rows(classes: Ints, weights: Floats, n_classes: int) -> tuple[Ints, Ints, Floats]:
    """Rows with weight, and their weights, grouped by resample and class; group g starts at bounds[g].

    The first row of a group is the base from which the kernels below measure; padding follows the last.
    """
    n_runs, n_rows = weights.shape
    bounds = np.zeros(n_runs * n_classes + 1, np.int64)
    rows = np.empty(n_runs * (n_rows + n_classes * STEP), np.int64)
    shares = np.zeros(rows.size)
    end = 0
    for group in range(n_runs * n_classes):
        run, c = group // n_classes, group % n_classes
        start = end
        for i in range(n_rows):
            if classes[i] == c and weights[run, i] > 0.0:
                rows[end] = i
                shares[end] = weights[run, i]
                end += 1
        while end > start and (end - start - 1) % STEP > 0:
            rows[end] = rows[start]
            end += 1
        bounds[group + 1] = end
    return bounds, rows, shares


@kernel
def class_moments(totals: Floats, tile: Floats, bounds: Ints, rows: Ints, shares: Floats) -> tuple[Floats, Floats]:
    """Mean and sum of squared deviations of each class in each resample, both (M, K, WIDTH)."""
    n_runs, n_classes = totals.shape
    means = np.empty((n_runs, n_classes, WIDTH))
    scatters = np.empty((n_runs, n_classes, WIDTH))
    moments = np.empty((n_classes, 2 * WIDTH))
    for run in range(n_runs):
        run_moments(tile, bounds, rows, shares, run, totals, moments)
        for c in range(n_classes):
            for j in range(WIDTH):
                means[run, c, j] = moments[c, j]
                scatters[run, c, j] = moments[c, WIDTH + j]
    return means, scatters


@kernel
def mean_squares(totals: Floats, tile: Floats, bounds: Ints, rows: Ints, shares: Floats) -> tuple[Floats, Floats]:
    """Mean squares between and within classes, both (M, WIDTH); classes without weight in a resample do not count."""
    n_runs, n_classes = totals.shape
    between = np.zeros((n_runs, WIDTH))
    within = np.zeros((n_runs, WIDTH))
    moments = np.empty((n_classes, 2 * WIDTH))
    centre = np.empty(WIDTH)
    for run in range(n_runs):
        run_moments(tile, bounds, rows, shares, run, totals, moments)
        size = totals[run].sum()
        present = (totals[run] > 0.0).sum()
        centre[:] = 0.0
        for c in range(n_classes):
            share = totals[run, c] / size
            for j in range(WIDTH):
                centre[j] += share * moments[c, j]
        for c in range(n_classes):
            share = totals[run, c] / (present - 1)
            for j in range(WIDTH):
                between[run, j] += share * (moments[c, j] - centre[j]) ** 2
            share = 1.0 / (size - present)
            for j in range(WIDTH):
                within[run, j] += share * moments[c, WIDTH + j]
    return between, within


@kernel
def run_moments(
    tile: Floats, bounds: Ints, rows: Ints, shares: Floats, run: int, totals: Floats, moments: Floats
) -> None:
    """Means and scatters of each class side by side (K, 2 WIDTH) in one resample.

    Values are taken relative to the first row of their class in the resample. A class that does not vary then has a
    scatter of exactly zero, and because that row is one of those summed, the subtraction in sum w t^2 - (sum w t)^2 / W
    loses no more than a factor W / w of precision, whatever the values. Means are relative to the first row of all.
    """
    moments[:] = 0.0
    n_classes = totals.shape[1]
    origin = rows[bounds[run * n_classes]]
    for c in range(n_classes):
        start, end = bounds[run * n_classes + c], bounds[run * n_classes + c + 1]
        if start < end:
            add_rows(tile, rows, shares, start, end, moments[c])
            settle(tile, rows[start], origin, totals[run, c], moments[c])


@kernel
def add_rows(tile: Floats, rows: Ints, shares: Floats, start: int, end: int, moments: Floats) -> None:
    """Add the weighted distances of the rows of a group from its first, and their squares."""
    base = rows[start]
    for i in range(start + 1, end, STEP):
        a, b, c, d = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        weight_a, weight_b, weight_c, weight_d = shares[i], shares[i + 1], shares[i + 2], shares[i + 3]
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


@kernel
def slope_moments(
    totals: Floats, targets: Floats, tile: Floats, bounds: Ints, rows: Ints, shares: Floats
) -> tuple[Floats, Floats]:
    """Scatter of each feature, and its sum of products with the target, in each resample: both (M, WIDTH).

    ``targets`` (M, n) is centred in each resample, so that the products need no correction for the feature's mean. As
    in `run_moments` values are taken relative to the first row: a feature that does not vary has exact zeros.
    """
    n_runs = len(totals)
    scatters = np.zeros((n_runs, WIDTH))
    products = np.zeros((n_runs, WIDTH))
    sums = np.empty(WIDTH)
    for run in range(n_runs):
        start, end = bounds[run], bounds[run + 1]
        base = rows[start]
        sums[:] = 0.0
        for i in range(start, end):
            row, weight = rows[i], shares[i]
            lean = weight * targets[run, row]
            for j in range(WIDTH):
                distance = tile[row, j] - tile[base, j]
                part = weight * distance
                sums[j] += part
                scatters[run, j] += part * distance
                products[run, j] += lean * distance
        share = 1.0 / totals[run]
        for j in range(WIDTH):
            scatters[run, j] = max(scatters[run, j] - share * sums[j] * sums[j], 0.0)
    return scatters, products
