"""Group-lasso regression, logistic and linear, as a selector: a group of features is in the model or it is not."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from steadyset.io.numbers import group_values
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.linear.group_lasso import fit_group_lasso
from steadyset.selectors.model import LinearSelector
from steadyset.selectors.model_input import Training
from steadyset.selectors.path import MOST_ROUNDS, SWEEPS_A_CALL, Level, PathProblem
from steadyset.selectors.path_batches import Solving, read_batches
from steadyset.selectors.path_data import Family


class GroupLassoSelector(LinearSelector):
    """Group-lasso regression, logistic of two classes or linear of a number; selects whole groups of features.

    Minimises (1 / sum w) sum_i w_i loss_i + lambda sum_g sqrt(size of g) norm(b_g) with an unpenalised intercept, b
    being the coefficients of the standardised features (weighted mean 0, weighted sd 1). Either `penalty` sets lambda,
    or the path is followed until about `k` groups are in, in the way that `ElasticNetSelector` does for features. All
    features of a selected group are selected, constant ones excepted.

    Parameters
    ----------
    groups : array-like of shape (n_features,) or None, default=None
        One label per feature; None makes every feature a group of its own, which is the lasso.
    penalty : float or None, default=None
        The lambda of the model; with None, k decides.
    k : int or None, default=None
        How many groups to select; None is 10, or half of the groups where that is fewer.
    task : str or None, default=None
        What y holds, "classes" or "number"; None decides by y. Where scikit-learn has to know it before the fit, as for
        stratified folds, give it.
    n_lambdas : int, default=100
        How many levels the path has that is followed to k groups.
    lambda_min_ratio : float or None, default=None
        Its last level, as a part of its first; None is 0.01 if there are more features than rows, else 0.0001.
    tol : float, default=1e-10
        How far from optimal the solution may be.

    Attributes
    ----------
    support_ : array of bool of shape (n_features,)
        The selected features.
    coef_ : array of float of shape (n_features,)
        The coefficients, in the units of X; 0 for features that were not selected.
    intercept_ : float
        The intercept.
    importances_ : array of float of shape (n_features,)
        The absolute coefficients of the standardised features.
    n_tied_ : int
        Selected features of which a copy was not selected: only the order of the columns preferred them.
    n_features_in_ : int
        How many features X had.
    groups_ : array of int of shape (n_features,)
        The group of each feature, as a number from 0.
    penalty_ : float
        The lambda of the model.
    violation_ : float
        How far the model is from optimal.
    task_ : str
        What y was taken for.
    classes_ : array of shape (2,)
        The two classes, where y holds classes; `coef_` speaks for the second.

    References
    ----------
    Yuan and Lin (2006), Model selection and estimation in regression with grouped variables. Meier, van de Geer and
    Buehlmann (2008), The group lasso for logistic regression.

    Examples
    --------
    Thirty measurements of a tumour, the mean, the error and the worst value of each of ten properties:

    >>> import numpy as np
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = st.selectors.GroupLassoSelector(np.tile(np.arange(10), 3), k=2).fit(X, y)
    >>> model.get_support(indices=True)
    array([ 2,  7, 12, 17, 22, 27])

    The six blood values of patients come or go together:

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = st.selectors.GroupLassoSelector(["age", "sex", "bmi", "bp", *["blood"] * 6], k=3).fit(X, y)
    >>> model.get_feature_names_out().tolist()
    ['bmi', 'bp', 's1', 's2', 's3', 's4', 's5', 's6']
    """

    def __init__(
        self,
        groups: ArrayLike | None = None,
        *,
        penalty: float | None = None,
        k: int | None = None,
        task: str | None = None,
        n_lambdas: int = 100,
        lambda_min_ratio: float | None = None,
        tol: float = 1e-10,
    ) -> None:
        self.groups = groups
        self.penalty = penalty
        self.k = k
        self.task = task
        self.n_lambdas = n_lambdas
        self.lambda_min_ratio = lambda_min_ratio
        self.tol = tol

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the path down to the given penalty or number of groups, and keep the last model.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts: 0 leaves it out, 2 counts it twice. None counts every row once.

        Returns
        -------
        Self
            The fitted selector.
        """
        training = self._training(X, y, sample_weight)
        self.groups_: Ints = _read_groups(self.groups, training.X.shape[1])
        problem = _GroupProblem(training, self.groups_, self.outcomes[self.task_].logistic, self.tol)
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
        """Whether the size decides, and no given penalty.

        Returns
        -------
        bool
            True where a number of features decides.
        """
        return self.penalty is None


class _GroupProblem(PathProblem):
    """The path of one group lasso; coefficients are in `order`, where the features of a group stand together."""

    def __init__(self, training: Training, groups: Ints, logistic: bool, tol: float) -> None:
        super().__init__(training, logistic=logistic, tol=tol)
        self.order = np.argsort(groups, kind="stable")
        self.Xt = np.ascontiguousarray(self.data.Xt[self.order])
        sizes = np.bincount(groups)
        self.bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.factors = np.sqrt(sizes)
        # Groups of one feature are the lasso, whose solver knows a way out of near copies.
        self._lasso = self._as_lasso() if len(sizes) == len(groups) else None

    def _as_lasso(self) -> Solving:
        family: Family = "logistic" if self.logistic else "linear"
        tol = self.tol / self.spread
        weights = self.data.weight[None]
        return Solving(
            read_batches(self.Xt.T, self.y, weights, family=family, l1_ratio=1.0, standardise=True, tol=tol), range(1)
        )

    def walk(self, lambdas: Floats, *, stop_size: int | None = None, start: Level | None = None) -> list[Level]:
        if self._lasso is None:
            return super().walk(lambdas, stop_size=stop_size, start=start)
        (path,) = self._lasso.solve([0], [lambdas / self.target.unit], stop_size)
        levels = []
        for t, penalty in enumerate(lambdas[: len(path.penalties)].tolist()):
            model, coef = path.level(t), np.zeros(len(self.Xt))
            coef[model.features] = model.coefs
            levels.append(Level(penalty, coef, model.intercept, model.violation * float(self._lasso.y_units[0])))
        return levels

    def largest_penalty(self) -> float:
        return float(np.max(self._norms(self.null_descent[self.order]) / self.factors))

    def size(self, coef: Floats) -> int:
        return int(np.count_nonzero(self._norms(coef)))

    def fit_level(self, penalty: float, coef: Floats, intercept: float) -> tuple[float, float, float]:
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
