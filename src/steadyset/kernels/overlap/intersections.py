"""Intersections of selected sets: how many features each pair of runs shares.

All pairs come as a matrix, in blocks of rows, or row by row. Features that many runs select are packed into bits (64 of
them cost one word per pair), the others are counted through postings lists (for each feature the runs that select it;
cost: h_f^2 / 2). So a steady core and a random rest both cost little.

Pairs of runs by kind: how many there are of each, and sums of the scores of kinds over the pairs of each run.

A kind is r, the number of shared features, with the two sizes. Every kind that the sizes allow has a cell: that of a
pair of size classes a <= b is starts[a] + (b - a) * (sizes[a] + 1) + r.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from steadyset.kernels.arrays import Floats, Ints, Words
from steadyset.kernels.jit import kernel, part
from steadyset.kernels.words import popcount

WORDS_A_POSTING = 2.0  # words of 64 bits that are compared in the time of adding one posting


def intersection_matrix(indptr: Ints, indices: Ints, n_features: int) -> Ints:
    """r_ij for all i, j, with the sizes on the diagonal."""
    M = len(indptr) - 1
    full = np.zeros((M, M), dtype=np.int64)
    for start, block in intersection_blocks(pair_index(indptr, indices, n_features), rows=max(1, 2**22 // M)):
        rows = slice(start, start + len(block))
        full[rows] += block
        full[:, rows] += block.T  # block by block, so that nothing of size M x M is held twice
    np.fill_diagonal(full, np.diff(indptr))
    return full


def intersection_blocks(index: PairIndex, rows: int) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
    """Yield (i, block): block[a, j] = r_{i+a, j} for j > i+a and 0 elsewhere, `rows` rows at a time."""
    M = len(index.words)
    position = index.post_ptr[:-1].copy()
    for start in range(0, M, rows):
        block = np.zeros((min(rows, M - start), M), dtype=np.int32)
        _block(index, position, start, block)
        yield start, block


class PairIndex(NamedTuple):
    """The runs as bits of the frequent features and as postings of the others; nothing grows with d but one array."""

    words: Words  # M x words: the packed features of each run
    row_ptr: Ints  # where each run begins in rare
    rare: Ints  # the features of each run that are not packed
    post_ptr: Ints  # where each feature begins in post_runs
    post_runs: npt.NDArray[np.int32]  # the runs that select each feature


def pair_index(indptr: Ints, indices: Ints, n_features: int) -> PairIndex:
    """What every pass over the pairs of runs reads."""
    return _indexed(indptr, indices, n_features, WORDS_A_POSTING)


@kernel
def _indexed(indptr: Ints, indices: Ints, n_features: int, words_a_posting: float) -> PairIndex:
    M = len(indptr) - 1
    codes, h = _number_used(indices, n_features)
    bit, n_words = _packed(h, M, words_a_posting)
    words = np.zeros((M, n_words), dtype=np.uint64)
    post_ptr = np.zeros(len(h) + 1, dtype=np.int64)
    for f in range(len(h)):
        post_ptr[f + 1] = post_ptr[f] + (h[f] if bit[f] < 0 else 0)
    row_ptr = np.zeros(M + 1, dtype=np.int64)
    rare = np.empty(post_ptr[-1], dtype=np.int64)
    post_runs = np.empty(post_ptr[-1], dtype=np.int32)
    free = post_ptr[:-1].copy()
    n = 0
    for i in range(M):
        for e in range(indptr[i], indptr[i + 1]):
            f = codes[e]
            if bit[f] >= 0:
                words[i, bit[f] >> 6] |= np.uint64(1) << np.uint64(bit[f] & 63)
            else:
                rare[n] = f
                post_runs[free[f]] = i
                free[f] += 1
                n += 1
        row_ptr[i + 1] = n
    return PairIndex(words, row_ptr, rare, post_ptr, post_runs)


@part
def _number_used(indices: Ints, n_features: int) -> tuple[Ints, Ints]:
    """The selected features numbered as they appear, for each entry; and how often each of them is selected."""
    number = np.zeros(n_features, dtype=np.int32)
    codes = np.empty(len(indices), dtype=np.int64)
    h = np.zeros(min(n_features, len(indices)), dtype=np.int64)
    n_used = 0
    for e in range(len(indices)):
        f = indices[e]
        if number[f] == 0:
            n_used += 1
            number[f] = n_used
        codes[e] = number[f] - 1
        h[codes[e]] += 1
    return codes, h[:n_used].copy()


@kernel
def _packed(h: Ints, M: int, words_a_posting: float) -> tuple[Ints, int]:
    """The bit of each feature, the most frequent first, or -1; and how many words they take.

    Features are packed, in groups of 64, whose postings would cost more than one word for each pair of runs.
    """
    # A word of 64 features takes one operation for each of the M² / 2 pairs; the postings of a feature that h runs
    # select take h² / 2 additions. Sorted by h (by counting), the first groups of 64 are those that pay.
    pairs = float(M) ** 2
    at = np.zeros(M + 2, dtype=np.int64)  # where features that h runs select begin
    for f in range(len(h)):
        if 64 * words_a_posting * float(h[f]) ** 2 > pairs:
            at[h[f]] += 1
    n = 0
    for times in range(M, -1, -1):
        at[times], n = n, n + at[times]
    bit = np.full(len(h), -1, dtype=np.int64)
    cost = np.zeros(n // 64 + 1)
    for f in range(len(h)):
        if 64 * words_a_posting * float(h[f]) ** 2 > pairs:
            bit[f] = at[h[f]]
            at[h[f]] += 1
            cost[bit[f] >> 6] += float(h[f]) ** 2
    n_words = 0
    while n_words < len(cost) and words_a_posting * cost[n_words] > pairs:
        n_words += 1
    for f in range(len(h)):
        if bit[f] >= 64 * n_words:
            bit[f] = -1
    return bit, n_words


@part
def add_row(i: int, index: PairIndex, position: Ints, shared: npt.NDArray[np.int32]) -> None:
    """shared[j] += r_ij for j > i.

    position[f] is how far the runs of f have been read. Runs come in order, so it already stands at run i.
    """
    words, row_ptr, rare, post_ptr, post_runs = index
    for e in range(row_ptr[i], row_ptr[i + 1]):
        f = rare[e]
        position[f] += 1
        for p in range(position[f], post_ptr[f + 1]):
            shared[post_runs[p]] += 1
    M, n_words = words.shape
    for w in range(n_words):
        own = words[i, w]
        if own != 0:
            for j in range(i + 1, M):
                shared[j] += np.int32(popcount(own & words[j, w]))


@kernel
def _block(index: PairIndex, position: Ints, start: int, block: npt.NDArray[np.int32]) -> None:
    for a in range(len(block)):
        add_row(start + a, index, position, block[a])


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
                    # The count is in n_pairs now; its cell names the kind for those who look it up.
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
