"""Pairs of runs by kind: how many there are of each, and sums of the scores of kinds over the pairs of each run.

A kind is r, the number of shared features, with the two sizes. Every kind that the sizes allow has a cell: that of a
pair of size classes a <= b is starts[a] + (b - a) * (sizes[a] + 1) + r.
"""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, part
from steadyset.kernels.overlap.intersections import PairIndex, add_row


@part
def _cell(a: int, b: int, sizes: Ints, starts: Ints) -> int:
    """The first cell of two size classes."""
    low = min(a, b)
    return int(starts[low] + (max(a, b) - low) * (sizes[low] + 1))


@kernel
def count_kinds(index: PairIndex, size_class: Ints, sizes: Ints, starts: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """r, both sizes and the number of pairs of every kind that occurs; and the kind of each cell that has pairs."""
    M, n = len(size_class), len(sizes)
    cells = np.zeros(starts[n], dtype=np.int64)
    shared = np.zeros(M, dtype=np.int32)
    position = index.post_ptr[:-1].copy()
    n_kinds = 0
    for i in range(M):
        add_row(i, index, position, shared)
        for j in range(i + 1, M):
            cell = _cell(size_class[i], size_class[j], sizes, starts) + shared[j]
            n_kinds += cells[cell] == 0
            cells[cell] += 1
            shared[j] = 0
    r, size_i, size_j, n_pairs = np.empty((4, n_kinds), dtype=np.int64)
    kind = 0
    for a in range(n):
        for b in range(a, n):
            first = _cell(a, b, sizes, starts)
            for cell in range(first, first + sizes[a] + 1):
                if cells[cell] > 0:
                    r[kind], size_i[kind], size_j[kind], n_pairs[kind] = cell - first, sizes[a], sizes[b], cells[cell]
                    cells[cell] = kind
                    kind += 1
    return r, size_i, size_j, n_pairs, cells


@kernel
def pair_sums(
    index: PairIndex, size_class: Ints, sizes: Ints, starts: Ints, kind_of_cell: Ints, scores: Floats
) -> Floats:
    """sums[i, m]: the sum of scores[kind, m] over the pairs of run i."""
    M, n_scores = len(size_class), scores.shape[1]
    sums = np.zeros((M, n_scores))
    shared = np.zeros(M, dtype=np.int32)
    position = index.post_ptr[:-1].copy()
    for i in range(M):
        add_row(i, index, position, shared)
        for j in range(i + 1, M):
            kind = kind_of_cell[_cell(size_class[i], size_class[j], sizes, starts) + shared[j]]
            shared[j] = 0
            for m in range(n_scores):
                sums[i, m] += scores[kind, m]
                sums[j, m] += scores[kind, m]
    return sums
