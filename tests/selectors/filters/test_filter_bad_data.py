"""Bad input gets one clear sentence that names the argument, what was found and what is expected."""

import numpy as np
import pandas as pd
import pytest

from records import scores, top_features
from steadyset.foundation.errors import InputError
from steadyset.selectors import FilterSelector
from steadyset.selectors.filters import Filter, get_filter, list_filters, register_filter
from steadyset.selectors.filters.registry import filters_for
from steadyset.tasks import TASKS

X = np.random.default_rng(0).normal(size=(12, 3))
Y = np.arange(12) % 2


def with_cell(value: float) -> np.ndarray:
    spoiled = X.copy()
    spoiled[2, 1] = value
    return spoiled


@pytest.mark.parametrize("name", sorted(list_filters().index))
@pytest.mark.parametrize(("value", "found"), [(np.nan, r"NaN \(a missing value\)"), (-np.inf, "infinity")])
def test_infinite_values_and_missing_ones_where_a_filter_does_not_take_them_are_refused(name, value, found):
    if np.isnan(value) and get_filter(name).missing:
        assert np.isfinite(FilterSelector(name).fit(with_cell(value), Y).scores_).all()
        return
    sentence = f"X contains {found} in feature number 1, row 2; expected finite numbers"
    with pytest.raises(InputError, match=sentence):
        FilterSelector(name).fit(with_cell(value), Y)
    with pytest.raises(InputError, match=sentence):
        scores(name, with_cell(value), Y)


def test_a_frame_is_blamed_by_its_feature_name():
    frame = pd.DataFrame(with_cell(np.nan), columns=["age", "TP53", "size"])
    with pytest.raises(InputError, match="in feature 'TP53', row 2"):
        FilterSelector().fit(frame, Y)


def test_a_text_column_is_refused_by_name():
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(sex="f")
    with pytest.raises(InputError, match="X contains text in feature 'sex'; expected numbers: encode or drop it"):
        FilterSelector().fit(frame, Y)
    with pytest.raises(InputError, match="X contains text in feature number 1; expected numbers"):
        scores("mim", np.array([[1, "x"], [2, "y"]], dtype=object), [0, 1])


@pytest.mark.parametrize("name", sorted(filters_for("classes")))
def test_one_class_is_refused(name):
    with pytest.raises(InputError, match=f"y has one class only, tumour; filter '{name}' compares at least 2 classes"):
        FilterSelector(name).fit(X, ["tumour"] * 12)


@pytest.mark.parametrize("name", sorted(list_filters().query("target == 'survival'").index))
@pytest.mark.parametrize("y", [["tumour"] * 12, Y], ids=["text", "numbers"])
def test_classes_are_refused_by_filters_for_times(name, y):
    sentence = f"y is taken as classes, and the filter '{name}' is for time to event; filters that can: anova, "
    with pytest.raises(InputError, match=sentence):
        FilterSelector(name).fit(X, y)
    with pytest.raises(InputError, match=r"y has 1 value per row, .* has 2; give st.Survival\(time, event\)"):
        FilterSelector(name, task="survival").fit(X, Y)


def test_a_resample_with_one_class_is_named():
    weights = np.ones((3, 12))
    weights[2, Y == 1] = 0
    with pytest.raises(InputError, match="y has one class only, 0 in resample 2; filter 'anova'"):
        scores("anova", X, Y, weights)


@pytest.mark.parametrize("name", ["auc", "t_test", "relief"])
def test_three_classes_are_refused_by_filters_for_two(name):
    with pytest.raises(InputError, match=f"y has 3 classes; filter '{name}' is for two classes"):
        FilterSelector(name).fit(X, np.arange(12) % 3)


def test_a_number_is_refused_by_filters_for_classes():
    with pytest.raises(InputError, match=r"y is a number .* the filter 'auc' is for two classes; filters that"):
        FilterSelector("auc").fit(X, X[:, 0])
    with pytest.raises(InputError, match=r"y is continuous .* filter 'anova' needs class labels"):
        FilterSelector("anova", task="classes").fit(X, X[:, 0])


def test_text_is_refused_as_a_continuous_target():
    with pytest.raises(
        InputError, match="y has values that are not finite numbers; filter 'mutual_info' needs a number"
    ):
        FilterSelector("mutual_info").fit(X, ["a"] * 12)


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (None, "filter 'anova' requires y to be passed"),
        (Y[:5], "y has 5 values and X has 12 rows"),
        (np.where(Y == 1, np.nan, 0.0), "y contains NaN"),
        (np.array(["a", None] * 6, dtype=object), "y contains a missing value"),
    ],
)
def test_targets_that_are_missing_or_short_are_refused(y, sentence):
    with pytest.raises(InputError, match=sentence):
        FilterSelector("anova").fit(X, y)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.zeros(12), "sample_weight sums to zero; at least one row must count"),
        (np.where(Y == 1, -1.5, 1), "sample_weight contains the negative value -1.5; expected weights of at least 0"),
        (np.full(12, np.nan), "sample_weight contains NaN or infinity"),
        (np.ones(5), r"sample_weight has shape \(5,\); expected one weight for each of the 12 rows of X"),
        (np.ones((2, 12)), r"sample_weight has shape \(2, 12\)"),
        (["heavy"] * 12, "sample_weight holds text; expected numbers"),
    ],
)
def test_bad_weights_are_refused(weights, sentence):
    with pytest.raises(InputError, match=sentence):
        FilterSelector("anova").fit(X, Y, sample_weight=weights)


