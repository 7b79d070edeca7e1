"""Distances of importances: optimal transport, and rankings of which most places are empty.

The most similarity that two distributions of importance can share: optimal transport between two small supports.

Distances and correlations between sparse rankings, for all pairs of runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, part

ROUNDING = 1e-12  # costs are between 0 and 1; a reduced cost nearer to 0 is no improvement
DETOUR = 2.0  # dearer than any direct way, so nothing goes over the root in the end


@kernel
def shared_masses(
    first: int,
    n_rows: int,
    indptr: Ints,
    mass: Floats,
    row_code: Ints,
    column_code: Ints,
    similarity: Floats,
) -> Floats:
    """shared[a, j] for the runs i = first + a and j > i: the most similarity that they share; nan where one is empty.

    Entry e of a run is row row_code[e] of `similarity` when the run is the first of a pair and column column_code[e]
    when it is the second. Masses are positive and those of a run sum to 1.
    """
    M = len(indptr) - 1
    shared = np.full((n_rows, M), np.nan)
    for a in range(n_rows):
        i = first + a
        rows = row_code[indptr[i] : indptr[i + 1]]
        mass_i = mass[indptr[i] : indptr[i + 1]]
        for j in range(i + 1, M):
            columns = column_code[indptr[j] : indptr[j + 1]]
            if len(rows) == 0 or len(columns) == 0:
                continue
            block = np.empty((len(rows), len(columns)))
            for p in range(len(rows)):
                for q in range(len(columns)):
                    block[p, q] = similarity[rows[p], columns[q]]
            source, sink, moved = transport_plan(mass_i, mass[indptr[j] : indptr[j + 1]], block)
            total = 0.0
            for e in range(len(moved)):
                total += moved[e] * block[source[e], sink[e]]
            shared[a, j] = total
    return shared


class _Tree(NamedTuple):
    """The basis, over n sources, then m sinks, then the root: of each node its parent, its depth, its first child, its
    neighbours among the children of its parent (-1: none), and the mass on the edge to its parent."""

    parent: Ints
    depth: Ints
    child: Ints
    siblings: Ints
    flow: Floats


@kernel
def transport_plan(supply: Floats, demand: Floats, similarity: Floats) -> tuple[Ints, Ints, Floats]:
    """(source, sink, moved): the at most n + m - 1 moves of mass with the largest sum of similarity x moved.

    Both sides are positive and have the same sum, and similarities are in [0, 1], so all mass moves. This is the
    network simplex method for the costs 1 - similarity. The basis is a tree over the n sources, the m sinks and a root
    that stands for costly detours; it starts as the star of detours, which needs no search for a feasible start. Each
    node keeps the mass on the edge to its parent. Sources are looked at in turn and their best sink enters. The
    leaving edge is chosen so that the tree stays strongly feasible (Cunningham 1976), which rules out cycling where
    masses are equal.
    """
    n, m = similarity.shape
    root = n + m
    parent, depth = np.full(root + 1, -1, dtype=np.int64), np.zeros(root + 1, dtype=np.int64)
    child, siblings = np.full(root + 1, -1, dtype=np.int64), np.full((2, root + 1), -1, dtype=np.int64)
    tree, price = _Tree(parent, depth, child, siblings, np.zeros(root + 1)), np.zeros(root + 1)
    for x in range(root):
        depth[x] = 1
        _hang(x, root, tree)
    for p in range(n):
        tree.flow[p], price[p] = supply[p], DETOUR
    for q in range(m):
        tree.flow[n + q] = demand[q]
    stack = np.empty(root + 1, dtype=np.int64)
    p, n_settled = 0, 0
    while n_settled < n:
        # Not the best of all edges but the best of one source: a step then looks at m costs instead of n m, and the few
        # more steps that it takes cost less.
        best, q = -ROUNDING, -1
        for y in range(m):
            reduced = 1.0 - similarity[p, y] - price[p] + price[n + y]
            if reduced < best:
                best, q = reduced, y
        if q < 0:
            n_settled += 1
        else:
            n_settled = 0
            _refresh_below(_exchange(p, n + q, n, tree), n, similarity, tree, price, stack)
        p = p + 1 if p + 1 < n else 0
    return _moves(n, parent, tree.flow)


@part
def _exchange(p: int, q: int, n: int, tree: _Tree) -> int:
    """Push mass from source p to sink q around the cycle that this edge closes; the node that now hangs elsewhere.

    Mass runs out on the edges above sources on the side of p and above sinks on the side of q. Among those that run
    out together the last one seen from the top of the cycle leaves, going down to p, over to q and up again.
    """
    parent, depth, flow = tree.parent, tree.depth, tree.flow
    a, b, out_p, out_q = p, q, -1, -1
    least_p, least_q = np.inf, np.inf
    while a != b:
        # Of equals on the side of p the first on the way up is kept (<), on the side of q the last (<=), and q goes
        # first at the end: together that is the rule that keeps the tree strongly feasible.
        if depth[a] >= depth[b]:
            if a < n and flow[a] < least_p:
                least_p, out_p = flow[a], a
            a = parent[a]
        else:
            if b >= n and flow[b] <= least_q:
                least_q, out_q = flow[b], b
            b = parent[b]
    moved = min(least_p, least_q)
    x = p
    while x != a:
        flow[x] += -moved if x < n else moved
        x = parent[x]
    x = q
    while x != a:
        flow[x] += -moved if x >= n else moved
        x = parent[x]
    if least_q <= least_p:
        _rehang(q, p, out_q, moved, tree)
        return q
    _rehang(p, q, out_p, moved, tree)
    return p


@part
def _rehang(x: int, above: int, out: int, moved: float, tree: _Tree) -> None:
    """Hang the branch of `out` below `above` by its node x; edges from x to `out` turn round and keep their mass."""
    while True:
        old_parent, old_flow = tree.parent[x], tree.flow[x]
        _take_down(x, tree)
        _hang(x, above, tree)
        tree.flow[x] = moved
        if x == out:
            return
        above, moved, x = x, old_flow, old_parent


@part
def _refresh_below(top: int, n: int, similarity: Floats, tree: _Tree, price: Floats, stack: Ints) -> None:
    """Depths and prices below `top`. Prices come anew from the parent's, so rounding does not pile up over steps."""
    parent, depth, child, siblings, _ = tree
    root = len(parent) - 1
    stack[0] = top
    size = 1
    while size:
        size -= 1
        x = stack[size]
        y = parent[x]
        depth[x] = depth[y] + 1
        if x < n:
            price[x] = price[y] + (DETOUR if y == root else 1.0 - similarity[x, y - n])
        else:
            price[x] = price[y] - (0.0 if y == root else 1.0 - similarity[y, x - n])
        below = child[x]
        while below >= 0:
            stack[size] = below
            size += 1
            below = siblings[1, below]


