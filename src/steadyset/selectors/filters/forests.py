"""Filters that are importances of a random forest: impurity, permutation."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.filters.registry import Filter, register_filter
from steadyset.selectors.permutation import error_growth


def impurity(forest: Any, X: Floats, y: Ints | Floats, random_state: int) -> Floats:
    """Mean over the trees of the decrease in impurity (Gini index, or variance of a continuous target) by a feature.

    A node's decrease counts with its share of the rows. Features that no tree uses score 0.
    """
    decreases = [tree.tree_.compute_feature_importances(normalize=False) for tree in forest.estimators_]
    return np.asarray(np.mean(decreases, axis=0), dtype=np.float64)


def permutation(forest: Any, X: Floats, y: Ints | Floats, random_state: int) -> Floats:
    """Mean over the trees of the loss of accuracy on out-of-bag rows when a feature's values are permuted there.

    For a continuous target the loss is the growth of the mean squared error. Features that no tree uses score 0.
    """
    total = np.zeros(X.shape[1])
    for number, (tree, drawn) in enumerate(zip(forest.estimators_, forest.estimators_samples_, strict=True)):
        left_out = np.setdiff1d(np.arange(len(X)), drawn)
        if left_out.size:
            rng = np.random.default_rng([random_state, number])
            total += error_growth(tree, X[left_out].astype(np.float32), y[left_out], rng)
    return total / len(forest.estimators_)


def score_forest(
    importance: Callable[[Any, Floats, Ints | Floats, int], Floats],
    X: Floats,
    y: Ints | Floats,
    *,
    random_state: int,
    n_estimators: int = 500,
    max_features: str | int | float = "sqrt",
    min_samples_leaf: int = 1,
    n_jobs: int | None = None,
) -> Floats:
    """Grow scikit-learn's random forest and score each feature by its importance there."""
    kind = RandomForestRegressor if y.dtype.kind == "f" else RandomForestClassifier
    forest = kind(
        n_estimators=n_estimators,
        max_features=max_features,
        min_samples_leaf=min_samples_leaf,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    return importance(forest.fit(X, y), X, y, random_state)


for _name, _importance in [("impurity", impurity), ("permutation", permutation)]:
    register_filter(
        Filter(
            name=_name,
            score=partial(score_forest, _importance),
            target=("class", "continuous"),
            weights=False,
            stochastic=True,
            reference="Breiman 2001; Izenman 2013, p. 542",
        )
    )
