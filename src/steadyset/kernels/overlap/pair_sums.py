"""Sums of scores over the pairs of each run, many scores at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel


@kernel
def add_pair_sums(
    block: npt.NDArray[np.int32],
    start: int,
    size_class: Ints,
    offsets: Ints,
    kind_of_cell: Ints,
    scores: Floats,
    sums: Floats,
) -> None:
    """sums[i] and sums[j] += scores[kind] for the pairs i<j of a block of intersections that starts at run `start`.

    The kind of a pair is that of the cell offsets[a, b] + r_ij, where a and b are the size classes of the two runs.
    """
    rows, M = block.shape
    for a in range(rows):
        i = start + a
        for j in range(i + 1, M):
            kind = kind_of_cell[offsets[size_class[i], size_class[j]] + block[a, j]]
            for m in range(scores.shape[1]):
                sums[i, m] += scores[kind, m]
                sums[j, m] += scores[kind, m]
