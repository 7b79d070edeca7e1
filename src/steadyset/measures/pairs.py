"""The pairs of runs, told by what pairwise measures look at: (r, k_i, k_j), each kind once with how often it occurs.

All measures of a table share this one pass. Runs of similar sizes have few distinct kinds, so scores are computed for
thousands of kinds instead of millions of pairs; where that does not pay, blocks of single pairs are handed out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steadyset.kernels.arrays import Ints
from steadyset.selections import Selections

if TYPE_CHECKING:
    from steadyset.kernels.overlap.intersections import PairIndex

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


@dataclass(frozen=True)
class PairKinds(PairBatch):
    """All kinds that occur, each once. Pairs of runs are looked up by cells, one per kind that sizes allow: that of
    (i, j) is offsets[class_i, class_j] + r_ij, and the kinds are the cells that are `occupied`."""

    size_class: Ints
    offsets: Ints
    occupied: Ints
    n_cells: int

    def kind_of_cell(self) -> Ints:
        """The place of each occupied cell among the kinds; anything for the others."""
        places = np.empty(self.n_cells, dtype=np.int64)
        places[self.occupied] = np.arange(len(self.occupied))
        return places


def pair_batches(selections: Selections) -> Iterator[PairBatch]:
    """Every pair of runs exactly once, in batches of bounded size."""
    kinds = pair_kinds(selections)
    if kinds is None:
        yield from run_pairs(selections)
    else:
        yield kinds


def pair_kinds(selections: Selections, index: PairIndex | None = None) -> PairKinds | None:
    """The kinds of pairs, or None when sizes allow so many that counting them does not pay."""
    sizes, size_class = np.unique(selections.sizes, return_inverse=True)
    n_classes, M = len(sizes), selections.n_runs
    n_cells = float(np.arange(n_classes, 0, -1) @ (sizes + 1.0))
    if n_cells > min(MOST_CELLS, max(1 << 16, 4 * M * M)):
        return None
    a, b = np.triu_indices(n_classes)
    starts = np.concatenate([[0], np.cumsum(sizes[a] + 1)])
    offsets = np.empty((n_classes, n_classes), dtype=np.int64)
    offsets[a, b] = offsets[b, a] = starts[:-1]
    cells = _histogram(selections, size_class.astype(np.int64, copy=False), offsets, int(starts[-1]), index)
    occupied = np.flatnonzero(cells)
    of_sizes = np.diff(np.searchsorted(occupied, starts))  # how many kinds each pair of sizes has
    return PairKinds(
        occupied - np.repeat(starts[:-1], of_sizes),
        np.repeat(sizes[a], of_sizes),
        np.repeat(sizes[b], of_sizes),
        cells[occupied],
        size_class,
        offsets,
        occupied,
        len(cells),
    )


def _histogram(selections: Selections, size_class: Ints, offsets: Ints, n_cells: int, index: PairIndex | None) -> Ints:
    """How many pairs i<j are in the cell offsets[class_i, class_j] + r_ij."""
    M, nnz, d = selections.n_runs, len(selections.indices), selections.n_features
    if index is not None or M * max(M, min(nnz, d)) > SMALL:
        from steadyset.kernels.overlap.intersections import pair_histogram, pair_index

        index = pair_index(selections.indptr, selections.indices, d) if index is None else index
        return pair_histogram(index, size_class, offsets, n_cells)
    # Loading the compiled kernels takes longer than all of this.
    used, column = np.unique(selections.indices, return_inverse=True)
    selected = np.zeros((M, len(used)), dtype=np.float32)
    selected[np.repeat(np.arange(M), selections.sizes), column] = 1
    i, j = np.triu_indices(M, 1)
    shared = (selected @ selected.T)[i, j].astype(np.int64)
    return np.bincount(offsets[size_class[i], size_class[j]] + shared, minlength=n_cells)


@dataclass(frozen=True)
class RunPairs(PairBatch):
    """Single pairs, with the two runs of each."""

    first: Ints
    second: Ints


def run_pairs(selections: Selections) -> Iterator[RunPairs]:
    """Every pair of runs by itself, in blocks."""
    from steadyset.kernels.overlap.intersections import intersection_blocks, pair_index

    M, sizes = selections.n_runs, selections.sizes
    index = pair_index(selections.indptr, selections.indices, selections.n_features)
    for start, block in intersection_blocks(index, rows=max(1, PAIRS_A_BLOCK // M)):
        i, j = np.triu_indices(len(block), start + 1, M)
        if len(i):
            first = start + i
            shared = block[i, j].astype(np.int64)
            yield RunPairs(shared, sizes[first], sizes[j], np.ones(len(i), dtype=np.int64), first, j)
