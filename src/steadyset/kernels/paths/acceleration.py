"""Anderson acceleration of steps that a factor of an earlier point makes: the last few steps foretell the next.

Of the memory of a run, `turns` holds the changes of L^-1 q from step to step and `moves` those of the coefficients.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, summing_kernel
from steadyset.kernels.linear.products import add_multiple, leading_dot
from steadyset.kernels.paths.active_set import crossing
from steadyset.kernels.paths.gram_factor import solve_lower, solve_upper
from steadyset.kernels.paths.path_arrays import Active

MEMORY = 3


@kernel
def forget(steps: Ints) -> None:
    """The active set or its factor has changed: nothing foretells the next step."""
    steps[0] = -1


@summing_kernel
def accelerated(active: Active, q: Floats, direction: Floats, steps: Ints, past: Floats) -> None:
    """The step for the slopes q by the factor of the active set, improved by those before it.

    steps[0] counts the steps that are remembered, -1 where there is not even a last one. past has 2 MEMORY + 2 rows:
    turns, moves, the last L^-1 q and the last coefficients. The plain step is kept where the other would change a sign.
    """
    m = active.size[0]
    turns, moves, last, before = past[:MEMORY], past[MEMORY : 2 * MEMORY], past[2 * MEMORY], past[2 * MEMORY + 1]
    for a in range(m):
        direction[a] = q[a]
    solve_lower(active.L, direction, m)
    if steps[0] >= 0:
        place = steps[0] % MEMORY
        for a in range(m):
            turns[place, a] = direction[a] - last[a]
            moves[place, a] = active.coef[a] - before[a]
    for a in range(m):
        last[a] = direction[a]
        before[a] = active.coef[a]
    steps[0] += 1
    known = min(steps[0], MEMORY)
    shares = np.empty(MEMORY)
    if known == 0 or not _fitted(turns, direction, known, m, shares):
        solve_upper(active.L, direction, m)
        return
    for k in range(known):
        add_multiple(-shares[k], turns[k], direction, m)
    solve_upper(active.L, direction, m)
    for k in range(known):
        add_multiple(-shares[k], moves[k], direction, m)
    if crossing(active, direction)[1] >= 0:
        forget(steps)
        for a in range(m):
            direction[a] = last[a]
        solve_upper(active.L, direction, m)


@summing_kernel
def _fitted(turns: Floats, step: Floats, known: int, m: int, shares: Floats) -> bool:
    """The least-squares shares of the turns in the step; False where the turns are nearly dependent."""
    L = np.empty((MEMORY, MEMORY))
    for k in range(known):
        shares[k] = leading_dot(turns[k], step, m)
        for c in range(k + 1):
            L[k, c] = leading_dot(turns[k], turns[c], m)
    for k in range(known):
        diagonal = L[k, k]
        for c in range(k):
            L[k, c] = (L[k, c] - leading_dot(L[k], L[c], c)) / L[c, c]
        pivot = diagonal - leading_dot(L[k], L[k], k)
        if not pivot > 1e-10 * diagonal:
            return False
        L[k, k] = math.sqrt(pivot)
    solve_lower(L, shares, known)
    solve_upper(L, shares, known)
    return True
