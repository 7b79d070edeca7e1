"""One level of a batch: solve each resample, screen all features at once, check, and solve again what is broken."""

import math

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel
from steadyset.kernels.linear.elastic_net import fit_elastic_net
from steadyset.kernels.linear.glm import residual_and_curvature
from steadyset.kernels.linear.products import total
from steadyset.kernels.paths.active_set import enter
from steadyset.kernels.paths.feature_moments import penalty_of, set_scales, standardise_row
from steadyset.kernels.paths.one_level import linear_predictor_afresh, solve_level
from steadyset.kernels.paths.path_arrays import Active, Batch, Features, Marks, Sample, Singles, Strong
from steadyset.kernels.paths.screening import broken, collect, largest_descent, put_residual, screen
from steadyset.kernels.signals import count_work

# How often features that break the conditions are let in after a check.
MOST_CHECKS = 20
# The first features enter when the slopes are within this part of the fall of the penalty.
COARSE = 0.1
NO_FEATURE = 1e300  # a penalty at which no feature that has one can enter
# The kernel for hard cases: rounds and sweeps of a call, and calls.
MOST_ROUNDS, SWEEPS_A_CALL, MOST_CALLS = 1000, 1000, 50


@kernel
def begin(features: Features, batch: Batch, weights: Singles, logistic: bool) -> None:
    """The scales of all features, and models with the intercept alone."""
    set_scales(features, batch, weights, np.empty(features.Xt.shape[1]))
    for b in range(len(batch.n_rows)):
        sample, active = _sample(batch, b, logistic), _active(batch, b)
        _start(sample, active)
        put_residual(batch, b, _residual_now(sample, active))
        batch.hard[b] = 0
        batch.penalty[b] = NO_FEATURE
    screen(features, batch, np.arange(len(batch.n_rows)))


@kernel
def let_unpenalised_in(features: Features, batch: Batch, logistic: bool) -> None:
    """Features without a penalty enter all models, which are then to be solved at NO_FEATURE."""
    marks = np.zeros(len(features.factor), np.int8)
    for b in range(len(batch.n_rows)):
        sample, active = _sample(batch, b, logistic), _active(batch, b)
        row = np.empty(len(active.slot) + 1)
        for j in np.flatnonzero(features.factor == 0.0):
            enter(features, sample, active, int(j), 0.0, 0.0, marks, row)
        _unmark(active, marks)


@kernel
def largest_penalties(features: Features, batch: Batch, logistic: bool) -> Floats:
    """The least penalty of each resample that leaves out every feature that has one."""
    largest = np.empty(len(batch.n_rows))
    z = np.empty(features.Xt.shape[1])
    for b in range(len(largest)):
        sample, active = _sample(batch, b, logistic), _active(batch, b)
        largest[b] = largest_descent(features, sample, batch, b, _residual_now(sample, active), z)
        batch.penalty[b] = largest[b]
    return largest


@kernel
def solve(features: Features, batch: Batch, logistic: bool, which: Ints, penalties: Floats) -> None:
    """Solve some resamples, each at its penalty; those that a check finds broken again, with what broke them.

    Where that fails batch.hard is set, and the model is for `solve_hard`.
    """
    d, n = features.Xt.shape
    marks = np.zeros(d, np.int8)
    strong = Strong(np.empty(d, np.int64), np.empty(d), np.empty(d))
    z = np.empty(n)
    work = np.zeros(1, np.int64)
    todo, goals = which.copy(), penalties.copy()
    for attempt in range(MOST_CHECKS):
        for k in range(len(todo)):
            b, penalty = todo[k], goals[k]
            if batch.hard[b]:
                continue
            sample, active = _sample(batch, b, logistic), _active(batch, b)
            residual = _residual_now(sample, active)
            # Features enter where their descent grows as fast as the penalty falls: the strong rule, which errs rarely.
            fall = batch.penalty[b] - penalty
            n_strong = collect(features, sample, batch, b, residual, penalty - max(fall, 0.0), strong, z)
            _mark(active, marks)
            coarse = COARSE * fall if attempt == 0 else 0.0
            batch.violation[b], batch.hard[b] = solve_level(
                features, sample, active, strong, n_strong, penalty, coarse, 0.5 * batch.tol[b],
                batch.scale[b], batch.rms[b], marks, residual,
            )  # fmt: skip
            _unmark(active, marks)
            batch.penalty[b] = penalty
            put_residual(batch, b, residual)
            m = active.size[0]
            count_work(work, (10 * m + n_strong) * n + m * m * m)
        screen(features, batch, todo)
        count_work(work, len(todo) * n * d)
        left = 0
        for k in range(len(todo)):
            if not batch.hard[todo[k]] and _check(features, batch, logistic, todo[k], marks, z) > batch.tol[todo[k]]:
                todo[left], goals[left] = todo[k], goals[k]
                left += 1
        todo, goals = todo[:left], goals[:left]
        if left == 0:
            return
    batch.hard[todo] = 1


