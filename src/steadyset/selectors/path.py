"""Penalised models along a path of penalties: the levels, and the search for a level or for a number of features."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats
from steadyset.selectors.model_input import Training, solved_target, standardise
from steadyset.selectors.validation import check_integer, check_number, size_or_default

MOST_ROUNDS = 1000
MOST_LAMBDAS = 100_000
# After each block of sweeps it is seen whether more of them bring anything.
SWEEPS_A_CALL = 1000
MOST_CALLS = 50
# Optimality conditions off by more than this, in standard deviations of y, are told.
TOLD_VIOLATION = 1e-8
# Halvings of the step between two levels of the path, in search of a support of exactly k.
MOST_BISECTIONS = 20
# On the way to one penalty only every sixth level is a stop: 1.4 to 4 times faster than stopping at each. Without any
# stop some data are faster still, and others slower by as much.
STRIDE = 6


@dataclass(frozen=True)
class Level:
    """The model at one penalty (in the units of y), in those of the standardised features and the solved target."""

    penalty: float
    coef: Floats
    intercept: float
    violation: float


class PathProblem(ABC):
    """Checked data of one path, standardised; a kind of penalty adds its solver and what it counts."""

    def __init__(self, training: Training, *, logistic: bool, tol: float) -> None:
        check_number("tol", tol)
        self.data = standardise(training)
        self.target = solved_target(training, self.data.weight)
        self.y = self.target.y
        # A weight of 2 is two rows; weights that are shares of 1 tell nothing about the number of rows.
        self.n_rows = max(len(self.y), float(training.weight.sum()))
        self.logistic = logistic
        mean = self.target.mean
        self.spread = self.target.spread
        self.tol = tol * self.spread
        self.null_intercept = float(np.log(mean / (1.0 - mean))) if logistic else mean
        self.null_descent: Floats = self.data.Xt @ (self.data.weight * (self.y - mean))

    @abstractmethod
    def largest_penalty(self) -> float:
        """The least penalty that leaves out every feature, in units of the solved target."""

    @abstractmethod
    def size(self, coef: Floats) -> int:
        """How many features (or groups) are in the model."""

    @abstractmethod
    def fit_level(self, penalty: float, coef: Floats, intercept: float) -> tuple[float, float, float]:
        """A block of sweeps for one penalty (in units of the solved target), starting from coef and changing it in
        place; the intercept, the KKT violation and the objective.
        """

    def walk(self, lambdas: Floats, *, stop_size: int | None = None, start: Level | None = None) -> list[Level]:
        """The models down the lambdas, each started from the one before, until one has stop_size or more."""
        coef = np.zeros(len(self.data.scale)) if start is None else start.coef.copy()
        intercept = self.null_intercept if start is None else start.intercept
        path = []
        for penalty in lambdas:
            intercept, violation = self._solve(float(penalty) / self.target.unit, coef, intercept)
            path.append(Level(float(penalty), coef.copy(), intercept, violation))
            if stop_size is not None and self.size(coef) >= stop_size:
                break
        return path

    def _solve(self, penalty: float, coef: Floats, intercept: float) -> tuple[float, float]:
        """Blocks of sweeps until the conditions hold, or until a block brings neither them nor the objective down."""
        violation = closest = least = np.inf
        for _ in range(MOST_CALLS):
            intercept, violation, objective = self.fit_level(penalty, coef, intercept)
            if violation <= self.tol:
                break
            # The objective is flat at its minimum: the violation goes on falling long after it.
            if violation > 0.5 * closest and objective >= least - 1e-12 * abs(least):
                break
            closest, least = min(closest, violation), min(least, objective)
        return intercept, violation

    def in_units_of_y(self, level: Level) -> tuple[Floats, float]:
        """Coefficients of the standardised features and the intercept, in the units of y."""
        return level.coef * self.target.unit, level.intercept * self.target.unit + self.target.centre

    def tell_accuracy(self, levels: Sequence[Level]) -> None:
        """Warn where the optimality conditions do not hold."""
        worst = max(levels, key=lambda level: level.violation)
        if worst.violation > max(TOLD_VIOLATION, self.tol):
            warnings.warn(
                f"The solver stopped at penalty {worst.penalty:.3g} with the optimality conditions off by "
                f"{worst.violation / self.spread:.1g} standard deviations of y; look for features that are nearly "
                "combinations of others, or use an l1_ratio below 1.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def levels(self, count: int, min_ratio: float | None) -> Floats:
        """Levels from the least penalty that leaves out every feature downwards."""
        check_integer("n_lambdas", count, least=1, most=MOST_LAMBDAS)
        if min_ratio is None:
            min_ratio = 1e-2 if self.data.Xt.shape[0] > self.n_rows else 1e-4
        check_number("lambda_min_ratio", min_ratio, most=1.0)
        # Where no feature has anything to do with y, the gradients are rounding errors and so would be the levels.
        largest = max(self.largest_penalty(), 1e-9 * self.spread) * self.target.unit
        return largest * np.logspace(0.0, np.log10(min_ratio), count)

    def fit(
        self, penalty: float | None, k: int | None, most: int, n_lambdas: int, min_ratio: float | None, *, what: str
    ) -> Level:
        """The model at the penalty, or the one with about k of the `most` features or groups."""
        if penalty is not None and k is not None:
            raise InputError("penalty and k are both given; give one of them.")
        # The path ends at the level or size, so it may go further down than one that is walked to its end.
        lambdas = self.levels(n_lambdas, 1e-4 if min_ratio is None else min_ratio)
        if penalty is None:
            level = self._find_size(lambdas, size_or_default(k, most, what=what))
        else:
            check_number("penalty", penalty)
            level = self.walk(np.append(lambdas[lambdas > penalty][STRIDE - 1 :: STRIDE], penalty))[-1]
        self.tell_accuracy([level])
        return level

    def _find_size(self, lambdas: Floats, k: int) -> Level:
        """The model of size k on the path, or of the largest size below k where the path steps over k."""
        path = self.walk(lambdas, stop_size=k)
        best = max((level for level in path if self.size(level.coef) <= k), key=lambda level: self.size(level.coef))
        if self.size(path[-1].coef) <= k or len(path) == 1:
            return best
        high, low = path[-2], path[-1].penalty
        for _ in range(MOST_BISECTIONS):
            unit = self.target.unit  # without it the product of two tiny penalties is zero
            between = unit * np.sqrt((high.penalty / unit) * (low / unit))
            middle = self.walk(np.array([between]), start=high)[-1]
            if self.size(middle.coef) > k:
                low = middle.penalty
                continue
            high = middle
            if self.size(middle.coef) > self.size(best.coef):
                best = middle
            if self.size(middle.coef) == k:
                break
        return best
