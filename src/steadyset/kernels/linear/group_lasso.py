"""Group-lasso linear and logistic regression: proximal Newton steps, with exact minimisation of each group.

The objective

    sum_i w_i loss_i(intercept + x_i b) + sum_g strength_g |b_g|_2

is minimised from a given start (Yuan and Lin 2006; Meier, van de Geer and Buehlmann 2008). Newton's
quadratic model is minimised group by group, which finds the groups that are zero; once these stay zero the objective
is smooth, and Newton steps on all other coefficients at once find the digits.
"""

from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, part
from steadyset.kernels.linear.algebra import cholesky, cholesky_solve, combine, dot, symmetric_product, times
from steadyset.kernels.linear.models import linear_predictor, mean_loss, residual_and_curvature
from steadyset.kernels.signals import count_work

MOST_SWEEPS = 200
MOST_HALVINGS = 40
MOST_SHORTENINGS = 40
MOST_POLISHED = 1000


class GroupLasso(NamedTuple):
    """Standardised features as rows (group g has those from bounds[g] to bounds[g + 1]), the target and the penalty."""

    Xt: Floats
    y: Floats
    w: Floats
    bounds: Ints
    strength: Floats  # of the penalty, for each group
    logistic: bool
    tol: float


@kernel
def fit_group_lasso(
    model: GroupLasso, most_rounds: int, most_sweeps: int, coef: Floats, intercept: float
) -> tuple[float, float, float]:
    """Solve for coef in place; the intercept, the largest KKT violation over all groups, and the objective.

    Ends after most_sweeps sweeps over the groups at the latest; another call goes on from there.
    """
    Xt, y, w, bounds, strength, logistic, tol = model
    sweeps_left = np.full(1, most_sweeps)
    done = np.zeros(1, np.int64)
    residual = np.empty(len(y))
    curvature = np.empty(len(y))
    in_work = np.empty(len(strength), np.bool_)
    violation = objective = np.inf
    for _ in range(most_rounds):
        eta = linear_predictor(Xt, coef, intercept)
        residual_and_curvature(y, w, eta, logistic, residual, curvature)
        descent = times(Xt, residual)
        violation = abs(residual.sum())
        for g in range(len(strength)):
            own = slice(bounds[g], bounds[g + 1])
            broken = _violation(coef[own], descent[own], strength[g])
            violation = max(violation, broken)
            # A working set: with most groups at zero the sweeps pass over few of them, and each round checks all.
            in_work[g] = broken > tol or _norm(coef[own]) > 0.0
        work = np.flatnonzero(in_work)
        objective = _objective(model, eta, coef, work)
        if violation <= tol or sweeps_left[0] <= 0:
            break
        before = coef.copy()
        # Sweeps as exact as Newton's quadratic rate needs, and no more.
        goal = max(0.1 * tol, min(0.1 * violation, violation * violation))
        moved = _minimise_quadratic(model, curvature, residual, goal, sweeps_left, done, work, coef, intercept)
        direction = coef - before
        step = 1.0
        # The quadratic model may go too far where the loss bends less than at the start (logistic); halving restores
        # descent.
        for _ in range(MOST_HALVINGS):
            eta = linear_predictor(Xt, coef, intercept + step * (moved - intercept))
            if _objective(model, eta, coef, work) <= objective + 1e-13 * abs(objective):
                break
            step *= 0.5
            coef[:] = before + step * direction
        intercept += step * (moved - intercept)
        intercept = _polish(model, work, coef, intercept)
        count_work(done, Xt.size)
    return intercept, violation, objective


@kernel
def _violation(coef: Floats, descent: Floats, strength: float) -> float:
    """Distance of minus the loss gradient from the subdifferential of the penalty, for one group."""
    norm = _norm(coef)
    if norm == 0.0:
        return max(_norm(descent) - strength, 0.0)
    return _norm(descent - strength / norm * coef)


@kernel
def _minimise_quadratic(
    model: GroupLasso,
    curvature: Floats,
    residual: Floats,
    goal: float,
    sweeps_left: Ints,
    done: Ints,
    work: Ints,
    coef: Floats,
    intercept: float,
) -> float:
    """Sweep over the groups of work, each minimised exactly; coef and residual change in place."""
    Xt, bounds, strength, tol = model.Xt, model.bounds, model.strength, model.tol
    hessians = []
    n_swept = 1
    for g in work:
        n_swept += bounds[g + 1] - bounds[g]
        rows = Xt[bounds[g] : bounds[g + 1]]
        hessians.append(symmetric_product(rows, rows * curvature))
    total_curvature = curvature.sum()
    for _ in range(min(MOST_SWEEPS, sweeps_left[0])):
        sweeps_left[0] -= 1
        shift = residual.sum() / total_curvature
        intercept += shift
        residual -= shift * curvature
        largest = abs(shift) * total_curvature
        for a in range(len(work)):
            g = work[a]
            own = slice(bounds[g], bounds[g + 1])
            descent = times(Xt[own], residual)
            old = coef[own].copy()
            # With some slack: on the border rounding would let a group in and out for ever.
            if _norm(old) == 0.0 and _norm(descent) <= strength[g] + tol:
                continue
            coef[own] = _minimise_group(hessians[a], descent + times(hessians[a], old), strength[g], old)
            change = coef[own] - old
            residual -= curvature * combine(change, Xt[own])
            largest = max(largest, _norm(times(hessians[a], change)))
        count_work(done, len(residual) * n_swept)
        if largest <= goal:
            break
    return intercept


