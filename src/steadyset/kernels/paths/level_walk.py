"""The levels of a batch: at each, solve every resample, check all features, and solve again what is broken."""

import math

import numpy as np

from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.kernels.borrowing import borrowed
from steadyset.kernels.jit import inner_part, kernel, part
from steadyset.kernels.linear.elastic_net import fit_elastic_net
from steadyset.kernels.linear.glm import residual_and_curvature
from steadyset.kernels.linear.products import total
from steadyset.kernels.paths.active_set import enter, prepare
from steadyset.kernels.paths.feature_moments import penalty_of, set_scales, standardise_row
from steadyset.kernels.paths.one_level import linear_predictor_afresh, solve_level
from steadyset.kernels.paths.path_arrays import TOGETHER, Active, Batch, Features, Marks, Models, Room, Sample, Strong
from steadyset.kernels.paths.samples import put_samples
from steadyset.kernels.paths.screening import (
    LEAST_BAR,
    broken,
    carry_bounds,
    collect,
    largest_descent,
    put_residual,
    renew,
    unknown,
)
from steadyset.kernels.signals import count_work

# How often features that break the conditions are let in after a check.
MOST_CHECKS = 20
# The first features enter when the slopes are within this part of the fall of the penalty.
COARSE = 0.1
NO_FEATURE = 1e300  # a penalty at which no feature that has one can enter
# The kernel for hard cases: rounds and sweeps of a call, and calls.
MOST_ROUNDS, SWEEPS_A_CALL, MOST_CALLS = 1000, 1000, 50


@kernel
def begin(
    features: Features,
    batch: Batch,
    room: Room,
    codes: Floats,
    weights: Floats,
    highest: Floats,
    logistic: bool,
    ridge: float,
    tol: float,
) -> tuple[Floats, Floats]:
    """The samples of a batch, the scales of all features, and models with the intercept alone.

    Returned are the centre, the unit and the spread of each target, and what `largest_penalties` gives, which is not
    known yet where features without a penalty are still to come in.
    """
    features, batch, room = borrowed(features), borrowed(batch), borrowed(room)
    targets, singles = put_samples(batch, codes, weights, highest, logistic, ridge / features.whole, tol)
    set_scales(features, batch, singles, room.z)
    for b in range(len(batch.n_rows)):
        sample, active = _sample(batch, b, logistic), _active(batch, b)
        _start(sample, active)
        put_residual(batch, b, _residual_now(sample, active, room))
        batch.hard[b] = batch.crowded[b] = 0
        batch.penalty[b] = NO_FEATURE
        unknown(batch, b)
    renew(features, batch, np.arange(len(batch.n_rows)), np.zeros(len(batch.n_rows)), room)
    if (features.factor == 0.0).any():
        return targets, np.zeros(len(batch.n_rows))
    return targets, _largest_penalties(features, batch, room, logistic)


@kernel
def let_unpenalised_in(features: Features, batch: Batch, room: Room, logistic: bool) -> None:
    """Features without a penalty enter all models, which are then to be solved at NO_FEATURE."""
    features, batch, room = borrowed(features), borrowed(batch), borrowed(room)
    always = np.flatnonzero(features.factor == 0.0)
    for b in range(len(batch.n_rows)):
        sample, active = _sample(batch, b, logistic), _active(batch, b)
        for begin in range(0, len(always), TOGETHER):
            some = always[begin : begin + TOGETHER]
            prepare(features, sample, active, some, room)
            for k in range(len(some)):
                enter(features, sample, active, k, some[k], 0.0, 0.0, room)
        _unmark(active, room)


@kernel
def largest_penalties(features: Features, batch: Batch, room: Room, logistic: bool) -> Floats:
    """The least penalty of each resample that leaves out every feature that has one; -1 where none varies."""
    return _largest_penalties(borrowed(features), borrowed(batch), borrowed(room), logistic)


