"""The active set of one resample: features that come and leave, and the step to the minimum for its signs."""

import math

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import kernel, summing_kernel
from steadyset.kernels.linear.products import add_multiple, leading_dot
from steadyset.kernels.paths.feature_moments import penalty_of, standardise_row
from steadyset.kernels.paths.gram_factor import (
    add_product,
    drop_row,
    is_wide,
    refactor,
    solve_lower,
    solve_over_rows,
    solve_upper,
)
from steadyset.kernels.paths.path_arrays import Active, Features, Marks, Sample

# A feature of which less than this share is left after its regression on the others is a combination of them.
DEPENDENT = 1e-11
LEFT_OUT, ENTERED, EXCHANGED, NO_ROOM = 0, 1, 2, 3


@summing_kernel
def slopes(active: Active, residual: Floats, total: float, penalty: float, n: int, q: Floats) -> float:
    """Minus the gradient of the objective at every place, and the largest of them in size."""
    q[0] = total
    largest = abs(total)
    for a in range(1, active.size[0]):
        push = active.l1[a] * active.sign[a] + active.l2[a] * active.coef[a]
        q[a] = leading_dot(active.Z[active.slot[a]], residual, n) - penalty * push
        largest = max(largest, abs(q[a]))
    return largest


@summing_kernel
def move(active: Active, step: float, direction: Floats, n: int) -> None:
    """Go a part of the way; coefficients and linear predictor follow."""
    for a in range(active.size[0]):
        active.coef[a] += step * direction[a]
        add_multiple(step * direction[a], active.Z[active.slot[a]], active.eta, n)


@kernel
def drop(active: Active, place: int, q: Floats, marks: Marks, n: int, penalty: float) -> None:
    """A feature leaves the active set."""
    m = active.size[0]
    marks[active.feature[place]] = 0
    gone = active.slot[place]
    sound = True
    if active.wide[0]:
        root = 1.0 / math.sqrt(penalty * active.l2[place])
        sound = add_product(active.L, active.Z[gone, :n] * root, n, -1.0)
    else:
        drop_row(active.L, place, m)
    for a in range(place, m - 1):
        active.feature[a] = active.feature[a + 1]
        active.slot[a] = active.slot[a + 1]
        active.coef[a] = active.coef[a + 1]
        active.sign[a] = active.sign[a + 1]
        active.l1[a] = active.l1[a + 1]
        active.l2[a] = active.l2[a + 1]
        q[a] = q[a + 1]
    active.slot[m - 1] = gone
    active.size[0] = m - 1
    if not sound:
        refactor(active, n, penalty)


@kernel
def enter(
    features: Features, sample: Sample, active: Active, j: int, sign: float, penalty: float, marks: Marks, row: Floats
) -> int:
    """Feature j enters with this sign and coefficient 0, or takes the place of one that it does better than.

    One that is a combination of the active set hardly changes the fit when its coefficient grows and theirs fall.
    Where that shortens the penalty, they go until the first of them is zero and leaves; otherwise j stays out.
    """
    n, m = len(sample.rows), active.size[0]
    if m >= len(active.slot):
        return NO_ROOM
    z = active.Z[active.slot[m]]
    scale = standardise_row(features.Xt[j], sample.rows, sample.w, z)[1]
    if scale == 0.0:
        return LEFT_OUT
    active.l1[m], active.l2[m] = penalty_of(features, sample, j, scale)
    active.feature[m], active.coef[m], active.sign[m] = j, 0.0, sign
    ridge = penalty * active.l2[m]
    if not active.wide[0] and ridge > 0.0 and is_wide(m + 1, n):
        active.size[0] = m + 1
        marks[j] = 1
        return ENTERED if refactor(active, n, penalty) else NO_ROOM
    if active.wide[0]:
        active.size[0] = m + 1
        marks[j] = 1
        add_product(active.L, z[:n] / math.sqrt(ridge), n, 1.0)
        return ENTERED
    if m + 1 > len(active.L):
        return LEFT_OUT
    how = ENTERED
    left = _explained(active, m, n, ridge, row)
    if left <= DEPENDENT * (row[m] + ridge):
        if not _exchange(active, m, sign, row, marks, n, penalty):
            return LEFT_OUT
        how = EXCHANGED
        m = active.size[0]
        left = max(_explained(active, m, n, ridge, row), 1e-12 * row[m])
    for a in range(m):
        active.L[m, a] = row[a]
    active.L[m, m] = math.sqrt(left)
    active.size[0] = m + 1
    marks[j] = 1
    return how


