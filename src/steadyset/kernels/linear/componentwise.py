"""Component-wise boosting of a linear or logistic model: each step moves the one coefficient that fits best.

With u = y - mean the negative gradient of the loss, a step fits u by weighted least squares on each feature alone,
takes the feature that leaves the least squared error, and adds rate times its least-squares coefficient to the model.
Buehlmann and Hothorn (2007), Boosting algorithms: regularization, prediction and model fitting.
"""

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel
from steadyset.kernels.linear.glm import residual_and_curvature
from steadyset.kernels.linear.products import times
from steadyset.kernels.linear.ties import first_largest
from steadyset.kernels.signals import count_work

EXPLAINED = 1e-12  # of the first covariance with the gradient


@kernel
def boost(
    Xt: Floats, y: Floats, w: Floats, offset: float, n_steps: int, rate: float, k: int, logistic: bool
) -> tuple[Floats, Ints]:
    """Coefficients, and the feature of each step; ends before step n_steps when a feature beyond the k-th would enter.

    It also ends when y is explained without error.

    Xt is standardised (rows of zeros for constant features), so that the least-squares coefficient of a feature is its
    covariance with u and the error falls by the square of it.
    """
    coef = np.zeros(Xt.shape[0])
    steps = np.empty(n_steps, np.int64)
    eta = np.full(len(y), offset)
    residual = np.empty(len(y))
    curvature = np.empty(len(y))
    chosen = np.zeros(len(coef), np.bool_)
    n_chosen = 0
    least = 0.0
    done = np.zeros(1, np.int64)
    for step in range(n_steps):
        residual_and_curvature(y, w, eta, logistic, residual, curvature)
        covariance = times(Xt, residual)
        j = first_largest(np.abs(covariance))
        if step == 0:
            least = EXPLAINED * abs(covariance[j])
        if abs(covariance[j]) <= least:  # what is left is rounding, and would let any feature enter
            return coef, steps[:step]
        if not chosen[j] and n_chosen == k:
            return coef, steps[:step]
        if not chosen[j]:
            chosen[j] = True
            n_chosen += 1
        steps[step] = j
        coef[j] += rate * covariance[j]
        eta += rate * covariance[j] * Xt[j]
        count_work(done, Xt.size)
    return coef, steps
