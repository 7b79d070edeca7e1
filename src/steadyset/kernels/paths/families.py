"""The families of elastic-net paths: what a loss tells the solver at a linear predictor eta.

A family gives the residual r_i = -d loss / d eta_i, the curvature c_i and, where rows are not by themselves, shares
s_i. With rows in some order the second derivative of the loss is then

    v' H v = sum_i c_i u_i²,   u_i = v_i - m_(i-1),   m_i = m_(i-1) + s_i u_i,   m_(-1) = 0:

the rows of v less the running means of those before them. With s = 0 that is the plain sum of c_i v_i². The solver has
the linear and the logistic loss built in (`kernels/linear/models.py`) and waits for the others to be computed here, so
that they are compiled only where they are used.

**Poisson**: loss_i = w_i (exp(eta_i) - y_i eta_i), r = w (y - exp(eta)), c = w exp(eta), s = 0.

**Cox** (Breslow): rows come by falling time, y_i is the rank of the time, negative where it was censored. With theta =
w exp(eta), S_i the sum of theta down to row i, and S(t) the sum over all rows of time t and longer,

    loss = -sum_(deaths i) w_i (eta_i - log S(t_i)),   r_i = w_i [i died] - theta_i h_i,
    h_i = sum over the times t of death up to t_i of (weight of the deaths) / S(t).

H is the sum over times of death of (weight of the deaths) times the variance within the risk set, weighted by theta /
S(t). Risk sets are nested, so the sum of squares about the mean grows by theta_i (S_(i-1) / S_i) u_i² with each row
(Welford's recursion), where s_i = theta_i / S_i: that makes c_i = theta_i (S_(i-1) / S_i) h_i, and H is exact in one
pass. A constant added to eta changes nothing. c_0 is 0; any other number gives the intercept a curvature and changes no
other step. Only the order of the times counts, so no unit of time does.
"""

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import both, kernel

LINEAR, LOGISTIC, POISSON, COX = range(4)
LEAST_MEAN = 1e-6  # of the mean count: less has no curvature left to divide by
LEAST_EXPONENT = -600.0  # below the largest: sums of anything less would be zero


@kernel
def poisson(y: Floats, w: Floats, eta: Floats, residual: Floats, curvature: Floats) -> None:
    """Residual and curvature of counts."""
    least = 0.0
    for i in range(len(y)):
        # A step divides by the curvature, which the exponential function takes to zero where counts are zero; the
        # gradient stays exact, so the solution does not move.
        least += LEAST_MEAN * w[i] * y[i]
    for i in range(len(y)):
        mean = np.exp(eta[i])
        residual[i] = w[i] * (y[i] - mean)
        curvature[i] = w[i] * max(mean, least)


@kernel
def cox(y: Floats, w: Floats, eta: Floats, residual: Floats, curvature: Floats, share: Floats) -> None:
    """Residual, curvature and shares of times to an event, rows by falling time."""
    n, top, total = len(y), eta.max(), 0.0
    # Shifted by the largest, which no ratio of sums sees: exp cannot overflow.
    for i in range(n):  # theta is in curvature, S in residual for now
        curvature[i] = w[i] * np.exp(max(eta[i] - top, LEAST_EXPONENT))
        total += curvature[i]
        residual[i] = total
        share[i] = curvature[i] / total
    hazard, end = 0.0, n
    while end > 0:  # group by group of equal times, from the earliest
        begin, deaths = end, 0.0
        while begin > 0 and abs(y[begin - 1]) == abs(y[end - 1]):
            begin -= 1
            deaths += w[begin] if y[begin] > 0.0 else 0.0
        # Rows lie by falling time, so the last row of a group of equal times closes the risk set of all of them
        # (Breslow).
        hazard += deaths / residual[end - 1]
        for i in range(end - 1, begin - 1, -1):
            theta = curvature[i]
            curvature[i] *= hazard * (residual[i - 1] / residual[i] if i > 0 else 1.0)
            residual[i] = (w[i] if y[i] > 0.0 else 0.0) - theta * hazard
        end = begin


@both
def less_running_means(v: Floats, share: Floats, u: Floats) -> None:
    """u of v, as above."""
    mean = 0.0
    for i in range(len(share)):
        u[i] = v[i] - mean
        mean += share[i] * u[i]


@both
def transposed(share: Floats, u: Floats) -> None:
    """Overwrite u by the product of the transposed matrix that makes u of v: from the last row to the first."""
    later = 0.0
    for i in range(len(share) - 1, -1, -1):
        u[i] += share[i] * later
        later -= u[i]


def mean_poisson_loss(y: Floats, w: Floats, eta: Floats) -> float:
    """sum_i w_i (exp(eta_i) - y_i eta_i)."""
    with np.errstate(over="ignore"):
        return float(w @ (np.exp(eta) - y * eta))


def mean_cox_loss(y: Floats, w: Floats, eta: Floats) -> float:
    """-sum over deaths of w_i (eta_i - log S(t_i))."""
    top, ranks = eta.max(), abs(y)
    sums = np.cumsum(w * np.exp(np.maximum(eta - top, LEAST_EXPONENT)))
    at_risk = sums[np.searchsorted(-ranks, -ranks, side="right") - 1]
    return float(-(w * (y > 0.0)) @ (eta - top - np.log(at_risk)))
