"""Hamer and Dupont 2021, section 6.2: the nine selection methods, each with the model that predicts.

The paper does not state the penalties of the models and of the eliminations; those here are of the authors' programme,
in the units of steadyset. MIM takes as many bins as the cube root of n, rounded down, the default of the package that
the paper names. The programme has the mutual information of mRMR from correlations, here it is that of bins. It fits
its support vector machines as regressions on -1 and 1, here they have the hinge loss that the paper names.

Importances of the selected features are those in the model that predicts, as `assess` takes them (equations 6 and 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from papers.framework.arrays import Bools, Floats, Ints
from steadyset.selectors import (
    ElasticNetSelector,
    FilterSelector,
    ForestSelector,
    RecursiveElimination,
    elastic_net_path,
)

RIDGE = 0.01  # of the logistic regression on the selected features
ELIMINATION = 1.0  # of the logistic regressions that eliminate
HINGE, HINGE_ELIMINATION = 300.0, 1000.0  # 1 / C
STEP = 0.2  # of the features that are left, dropped at once
LEVELS = np.geomspace(0.5, 0.001, 140)  # penalties, of which one selects the wanted number of features on average
MOST_IN_PATH = 4  # times the wanted number, where a path ends


class Method(NamedTuple):
    """A selector, and the model that predicts from what it selects: the importances of the features are those in it."""

    selector: Any
    predictor: Any


class OnBins(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A selector that sees bins of equal frequency in place of the values."""

    def __init__(self, selector: Any, bins: int) -> None:
        self.selector = selector
        self.bins = bins

    def fit(self, X: Any, y: Any) -> Self:
        self.support_ = clone(self.selector).fit(equal_frequency(X, self.bins), y).get_support()
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self) -> Bools:
        mask: Bools = self.support_
        return mask


def equal_frequency(X: Floats, n_bins: int) -> Floats:
    """The number of the bin of each value."""
    edges = np.quantile(X, np.arange(1, n_bins) / n_bins, axis=0)
    bins: Floats = (X[None] > edges[:, None]).sum(axis=0).astype(np.float64)
    return bins


def methods(
    n: int,
    d: int,
    *,
    k: int,
    prefilter: int,
    trees: int,
    neighbours: int,
    penalties: Mapping[str, float],
    l1_ratio: float,
) -> dict[str, Method]:
    """The methods by the names of the paper, for n rows and d features."""
    before = min(prefilter, d)
    logistic = RecursiveElimination(k, penalty=RIDGE)
    svm = RecursiveElimination(k, loss="hinge", penalty=HINGE / n)
    nearest = make_pipeline(StandardScaler(), KNeighborsClassifier(neighbours))
    forest = ForestSelector(k, n_estimators=trees, fill=True)

    def then(selector: Any, model: Any) -> Method:
        return Method(
            Pipeline([("variance", FilterSelector("variance", k=before, fill=True)), ("select", selector)]), model
        )

    lasso, net = (
        ElasticNetSelector(penalties[name], l1_ratio=ratio) for name, ratio in (("lasso", 1.0), ("en", l1_ratio))
    )
    return {
        "rf": then(ForestSelector(k, importance="permutation", n_estimators=trees, fill=True), forest),
        "lasso": then(lasso, lasso),
        "en": then(net, net),
        "relief": then(FilterSelector("relieff", k=k, params={"n_neighbors": neighbours}, fill=True), nearest),
        "logrfe": then(RecursiveElimination(k, penalty=ELIMINATION, step=STEP), logistic),
        "svmrfe": then(RecursiveElimination(k, loss="hinge", penalty=HINGE_ELIMINATION / n, step=STEP), svm),
        "ttest": then(FilterSelector("t_test", k=k, params={"equal_var": False}, fill=True), logistic),
        "mim": then(
            OnBins(FilterSelector("mim", k=k, params={"discretise": "distinct"}, fill=True), int(n ** (1 / 3))),
            logistic,
        ),
        "mrmr": then(FilterSelector("mrmr", k=k, fill=True), logistic),
    }


def penalty_for(k: int, X: Floats, y: Any, trainings: Iterable[Ints], *, prefilter: int, l1_ratio: float) -> float:
    """Of the levels of a path the one at which the number of features, on average over the trainings, is nearest k."""
    sizes = []
    for rows in trainings:
        kept = FilterSelector("variance", k=min(prefilter, X.shape[1]), fill=True).fit(X[rows], y[rows]).get_support()
        path = elastic_net_path(
            X[rows][:, kept], y[rows], lambdas=LEVELS, l1_ratio=l1_ratio, max_features=MOST_IN_PATH * k
        )
        sizes.append(np.count_nonzero(path.coefs, axis=1))
    reached = min(len(one) for one in sizes)
    mean = np.mean([one[:reached] for one in sizes], axis=0)
    return float(LEVELS[np.argmin(np.abs(mean - k))])
