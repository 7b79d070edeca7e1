"""Best-subset (L0) regression of sizes 1..k: forward steps, then swaps until no swap helps.

For each size the objective  sum_i w_i loss_i(intercept + x_i b) + ridge / 2 sum_j b_j^2  is to be least over all
supports of that size. A step adds the feature with the greatest gain to the support of the size before; then, for
each feature of the support in turn, the model without it is fitted and the best replacement put in if it is better.
Candidates are ranked by the gain of one Newton step, descent_j^2 / (2 free_j) up to a factor, and the first few are
fitted exactly. free_j is what is left of feature j after its projection on the support: where nothing is left (a copy,
or a combination of chosen features) the feature is no candidate, whatever the ridge makes of it.
Local search of this kind: Hazimeh and Mazumder (2020), Fast best subset selection.
"""

from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel, part
from steadyset.kernels.linear.algebra import cholesky, cholesky_solve, combine, first_largest, times
from steadyset.kernels.linear.models import residual_and_curvature, ridge_fit
from steadyset.kernels.signals import count_work

NOTHING_FREE = 1e-9
MOST_SWAP_ROUNDS = 100


class Regression(NamedTuple):
    """Standardised features as rows, the target (of a linear model with a standard deviation of 1), and settings."""

    Xt: Floats
    y: Floats
    w: Floats
    ridge: float
    logistic: bool
    tol: float
    n_candidates: int  # that are fitted exactly in each step of the search


@kernel
def best_subset_path(model: Regression, k: int) -> tuple[Ints, Floats, Floats]:
    """Supports (row s: s+1 features, then -1), their coefficients with the intercept after them, and objectives.

    There are fewer than k rows when nothing is left to explain, or when every feature left lies in the span of those
    chosen.
    """
    Xt, w = model.Xt, model.w
    supports = np.full((k, k), -1, np.int64)
    thetas = np.zeros((k, k + 1))
    objectives = np.zeros(k)
    support = np.empty(k, np.int64)
    gram = np.empty((k, Xt.shape[0]))
    lengths = np.empty(Xt.shape[0])
    for j in range(len(lengths)):
        lengths[j] = (w * Xt[j] * Xt[j]).sum()
    theta = np.zeros(1)
    done = np.zeros(1, np.int64)
    for size in range(k):
        theta, _ = _fit(model, support[:size], theta)
        _, _, free = _project(lengths, gram[:size], support[:size])
        descent = _descent(model, support[:size], theta)
        grown = support[: size + 1].copy()
        theta, objective = _best_filling(model, grown, size, _insert(theta, size, 0.0), descent, free)
        if objective == np.inf:
            return supports[:size], thetas[:size], objectives[:size]
        support[size] = grown[size]
        gram[size] = times(Xt, w * Xt[support[size]])
        theta, objective = _improve_by_swaps(
            model, lengths, support[: size + 1], gram[: size + 1], theta, objective, done
        )
        supports[size, : size + 1] = support[: size + 1]
        thetas[size, : size + 2] = theta
        objectives[size] = objective
        if objective <= model.tol:
            return supports[: size + 1], thetas[: size + 1], objectives[: size + 1]
    return supports, thetas, objectives


@part
def _fit(model: Regression, support: Ints, start: Floats) -> tuple[Floats, float]:
    return ridge_fit(model.Xt, model.y, model.w, support, start, model.ridge, model.logistic, model.tol)


@part
def _improve_by_swaps(
    model: Regression, lengths: Floats, support: Ints, gram: Floats, theta: Floats, objective: float, done: Ints
) -> tuple[Floats, float]:
    """Replace one feature at a time, in place, until a whole round finds nothing better."""
    Xt, size = model.Xt, len(support)
    regression, spanned_alone, free = _project(lengths, gram, support)
    unchanged = 0
    for turn in range(MOST_SWAP_ROUNDS * size):
        if unchanged == size:
            break
        unchanged += 1
        count_work(done, Xt.size + model.n_candidates * size * size * len(model.y))
        slot = turn % size
        others = np.delete(support, slot)
        start, _ = _fit(model, others, np.delete(theta, slot))
        descent = _descent(model, others, start)
        # Taking a feature out frees, in every other column, the part along what this feature alone spans.
        freed = free + regression[slot] ** 2 * spanned_alone[slot]
        freed[support] = 0.0
        trial = support.copy()
        trial_theta, reached = _best_filling(model, trial, slot, _insert(start, slot, 0.0), descent, freed)
        if reached < objective - model.tol:
            theta = trial_theta
            objective = reached
            support[slot] = trial[slot]
            gram[slot] = times(Xt, model.w * Xt[support[slot]])
            regression, spanned_alone, free = _project(lengths, gram, support)
            unchanged = 0
    return theta, objective


@part
def _best_filling(
    model: Regression, support: Ints, slot: int, start: Floats, descent: Floats, free: Floats
) -> tuple[Floats, float]:
    """Put the best feature into one place of the support; the objective is infinite when there is no candidate."""
    gain = np.full(len(free), -1.0)
    for j in range(len(free)):
        if free[j] > NOTHING_FREE:
            gain[j] = descent[j] ** 2 / free[j] if abs(descent[j]) > model.tol else 0.0
    best_theta, best_objective, best = start, np.inf, -1
    for _ in range(model.n_candidates):
        j = first_largest(gain)
        if gain[j] < 0.0:
            break
        gain[j] = -1.0
        support[slot] = j
        theta, objective = _fit(model, support, start)
        # Better by more than the tolerance, so that of equal candidates, such as copies, the first one stays.
        if best < 0 or objective < best_objective - model.tol:
            best_theta, best_objective, best = theta, objective, j
    support[slot] = best
    return best_theta, best_objective


@part
def _descent(model: Regression, support: Ints, theta: Floats) -> Floats:
    """Minus the gradient of the loss with respect to the coefficient of every feature."""
    Xt, y = model.Xt, model.y
    eta = np.full(len(y), theta[len(support)])
    for a in range(len(support)):
        eta += theta[a] * Xt[support[a]]
    residual = np.empty(len(y))
    residual_and_curvature(y, model.w, eta, model.logistic, residual, np.empty(len(y)))
    return times(Xt, residual)


@part
def _project(lengths: Floats, gram: Floats, support: Ints) -> tuple[Floats, Floats, Floats]:
    """Regress every feature on the support: coefficients (one row per chosen feature), what each chosen feature alone
    spans (its squared length off the others), and what is left of every feature (its squared length off the support).
    """
    m = len(support)
    free = lengths.copy()
    L = np.empty((m, m))
    for a in range(m):
        L[a] = gram[a][support]
    spanned_alone = np.empty(m)
    inverse = np.eye(m)
    if m > 0 and cholesky(L, m, 1e-14):
        for a in range(m):
            cholesky_solve(L, m, inverse[a])
            # The diagonal of the inverse of a Gram matrix holds the inverse squared lengths off all other columns.
            spanned_alone[a] = 1.0 / inverse[a, a]
    regression = np.empty((m, len(free)))
    for a in range(m):
        regression[a] = combine(inverse[a], gram)
        for j in range(len(free)):
            free[j] -= gram[a, j] * regression[a, j]
    free[support] = 0.0
    return regression, spanned_alone, free


@part
def _insert(values: Floats, position: int, value: float) -> Floats:
    longer = np.empty(len(values) + 1)
    longer[:position] = values[:position]
    longer[position] = value
    longer[position + 1 :] = values[position:]
    return longer
