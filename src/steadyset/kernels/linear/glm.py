"""The two losses that the sparse models share: squared error and logistic, with row weights that sum to one.

With w the row weights and eta = intercept + X b:

    linear    loss_i = (y_i - eta_i)^2 / 2                     mean_i = eta_i           curvature_i = 1
    logistic  loss_i = log(1 + exp(eta_i)) - y_i eta_i, y 0/1  mean_i = sigmoid(eta_i)  curvature_i = mean_i (1-mean_i)

Features are the rows of Xt (contiguous), so that a pass over one feature reads memory in order.
"""

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import kernel
from steadyset.kernels.linear.products import combine

# A fitted probability of 0 or 1 has no curvature left to divide by. The gradient stays exact, so the optimum stays put.
LEAST_CURVATURE = 1e-6


@kernel
def linear_predictor(Xt: Floats, coef: Floats, intercept: float) -> Floats:
    """intercept + X coef, from the non-zero coefficients only."""
    return combine(coef, Xt) + intercept


@kernel
def mean_loss(y: Floats, w: Floats, eta: Floats, logistic: bool) -> float:
    """sum_i w_i loss_i."""
    total = 0.0
    for i in range(len(y)):
        if logistic:
            softplus = max(eta[i], 0.0) + np.log1p(np.exp(-abs(eta[i])))
            total += w[i] * (softplus - y[i] * eta[i])
        else:
            total += 0.5 * w[i] * (y[i] - eta[i]) ** 2
    return total


@kernel
def residual_and_curvature(
    y: Floats, w: Floats, eta: Floats, logistic: bool, residual: Floats, curvature: Floats
) -> None:
    """Write w (y - mean) and w curvature: X' residual is minus the gradient, X' diag(curvature) X the Hessian."""
    if not logistic:
        for i in range(len(y)):
            residual[i] = w[i] * (y[i] - eta[i])
            curvature[i] = w[i]
        return
    # By themselves, so that vector instructions do the rest.
    for i in range(len(y)):
        curvature[i] = np.exp(-abs(eta[i]))
    for i in range(len(y)):
        small = curvature[i]
        mean = (1.0 if eta[i] >= 0.0 else small) / (1.0 + small)
        residual[i] = w[i] * (y[i] - mean)
        curvature[i] = w[i] * max(small / (1.0 + small) ** 2, LEAST_CURVATURE)
