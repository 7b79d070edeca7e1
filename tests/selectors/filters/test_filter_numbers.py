"""Filters where the target is a number, and which target is one; values of samr 3.0 and limma 3.54 beside ours."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import f_regression
from sklearn.metrics import mutual_info_score
from tests.selectors.filters.binned import discretise

from records import scores
from steadyset.foundation.errors import InputError, UninformativeWarning
from steadyset.selectors import FilterSelector
from steadyset.selectors.filters import Filter, get_filter, list_filters, register_filter
from steadyset.selectors.filters.registry import filters_for
from steadyset.selectors.filters.tables import quantile_codes

NUMBERS = sorted(filters_for("number"))


@pytest.fixture(scope="module")
def skewed() -> dict[str, np.ndarray]:
    """900 skewed features of 24 rows with two classes, three classes, and a number."""
    rng = np.random.default_rng(3)
    X = np.exp(rng.normal(size=(24, 900))) * rng.gamma(1, 1, size=900) + rng.normal(size=(24, 900)) * 0.1
    two = np.repeat([0, 1], [10, 14])
    X[:, :60] += two[:, None] * 1.5
    return {"X": X, "two": two, "number": X[:, 3] + rng.normal(size=24) * 3, "three": np.arange(24) % 3}


@pytest.mark.parametrize(
    ("name", "target", "values"),
    [
        ("sam", "two", [1.3459846078, 0.99728396201, 0.051572355231, 1.1878261683]),
        ("sam", "number", [1.2479589815, 0.58379057349, 0.43705256228, 1.7930520818]),
        ("sam", "three", [0.72906765289, 0.29301607839, 0.36399457672, 0.23508944467]),
        ("limma", "number", [1.7277850119, 0.3815406269, 0.26498005696, 4.4924530494]),
        ("limma", "two", [2.1043754668, 1.1755331197, 0.0049428914849, 2.6654661739]),
    ],
)
def test_scores_are_those_of_samr_and_limma(skewed, name, target, values):
    found = scores(name, skewed["X"], skewed[target])[0]
    np.testing.assert_allclose(found[[0, 59, 60, 899]], values, rtol=1e-9)


def test_anova_of_a_number_is_the_f_test_of_the_slope(skewed):
    X, y = skewed["X"], skewed["number"]
    np.testing.assert_allclose(scores("anova", X, y)[0], f_regression(X, y)[0], rtol=1e-10)
    np.testing.assert_allclose(scores("t_test", X, y)[0] ** 2, f_regression(X, y)[0], rtol=1e-10)
    np.testing.assert_allclose(scores("anova", X + 1e6, y)[0], f_regression(X, y)[0], rtol=1e-6)
    np.testing.assert_allclose(scores("anova", X, 1e200 * y)[0], f_regression(X, y)[0], rtol=1e-10)


def test_kruskal_of_a_number_is_the_rank_correlation_of_spearman(skewed):
    X, y = skewed["X"][:, :30].round(), skewed["number"].round()
    expected = [abs(spearmanr(column, y).statistic) for column in X.T]
    np.testing.assert_allclose(scores("kruskal", X, y, task="number")[0], expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["info_gain", "mim", "mutual_info"])
def test_information_about_a_number_is_that_about_its_bins_of_equal_frequency(skewed, name):
    X, y = skewed["X"][:, :5], skewed["number"]
    bins = quantile_codes(y, np.ones((1, 24)))[0]
    expected = [mutual_info_score(bins, column) / np.log(2) for column in discretise(X).T]
    np.testing.assert_allclose(scores(name, X, y)[0], expected, rtol=1e-9)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("ignore::steadyset.foundation.errors.UninformativeWarning")
def test_weights_equal_copied_rows_where_the_target_is_a_number(name, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 6)).round(1), rng.normal(size=20).round(1)
    X[:, 1], X[:, 2] = 0.1, X[:, 3]
    weights = rng.integers(0, 3, 20)
    params = {"n_estimators": 3} if get_filter(name).stochastic else None
    selector = FilterSelector(name, k=3, params=params, random_state=0, task="number")
    weighted = selector.fit(X, y, sample_weight=weights).scores_
    copied = selector.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).scores_
    np.testing.assert_allclose(weighted, copied, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["anova", "t_test", "limma", "sam", "kruskal"])
def test_a_constant_feature_scores_zero_and_mirror_images_tie(skewed, name):
    X, y = skewed["X"][:, :4], skewed["number"]
    found = scores(
        name, np.column_stack([X, -X, np.full(24, 0.1)]), y, np.random.default_rng(0).integers(0, 3, (9, 24))
    )
    assert (found[:, -1] == 0).all()
    np.testing.assert_array_equal(found[:, :4], found[:, 4:8])


def test_a_feature_that_is_a_linear_function_of_the_target_comes_first(skewed):
    y = skewed["number"]
    X = np.column_stack([skewed["X"][:, :5], 2 - 3 * y])
    for name in ("anova", "t_test", "limma", "kruskal"):
        assert FilterSelector(name, k=1).fit(X, y).get_support(indices=True).tolist() == [5]


def test_whole_numbers_of_many_values_are_a_number_for_every_filter():
    X, y = load_diabetes(return_X_y=True)
    whole = FilterSelector("anova", k=3).fit(X, y)
    assert (y == np.rint(y)).all()
    np.testing.assert_array_equal(whole.get_support(), FilterSelector("anova", k=3).fit(X, y + 0.5).get_support())
    assert whole.get_support(indices=True).tolist() == sorted(np.argsort(f_regression(X, y)[0])[-3:])


def test_the_task_can_be_said():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(1, 6, 60)
    assert not np.allclose(scores("anova", X, y), scores("anova", X, y, task="number"))
    np.testing.assert_allclose(scores("anova", X, y, task="number")[0], f_regression(X, y)[0])
    np.testing.assert_allclose(FilterSelector("anova", task="number").fit(X, y).scores_, f_regression(X, y)[0])
    with pytest.raises(InputError, match="task must be classes or number"):
        FilterSelector("anova", task="regression").fit(X, y)


@pytest.mark.parametrize("name", sorted(set(list_filters().query("target != 'none'").index) - set(NUMBERS)))
def test_filters_without_a_counterpart_name_those_that_have_one(name):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(InputError, match=rf"y is a number \(214 distinct values\), and the filter '{name}' .* anova, "):
        FilterSelector(name, k=3).fit(X, y)


def test_identifiers_are_no_classes():
    X = np.random.default_rng(0).normal(size=(30, 4))
    with pytest.raises(InputError, match="y has 30 classes in 30 rows, more than one class per two rows"):
        FilterSelector("anova").fit(X, [f"patient {i}" for i in range(30)])


def test_a_time_and_an_event_are_two_targets():
    X = np.random.default_rng(0).normal(size=(4, 4))
    y = np.array([(True, 1.0), (False, 2.0), (True, 3.0), (False, 1.0)], dtype=[("event", bool), ("time", float)])
    plain = np.column_stack([y["time"], y["event"]])
    np.testing.assert_array_equal(scores("anova", X, y), scores("anova", X, plain))
    sentence = r"y is time to event \(2 events in 4 rows, .*\), and the filter 'limma' is for .* can: cox_score, "
    with pytest.raises(InputError, match=sentence):
        FilterSelector("limma").fit(X, y)
    with pytest.raises(InputError, match=r"y has 2 values per row .*: the time 'y\[:, 0\]' is -.* positive numbers"):
        FilterSelector("anova").fit(X, -plain)


def test_three_targets_are_refused():
    X = np.random.default_rng(0).normal(size=(4, 4))
    y = np.array([(True, 1.0, 2)] * 4, dtype=[("event", bool), ("time", float), ("stage", int)])
    with pytest.raises(InputError, match=r"y has 3 values per row \(event, time, stage\); expected one"):
        FilterSelector("anova").fit(X, y)
    with pytest.raises(InputError, match=r"got an array of shape \(4, 3\)"):
        FilterSelector("anova").fit(X, X[:, :3])


def test_ties_that_the_order_of_columns_decides_are_counted():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    best, good, bad = (rng.normal(size=40) + shift * y for shift in (5, 2, 0))
    X = np.column_stack([good, bad, best, good, good])
    assert FilterSelector("anova", k=1).fit(X, y).n_tied_ == 0
    assert FilterSelector("anova", k=2).fit(X, y).n_tied_ == 1
    assert FilterSelector("anova", k=3).fit(X, y).n_tied_ == 2
    assert FilterSelector("anova", k=4).fit(X, y).n_tied_ == 0
    assert not FilterSelector("anova", k=3).fit(X, y).all_tied_


@pytest.mark.parametrize("name", ["mim", "jmi", "cmim", "mrmr"])
def test_ties_of_greedy_steps_are_counted(name):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    best = rng.normal(size=40) + 5 * y
    X = np.column_stack([best, best, rng.normal(size=40)])
    assert FilterSelector(name, k=1).fit(X, y).n_tied_ == 1
    assert FilterSelector(name, k=3).fit(X, y).n_tied_ == 0


def test_scores_that_are_all_equal_select_nothing_worth_the_name():
    X, y = np.random.default_rng(0).normal(size=(20, 5)), np.repeat([0, 1], 10)
    with pytest.warns(UninformativeWarning, match="'info_gain' gives all 5 features the same score"):
        fitted = FilterSelector("info_gain", k=2, fill=True).fit(X, y)
    assert fitted.all_tied_
    assert fitted.n_tied_ == 2
    with pytest.warns(UninformativeWarning, match="Fewer than 2 features were selected by the filter 'info_gain'"):
        assert not FilterSelector("info_gain", k=2).fit(X, y).get_support().any()


def test_features_without_a_score_are_not_selected_and_none_at_all_is_refused():
    X, y = np.random.default_rng(0).normal(size=(8, 3)), [0, 0, 0, 0, 1, 1, 1, 1]
    register_filter(Filter(name="half", score=lambda X, y, w: np.r_[np.nan, X[0, 1:]], reference="none"))
    with pytest.warns(UninformativeWarning, match="Fewer than 3 features"):
        assert FilterSelector("half", k=3, fill=True).fit(X, y).get_support().tolist() == [False, True, True]
    register_filter(Filter(name="none", score=lambda X, y, w: np.full(3, np.nan), reference="none"))
    with pytest.raises(InputError, match=r"'none' gives no score \(nan\) to any feature"):
        FilterSelector("none").fit(X, y)
