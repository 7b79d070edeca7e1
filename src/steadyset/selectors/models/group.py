"""Group-lasso regression, logistic and linear, as a selector: a group of features is in the model or it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.io.numbers import group_values
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.linear.group_lasso import GroupLasso, fit_group_lasso
from steadyset.selectors.known import register_selector
from steadyset.selectors.linear import ElasticNetSelector
from steadyset.selectors.model import LinearSelector
from steadyset.selectors.model_input import Training, solved_target, standardise
from steadyset.selectors.paths import one_level_each, tell_accuracy
from steadyset.selectors.validation import check_k, check_number

MAX_ROUNDS = 1000
# After each block of sweeps it is seen whether more of them bring anything.
SWEEPS_A_CALL, MAX_CALLS = 1000, 50


@dataclass(eq=False, repr=False)
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

    groups: ArrayLike | None = None
    _: KW_ONLY
    penalty: float | None = None
    k: int | None = None
    task: str | None = None
    n_lambdas: int = 100
    lambda_min_ratio: float | None = None
    tol: float = 1e-10

    @with_one_arithmetic_thread
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
        if self.groups_.max() + 1 == len(self.groups_):
            return self._fit_lasso(X, y, sample_weight)
        path = _GroupPath(training, self.groups_, self.outcomes[self.task_].logistic, self.tol)
        (level,) = one_level_each(path, self.penalty, self.k, self.n_lambdas, self.lambda_min_ratio)
        return self._keep(path, level, training)

    def _fit_lasso(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Groups of one feature are the lasso, whose solver knows a way out of near copies."""
        if self.k is not None and self.penalty is None:
            check_k(self.k, len(self.groups_), what="groups")
        options: Any = {name: value for name, value in self.get_params().items() if name != "groups"}
        found = vars(ElasticNetSelector(**options).fit(X, y, sample_weight))
        kept = {name: value for name, value in found.items() if name.endswith("_") and name != "covariate_coef_"}
        self.__dict__.update(kept)
        return self

    def _keep(self, path: _GroupPath, level: _Level, training: Training) -> Self:
        """Make one model of the path the fitted one."""
        spread, unit = path.target.spread, path.target.unit
        tell_accuracy(level.penalty, level.violation, spread, self.tol)
        coef = np.empty(len(level.coef))
        coef[path.order] = level.coef * unit
        self._store(coef, level.intercept * unit + path.target.centre, path.data, training)
        self.support_ = path.data.varies & np.isin(self.groups_, self.groups_[self.support_])
        self.penalty_ = level.penalty
        self.violation_ = level.violation / spread
        return self

    def has_size(self) -> bool:
        """Whether the size decides, and no given penalty.

        Returns
        -------
        bool
            True where a number of features decides.
        """
        return self.penalty is None


class _Level(NamedTuple):
    """The model at one penalty (in the units of y), in those of the standardised features and the solved target."""

    penalty: float
    coef: Floats
    intercept: float
    violation: float
    size: int


class _Levels(list[_Level]):
    """The models down some penalties."""

    @property
    def penalties(self) -> Floats:
        return np.array([level.penalty for level in self])

    @property
    def sizes(self) -> Ints:
        return np.array([level.size for level in self])

    def level(self, t: int) -> _Level:
        return self[t]


class _GroupPath:
    """The path of one group lasso, as `one_level_each` walks it.

    Coefficients are in `order`, where the features of a group stand together; those of the last level are kept, and the
    next one starts from them.
    """

    what, runs = "groups", range(1)

    def __init__(self, training: Training, groups: Ints, logistic: bool, tol: float) -> None:
        check_number("tol", tol)
        self.data = standardise(training)
        self.target = solved_target(training, self.data.weight)
        self.logistic, self.tol = logistic, tol * self.target.spread
        sizes = np.bincount(groups)
        self.most, self.factors = len(sizes), np.sqrt(sizes)
        self.order = np.argsort(groups, kind="stable")
        self.bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.Xt = np.ascontiguousarray(self.data.Xt[self.order])
        mean = self.target.mean
        self.coef = np.zeros(len(groups))
        self.intercept = float(np.log(mean / (1.0 - mean))) if logistic else mean
        descent = self.Xt @ (self.data.weight * (self.target.y - mean))
        largest = float(np.max(self._norms(descent) / self.factors))
        # Where no feature has anything to do with y, the gradients are rounding errors and so would be the levels.
        self.largest = [max(largest, 1e-9 * self.target.spread) * self.target.unit]
        self.units = [self.target.unit]

    def solve(self, places: Sequence[int], lambdas: Sequence[Floats], stop_size: int | None = None) -> list[_Levels]:
        """The models down the lambdas, each started from the one before, until one has stop_size groups or more."""
        found = _Levels()
        for penalty in lambdas[0].tolist():
            violation = self._descend(penalty / self.target.unit)
            size = int(np.count_nonzero(self._norms(self.coef)))
            found.append(_Level(penalty, self.coef.copy(), self.intercept, violation, size))
            if stop_size is not None and size >= stop_size:
                break
        return [found]

    def _descend(self, penalty: float) -> float:
        """Blocks of sweeps until the conditions hold, or until a block brings neither them nor the objective down."""
        of_data = self.Xt, self.target.y, self.data.weight, self.bounds
        model = GroupLasso(*of_data, penalty * self.factors, self.logistic, self.tol)
        violation = closest = least = np.inf
        for _ in range(MAX_CALLS):
            solved = fit_group_lasso(model, MAX_ROUNDS, SWEEPS_A_CALL, self.coef, self.intercept)
            self.intercept, violation, objective = solved
            if violation <= self.tol:
                break
            # The objective is flat at its minimum: the violation goes on falling long after it.
            if violation > 0.5 * closest and objective >= least - 1e-12 * abs(least):
                break
            closest, least = min(closest, violation), min(least, objective)
        return violation

    def _norms(self, values: Floats) -> Floats:
        return np.sqrt(np.add.reduceat(np.square(values), self.bounds[:-1]))


def _read_groups(groups: ArrayLike | None, n_features: int) -> Ints:
    if groups is None:
        return np.arange(n_features)
    labels = group_values(groups, n_features, each="feature")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def with_groups(selector: Any, groups: Ints) -> Any:
    """Return the selector with these groups if it is, or has within it, a group lasso without any; else itself."""
    if not hasattr(selector, "get_params"):
        return selector
    parts = {"": selector, **selector.get_params(deep=True)}
    unset = [name for name, part in parts.items() if isinstance(part, GroupLassoSelector) and part.groups is None]
    if not unset:
        return selector
    return clone(selector).set_params(**{f"{name}__groups" if name else "groups": groups for name in unset})


register_selector(
    "group_lasso",
    tasks=dict.fromkeys(GroupLassoSelector.outcomes, GroupLassoSelector),
    summary="the k groups of features that enter a group-lasso path first; the lasso if no groups are given",
    reference="Yuan and Lin 2006",
    formula="min_b [sum_i w_i loss_i] / [sum_i w_i] + lambda sum_g sqrt(d_g) sqrt(sum_{j in g} b_j²)",
)
