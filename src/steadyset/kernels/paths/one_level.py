"""The model of one resample at one penalty: the active set is solved, looked at, enlarged, until nothing breaks.

Steps use the factor of an earlier point as long as they shrink the slopes fast enough to be cheaper than a new one.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import inner_part, part, summing_part
from steadyset.kernels.linear.glm import mean_loss, residual_and_curvature
from steadyset.kernels.paths.acceleration import accelerated, forget
from steadyset.kernels.paths.active_set import (
    EXCHANGED,
    LEFT_OUT,
    add_predictor,
    crossing,
    enter,
    move,
    prepare,
    slopes,
    solve,
    walk_down,
)
from steadyset.kernels.paths.feature_moments import exact_descent, rounding_bound, single_dots
from steadyset.kernels.paths.gram_factor import refactor
from steadyset.kernels.paths.path_arrays import TOGETHER, Active, Features, Room, Sample, Singles, Strong
from steadyset.kernels.paths.screening import LEAST_BAR, along_and_across, centred, unit_of_reach
from steadyset.kernels.signals import count_work

SOLVED, UNSOLVED = 0, 1
MOST_STEPS = 300
# Of the features that break the conditions, so many enter at once: these, or this share of the active set.
LEAST_ENTERING, SHARE_ENTERING = 6, 0.15
# Slopes that fall by less than this have not fallen.
STALLED = 0.95
MOST_STALLS = 25


@inner_part
def solve_level(
    features: Features,
    sample: Sample,
    active: Active,
    strong: Strong,
    n_strong: int,
    penalty: float,
    first_goal: float,
    tol: float,
    scale: Singles,
    rms: float,
    residual: Floats,
    room: Room,
) -> tuple[float, int]:
    """Solve to tol for the features of strong; the largest violation inside the active set, and SOLVED or UNSOLVED.

    residual is that of the solution, w (y - mean). The features of the active set are marked, before and after.
    """
    n, logistic = len(sample.rows), sample.logistic
    q, direction, steps = room.q, room.direction, room.steps
    forget(steps)
    linear_predictor_afresh(active, n)
    total = _residual(sample, active.eta, residual, room.curvature)
    centred(residual, sample.w, room.seen)
    stale = not logistic and active.size[0] > 1 and sample.ridge > 0.0
    if stale and not refactor(active, n, penalty, room.weighted):
        return np.inf, UNSOLVED
    goal = max(tol, first_goal)
    before, damping, largest = -1.0, 1.0, np.inf
    undoable, size_before, stalls = False, 0, 0
    for _ in range(MOST_STEPS):
        m = active.size[0]
        count_work(room.work, 4 * m * (n + m) + n_strong * n // 8)
        largest = slopes(active, residual, total, penalty, n, q)
        if undoable and largest > before and _rose(sample, active, penalty, room, size_before):
            # The quadratic model was too bold: half of the step, from where it began, with the curvature there.
            damping *= 0.5
            _undo(active, room, size_before, n)
            total = _residual(sample, active.eta, residual, active.curvature)
            if damping < 1e-6 or not refactor(active, n, penalty, room.weighted):
                return largest, UNSOLVED
            largest = slopes(active, residual, total, penalty, n, q)
            before = -1.0
            forget(steps)
        elif largest <= goal:
            came, failed, exchanged = _look(
                features, sample, active, strong, n_strong, penalty, goal, scale, rms, residual, room
            )
            if failed:
                return largest, UNSOLVED
            if came > 0:
                if exchanged:
                    total = _residual(sample, active.eta, residual, room.curvature)
                slopes(active, residual, total, penalty, n, q)
                forget(steps)
            elif goal <= tol:
                return largest, SOLVED if came == 0 else UNSOLVED
            else:
                goal = tol
                if largest <= tol:
                    continue
            before = -1.0
        elif before > 0.0 and _refactoring_pays(m, n, largest / before, largest / tol):
            stalls += largest >= STALLED * before
            _residual(sample, active.eta, residual, active.curvature)
            count_work(room.work, m * m * (n // 2 + m // 6))
            if stalls > MOST_STALLS or not refactor(active, n, penalty, room.weighted):
                return largest, UNSOLVED
            forget(steps)
        if not largest < np.inf:
            return largest, UNSOLVED
        before = largest
        undoable = logistic
        if logistic:
            size_before = _remember(active, room, n)
        if active.wide[0] or not (logistic or sample.ridge > 0.0):
            solve(active, n, penalty, q, direction)
        else:
            accelerated(active, q, direction, steps, room.past)
        if damping < 1.0:
            for a in range(active.size[0]):
                q[a] *= damping
                direction[a] *= damping
            forget(steps)
            damping = min(1.0, 2.0 * damping)
        step, place = crossing(active, direction)
        if place < 0:
            move(active, 1.0, direction, n)
        else:
            walk_down(active, n, penalty, step, place, room)
            forget(steps)
            before = -1.0
        total = _residual(sample, active.eta, residual, room.curvature)
    return largest, UNSOLVED


@inner_part
def linear_predictor_afresh(active: Active, n: int) -> None:
    """eta from the coefficients, so that no rounding errors gather in it from level to level."""
    for i in range(n):
        active.eta[i] = 0.0
    add_predictor(active, active.coef, 1.0, n)


@summing_part
def _residual(sample: Sample, eta: Floats, residual: Floats, curvature: Floats) -> float:
    residual_and_curvature(sample.y, sample.w, eta, sample.logistic, residual, curvature)
    total = 0.0
    for i in range(len(sample.w)):
        total += residual[i]
    return total


@inner_part
def _look(
    features: Features,
    sample: Sample,
    active: Active,
    strong: Strong,
    n_strong: int,
    penalty: float,
    goal: float,
    scale: Singles,
    rms: float,
    residual: Floats,
    room: Room,
) -> tuple[int, bool, bool]:
    """Let the strong features that break the conditions most enter: how many came, no room or factor, an exchange.

    -1 came where some break the conditions and all of them are left out as combinations of others.
    """
    count = _breaking(features, sample, strong, n_strong, penalty, goal, scale, rms, residual, room)
    if count == 0:
        return 0, False, False
    came, exchanged = 0, False
    entering = min(count, max(LEAST_ENTERING, int(SHARE_ENTERING * active.size[0])))
    _worst_first(room, count, entering)
    for begin in range(0, entering, TOGETHER):
        some = min(TOGETHER, entering - begin)
        if active.size[0] + some > len(active.slot):
            return came, True, exchanged
        prepare(features, sample, active, room.breaking[begin : begin + some], room)
        count_work(room.work, some * active.size[0] * (len(sample.rows) + active.size[0]))
        for k in range(some):
            j, sign = room.breaking[begin + k], room.signs[begin + k]
            how = enter(features, sample, active, k, j, sign, penalty, room)
            came += how != LEFT_OUT
            exchanged = exchanged or how == EXCHANGED
    sound = not active.wide[0] or refactor(active, len(sample.rows), penalty, room.weighted)
    return (came if came > 0 else -1), not sound, exchanged


@inner_part
def _breaking(
    features: Features,
    sample: Sample,
    strong: Strong,
    n_strong: int,
    penalty: float,
    goal: float,
    scale: Singles,
    rms: float,
    residual: Floats,
    room: Room,
) -> int:
    """Write down the strong features outside the model that break the conditions by more than the goal; how many.

    Their bounds follow the residual. Where a bound passes the penalty, single precision decides, and then the data.
    """
    norm = centred(residual, sample.w, room.now)
    along, across = along_and_across(room.seen, room.now, sample.w)
    along, across = max(along, LEAST_BAR), across * unit_of_reach(features.as_given, rms) * (1.0 + 1e-6)
    rounding = rounding_bound(room.single.shape[1], norm, rms)
    for i in range(room.single.shape[1]):
        room.single[0, i] = 0.0
    for i in range(len(sample.w)):
        room.single[0, sample.rows[i]] = room.now[i]
        room.seen[i] = room.now[i]
    for k in range(n_strong):
        strong.bound[k] = along * strong.bound[k] + across * strong.reach[k]
    # Those that stay open are moved to the front without a branch, because no processor foresees which these are.
    reaching = np.uint64(0)
    for k in range(np.uint64(n_strong)):
        room.open[reaching] = k
        reaching += np.uint64(strong.bound[k] > penalty)
    n_open = np.uint64(0)
    for o in range(reaching):
        k = room.open[o]
        j = strong.feature[k]
        room.open[n_open], room.breaking[n_open] = j, k
        n_open += np.uint64(room.marks[j] == 0)
    single_dots(features.Z, room.open, np.int64(n_open), room.single, 0, room.sizes)
    left = np.uint64(0)
    for o in range(n_open):
        j, k = room.open[o], room.breaking[o]
        strong.bound[k] = (room.sizes[o] + rounding) * scale[j]
        room.open[left], room.breaking[left] = j, k
        left += np.uint64(strong.bound[k] > penalty)
    count = 0
    for o in range(left):
        j, k = np.int64(room.open[o]), room.breaking[o]
        descent, l1 = exact_descent(features, sample, j, room.now, room.z)
        strong.bound[k] = abs(descent) * (1.0 + 1e-12)
        if (abs(descent) - penalty) * l1 > goal:
            room.breaking[count], room.signs[count] = j, np.sign(descent)
            room.excess[count] = (abs(descent) - penalty) * l1
            count += 1
    return count


@part
def _worst_first(room: Room, count: int, wanted: int) -> None:
    """Bring the features that break the conditions most to the front, in their order."""
    for place in range(wanted):
        worst = place
        for k in range(place + 1, count):
            if room.excess[k] > room.excess[worst]:
                worst = k
        # Those in between move up, so that equal ones keep their order.
        j, excess, sign = room.breaking[worst], room.excess[worst], room.signs[worst]
        for k in range(worst, place, -1):
            room.breaking[k], room.excess[k], room.signs[k] = (
                room.breaking[k - 1],
                room.excess[k - 1],
                room.signs[k - 1],
            )
        room.breaking[place], room.excess[place], room.signs[place] = j, excess, sign


@inner_part
def _refactoring_pays(m: int, n: int, rate: float, left: float) -> bool:
    """Whether the steps that are left at this rate cost more than a new factor and the few steps after it."""
    if rate >= STALLED:
        return True
    step = 2.0 * m * n + m * m + 12.0 * n + 200.0
    factor = 0.3 * m * m * n + m * m * m / 6.0 + 1000.0
    return math.log(left) / -math.log(rate) * step > factor + 2.5 * step


@inner_part
def _remember(active: Active, room: Room, n: int) -> int:
    """Keep the model as it is before a step, and how many places it has."""
    model = room.model
    for i in range(n):
        room.eta[i] = active.eta[i]
    for a in range(active.size[0]):
        model[0, a] = active.coef[a]
        model[1, a] = active.sign[a]
        model[2, a] = active.l1[a]
        model[3, a] = active.l2[a]
        model[4, a] = active.feature[a]
        model[5, a] = active.slot[a]
    return int(active.size[0])


@part
def _undo(active: Active, room: Room, size: int, n: int) -> None:
    """Go back to the model before the step; the slots of features that left meanwhile still hold them."""
    model = room.model
    for i in range(n):
        active.eta[i] = room.eta[i]
    for a in range(size):
        active.coef[a] = model[0, a]
        active.sign[a] = model[1, a]
        active.l1[a] = model[2, a]
        active.l2[a] = model[3, a]
        active.feature[a] = int(model[4, a])
        active.slot[a] = int(model[5, a])
        if a > 0:
            room.marks[active.feature[a]] = 1
    active.size[0] = size


@part
def _rose(sample: Sample, active: Active, penalty: float, room: Room, size: int) -> bool:
    """Whether the objective is larger than before the step."""
    before = mean_loss(sample.y, sample.w, room.eta, sample.logistic)
    now = mean_loss(sample.y, sample.w, active.eta, sample.logistic)
    for a in range(1, size):
        before += penalty * _own_penalty(room.model[0, a], room.model[2, a], room.model[3, a])
    for a in range(1, active.size[0]):
        now += penalty * _own_penalty(active.coef[a], active.l1[a], active.l2[a])
    return now > before + 1e-13 * abs(before)


@part
def _own_penalty(coef: float, l1: float, l2: float) -> float:
    return l1 * abs(coef) + 0.5 * l2 * coef * coef
