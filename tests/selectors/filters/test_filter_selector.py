"""FilterSelector is a scikit-learn selector: names, sizes, ranks, ties."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.feature_selection import f_classif
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from tests.sklearn_checks import complaints, known_to_fail

from records import scores
from steadyset.foundation.errors import InputError, UninformativeWarning
from steadyset.kernels.scores import insert_best, top
from steadyset.selectors import FilterSelector
from steadyset.selectors.filters import Filter, get_filter, list_filters, register_filter
from steadyset.selectors.filters.selector import PRECISIONS
from steadyset.tasks import CLASSES, SURVIVAL

TABLE_3_1 = {
    *("anova", "limma", "sam", "kruskal", "chi_squared", "auc", "one_r", "variance", "permutation", "impurity"),
    *("info_gain", "gain_ratio", "sym_uncert", "mim", "mrmr", "jmi", "jmim", "disr", "njmim", "cmim"),
}


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    return rng.normal(size=(40, 8)) + y[:, None] * np.arange(8), y


class OfTimes(FilterSelector):
    """A filter for times, where scikit-learn's checks give classes or numbers: those are times, and all rows events."""

    def fit(self, X, y=None, sample_weight=None):
        given = np.asarray(y)
        if given.ndim and given.dtype.kind in "iuf" and np.isfinite(given).all():
            times = given.ravel() - given.min() + 1.0
            y = np.column_stack([times, np.ones(len(times))])
        return super().fit(X, y, sample_weight)


def takes_times_only(name: str) -> bool:
    return get_filter(name).target == (SURVIVAL,)


@pytest.mark.parametrize("name", sorted(list_filters().index))
@pytest.mark.filterwarnings(
    "ignore::steadyset.foundation.errors.UninformativeWarning", "ignore:No features were selected"
)
def test_every_filter_passes_the_checks_of_scikit_learn(name):
    params = {"n_estimators": 3} if get_filter(name).stochastic else None
    kind = OfTimes if takes_times_only(name) else FilterSelector
    selector = kind(name, fraction=0.5, params=params, random_state=0)
    expected = known_to_fail(selector)
    if PRECISIONS in inspect.signature(get_filter(name).score).parameters:
        expected["check_sample_weights_shape"] = "weights of the shape of X are the precisions of single values"
    assert complaints(selector, expected) == []


def test_all_filters_of_the_table_are_there():
    assert TABLE_3_1 | {"t_test", "relief", "relieff", "mutual_info"} <= set(list_filters().index)


def test_only_auc_t_test_and_relief_are_for_two_classes_alone():
    assert {name for name in list_filters().index if not get_filter(name).multiclass} == {"auc", "t_test", "relief"}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_feature_names_of_a_frame_are_kept(data, frame):
    X, y = data
    names = [f"gene {j}" for j in range(8)]
    fitted = FilterSelector("anova", k=2).fit(frame(dict(zip(names, X.T, strict=True))), y)
    best = sorted(np.argsort(f_classif(X, y)[0])[-2:])
    assert fitted.get_feature_names_out().tolist() == [names[j] for j in best]


def test_sizes_by_number_fraction_threshold_and_default(data):
    X, y = data
    found = scores("anova", X, y)[0]
    third = np.sort(found)[-3]
    assert FilterSelector("anova", k=3).fit(X, y).get_support().sum() == 3
    assert FilterSelector("anova", fraction=0.4).fit(X, y).get_support().sum() == 3
    assert FilterSelector("anova", fraction=0.01).fit(X, y).get_support().sum() == 1
    assert FilterSelector("anova", threshold=third).fit(X, y).get_support().sum() == 3
    assert FilterSelector("anova").fit(X, y).get_support().sum() == 4
    assert FilterSelector("anova").fit(np.tile(X, 3), y).get_support().sum() == 10


def test_ranking_is_the_order_of_falling_scores(data):
    fitted = FilterSelector("kruskal", k=3).fit(*data)
    assert (np.diff(fitted.scores_[np.argsort(fitted.ranking_)]) <= 0).all()
    assert sorted(fitted.ranking_) == list(range(1, 9))


@pytest.mark.parametrize("k", [1, 3, 40])
def test_the_top_of_many_ties_is_that_of_a_stable_sort(k):
    found = np.random.default_rng(4).integers(0, 6, (20, 40)).astype(float)
    by_sorting = np.argsort(-found, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(top(found, k), by_sorting)
    np.testing.assert_array_equal(insert_best(found, k), by_sorting)


@pytest.mark.parametrize("name", ["anova", "auc", "mim", "jmi", "mrmr", "relieff", "info_gain"])
def test_ties_go_to_the_smaller_column(data, name):
    X, y = data
    fitted = FilterSelector(name, k=1).fit(X[:, [0, 7, 7, 7]], y)
    assert fitted.get_support().tolist() == [False, True, False, False]


def test_a_threshold_stops_a_greedy_filter_before_the_first_feature_below_it(data):
    X, y = data
    X = np.column_stack([X[:, 7], X[:, 7], np.ones(40)])
    fitted = FilterSelector("cmim", threshold=1e-9).fit(X, y)
    assert fitted.get_support().tolist() == [True, False, False]
    assert FilterSelector("cmim", threshold=0).fit(X, y).get_support().tolist() == [True, True, False]
    assert FilterSelector("cmim", threshold=0, fill=True).fit(X, y).get_support().all()


def test_selected_features_feed_a_pipeline_and_a_clone(data):
    X, y = data
    pipeline = make_pipeline(clone(FilterSelector("jmi", k=2)), DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert pipeline.score(X, y) == 1
    assert pipeline[0].transform(X).shape == (40, 2)


@pytest.mark.parametrize("name", ["impurity", "permutation"])
@pytest.mark.parametrize("continuous", [False, True])
def test_forests_find_the_feature_that_decides(name, continuous):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 6))
    y = X[:, 4] + 0.01 if continuous else X[:, 4] > 0
    fitted = FilterSelector(name, k=1, params={"n_estimators": 30}, random_state=0).fit(X, y)
    assert fitted.get_support(indices=True).tolist() == [4]
    again = FilterSelector(name, k=1, params={"n_estimators": 30}, random_state=0).fit(X, y)
    np.testing.assert_array_equal(fitted.scores_, again.scores_)


