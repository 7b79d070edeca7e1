"""The law of the intersection of two random sets, exact to rounding at any d."""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel

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


@kernel
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


@kernel
def _mode(a: int, b: int, n_features: int) -> int:
    return min(max((a + 1) * (b + 1) // (n_features + 2), max(0, a + b - n_features)), min(a, b))


@kernel
def _step_up(r: int, a: int, b: int, n_features: int) -> float:
    """P(r + 1) / P(r)."""
    return (a - r) * float(b - r) / ((r + 1.0) * (n_features - a - b + r + 1))
