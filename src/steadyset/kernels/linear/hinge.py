"""The linear support vector machine with row weights, by a primal-dual interior-point method.

Minimises  sum_i w_i max(0, 1 - y_i (z_i b + b0)) + penalty / 2 |b|^2,  y in {-1, 1}. With margins
y_i (z_i b + b0) = 1 - slack_i + excess_i and multipliers 0 <= alpha_i <= w_i, the optimum has
alpha_i excess_i = 0 and (w_i - alpha_i) slack_i = 0. The method follows the points where both products are w_i mu down
to mu = 0; with the row weight in it, a row of weight 2 takes the same way as two copies (Wright 1997, chapter 1).
"""

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.kernels.jit import kernel
from steadyset.kernels.linear.cholesky import cholesky, cholesky_solve
from steadyset.kernels.linear.products import combine, dot, symmetric_product, times

MOST_STEPS = 200


@kernel
def hinge_fit(Zt: Floats, y: Floats, w: Floats, penalty: float, tol: float) -> Floats:
    """The coefficients followed by the intercept; w sums to one."""
    m, n = Zt.shape
    A = np.empty((m + 1, n))
    A[:m] = Zt * y
    A[m] = y
    ridge = np.full(m + 1, penalty)
    ridge[m] = 0.0
    theta = np.zeros(m + 1)
    alpha = 0.5 * w
    excess = np.ones(n)
    slack = np.full(n, 2.0)
    for _ in range(MOST_STEPS):
        gap = 0.5 * (dot(alpha, excess) + dot(w - alpha, slack))
        off_dual = ridge * theta - times(A, alpha)
        off_primal = combine(theta, A) - 1.0 + slack - excess
        if gap <= tol and np.abs(off_dual).max() <= tol and np.abs(off_primal).max() <= tol:
            break
        mu = 0.1 * gap
        beta = w - alpha
        spread = slack / beta + excess / alpha
        right = w * mu / alpha - excess - w * mu / beta + slack - off_primal
        step = times(A, right / spread) - off_dual
        system = symmetric_product(A, A / spread)
        for a in range(m + 1):
            system[a, a] += ridge[a]
        if not cholesky(system, m + 1, 1e-15):
            break
        cholesky_solve(system, m + 1, step)
        d_alpha = (right - combine(step, A)) / spread
        d_excess = (w * mu - excess * d_alpha) / alpha - excess
        d_slack = (w * mu + slack * d_alpha) / beta - slack
        length = 1.0
        for i in range(n):
            length = min(length, _reach(alpha[i], d_alpha[i]), _reach(beta[i], -d_alpha[i]))
            length = min(length, _reach(excess[i], d_excess[i]), _reach(slack[i], d_slack[i]))
        theta = theta + length * step
        alpha = alpha + length * d_alpha
        excess = excess + length * d_excess
        slack = slack + length * d_slack
    return theta


@kernel
def _reach(value: float, change: float) -> float:
    """The step that takes a positive value almost to zero, at most 1."""
    return min(1.0, -0.995 * value / change) if change < 0.0 else 1.0
