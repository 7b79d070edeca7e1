"""L0-regularised (best-subset) logistic and linear regression as selectors."""

import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.linear.best_subset import best_subset_path
from steadyset.selectors.known import register_selector
from steadyset.selectors.model import LinearSelector, LogisticSelector, RegressionSelector
from steadyset.selectors.model_input import copies_of, read_training, solved_target, standardise
from steadyset.selectors.validation import check_integer, check_number, size_or_default


class _BestSubsetSelector(LinearSelector):
    """The fit that the logistic and the linear selector share."""

    path_is_costly = True
    _logistic: bool
    k: int | None
    ridge: float
    n_candidates: int

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the supports of sizes 1..k, and keep the model of the last one."""
        kind: Any = "binary" if self._logistic else "numbers"
        training = read_training(X, y, sample_weight, target=kind, selector=self)
        k = size_or_default(self.k, training.X.shape[1])
        check_number("ridge", self.ridge, or_equal=True)
        check_integer("n_candidates", self.n_candidates, least=1)
        data = standardise(training)
        target = solved_target(training, data.weight)
        # The linear problem is solved for y in units of its standard deviation, so that tolerances mean the same.
        y_solved = target.y if self._logistic else (target.y - target.mean) / target.spread
        supports, thetas, objectives = best_subset_path(
            data.Xt, y_solved, data.weight, k, float(self.ridge), self._logistic, 1e-10, int(self.n_candidates)
        )
        if not self._logistic:
            spread = target.spread * target.unit
            with np.errstate(over="ignore", under="ignore"):
                thetas, objectives = thetas * spread, objectives * spread * spread
            thetas[np.arange(len(thetas)), np.arange(1, len(thetas) + 1)] += target.centre + target.mean * target.unit
        self.path_: list[Ints] = [np.sort(supports[s, : s + 1]) for s in range(len(supports))]
        self.objectives_: Floats = objectives
        # A fitted model should not carry the data.
        none = np.empty((0, 0))
        self._path = (supports, thetas, replace(data, Xt=none), replace(training, X=none))
        self._copies = _copies_of_path(training.X, self.path_)
        return self._keep(len(supports))

    def path_by_size(self, X: Floats, y: Any, reach: int) -> list[Ints]:
        """The best support of each size up to reach, by one fit."""
        return list(clone(self).set_params(k=reach).fit(X, y).path_)

    def of_size(self, k: int) -> Self:
        """The model of the path with k features, or with the most that the path has: what a fit with this k gives."""
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


def _copies_of_path(X: Floats, path: list[Ints]) -> dict[int, Ints]:
    """The copies of every feature that is in the model of some size."""
    features = np.unique(np.concatenate(path))
    return dict(zip(features.tolist(), copies_of(X, features), strict=True))


class L0Logistic(_BestSubsetSelector, LogisticSelector):
    """Logistic regression of two classes on the k features that fit best together.

    Minimises  (1 / sum w) sum_i w_i loss_i + ridge / 2 sum_j b_j²  over the supports of at most k features, b being the
    coefficients of the standardised features (weighted mean 0, weighted sd 1). The small ridge keeps the coefficients
    finite when the features separate the classes. The search is local (forward steps and swaps), so the optimum is
    found nearly always, not always. The support is smaller than k when the chosen features explain y without error, or
    when all others lie in their span (copies, sums), because such are never added.

    Parameters
    ----------
    k : how many features to select; None: 10, or half of the features where that is fewer
    ridge : the weight of the squared coefficients; 0 by default for a number
    n_candidates : how many replacements are fitted exactly in each step of the search

    Attributes: support_, coef_, intercept_, importances_ (|coefficient| of the standardised features), path_ (the
    supports of sizes 1, 2, ... as indices), objectives_ (one for each size), classes_.
    """

    _logistic = True

    def __init__(self, k: int | None = None, *, ridge: float = 1e-3, n_candidates: int = 5) -> None:
        self.k = k
        self.ridge = ridge
        self.n_candidates = n_candidates


class L0Linear(_BestSubsetSelector, RegressionSelector):
    """Linear regression on the k features that fit best together.

    Parameters and attributes are those of `L0Logistic`, with half the squared error as the loss and no ridge.
    """

    _logistic = False

    def __init__(self, k: int | None = None, *, ridge: float = 0.0, n_candidates: int = 5) -> None:
        self.k = k
        self.ridge = ridge
        self.n_candidates = n_candidates


register_selector(
    "l0",
    classes=L0Logistic,
    number=L0Linear,
    summary="logistic or linear regression on the best subset of k features, by local search",
    reference="Hazimeh and Mazumder 2020",
    formula="min_b [sum_i w_i loss_i] / [sum_i w_i] + (ridge / 2) sum_j b_j², |support| <= k",
)
