"""L1 and elastic-net regression, logistic and linear, as selectors and as paths over the penalty."""

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from steadyset.arguments import check_flag
from steadyset.errors import InputError
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats
from steadyset.kernels.linear.elastic_net import fit_elastic_net
from steadyset.selectors.known import register_selector
from steadyset.selectors.model import LinearSelector, LogisticSelector, RegressionSelector
from steadyset.selectors.model_input import Training, later_copies, read_training
from steadyset.selectors.path import MOST_ROUNDS, SWEEPS_A_CALL, PathProblem
from steadyset.selectors.validation import check_choice, check_integer, check_number

Family = Literal["logistic", "linear"]


@dataclass(frozen=True)
class ElasticNetPath:
    """One model per penalty level, from the strongest penalty down.

    coefs is n_lambdas x d in the units of X. violations holds the largest deviation from the optimality (KKT)
    conditions over all features, on the standardised scale and in units of the standard deviation of y.
    """

    lambdas: Floats
    coefs: Floats
    intercepts: Floats
    violations: Floats


def elastic_net_path(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    family: Family = "logistic",
    lambdas: ArrayLike | None = None,
    n_lambdas: int = 100,
    lambda_min_ratio: float | None = None,
    l1_ratio: float = 1.0,
    standardise: bool = True,
    penalty_factors: ArrayLike | None = None,
    max_features: int | None = None,
    tol: float = 1e-10,
) -> ElasticNetPath:
    """Elastic-net models over decreasing penalties, each started from the one before.

    Minimises  (1 / sum w) sum_i w_i loss_i + lambda sum_j f_j (l1_ratio |b_j| + (1 - l1_ratio) / 2 b_j²)  with an
    unpenalised intercept; loss is the negative log-likelihood (logistic, two classes) or half the squared error.
    b is the coefficient of the standardised feature (weighted mean 0, weighted sd 1), or, with standardise=False, of
    the feature as it is. f are the penalty_factors, 1 unless given.

    lambdas None: n_lambdas levels, evenly spaced on the log scale from the least penalty that leaves out every feature
    down to lambda_min_ratio of it (None: 0.01 if there are more features than rows, else 0.0001).
    Of exact copies of a feature, an L1 path without penalty_factors takes the first only.
    max_features ends the path after the first level with at least that many features.

    Reference: Friedman, Hastie and Tibshirani (2010), Regularization paths for generalized linear models.
    """
    check_choice("family", family, ("logistic", "linear"))
    training = read_training(X, y, sample_weight, target="binary" if family == "logistic" else "numbers")
    problem = _ElasticNetProblem(training, family, l1_ratio, standardise, penalty_factors, tol)
    levels = problem.levels(n_lambdas, lambda_min_ratio) if lambdas is None else _read_lambdas(lambdas)
    if max_features is not None:
        check_integer("max_features", max_features, least=1)
    path = problem.walk(levels, stop_size=max_features)
    problem.tell_accuracy(path)
    models = [problem.in_units_of_y(level) for level in path]
    coefs = np.array([coef for coef, _ in models]) / problem.data.scale
    intercepts = np.array([intercept for _, intercept in models]) - coefs @ problem.data.centre
    violations = np.array([level.violation for level in path]) / problem.spread
    return ElasticNetPath(levels[: len(path)], coefs, intercepts, violations)


