"""Sums over pairs of similar features, walked along the sparse rows of their graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steadyset.kernels.jit import kernel

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@kernel
def scatter_of_neighbours(
    run_indptr: IntArray,
    run_indices: IntArray,
    counts: IntArray,
    indptr: IntArray,
    indices: IntArray,
    values: FloatArray,
) -> float:
    """Sum over neighbours f, g of c(f,g) (M n_fg - h_f h_g): n_fg runs select both, h_f and h_g select either."""
    M = len(run_indptr) - 1
    member = np.full(len(counts), -1, dtype=np.int64)
    both = 0.0
    for i in range(M):
        chosen = run_indices[run_indptr[i] : run_indptr[i + 1]]
        member[chosen] = i
        for f in chosen:
            for e in range(indptr[f], indptr[f + 1]):
                if member[indices[e]] == i:
                    both += values[e]
    by_chance = 0.0
    for f in range(len(counts)):
        if counts[f] > 0:
            row = 0.0
            for e in range(indptr[f], indptr[f + 1]):
                row += values[e] * counts[indices[e]]
            by_chance += counts[f] * row
    return M * both - by_chance
