"""What chance gives: laws of the size of an intersection, and random sets.

The law of the intersection of two random sets, exact to rounding at any d.

Random collections of sets with given sizes: the sets, or how many features are selected by exactly h runs.
"""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, part
from steadyset.kernels.words import random_subset, stream

NEGLIGIBLE = 1e-30  # relative to the most likely value; no bounded score can make such a term count


@kernel
def intersection_laws(size_i: Ints, size_j: Ints, n_features: int) -> tuple[Ints, Ints, Floats]:
    """For each pair of sizes the r that can occur and P(r), one after the other: (start of each pair, r, P(r)).

    Ratios of neighbouring probabilities are walked from the mode outwards, as long as they count, and then normalised:
    no factorials, so nothing is lost for large d.
    """
    n = len(size_i)
    start = np.zeros(n + 1, dtype=np.int64)
    first = np.empty(n, dtype=np.int64)
    for p in range(n):
        first[p], last = _range_that_counts(size_i[p], size_j[p], n_features)
        start[p + 1] = start[p] + last - first[p] + 1
    shared = np.empty(start[n], dtype=np.int64)
    probability = np.empty(start[n], dtype=np.float64)
    for p in range(n):
        a, b = size_i[p], size_j[p]
        at, low = start[p] - first[p], first[p]
        high = start[p + 1] - 1 - at
        mode = _mode(a, b, n_features)
        # Relative to the mode, where neither direction can overflow or lose digits.
        probability[at + mode] = 1.0
        for r in range(mode, high):
            probability[at + r + 1] = probability[at + r] * _step_up(r, a, b, n_features)
        for r in range(mode, low, -1):
            probability[at + r - 1] = probability[at + r] / _step_up(r - 1, a, b, n_features)
        total = 0.0
        for r in range(low, high + 1):
            shared[at + r] = r
            total += probability[at + r]
        for r in range(low, high + 1):
            probability[at + r] /= total
    return start, shared, probability


@part
def _range_that_counts(a: int, b: int, n_features: int) -> tuple[int, int]:
    low, high = max(0, a + b - n_features), min(a, b)
    mode = _mode(a, b, n_features)
    first, relative = mode, 1.0
    while first > low and relative > NEGLIGIBLE:
        first -= 1
        relative /= _step_up(first, a, b, n_features)
    last, relative = mode, 1.0
    while last < high and relative > NEGLIGIBLE:
        relative *= _step_up(last, a, b, n_features)
        last += 1
    return first, last


@part
def _mode(a: int, b: int, n_features: int) -> int:
    return min(max((a + 1) * (b + 1) // (n_features + 2), max(0, a + b - n_features)), min(a, b))


@part
def _step_up(r: int, a: int, b: int, n_features: int) -> float:
    """P(r + 1) / P(r)."""
    return (a - r) * float(b - r) / ((r + 1.0) * (n_features - a - b + r + 1))


@kernel
def random_levels(sizes: Ints, n_features: int, first_draw: int, n_draws: int, seed: int) -> Ints:
    """levels[t, h]: how many features exactly h of the M sets of draw first_draw + t hold; the sets are uniform."""
    M = len(sizes)
    levels = np.zeros((n_draws, M + 1), dtype=np.int64)
    mark = np.full(n_features, -1, dtype=np.int64)
    counts = np.zeros(n_features, dtype=np.int64)
    chosen = np.empty(max(1, sizes.max()), dtype=np.int64)
    touched = np.empty(min(n_features, sizes.sum()), dtype=np.int64)
    for t in range(n_draws):
        state = stream(seed, first_draw + t)
        n_touched = 0
        for i in range(M):
            state = random_subset(state, sizes[i], n_features, mark, t * M + i, chosen)
            for x in chosen[: sizes[i]]:
                if counts[x] == 0:
                    touched[n_touched] = x
                    n_touched += 1
                counts[x] += 1
        levels[t, 0] = n_features - n_touched
        for x in touched[:n_touched]:
            levels[t, counts[x]] += 1
            counts[x] = 0
    return levels


@kernel
def random_sets(sizes: Ints, n_features: int, draw: int, seed: int) -> Ints:
    """The members of M independent uniform sets, one set after the other: the sets of draw `draw` of random_levels."""
    mark = np.full(n_features, -1, dtype=np.int64)
    members = np.empty(sizes.sum(), dtype=np.int64)
    state = stream(seed, draw)
    start = 0
    for i in range(len(sizes)):
        state = random_subset(state, sizes[i], n_features, mark, i, members[start : start + sizes[i]])
        start += sizes[i]
    return members
