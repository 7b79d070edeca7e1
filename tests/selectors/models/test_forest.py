"""Forests rank the features that matter first, and are the same for a seed whatever the order of the rows."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from records import scores
from steadyset.foundation.errors import InputError
from steadyset.selectors.filters.selector import run_seeds
from steadyset.selectors.models.forest import ForestSelector
from steadyset.selectors.models.trees import n_candidates

TASKS = ["classes", "number"]


def signal(seed, task):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 12))
    score = 2 * X[:, 2] + X[:, 7] + 0.3 * rng.normal(size=120)
    return X, (score > 0).astype(int) if task == "classes" else score


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("importance", ["impurity", "permutation"])
def test_the_features_that_matter_come_first(task, importance):
    X, y = signal(0, task)
    fitted = ForestSelector(2, task=task, importance=importance, n_estimators=60, random_state=0).fit(X, y)
    assert fitted.get_support(indices=True).tolist() == [2, 7]
    assert fitted.importances_.argmax() == 2
    assert fitted.score(X, y) > 0.9


def test_impurity_importance_is_close_to_that_of_scikit_learn():
    X, y = signal(1, "classes")
    ours = ForestSelector(n_estimators=200, random_state=0).fit(X, y).importances_
    theirs = RandomForestClassifier(200, random_state=0).fit(X, y).feature_importances_
    np.testing.assert_allclose(ours, theirs, atol=0.05)


@pytest.mark.parametrize("task", TASKS)
def test_filter_and_selector_have_the_same_forest(task):
    X, y = signal(2, task)
    seed = run_seeds(5, 1)[0]
    options = {"params": {"n_estimators": 40}, "random_state": 5}
    selector = ForestSelector(task=task, importance="permutation", n_estimators=40, random_state=seed).fit(X, y)
    np.testing.assert_array_equal(scores("permutation", X, y, **options)[0], selector.importances_)
    decrease = scores("impurity", X, y, **options)[0]
    share = ForestSelector(task=task, n_estimators=40, random_state=seed).fit(X, y).importances_
    np.testing.assert_allclose(decrease / decrease.sum(), share, atol=0.02)
    # The leaves are pure, so that the whole decrease is the impurity of the root.
    impurity = np.var(y) if task == "number" else 2 * y.mean() * (1 - y.mean())
    np.testing.assert_allclose(decrease.sum(), impurity, rtol=0.05)


def test_filters_of_times_have_the_forest_of_the_selector_and_count_copies_as_weights():
    X, number = signal(2, "number")
    y = np.column_stack([np.exp(-number / np.std(number)).round(2) + 0.01, np.arange(120) % 4 > 0])
    options = {"params": {"n_estimators": 40}, "random_state": 5}
    forest = ForestSelector(importance="permutation", n_estimators=40, random_state=run_seeds(5, 1)[0]).fit(X, y)
    found = scores("permutation", X, y, **options)[0]
    np.testing.assert_array_equal(found, forest.importances_)
    summed = scores("impurity", X, y, **options)[0]
    share = ForestSelector(n_estimators=40, random_state=run_seeds(5, 1)[0]).fit(X, y).importances_
    np.testing.assert_allclose(summed / summed.sum(), share, atol=0.03)
    weights = np.arange(120) % 3
    copied = np.repeat(X, weights, axis=0), np.repeat(y, weights, axis=0)
    for name in ("impurity", "permutation"):
        weighted = scores(name, X, y, weights[None].astype(float), **options)[0]
        np.testing.assert_array_equal(weighted, scores(name, *copied, **options)[0])


def test_permutation_importance_is_the_loss_of_accuracy_on_the_out_of_bag_rows_of_scikit_learns_trees():
    X, y = signal(2, "classes")
    ours = ForestSelector(importance="permutation", n_estimators=400, random_state=0).fit(X, y).importances_
    forest = RandomForestClassifier(200, random_state=0).fit(X, y)
    rng = np.random.default_rng(0)
    loss = np.zeros(12)
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        left_out = np.setdiff1d(np.arange(120), drawn)
        for feature in (2, 7, 9):
            shuffled = X[left_out]
            shuffled[:, feature] = rng.permutation(shuffled[:, feature])
            loss[feature] += tree.score(X[left_out], y[left_out]) - tree.score(shuffled, y[left_out])
    np.testing.assert_allclose(ours[[2, 7, 9]], loss[[2, 7, 9]] / 200, atol=0.025)
    assert ours[2] > 0.15


@pytest.mark.parametrize("task", TASKS)
def test_duplicated_values_and_copied_columns_are_shared(task):
    X, y = signal(9, task)
    X = np.column_stack([np.round(X), np.round(X[:, 2])])
    found = ForestSelector(2, task=task, n_estimators=200, random_state=0).fit(X, y).importances_
    assert set(np.argsort(found)[-2:]) == {2, 12}
    np.testing.assert_allclose(found[2], found[12], rtol=0.35)


@pytest.mark.parametrize("importance", ["impurity", "permutation"])
@pytest.mark.parametrize("unit", [2.0**-500, 2.0**500])
def test_the_unit_of_the_target_does_not_matter(importance, unit):
    X, y = signal(11, "number")
    y = y - y.mean() + 1.0
    one, other = (
        ForestSelector(3, importance=importance, n_estimators=20, random_state=0).fit(X, y * u) for u in (1, unit)
    )
    power = 2 if importance == "permutation" else 0
    np.testing.assert_allclose(other.importances_ / unit**power, one.importances_, rtol=1e-12)
    np.testing.assert_array_equal(other.predict(X) / unit, one.predict(X))


@pytest.mark.parametrize("seed", range(3))
def test_the_number_of_threads_changes_nothing(seed):
    X, y = signal(seed, "number")
    alone, shared = (
        scores("impurity", X, y, params={"n_estimators": 70, "n_jobs": n_jobs}, random_state=seed) for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(alone, shared)


@pytest.mark.parametrize(
    ("given", "n"), [("sqrt", 7), ("log2", 5), (None, 60), (1, 1), (80, 60), (0.5, 30), (1e-9, 1), (1.0, 60)]
)
def test_candidates_of_a_node_are_counted_as_in_scikit_learn(given, n):
    assert n_candidates(given, 60) == n


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("importance", ["impurity", "permutation"])
def test_the_order_of_the_rows_does_not_matter(task, importance):
    X, y = signal(4, task)
    order = np.random.default_rng(4).permutation(len(y))
    one = ForestSelector(3, task=task, importance=importance, n_estimators=20, random_state=7).fit(X, y)
    other = ForestSelector(3, task=task, importance=importance, n_estimators=20, random_state=7).fit(X[order], y[order])
    np.testing.assert_allclose(one.importances_, other.importances_)
    np.testing.assert_allclose(one.predict(X), other.predict(X))


@pytest.mark.parametrize("importance", ["impurity", "permutation"])
@pytest.mark.parametrize("task", ["classes", "number", "survival"])
@pytest.mark.parametrize("seed", range(3))
def test_the_unit_of_each_column_does_not_matter(seed, task, importance):
    """Dividing by a power of two is exact, so every cut parts the same rows, as in scikit-learn."""
    X, score = signal(seed, "number")
    rng = np.random.default_rng(seed)
    X[:, 3] = rng.integers(0, 3, 120)  # ties
    X[:, 4] = X[:, 2]  # a copy
    X[60:90] = X[:30]  # rows that repeat others
    score = score + X[:, 3]
    y = {
        "classes": (score > 0).astype(int) + (score > 2),
        "number": score,
        "survival": np.column_stack([np.ceil(9 * np.exp(-score / 2)), rng.random(120) < 0.7]),
    }[task]
    units = 2.0 ** rng.integers(-30, 31, 12)
    forest = ForestSelector(4, importance=importance, n_estimators=20, random_state=seed)
    fitted = clone(forest).fit(X, y)
    other = clone(forest).fit(X * units, y)
    np.testing.assert_array_equal(other.importances_, fitted.importances_)
    np.testing.assert_array_equal(other.support_, fitted.support_)
    np.testing.assert_array_equal(other.predict(X * units), fitted.predict(X))
    options = {"params": {"n_estimators": 20}, "random_state": seed}
    np.testing.assert_array_equal(scores(importance, X * units, y, **options), scores(importance, X, y, **options))
    # A shift of whole numbers on a grid of 1/1024 is exact too.
    grid = np.round(X * 1024) / 1024
    np.testing.assert_array_equal(
        clone(forest).fit(grid + rng.integers(-9, 10, 12), y).importances_, clone(forest).fit(grid, y).importances_
    )


@pytest.mark.parametrize("importance", ["impurity", "permutation"])
def test_times_are_taken_in_any_unit_and_order_and_weights_are_copies(importance):
    X, score = signal(12, "number")
    rng = np.random.default_rng(12)
    y = np.column_stack([np.ceil(300 * rng.exponential(np.exp(-score))), rng.random(120) < 0.7])
    forest = ForestSelector(2, importance=importance, n_estimators=60, random_state=0)
    fitted = clone(forest).fit(X, y)
    assert fitted.get_support(indices=True).tolist() == [2, 7]
    assert (fitted.task_, fitted.score(X, y) > 0.8) == ("survival", True)
    order = rng.permutation(120)
    years = clone(forest).fit(X[order], y[order] / [365.25, 1])
    np.testing.assert_array_equal(years.importances_, fitted.importances_)
    np.testing.assert_array_equal(years.predict(X), fitted.predict(X))
    counts = rng.integers(0, 3, 120)
    weighted, copied = clone(forest).fit(X, y, counts), clone(forest).fit(X.repeat(counts, 0), y.repeat(counts, 0))
    np.testing.assert_array_equal(weighted.importances_, copied.importances_)
    with pytest.raises(InputError, match="y has no event among the rows of positive weight"):
        clone(forest).fit(X, y, y[:, 1] == 0)


def test_seeds_of_every_kind_are_reproducible():
    X, y = signal(5, "classes")
    for make in (lambda: 3, lambda: np.random.default_rng(3), lambda: np.random.RandomState(3)):
        one, two = (ForestSelector(3, n_estimators=5, random_state=make()).fit(X, y) for _ in range(2))
        np.testing.assert_array_equal(one.importances_, two.importances_)
    sequence = np.random.SeedSequence(3)
    one, two = (ForestSelector(3, n_estimators=5, random_state=sequence).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.importances_, two.importances_)


def test_a_forest_takes_more_than_two_classes():
    X, y = signal(6, "number")
    classes = np.array(["low", "middle", "high"])[np.digitize(y, [-1, 1])]
    fitted = ForestSelector(3, n_estimators=60, random_state=0).fit(X, classes)
    assert {2, 7} <= set(fitted.get_support(indices=True))
    assert fitted.predict_proba(X).shape == (120, 3)
    assert (fitted.predict(X) == classes).mean() > 0.9


def test_weights_that_do_not_count_rows_are_refused():
    X, y = signal(7, "classes")
    with pytest.raises(InputError, match="sample_weight sums to 1; a forest needs weights that count rows"):
        ForestSelector(3, n_estimators=5).fit(X, y, np.full(120, 1 / 120))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"importance": "gain"}, r"importance must be one of impurity, permutation \(got 'gain'\)"),
        ({"n_estimators": 0}, r"n_estimators must be a whole number of at least 1 \(got 0\)"),
        (
            {"max_features": 1.5},
            r"max_features must be sqrt, log2, None for all, a whole number .*\(got 1.5\)",
        ),
        ({"max_features": 0}, r"max_features must be sqrt.* \(got 0\)"),
        ({"max_depth": 0}, r"max_depth must be a whole number of at least 1 \(got 0\)"),
        ({"random_state": -1}, r"random_state must be a whole number of at least 0 \(got -1\)"),
    ],
)
def test_impossible_options_are_named(options, sentence):
    with pytest.raises(InputError, match=sentence):
        ForestSelector(**options).fit(*signal(8, "classes"))


@pytest.mark.parametrize("unit", [1e160, 1e-170])
def test_a_target_whose_square_is_no_number_is_ranked_all_the_same(unit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    found = ForestSelector(1, importance="permutation", n_estimators=20, random_state=0).fit(X, unit * X[:, 2])
    assert found.get_support(indices=True).tolist() == [2]
