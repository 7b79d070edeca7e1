"""One tree is scikit-learn's tree where nothing is random, and a forest is the same whichever way codes are sorted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from steadyset.kernels.trees.growth import (
    DECREASE,
    DECREASE_SHARE,
    PERMUTATION,
    Problem,
    Rules,
    Target,
    Trees,
    code_table,
    grow,
    predict,
)
from steadyset.kernels.words import advance, below, stream

SEED = np.uint64(7)
RULES = Rules(n_candidates=10**6, least_cut=2, least_leaf=1, max_depth=1000, bootstrap=False, few=8)


def grown(X, y, n_classes, weight=None, *, n_trees=1, importance=DECREASE_SHARE, **rules):
    places = np.repeat(np.arange(len(y)), 1 if weight is None else weight)
    target = Target(np.asarray(y, dtype=np.float64), n_classes)
    return grow(Problem(code_table(X), target, places, RULES._replace(**rules)), SEED, 0, n_trees, importance)


def example(seed, n_classes, n=90, d=6, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + X[:, 1] * X[:, 2] + noise * rng.normal(size=n)
    if n_classes == 1:
        return X, score
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def scikit_tree(X, y, n_classes, weight, **options):
    kind = DecisionTreeRegressor if n_classes == 1 else DecisionTreeClassifier
    return kind(random_state=0, **options).fit(X, y, sample_weight=weight)


def values_of(tree, X, n_classes):
    """What the leaves of scikit-learn's tree hold, in the columns that ours have."""
    if n_classes == 1:
        return tree.predict(X)[:, None]
    shares = tree.predict_proba(X)
    return shares[:, 1:] if n_classes == 2 else shares


@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_without_ties_is_that_of_scikit_learn(seed, n_classes):
    # Weights of many sizes and leaves that are not tiny keep cuts of different features from gaining the same.
    X, y = example(seed, n_classes, n=400, noise=2.0)
    weight = np.random.default_rng(seed).integers(1, 50, len(y))
    trees, importances, _ = grown(X, y, n_classes, weight, least_leaf=300)
    theirs = scikit_tree(X, y, n_classes, weight, min_weight_fraction_leaf=300 / weight.sum())
    assert trees.starts[-1] > 25
    new = np.random.default_rng(99).normal(size=(500, 6))
    np.testing.assert_allclose(predict(trees, new), values_of(theirs, new, n_classes), rtol=1e-12)
    np.testing.assert_allclose(importances, theirs.feature_importances_, rtol=1e-9, atol=1e-12)
    assert trees.starts[-1] == theirs.tree_.node_count