def test_permutation_importance_is_zero_for_features_no_tree_uses():
    X = np.column_stack([np.arange(30.0), np.ones(30)])
    found = scores("permutation", X, np.arange(30) >= 15, params={"n_estimators": 5}, random_state=0)[0]
    assert found[1] == 0
    assert found[0] > 0.2


def test_relief_is_the_mean_gap_to_the_nearest_miss_minus_that_to_the_nearest_hit():
    X = np.array([[0.0, 0.0], [1.0, 0.5], [3.0, 1.0], [4.0, 0.0]])
    y = np.array([0, 0, 1, 1])
    hits, misses = [1, 0, 3, 2], [3, 2, 1, 0]
    scaled = X / [4.0, 1.0]
    expected = np.mean(np.abs(scaled - scaled[misses]) - np.abs(scaled - scaled[hits]), axis=0)
    np.testing.assert_allclose(scores("relief", X, y)[0], expected)


def test_relieff_follows_its_definition_with_three_classes():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], [5, 8, 11])
    X = rng.normal(size=(24, 4)) + y[:, None] * [0, 0, 1, 2]
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    prior = np.bincount(y) / 24
    expected = np.zeros(4)
    for i in range(24):
        gaps = np.abs(scaled - scaled[i])
        for c in range(3):
            rows = [j for j in np.argsort(gaps.sum(axis=1), kind="stable") if y[j] == c and j != i][:6]
            factor = -1 if c == y[i] else prior[c] / (1 - prior[y[i]])
            expected += factor * gaps[rows].mean(axis=0) / 24
    np.testing.assert_allclose(scores("relieff", X, y, params={"n_neighbors": 6})[0], expected)


def test_a_registered_filter_works_by_name_and_its_rows_are_copied(data):
    X, y = data
    record = Filter(
        name="median_gap",
        score=lambda X, y: np.abs(np.median(X[y == 1], axis=0) - np.median(X[y == 0], axis=0)),
        weights=False,
        reference="none",
    )
    register_filter(record)
    weights = np.random.default_rng(3).integers(0, 3, 40)
    found = scores("median_gap", X, y, weights)[0]
    copied = scores("median_gap", np.repeat(X, weights, axis=0), np.repeat(y, weights))[0]
    np.testing.assert_array_equal(found, copied)
    with pytest.raises(InputError, match="A filter called 'median_gap' exists already"):
        register_filter(record)


@pytest.mark.parametrize("name", sorted(list_filters().index))
def test_constant_columns_are_never_selected_whatever_the_size(name):
    random = np.random.default_rng(0)
    record = get_filter(name)
    X, y = random.normal(size=(40, 12)), np.tile([0, 1], 20)
    if CLASSES not in record.target and record.target:
        y = random.normal(size=40)
    if takes_times_only(name):
        y = np.column_stack([random.exponential(size=40), np.tile([1.0, 1.0, 0.0, 1.0], 10)])
    X[:, [0, 3, 11]] = 0.0, -7.5, 1e9
    X[:20, 5] = X[20, 5]  # constant in the rows that count
    weights = np.r_[np.ones(20), np.zeros(20)] if name != "relief" else np.ones(40)
    params = {"n_estimators": 10} if record.stochastic else None
    with pytest.warns(UninformativeWarning, match=f"Fewer than 12 features were selected by the filter '{name}'"):
        fitted = FilterSelector(name, k=12, params=params, random_state=0).fit(X, y, sample_weight=weights)
    constant = {0, 3, 11, 5} if name != "relief" else {0, 3, 11}
    assert not constant & set(fitted.get_support(indices=True))
    assert fitted.n_short_ == 12 - fitted.get_support().sum() >= len(constant)
    full = FilterSelector(name, k=12, params=params, random_state=0, fill=True).fit(X, y, sample_weight=weights)
    assert full.get_support().all()


@pytest.mark.parametrize("unit", [1e-300, 1e-200, 1e200, 1e300])
@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("name", ["anova", "t_test", "kruskal", "mim", "relieff", "jmi", "impurity"])
def test_the_unit_of_a_feature_does_not_change_what_is_selected(name, number, unit):
    random = np.random.default_rng(1)
    X, y = random.normal(size=(40, 8)), np.tile([0, 1], 20)
    X[:, 2] += 3 * y
    target = X[:, 2] + random.normal(size=40) if number else y
    if number and name == "relieff":
        pytest.skip("relieff is for classes")
    X[:, 2] *= unit
    params = {"n_estimators": 20} if name == "impurity" else None
    assert FilterSelector(name, k=1, params=params, random_state=0).fit(X, target).get_support()[2]


@pytest.mark.parametrize("name", ["limma", "sam", "variance"])
@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_scores_in_the_units_of_the_features_tell_tiny_ones_from_constant_ones(name, unit):
    random = np.random.default_rng(2)
    X, y = random.normal(size=(40, 8)), np.tile([0, 1], 20)
    X[:, 2] *= unit
    X[:, 3] = 1.0
    with pytest.warns(UninformativeWarning):
        fitted = FilterSelector(name, k=8).fit(X, y)
    assert fitted.get_support().tolist() == [j != 3 for j in range(8)]
    assert np.isfinite(fitted.scores_[:2]).all()