@summing_kernel
def _explained(active: Active, m: int, n: int, ridge: float, row: Floats) -> float:
    """The row of the factor of the feature in the next slot, and the square that the places before leave of it.

    row[m] is its own product with itself.
    """
    z = active.Z[active.slot[m]]
    weighted = np.empty(n)
    for i in range(n):
        weighted[i] = z[i] * active.curvature[i]
    for a in range(m):
        row[a] = leading_dot(active.Z[active.slot[a]], weighted, n)
    solve_lower(active.L, row, m)
    row[m] = leading_dot(z, weighted, n)
    return float(row[m] + ridge - leading_dot(row, row, m))


@kernel
def _exchange(active: Active, m: int, sign: float, row: Floats, marks: Marks, n: int, penalty: float) -> bool:
    """Swap the feature in the next slot, which has this row of the factor, for the first that it drives to zero."""
    if sign == 0.0:
        return False
    solve_upper(active.L, row, m)
    gain = -active.l1[m]
    for a in range(1, m):
        gain += active.l1[a] * sign * active.sign[a] * row[a]
    if gain <= 1e-9 * active.l1[m]:
        return False
    length, place = np.inf, -1
    for a in range(1, m):
        if sign * row[a] * active.sign[a] > 0.0 and abs(active.coef[a] / row[a]) < length:
            length, place = abs(active.coef[a] / row[a]), a
    if place < 0:
        return False
    for a in range(m):
        active.coef[a] -= sign * length * row[a]
        add_multiple(-sign * length * row[a], active.Z[active.slot[a]], active.eta, n)
    add_multiple(sign * length, active.Z[active.slot[m]], active.eta, n)
    # The newcomer is at the place behind the last; when one before it leaves, it moves up with its slot.
    newcomer = active.slot[m]
    kept = active.feature[m], active.l1[m], active.l2[m]
    drop(active, place, row, marks, n, penalty)
    active.slot[m], active.slot[m - 1] = active.slot[m - 1], newcomer
    active.feature[m - 1], active.l1[m - 1], active.l2[m - 1] = kept
    active.coef[m - 1], active.sign[m - 1] = sign * length, sign
    return True


@summing_kernel
def crossing(active: Active, direction: Floats) -> tuple[float, int]:
    """How far the first coefficient to change its sign lets the step go, and its place; 1 and -1 where none does."""
    step, place = 1.0, -1
    for a in range(1, active.size[0]):
        if active.sign[a] != 0.0 and (active.coef[a] + direction[a]) * active.sign[a] <= 0.0:
            reach = -active.coef[a] / direction[a] if direction[a] != 0.0 else 0.0
            if place < 0 or reach < step:
                step, place = reach, a
    return step, place


@kernel
def solve(active: Active, n: int, penalty: float, q: Floats, direction: Floats) -> None:
    """The step to the minimum of the quadratic model for the signs of the active set."""
    m = active.size[0]
    for a in range(m):
        direction[a] = q[a]
    if active.wide[0]:
        solve_over_rows(active, n, penalty, direction)
    else:
        solve_lower(active.L, direction, m)
        solve_upper(active.L, direction, m)


@kernel
def walk_down(
    active: Active, n: int, penalty: float, q: Floats, direction: Floats, step: float, place: int, marks: Marks
) -> None:
    """The rest of a step in which coefficients get to zero: each of them leaves, and the step is solved again."""
    while True:
        move(active, step, direction, n)
        if place < 0:
            return
        drop(active, place, q, marks, n, penalty)
        # On the way to a minimum all slopes fall alike.
        for a in range(active.size[0]):
            q[a] *= 1.0 - step
        solve(active, n, penalty, q, direction)
        step, place = crossing(active, direction)
