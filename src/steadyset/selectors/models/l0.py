"""L0-regularised (best-subset) logistic and linear regression as a selector."""

from __future__ import annotations

import copy
from dataclasses import KW_ONLY, dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.linear.best_subset import Regression, best_subset_path
from steadyset.selectors.known import register_selector
from steadyset.selectors.model import LinearSelector
from steadyset.selectors.model_input import copies_of, solved_target, standardise
from steadyset.selectors.validation import check_integer, check_number, size_or_default
from steadyset.tasks import CLASSES, NUMBER

RIDGES = {CLASSES: 1e-3, NUMBER: 0.0}  # classes that the features separate would have endless coefficients


@dataclass(eq=False, repr=False)
class L0Selector(LinearSelector):
    """Logistic regression of two classes, or linear regression, on the k features that fit best together.

    Minimises (1 / sum w) sum_i w_i loss_i + ridge / 2 sum_j b_j² over the supports of at most k features, b being the
    coefficients of the standardised features (weighted mean 0, weighted sd 1). The small ridge keeps the coefficients
    finite when the features separate the classes. The search is local (forward steps and swaps), so the optimum is
    found nearly always, not always. The support is smaller than k when the chosen features explain y without error, or
    when all others lie in their span (copies, sums), because such are never added.

    Parameters
    ----------
    k : int or None, default=None
        How many features to select; None is 10, or half of the features where that is fewer.
    ridge : float or None, default=None
        The weight of the squared coefficients; None is 0.001 for classes and 0 for a number.
    n_candidates : int, default=5
        How many replacements are fitted exactly in each step of the search.
    task : str or None, default=None
        What y holds, "classes" or "number"; None decides by y. Where scikit-learn has to know it before the fit, as for
        stratified folds, give it.

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
    path_ : list of array of int
        The supports of the sizes 1, 2, ..., as indices.
    objectives_ : array of float
        The objective at each of these sizes.
    task_ : str
        What y was taken for.
    classes_ : array of shape (2,)
        The two classes, where y holds classes; `coef_` speaks for the second.

    Examples
    --------
    One fit holds the best pair and the best triple:

    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> [size.tolist() for size in st.selectors.L0Selector(k=3).fit(X, y).path_]
    [[22], [22, 24], [20, 21, 27]]
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> st.selectors.L0Selector(k=2).fit(X, y).get_feature_names_out().tolist()
    ['bmi', 's5']
    """

    k: int | None = None
    _: KW_ONLY
    ridge: float | None = None
    n_candidates: int = 5
    task: str | None = None

    path_is_costly = True

    @with_one_arithmetic_thread
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Search for the best support of every size up to k, and keep the model of the largest.

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
        logistic = self.outcomes[self.task_].logistic
        ridge = RIDGES[self.task_] if self.ridge is None else self.ridge
        k = size_or_default(self.k, training.X.shape[1])
        check_number("ridge", ridge, or_equal=True)
        check_integer("n_candidates", self.n_candidates, least=1)
        data = standardise(training)
        target = solved_target(training, data.weight)
        # The linear problem is solved for y in units of its standard deviation, so that tolerances mean the same.
        y_solved = target.y if logistic else (target.y - target.mean) / target.spread
        model = Regression(data.Xt, y_solved, data.weight, float(ridge), logistic, 1e-10, int(self.n_candidates))
        supports, thetas, objectives = best_subset_path(model, k)
        if not logistic:
            spread = target.spread * target.unit
            with np.errstate(over="ignore", under="ignore"):
                thetas, objectives = thetas * spread, objectives * spread * spread
            thetas[np.arange(len(thetas)), np.arange(1, len(thetas) + 1)] += target.centre + target.mean * target.unit
        self.path_: list[Ints] = [np.sort(supports[s, : s + 1]) for s in range(len(supports))]
        self.objectives_: Floats = objectives
        # A fitted model should not carry the data.
        none = np.empty((0, 0))
        self._path = (supports, thetas, replace(data, Xt=none), replace(training, X=none))
        taken = np.unique(np.concatenate(self.path_))  # by the model of some size
        self._copies = dict(zip(taken.tolist(), copies_of(training.X, taken), strict=True))
        return self._keep(len(supports))

    def path_by_size(self, X: Floats, y: ArrayLike, reach: int) -> list[Ints]:
        """The best supports of all sizes.

        Parameters
        ----------
        X : array of float of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,)
            The target.
        reach : int
            The largest size.

        Returns
        -------
        list of array of int
            The features at the sizes 1, ..., reach.
        """
        return list(clone(self).set_params(k=reach).fit(X, y).path_)

    def of_size(self, k: int) -> Self:
        """The model of the path with fewer features: what a fit with this k gives; nothing is searched again.

        Parameters
        ----------
        k : int
            How many features, or the most that the path has.

        Returns
        -------
        Self
            A copy with the model of this size.
        """
        check_is_fitted(self)
        check_integer("k", k, least=1)
        model = copy.copy(self)
        model.k = k
        return model._keep(min(k, len(self.path_)))

    def _keep(self, size: int) -> Self:
        """Make the model with `size` features of the path the fitted one."""
        supports, thetas, data, training = self._path
        chosen = supports[size - 1, :size]
        coef = np.zeros(len(data.scale))
        coef[chosen] = thetas[size - 1, :size]
        self._store(coef, float(thetas[size - 1, size]), data, training)
        self.support_[chosen] = True
        self.n_tied_ = sum(not self.support_[self._copies[int(j)]].all() for j in chosen)
        return self


register_selector(
    "l0",
    tasks=dict.fromkeys(L0Selector.outcomes, L0Selector),
    summary="logistic or linear regression on the best subset of k features, by local search",
    reference="Hazimeh and Mazumder 2020",
    formula="min_b [sum_i w_i loss_i] / [sum_i w_i] + (ridge / 2) sum_j b_j², |support| <= k",
)
