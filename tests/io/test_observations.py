"""X, y and groups belong together row by row, and hold numbers and labels only."""

import dataclasses
import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from steadyset import Data, FeatureSimilarity, InputError, Selections, pareto_front
from steadyset.assessment.request import fingerprint, make_plan
from steadyset.io.numbers import aligned_rows, group_values, target_values
from steadyset.resampling import Bootstrap
from steadyset.selectors import FilterSelector

X = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [4.0, 1, 3, 3]}, index=["p", "q", "r", "s"])
Y = pd.Series([0, 0, 1, 1], index=X.index)


def plan(X=X, y=Y, groups=None):
    return make_plan(Data(X, y, groups=groups), resampling=Bootstrap(2))[0]


def test_rows_in_another_order_are_matched_by_their_index():
    with pytest.warns(UserWarning, match="y has the rows of X in another order"):
        found = aligned_rows(X, Y.iloc[::-1], "y")
    assert found.tolist() == Y.tolist()


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (pd.Series([0, 0, 1, 1], index=["p", "q", "r", "t"]), r"different pandas indices \('s' is in that of X only\)"),
        (pd.Series([0, 0, 1, 1]), "to_numpy"),
        (pd.Series([0, 0, 1, 1], index=["p", "q", "r", "r"]), "repeated entries"),
    ],
)
def test_rows_of_others_are_refused(y, sentence):
    with pytest.raises(InputError, match=sentence):
        plan(y=y)
    with pytest.raises(InputError, match=sentence):
        plan(groups=y)


@pytest.mark.parametrize("y", [Y, Y.to_numpy(), Y.tolist(), pl.Series(Y.to_numpy()), Y.to_frame()])
def test_what_has_the_same_index_or_none_goes_by_position(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plan(y=y).y.tolist() == [0, 0, 1, 1]
        assert plan(X.reset_index(drop=True), Y.reset_index(drop=True)).y.tolist() == [0, 0, 1, 1]
        twice = X.set_axis(["p", "p", "q", "q"])
        assert plan(twice, Y.set_axis(["p", "p", "q", "q"])).y.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ({"p": 0, "q": 1}, "y is a dict"),
        (None, "y is missing: give"),
        ("0011", "y is a str"),
        ([0, None, 1, 1], "y has missing values"),
        (["a", None, "b", "b"], "y has missing values"),
        ([0, "a", 1, 1], "y mixes text and numbers"),
        (np.ma.masked_array([0, 0, 1, 1], [0, 0, 0, 1]), "y has missing values"),
        (np.array([0, 0, 1, 1j]), "y holds complex numbers"),
        (np.array(["2020", "2021", "2022", "2022"], "M8[Y]"), "y holds dates"),
        (np.array([(1,)] * 4, [("time", float)]), "y holds records"),
        (np.array([(0, True)] * 4, [("time", float), ("event", bool)]), "the time 'time' is 0 in 4 rows"),
        (np.array([(1, 2)] * 4, [("time", float), ("event", int)]), "the event 'event' holds 2; expected 1"),
        ([[0], [0, 1]], "different lengths"),
    ],
)
def test_what_is_no_target_gets_a_sentence(y, sentence):
    with pytest.raises(InputError, match=sentence):
        target_values(y, None)


def test_numbers_kept_as_python_objects_stay_numbers():
    assert target_values(pd.Series([1.5, 2, 3], dtype=object), 3).tolist() == [1.5, 2, 3]
    assert target_values(pd.Series([1, 2, 3], dtype="Int64"), 3).tolist() == [1, 2, 3]
    assert target_values([True, False, True], 3).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ([1, None, 2, 2], "groups has missing values"),
        ([1, "a", 2, 2], "groups mixes text and numbers"),
        ([1.0, np.nan, 2, 2], "groups has missing values"),
        (pd.Series(["a", pd.NA, "b", "b"]), "groups has missing values"),
        ({"a": 1}, "groups is a dict"),
        ([[1, 2]] * 4, "groups has the shape"),
    ],
)
def test_groups_that_are_none_get_a_sentence(groups, sentence):
    with pytest.raises(InputError, match=sentence):
        group_values(groups, 4)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (np.array([[1, 2j], [3, 4], [1, 2], [5, 6]]), "X holds complex numbers"),
        (np.array([["2020", "2021"]] * 4, "M8[Y]"), "X holds dates"),
        (np.array([[datetime.date(2020, 1, 1), 2]] * 4, dtype=object), "X holds something other than numbers"),
        (np.array([["1", "2"]] * 4), "X holds text"),
        ([[1, 10**400]] * 4, "beyond those of double precision"),
    ],
)
def test_what_is_no_number_is_not_turned_into_one(table, sentence):
    with pytest.raises(InputError, match=sentence):
        plan(table, Y.to_numpy())


