"""The law of the intersection of two random sets, exact to rounding at any d."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steadyset.kernels.jit import kernel


@kernel
def intersection_laws(
    size_i: npt.NDArray[np.int64], size_j: npt.NDArray[np.int64], n_features: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """For each pair of sizes the possible r and P(r), one after the other: (start of each pair, r, P(r)).

    Ratios of neighbouring probabilities are walked from the mode outwards and then normalised: no factorials, so
    nothing is lost for large d.
    """
    n = len(size_i)
    start = np.zeros(n + 1, dtype=np.int64)
    for p in range(n):
        low = max(0, size_i[p] + size_j[p] - n_features)
        start[p + 1] = start[p] + min(size_i[p], size_j[p]) - low + 1
    shared = np.empty(start[n], dtype=np.int64)
    probability = np.empty(start[n], dtype=np.float64)
    for p in range(n):
        a, b = size_i[p], size_j[p]
        low, high = max(0, a + b - n_features), min(a, b)
        at = start[p] - low
        mode = min(max((a + 1) * (b + 1) // (n_features + 2), low), high)
        probability[at + mode] = 1.0
        for r in range(mode, high):
            probability[at + r + 1] = (
                probability[at + r] * (a - r) * (b - r) / ((r + 1.0) * (n_features - a - b + r + 1))
            )
        for r in range(mode, low, -1):
            probability[at + r - 1] = (
                probability[at + r] * r * (n_features - a - b + r) / ((a - r + 1.0) * (b - r + 1.0))
            )
        total = 0.0
        for r in range(low, high + 1):
            shared[at + r] = r
            total += probability[at + r]
        for r in range(low, high + 1):
            probability[at + r] /= total
    return start, shared, probability
