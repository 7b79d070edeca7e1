"""The most similarity that two distributions of importance can share: optimal transport between two small supports."""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel

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
    for x in range(root):
        depth[x] = 1
        _hang(x, root, parent, child, siblings)
    flow, price = np.zeros(root + 1), np.zeros(root + 1)
    for p in range(n):
        flow[p], price[p] = supply[p], DETOUR
    for q in range(m):
        flow[n + q] = demand[q]
    stack = np.empty(root + 1, dtype=np.int64)
    p, n_settled = 0, 0
    while n_settled < n:
        best, q = -ROUNDING, -1
        for y in range(m):
            reduced = 1.0 - similarity[p, y] - price[p] + price[n + y]
            if reduced < best:
                best, q = reduced, y
        if q < 0:
            n_settled += 1
        else:
            n_settled = 0
            top = _exchange(p, n + q, n, parent, depth, child, siblings, flow)
            _refresh_below(top, n, similarity, parent, depth, child, siblings, price, stack)
        p = p + 1 if p + 1 < n else 0
    return _moves(n, parent, flow)


@kernel
def _exchange(
    p: int,
    q: int,
    n: int,
    parent: Ints,
    depth: Ints,
    child: Ints,
    siblings: Ints,
    flow: Floats,
) -> int:
    """Push mass from source p to sink q around the cycle that this edge closes; the node that now hangs elsewhere.

    Mass runs out on the edges above sources on the side of p and above sinks on the side of q. Among those that run
    out together the last one seen from the top of the cycle leaves, going down to p, over to q and up again.
    """
    a, b, out_p, out_q = p, q, -1, -1
    least_p, least_q = np.inf, np.inf
    while a != b:
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
        _rehang(q, p, out_q, moved, parent, child, siblings, flow)
        return q
    _rehang(p, q, out_p, moved, parent, child, siblings, flow)
    return p


@kernel
def _rehang(
    x: int,
    above: int,
    out: int,
    moved: float,
    parent: Ints,
    child: Ints,
    siblings: Ints,
    flow: Floats,
) -> None:
    """Hang the branch of `out` below `above` by its node x; edges from x to `out` turn round and keep their mass."""
    while True:
        old_parent, old_flow = parent[x], flow[x]
        _take_down(x, parent, child, siblings)
        _hang(x, above, parent, child, siblings)
        flow[x] = moved
        if x == out:
            return
        above, moved, x = x, old_flow, old_parent


@kernel
def _refresh_below(
    top: int,
    n: int,
    similarity: Floats,
    parent: Ints,
    depth: Ints,
    child: Ints,
    siblings: Ints,
    price: Floats,
    stack: Ints,
) -> None:
    """Depths and prices below `top`. Prices come anew from the parent's, so rounding does not pile up over steps."""
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


@kernel
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


@kernel
def _hang(x: int, above: int, parent: Ints, child: Ints, siblings: Ints) -> None:
    parent[x] = above
    siblings[0, x] = -1
    siblings[1, x] = child[above]
    if child[above] >= 0:
        siblings[0, child[above]] = x
    child[above] = x


@kernel
def _take_down(x: int, parent: Ints, child: Ints, siblings: Ints) -> None:
    before, after = siblings[0, x], siblings[1, x]
    if before >= 0:
        siblings[1, before] = after
    else:
        child[parent[x]] = after
    if after >= 0:
        siblings[0, after] = before
