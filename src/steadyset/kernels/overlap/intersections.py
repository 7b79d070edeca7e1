"""How many features each pair of runs shares: all pairs as a matrix, as a histogram, or in blocks of rows.

Features that many runs select are packed into bits (64 of them cost one word per pair), the others are counted through
postings lists (for each feature the runs that select it; cost: h_f^2 / 2). So a steady core and a random rest both cost
little.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from steadyset.kernels.arrays import Ints, Words
from steadyset.kernels.bits import popcount
from steadyset.kernels.jit import kernel

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
    M = len(indptr) - 1
    codes, h = _number_used(indices, n_features)
    packed = np.full(len(h), -1, dtype=np.int64)
    frequent = _worth_packing(h, M)
    packed[frequent] = np.arange(len(frequent))
    words = np.zeros((M, (len(frequent) + 63) // 64), dtype=np.uint64)
    row_ptr = np.zeros(M + 1, dtype=np.int64)
    post_ptr = np.zeros(len(h) + 1, dtype=np.int64)
    np.cumsum(np.where(packed < 0, h, 0), out=post_ptr[1:])
    post_runs = np.empty(post_ptr[-1], dtype=np.int32)
    rare = _distribute(indptr, codes, packed, words, row_ptr, post_ptr, post_runs)
    return PairIndex(words, row_ptr, rare, post_ptr, post_runs)


def _worth_packing(h: Ints, M: int) -> Ints:
    """The features, in groups of 64, whose postings would cost more than one word for each pair of runs."""
    chosen = np.flatnonzero(64 * WORDS_A_POSTING * h.astype(np.float64) ** 2 > float(M) ** 2)
    chosen = chosen[np.argsort(-h[chosen], kind="stable")]
    cost = np.add.reduceat(h[chosen].astype(np.float64) ** 2, np.arange(0, len(chosen), 64)) if len(chosen) else h[:0]
    return chosen[: 64 * int(np.count_nonzero(WORDS_A_POSTING * cost > float(M) ** 2))]


@kernel
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
def _distribute(
    indptr: Ints,
    codes: Ints,
    packed: Ints,
    words: Words,
    row_ptr: Ints,
    post_ptr: Ints,
    post_runs: npt.NDArray[np.int32],
) -> Ints:
    """Fill the bits, the row pointers and the postings; return the codes of the features that are not packed."""
    rare = np.empty(post_ptr[-1], dtype=np.int64)
    free = post_ptr[:-1].copy()
    n = 0
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            bit = packed[codes[e]]
            if bit >= 0:
                words[i, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
            else:
                rare[n] = codes[e]
                post_runs[free[codes[e]]] = i
                free[codes[e]] += 1
                n += 1
        row_ptr[i + 1] = n
    return rare


@kernel
def _add_row(i: int, index: PairIndex, position: Ints, shared: npt.NDArray[np.int32]) -> None:
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
def pair_histogram(index: PairIndex, size_class: Ints, offsets: Ints, n_cells: int) -> Ints:
    """Count the pairs i<j in cells offsets[a, b] + r_ij, where a and b are the size classes of the two runs."""
    M = len(index.words)
    cells = np.zeros(n_cells, dtype=np.int64)
    shared = np.zeros(M, dtype=np.int32)
    position = index.post_ptr[:-1].copy()
    for i in range(M):
        _add_row(i, index, position, shared)
        cell = offsets[size_class[i]]
        for j in range(i + 1, M):
            cells[cell[size_class[j]] + shared[j]] += 1
            shared[j] = 0
    return cells


@kernel
def _block(index: PairIndex, position: Ints, start: int, block: npt.NDArray[np.int32]) -> None:
    for a in range(len(block)):
        _add_row(start + a, index, position, block[a])