class _ElasticNetSelector(LinearSelector):
    """The fit that the logistic and the linear selector share."""

    _family: Family

    def __init__(
        self,
        penalty: float | None = None,
        *,
        k: int | None = None,
        l1_ratio: float = 1.0,
        standardise: bool = True,
        n_lambdas: int = 100,
        lambda_min_ratio: float | None = None,
        tol: float = 1e-10,
    ) -> None:
        self.penalty = penalty
        self.k = k
        self.l1_ratio = l1_ratio
        self.standardise = standardise
        self.n_lambdas = n_lambdas
        self.lambda_min_ratio = lambda_min_ratio
        self.tol = tol

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the path down to the given penalty or number of features, and keep the last model."""
        target: Any = "binary" if self._family == "logistic" else "numbers"
        training = read_training(X, y, sample_weight, target=target, selector=self)
        problem = _ElasticNetProblem(training, self._family, self.l1_ratio, self.standardise, None, self.tol)
        level = problem.fit(
            self.penalty, self.k, training.X.shape[1], self.n_lambdas, self.lambda_min_ratio, what="features"
        )
        self._store(*problem.in_units_of_y(level), problem.data, training)
        self.penalty_ = level.penalty
        self.violation_ = level.violation / problem.spread
        return self

    def has_size(self) -> bool:
        """Whether the size decides, and no given penalty."""
        return self.penalty is None

    def largest_penalty(self, X: Floats, y: Any) -> float:
        """The least penalty that leaves out every feature."""
        return float(elastic_net_path(X, y, n_lambdas=1, **self._path_options()).lambdas[0])

    def path_by_penalty(self, X: Floats, y: Any, penalties: Floats, reach: int) -> tuple[list[Any], Any]:
        """The features at each penalty, and all in the order of entry: within a penalty, by their standardised size."""
        coefs = elastic_net_path(X, y, lambdas=penalties, max_features=reach, **self._path_options()).coefs
        used = np.flatnonzero(coefs.any(axis=0))
        entry = np.argmax(coefs[:, used] != 0, axis=0)
        size = np.abs(coefs[entry, used]) * X[:, used].std(axis=0)
        return [np.flatnonzero(coef) for coef in coefs], used[np.lexsort((used, -size, entry))]

    def _path_options(self) -> dict[str, Any]:
        shared = {"l1_ratio": self.l1_ratio, "standardise": self.standardise, "tol": self.tol}
        return {"family": self._family, **shared}


class SparseLogistic(_ElasticNetSelector, LogisticSelector):
    """L1 (l1_ratio=1) or elastic-net logistic regression of two classes; selects the non-zero coefficients.

    The objective is that of `elastic_net_path`. Either `penalty` sets its lambda, or the path is followed until about
    `k` features are in: down from the strongest penalty to the first level with k features or more; when that level
    has more, the step before it is halved again and again in search of exactly k, and failing that the largest support
    below k is kept. With neither, k is 10, or half of the features where that is fewer.

    Parameters
    ----------
    penalty : the lambda of the model; None: k decides
    k : how many features to select; None: 10, or half of the features where that is fewer
    l1_ratio : the share of the L1 penalty, above 0 and at most 1: 1 is the lasso, less an elastic net
    standardise : whether the penalty counts coefficients of standardised features
    n_lambdas : levels of the path that is followed to k features
    lambda_min_ratio : its last level, as a part of its first; None: 0.01 if there are more features than rows, else
        0.0001
    tol : how far from optimal the solution may be

    Attributes: support_, coef_ and intercept_ (in the units of X), importances_ (|coefficient| of the standardised
    features), penalty_ (the lambda of the model), violation_ (how far it is from optimal), classes_.
    """

    _family: Family = "logistic"


class SparseLinear(_ElasticNetSelector, RegressionSelector):
    """Lasso (l1_ratio=1) or elastic-net linear regression; selects the non-zero coefficients.

    Parameters and attributes are those of `SparseLogistic`, with half the squared error as the loss.
    """

    _family: Family = "linear"


class _ElasticNetProblem(PathProblem):
    """Checked data and options of one path.

    Features are standardised whatever `standardise` says, for the sake of the numerics: a penalty on the coefficients
    of the features as they are is a penalty on the standardised ones with factors 1/sd (L1) and 1/sd² (L2).
    """

    def __init__(
        self,
        training: Training,
        family: Family,
        l1_ratio: float,
        standardised_penalty: bool,
        penalty_factors: ArrayLike | None,
        tol: float,
    ) -> None:
        super().__init__(training, logistic=family == "logistic", tol=tol)
        check_number("l1_ratio", l1_ratio, most=1.0)
        check_flag("standardise", standardised_penalty)
        factors = _read_factors(penalty_factors, len(self.data.scale))
        units = np.ones(len(factors)) if standardised_penalty else self.data.scale
        self.l1_factors = l1_ratio * factors / units
        # Dividing y by its unit divides the loss and b² by the square of it, and |b| by the unit only.
        self.l2_factors = (1.0 - l1_ratio) * factors / units**2 * self.target.unit
        if l1_ratio == 1.0 and penalty_factors is None:
            # Any split of a coefficient between exact copies is optimal; giving all of it to the first makes it unique.
            self.l1_factors[later_copies(training.X)] = np.inf

    def largest_penalty(self) -> float:
        return float(np.max(np.abs(self.null_descent) / self.l1_factors))

    def size(self, coef: Floats) -> int:
        return int(np.count_nonzero(coef))

    def fit_level(self, penalty: float, coef: Floats, intercept: float) -> tuple[float, float, float]:
        return fit_elastic_net(
            self.data.Xt,
            self.y,
            self.data.weight,
            penalty * self.l1_factors,
            penalty * self.l2_factors,
            self.logistic,
            self.tol,
            MOST_ROUNDS,
            SWEEPS_A_CALL,
            coef,
            intercept,
        )


def _read_lambdas(lambdas: ArrayLike) -> Floats:
    levels = numbers(lambdas, "lambdas")
    if levels.ndim != 1 or len(levels) == 0 or not np.isfinite(levels).all() or (levels <= 0).any():
        raise InputError("lambdas must be a list of positive numbers.")
    if (np.diff(levels) > 0).any():
        raise InputError("lambdas must fall from level to level, because each model starts from the last.")
    return levels


def _read_factors(penalty_factors: ArrayLike | None, n_features: int) -> Floats:
    if penalty_factors is None:
        return np.ones(n_features)
    factors = numbers(penalty_factors, "penalty_factors")
    if factors.shape != (n_features,) or not np.isfinite(factors).all() or (factors <= 0).any():
        raise InputError(
            f"penalty_factors has shape {factors.shape} or values that are not positive; "
            f"expected one positive number for each of the {n_features} features."
        )
    return factors


register_selector(
    "lasso",
    classes=SparseLogistic,
    number=SparseLinear,
    summary="L1-penalised logistic or linear regression",
    reference="Tibshirani 1996; Friedman, Hastie and Tibshirani 2010",
)
register_selector(
    "elastic_net",
    classes=SparseLogistic,
    number=SparseLinear,
    params={"l1_ratio": 0.5},
    summary="logistic or linear regression with an elastic-net penalty",
    reference="Zou and Hastie 2005; Friedman, Hastie and Tibshirani 2010",
)
