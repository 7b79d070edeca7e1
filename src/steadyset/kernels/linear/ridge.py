"""Linear and logistic regression with a small ridge on a few features, by Newton's method."""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel
from steadyset.kernels.linear.cholesky import cholesky, cholesky_solve
from steadyset.kernels.linear.glm import mean_loss, residual_and_curvature
from steadyset.kernels.linear.products import combine, symmetric_product, times

MOST_NEWTON_STEPS = 100
MOST_HALVINGS = 60


@kernel
def ridge_fit(
    Xt: Floats,
    y: Floats,
    w: Floats,
    support: Ints,
    start: Floats,
    ridge: float,
    logistic: bool,
    tol: float,
) -> tuple[Floats, float]:
    """The coefficients of the support followed by the intercept, and the objective that they minimise:
    sum_i w_i loss_i + ridge / 2 sum_j b_j^2, to a gradient of at most tol.
    """
    m = len(support)
    X = np.ones((m + 1, len(y)))
    for a in range(m):
        X[a] = Xt[support[a]]
    penalty = np.full(m + 1, ridge)
    penalty[m] = 0.0
    theta = start.copy()
    residual = np.empty(len(y))
    curvature = np.empty(len(y))
    eta = combine(theta, X)
    objective = mean_loss(y, w, eta, logistic) + 0.5 * (penalty * theta**2).sum()
    for _ in range(MOST_NEWTON_STEPS):
        residual_and_curvature(y, w, eta, logistic, residual, curvature)
        step = times(X, residual) - penalty * theta
        if np.abs(step).max() <= tol:
            break
        hessian = symmetric_product(X, X * curvature)
        for a in range(m + 1):
            hessian[a, a] += penalty[a]
        if not cholesky(hessian, m + 1, 1e-14):
            break
        cholesky_solve(hessian, m + 1, step)
        length = 1.0
        for _ in range(MOST_HALVINGS):
            moved = theta + length * step
            eta = combine(moved, X)
            reached = mean_loss(y, w, eta, logistic) + 0.5 * (penalty * moved**2).sum()
            if reached <= objective + 1e-13 * abs(objective):
                break
            length *= 0.5
        theta, objective = moved, reached
    return theta, objective
