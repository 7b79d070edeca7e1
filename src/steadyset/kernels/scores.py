"""Scores of filters: sums of ranks and moments of classes, neighbours (Relief), and the largest of many.

The best features of every resample, without sorting all scores where few are asked for.

Weighted mid-ranks of many features under many resamples, summed by class.

Weighted class means and variances of a tile of features under many resamples.

Every column is summed in the order of the rows: equal columns get equal numbers, whatever their place.

Weights of nearest neighbours for Relief, and the differences between neighbours summed by feature.
"""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, part

# Putting better scores into a list of the k best takes some k² moves; sorting all d is as fast from k² = 40 to 70 d.
MOST_MOVES = 16


def top(scores: Floats, k: int) -> Ints:
    """Numbers of the k largest scores in each row, largest first; of equal scores the smaller number comes first."""
    if k * k > MOST_MOVES * scores.shape[1]:
        return np.stack([np.argsort(-row, kind="stable")[:k] for row in scores])
    return insert_best(scores, k)


@kernel
def insert_best(scores: Floats, k: int) -> Ints:
    """What `top` gives, by a list of the k best that every better score is put into."""
    n_runs, n_features = scores.shape
    best = np.empty((n_runs, k), np.int64)
    for run in range(n_runs):
        row = scores[run]
        found = 0
        for j in range(n_features):
            if found == k and not row[j] > row[best[run, k - 1]]:
                continue
            place = min(found, k - 1)
            while place > 0 and row[j] > row[best[run, place - 1]]:
                best[run, place] = best[run, place - 1]
                place -= 1
            best[run, place] = j
            found = min(found + 1, k)
    return best


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


@part
def tie_groups(column: Floats, order: Ints, ends: Ints) -> int:
    """Write the end of each run of equal values into ``ends``; their number."""
    n_groups = 0
    for i in range(order.size):
        if i + 1 == order.size or column[order[i]] != column[order[i + 1]]:
            ends[n_groups] = i + 1
            n_groups += 1
    return n_groups


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
        # The first row is not added, since it is what the others are measured from; hence the - 1.
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


@part
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
            # A row of weight w stands for w copies, each of which has the w - 1 others as neighbours at distance 0.
            offered = max(weights[j] - 1.0, 0.0) if j == i else weights[j]
            shares[i, j] = min(offered, n_neighbors - found[classes[j]])
            found[classes[j]] += shares[i, j]
        for j in range(n_rows):
            if shares[i, j] > 0.0:
                c = classes[j]
                # Misses of each class count by its share among the other classes, as in Kononenko's ReliefF.
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
