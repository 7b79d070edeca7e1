"""Elastic-net linear and logistic regression: proximal Newton steps on a working set, solved to rounding.

The objective

    sum_i w_i loss_i(intercept + x_i b) + sum_j l1_j |b_j| + l2_j b_j^2 / 2

is minimised from a given start. A round takes the gradient of all features, puts into the working
set those that are in the model or break the optimality conditions, and solves on the working set. There, each Newton
step minimises the quadratic model by cyclic coordinate descent, which finds the signs, and by direct solves on the
features with a sign, which find the digits: coordinate descent alone needs thousands of sweeps for them when features
are correlated, and hardly moves when one is nearly a copy of another. Coordinate step: Friedman, Hastie and Tibshirani
(2010); outer step: Lee, Sun and Saunders (2014).
"""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, summing_kernel
from steadyset.kernels.linear.algebra import cholesky, cholesky_solve, dot, symmetric_product, times
from steadyset.kernels.linear.models import linear_predictor, mean_loss, residual_and_curvature
from steadyset.kernels.signals import count_work

MOST_HALVINGS = 40
# A feature of which less than this share is left after its regression on others is solved for by itself.
NEARLY_DEPENDENT = 1e-12


@summing_kernel
def total(a: Floats) -> float:
    """sum_i a_i."""
    value = 0.0
    for i in range(len(a)):
        value += a[i]
    return value


