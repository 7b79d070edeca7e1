"""Hamer and Dupont 2021, section 6.2: the nine selection methods, each with the model that predicts.

The paper does not state the penalties of the models and of the eliminations; those here are of the authors' programme,
in the units of steadyset. MIM takes as many bins as the cube root of n, rounded down, the default of the package that
the paper names. The programme has the mutual information of mRMR from correlations, here it is that of bins; where a
published number is missed for this reason, `mrmr_of_the_package` takes its place. The programme fits its support vector
machines as regressions on -1 and 1, here they have the hinge loss that the paper names.

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


class MRMRFromCorrelations(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Greedy selection by relevance less mean redundancy, as the R package mRMRe computes them.

    The mutual information of two columns is that of normal variables, -log(1 - r^2) / 2, with Pearson's correlation r;
    the classes count as numbers.
    """

    def __init__(self, k: int) -> None:
        self.k = k

    def fit(self, X: Any, y: Any) -> Self:
        values = np.asarray(X, dtype=np.float64)
        columns = _unit_columns(values)
        codes = np.unique(y, return_inverse=True)[1].astype(np.float64)
        relevance = _normal_information(columns.T @ _unit_columns(codes[:, None])[:, 0])
        redundancy = np.zeros(values.shape[1])
        self.support_ = np.zeros(values.shape[1], dtype=bool)
        for n_selected in range(min(self.k, values.shape[1])):
            score = relevance - redundancy / max(n_selected, 1)
            best = int(np.argmax(np.where(self.support_, -np.inf, score)))
            self.support_[best] = True
            redundancy += _normal_information(columns.T @ columns[:, best])
        self.n_features_in_ = values.shape[1]
        return self

    def _get_support_mask(self) -> Bools:
        mask: Bools = self.support_
        return mask


def _unit_columns(values: Floats) -> Floats:
    """Return centered columns of length 1; a constant column is all 0."""
    centered = values - values.mean(axis=0)
    length = np.linalg.norm(centered, axis=0)
    units: Floats = centered / np.where(length > 0, length, 1.0)
    return units


def _normal_information(r: Floats) -> Floats:
    """Return the mutual information of normal variables with the correlations r, finite also for copies."""
    information: Floats = -0.5 * np.log1p(-np.minimum(r * r, 1 - 1e-12))
    return information


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


def mrmr_of_the_package(d: int, *, k: int, prefilter: int) -> Method:
    """Return mRMR as the R package mRMRe computes it, for d features."""
    before = FilterSelector("variance", k=min(prefilter, d), fill=True)
    selector = Pipeline([("variance", before), ("select", MRMRFromCorrelations(k))])
    return Method(selector, RecursiveElimination(k, penalty=RIDGE))


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
