"""Elastic-net paths as they were before resamples were solved together: the reference of `benchmarks.paths`.

One resample at a time, coordinate descent with direct solves on a working set, all features screened in every round.
"""

from typing import Any

import numpy as np

from benchmarks.coordinate_descent import fit_elastic_net
from steadyset.kernels.arrays import Bools, Floats
from steadyset.selectors.model_input import Training, read_training
from steadyset.selectors.path import MOST_ROUNDS, SWEEPS_A_CALL, PathProblem


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
    coefs = np.array([problem.in_units_of_y(level)[0] for level in path]) / problem.data.scale
    return levels, coefs, np.array([level.violation for level in path]) / problem.spread


class EarlierProblem(PathProblem):
    """One path of the earlier kernel."""

    def __init__(self, training: Training, family: str, l1_ratio: float, tol: float) -> None:
        super().__init__(training, logistic=family == "logistic", tol=tol)
        d = len(self.data.scale)
        self.l1_factors = np.full(d, l1_ratio)
        self.l2_factors = np.full(d, (1.0 - l1_ratio) * self.target.unit)
        if l1_ratio == 1.0:
            self.l1_factors[later_copies(training.X)] = np.inf

    def largest_penalty(self) -> float:
        return float(np.max(np.abs(self.null_descent) / self.l1_factors))

    def size(self, coef: Floats) -> int:
        return int(np.count_nonzero(coef))

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