@kernel
def fit_elastic_net(
    Xt: Floats,
    y: Floats,
    w: Floats,
    l1: Floats,
    l2: Floats,
    logistic: bool,
    tol: float,
    most_rounds: int,
    most_sweeps: int,
    coef: Floats,
    intercept: float,
) -> tuple[float, float, float]:
    """Solve for coef in place; the intercept, the largest KKT violation over all features, and the objective.

    Ends after most_sweeps sweeps over the working set at the latest; another call goes on from there.
    """
    sweeps_left = np.full(1, most_sweeps)
    done = np.zeros(1, np.int64)
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
        if violation <= tol or sweeps_left[0] <= 0:
            break
        work = np.flatnonzero(in_work)
        # Another round follows as long as features enter, so early rounds need not be exact.
        intercept = _fit_working_set(
            Xt,
            y,
            w,
            l1,
            l2,
            logistic,
            max(tol, 0.01 * violation),
            most_rounds,
            sweeps_left,
            done,
            tol,
            work,
            coef,
            intercept,
        )
        count_work(done, Xt.size)
        eta = linear_predictor(Xt, coef, intercept)
    return intercept, violation, mean_loss(y, w, eta, logistic) + _penalty(coef, l1, l2, np.flatnonzero(coef))


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
    Xt: Floats,
    y: Floats,
    w: Floats,
    l1: Floats,
    l2: Floats,
    logistic: bool,
    goal: float,
    most_rounds: int,
    sweeps_left: Ints,
    done: Ints,
    tol: float,
    work: Ints,
    coef: Floats,
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
        if violation <= goal or sweeps_left[0] <= 0:
            break
        objective = mean_loss(y, w, eta, logistic) + _penalty(coef, l1, l2, work)
        # The quadratic model errs by the square of the step: solving it further than that is wasted.
        model_goal = max(0.1 * tol, min(0.1 * violation, violation * violation)) if logistic else 0.1 * tol
        moved = _minimise_quadratic(
            Xt, curvature, residual, l1, l2, model_goal, tol, sweeps_left, done, work, coef, intercept
        )
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
    Xt: Floats,
    curvature: Floats,
    residual: Floats,
    l1: Floats,
    l2: Floats,
    goal: float,
    tol: float,
    sweeps_left: Ints,
    done: Ints,
    work: Ints,
    coef: Floats,
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
    while sweeps_left[0] > 0:
        sweeps_left[0] -= 1
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
        count_work(done, len(residual) * (len(work) + 1))
        if largest <= goal:
            break
        since_direct += 1
        if since_direct >= max(2, n_active // 8):
            since_direct = 0
            intercept = _solve_for_signs(
                Xt, weighted, second, curvature, residual, l1, l2, tol, done, work, coef, intercept
            )
    return intercept


@kernel
def _solve_for_signs(
    Xt: Floats,
    weighted: Floats,
    second: Floats,
    curvature: Floats,
    residual: Floats,
    l1: Floats,
    l2: Floats,
    tol: float,
    done: Ints,
    work: Ints,
    coef: Floats,
    intercept: float,
) -> float:
    """Go to the minimum of the quadratic model for today's signs; coefficients that get to zero on the way stay there.

    A basis is a list of places in work, after the intercept.
    """
    n = len(residual)
    basis = np.empty(len(work) + 1, np.int64)
    size = 1
    for a in range(len(work)):
        if coef[work[a]] != 0.0:
            basis[size] = a
            size += 1
    if size <= n or l2.max() > 0.0:
        X_basis = np.empty((size, n))
        V_basis = np.empty((size, n))
        X_basis[0] = 1.0
        V_basis[0] = curvature
        for q in range(1, size):
            X_basis[q] = Xt[work[basis[q]]]
            V_basis[q] = weighted[basis[q]]
        gram = symmetric_product(X_basis, V_basis)
        count_work(done, n * size * size)
        for q in range(1, size):
            gram[q, q] += l2[work[basis[q]]]
        L = gram.copy()
        if cholesky(L, size, NEARLY_DEPENDENT):
            return _descend(Xt, curvature, residual, l1, l2, done, work, basis[:size], gram, L, coef, intercept)
    return _solve_dependent(
        Xt, weighted, second, curvature, residual, l1, l2, tol, done, work, basis[1:size].copy(), coef, intercept
    )


@kernel
def _descend(
    Xt: Floats,
    curvature: Floats,
    residual: Floats,
    l1: Floats,
    l2: Floats,
    done: Ints,
    work: Ints,
    basis: Ints,
    gram: Floats,
    L: Floats,
    coef: Floats,
    intercept: float,
) -> float:
    """Newton steps on a basis with the Gram matrix L L', each to the next coefficient that gets to zero and leaves."""
    size = len(basis)
    slopes = np.empty(size)
    slopes[0] = total(residual)
    start = np.zeros(len(basis))
    features = np.empty(size, np.int64)
    for q in range(1, size):
        j = work[basis[q]]
        features[q] = j
        start[q] = coef[j]
        slopes[q] = dot(Xt[j], residual) - np.sign(coef[j]) * l1[j] - l2[j] * coef[j]
    members = features.copy()
    shift = 0.0
    while True:
        step = slopes[:size].copy()
        cholesky_solve(L, size, step)
        length = 1.0
        blocking = -1
        for q in range(1, size):
            old = coef[members[q]]
            if old * (old + length * step[q]) <= 0.0:
                length = -old / step[q]
                blocking = q
        shift += length * step[0]
        for q in range(1, size):
            coef[members[q]] = 0.0 if q == blocking else coef[members[q]] + length * step[q]
        if blocking < 0:
            break
        # On the way to a minimum all slopes fall alike.
        for q in range(size):
            slopes[q] *= 1.0 - length
        for q in range(blocking, size - 1):
            slopes[q] = slopes[q + 1]
            members[q] = members[q + 1]
        _leave_out(gram, L, size, blocking)
        count_work(done, size * size * (size - blocking))
        size -= 1
    moved = np.full(len(residual), shift)
    for q in range(1, len(basis)):
        change = coef[features[q]] - start[q]
        for i in range(len(residual)):
            moved[i] += change * Xt[features[q], i]
    for i in range(len(residual)):
        residual[i] -= curvature[i] * moved[i]
    return float(intercept + shift)


@kernel
def _leave_out(gram: Floats, L: Floats, size: int, gone: int) -> None:
    """Take a row and column out of the Gram matrix and bring its factor up to date."""
    for p in range(gone, size - 1):
        for q in range(size):
            gram[p, q] = gram[p + 1, q]
    for p in range(size - 1):
        for q in range(gone, size - 1):
            gram[p, q] = gram[p, q + 1]
    for p in range(gone, size - 1):
        _add_row(L, gram[p], p)


@kernel
def _add_row(L: Floats, row: Floats, size: int) -> float:
    """Write row `size` of the factor; the share of the new diagonal entry that the rows before do not explain."""
    for q in range(size):
        L[size, q] = (row[q] - dot(L[size, :q], L[q, :q])) / L[q, q]
    pivot = row[size] - dot(L[size, :size], L[size, :size])
    L[size, size] = np.sqrt(max(pivot, 1e-16 * row[size]))
    return float(pivot / row[size])


@kernel
def _solve_dependent(
    Xt: Floats,
    weighted: Floats,
    second: Floats,
    curvature: Floats,
    residual: Floats,
    l1: Floats,
    l2: Floats,
    tol: float,
    done: Ints,
    work: Ints,
    active: Ints,
    coef: Floats,
    intercept: float,
) -> float:
    """What _solve_for_signs does, where features with a sign depend on each other, exactly or nearly.

    Features join a basis one by one. One that the basis explains is exchanged against it: along that direction the
    loss hardly changes, and mostly the penalty falls until a coefficient gets to zero. Such a direction is the
    difference of nearly equal columns, whose inner products with others are lost in rounding; so its curvature is taken
    from the difference itself.
    """
    n = len(residual)
    capacity = len(active) + 1 if l2.max() > 0.0 else min(len(active), n) + 1
    basis = np.empty(capacity, np.int64)  # places in work, after the intercept
    gram = np.empty((capacity, capacity))
    L = np.empty((capacity, capacity))
    gram[0, 0] = total(curvature)
    L[0, 0] = np.sqrt(gram[0, 0])
    row = np.empty(capacity + 1)
    size = 1
    for a in active:
        j = work[a]
        count_work(done, n * size)
        row[0] = total(weighted[a])
        for q in range(1, size):
            row[q] = dot(Xt[work[basis[q]]], weighted[a])
        row[size] = second[a] + l2[j]
        if size < capacity and _add_row(L, row, size) > NEARLY_DEPENDENT:
            basis[size] = a
            gram[size, : size + 1] = row[: size + 1]
            gram[: size + 1, size] = row[: size + 1]
            size += 1
            continue
        share = row[:size].copy()
        cholesky_solve(L, size, share)
        moved = Xt[j] - share[0]
        slope = -np.sign(coef[j]) * l1[j] - l2[j] * coef[j]
        bend = l2[j]
        for q in range(1, size):
            b = work[basis[q]]
            for i in range(n):
                moved[i] -= share[q] * Xt[b, i]
            slope += share[q] * (np.sign(coef[b]) * l1[b] + l2[b] * coef[b])
            bend += l2[b] * share[q] ** 2
        slope += dot(moved, residual)
        for i in range(n):
            bend += curvature[i] * moved[i] ** 2
        # Between features that do equally well the later one goes.
        rise = np.sign(slope) if abs(slope) > tol else -np.sign(coef[j])
        length = abs(slope) / bend if abs(slope) > tol and bend > 0.0 else np.inf
        blocking = -1
        if rise * coef[j] < 0.0 and abs(coef[j]) <= length:
            length = abs(coef[j])
            blocking = 0
        for q in range(1, size):
            old = coef[work[basis[q]]]
            if old * share[q] * rise > 0.0 and abs(old) < length * abs(share[q]):
                length = abs(old / share[q])
                blocking = q
        if length == np.inf:
            continue
        coef[j] = 0.0 if blocking == 0 else coef[j] + rise * length
        for q in range(1, size):
            b = work[basis[q]]
            coef[b] = 0.0 if blocking == q else coef[b] - rise * length * share[q]
        intercept -= rise * length * share[0]
        for i in range(n):
            residual[i] -= rise * length * curvature[i] * moved[i]
        if blocking > 0:
            _leave_out(gram, L, size, blocking)
            count_work(done, size * size * (size - blocking))
            for q in range(blocking, size - 1):
                basis[q] = basis[q + 1]
                row[q] = row[q + 1]
            row[size - 1] = row[size]
            basis[size - 1] = a
            gram[size - 1, :size] = row[:size]
            gram[:size, size - 1] = row[:size]
            _add_row(L, row, size - 1)
    return _descend(Xt, curvature, residual, l1, l2, done, work, basis[:size], gram, L, coef, intercept)


@kernel
def _penalty(coef: Floats, l1: Floats, l2: Floats, work: Ints) -> float:
    total = 0.0
    for j in work:
        total += l1[j] * abs(coef[j]) + 0.5 * l2[j] * coef[j] * coef[j]
    return total
