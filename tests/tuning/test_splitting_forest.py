"""The forest of the ready-made space: scikit-learn's rules, the size of nodes, and what counts as selected."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from tests.sklearn_checks import complaints

import steadyset as st
from steadyset.tuning.models import RidgeModel, SplittingForest


def example(n=80, d=10, n_classes=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, np.array(["a", "b", "c"])[np.digitize(X[:, 3] + 0.2 * rng.normal(size=n), [-0.5, 0.5][: n_classes - 1])]


@pytest.mark.parametrize("model", [SplittingForest(5), RidgeModel()], ids=["forest", "ridge"])
@pytest.mark.parametrize("task", ["classes", "number", None])
def test_scikit_learn_accepts_it(model, task):
    assert complaints(clone(model).set_params(task=task)) == []


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_predicts_classes_and_their_probabilities(n_classes):
    X, y = example(n_classes=n_classes)
    forest = SplittingForest(50, max_features=0.5, random_state=0).fit(X, y)
    shares = forest.predict_proba(X)
    assert forest.classes_.tolist() == ["a", "b", "c"][:n_classes]
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(forest.predict(X), forest.classes_[shares.argmax(axis=1)])
    assert (forest.predict(X) == y).mean() > 0.95


def test_selected_is_what_any_tree_splits():
    X, y = example()
    X[:, 5] = 1.0
    deep = SplittingForest(30, random_state=0).fit(X, y)
    assert deep.get_support().tolist() == [True] * 5 + [False] + [True] * 4
    # The root alone is large enough to be split, and among all features the fourth is always the best.
    stumps = SplittingForest(30, node_size=79, max_features=None, random_state=0).fit(X, y)
    assert np.flatnonzero(stumps.get_support()).tolist() == [3]
    assert set(np.diff(stumps.trees_.starts)) == {3}


def test_a_node_of_the_given_size_is_not_split():
    X, y = example()
    forest = SplittingForest(5, node_size=80, random_state=0).fit(X, y)
    assert not forest.get_support().any()
    assert np.diff(forest.trees_.starts).tolist() == [1] * 5


def test_a_larger_forest_begins_with_the_trees_of_the_smaller_one():
    X, y = example()
    small, large = (SplittingForest(n, random_state=1).fit(X, y).trees_ for n in (40, 100))
    assert len(large.starts) == 101
    np.testing.assert_array_equal(small.starts, large.starts[:41])
    for one, other in zip(small[1:], large[1:], strict=True):
        np.testing.assert_array_equal(one, other[: len(one)])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_estimators": 0}, r"n_estimators must be a whole number of at least 1 \(got 0\)"),
        ({"node_size": 0}, r"node_size must be a whole number of at least 1 \(got 0\)"),
        ({"max_features": 0.0}, r"max_features must be sqrt.* \(got 0.0\)"),
    ],
)
def test_impossible_options_are_named(options, sentence):
    with pytest.raises(st.InputError, match=sentence):
        SplittingForest(**options).fit(*example())


def test_missing_values_and_a_single_class_are_refused():
    X, y = example()
    with pytest.raises(st.InputError, match="y has one class only"):
        SplittingForest(5).fit(X, ["a"] * 80)
    X[3, 1] = np.nan
    with pytest.raises(st.InputError, match="NaN"):
        SplittingForest(5).fit(X, y)
