"""The models that a walk has written down: in the order of their features, and in the units of the data."""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel
from steadyset.kernels.paths.feature_moments import standardise_row


@kernel
def in_order(n_features: int, sizes: Ints, starts: Ints, found: Ints, values: Floats) -> tuple[Ints, Floats]:
    """Features and coefficients by resample, level and feature; sizes and starts are levels x resamples."""
    members, coefs = np.empty(starts[-1, -1], np.int64), np.empty(starts[-1, -1])
    rank, used = np.zeros(n_features, np.int64), np.empty(n_features, np.int64)
    place = np.full(n_features, -1)
    written = 0
    for k in range(sizes.shape[1]):
        for t in range(len(sizes)):
            for e in range(starts[t, k], starts[t, k] + max(sizes[t, k], 0)):
                rank[found[e]] = 1
        n_used = 0
        for j in range(n_features):
            if rank[j]:
                used[n_used], rank[j] = j, n_used
                n_used += 1
        for t in range(len(sizes)):
            for e in range(starts[t, k], starts[t, k] + max(sizes[t, k], 0)):
                place[rank[found[e]]] = e
            for r in range(n_used):
                if place[r] >= 0:
                    members[written], coefs[written] = used[r], values[place[r]]
                    place[r] = -1
                    written += 1
        for r in range(n_used):
            rank[used[r]] = 0
    return members, coefs


@kernel
def in_units_of_data(
    Xt: Floats,
    unit: Floats,
    n_rows: Ints,
    rows: Ints,
    w: Floats,
    places: Ints,
    units: Floats,
    sizes: Ints,
    members: Ints,
    values: Floats,
) -> tuple[Floats, Floats, Ints]:
    """Coefficients of the features as they are, in the order of `in_order`, from those of standardised features.

    With them what they take off the intercepts (resamples x levels), and where every model ends. unit is what Xt is
    smaller by than the data, units are those of y.
    """
    n_levels, n_places = sizes.shape
    coefs, shifts = np.empty(len(values)), np.zeros((n_places, n_levels))
    ends = np.zeros(n_places * n_levels + 1, np.int64)
    d = len(Xt)
    last, means, scales = np.full(d, -1), np.empty(d), np.empty(d)
    z = np.empty(rows.shape[1])
    e = 0
    for k in range(n_places):
        b = places[k]
        n = n_rows[b]
        for t in range(n_levels):
            for _ in range(sizes[t, k]):
                j = members[e]
                if last[j] != k:
                    last[j] = k
                    means[j], scales[j] = standardise_row(Xt[j], rows[b, :n], w[b, :n], z)
                    means[j] *= unit[j]
                    scales[j] *= unit[j]
                coefs[e] = values[e] * units[k] / scales[j]
                shifts[k, t] += coefs[e] * means[j]
                e += 1
            ends[k * n_levels + t + 1] = e
    return coefs, shifts, ends


@kernel
def means_and_scales(
    Xt: Floats, unit: Floats, n_rows: Ints, rows: Ints, w: Floats, b: int, members: Ints
) -> tuple[Floats, Floats]:
    """Means and standard deviations of features in a resample of a batch, in the units of the data."""
    n = n_rows[b]
    z = np.empty(n)
    means, scales = np.empty(len(members)), np.empty(len(members))
    for k in range(len(members)):
        j = members[k]
        mean, scale = standardise_row(Xt[j], rows[b, :n], w[b, :n], z)
        means[k], scales[k] = mean * unit[j], scale * unit[j]
    return means, scales
