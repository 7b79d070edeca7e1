"""The losses that the sparse models share, and three models: ridge, support vectors, component-wise boosting.

**Losses**: squared error and logistic, with row weights that sum to one.
With w these weights and eta = intercept + X b:

    linear    loss_i = (y_i - eta_i)^2 / 2                     mean_i = eta_i           curvature_i = 1
    logistic  loss_i = log(1 + exp(eta_i)) - y_i eta_i, y 0/1  mean_i = sigmoid(eta_i)  curvature_i = mean_i (1-mean_i)

Features are the rows of Xt (contiguous), so that a pass over one feature reads memory in order.

**Ridge**: linear and logistic regression with a small ridge on a few features, by Newton's method.

**Support vectors**: the linear machine with row weights, by a primal-dual interior-point method.
It minimises  sum_i w_i max(0, 1 - y_i (z_i b + b0)) + penalty / 2 |b|^2,  y in {-1, 1}. With margins
y_i (z_i b + b0) = 1 - slack_i + excess_i and multipliers 0 <= alpha_i <= w_i, the optimum has
alpha_i excess_i = 0 and (w_i - alpha_i) slack_i = 0. The method follows the points where both products are w_i mu down
to mu = 0; with the row weight in it, a row of weight 2 takes the same way as two copies (Wright 1997, chapter 1).

**Component-wise boosting** of a model of any loss: each step moves the one coefficient that fits best.
With u = y - mean the negative gradient of the loss, a step fits u by weighted least squares on each feature alone,
takes the feature that leaves the least squared error, and adds rate times its least-squares coefficient to the model.
Of several classes every one has its own eta, and a step moves the coefficients of one feature for all of them.
Buehlmann and Hothorn (2007), Boosting algorithms: regularization, prediction and model fitting.
"""

from collections.abc import Callable

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel
from steadyset.kernels.linear import algebra

# A fitted probability of 0 or 1 has no curvature left to divide by. The gradient stays exact, so the optimum stays put.
LEAST_CURVATURE = 1e-6


@kernel
def linear_predictor(Xt: Floats, coef: Floats, intercept: float) -> Floats:
    """intercept + X coef, from the non-zero coefficients only."""
    return algebra.combine(coef, Xt) + intercept


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
    eta = algebra.combine(theta, X)
    objective = mean_loss(y, w, eta, logistic) + 0.5 * (penalty * theta**2).sum()
    for _ in range(MOST_NEWTON_STEPS):
        residual_and_curvature(y, w, eta, logistic, residual, curvature)
        step = algebra.times(X, residual) - penalty * theta
        if np.abs(step).max() <= tol:
            break
        hessian = algebra.symmetric_product(X, X * curvature)
        for a in range(m + 1):
            hessian[a, a] += penalty[a]
        if not algebra.cholesky(hessian, m + 1, 1e-14):
            break
        algebra.cholesky_solve(hessian, m + 1, step)
        length = 1.0
        # A full step may overshoot where the logistic loss is nearly flat; of the linear loss the first length is
        # exact.
        for _ in range(MOST_HALVINGS):
            moved = theta + length * step
            eta = algebra.combine(moved, X)
            reached = mean_loss(y, w, eta, logistic) + 0.5 * (penalty * moved**2).sum()
            if reached <= objective + 1e-13 * abs(objective):
                break
            length *= 0.5
        theta, objective = moved, reached
    return theta, objective


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
        gap = 0.5 * (algebra.dot(alpha, excess) + algebra.dot(w - alpha, slack))
        off_dual = ridge * theta - algebra.times(A, alpha)
        off_primal = algebra.combine(theta, A) - 1.0 + slack - excess
        if gap <= tol and np.abs(off_dual).max() <= tol and np.abs(off_primal).max() <= tol:
            break
        # Each step aims at a tenth of the products that are left: a fixed rate, which needs no second factor as a
        # predictor and corrector would.
        mu = 0.1 * gap
        beta = w - alpha
        spread = slack / beta + excess / alpha
        right = w * mu / alpha - excess - w * mu / beta + slack - off_primal
        step = algebra.times(A, right / spread) - off_dual
        system = algebra.symmetric_product(A, A / spread)
        for a in range(m + 1):
            system[a, a] += ridge[a]
        if not algebra.cholesky(system, m + 1, 1e-15):
            break
        algebra.cholesky_solve(system, m + 1, step)
        d_alpha = (right - algebra.combine(step, A)) / spread
        d_excess = (w * mu - excess * d_alpha) / alpha - excess
        d_slack = (w * mu + slack * d_alpha) / beta - slack
        # The longest step on which alpha stays between 0 and w, and slack and excess above 0: the logarithms of the
        # barrier end there.
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


EXPLAINED = 1e-12  # of the first covariance with the gradient


def feature_sizes(coefs: Floats) -> Floats:
    """|b_j| of each column: of several rows, the root of the sum of its squares."""
    return np.asarray(np.abs(np.hypot.reduce(coefs)))


def boost(
    Xt: Floats, residual: Callable[[Floats, Floats], None], offsets: Floats, n_steps: int, rate: float, k: int
) -> tuple[Floats, Ints]:
    """Coefficients, and the feature of each step; ends before step n_steps when a feature beyond the k-th would enter.

    It also ends when y is explained without error. Each offset starts an eta, a row of it and of the coefficients.
    ``residual`` takes eta and writes w u.

    Xt is standardised (rows of zeros for constant features), so that the least-squares coefficient of a feature is its
    covariance with u and the error falls by the square of it.
    """
    coef, eta = np.zeros((len(offsets), len(Xt))), np.repeat(offsets[:, None], Xt.shape[1], axis=1)
    residuals = np.empty_like(eta)
    steps: list[int] = []
    chosen: set[int] = set()
    least = 0.0
    for step in range(n_steps):
        residual(eta, residuals)
        covariance = np.stack([algebra.times(Xt, one) for one in residuals])
        sizes = feature_sizes(covariance)
        j = int(algebra.first_largest(sizes))
        if step == 0:
            least = EXPLAINED * sizes[j]
        explained = sizes[j] <= least  # what is left is rounding, and would let any feature enter
        if explained or (j not in chosen and len(chosen) == k):
            break
        chosen.add(j)
        steps.append(j)
        coef[:, j] += rate * covariance[:, j]
        eta += rate * covariance[:, j, None] * Xt[j]
    return coef, np.array(steps, dtype=np.int64)
