"""Elastic-net paths as they were before resamples were solved together: the reference of `benchmarks.paths`.

One resample at a time, coordinate descent with direct solves on a working set, all features screened in every round.
"""

from typing import Any, NamedTuple

import numpy as np

from benchmarks.coordinate_descent import fit_elastic_net
from steadyset.kernels.arrays import Bools, Floats
from steadyset.selectors.model_input import Training, read_training, solved_target, standardise

MOST_ROUNDS, SWEEPS_A_CALL, MAX_CALLS = 1000, 1000, 50


def earlier_path(
    X: Floats,
    y: Floats,
    weight: Floats | None,
    *,
    family: str,
    n_lambdas: int,
    lambda_min_ratio: float,
    l1_ratio: float = 1.0,
    tol: float = 1e-10,
) -> tuple[Floats, Floats, Floats]:
    """The lambdas, the coefficients (levels x features, in the units of X) and the KKT violations of one resample."""
    training = read_training(X, y, weight, target="binary" if family == "logistic" else "numbers")
    problem = EarlierProblem(training, family, l1_ratio, tol)
    levels = problem.levels(n_lambdas, lambda_min_ratio)
    path = problem.walk(levels)
    coefs = np.array([level.coef for level in path]) * problem.target.unit / problem.data.scale
    return levels, coefs, np.array([level.violation for level in path]) / problem.spread


class Level(NamedTuple):
    """The model at one penalty, in the units of the standardised features and the solved target."""

    coef: Floats
    violation: float


class EarlierProblem:
    """One path of the earlier kernel."""

    def __init__(self, training: Training, family: str, l1_ratio: float, tol: float) -> None:
        self.data = standardise(training)
        self.target = solved_target(training, self.data.weight)
        self.y, self.logistic, self.spread = self.target.y, family == "logistic", self.target.spread
        self.tol = tol * self.spread
        mean = self.target.mean
        self.null_intercept = float(np.log(mean / (1.0 - mean))) if self.logistic else mean
        self.null_descent: Floats = self.data.Xt @ (self.data.weight * (self.y - mean))
        d = len(self.data.scale)
        self.l1_factors = np.full(d, l1_ratio)
        self.l2_factors = np.full(d, (1.0 - l1_ratio) * self.target.unit)
        if l1_ratio == 1.0:
            self.l1_factors[later_copies(training.X)] = np.inf

    def levels(self, count: int, min_ratio: float) -> Floats:
        """Levels from the least penalty that leaves out every feature downwards."""
        largest = max(self.largest_penalty(), 1e-9 * self.spread) * self.target.unit
        return largest * np.logspace(0.0, np.log10(min_ratio), count)

    def walk(self, lambdas: Floats, *, stop_size: int | None = None) -> list[Level]:
        """The models down the lambdas, each started from the one before, until one has stop_size features or more."""
        coef, intercept = np.zeros(len(self.data.scale)), self.null_intercept
        path = []
        for penalty in lambdas:
            intercept, violation = self._solve(float(penalty) / self.target.unit, coef, intercept)
            path.append(Level(coef.copy(), violation))
            if stop_size is not None and np.count_nonzero(coef) >= stop_size:
                break
        return path

    def _solve(self, penalty: float, coef: Floats, intercept: float) -> tuple[float, float]:
        """Blocks of sweeps until the conditions hold, or until a block brings neither them nor the objective down."""
        violation = closest = least = np.inf
        for _ in range(MAX_CALLS):
            intercept, violation, objective = self.fit_level(penalty, coef, intercept)
            if violation <= self.tol or (violation > 0.5 * closest and objective >= least - 1e-12 * abs(least)):
                break
            closest, least = min(closest, violation), min(least, objective)
        return intercept, violation

    def largest_penalty(self) -> float:
        return float(np.max(np.abs(self.null_descent) / self.l1_factors))

    def fit_level(self, penalty: float, coef: Floats, intercept: float) -> tuple[float, float, float]:
        l1, l2 = penalty * self.l1_factors, penalty * self.l2_factors
        given: Any = (self.data.Xt, self.y, self.data.weight, l1, l2, self.logistic, self.tol)
        return fit_elastic_net(*given, MOST_ROUNDS, SWEEPS_A_CALL, coef, intercept)


def later_copies(X: Floats) -> Bools:
    """Which columns equal an earlier column in every row."""
    seen: set[bytes] = set()
    later = np.zeros(X.shape[1], dtype=np.bool_)
    for j, column in enumerate(np.ascontiguousarray(X.T)):
        key = column.tobytes()
        later[j] = key in seen
        seen.add(key)
    return later