@part
def _minimise_group(H: Floats, target: Floats, strength: float, start: Floats) -> Floats:
    """argmin_b  b'Hb / 2 - target'b + strength |b|.

    Zero, or b = (H + mu I)^-1 target with mu |b| = strength: a Newton search for mu, kept between bounds that close in.
    """
    size = _norm(target)
    if size <= strength:
        return np.zeros(len(target))
    if len(target) == 1:
        scale: float = (1.0 - strength / size) / H[0, 0]
        return scale * target
    # mu |b(mu)| grows with mu, so there is one root. |b| is at least |target| / (trace H + mu), because no eigenvalue
    # of H is above its trace: that bounds mu from above.
    low = 0.0
    high = strength * np.trace(H) / (size - strength)
    mu = strength / _norm(start) if _norm(start) > 0.0 else high
    if not low < mu <= high:
        mu = high
    best = start
    for _ in range(200):
        shifted = H.copy()
        for a in range(len(target)):
            shifted[a, a] += mu
        if not cholesky(shifted, len(target), 0.0):
            low = mu
            mu = 0.5 * (low + high)
            continue
        best = target.copy()
        cholesky_solve(shifted, len(target), best)
        norm = _norm(best)
        excess = mu * norm - strength
        if abs(excess) <= 1e-15 * strength or high - low <= 1e-15 * high:
            break
        if excess > 0.0:
            high = mu
        else:
            low = mu
        further = best.copy()
        cholesky_solve(shifted, len(target), further)
        # Newton's step: the derivative of mu |b| is |b| - mu b' (H + mu I)^-1 b / |b|.
        mu -= excess / (norm - mu * dot(best, further) / norm)
        if not low < mu < high:
            mu = 0.5 * (low + high)
    return best


@part
def _polish(model: GroupLasso, work: Ints, coef: Floats, intercept: float) -> float:
    """Newton steps on the non-zero groups, where the objective is smooth, for as long as they bring it down."""
    Xt, y, w, bounds, strength, logistic, tol = model
    active = np.flatnonzero(coef)
    m = len(active)
    if m == 0 or m > MOST_POLISHED:
        return intercept
    X = np.ones((m + 1, len(y)))
    for a in range(m):
        X[a] = Xt[active[a]]
    theta = np.empty(m + 1)
    theta[:m] = coef[active]
    theta[m] = intercept
    residual = np.empty(len(y))
    curvature = np.empty(len(y))
    eta = combine(theta, X)
    objective = _objective(model, eta, coef, work)
    for _ in range(20):
        residual_and_curvature(y, w, eta, logistic, residual, curvature)
        hessian = symmetric_product(X, X * curvature)
        step = times(X, residual)
        first = 0
        for g in work:
            own = coef[bounds[g] : bounds[g + 1]]
            norm = _norm(own)
            if norm == 0.0:
                continue
            last = first + int(np.count_nonzero(own))
            pull = strength[g] / norm
            # Slope and second derivative of strength |b_g|, which bends across b_g only.
            for p in range(first, last):
                step[p] -= pull * theta[p]
                hessian[p, p] += pull
                for q in range(first, last):
                    hessian[p, q] -= pull * theta[p] * theta[q] / (norm * norm)
            first = last
        if np.abs(step).max() <= 0.1 * tol:
            break
        factor = hessian.copy()
        if not cholesky(factor, m + 1, 1e-14):
            # Along near copies in different groups nothing curves: a slope leads far, up to where a group gets to zero.
            for p in range(m + 1):
                hessian[p, p] *= 1.0 + 1e-12
            factor = hessian
            if not cholesky(factor, m + 1, 0.0):
                break
        cholesky_solve(factor, m + 1, step)
        reached = np.inf
        for _ in range(MOST_SHORTENINGS):
            eta = combine(theta + step, X)
            coef[active] = theta[:m] + step[:m]
            reached = _objective(model, eta, coef, work)
            if reached <= objective + 1e-14 * abs(objective):
                break
            step *= 0.5
        if reached > objective + 1e-14 * abs(objective):
            break
        objective = reached
        theta += step
    coef[active] = theta[:m]
    return float(theta[m])


@part
def _objective(model: GroupLasso, eta: Floats, coef: Floats, work: Ints) -> float:
    total = 0.0
    for g in work:
        total += model.strength[g] * _norm(coef[model.bounds[g] : model.bounds[g + 1]])
    return mean_loss(model.y, model.w, eta, model.logistic) + total


@part
def _norm(a: Floats) -> float:
    return float(np.sqrt(dot(a, a)))