@part
def _largest_penalties(features: Features, batch: Batch, room: Room, logistic: bool) -> Floats:
    largest = np.empty(len(batch.n_rows))
    for b in range(len(largest)):
        sample, active = _sample(batch, b, logistic), _active(batch, b)
        largest[b] = largest_descent(features, sample, batch, b, _residual_now(sample, active, room), room)
        batch.penalty[b] = largest[b]
        if batch.scale[b].max() == 0.0:
            largest[b] = -1.0
    return largest


@kernel
def walk(
    features: Features,
    batch: Batch,
    room: Room,
    logistic: bool,
    which: Ints,
    penalties: Floats,
    n_levels: Ints,
    stop_size: int,
    first: int,
    sizes: Ints,
    numbers: Floats,
    starts: Ints,
    found: Ints,
    values: Floats,
) -> int:
    """Solve some resamples down their penalties, levels x resamples, from level `first` on, and record the models.

    A resample goes on to its last level, or to the first with stop_size features. The walk ends before its end at a
    level that is not recorded: some of its models are hard (batch.hard), or wait for more places (batch.crowded), or
    there is no room left for them. Where some have waited, level `first` is solved for them alone.
    """
    features, batch, room = borrowed(features), borrowed(batch), borrowed(room)
    for t in range(first, len(penalties)):
        going = np.flatnonzero(goes_on(t, n_levels, stop_size, sizes))
        if len(going) == 0:
            break
        todo = going
        if t == first and batch.crowded[which[going]].any():
            todo = going[batch.crowded[which[going]] > 0]
        bars = _bars(t, penalties, n_levels, todo)
        _solve(features, batch, logistic, which[todo], penalties[t][todo], bars, room)
        for k in going:
            if batch.hard[which[k]] or batch.crowded[which[k]]:
                return t
        models = Models(batch.size, batch.feature, batch.coef, batch.violation)
        if not record(models, which, going, t, sizes, numbers, starts, found, values):
            return t
    return len(penalties)


@part
def _bars(t: int, penalties: Floats, n_levels: Ints, going: Ints) -> Floats:
    """The bar of the check of level t, or the lower one that a feature must reach to be strong at the next level."""
    bars = np.empty(len(going))
    for g in range(len(going)):
        k = going[g]
        bars[g] = penalties[t, k]
        if t + 1 < n_levels[k]:
            bars[g] = min(bars[g], 2.0 * penalties[t + 1, k] - penalties[t, k])
    return bars


@kernel
def goes_on(t: int, n_levels: Ints, stop_size: int, sizes: Ints) -> Bools:
    """Which resamples have a level t."""
    goes = np.empty(len(n_levels), np.bool_)
    for k in range(len(n_levels)):
        goes[k] = t < n_levels[k] and (t == 0 or 0 <= sizes[t - 1, k] < stop_size)
    return goes


@inner_part
def _solve(
    features: Features, batch: Batch, logistic: bool, todo: Ints, penalties: Floats, bars: Floats, room: Room
) -> None:
    """Solve some resamples, each at its penalty; those that a check finds broken again, with what broke them.

    Where that fails batch.hard is set, and the model is for `solve_hard`; where there may be too few places
    batch.crowded is set, and no feature comes in. The arrays are overwritten by those that are left.
    """
    d, n = features.Xt.shape
    strong = Strong(room.strong, room.strong_bound, room.strong_reach)
    left = len(todo)
    for attempt in range(MOST_CHECKS):
        n_solved = 0
        for k in range(left):
            b, penalty = todo[k], penalties[k]
            if batch.hard[b]:
                continue
            sample, active = _sample(batch, b, logistic), _active(batch, b)
            # Features enter where their descent grows as fast as the penalty falls: the strong rule, which errs rarely.
            fall = batch.penalty[b] - penalty
            _mark(active, room)
            n_strong = collect(features, sample, batch, b, penalty - max(fall, 0.0), strong, room)
            wanted = _most_places(active.size[0], strong, n_strong, room.marks) if room.grows else 0
            batch.crowded[b] = wanted if wanted > len(active.slot) else 0
            if batch.crowded[b]:
                _unmark(active, room)
                continue
            coarse = COARSE * fall if attempt == 0 else 0.0
            residual = room.residual[: len(sample.w)]
            batch.violation[b], batch.hard[b] = solve_level(
                features, sample, active, strong, n_strong, penalty, coarse, 0.5 * batch.tol[b],
                batch.scale[b], batch.rms[b], residual, room,
            )  # fmt: skip
            _unmark(active, room)
            if batch.hard[b]:
                continue
            carry_bounds(features, batch, b, residual, strong, n_strong, room.now)
            count_work(room.work, d + n_strong * n)
            batch.penalty[b] = penalty
            todo[n_solved], penalties[n_solved], bars[n_solved] = b, penalty, bars[k]
            n_solved += 1
        renew(features, batch, todo[:n_solved], bars[:n_solved], room)
        left = 0
        for k in range(n_solved):
            if _check(features, batch, logistic, todo[k], room) > batch.tol[todo[k]]:
                todo[left], penalties[left], bars[left] = todo[k], penalties[k], bars[k]
                left += 1
        if left == 0:
            return
    for k in range(left):
        batch.hard[todo[k]] = 1


