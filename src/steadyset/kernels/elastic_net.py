"""Elastic-net linear and logistic regression: proximal Newton steps on a working set, solved to rounding.

The objective

    sum_i w_i loss_i(intercept + x_i b) + sum_j l1_j |b_j| + l2_j b_j^2 / 2

is minimised from a given start. A round takes the gradient of all features, puts into the working
set those that are in the model or break the optimality conditions, and solves on the working set. There, each Newton
step minimises the quadratic model by cyclic coordinate descent, which finds the signs, and by direct solves on the
features with a sign, which find the digits: coordinate descent alone needs thousands of sweeps for them when features
are correlated. Coordinate step: Friedman, Hastie and Tibshirani (2010); outer step: Lee, Sun and Saunders (2014).
"""

import numpy as np
from numpy.typing import NDArray

from steadyset.kernels.cholesky import cholesky, cholesky_solve
from steadyset.kernels.glm import linear_predictor, mean_loss, residual_and_curvature
from steadyset.kernels.jit import kernel
from steadyset.kernels.products import combine, dot, symmetric_product, times, total

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MOST_SWEEPS = 10_000
MOST_HALVINGS = 40


@kernel
def fit_elastic_net(
    Xt: FloatArray,
    y: FloatArray,
    w: FloatArray,
    l1: FloatArray,
    l2: FloatArray,
    logistic: bool,
    tol: float,
    most_rounds: int,
    coef: FloatArray,
    intercept: float,
) -> tuple[float, float]:
    """Solve for coef in place; returns the intercept and the largest KKT violation over all features."""
    residual = np.empty(len(y))
    curvature = np.empty(len(y))
    eta = linear_predictor(Xt, coef, intercept)
    violation = np.inf
    for _ in range(most_rounds):
        residual_and_curvature(y, w, eta, logistic, residual, curvature)
        descent = times(Xt, residual)
        violation = abs(total(residual))
        in_work = np.zeros(len(coef), np.bool_)
        for j in range(len(coef)):
            broken = _violation(coef[j], descent[j], l1[j], l2[j])
            violation = max(violation, broken)
            in_work[j] = coef[j] != 0.0 or broken > tol
        if violation <= tol:
            break
        work = np.flatnonzero(in_work)
        # Another round follows as long as features enter, so early rounds need not be exact.
        intercept = _fit_working_set(
            Xt, y, w, l1, l2, logistic, max(tol, 0.01 * violation), most_rounds, tol, work, coef, intercept
        )
        eta = linear_predictor(Xt, coef, intercept)
    return intercept, violation


@kernel
def _violation(coef: float, descent: float, l1: float, l2: float) -> float:
    """Distance of minus the loss gradient from the subdifferential of the penalty."""
    if coef > 0.0:
        return abs(descent - l1 - l2 * coef)
    if coef < 0.0:
        return abs(descent + l1 - l2 * coef)
    return max(abs(descent) - l1, 0.0)


@kernel
def _fit_working_set(
    Xt: FloatArray,
    y: FloatArray,
    w: FloatArray,
    l1: FloatArray,
    l2: FloatArray,
    logistic: bool,
    goal: float,
    most_rounds: int,
    tol: float,
    work: IntArray,
    coef: FloatArray,
    intercept: float,
) -> float:
    """Newton steps with a line search on the features of work, until their KKT violation is at most goal."""
    residual = np.empty(len(y))
    curvature = np.empty(len(y))
    eta = linear_predictor(Xt, coef, intercept)
    before = np.empty(len(work))
    direction = np.empty(len(work))
    for _ in range(most_rounds):
        residual_and_curvature(y, w, eta, logistic, residual, curvature)
        violation = abs(total(residual))
        for a in range(len(work)):
            j = work[a]
            violation = max(violation, _violation(coef[j], dot(Xt[j], residual), l1[j], l2[j]))
            before[a] = coef[j]
        if violation <= goal:
            break
        objective = mean_loss(y, w, eta, logistic) + _penalty(coef, l1, l2, work)
        # The quadratic model errs by the square of the step: solving it further than that is wasted.
        model_goal = max(0.1 * tol, min(0.1 * violation, violation * violation)) if logistic else 0.1 * tol
        moved = _minimise_quadratic(Xt, curvature, residual, l1, l2, model_goal, tol, work, coef, intercept)
        for a in range(len(work)):
            direction[a] = coef[work[a]] - before[a]
        step = 1.0
        for _ in range(MOST_HALVINGS):
            eta = linear_predictor(Xt, coef, intercept + step * (moved - intercept))
            now = mean_loss(y, w, eta, logistic) + _penalty(coef, l1, l2, work)
            if not logistic or now <= objective + 1e-13 * abs(objective):
                break
            step *= 0.5
            for a in range(len(work)):
                coef[work[a]] = before[a] + step * direction[a]
        intercept += step * (moved - intercept)
    return intercept


