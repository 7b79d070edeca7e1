"""Anderson acceleration of steps that a factor of an earlier point makes: the last few steps foretell the next.

Of the memory of a run, `turns` holds the changes of L^-1 q from step to step and `moves` those of the coefficients.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import part, summing_part
from steadyset.kernels.linear.products import add_row, row_dot, rows_dot
from steadyset.kernels.paths.active_set import crossing
from steadyset.kernels.paths.gram_factor import solve_lower, solve_upper
from steadyset.kernels.paths.path_arrays import MEMORY, Active

LAST = 2 * MEMORY  # the row of the last L^-1 q; the last coefficients are in the next


@part
def forget(steps: Ints) -> None:
    """The active set or its factor has changed: nothing foretells the next step."""
    steps[0] = -1


@summing_part
def accelerated(active: Active, q: Floats, direction: Floats, steps: Ints, past: Floats) -> None:
    """The step for the slopes q by the factor of the active set, improved by those before it.

    steps[0] counts the steps that are remembered, -1 where there is not even a last one. past has 2 MEMORY + 2 rows:
    turns, moves, the last L^-1 q and the last coefficients. The plain step is kept where the other would change a sign.
    """
    m = active.size[0]
    for a in range(m):
        direction[a] = q[a]
    solve_lower(active.L, direction, m)
    if steps[0] >= 0:
        place = steps[0] % MEMORY
        for a in range(m):
            past[place, a] = direction[a] - past[LAST, a]
            past[MEMORY + place, a] = active.coef[a] - past[LAST + 1, a]
    for a in range(m):
        past[LAST, a] = direction[a]
        past[LAST + 1, a] = active.coef[a]
    steps[0] += 1
    known = min(steps[0], MEMORY)
    shares = np.empty(MEMORY)
    if known == 0 or not _fitted(past, direction, known, m, shares):
        solve_upper(active.L, direction, m)
        return
    for k in range(known):
        add_row(-shares[k], past, k, direction, m)
    solve_upper(active.L, direction, m)
    for k in range(known):
        add_row(-shares[k], past, MEMORY + k, direction, m)
    if crossing(active, direction)[1] >= 0:
        forget(steps)
        for a in range(m):
            direction[a] = past[LAST, a]
        solve_upper(active.L, direction, m)


@summing_part
def _fitted(turns: Floats, step: Floats, known: int, m: int, shares: Floats) -> bool:
    """The least-squares shares of the turns in the step; False where the turns are nearly dependent."""
    L = np.empty((MEMORY, MEMORY))
    for k in range(known):
        shares[k] = row_dot(turns, k, step, m)
        for c in range(k + 1):
            L[k, c] = rows_dot(turns, k, c, m)
    for k in range(known):
        diagonal = L[k, k]
        for c in range(k):
            L[k, c] = (L[k, c] - rows_dot(L, k, c, c)) / L[c, c]
        pivot = diagonal - rows_dot(L, k, k, k)
        if not pivot > 1e-10 * diagonal:
            return False
        L[k, k] = math.sqrt(pivot)
    solve_lower(L, shares, known)
    solve_upper(L, shares, known)
    return True