@part
def _most_places(size: int, strong: Strong, n_strong: int, marks: Marks) -> int:
    """How many places a model takes at most when all strong features come in."""
    outside = 0
    for k in range(n_strong):
        outside += marks[strong.feature[k]] == 0
    return size + outside + TOGETHER


@kernel
def solve_hard(features: Features, batch: Batch, room: Room, logistic: bool, b: int, penalty: float) -> None:
    """One resample by coordinate descent with direct solves, which takes features that nearly depend on each other."""
    features, batch, room = borrowed(features), borrowed(batch), borrowed(room)
    strong = Strong(room.strong, room.strong_bound, room.strong_reach)
    sample, active = _sample(batch, b, logistic), _active(batch, b)
    bar = penalty - max(batch.penalty[b] - penalty, 0.0)
    batch.penalty[b] = penalty
    itself, everything = np.full(1, b), np.full(1, LEAST_BAR)
    residual = _residual_now(sample, active, room)
    put_residual(batch, b, residual)
    unknown(batch, b)
    renew(features, batch, itself, everything, room)
    for _ in range(MOST_CHECKS):
        _mark(active, room)
        n_strong = collect(features, sample, batch, b, bar, strong, room)
        _unmark(active, room)
        batch.violation[b] = _fit_members(features, sample, active, strong.feature[:n_strong], penalty, batch.tol[b])
        residual = _residual_now(sample, active, room)
        put_residual(batch, b, residual)
        unknown(batch, b)
        renew(features, batch, itself, everything, room)
        if _check(features, batch, logistic, b, room) <= batch.tol[b]:
            return
        bar = penalty


@inner_part
def _check(features: Features, batch: Batch, logistic: bool, b: int, room: Room) -> float:
    """By how much features outside the model break the conditions at the penalty of the solution."""
    sample, active = _sample(batch, b, logistic), _active(batch, b)
    _mark(active, room)
    worst = broken(features, sample, batch, b, batch.penalty[b], room)
    _unmark(active, room)
    batch.violation[b] = max(batch.violation[b], worst)
    return worst


@part
def _fit_members(features: Features, sample: Sample, active: Active, strong: Ints, penalty: float, tol: float) -> float:
    n = len(sample.rows)
    always = np.flatnonzero(features.factor == 0.0)
    members = np.unique(np.concatenate((always, active.feature[1 : active.size[0]], strong)))
    Z = np.empty((len(members), n))
    l1, l2, coef = np.empty(len(members)), np.empty(len(members)), np.zeros(len(members))
    for k in range(len(members)):
        scale = standardise_row(features.Xt[members[k]], sample.rows, sample.w, Z[k])[1]
        l1[k], l2[k] = np.inf, 0.0
        if scale > 0.0:
            own = penalty_of(features, sample, members[k], scale)
            l1[k], l2[k] = penalty * own[0], penalty * own[1]
    coef[np.searchsorted(members, active.feature[1 : active.size[0]])] = active.coef[1 : active.size[0]]
    intercept = active.coef[0]
    violation, closest, least = np.inf, np.inf, np.inf
    for _ in range(MOST_CALLS):
        intercept, violation, objective = fit_elastic_net(
            Z, sample.y, sample.w, l1, l2, sample.logistic, 0.5 * tol, MOST_ROUNDS, SWEEPS_A_CALL, coef, intercept
        )
        # The objective is flat at its minimum: the violation goes on falling long after it.
        if violation <= 0.5 * tol or (violation > 0.5 * closest and objective >= least - 1e-12 * abs(least)):
            break
        closest, least = min(closest, violation), min(least, objective)
    active.coef[0] = intercept
    active.size[0] = 1
    for k in range(len(members)):
        m = active.size[0]
        if m < len(active.slot) and (coef[k] != 0.0 or features.factor[members[k]] == 0.0):
            active.feature[m], active.coef[m], active.sign[m] = members[k], coef[k], np.sign(coef[k])
            active.l1[m], active.l2[m] = l1[k] / penalty, l2[k] / penalty
            active.Z[active.slot[m], :n] = Z[k]
            active.size[0] = m + 1
    linear_predictor_afresh(active, n)
    return violation


