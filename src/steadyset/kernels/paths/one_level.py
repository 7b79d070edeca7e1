"""The model of one resample at one penalty: the active set is solved, looked at, enlarged, until nothing breaks.

Steps use the factor of an earlier point as long as they shrink the slopes fast enough to be cheaper than a new one.
"""

import math

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import kernel, summing_kernel
from steadyset.kernels.linear.glm import mean_loss, residual_and_curvature
from steadyset.kernels.linear.products import add_multiple
from steadyset.kernels.paths.acceleration import MEMORY, accelerated, forget
from steadyset.kernels.paths.active_set import (
    EXCHANGED,
    LEFT_OUT,
    NO_ROOM,
    crossing,
    enter,
    move,
    slopes,
    solve,
    walk_down,
)
from steadyset.kernels.paths.feature_moments import exact_descent, rounding_bound, single_dot
from steadyset.kernels.paths.gram_factor import refactor
from steadyset.kernels.paths.path_arrays import Active, Features, Marks, Sample, Singles, Strong

SOLVED, UNSOLVED = 0, 1
MOST_STEPS = 300
# Of the features that break the conditions, so many enter at once: these, or this share of the active set.
LEAST_ENTERING, SHARE_ENTERING = 6, 0.15
# Slopes that fall by less than this have not fallen.
STALLED = 0.95
MOST_STALLS = 25


@kernel
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
    marks: Marks,
    residual: Floats,
) -> tuple[float, int]:
    """Solve to tol for the features of strong; the largest violation inside the active set, and SOLVED or UNSOLVED.

    residual is that of the solution, w (y - mean). The features of the active set are marked, before and after.
    """
    n, logistic = len(sample.rows), sample.logistic
    places = len(active.slot) + 1
    q, direction, row = np.empty(places), np.empty(places), np.empty(places)
    past = np.empty((2 * MEMORY + 2, places))
    steps = np.full(1, -1)
    curvature, seen, z = np.empty(n), np.empty(n), np.empty(n)
    eta_before, model_before = np.empty(n), np.empty((6, places))
    linear_predictor_afresh(active, n)
    total = _residual(sample, active.eta, residual, curvature)
    _centred(residual, sample.w, total, seen)
    stale = not logistic and active.size[0] > 1 and sample.ridge > 0.0
    if stale and not refactor(active, n, penalty):
        return np.inf, UNSOLVED
    goal = max(tol, first_goal)
    before, damping, largest = -1.0, 1.0, np.inf
    undoable, size_before, stalls = False, 0, 0
    for _ in range(MOST_STEPS):
        largest = slopes(active, residual, total, penalty, n, q)
        if undoable and largest > before and _rose(sample, active, penalty, eta_before, model_before, size_before):
            # The quadratic model was too bold: half of the step, from where it began, with the curvature there.
            damping *= 0.5
            _undo(active, eta_before, model_before, size_before, marks, n)
            total = _residual(sample, active.eta, residual, active.curvature)
            if damping < 1e-6 or not refactor(active, n, penalty):
                return largest, UNSOLVED
            largest = slopes(active, residual, total, penalty, n, q)
            before = -1.0
            forget(steps)
        elif largest <= goal:
            came, failed, exchanged = _look(
                features,
                sample,
                active,
                strong,
                n_strong,
                penalty,
                goal,
                scale,
                rms,
                residual,
                total,
                seen,
                marks,
                z,
                row,
            )
            if failed:
                return largest, UNSOLVED
            if came > 0:
                if exchanged:
                    total = _residual(sample, active.eta, residual, curvature)
                slopes(active, residual, total, penalty, n, q)
                forget(steps)
            elif goal <= tol:
                return largest, SOLVED if came == 0 else UNSOLVED
            else:
                goal = tol
                if largest <= tol:
                    continue
            before = -1.0
        elif before > 0.0 and _refactoring_pays(active.size[0], n, largest / before, largest / tol):
            stalls += largest >= STALLED * before
            _residual(sample, active.eta, residual, active.curvature)
            if stalls > MOST_STALLS or not refactor(active, n, penalty):
                return largest, UNSOLVED
            forget(steps)
        if not largest < np.inf:
            return largest, UNSOLVED
        before = largest
        undoable = logistic
        if logistic:
            size_before = _remember(active, eta_before, model_before, n)
        if active.wide[0] or not (logistic or sample.ridge > 0.0):
            solve(active, n, penalty, q, direction)
        else:
            accelerated(active, q, direction, steps, past)
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
            walk_down(active, n, penalty, q, direction, step, place, marks)
            forget(steps)
            before = -1.0
        total = _residual(sample, active.eta, residual, curvature)
    return largest, UNSOLVED


@kernel
def linear_predictor_afresh(active: Active, n: int) -> None:
    """eta from the coefficients, so that no rounding errors gather in it from level to level."""
    for i in range(n):
        active.eta[i] = active.coef[0]
    for a in range(1, active.size[0]):
        add_multiple(active.coef[a], active.Z[active.slot[a]], active.eta, n)


@summing_kernel
def _residual(sample: Sample, eta: Floats, residual: Floats, curvature: Floats) -> float:
    residual_and_curvature(sample.y, sample.w, eta, sample.logistic, residual, curvature)
    total = 0.0
    for i in range(len(sample.w)):
        total += residual[i]
    return total


