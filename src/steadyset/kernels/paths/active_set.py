"""The active set of one resample: features that come and leave, and the step to the minimum for its signs."""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import inner_part, part, summing_part
from steadyset.kernels.linear.products import add_row, leading_dot, row_dot
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
from steadyset.kernels.paths.path_arrays import Active, Features, Room, Sample

# A feature of which less than this share is left after its regression on the others is a combination of them.
DEPENDENT = 1e-11
LEFT_OUT, ENTERED, EXCHANGED = 0, 1, 2


@summing_part
def slopes(active: Active, residual: Floats, total: float, penalty: float, n: int, q: Floats) -> float:
    """Minus the gradient of the objective at every place, and the largest of them in size."""
    m = active.size[0]
    slot, Z = active.slot, active.Z
    q[0] = total
    last = 1 + (m - 1) // 4 * 4
    for a in range(1, last, 4):
        i0, i1, i2, i3 = slot[a], slot[a + 1], slot[a + 2], slot[a + 3]
        s0 = s1 = s2 = s3 = 0.0
        for i in range(n):
            s0 += Z[i0, i] * residual[i]
            s1 += Z[i1, i] * residual[i]
            s2 += Z[i2, i] * residual[i]
            s3 += Z[i3, i] * residual[i]
        q[a], q[a + 1], q[a + 2], q[a + 3] = s0, s1, s2, s3
    for a in range(last, m):
        q[a] = row_dot(Z, slot[a], residual, n)
    largest = abs(total)
    for a in range(1, m):
        q[a] -= penalty * (active.l1[a] * active.sign[a] + active.l2[a] * active.coef[a])
        largest = max(largest, abs(q[a]))
    return largest


@summing_part
def add_predictor(active: Active, coef: Floats, factor: float, n: int) -> None:
    """Add factor times Z coef to the linear predictor, four places at a time."""
    m = active.size[0]
    slot, Z, eta = active.slot, active.Z, active.eta
    last = m // 4 * 4
    for a in range(0, last, 4):
        i0, i1, i2, i3 = slot[a], slot[a + 1], slot[a + 2], slot[a + 3]
        c0, c1, c2, c3 = factor * coef[a], factor * coef[a + 1], factor * coef[a + 2], factor * coef[a + 3]
        for i in range(n):
            eta[i] += c0 * Z[i0, i] + c1 * Z[i1, i] + c2 * Z[i2, i] + c3 * Z[i3, i]
    for a in range(last, m):
        add_row(factor * coef[a], Z, slot[a], eta, n)


@inner_part
def move(active: Active, step: float, direction: Floats, n: int) -> None:
    """Go a part of the way; coefficients and linear predictor follow."""
    for a in range(active.size[0]):
        active.coef[a] += step * direction[a]
    add_predictor(active, direction, step, n)


@part
def drop(active: Active, place: int, q: Floats, n: int, penalty: float, room: Room) -> None:
    """A feature leaves the active set."""
    m = active.size[0]
    room.marks[active.feature[place]] = 0
    gone = active.slot[place]
    sound = True
    if active.wide[0]:
        root = 1.0 / math.sqrt(penalty * active.l2[place])
        for i in range(n):
            room.z[i] = active.Z[gone, i] * root
        sound = add_product(active.L, room.z, n, -1.0)
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
        refactor(active, n, penalty, room.weighted)


@inner_part
def prepare(features: Features, sample: Sample, active: Active, candidates: Ints, room: Room) -> None:
    """Lay up to TOGETHER features that may enter into the next slots, with their products with all that are in."""
    n, m, count = len(sample.rows), active.size[0], len(candidates)
    for k in range(count):
        slot = active.slot[m + k]
        room.slots[k] = slot
        room.scales[k] = standardise_row(features.Xt[candidates[k]], sample.rows, sample.w, active.Z[slot])[1]
    if not active.wide[0]:
        _all_products(active, n, m, count, room.weighted, room.products)


@summing_part
def _all_products(active: Active, n: int, m: int, count: int, weighted: Floats, products: Floats) -> None:
    """Z_a' diag(curvature) Z_k, for k of the next slots and a of those and of all in use, at products[k, slot of a]."""
    slot, Z = active.slot, active.Z
    for k in range(count):
        for i in range(n):
            weighted[k, i] = Z[slot[m + k], i] * active.curvature[i]
    for a in range(m + count):
        row = slot[a]
        # The last of an odd number is paired with itself: no product depends on which features come together.
        for k in range(0, count, 2):
            other = min(k + 1, count - 1)
            s0 = s1 = 0.0
            for i in range(n):
                s0 += Z[row, i] * weighted[k, i]
                s1 += Z[row, i] * weighted[other, i]
            products[k, row], products[other, row] = s0, s1


