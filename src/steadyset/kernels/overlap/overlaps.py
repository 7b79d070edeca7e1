"""How two sets of features overlap when similar features count as alike: for pairs of runs and for random sets.

A neighbour graph holds for each feature the others that are similar enough, with their similarities. What is told of
two sets s_i and s_j are the columns SHARED .. MATCHED; c(x, y) is the similarity and only neighbours count:

    shared       r = |s_i n s_j|
    covered_i    A_ij: features of s_i \\ s_j with a neighbour in s_j \\ s_i; covered_j with i and j exchanged
    mean_i       B_ij: sum over those features of the mean c to these neighbours; mean_j likewise
    reached_i    O_ij: features of s_i \\ s_j with a neighbour in s_j; reached_j likewise
    weight_i     sum of c(x, y) over x in s_i, y in s_j \\ s_i; weight_j likewise
    greedy       pairs taken from the most similar downwards, each feature once
    matched      size of a maximum matching between s_i \\ s_j and s_j \\ s_i

The last two are nan unless they are asked for.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, part
from steadyset.kernels.overlap.matching import greedy_matching, maximum_matching
from steadyset.kernels.words import random_subset, stream

Int = int | np.int64  # counters start as np.int64(0): a plain 0 makes numba compile a second version for the literal

COLUMNS = (
    "shared",
    "covered_i",
    "covered_j",
    "mean_i",
    "mean_j",
    "reached_i",
    "reached_j",
    "weight_i",
    "weight_j",
    "greedy",
    "matched",
)
N_COLUMNS = len(COLUMNS)


class Graph(NamedTuple):
    """Neighbours of feature x: indices[indptr[x] : indptr[x + 1]], with their similarities and the rank of each edge.

    Both directions of an edge are there. `rank` orders the edges for the greedy choice: the most similar first, among
    equals the one with the smaller first feature, then the smaller second. Empty when no greedy choice is wanted.
    """

    indptr: Ints
    indices: Ints
    values: Floats
    rank: Ints


def edge_ranks(indptr: Ints, indices: Ints, values: Floats) -> Ints:
    """The place of each stored edge in the order of the greedy choice; the two directions are next to each other."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((np.maximum(rows, indices), np.minimum(rows, indices), -values))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


@kernel
def pair_overlaps(
    indptr: Ints, indices: Ints, first: Ints, second: Ints, graph: Graph, greedy: bool, matched: bool
) -> Floats:
    """The columns for the pairs of sets first[p] and second[p]; set x is indices[indptr[x] : indptr[x + 1]]."""
    table = np.empty((len(first), N_COLUMNS))
    work = _workspace(len(graph.indptr) - 1)
    size_i = since = np.int64(0)
    for p in range(len(first)):
        i, j = first[p], second[p]
        if p == 0 or i != first[p - 1]:
            size_i, since = indptr[i + 1] - indptr[i], np.int64(p)
            for t in range(size_i):
                work.s_i[t] = indices[indptr[i] + t]
                work.in_i[work.s_i[t]] = p
        for e in range(indptr[j], indptr[j + 1]):
            work.in_j[indices[e]] = p
        _overlap(size_i, since, np.int64(p), graph, work, greedy, matched, table[p])
    return table


@kernel
def random_overlaps(
    size_i: int, size_j: int, graph: Graph, first_draw: int, n_draws: int, seed: int, greedy: bool, matched: bool
) -> Floats:
    """The columns for independent uniform sets of these sizes, one pair per draw."""
    d = len(graph.indptr) - 1
    table = np.empty((n_draws, N_COLUMNS))
    work = _workspace(d)
    s_j = np.empty(size_j, dtype=np.int64)
    for t in range(n_draws):
        state = stream(seed, first_draw + t)
        state = random_subset(state, size_i, d, work.in_i, t, work.s_i)
        random_subset(state, size_j, d, work.in_j, t, s_j)
        _overlap(size_i, t, t, graph, work, greedy, matched, table[t])
    return table


def all_overlaps(features: Ints, size_i: int, size_j: int, graph: Graph, greedy: bool, matched: bool) -> Floats:
    """The columns for every pair of subsets of `features` with these sizes."""
    subsets = [np.array([*combinations(features.tolist(), size)], np.int64) for size in (size_i, size_j)]
    n_i, n_j = map(len, subsets)
    ends = np.cumsum(np.repeat([0, size_i, size_j], [1, n_i, n_j]))
    first, second = np.repeat(np.arange(n_i), n_j), np.tile(np.arange(n_i, n_i + n_j), n_i)
    return pair_overlaps(ends, np.concatenate([*map(np.ravel, subsets)]), first, second, graph, greedy, matched)


