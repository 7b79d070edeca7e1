"""Group-lasso regression, logistic and linear, as selectors: a group of features is in the model or it is not."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from steadyset.io.observations import group_values
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.linear.elastic_net import fit_elastic_net
from steadyset.kernels.linear.group_lasso import fit_group_lasso
from steadyset.selectors.model import LinearSelector, LogisticSelector, RegressionSelector
from steadyset.selectors.model_input import Training, read_training
from steadyset.selectors.path import MOST_ROUNDS, SWEEPS_A_CALL, PathProblem


class _GroupSelector(LinearSelector):
    """The fit that the logistic and the linear selector share."""

    _logistic: bool

    def __init__(
        self,
        groups: ArrayLike | None = None,
        *,
        penalty: float | None = None,
        k: int | None = None,
        n_lambdas: int = 100,
        lambda_min_ratio: float | None = None,
        tol: float = 1e-10,
    ) -> None:
        self.groups = groups
        self.penalty = penalty
        self.k = k
        self.n_lambdas = n_lambdas
        self.lambda_min_ratio = lambda_min_ratio
        self.tol = tol

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the path down to the given penalty or number of groups, and keep the last model."""
        target: Any = "binary" if self._logistic else "numbers"
        training = read_training(X, y, sample_weight, target=target, selector=self)
        self.groups_: Ints = _read_groups(self.groups, training.X.shape[1])
        problem = _GroupProblem(training, self.groups_, self._logistic, self.tol)
        n_groups = int(self.groups_.max()) + 1
        level = problem.fit(self.penalty, self.k, n_groups, self.n_lambdas, self.lambda_min_ratio, what="groups")
        solved, intercept = problem.in_units_of_y(level)
        coef = np.empty(len(solved))
        coef[problem.order] = solved
        self._store(coef, intercept, problem.data, training)
        self.support_ = problem.data.varies & np.isin(self.groups_, self.groups_[self.support_])
        self.penalty_ = level.penalty
        self.violation_ = level.violation / problem.spread
        return self

    def has_size(self) -> bool:
        """Whether the size decides, and no given penalty."""
        return self.penalty is None


class GroupLogistic(_GroupSelector, LogisticSelector):
    """Group-lasso logistic regression of two classes; selects the groups with a non-zero coefficient.

    Minimises  (1 / sum w) sum_i w_i loss_i + lambda sum_g sqrt(size of g) |b_g|_2  with an unpenalised intercept, b
    being the coefficients of the standardised features (weighted mean 0, weighted sd 1). `groups` holds one label a
    feature; None makes every feature a group of its own, which is the lasso. Either `penalty` sets lambda, or the path
    is followed until about `k` groups are in, in the way that `SparseLogistic` does for features.

    Attributes: support_ (all features of the selected groups, constant ones excepted), groups_ (the group of each
    feature as a number from 0), coef_, intercept_, importances_ (|coefficient| of the standardised features), penalty_,
    violation_, classes_.
    Reference: Meier, van de Geer and Buehlmann (2008), The group lasso for logistic regression.
    """

    _logistic = True


class GroupLinear(_GroupSelector, RegressionSelector):
    """Group-lasso linear regression; selects the groups with a non-zero coefficient.

    Parameters and attributes are those of `GroupLogistic`, with half the squared error as the loss.
    Reference: Yuan and Lin (2006), Model selection and estimation in regression with grouped variables.
    """

    _logistic = False


class _GroupProblem(PathProblem):
    """The path of one group lasso; coefficients are in `order`, where the features of a group stand together."""

    def __init__(self, training: Training, groups: Ints, logistic: bool, tol: float) -> None:
        super().__init__(training, logistic=logistic, tol=tol)
        self.order = np.argsort(groups, kind="stable")
        self.Xt = np.ascontiguousarray(self.data.Xt[self.order])
        sizes = np.bincount(groups)
        self.bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.factors = np.sqrt(sizes)

    def largest_penalty(self) -> float:
        return float(np.max(self._norms(self.null_descent[self.order]) / self.factors))

    def size(self, coef: Floats) -> int:
        return int(np.count_nonzero(self._norms(coef)))

    def fit_level(self, penalty: float, coef: Floats, intercept: float) -> tuple[float, float, float]:
        if len(self.factors) == len(self.Xt):
            # Groups of one feature are the lasso, whose solver knows a way out of near copies.
            no_ridge = np.zeros(len(coef))
            return fit_elastic_net(
                self.Xt,
                self.y,
                self.data.weight,
                penalty * self.factors,
                no_ridge,
                self.logistic,
                self.tol,
                MOST_ROUNDS,
                SWEEPS_A_CALL,
                coef,
                intercept,
            )
        return fit_group_lasso(
            self.Xt,
            self.y,
            self.data.weight,
            self.bounds,
            penalty * self.factors,
            self.logistic,
            self.tol,
            MOST_ROUNDS,
            SWEEPS_A_CALL,
            coef,
            intercept,
        )

    def _norms(self, values: Floats) -> Floats:
        return np.sqrt(np.add.reduceat(np.square(values), self.bounds[:-1]))


def _read_groups(groups: ArrayLike | None, n_features: int) -> Ints:
    if groups is None:
        return np.arange(n_features)
    labels = group_values(groups, n_features, each="feature")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