def test_an_empty_resample_is_named():
    with pytest.raises(InputError, match="weights sums to zero in resample 1"):
        scores("anova", X, Y, np.vstack([np.ones(12), np.zeros(12)]))


@pytest.mark.parametrize("name", ["impurity", "permutation"])
def test_forests_refuse_weights_that_do_not_count_rows(name):
    with pytest.raises(InputError, match="sample_weight sums to 1; a forest needs weights that count rows"):
        FilterSelector(name).fit(X, Y, sample_weight=np.full(12, 1 / 12))


def test_filters_that_copy_rows_refuse_weights_that_are_not_whole():
    register_filter(Filter(name="range", score=lambda X, y: np.ptp(X, axis=0), weights=False, reference="none"))
    with pytest.raises(InputError, match="not whole; filter 'range' copies rows by their weight"):
        FilterSelector("range").fit(X, Y, sample_weight=np.full(12, 0.5))


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        ({"k": 4}, r"k must be at most 3, the number of features of X \(got 4\)"),
        ({"k": 0}, r"k must be a whole number of at least 1 \(got 0\)"),
        ({"k": 1.5}, r"k must be a whole number of at least 1 \(got 1.5\)"),
        ({"fraction": 1.2}, r"fraction must be a number above 0 and at most 1 \(got 1.2\)"),
        ({"k": 2, "threshold": 0.1}, "k and threshold are given; give only one of k, fraction and threshold"),
    ],
)
def test_impossible_sizes_are_refused(size, sentence):
    with pytest.raises(InputError, match=sentence):
        FilterSelector("anova", **size).fit(X, Y)


def test_more_top_features_than_features_are_refused():
    with pytest.raises(InputError, match=r"k must be at most 3, the number of features of X \(got 4\)"):
        top_features("anova", X, Y, k=4)


@pytest.mark.parametrize("name", ["anova", "limma", "sam", "t_test"])
def test_as_many_rows_as_classes_leave_no_variance(name):
    with pytest.raises(InputError, match=r"n_samples = 2 .* the variance within 2 classes needs more than 2"):
        FilterSelector(name).fit(X[:2], Y[:2])


def test_the_variance_of_one_row_is_refused():
    with pytest.raises(InputError, match="a variance needs more than 1"):
        FilterSelector("variance").fit(X[:1])


def test_welch_needs_two_rows_of_each_class():
    with pytest.raises(InputError, match=r"a class with one row only .* equal_var=False needs two rows of each class"):
        FilterSelector("t_test", params={"equal_var": False}).fit(X[:3], Y[:3])


@pytest.mark.parametrize("name", ["mim", "jmi", "info_gain", "chi_squared", "kruskal", "auc", "relieff"])
def test_fewer_rows_than_bins_still_have_scores(name):
    assert np.isfinite(scores(name, X[:2], Y[:2])).all()


def test_unknown_filters_and_options_are_refused():
    with pytest.raises(InputError, match=r"There is no filter called 'spearman'; did you mean 'kruskal'\?"):
        FilterSelector("spearman").fit(X, Y)  # known by what it computes
    with pytest.raises(InputError, match=r"There is no filter called 'anvoa'; did you mean 'anova'\?"):
        FilterSelector("anvoa").fit(X, Y)
    with pytest.raises(InputError, match="params contains 'var'; options of filter 't_test': equal_var"):
        FilterSelector("t_test", params={"var": True}).fit(X, Y)
    with pytest.raises(InputError, match=r"method must be one of equal_width, mdl, distinct \(got 'sturges'\)"):
        FilterSelector("mim", params={"discretise": "sturges"}).fit(X, Y)
    with pytest.raises(InputError, match=r"n_neighbors must be a whole number of at least 1 \(got 0\)"):
        FilterSelector("relieff", params={"n_neighbors": 0}).fit(X, Y)


def test_records_that_contradict_themselves_are_refused():
    tasks = ", ".join(map(repr, TASKS))
    with pytest.raises(InputError, match=rf"target must hold {tasks}, several or nothing \(got 'time'\)"):
        register_filter(Filter(name="cox", score=len, target=("time",), reference="none"))
    with pytest.raises(InputError, match="filter 'both' is both greedy and batched"):
        register_filter(Filter(name="both", score=len, greedy=True, batched=True, reference="none"))


def test_dates_are_no_numbers():
    X = pd.DataFrame({"a": np.arange(10.0), "when": pd.date_range("2020", periods=10)})
    with pytest.raises(InputError, match="dates or other things in feature 'when'; expected numbers"):
        FilterSelector("anova", k=1).fit(X, np.arange(10) % 2)