class _Workspace(NamedTuple):
    """Arrays that serve one pair after the other: over features, where stamps tell who is in a set, and over members.

    touched: the features of s_j \\ s_i that are neighbours of s_i, and place[y] where y is among them (-1: it is not);
    n_near, sum_near: how many neighbours these have in s_i \\ s_j, and their similarities; open_i: the features of
    s_i \\ s_j with neighbours in s_j \\ s_i.
    """

    in_i: Ints
    in_j: Ints
    place: Ints
    s_i: Ints
    open_i: Ints
    touched: Ints
    n_near: Ints
    sum_near: Floats


@kernel
def _workspace(d: int) -> _Workspace:
    return _Workspace(
        np.full(d, -1, dtype=np.int64),
        np.full(d, -1, dtype=np.int64),
        np.full(d, -1, dtype=np.int64),
        np.empty(d, dtype=np.int64),
        np.empty(d, dtype=np.int64),
        np.empty(d, dtype=np.int64),
        np.empty(d, dtype=np.int64),
        np.empty(d, dtype=np.float64),
    )


@part
def _overlap(
    size_i: Int,
    stamp_i: Int,
    stamp_j: Int,
    graph: Graph,
    work: _Workspace,
    greedy: bool,
    matched: bool,
    row: Floats,
) -> None:
    """Fill one row. Each edge between the sets is met once, from its end in s_i."""
    shared = covered_i = reached_i = n_touched = n_edges = np.int64(0)
    mean_i = weight_i = weight_j = 0.0
    for x in work.s_i[:size_i]:
        x_shared = work.in_j[x] == stamp_j
        shared += x_shared
        reached = False
        n_near, sum_near = 0, 0.0
        for e in range(graph.indptr[x], graph.indptr[x + 1]):
            y = graph.indices[e]
            if work.in_j[y] != stamp_j:
                continue
            reached = True
            c = graph.values[e]
            if not x_shared:
                weight_j += c
            if work.in_i[y] == stamp_i:
                continue
            weight_i += c
            # Numbered when first met, so that what is kept for a pair is as short as its overlap, and not as the
            # universe.
            p = work.place[y]
            if p < 0:
                p = n_touched
                work.place[y] = p
                work.touched[p] = y
                work.n_near[p] = 0
                work.sum_near[p] = 0.0
                n_touched += 1
            if not x_shared:
                n_near += 1
                sum_near += c
                work.n_near[p] += 1
                work.sum_near[p] += c
        if not x_shared:
            reached_i += reached
            if n_near > 0:
                work.open_i[covered_i] = x
                covered_i += 1
                n_edges += n_near
                mean_i += sum_near / n_near
    covered_j, mean_j = 0, 0.0
    for p in range(n_touched):
        if work.n_near[p] > 0:
            covered_j += 1
            mean_j += work.sum_near[p] / work.n_near[p]
    row[0], row[1], row[2] = shared, covered_i, covered_j
    row[3], row[4] = mean_i, mean_j
    row[5], row[6] = reached_i, n_touched
    row[7], row[8] = weight_i, weight_j
    row[9] = row[10] = np.nan
    if greedy or matched:
        if n_edges in (covered_i, covered_j):  # stars: each centre is matched once, in whatever order
            row[9] = np.minimum(covered_i, covered_j) if greedy else np.nan
            row[10] = np.minimum(covered_i, covered_j) if matched else np.nan
        else:
            start, ends, rank = _edges(covered_i, n_edges, stamp_i, stamp_j, graph, work, greedy)
            if greedy:
                row[9] = greedy_matching(start, ends, rank, n_touched)
            if matched:
                row[10] = maximum_matching(start, ends, n_touched)
    for y in work.touched[:n_touched]:
        work.place[y] = -1


@part
def _edges(
    n_open: Int, n_edges: Int, stamp_i: Int, stamp_j: Int, graph: Graph, work: _Workspace, ranked: bool
) -> tuple[Ints, Ints, Ints]:
    """The bipartite graph between s_i \\ s_j and s_j \\ s_i, its nodes numbered in the order they were met."""
    start = np.zeros(n_open + 1, dtype=np.int64)
    ends = np.empty(n_edges, dtype=np.int64)
    rank = np.empty(n_edges if ranked else 0, dtype=np.int64)
    at = 0
    for a in range(n_open):
        x = work.open_i[a]
        for e in range(graph.indptr[x], graph.indptr[x + 1]):
            y = graph.indices[e]
            if work.in_j[y] == stamp_j and work.in_i[y] != stamp_i:
                ends[at] = work.place[y]
                if ranked:
                    rank[at] = graph.rank[e]
                at += 1
        start[a + 1] = at
    return start, ends, rank
