"""Matchings in a bipartite graph: one of maximum size, and the one that takes the first edges first."""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Ints
from steadyset.kernels.jit import kernel, part


@kernel
def maximum_matching(start: Ints, ends: Ints, n_right: int | np.int64) -> int:
    """The size of a maximum matching; left node x has the right neighbours ends[start[x] : start[x + 1]].

    Augmenting paths by depth-first search in phases: within a phase no right node is entered twice, and a phase
    without a path ends the search (Pothen and Fan 1990).
    """
    n_left = len(start) - 1
    left_of = np.full(n_right, -1, dtype=np.int64)
    right_of = np.full(n_left, -1, dtype=np.int64)
    size = 0
    # A greedy start finds most of a maximum matching; the search has to mend the rest only.
    for x in range(n_left):
        for e in range(start[x], start[x + 1]):
            if left_of[ends[e]] < 0:
                left_of[ends[e]] = x
                right_of[x] = ends[e]
                size += 1
                break
    # Marked with the number of the phase, so that nothing is cleared between phases.
    entered = np.full(n_right, -1, dtype=np.int64)
    path = np.empty(n_left, dtype=np.int64)
    position = np.empty(n_left, dtype=np.int64)
    phase, found = np.int64(0), 1
    while found > 0 and size < min(n_left, n_right):
        found = 0
        for x in range(n_left):
            if right_of[x] < 0 and _augment(x, start, ends, left_of, right_of, entered, phase, path, position):
                found += 1
        size += found
        phase += 1
    return size


@part
def _augment(
    root: int,
    start: Ints,
    ends: Ints,
    left_of: Ints,
    right_of: Ints,
    entered: Ints,
    phase: int | np.int64,
    path: Ints,
    position: Ints,
) -> bool:
    """Walk free left node `root` to a free right node, swapping matched and free edges; position[x]: edges tried."""
    depth = 0
    path[0] = root
    position[0] = start[root]
    while depth >= 0:
        x = path[depth]
        if position[depth] == start[x + 1]:
            depth -= 1
            continue
        y = ends[position[depth]]
        position[depth] += 1
        if entered[y] == phase:
            continue
        entered[y] = phase
        if left_of[y] >= 0:
            depth += 1
            path[depth] = left_of[y]
            position[depth] = start[left_of[y]]
            continue
        # A free node is reached: along the path free edges become matched ones and the other way round, one more than
        # before.
        for level in range(depth, -1, -1):
            x = path[level]
            y = ends[position[level] - 1]
            left_of[y] = x
            right_of[x] = y
        return True
    return False


@kernel
def greedy_matching(start: Ints, ends: Ints, rank: Ints, n_right: int | np.int64) -> int:
    """The size of the matching that takes edges by increasing rank, skipping those that share an end with one taken."""
    owner = np.empty(len(ends), dtype=np.int64)
    for x in range(len(start) - 1):
        owner[start[x] : start[x + 1]] = x
    left_free = np.ones(len(start) - 1, dtype=np.bool_)
    right_free = np.ones(n_right, dtype=np.bool_)
    size = 0
    for e in np.argsort(rank):
        if left_free[owner[e]] and right_free[ends[e]]:
            left_free[owner[e]] = False
            right_free[ends[e]] = False
            size += 1
    return size
