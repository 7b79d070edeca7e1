"""The pairs of runs, told by what pairwise measures look at: (r, k_i, k_j), each kind once with how often it occurs.

All measures of a table share this one pass. Runs of similar sizes have few distinct kinds, so scores are computed for
thousands of kinds instead of millions of pairs; where that does not pay, blocks of single pairs are handed out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
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


def pair_batches(selections: Selections) -> Iterator[PairBatch]:
    """Every pair of runs exactly once, in batches of bounded size."""
    classes = size_classes(selections.sizes)
    M, nnz, d = selections.n_runs, len(selections.indices), selections.n_features
    if classes is None:
        yield from run_pairs(selections)
    elif M * max(M, min(nnz, d)) > SMALL:
        yield pair_kinds(selections, classes)
    else:
        yield _few_kinds(selections, classes)


class SizeClasses(NamedTuple):
    """The distinct sizes; `starts` is where the cells of each of them begin, see kernels/overlap/kinds.py."""

    size_class: Ints  # of each run
    sizes: Ints
    starts: Ints


def size_classes(sizes: Ints) -> SizeClasses | None:
    """The classes, or None when they allow so many kinds of pairs that counting these does not pay."""
    distinct, size_class = np.unique(sizes, return_inverse=True)
    n, M = np.arange(len(distinct), 0, -1), len(sizes)
    if float(n @ (distinct + 1.0)) > min(MOST_CELLS, max(1 << 16, 4 * M * M)):
        return None
    starts = np.zeros(len(distinct) + 1, dtype=np.int64)
    np.cumsum(n * (distinct + 1), out=starts[1:])
    return SizeClasses(size_class.astype(np.int64, copy=False), distinct, starts)


@dataclass(frozen=True)
class PairKinds(PairBatch):
    """Every kind that occurs, once, and what finds the kind of two runs."""

    kind_of_cell: Ints
    index: PairIndex
    classes: SizeClasses

    def sums(self, scores: Floats) -> Floats:
        """sums[i, m]: the sum of scores[kind, m] over the pairs of run i."""
        from steadyset.kernels.overlap.kinds import pair_sums

        return pair_sums(self.index, *self.classes, self.kind_of_cell, scores)


def pair_kinds(selections: Selections, classes: SizeClasses) -> PairKinds:
    """The kinds of pairs of runs with these sizes."""
    from steadyset.kernels.overlap.intersections import pair_index
    from steadyset.kernels.overlap.kinds import count_kinds

    index = pair_index(selections.indptr, selections.indices, selections.n_features)
    return PairKinds(*count_kinds(index, *classes), index, classes)


def _few_kinds(selections: Selections, classes: SizeClasses) -> PairBatch:
    """The same where loading the compiled kernels takes longer than all of this."""
    M, (size_class, sizes, starts) = selections.n_runs, classes
    used, column = np.unique(selections.indices, return_inverse=True)
    selected = np.zeros((M, len(used)), dtype=np.float32)
    selected[np.repeat(np.arange(M), selections.sizes), column] = 1
    i, j = np.triu_indices(M, 1)
    shared = (selected @ selected.T)[i, j].astype(np.int64)
    low, high = np.minimum(size_class[i], size_class[j]), np.maximum(size_class[i], size_class[j])
    cells = starts[low] + (high - low) * (sizes[low] + 1) + shared
    _, first, n_pairs = np.unique(cells, return_index=True, return_counts=True)
    return PairBatch(shared[first], sizes[low[first]], sizes[high[first]], n_pairs)


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
