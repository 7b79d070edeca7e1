"""What holds for every model selector: scikit-learn's rules, weights as copies of rows, and sentences for bad data."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from tests.cases import each
from tests.sklearn_checks import complaints

from steadyset.foundation.errors import InputError, UninformativeWarning
from steadyset.selectors.linear import ElasticNetSelector
from steadyset.selectors.models.boosting import BoostingSelector
from steadyset.selectors.models.forest import ForestSelector
from steadyset.selectors.models.group import GroupLassoSelector
from steadyset.selectors.models.l0 import L0Selector
from steadyset.selectors.models.rfe import RecursiveElimination

LINEAR = [
    ElasticNetSelector(k=3, task="classes"),
    ElasticNetSelector(k=3, l1_ratio=0.5, task="classes"),
    ElasticNetSelector(k=3, task="number"),
    ElasticNetSelector(penalty=0.1, l1_ratio=0.5, standardise=False, task="number"),
    GroupLassoSelector([0, 0, 1, 1, 2, 2, 3, 3], k=2, task="classes"),
    GroupLassoSelector([0, 0, 1, 1, 2, 2, 3, 3], k=2, task="number"),
    L0Selector(k=3, task="classes"),
    L0Selector(k=3, task="number"),
    BoostingSelector(30, task="classes"),
    BoostingSelector(30, k=3, task="number"),
    RecursiveElimination(k=3, task="classes"),
    RecursiveElimination(k=3, task="number"),
    RecursiveElimination(k=3, loss="hinge"),
]
TASKS = ("classes", "number")
FORESTS = [ForestSelector(3, n_estimators=25, random_state=0, task=task) for task in TASKS]
PERMUTATION = [
    ForestSelector(3, importance="permutation", n_estimators=25, random_state=0, task=task) for task in TASKS
]
EVERY = LINEAR + FORESTS + PERMUTATION


def labelled(selector):
    return repr(selector).replace("\n", "").replace(" ", "")


every_selector = each("selector", EVERY, ids=labelled)


def target(rng, X, selector):
    score = X[:, 0] - X[:, 3] + rng.normal(size=len(X))
    return np.where(score > np.median(score), "ill", "well") if is_classifier(selector) else score


def example(selector, seed=0, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    return X, target(rng, X, selector)


def bootstrap_weights(rng, y, selector):
    """Row counts of a bootstrap in which both classes are present."""
    while True:
        weight = rng.multinomial(len(y), np.full(len(y), 1 / len(y)))
        if not is_classifier(selector) or len(set(y[weight > 0])) == 2:
            return weight


OF_A_TASK = [
    ElasticNetSelector,
    GroupLassoSelector,
    L0Selector,
    BoostingSelector,
    RecursiveElimination,
    partial(ForestSelector, n_estimators=25),
]
CHECKED = [
    *(kind(task=task) for kind in OF_A_TASK for task in (*TASKS, None)),
    RecursiveElimination(loss="hinge"),
]


@pytest.mark.parametrize("estimator", CHECKED, ids=labelled)
def test_scikit_learn_accepts_it(estimator):
    assert complaints(estimator) == []


@each("selector", LINEAR, ids=labelled)
@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), n=st.integers(15, 60), discrete=st.booleans())
def test_integer_weights_equal_copied_rows(selector, seed, n, discrete):
    X, y = example(selector, seed, n)
    X = np.round(X) if discrete else X
    weight = bootstrap_weights(np.random.default_rng(seed), y, selector)
    weighted = clone(selector).fit(X, y, sample_weight=weight)
    copied = clone(selector).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert np.array_equal(weighted.get_support(), copied.get_support())
    np.testing.assert_allclose(weighted.coef_, copied.coef_, atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(weighted.importances_, copied.importances_, atol=1e-6, rtol=1e-6)
    if is_classifier(selector):
        assert np.array_equal(weighted.predict(X), copied.predict(X))
    else:
        np.testing.assert_allclose(weighted.predict(X), copied.predict(X), atol=1e-5)


@each("selector", FORESTS + PERMUTATION, ids=labelled)
@each("seed", range(5))
def test_integer_weights_of_a_forest_equal_copied_rows(selector, seed):
    X, y = example(selector, seed)
    weight = bootstrap_weights(np.random.default_rng(seed), y, selector)
    weighted = clone(selector).fit(X, y, sample_weight=weight)
    copied = clone(selector).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(weighted.importances_, copied.importances_)
    np.testing.assert_array_equal(weighted.predict(X), copied.predict(X))


def test_every_size_of_an_l0_path_counts_its_own_ties():
    X, y = example(L0Selector(task="number"), 0)
    best = X[:, L0Selector(k=1).fit(X, y).get_support(indices=True)[0]]
    twins = np.column_stack([X, best])
    path = L0Selector(k=3).fit(twins, y)
    assert [path.of_size(k).n_tied_ for k in (1, 2, 3)] == [L0Selector(k=k).fit(twins, y).n_tied_ for k in (1, 2, 3)]
    assert path.of_size(1).n_tied_ == 1


@each(
    "selector",
    [ElasticNetSelector(k=1, task="classes"), L0Selector(k=1, task="number"), BoostingSelector(5, k=1, task="classes")],
    ids=labelled,
)
def test_a_feature_that_a_left_out_copy_equals_is_counted_as_tied(selector):
    X, y = example(selector)
    best = clone(selector).fit(X, y)
    assert best.n_tied_ == 0
    copy = X[:, best.get_support(indices=True)[0]]
    for twin in (copy, -copy):
        assert clone(selector).fit(np.column_stack([X, twin]), y).n_tied_ == 1


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_elimination_counts_the_ties_that_the_order_of_columns_decides(loss):
    selector = RecursiveElimination(k=1, loss=loss, task="classes")
    X, y = example(selector)
    best = X[:, clone(selector).fit(X, y).get_support()]
    assert clone(selector).fit(X, y).n_tied_ == 0
    assert clone(selector).fit(np.column_stack([best, best]), y).n_tied_ == 1


def test_a_forest_counts_the_features_that_are_as_important_as_one_left_out():
    rng = np.random.default_rng(0)
    X, y = np.round(rng.normal(size=(40, 4))), np.repeat([0, 1], 20)
    X[:, 0] += 100 * y
    selector = ForestSelector(2, n_estimators=25, max_features=None, random_state=0, fill=True).fit(X, y)
    assert selector.importances_.tolist() == [1, 0, 0, 0]
    assert selector.n_tied_ == 1
    with pytest.warns(UninformativeWarning, match="Fewer than 2 features were selected by the forest"):
        alone = clone(selector).set_params(fill=False).fit(X, y)
    assert alone.get_support().tolist() == [True, False, False, False]
    assert (alone.n_tied_, alone.n_short_) == (0, 1)


@every_selector
def test_rows_of_weight_zero_count_for_nothing(selector):
    X, y = example(selector)
    weight = np.ones(40)
    weight[30:] = 0
    spoilt = X.copy()
    spoilt[30:] *= 1e6
    with_zeros = clone(selector).fit(spoilt, y, sample_weight=weight)
    without = clone(selector).fit(X[:30], y[:30])
    np.testing.assert_array_equal(with_zeros.importances_, without.importances_)


@each("selector", LINEAR, ids=labelled)
def test_the_scale_of_the_weights_does_not_matter(selector):
    X, y = example(selector)
    weight = np.random.default_rng(1).random(40)
    one = clone(selector).fit(X, y, sample_weight=weight)
    other = clone(selector).fit(X, y, sample_weight=1000 * weight)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-7)


@every_selector
@each("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(selector, frame):
    X, y = example(selector)
    names = [f"gene {j}" for j in range(8)]
    data = frame(dict(zip(names, X.T, strict=True)))
    fitted = clone(selector).fit(data, y)
    chosen = [name for name, taken in zip(names, fitted.get_support(), strict=True) if taken]
    assert fitted.get_feature_names_out().tolist() == chosen
    assert fitted.transform(data).shape == (40, len(chosen))
    assert len(fitted.predict(data)) == 40
    assert len(fitted.importances_) == 8


@every_selector
def test_the_predictor_uses_the_selected_features_alone(selector):
    X, y = example(selector)
    fitted = clone(selector).fit(X, y)
    other = X.copy()
    other[:, ~fitted.get_support()] = 1e3
    np.testing.assert_array_equal(fitted.predict(X), fitted.predict(other))


@each("selector", [s for s in EVERY if "groups" not in s.get_params()], ids=labelled)
@each("d", [1, 8])
def test_fit_leaves_the_data_as_they_were(selector, d):
    X, y = example(selector)
    X = np.ascontiguousarray(X[:, :d])
    before, options = X.copy(), {"k": 1} if selector.k is not None else {}
    clone(selector).set_params(**options).fit(X, y, sample_weight=np.ones(40))
    np.testing.assert_array_equal(X, before)


@every_selector
def test_a_constant_column_is_never_selected(selector):
    X, y = example(selector)
    X[:, 0] = 0.1
    weight = np.random.default_rng(2).random(40) + 1
    assert not clone(selector).fit(X, y, sample_weight=weight).get_support()[0]


@every_selector
def test_columns_that_are_all_constant_get_a_sentence(selector):
    _, y = example(selector)
    with pytest.raises(InputError, match="X is constant in every column on the rows of positive weight"):
        clone(selector).fit(np.ones((40, 8)), y)


@every_selector
@each("value, word", [(np.nan, r"NaN \(a missing value\)"), (np.inf, "infinity")])
def test_values_that_are_not_finite_get_a_sentence(selector, value, word):
    X, y = example(selector)
    X[5, 2] = value
    data = pd.DataFrame(X, columns=[f"gene {j}" for j in range(8)])
    with pytest.raises(InputError, match=f"X contains {word} in feature 'gene 2', row 5; expected finite numbers"):
        clone(selector).fit(data, y)


@every_selector
@each("frame", [pd.DataFrame, pl.DataFrame])
def test_a_text_column_gets_a_sentence(selector, frame):
    X, y = example(selector)
    data = frame({"a": X[:, 0], "b": ["yes"] * 40})
    with pytest.raises(InputError, match="X contains text in feature 'b'; expected numbers: encode or drop it"):
        clone(selector).fit(data, y)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (pd.DataFrame({"a": [1.0, 2.0] * 20, "b": pd.Categorical(["low", "high"] * 20)}), "'b'"),
        (pd.DataFrame({"a": ["x", 2.0] * 20, "b": [1.0, 2.0] * 20}, dtype=object), "'a'"),
        (pl.DataFrame({"a": [1, 2] * 20, "b": pl.Series(["low", "high"] * 20, dtype=pl.Categorical)}), "'b'"),
        (np.array([[1.0, "x"]] * 40, dtype=object), "number 1"),
    ],
    ids=["categories", "objects", "polars categories", "array"],
)
def test_text_is_found_however_it_is_stored(data, name):
    with pytest.raises(InputError, match=f"X contains text in feature {name}; expected numbers: encode or drop it"):
        ElasticNetSelector().fit(data, np.arange(40) % 2)


@every_selector
def test_one_class_or_one_value_gets_a_sentence(selector):
    X, y = example(selector)
    weight = (y == y[0]).astype(float)
    weight[0] = 2
    sentence = "y has one class only" if is_classifier(selector) else "X has n_samples=1 rows of positive weight"
    with pytest.raises(InputError, match=sentence):
        clone(selector).fit(X, y, sample_weight=weight)
    with pytest.raises(InputError, match=r"y has one (class|value) only"):
        clone(selector).fit(X, np.full(40, y[0]))


@each(
    "selector", [s for s in LINEAR if isinstance(s, L0Selector | GroupLassoSelector) and is_classifier(s)], ids=labelled
)
def test_three_classes_get_a_sentence_from_models_of_two(selector):
    X, _ = example(selector)
    with pytest.raises(InputError, match=r"Only binary classification is supported.*y has 3 classes"):
        clone(selector).fit(X, np.arange(40) % 3)


@each("selector", [s for s in EVERY if "groups" not in s.get_params()], ids=labelled)
@each(
    "k, sentence",
    [
        (9, r"k must be at most 8, the number of features of X \(got 9\)"),
        (0, r"k must be a whole number of at least 1 \(got 0\)"),
    ],
)
def test_an_impossible_k_gets_a_sentence(selector, k, sentence):
    X, y = example(selector)
    options = {"k": k, "penalty": None} if "penalty_" in dir(clone(selector).fit(X, y)) else {"k": k}
    with pytest.raises(InputError, match=sentence):
        clone(selector).set_params(**options).fit(X, y)


@every_selector
@each(
    "weight, sentence",
    [
        (np.zeros(40), "sample_weight sums to zero; at least one row must count"),
        (np.linspace(-1, 1, 40), "sample_weight contains the negative value -1; expected weights of at least 0"),
        (np.full(40, np.nan), "sample_weight contains NaN or infinity; expected finite numbers"),
        (np.ones(39), r"sample_weight has shape \(39,\); expected one weight for each of the 40 rows of X"),
        (np.array(["a"] * 40), "sample_weight holds text; expected numbers"),
    ],
    ids=lambda case: case[1],
)
def test_impossible_weights_get_a_sentence(selector, weight, sentence):
    X, y = example(selector)
    with pytest.raises(InputError, match=sentence):
        clone(selector).fit(X, y, sample_weight=weight)


@each("selector", [s for s in EVERY if not is_classifier(s)], ids=labelled)
def test_a_target_that_is_not_numbers_gets_a_sentence(selector):
    X, _ = example(selector)
    with pytest.raises(InputError, match=r"y has values that are not finite numbers; .* needs a number per row"):
        clone(selector).fit(X, np.array(["a", "b"] * 20))


@every_selector
def test_a_target_with_nan_gets_a_sentence(selector):
    X, _ = example(selector)
    y = np.arange(40) % 2.0
    y[3] = np.nan
    with pytest.raises(
        InputError, match=r"y contains NaN \(a missing value\); expected a known and finite target in every row"
    ):
        clone(selector).fit(X, y)


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_the_unit_of_the_features_does_not_matter_to_models_of_standardised_ones(unit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    y = X[:, 0] - X[:, 3] + 0.1 * rng.normal(size=40)
    for selector, target in ((L0Selector(2), y), (L0Selector(2), y > 0), (ElasticNetSelector(0.05), y > 0)):
        expected = clone(selector).fit(X, target).get_support()
        np.testing.assert_array_equal(clone(selector).fit(X * unit, target).get_support(), expected)
