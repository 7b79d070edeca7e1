"""Forests rank the features that matter first, and are the same for a seed whatever the order of the rows."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance

from steadyset.errors import InputError
from steadyset.selectors.forest import ForestClassification, ForestRegression

FORESTS = [ForestClassification, ForestRegression]


def signal(seed, forest):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 12))
    score = 2 * X[:, 2] + X[:, 7] + 0.3 * rng.normal(size=120)
    return X, (score > 0).astype(int) if forest is ForestClassification else score


@pytest.mark.parametrize("forest", FORESTS)
@pytest.mark.parametrize("importance", ["impurity", "permutation"])
def test_the_features_that_matter_come_first(forest, importance):
    X, y = signal(0, forest)
    fitted = forest(2, importance=importance, n_trees=60, random_state=0).fit(X, y)
    assert fitted.get_support(indices=True).tolist() == [2, 7]
    assert fitted.importances_.argmax() == 2
    assert fitted.score(X, y) > 0.9


def test_impurity_importance_is_close_to_that_of_scikit_learn():
    X, y = signal(1, ForestClassification)
    ours = ForestClassification(n_trees=200, random_state=0).fit(X, y).importances_
    theirs = RandomForestClassifier(200, random_state=0).fit(X, y).feature_importances_
    np.testing.assert_allclose(ours, theirs, atol=0.05)


def test_permutation_importance_is_the_loss_of_accuracy_on_new_rows():
    X, y = signal(2, ForestClassification)
    fitted = ForestClassification(12, importance="permutation", n_trees=100, random_state=0).fit(X, y)
    new_X, new_y = signal(3, ForestClassification)
    one_tree_each = [
        permutation_importance(tree, new_X.astype(np.float32), new_y, random_state=0, n_repeats=1).importances_mean
        for tree in fitted.trees_[:30]
    ]
    np.testing.assert_allclose(fitted.importances_, np.mean(one_tree_each, axis=0), atol=0.05)


@pytest.mark.parametrize("forest", FORESTS)
@pytest.mark.parametrize("importance", ["impurity", "permutation"])
def test_the_order_of_the_rows_does_not_matter(forest, importance):
    X, y = signal(4, forest)
    order = np.random.default_rng(4).permutation(len(y))
    one = forest(3, importance=importance, n_trees=20, random_state=7).fit(X, y)
    other = forest(3, importance=importance, n_trees=20, random_state=7).fit(X[order], y[order])
    np.testing.assert_allclose(one.importances_, other.importances_)
    np.testing.assert_allclose(one.predict(X), other.predict(X))


def test_seeds_of_every_kind_are_reproducible():
    X, y = signal(5, ForestClassification)
    for make in (lambda: 3, lambda: np.random.default_rng(3), lambda: np.random.RandomState(3)):
        one, two = (ForestClassification(3, n_trees=5, random_state=make()).fit(X, y) for _ in range(2))
        np.testing.assert_array_equal(one.importances_, two.importances_)
    sequence = np.random.SeedSequence(3)
    one, two = (ForestClassification(3, n_trees=5, random_state=sequence).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.importances_, two.importances_)


def test_a_forest_takes_more_than_two_classes():
    X, y = signal(6, ForestRegression)
    classes = np.array(["low", "middle", "high"])[np.digitize(y, [-1, 1])]
    fitted = ForestClassification(3, n_trees=60, random_state=0).fit(X, classes)
    assert {2, 7} <= set(fitted.get_support(indices=True))
    assert fitted.predict_proba(X).shape == (120, 3)
    assert (fitted.predict(X) == classes).mean() > 0.9


def test_weights_that_do_not_count_rows_are_refused():
    X, y = signal(7, ForestClassification)
    with pytest.raises(InputError, match="sample_weight sums to 1; a forest wants weights that count rows"):
        ForestClassification(3, n_trees=5).fit(X, y, np.full(120, 1 / 120))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"importance": "gain"}, "importance is 'gain'; wanted is one of impurity, permutation"),
        ({"n_trees": 0}, "n_trees is 0; wanted is a whole number of at least 1"),
        ({"random_state": -1}, "random_state is -1; wanted is a whole number of at least 0"),
    ],
)
def test_impossible_options_are_named(options, sentence):
    with pytest.raises(InputError, match=sentence):
        ForestClassification(**options).fit(*signal(8, ForestClassification))
