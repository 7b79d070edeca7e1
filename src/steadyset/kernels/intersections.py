"""How many features each pair of runs shares: all pairs as a matrix, as a histogram, or in blocks of rows.

Two ways to count: postings lists (for each feature the runs that select it; cost: sum of h_f^2) and packed bits (one
bit a used feature; cost: M^2 words). The cheaper one is chosen from the counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.kernels.bits import popcount
from steadyset.kernels.jit import kernel

IntArray = npt.NDArray[np.int64]


def intersection_matrix(indptr: IntArray, indices: IntArray, n_features: int) -> IntArray:
    """r_ij for all i, j, with the sizes on the diagonal."""
    M = len(indptr) - 1
    full = np.zeros((M, M), dtype=np.int64)
    for start, block in intersection_blocks(indptr, indices, n_features, rows=max(1, 2**22 // M)):
        full[start : start + len(block)] = block
    full += np.triu(full, 1).T
    np.fill_diagonal(full, np.diff(indptr))
    return full


def intersection_blocks(indptr: IntArray, indices: IntArray, n_features: int, rows: int) -> Any:
    """Yield (i, block): block[a, j] = r_{i+a, j} for j > i+a and 0 elsewhere, `rows` rows at a time."""
    M = len(indptr) - 1
    index = _Index(indptr, indices, n_features)
    for start in range(0, M, rows):
        block = np.zeros((min(rows, M - start), M), dtype=np.int32)
        if index.packed:
            _bits_block(index.words, start, block)
        else:
            _postings_block(indptr, index.codes, index.post_ptr, index.post_runs, index.position, start, block)
        yield start, block


def pair_histogram(
    indptr: IntArray, indices: IntArray, n_features: int, size_class: IntArray, offsets: IntArray, n_cells: int
) -> IntArray:
    """Count the pairs i<j in cells offsets[a, b] + r_ij, where a <= b are the size classes of the two runs."""
    index = _Index(indptr, indices, n_features)
    if index.packed:
        return _bits_histogram(index.words, size_class, offsets, n_cells)
    return _postings_histogram(
        indptr, index.codes, index.post_ptr, index.post_runs, index.position, size_class, offsets, n_cells
    )


class _Index:
    """Both forms start from the used features only, so nothing here grows with d but one array of counts."""

    def __init__(self, indptr: IntArray, indices: IntArray, n_features: int) -> None:
        M = len(indptr) - 1
        counts = np.bincount(indices, minlength=n_features)
        used = np.flatnonzero(counts)
        self.codes = (np.cumsum(counts > 0) - 1)[indices] if len(indices) else indices
        h = counts[used].astype(np.float64)
        n_words = (len(used) + 63) // 64
        self.packed = n_words * M * M < 2.0 * float(h @ h)
        if self.packed:
            self.words = np.zeros((M, n_words), dtype=np.uint64)
            _pack(indptr, self.codes, self.words)
        else:
            self.post_ptr = np.zeros(len(used) + 1, dtype=np.int64)
            np.cumsum(counts[used], out=self.post_ptr[1:])
            self.post_runs = np.repeat(np.arange(M), np.diff(indptr))[np.argsort(self.codes, kind="stable")]
            self.position = self.post_ptr[:-1].copy()


@kernel
def _pack(indptr: IntArray, codes: IntArray, words: npt.NDArray[np.uint64]) -> None:
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            words[i, codes[e] >> 6] |= np.uint64(1) << np.uint64(codes[e] & 63)


@kernel
def _bits_histogram(words: npt.NDArray[np.uint64], size_class: IntArray, offsets: IntArray, n_cells: int) -> IntArray:
    M, n_words = words.shape
    cells = np.zeros(n_cells, dtype=np.int64)
    for i in range(M):
        a = size_class[i]
        for j in range(i + 1, M):
            shared = np.uint64(0)
            for w in range(n_words):
                shared += popcount(words[i, w] & words[j, w])
            b = size_class[j]
            cells[offsets[min(a, b), max(a, b)] + np.int64(shared)] += 1
    return cells


@kernel
def _bits_block(words: npt.NDArray[np.uint64], start: int, block: npt.NDArray[np.int32]) -> None:
    M, n_words = words.shape
    for a in range(len(block)):
        i = start + a
        for j in range(i + 1, M):
            shared = np.uint64(0)
            for w in range(n_words):
                shared += popcount(words[i, w] & words[j, w])
            block[a, j] = np.int32(shared)


@kernel
def _add_row(
    i: int,
    indptr: IntArray,
    codes: IntArray,
    post_ptr: IntArray,
    post_runs: IntArray,
    position: IntArray,
    shared: npt.NDArray[np.int32],
) -> None:
    """shared[j] += r_ij for j > i. Runs come in order, so position[f] already stands at run i in the list of f."""
    for e in range(indptr[i], indptr[i + 1]):
        f = codes[e]
        position[f] += 1
        for p in range(position[f], post_ptr[f + 1]):
            shared[post_runs[p]] += 1


@kernel
def _postings_histogram(
    indptr: IntArray,
    codes: IntArray,
    post_ptr: IntArray,
    post_runs: IntArray,
    position: IntArray,
    size_class: IntArray,
    offsets: IntArray,
    n_cells: int,
) -> IntArray:
    M = len(indptr) - 1
    cells = np.zeros(n_cells, dtype=np.int64)
    shared = np.zeros(M, dtype=np.int32)
    for i in range(M):
        _add_row(i, indptr, codes, post_ptr, post_runs, position, shared)
        a = size_class[i]
        for j in range(i + 1, M):
            b = size_class[j]
            cells[offsets[min(a, b), max(a, b)] + shared[j]] += 1
            shared[j] = 0
    return cells


@kernel
def _postings_block(
    indptr: IntArray,
    codes: IntArray,
    post_ptr: IntArray,
    post_runs: IntArray,
    position: IntArray,
    start: int,
    block: npt.NDArray[np.int32],
) -> None:
    for a in range(len(block)):
        _add_row(start + a, indptr, codes, post_ptr, post_runs, position, block[a])