@kernel
def record(
    models: Models,
    which: Ints,
    going: Ints,
    t: int,
    sizes: Ints,
    numbers: Floats,
    starts: Ints,
    found: Ints,
    values: Floats,
) -> bool:
    """Write down the models of level t: sizes, intercepts and violations; features and coefficients from starts on.

    starts[-1, -1] counts what is written already. False where there is no room for all features.
    """
    used = starts[-1, -1]
    most = 0
    for k in going:
        most += models.size[which[k], 0]
    if used + most > len(found):
        return False
    for k in going:
        b = which[k]
        starts[t, k] = used
        for a in range(1, models.size[b, 0]):
            if models.coef[b, a] != 0.0:
                found[used] = models.feature[b, a]
                values[used] = models.coef[b, a]
                used += 1
        sizes[t, k] = used - starts[t, k]
        numbers[t, k, 0] = models.coef[b, 0]
        numbers[t, k, 1] = models.violation[b]
    starts[-1, -1] = used
    return True


@part
def _start(sample: Sample, active: Active) -> None:
    """The model with the intercept alone, and its factor."""
    n = len(sample.rows)
    mean = 0.0
    for i in range(n):
        mean += sample.w[i] * sample.y[i]
    active.size[0] = 1
    active.wide[0] = 0
    for a in range(len(active.slot)):
        active.slot[a] = a
    active.coef[0] = math.log(mean / (1.0 - mean)) if sample.logistic else mean
    active.sign[0] = active.l1[0] = active.l2[0] = 0.0
    for i in range(n):
        active.Z[0, i] = 1.0
        active.eta[i] = active.coef[0]
        active.curvature[i] = sample.w[i] * (mean * (1.0 - mean) if sample.logistic else 1.0)
    active.L[0, 0] = math.sqrt(total(active.curvature))


@inner_part
def _residual_now(sample: Sample, active: Active, room: Room) -> Floats:
    residual = room.residual[: len(sample.w)]
    residual_and_curvature(sample.y, sample.w, active.eta, sample.logistic, residual, room.curvature)
    return residual


@inner_part
def _mark(active: Active, room: Room) -> None:
    for a in range(1, active.size[0]):
        room.marks[active.feature[a]] = 1


@inner_part
def _unmark(active: Active, room: Room) -> None:
    for a in range(1, active.size[0]):
        room.marks[active.feature[a]] = 0


@inner_part
def _sample(batch: Batch, b: int, logistic: bool) -> Sample:
    n = batch.n_rows[b]
    return Sample(batch.rows[b, :n], batch.w[b, :n], batch.y[b, :n], batch.ridge[b], logistic)


@inner_part
def _active(batch: Batch, b: int) -> Active:
    n = batch.n_rows[b]
    return Active(
        batch.size[b],
        batch.wide[b],
        batch.feature[b],
        batch.slot[b],
        batch.coef[b],
        batch.sign[b],
        batch.l1[b],
        batch.l2[b],
        batch.Z[b],
        batch.L[b],
        batch.curvature[b, :n],
        batch.eta[b, :n],
    )
