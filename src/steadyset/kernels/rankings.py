"""Distances and correlations between sparse rankings, for all pairs of runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steadyset.kernels.jit import kernel

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
PIECE = 8  # so short that sorting by insertion is quicker than merging


@kernel
def canberra_table(
    indptr: IntArray, indices: IntArray, ranks: FloatArray, rest: FloatArray, n_features: int
) -> FloatArray:
    """sum_f |a_f - b_f| / (a_f + b_f) over the ranks of two runs; features that run i does not list rank rest[i]."""
    M = len(indptr) - 1
    table = np.full((M, M), np.nan)
    rank_in_i = np.zeros(n_features)  # 0 for what run i does not list
    met = np.full(n_features, -1, dtype=np.int64)  # the last pair whose second run lists the feature
    for i in range(M):
        own = slice(indptr[i], indptr[i + 1])
        rank_in_i[indices[own]] = ranks[own]
        for j in range(i + 1, M):
            pair = i * M + j
            total, n_either = 0.0, indptr[i + 1] - indptr[i]
            for e in range(indptr[j], indptr[j + 1]):
                f, b = indices[e], ranks[e]
                a = rank_in_i[f]
                if a == 0.0:
                    a = rest[i]
                    n_either += 1
                met[f] = pair
                total += abs(a - b) / (a + b)
            for e in range(indptr[i], indptr[i + 1]):
                if met[indices[e]] != pair:
                    total += abs(ranks[e] - rest[j]) / (ranks[e] + rest[j])
            total += (n_features - n_either) * abs(rest[i] - rest[j]) / (rest[i] + rest[j])
            table[i, j] = table[j, i] = total
        rank_in_i[indices[own]] = 0.0
    return table


@kernel
def kendall_table(
    indptr: IntArray, indices: IntArray, levels: IntArray, n_levels: IntArray, n_features: int
) -> FloatArray:
    """Kendall's tau-b of two runs; nan where all features of a run are tied.

    A run lists its features best first with their levels 0, 1, ... (equal when tied); what it does not list is tied on
    the level n_levels[i], behind all others. A pair of runs costs O(u log u), u the number of features that either
    lists: discordant pairs are the inversions of run j's levels in the order of run i (Knight 1966).
    """
    M = len(indptr) - 1
    table = np.full((M, M), np.nan)
    level_in_j = np.full(n_features, -1, dtype=np.int64)  # -1 for what run j does not list
    met = np.full(n_features, -1, dtype=np.int64)  # the last run i that lists the feature
    tied = np.array([_tied_pairs(levels[indptr[i] : indptr[i + 1]], n_features) for i in range(M)])
    n_pairs = n_features * (n_features - 1) // 2
    sequence, spare = np.empty(n_features, dtype=np.int64), np.empty(n_features, dtype=np.int64)
    for j in range(M):
        for e in range(indptr[j], indptr[j + 1]):
            level_in_j[indices[e]] = levels[e]
        for i in range(j):
            if tied[i] == n_pairs or tied[j] == n_pairs:
                continue
            length = _levels_in_order(i, j, indptr, indices, levels, n_levels, level_in_j, met, j * M + i, sequence)
            tied_in_both = _sort_within_ties(indptr[i], indptr[i + 1], levels, length, n_features, sequence)
            discordant = _inversions(sequence, spare, length)
            excess = n_pairs - tied[i] - tied[j] + tied_in_both - 2 * discordant
            table[i, j] = excess / np.sqrt(n_pairs - tied[i]) / np.sqrt(n_pairs - tied[j])
            table[j, i] = table[i, j]
        for e in range(indptr[j], indptr[j + 1]):
            level_in_j[indices[e]] = -1
    return table


@kernel
def _tied_pairs(levels: IntArray, n_features: int) -> int:
    """How many pairs of features are tied within one run."""
    n_rest = n_features - len(levels)
    pairs, length = n_rest * (n_rest - 1) // 2, 0
    for e in range(len(levels)):
        length = length + 1 if e and levels[e] == levels[e - 1] else 0
        pairs += length
    return pairs


@kernel
def _levels_in_order(
    i: int,
    j: int,
    indptr: IntArray,
    indices: IntArray,
    levels: IntArray,
    n_levels: IntArray,
    level_in_j: IntArray,
    met: IntArray,
    pair: int,
    sequence: IntArray,
) -> int:
    """Run j's levels of what either run lists: first what run i lists, in its order, then the others; how many."""
    length = 0
    for e in range(indptr[i], indptr[i + 1]):
        f = indices[e]
        met[f] = pair
        sequence[length] = level_in_j[f] if level_in_j[f] >= 0 else n_levels[j]
        length += 1
    for e in range(indptr[j], indptr[j + 1]):
        if met[indices[e]] != pair:
            sequence[length] = levels[e]
            length += 1
    return length


@kernel
def _sort_within_ties(begin: int, end: int, levels: IntArray, length: int, n_features: int, sequence: IntArray) -> int:
    """Sort the sequence inside each tie of run i, where order means nothing; how many pairs both runs tie.

    What neither run lists is tied in both and comes last in both, so it needs no place in the sequence.
    """
    n_rest = n_features - length
    pairs = n_rest * (n_rest - 1) // 2
    start = 0
    while start < length:
        stop = length
        if start < end - begin:
            stop = start + 1
            while stop < end - begin and levels[begin + stop] == levels[begin + start]:
                stop += 1
        if stop - start > 1:
            sequence[start:stop].sort()
            run = 0
            for e in range(start + 1, stop):
                run = run + 1 if sequence[e] == sequence[e - 1] else 0
                pairs += run
        start = stop
    return pairs


@kernel
def _inversions(sequence: IntArray, spare: IntArray, length: int) -> int:
    """How many pairs stand in strictly falling order: merge sort from short sorted pieces; both arrays are used up."""
    count = _sort_pieces(sequence, length)
    width = PIECE
    while width < length:
        for start in range(0, length, 2 * width):
            middle, stop = min(start + width, length), min(start + 2 * width, length)
            left, right, place = start, middle, start
            while left < middle and right < stop:
                # Arithmetic instead of a branch, which would be guessed wrong half of the time.
                falls = int(sequence[right] < sequence[left])
                spare[place] = sequence[right] if falls else sequence[left]
                count += falls * (middle - left)
                right += falls
                left += 1 - falls
                place += 1
            spare[place : place + middle - left] = sequence[left:middle]
            spare[right:stop] = sequence[right:stop]
        sequence, spare = spare, sequence
        width *= 2
    return count


@kernel
def _sort_pieces(sequence: IntArray, length: int) -> int:
    """Sort each PIECE of the sequence by insertion; how many pairs inside them stood in falling order."""
    count = 0
    for start in range(0, length, PIECE):
        for place in range(start + 1, min(start + PIECE, length)):
            level, hole = sequence[place], place
            while hole > start and sequence[hole - 1] > level:
                sequence[hole] = sequence[hole - 1]
                hole -= 1
            sequence[hole] = level
            count += place - hole
    return count