def test_masked_entries_are_missing():
    found = plan(np.ma.masked_array(np.ones((4, 2)), np.eye(4, 2)), Y.to_numpy()).X
    np.testing.assert_array_equal(np.isnan(found), np.eye(4, 2, dtype=bool))


def test_dates_and_complex_numbers_are_no_selections_and_no_similarities():
    dates = np.array([["1970-01-01T00:00:00.000000001", "1970-01-01"]] * 2, "M8[ns]")
    with pytest.raises(InputError, match="Z holds dates"):
        Selections.from_matrix(dates)
    with pytest.raises(InputError, match="W holds complex numbers"):
        Selections.from_weights(np.array([[1 + 1j, 0]]))
    with pytest.raises(InputError, match="C holds complex numbers"):
        FeatureSimilarity.from_matrix(np.eye(2) + 0.5j)
    with pytest.raises(InputError, match="X holds dates"):
        FeatureSimilarity.from_data(dates)
    with pytest.raises(InputError, match="X has a missing value in row 1, feature 0"):
        FeatureSimilarity.from_data(np.ma.masked_array(np.random.default_rng(0).normal(size=(4, 2)), np.eye(4, 2)))


def test_the_digest_of_the_data_tells_the_target_from_the_groups():
    def digest(y, groups):
        return fingerprint(dataclasses.replace(plan(), y=np.array(y), groups=np.array(groups)))

    assert digest([1, 1, 1, 23], [4, 1, 1, 1]) != digest([1, 1, 1, 2], [34, 1, 1, 1])
    assert digest(["a", "b", "a", "b"], ["c", "c", "d", "d"]) == digest(["a", "b", "a", "b"], ["c", "c", "d", "d"])
    assert digest(["a", "b\0c", "a", "b"], [1, 1, 2, 2]) != digest(["a", "b", "c\0a", "b"], [1, 1, 2, 2])


TWO = Selections.from_sets([[0], [1]], n_features=2)
SAME = FeatureSimilarity.from_matrix(np.eye(2))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Selections.from_sets([[0]], n_features=3, labels=5), "labels must be a list"),
        (lambda: Selections.from_rankings([[1, 2]], top=True), r"top.* must be .*\(got True\)"),
        (lambda: Selections.read(None), "path must be the name of a file"),
        (lambda: Selections.read("a\0b.csv"), "path must be the name of a file"),
        (lambda: TWO.write(5), "path must be the name of a file"),
        (lambda: TWO.selected("a"), "run must be a number from 0"),
        (lambda: TWO.with_weights(5), "rows must hold"),
        (lambda: FeatureSimilarity.read(5), "path must be the name of a file"),
        (lambda: SAME.block("a", [0]), "holds text"),
        (lambda: SAME.block([0.5], [0]), "0.5 is not the index"),
        (lambda: SAME.check(5), "selections must be Selections"),
    ],
)
def test_arguments_of_a_wrong_type_get_a_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()


def test_a_column_called_run_is_a_feature_of_the_data_like_the_others():
    assert plan(X.assign(run=[7.0, 8, 9, 9])).X[:, 2].tolist() == [7, 8, 9, 9]


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (np.ma.masked_equal(np.arange(12.0).reshape(4, 3), 5.0), r"X contains NaN \(a missing value\)"),
        (np.arange(12).reshape(4, 3).astype("datetime64[D]"), "X holds dates"),
        (np.arange(12).reshape(4, 3).astype(str), "X holds text"),
    ],
    ids=["masked", "dates", "text"],
)
def test_a_selector_by_itself_takes_numbers_only(table, sentence):
    with pytest.raises(InputError, match=sentence):
        FilterSelector("anova").fit(table, [0, 1, 0, 1])


@pytest.mark.parametrize("weights", [["1", "2", "1", "1"], np.arange(4).astype("timedelta64[s]")], ids=["text", "time"])
def test_weights_that_only_read_as_numbers_are_refused(weights):
    with pytest.raises(InputError, match="sample_weight holds"):
        FilterSelector("anova").fit(X.to_numpy(), Y.to_numpy(), sample_weight=weights)


def test_objectives_that_only_read_as_numbers_are_refused():
    with pytest.raises(InputError, match="values holds text"):
        pareto_front([["1", "2"], ["2", "1"]], ["max", "max"])
