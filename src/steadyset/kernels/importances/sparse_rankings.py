"""Distances and correlations between sparse rankings, for all pairs of runs."""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel

PIECE = 8  # so short that sorting by insertion is quicker than merging


@kernel
def canberra_table(indptr: Ints, indices: Ints, ranks: Floats, rest: Floats, n_features: int) -> Floats:
    """sum_f |a_f - b_f| / (a_f + b_f) over the ranks of two runs; features that run i does not list rank rest[i]."""
    M = len(indptr) - 1
    table = np.full((M, M), np.nan)
    rank_in_i = np.zeros(n_features)  # 0 for what run i does not list
    met = np.full(n_features, -1, dtype=np.int64)  # the last pair whose second run lists the feature
    for i in range(M):
        for e in range(indptr[i], indptr[i + 1]):
            rank_in_i[indices[e]] = ranks[e]
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
        for e in range(indptr[i], indptr[i + 1]):
            rank_in_i[indices[e]] = 0.0
    return table


@kernel
def kendall_table(indptr: Ints, indices: Ints, levels: Ints, n_levels: Ints, n_features: int) -> Floats:
    """Kendall's tau-b of two runs; nan where all features of a run are tied.

    A run lists its features best first with their levels 0, 1, ... (equal when tied); what it does not list is tied on
    the level n_levels[i], behind all others. A pair of runs costs O(u log u), u the number of features that either
    lists: discordant pairs are the inversions of run j's levels in the order of run i (Knight 1966).
    """
    M = len(indptr) - 1
    table = np.full((M, M), np.nan)
    tie_in_i = np.full(n_features, -1, dtype=np.int64)  # where the feature's tie starts in run i, -1 if not listed
    next_place = np.empty(n_features, dtype=np.int64)
    sequence, spare = np.empty(n_features, dtype=np.int64), np.empty(n_features, dtype=np.int64)
    tied = np.empty(M, dtype=np.int64)
    for i in range(M):
        tied[i] = _tied_pairs(levels[indptr[i] : indptr[i + 1]], n_features)
    n_pairs = n_features * (n_features - 1) // 2
    for i in range(M):
        own = levels[indptr[i] : indptr[i + 1]]
        start = 0
        for e in range(len(own)):
            start = start if e and own[e] == own[e - 1] else e
            tie_in_i[indices[indptr[i] + e]] = start
        for j in range(i + 1, M):
            if tied[i] == n_pairs or tied[j] == n_pairs:
                continue
            theirs, levels_j = indices[indptr[j] : indptr[j + 1]], levels[indptr[j] : indptr[j + 1]]
            length = _levels_in_order(len(own), tie_in_i, theirs, levels_j, n_levels[j], next_place, sequence)
            tied_in_both = _tied_in_both(own, sequence, length, n_features)
            discordant = _inversions(sequence, spare, length)
            excess = n_pairs - tied[i] - tied[j] + tied_in_both - 2 * discordant
            table[i, j] = excess / np.sqrt(n_pairs - tied[i]) / np.sqrt(n_pairs - tied[j])
            table[j, i] = table[i, j]
        for e in range(indptr[i], indptr[i + 1]):
            tie_in_i[indices[e]] = -1
    return table


@kernel
def _tied_pairs(levels: Ints, n_features: int) -> int:
    """How many pairs of features are tied within one run."""
    n_rest = n_features - len(levels)
    pairs, length = n_rest * (n_rest - 1) // 2, 0
    for e in range(len(levels)):
        length = length + 1 if e and levels[e] == levels[e - 1] else 0
        pairs += length
    return pairs


@kernel
def _levels_in_order(
    n_own: int,
    tie_in_i: Ints,
    indices: Ints,
    levels: Ints,
    last_level: int,
    next_place: Ints,
    sequence: Ints,
) -> int:
    """Run j's levels of what either run lists, in the order of run i and ascending inside its ties; how many.

    Features come in the order of run j and go to the next free place of their tie in run i, so nothing is sorted. What
    only run i lists has the last level of run j and fills the places that stay free; what only run j lists comes last.
    """
    for place in range(n_own):
        next_place[place] = place
        sequence[place] = last_level
    length = n_own
    for e in range(len(indices)):
        tie = tie_in_i[indices[e]]
        if tie < 0:
            sequence[length] = levels[e]
            length += 1
        else:
            sequence[next_place[tie]] = levels[e]
            next_place[tie] += 1
    return length


@kernel
def _tied_in_both(own: Ints, sequence: Ints, length: int, n_features: int) -> int:
    """How many pairs of features both runs tie; what only run j lists and what neither lists is tied in run i."""
    n_rest = n_features - length
    pairs, run = n_rest * (n_rest - 1) // 2, 0
    for place in range(1, length):
        tied_in_i = own[place] == own[place - 1] if place < len(own) else place > len(own)
        run = run + 1 if tied_in_i and sequence[place] == sequence[place - 1] else 0
        pairs += run
    return pairs


@kernel
def _inversions(sequence: Ints, spare: Ints, length: int) -> int:
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
            for rest in range(left, middle):
                spare[place + rest - left] = sequence[rest]
            for rest in range(right, stop):
                spare[rest] = sequence[rest]
        sequence, spare = spare, sequence
        width *= 2
    return count


@kernel
def _sort_pieces(sequence: Ints, length: int) -> int:
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
