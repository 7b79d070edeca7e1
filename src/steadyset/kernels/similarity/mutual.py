"""Normalised mutual information of features with few levels each, by counting bits.

A table of features is told by four arrays: bits[f, v] marks the rows in which feature f has level v, 64 to a word;
counts[f, v] is how many they are; n_levels[f] how many levels feature f has; and sums[f] = sum_v c ln c over its
counts c, so that its entropy is ln n - sums[f] / n.
"""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Floats, Ints, Words
from steadyset.kernels.bits import popcount
from steadyset.kernels.jit import kernel


@kernel
def pack_levels(levels: Ints, n_levels: int) -> tuple[Words, Ints]:
    """bits and counts of a features x rows table of levels 0, 1, ..., n_levels - 1."""
    d, n = levels.shape
    bits = np.zeros((d, n_levels, (n + 63) // 64), dtype=np.uint64)
    counts = np.zeros((d, n_levels), dtype=np.int64)
    for f in range(d):
        for t in range(n):
            bits[f, levels[f, t], t >> 6] |= np.uint64(1) << np.uint64(t & 63)
            counts[f, levels[f, t]] += 1
    return bits, counts


@kernel
def mutual_block(
    bits: Words,
    counts: Ints,
    n_levels: Ints,
    sums: Floats,
    xlogx: Floats,
    rows: Ints,
    columns: Ints,
) -> Floats:
    """The normalised mutual information of each feature in rows with each in columns; xlogx[c] = c ln c."""
    block = np.empty((len(rows), len(columns)))
    for a in range(len(rows)):
        for b in range(len(columns)):
            block[a, b] = _mutual(bits, counts, n_levels, sums, xlogx, rows[a], columns[b])
    return block


@kernel
def mutual_pairs(bits: Words, counts: Ints, n_levels: Ints, sums: Floats, xlogx: Floats, f: Ints, g: Ints) -> Floats:
    """The normalised mutual information of each listed pair."""
    values = np.empty(len(f))
    for e in range(len(f)):
        values[e] = _mutual(bits, counts, n_levels, sums, xlogx, f[e], g[e])
    return values


@kernel
def _mutual(bits: Words, counts: Ints, n_levels: Ints, sums: Floats, xlogx: Floats, f: np.int64, g: np.int64) -> float:
    n, n_words = len(xlogx) - 1, bits.shape[2]
    if n_levels[f] < 2 or n_levels[g] < 2:
        return 0.0
    joint = 0.0
    for u in range(n_levels[f]):
        left = counts[f, u]
        for v in range(n_levels[g] - 1):
            both = np.uint64(0)
            for w in range(n_words):
                both += popcount(bits[f, u, w] & bits[g, v, w])
            left -= np.int64(both)
            joint += xlogx[np.int64(both)]
        joint += xlogx[left]
    shared = xlogx[n] + joint - sums[f] - sums[g]
    return float(min(1.0, max(0.0, shared / np.sqrt((xlogx[n] - sums[f]) * (xlogx[n] - sums[g])))))