@summing_kernel
def _centred(residual: Floats, w: Floats, total: float, centred: Floats) -> None:
    """The residual without its mean: features have mean zero, so their descents stay the same."""
    for i in range(len(w)):
        centred[i] = residual[i] - w[i] * total


@summing_kernel
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
    total: float,
    seen: Floats,
    marks: Marks,
    z: Floats,
    row: Floats,
) -> tuple[int, bool, bool]:
    """Let the strong features that break the conditions most enter: how many came, no room or factor, an exchange.

    -1 came where some break the conditions and all of them are left out as combinations of others.

    e is part `along` of the e that was seen at the last look and a rest across it, and a standardised feature has norm
    1: so its descent is at most `along` of what it was plus the norm of the rest. Most features need no more than that.
    """
    n = len(sample.w)
    w = sample.w
    now = np.empty(n)
    _centred(residual, w, total, now)
    square, product = 0.0, 0.0
    for i in range(n):
        square += seen[i] * seen[i] / w[i]
        product += seen[i] * now[i] / w[i]
    along = product / square if square > 0.0 else 0.0
    across = 0.0
    for i in range(n):
        across += (now[i] - along * seen[i]) ** 2 / w[i]
    across = math.sqrt(across) * (1.0 + 1e-9) + 1e-13
    along = abs(along) * (1.0 + 1e-12)
    single = np.zeros(features.Z.shape[1], np.float32)
    norm = 0.0
    for i in range(n):
        single[sample.rows[i]] = now[i]
        norm += now[i] * now[i] / w[i]
    rounding = rounding_bound(len(single), norm, rms)
    breaking = np.empty(n_strong, np.int64)
    size = np.empty(n_strong)
    signs = np.empty(n_strong)
    count = 0
    for k in range(n_strong):
        j = strong.feature[k]
        bound = along * strong.bound[k] + across * strong.reach[k]
        strong.bound[k] = bound
        if bound <= penalty or marks[j]:
            continue
        bound = (abs(single_dot(features.Z[j], single)) + rounding) * scale[j]
        if bound <= penalty:
            strong.bound[k] = bound
            continue
        descent, l1 = exact_descent(features, sample, j, now, z)
        strong.bound[k] = abs(descent) * (1.0 + 1e-12)
        if (abs(descent) - penalty) * l1 > goal:
            breaking[count], size[count], signs[count] = j, (abs(descent) - penalty) * l1, np.sign(descent)
            count += 1
    for i in range(n):
        seen[i] = now[i]
    if count == 0:
        return 0, False, False
    came, exchanged = 0, False
    for _ in range(min(count, max(LEAST_ENTERING, int(SHARE_ENTERING * active.size[0])))):
        k = int(np.argmax(size[:count]))
        size[k] = -1.0
        how = enter(features, sample, active, breaking[k], signs[k], penalty, marks, row)
        if how == NO_ROOM:
            return came, True, exchanged
        came += how != LEFT_OUT
        exchanged = exchanged or how == EXCHANGED
    return (came if came > 0 else -1), False, exchanged


@kernel
def _refactoring_pays(m: int, n: int, rate: float, left: float) -> bool:
    """Whether the steps that are left at this rate cost more than a new factor and the few steps after it."""
    if rate >= STALLED:
        return True
    step = 2.0 * m * n + m * m + 12.0 * n + 200.0
    factor = 0.3 * m * m * n + m * m * m / 6.0 + 1000.0
    return math.log(left) / -math.log(rate) * step > factor + 2.5 * step


@kernel
def _remember(active: Active, eta: Floats, model: Floats, n: int) -> int:
    """Keep the model as it is before a step, and how many places it has."""
    for i in range(n):
        eta[i] = active.eta[i]
    for a in range(active.size[0]):
        model[0, a] = active.coef[a]
        model[1, a] = active.sign[a]
        model[2, a] = active.l1[a]
        model[3, a] = active.l2[a]
        model[4, a] = active.feature[a]
        model[5, a] = active.slot[a]
    return int(active.size[0])


@kernel
def _undo(active: Active, eta: Floats, model: Floats, size: int, marks: Marks, n: int) -> None:
    """Go back to the model before the step; the slots of features that left meanwhile still hold them."""
    for i in range(n):
        active.eta[i] = eta[i]
    for a in range(size):
        active.coef[a] = model[0, a]
        active.sign[a] = model[1, a]
        active.l1[a] = model[2, a]
        active.l2[a] = model[3, a]
        active.feature[a] = int(model[4, a])
        active.slot[a] = int(model[5, a])
        if a > 0:
            marks[active.feature[a]] = 1
    active.size[0] = size


@kernel
def _rose(sample: Sample, active: Active, penalty: float, eta: Floats, model: Floats, size: int) -> bool:
    """Whether the objective is larger than before the step."""
    before = mean_loss(sample.y, sample.w, eta, sample.logistic)
    before += penalty * _penalty(model[0], model[2], model[3], size)
    now = mean_loss(sample.y, sample.w, active.eta, sample.logistic)
    now += penalty * _penalty(active.coef, active.l1, active.l2, active.size[0])
    return now > before + 1e-13 * abs(before)


@summing_kernel
def _penalty(coef: Floats, l1: Floats, l2: Floats, size: int) -> float:
    total = 0.0
    for a in range(1, size):
        total += l1[a] * abs(coef[a]) + 0.5 * l2[a] * coef[a] * coef[a]
    return total