@inner_part
def enter(
    features: Features, sample: Sample, active: Active, k: int, j: int, sign: float, penalty: float, room: Room
) -> int:
    """Feature j enters with this sign and coefficient 0, or takes the place of one that it does better than.

    It is the k-th of those that `prepare` has laid out, and comes after all that came before.

    One that is a combination of the active set hardly changes the fit when its coefficient grows and theirs fall.
    Where that shortens the penalty, they go until the first of them is zero and leaves; otherwise j stays out.
    """
    n, m = len(sample.rows), active.size[0]
    scale = room.scales[k]
    if scale == 0.0:
        return LEFT_OUT
    _bring_to(active, m, room.slots[k])
    active.l1[m], active.l2[m] = penalty_of(features, sample, j, scale)
    active.feature[m], active.coef[m], active.sign[m] = j, 0.0, sign
    ridge = penalty * active.l2[m]
    if active.wide[0] or (ridge > 0.0 and is_wide(m + 1, n)):
        # The factor over the rows is made anew when all have come, which is cheaper than to change it for each.
        active.wide[0] = 1
        active.size[0] = m + 1
        room.marks[j] = 1
        return ENTERED
    if m + 1 > len(active.L):
        return LEFT_OUT
    how = ENTERED
    left = _explained(active.L, active.slot, room.products[k], m, ridge, room.row)
    own = room.row[m]
    if left <= DEPENDENT * (own + ridge):
        if not _exchange(active, m, sign, n, penalty, room):
            return LEFT_OUT
        how = EXCHANGED
        m = active.size[0]
        left = max(_explained(active.L, active.slot, room.products[k], m, ridge, room.row), 1e-12 * room.row[m])
    for a in range(m):
        active.L[m, a] = room.row[a]
    active.L[m, m] = math.sqrt(left)
    active.size[0] = m + 1
    room.marks[j] = 1
    return how


@part
def _bring_to(active: Active, m: int, slot: int) -> None:
    """Make a free slot the next one."""
    place = m
    while active.slot[place] != slot:
        place += 1
    active.slot[place], active.slot[m] = active.slot[m], slot


@summing_part
def _explained(L: Floats, slot: Ints, products: Floats, m: int, ridge: float, row: Floats) -> float:
    """The row of the factor of the feature in the next slot, and the square that the places before leave of it.

    row[m] is its own product with itself.
    """
    for a in range(m + 1):
        row[a] = products[slot[a]]
    solve_lower(L, row, m)
    return float(row[m] + ridge - leading_dot(row, row, m))


@part
def _exchange(active: Active, m: int, sign: float, n: int, penalty: float, room: Room) -> bool:
    """Swap the feature in the next slot, which has this row of the factor, for the first that it drives to zero."""
    if sign == 0.0:
        return False
    row = room.row
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
    add_predictor(active, row, -sign * length, n)
    add_row(sign * length, active.Z, active.slot[m], active.eta, n)
    # The newcomer is at the place behind the last; when one before it leaves, it moves up with its slot.
    newcomer = active.slot[m]
    kept = active.feature[m], active.l1[m], active.l2[m]
    drop(active, place, row, n, penalty, room)
    active.slot[m], active.slot[m - 1] = active.slot[m - 1], newcomer
    active.feature[m - 1], active.l1[m - 1], active.l2[m - 1] = kept
    active.coef[m - 1], active.sign[m - 1] = sign * length, sign
    return True


@summing_part
def crossing(active: Active, direction: Floats) -> tuple[float, int]:
    """How far the first coefficient to change its sign lets the step go, and its place; 1 and -1 where none does."""
    step, place = 1.0, -1
    for a in range(1, active.size[0]):
        if active.sign[a] != 0.0 and (active.coef[a] + direction[a]) * active.sign[a] <= 0.0:
            reach = -active.coef[a] / direction[a] if direction[a] != 0.0 else 0.0
            if place < 0 or reach < step:
                step, place = reach, a
    return step, place


@inner_part
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


@inner_part
def walk_down(active: Active, n: int, penalty: float, step: float, place: int, room: Room) -> None:
    """The rest of a step in which coefficients get to zero: each of them leaves, and the step is solved again."""
    q, direction = room.q, room.direction
    while True:
        move(active, step, direction, n)
        if place < 0:
            return
        drop(active, place, q, n, penalty, room)
        # On the way to a minimum all slopes fall alike.
        for a in range(active.size[0]):
            q[a] *= 1.0 - step
        solve(active, n, penalty, q, direction)
        step, place = crossing(active, direction)