def test_a_full_regression_tree_is_that_of_scikit_learn():
    X, y = example(5, 1, n=200)
    trees, importances, _ = grown(X, y, 1)
    theirs = scikit_tree(X, y, 1, None)
    np.testing.assert_array_equal(predict(trees, X)[:, 0], y)
    # Nodes of two rows are cut alike by every feature; those cuts hold next to nothing of the importance.
    np.testing.assert_allclose(importances, theirs.feature_importances_, atol=0.01)
    assert trees.starts[-1] == theirs.tree_.node_count == 399


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_minimum_sizes_are_those_of_scikit_learn(n_classes):
    X, y = example(6, n_classes, n=200)
    trees, _, _ = grown(X, y, n_classes, least_cut=40, least_leaf=15)
    theirs = scikit_tree(X, y, n_classes, None, min_samples_split=40, min_samples_leaf=15)
    np.testing.assert_allclose(predict(trees, X), values_of(theirs, X, n_classes), rtol=1e-12)


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_equal_values_are_never_parted(n_classes):
    X, y = example(7, n_classes, n=150)
    X = np.round(X)
    trees, importances, _ = grown(X, y, n_classes, max_depth=3)
    theirs = scikit_tree(X, y, n_classes, None, max_depth=3)
    np.testing.assert_allclose(predict(trees, X), values_of(theirs, X, n_classes), rtol=1e-12)
    np.testing.assert_allclose(importances, theirs.feature_importances_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("importance", [DECREASE, PERMUTATION])
def test_both_ways_to_sort_codes_give_the_same_forest(n_classes, importance):
    X, y = example(8, n_classes, n=200, d=15)
    X[:, :5] = np.round(X[:, :5])
    options = {"n_trees": 20, "bootstrap": True, "n_candidates": 4, "importance": importance}
    by_bits, by_insertion = (grown(X, y, n_classes, few=few, **options) for few in (0, 10**6))
    for one, other in zip(by_bits[0], by_insertion[0], strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(by_bits[1], by_insertion[1])


def test_a_tree_depends_on_its_number_alone():
    X, y = example(9, 2)
    target, places, rules = Target(y.astype(float), 2), np.arange(90), RULES._replace(bootstrap=True, n_candidates=2)
    problem = Problem(code_table(X), target, places, rules)
    many, _, _ = grow(problem, SEED, 0, 12, DECREASE)
    some, _, _ = grow(problem, SEED, 5, 3, DECREASE)
    nodes = slice(many.starts[5], many.starts[8])
    np.testing.assert_array_equal(many.starts[5:9] - many.starts[5], some.starts)
    np.testing.assert_array_equal(many.threshold[nodes][many.feature[nodes] >= 0], some.threshold[some.feature >= 0])


def test_a_threshold_lies_in_the_middle_and_stays_below_the_upper_value():
    next_to_one = np.nextafter(1.0, 2.0)
    for values, middle in [([2.0, 5.0], 3.5), ([1.0, next_to_one], 1.0), ([-1.7e308, 1.7e308], 0.0)]:
        trees, _, _ = grown(np.array(values)[:, None], [0, 1], 2)
        assert trees.threshold[0] == middle
        np.testing.assert_array_equal(predict(trees, np.array(values)[:, None])[:, 0], [0, 1])


def test_constant_features_are_passed_over_until_one_varies():
    rng = np.random.default_rng(10)
    X = np.ones((40, 30))
    X[:, 17] = rng.normal(size=40)
    trees, _, _ = grown(X, (X[:, 17] > 0).astype(int), 2, n_candidates=1, n_trees=10, bootstrap=True)
    assert set(trees.feature[trees.feature >= 0]) == {17}
    assert np.diff(trees.starts).tolist() == [3] * 10


def test_every_feature_is_drawn_equally_often():
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, 2, 60)
    trees, _, _ = grown(X, y, 2, n_candidates=1, n_trees=400, bootstrap=True)
    counts = np.bincount(trees.feature[trees.feature >= 0], minlength=5)
    np.testing.assert_allclose(counts / counts.sum(), 0.2, atol=0.02)


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_without_a_cut_the_root_is_a_leaf(n_classes):
    y = np.arange(6) % max(2, n_classes)
    shares = {1: [0.5], 2: [0.5], 3: [1 / 3] * 3}[n_classes]
    trees, importances, _ = grown(np.ones((6, 2)), y, n_classes)
    assert trees.starts.tolist() == [0, 1]
    np.testing.assert_allclose(trees.value[0], shares)
    assert importances.tolist() == [0, 0]
    one_value, _, _ = grown(np.arange(6.0)[:, None], np.zeros(6), n_classes)
    assert one_value.starts.tolist() == [0, 1]
    one_row, _, _ = grown(np.array([[1.0]]), [1], n_classes)
    np.testing.assert_array_equal(one_row.value[0], {1: [1], 2: [1], 3: [0, 1, 0]}[n_classes])


def test_a_cut_that_gains_nothing_is_made():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([0, 1, 1, 0])
    trees, importances, _ = grown(X, y, 2)
    np.testing.assert_array_equal(predict(trees, X)[:, 0], y)
    np.testing.assert_allclose(importances.sum(), 1)


def out_of_bag(tree, n):
    """The rows that a tree does not draw, from the stream of its number."""
    state, left = np.uint64(stream(SEED, tree)), np.ones(n, dtype=bool)
    for _ in range(n):
        state = np.uint64(advance(state))
        left[below(state, n)] = False
    return np.flatnonzero(left)


def only(trees, tree):
    nodes = slice(*trees.starts[tree : tree + 2])
    return Trees(np.array([0, nodes.stop - nodes.start]), *(part[nodes] for part in trees[1:]))


def error_of(trees, tree, rows, truth, n_classes):
    found = predict(only(trees, tree), rows)
    if n_classes == 1:
        return np.mean((found[:, 0] - truth) ** 2)
    return np.mean((found[:, 0] > 0.5 if n_classes == 2 else found.argmax(axis=1)) != truth)


def test_out_of_bag_accuracy_is_that_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    trees, _, _ = grown(X, y, 2, n_trees=200, bootstrap=True, n_candidates=5)
    votes = np.zeros((len(y), 2))
    for tree in range(200):
        rows = out_of_bag(tree, len(y))
        votes[rows, 1] += predict(only(trees, tree), X[rows])[:, 0]
        votes[rows, 0] += 1
    ours = np.mean((votes[:, 1] / votes[:, 0] > 0.5) == y)
    theirs = [RandomForestClassifier(200, oob_score=True, random_state=seed).fit(X, y).oob_score_ for seed in range(2)]
    np.testing.assert_allclose(ours, np.mean(theirs), atol=0.01)


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_permutation_importance_is_the_growth_of_the_error_on_out_of_bag_rows(n_classes):
    X, y = example(12, n_classes, n=60, d=4)
    options = {"bootstrap": True, "n_candidates": 2, "importance": PERMUTATION}
    trees, importances, n_counted = grown(X, y, n_classes, n_trees=60, **options)
    assert n_counted == 60
    rng = np.random.default_rng(0)
    growth = np.zeros((60, 4))
    for tree in range(60):
        rows = out_of_bag(tree, 60)
        intact = error_of(trees, tree, X[rows], y[rows], n_classes)
        for feature in range(4):
            for _ in range(5):
                shuffled = X[rows]
                shuffled[:, feature] = rng.permutation(shuffled[:, feature])
                growth[tree, feature] += (error_of(trees, tree, shuffled, y[rows], n_classes) - intact) / 5
    spread = growth.std(axis=0) / np.sqrt(60)
    assert (np.abs(importances / 60 - growth.mean(axis=0)) < 2 * spread).all()
    assert growth.mean(axis=0)[0] > 8 * spread[0]
