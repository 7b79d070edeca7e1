"""How alike features are: by products of rows and by mutual information.

The graph of similar features: which pairs of a block come near the threshold, and sums over similar pairs.

Normalised mutual information of features with few levels each, by counting bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from steadyset.kernels.arrays import Floats, Ints, Places, Words
from steadyset.kernels.jit import kernel, part
from steadyset.kernels.words import popcount


@kernel
def pairs_above(block: npt.NDArray[np.float32], low: float, first_row: int, first_column: int) -> tuple[Places, Places]:
    """The features f < g with |entry| >= low, row after row; the block starts at (first_row, first_column)."""
    found = np.zeros(block.shape[0], dtype=np.int64)
    # Counted first, then written: two passes over a block in the cache are quicker than a list that grows.
    limit = np.float32(low)
    for a in range(len(found)):
        for b in range(max(0, first_row + a + 1 - first_column), block.shape[1]):
            found[a] += abs(block[a, b]) >= limit
    f = np.empty(found.sum(), dtype=np.int32)
    g = np.empty(len(f), dtype=np.int32)
    n = 0
    for a in range(len(found)):
        if found[a] == 0:
            continue
        for b in range(max(0, first_row + a + 1 - first_column), block.shape[1]):
            if abs(block[a, b]) >= limit:
                f[n] = first_row + a
                g[n] = first_column + b
                n += 1
    return f, g


@kernel
def absolute_products(rows: Floats, f: Places, g: Places) -> Floats:
    """|rows[f] . rows[g]| for each listed pair, at most 1."""
    products = np.empty(len(f))
    for e in range(len(f)):
        x, y = rows[f[e]], rows[g[e]]
        total = 0.0
        for t in range(len(x)):
            total += x[t] * y[t]
        products[e] = min(1.0, abs(total))
    return products


@kernel
def graph_rows(f: Places, g: Places, values: Floats, n_features: int) -> tuple[Ints, Ints, Floats]:
    """Sparse rows of a graph whose edges are listed once each, f < g.

    Rows come out ascending when, for each feature, its edges are listed by ascending partner: so they are when blocks
    of the upper triangle are walked row after row.
    """
    indptr = np.zeros(n_features + 1, dtype=np.int64)
    for e in range(len(f)):
        indptr[f[e] + 1] += 1
        indptr[g[e] + 1] += 1
    for x in range(n_features):
        indptr[x + 1] += indptr[x]
    place = indptr[:-1].copy()
    indices = np.empty(2 * len(f), dtype=np.int64)
    weights = np.empty(2 * len(f))
    for e in range(len(f)):
        for x, y in ((f[e], g[e]), (g[e], f[e])):
            indices[place[x]] = y
            weights[place[x]] = values[e]
            place[x] += 1
    return indptr, indices, weights


@kernel
def scatter_of_neighbours(
    run_indptr: Ints,
    run_indices: Ints,
    counts: Ints,
    indptr: Ints,
    indices: Ints,
    values: Floats,
) -> float:
    """Sum over neighbours f, g of c(f,g) (M n_fg - h_f h_g): n_fg runs select both, h_f and h_g select either."""
    M = len(run_indptr) - 1
    member = np.full(len(counts), -1, dtype=np.int64)
    both = 0.0
    for i in range(M):
        chosen = run_indices[run_indptr[i] : run_indptr[i + 1]]
        for f in chosen:
            member[f] = i
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


class LevelTable(NamedTuple):
    """Features with few levels: of feature f and level v the rows that have it, as bits, and how many they are.

    The entropy of a feature is ln n - sums[f] / n with sums[f] = sum_v c ln c over its counts c.
    """

    bits: Words  # features x levels x words of 64 rows
    counts: Ints
    n_levels: Ints
    sums: Floats
    xlogx: Floats  # c ln c of c = 0, ..., n


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
def mutual_block(table: LevelTable, rows: Ints, columns: Ints) -> Floats:
    """The normalised mutual information of each feature in rows with each in columns."""
    block = np.empty((len(rows), len(columns)))
    for a in range(len(rows)):
        for b in range(len(columns)):
            block[a, b] = _mutual(table, rows[a], columns[b])
    return block


@kernel
def mutual_pairs(table: LevelTable, f: Ints, g: Ints) -> Floats:
    """The normalised mutual information of each listed pair."""
    values = np.empty(len(f))
    for e in range(len(f)):
        values[e] = _mutual(table, f[e], g[e])
    return values


@part
def _mutual(table: LevelTable, f: np.int64, g: np.int64) -> float:
    bits, counts, n_levels, sums, xlogx = table
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
        # The last level has the rows that are left over: one count less per level of f.
        joint += xlogx[left]
    shared = xlogx[n] + joint - sums[f] - sums[g]
    return float(min(1.0, max(0.0, shared / np.sqrt((xlogx[n] - sums[f]) * (xlogx[n] - sums[g])))))