@kernel
def solve_hard(features: Features, batch: Batch, logistic: bool, b: int, penalty: float) -> None:
    """One resample by coordinate descent with direct solves, which takes features that nearly depend on each other."""
    marks = np.zeros(len(features.factor), np.int8)
    strong = Strong(np.empty(len(marks), np.int64), np.empty(len(marks)), np.empty(len(marks)))
    z = np.empty(features.Xt.shape[1])
    sample, active = _sample(batch, b, logistic), _active(batch, b)
    for _ in range(MOST_CHECKS):
        bar = penalty - max(batch.penalty[b] - penalty, 0.0)
        residual = _residual_now(sample, active)
        n_strong = collect(features, sample, batch, b, residual, bar, strong, z)
        batch.violation[b] = _fit_members(features, sample, active, strong.feature[:n_strong], penalty, batch.tol[b])
        batch.penalty[b] = penalty
        put_residual(batch, b, _residual_now(sample, active))
        screen(features, batch, np.full(1, b))
        if _check(features, batch, logistic, b, marks, z) <= batch.tol[b]:
            return


@kernel
def _check(features: Features, batch: Batch, logistic: bool, b: int, marks: Marks, z: Floats) -> float:
    """By how much features outside the model break the conditions at the penalty of the solution."""
    sample, active = _sample(batch, b, logistic), _active(batch, b)
    _mark(active, marks)
    worst = broken(features, sample, batch, b, _residual_now(sample, active), batch.penalty[b], marks, z)
    _unmark(active, marks)
    batch.violation[b] = max(batch.violation[b], worst)
    return worst


@kernel
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
def record(batch: Batch, which: Ints, sizes: Ints, numbers: Floats, found: Ints, values: Floats) -> None:
    """Write down the models of some resamples: sizes, intercepts and violations, features and coefficients."""
    used = 0
    for k in range(len(which)):
        b = which[k]
        size = 0
        for a in range(1, batch.size[b, 0]):
            if batch.coef[b, a] != 0.0:
                found[used + size] = batch.feature[b, a]
                values[used + size] = batch.coef[b, a]
                size += 1
        used += size
        sizes[k] = size
        numbers[k, 0] = batch.coef[b, 0]
        numbers[k, 1] = batch.violation[b]


@kernel
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


@kernel
def _residual_now(sample: Sample, active: Active) -> Floats:
    residual, curvature = np.empty(len(sample.w)), np.empty(len(sample.w))
    residual_and_curvature(sample.y, sample.w, active.eta, sample.logistic, residual, curvature)
    return residual


@kernel
def _mark(active: Active, marks: Marks) -> None:
    for a in range(1, active.size[0]):
        marks[active.feature[a]] = 1


@kernel
def _unmark(active: Active, marks: Marks) -> None:
    for a in range(1, active.size[0]):
        marks[active.feature[a]] = 0


@kernel
def _sample(batch: Batch, b: int, logistic: bool) -> Sample:
    n = batch.n_rows[b]
    return Sample(batch.rows[b, :n], batch.w[b, :n], batch.y[b, :n], batch.ridge[b], logistic)


@kernel
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