@part
def _moves(n: int, parent: Ints, flow: Floats) -> tuple[Ints, Ints, Floats]:
    root = len(parent) - 1
    source, sink, moved = np.empty(root, dtype=np.int64), np.empty(root, dtype=np.int64), np.empty(root)
    size = 0
    for x in range(root):
        if parent[x] != root and flow[x] > 0.0:
            source[size], sink[size] = min(x, parent[x]), max(x, parent[x]) - n
            moved[size] = flow[x]
            size += 1
    return source[:size], sink[:size], moved[:size]


@part
def _hang(x: int, above: int, tree: _Tree) -> None:
    parent, _, child, siblings, _ = tree
    parent[x] = above
    siblings[0, x] = -1
    siblings[1, x] = child[above]
    if child[above] >= 0:
        siblings[0, child[above]] = x
    child[above] = x


@part
def _take_down(x: int, tree: _Tree) -> None:
    parent, _, child, siblings, _ = tree
    before, after = siblings[0, x], siblings[1, x]
    if before >= 0:
        siblings[1, before] = after
    else:
        child[parent[x]] = after
    if after >= 0:
        siblings[0, after] = before


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
            # What neither run lists has the same two ranks everywhere: one term, however many features there are.
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
            # Concordant less discordant: pairs that neither run ties are either, and those tied in both were taken off
            # twice.
            excess = n_pairs - tied[i] - tied[j] + tied_in_both - 2 * discordant
            table[i, j] = excess / np.sqrt(n_pairs - tied[i]) / np.sqrt(n_pairs - tied[j])
            table[j, i] = table[i, j]
        for e in range(indptr[i], indptr[i + 1]):
            tie_in_i[indices[e]] = -1
    return table


@part
def _tied_pairs(levels: Ints, n_features: int) -> int:
    """How many pairs of features are tied within one run."""
    n_rest = n_features - len(levels)
    pairs, length = n_rest * (n_rest - 1) // 2, 0
    for e in range(len(levels)):
        length = length + 1 if e and levels[e] == levels[e - 1] else 0
        pairs += length
    return pairs


@part
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


@part
def _tied_in_both(own: Ints, sequence: Ints, length: int, n_features: int) -> int:
    """How many pairs of features both runs tie; what only run j lists and what neither lists is tied in run i."""
    n_rest = n_features - length
    pairs, run = n_rest * (n_rest - 1) // 2, 0
    for place in range(1, length):
        tied_in_i = own[place] == own[place - 1] if place < len(own) else place > len(own)
        run = run + 1 if tied_in_i and sequence[place] == sequence[place - 1] else 0
        pairs += run
    return pairs


@part
def _inversions(sequence: Ints, spare: Ints, length: int) -> int:
    """How many pairs stand in strictly falling order: merge sort; both arrays are used up."""
    count, width = 0, 1
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