@kernel
def _minimise_quadratic(
    Xt: FloatArray,
    curvature: FloatArray,
    residual: FloatArray,
    l1: FloatArray,
    l2: FloatArray,
    goal: float,
    tol: float,
    work: IntArray,
    coef: FloatArray,
    intercept: float,
) -> float:
    """Minimise the penalised quadratic model over work, changing coef and residual in place; returns the intercept."""
    weighted = np.empty((len(work), len(curvature)))
    second = np.empty(len(work))
    for a in range(len(work)):
        for i in range(len(curvature)):
            weighted[a, i] = Xt[work[a], i] * curvature[i]
        second[a] = dot(Xt[work[a]], weighted[a])
    total_curvature = total(curvature)
    since_direct = 0
    for _ in range(MOST_SWEEPS):
        shift = total(residual) / total_curvature
        intercept += shift
        for i in range(len(residual)):
            residual[i] -= shift * curvature[i]
        largest = abs(shift) * total_curvature
        n_active = 0
        for a in range(len(work)):
            j = work[a]
            descent = dot(Xt[j], residual)
            old = coef[j]
            # A feature outside the model enters only when it breaks the conditions by more than the tolerance:
            # rounding alone must not bring in an exact copy of a feature that is in.
            if old == 0.0 and abs(descent) <= l1[j] + tol:
                continue
            target = descent + second[a] * old
            new = 0.0
            if abs(target) > l1[j]:
                new = (target - np.sign(target) * l1[j]) / (second[a] + l2[j])
            if new != 0.0:
                n_active += 1
            if new != old:
                coef[j] = new
                change = new - old
                for i in range(len(residual)):
                    residual[i] -= change * weighted[a, i]
                largest = max(largest, abs(change) * (second[a] + l2[j]))
        if largest <= goal:
            break
        since_direct += 1
        if since_direct >= max(2, n_active // 8):
            since_direct = 0
            intercept = _solve_for_signs(Xt, weighted, curvature, residual, l1, l2, work, coef, intercept)
    return intercept


@kernel
def _solve_for_signs(
    Xt: FloatArray,
    weighted: FloatArray,
    curvature: FloatArray,
    residual: FloatArray,
    l1: FloatArray,
    l2: FloatArray,
    work: IntArray,
    coef: FloatArray,
    intercept: float,
) -> float:
    """Go to the minimum of the quadratic model for today's signs, or until the first coefficient gets to zero."""
    n_active = 0
    active = np.empty(len(work), np.int64)
    for a in range(len(work)):
        if coef[work[a]] != 0.0:
            active[n_active] = a
            n_active += 1
    if n_active >= len(residual) and l2.max() == 0.0:
        return intercept
    X_active = np.empty((n_active + 1, len(residual)))
    V_active = np.empty((n_active + 1, len(residual)))
    step = np.empty(n_active + 1)
    for i in range(len(residual)):
        X_active[n_active, i] = 1.0
        V_active[n_active, i] = curvature[i]
    step[n_active] = total(residual)
    for p in range(n_active):
        j = work[active[p]]
        for i in range(len(residual)):
            X_active[p, i] = Xt[j, i]
            V_active[p, i] = weighted[active[p], i]
        step[p] = dot(Xt[j], residual) - np.sign(coef[j]) * l1[j] - l2[j] * coef[j]
    hessian = symmetric_product(X_active, V_active)
    for p in range(n_active):
        hessian[p, p] += l2[work[active[p]]]
    if not cholesky(hessian, n_active + 1, 1e-12):
        return intercept
    cholesky_solve(hessian, n_active + 1, step)
    length = 1.0
    blocking = -1
    for p in range(n_active):
        old = coef[work[active[p]]]
        if old * (old + length * step[p]) <= 0.0:
            length = -old / step[p]
            blocking = p
    for p in range(n_active):
        j = work[active[p]]
        coef[j] = 0.0 if p == blocking else coef[j] + length * step[p]
    moved = combine(step, V_active)
    for i in range(len(residual)):
        residual[i] -= length * moved[i]
    shift: float = length * step[n_active]
    return intercept + shift


@kernel
def _penalty(coef: FloatArray, l1: FloatArray, l2: FloatArray, work: IntArray) -> float:
    total = 0.0
    for j in work:
        total += l1[j] * abs(coef[j]) + 0.5 * l2[j] * coef[j] * coef[j]
    return total
