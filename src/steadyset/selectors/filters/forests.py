"""Filters that are importances of a random forest: impurity, permutation."""

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.filters.registry import Filter, register_filter


def impurity(
    X: Floats,
    y: Ints | Floats,
    *,
    random_state: int,
    n_estimators: int = 500,
    max_features: str | int | float = "sqrt",
    min_samples_leaf: int = 1,
    n_jobs: int | None = None,
) -> Floats:
    """Mean over the trees of the decrease in impurity (Gini index, or variance of a continuous target) by a feature.

    A node's decrease counts with its share of the rows. Features that no tree uses score 0.
    """
    forest = _forest(y, random_state, n_estimators, max_features, min_samples_leaf, n_jobs).fit(X, y)
    decreases = [tree.tree_.compute_feature_importances(normalize=False) for tree in forest.estimators_]
    return np.asarray(np.mean(decreases, axis=0), dtype=np.float64)


def permutation(
    X: Floats,
    y: Ints | Floats,
    *,
    random_state: int,
    n_estimators: int = 500,
    max_features: str | int | float = "sqrt",
    min_samples_leaf: int = 1,
    n_jobs: int | None = None,
) -> Floats:
    """Mean over the trees of the loss of accuracy on out-of-bag rows when a feature's values are permuted there.

    For a continuous target the loss is the growth of the mean squared error. Features that no tree uses score 0.
    """
    forest = _forest(y, random_state, n_estimators, max_features, min_samples_leaf, n_jobs).fit(X, y)
    scores = np.zeros(X.shape[1])
    for number, (tree, drawn) in enumerate(zip(forest.estimators_, forest.estimators_samples_, strict=True)):
        left_out = np.setdiff1d(np.arange(len(X)), drawn)
        if left_out.size == 0:
            continue
        rng = np.random.default_rng([random_state, number])
        rows, truth = X[left_out].astype(np.float32), y[left_out]
        baseline = _quality(tree, rows, truth)
        for feature in np.unique(tree.tree_.feature[tree.tree_.feature >= 0]):
            column = rows[:, feature].copy()
            rows[:, feature] = rng.permutation(column)
            scores[feature] += baseline - _quality(tree, rows, truth)
            rows[:, feature] = column
    return scores / n_estimators


def _quality(tree: Any, rows: Any, truth: Ints | Floats) -> float:
    """Accuracy of a classification tree, minus the mean squared error of a regression tree."""
    predicted = tree.predict(rows, check_input=False)
    if truth.dtype.kind == "f":
        return -float(np.mean((predicted - truth) ** 2))
    return float(np.mean(predicted == truth))


def _forest(
    y: Ints | Floats,
    random_state: int,
    n_estimators: int,
    max_features: str | int | float,
    min_samples_leaf: int,
    n_jobs: int | None,
) -> Any:
    forest = RandomForestRegressor if y.dtype.kind == "f" else RandomForestClassifier
    return forest(
        n_estimators=n_estimators,
        max_features=max_features,
        min_samples_leaf=min_samples_leaf,
        n_jobs=n_jobs,
        random_state=random_state,
    )


for _name, _score in [("impurity", impurity), ("permutation", permutation)]:
    register_filter(
        Filter(
            name=_name,
            score=_score,
            target=("class", "continuous"),
            weights=False,
            stochastic=True,
            reference="Breiman 2001; Izenman 2013, p. 542",
        )
    )
