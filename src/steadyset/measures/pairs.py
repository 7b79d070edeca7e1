"""The pairs of runs, told by what pairwise measures look at: (r, k_i, k_j), each kind once with how often it occurs.

All measures of a table share this one pass. Runs of similar sizes have few distinct kinds, so scores are computed for
thousands of kinds instead of millions of pairs; where that does not pay, blocks of single pairs are handed out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from steadyset.kernels.arrays import Ints
from steadyset.selections import Selections

MOST_CELLS = 1 << 24
PAIRS_A_BLOCK = 1 << 20
SMALL = 1 << 16  # runs x runs, or runs x features


@dataclass(frozen=True)
class PairBatch:
    """Kinds of pairs: r shared features, sizes k_i and k_j, and how many pairs i<j are of this kind."""

    shared: Ints
    size_i: Ints
    size_j: Ints
    n_pairs: Ints


def pair_batches(selections: Selections) -> Iterator[PairBatch]:
    """Every pair of runs exactly once, in batches of bounded size."""
    sizes, size_class = np.unique(selections.sizes, return_inverse=True)
    width = np.arange(len(sizes), 0, -1, dtype=np.float64) * (sizes + 1)
    n_cells = float(width.sum())
    M = selections.n_runs
    if n_cells <= MOST_CELLS and n_cells <= max(1 << 16, 4 * M * M):
        yield _counted(selections, sizes, size_class.astype(np.int64))
    else:
        yield from _single(selections)


def _counted(selections: Selections, sizes: Ints, size_class: Ints) -> PairBatch:
    a, b, starts, offsets = _cells(sizes)
    cells = _histogram(selections, size_class, offsets, int(starts[-1]))
    occupied = np.flatnonzero(cells)
    which = np.searchsorted(starts, occupied, side="right") - 1
    return PairBatch(occupied - starts[which], sizes[a[which]], sizes[b[which]], cells[occupied])


def _histogram(selections: Selections, size_class: Ints, offsets: Ints, n_cells: int) -> Ints:
    """How many pairs i<j are in the cell offsets[class_i, class_j] + r_ij."""
    M, nnz, d = selections.n_runs, len(selections.indices), selections.n_features
    if M * max(M, min(nnz, d)) > SMALL:
        from steadyset.kernels.overlap.intersections import pair_histogram

        return pair_histogram(selections.indptr, selections.indices, d, size_class, offsets, n_cells)
    # Loading the compiled kernels takes longer than all of this.
    used, column = np.unique(selections.indices, return_inverse=True)
    selected = np.zeros((M, len(used)), dtype=np.float32)
    selected[np.repeat(np.arange(M), selections.sizes), column] = 1
    i, j = np.triu_indices(M, 1)
    shared = (selected @ selected.T)[i, j].astype(np.int64)
    return np.bincount(offsets[size_class[i], size_class[j]] + shared, minlength=n_cells)


@dataclass(frozen=True)
class PairCells:
    """Every kind that a pair of these sizes can be of: the kind of (i, j) is offsets[class_i, class_j] + r_ij."""

    shared: Ints
    size_i: Ints
    size_j: Ints
    size_class: Ints
    offsets: Ints


def pair_cells(selections: Selections) -> PairCells | None:
    """The kinds of pairs, or None when there would be more of them than pairs."""
    sizes, size_class = np.unique(selections.sizes, return_inverse=True)
    n_cells = float(np.arange(len(sizes), 0, -1) @ (sizes + 1.0))
    if n_cells > max(1 << 12, min(MOST_CELLS, selections.n_runs**2)):
        return None
    a, b, starts, offsets = _cells(sizes)
    n = np.diff(starts)
    shared = np.arange(starts[-1]) - np.repeat(starts[:-1], n)
    return PairCells(shared, np.repeat(sizes[a], n), np.repeat(sizes[b], n), size_class.astype(np.int64), offsets)


def _cells(sizes: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """The pairs a <= b of size classes, where the cells of each start, and the same as a square table."""
    a, b = np.triu_indices(len(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes[a] + 1)])
    offsets = np.zeros((len(sizes), len(sizes)), dtype=np.int64)
    offsets[a, b] = offsets[b, a] = starts[:-1]
    return a, b, starts, offsets


def _single(selections: Selections) -> Iterator[PairBatch]:
    from steadyset.kernels.overlap.intersections import intersection_blocks

    M, sizes = selections.n_runs, selections.sizes
    rows = max(1, PAIRS_A_BLOCK // M)
    for start, block in intersection_blocks(selections.indptr, selections.indices, selections.n_features, rows):
        i, j = np.triu_indices(len(block), start + 1, M)
        if len(i):
            shared = block[i, j].astype(np.int64)
            yield PairBatch(shared, sizes[start + i], sizes[j], np.ones(len(i), dtype=np.int64))
