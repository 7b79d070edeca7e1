"""Selections: every way in gives the same thing, and nothing changes it afterwards."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import steadyset as st
from steadyset import InputError, Selections
from steadyset.io import files

NAMES = ["a", "b", "c", "d"]
TABLE = np.array([[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1]])
SETS = [{"a", "b"}, set(), {"b", "d"}]


@pytest.fixture
def selections():
    return Selections.from_sets(SETS, NAMES)


@pytest.mark.parametrize(
    "rows",
    [
        [["a", "b"], [], ["b", "d"]],
        [("b", "a"), (), ("d", "b")],
        [frozenset("ab"), frozenset(), frozenset("bd")],
        [[0, 1], [], [3, 1]],
        [np.array([1, 0]), np.array([], dtype=np.int64), np.array([1, 3], dtype=np.uint8)],
        [np.array(["a", "b"]), [], pd.Series(["b", "d"])],
        [["a", 1], [], [np.int32(1), "d"]],
        [pl.Series(["a", "b"]), iter([]), (name for name in "bd")],
    ],
)
def test_sets_of_names_and_of_indices_mean_the_same(rows, selections):
    assert Selections.from_sets(rows, NAMES) == selections


@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        TABLE.astype(bool),
        TABLE.astype(float),
        TABLE.astype(np.uint8),
        TABLE.tolist(),
        TABLE.astype(object),
        np.asfortranarray(TABLE),
        sparse.csr_matrix(TABLE),
        sparse.csc_array(TABLE),
        sparse.coo_array(TABLE.astype(bool)),
        sparse.lil_array(TABLE),
    ],
)
def test_matrices_mean_the_same_as_sets(table, selections):
    assert Selections.from_matrix(table, NAMES) == selections


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(TABLE, columns=NAMES),
        pd.DataFrame(TABLE.astype(bool), columns=NAMES),
        pd.DataFrame(TABLE, columns=NAMES).convert_dtypes(),
        pl.DataFrame(dict(zip(NAMES, TABLE.T, strict=True))),
        pl.DataFrame(dict(zip(NAMES, TABLE.T.astype(bool), strict=True))),
        pa.table(dict(zip(NAMES, TABLE.T, strict=True))),
    ],
)
def test_frames_bring_their_column_names(frame, selections):
    assert Selections.from_matrix(frame) == selections
    assert Selections.from_matrix(frame, ["p", "q", "r", "s"]).features == ("p", "q", "r", "s")


def test_labels_come_from_keys_from_the_index_or_from_a_column_called_run():
    wanted = Selections.from_sets(SETS, NAMES, labels=["x", "y", "z"])
    frame = pd.DataFrame(TABLE, columns=NAMES)
    assert wanted.labels == ("x", "y", "z")
    assert Selections.from_sets(dict(zip("xyz", SETS, strict=True)), NAMES) == wanted
    assert Selections.from_matrix(frame.set_axis(["x", "y", "z"])) == wanted
    assert Selections.from_matrix(frame.assign(run=["x", "y", "z"])) == wanted
    assert Selections.from_matrix(TABLE, NAMES, labels=["x", "y", "z"]) == wanted
    assert wanted != Selections.from_sets(SETS, NAMES)


def test_numbers_are_labels_too():
    assert Selections.from_sets({"1": ["a"], "2": ["b"]}, NAMES).labels == ("1", "2")
    assert Selections.from_sets([["a"], ["b"]], NAMES, labels=[1, 2]).labels == ("1", "2")


def test_the_long_layout_has_stand_ins_for_runs_without_labels():
    frame = Selections.from_sets([["a"], ["b"]], NAMES).to_frame(layout="long")
    assert frame["run"].tolist() == ["unlabelled 1", "unlabelled 2"]
    assert Selections.from_long(frame, NAMES).labels is None


def test_features_without_names_are_called_x0_x1():
    selections = Selections.from_sets([["x1"], [0]], n_features=3)
    assert selections.features == ("x0", "x1", "x2")
    assert selections == Selections.from_sets([[1], [0]], ["x0", "x1", "x2"])
    assert hash(selections) == hash(Selections.from_sets([[1], [0]], ["x0", "x1", "x2"]))


def test_sets_of_names_with_only_a_number_of_features_get_placeholders():
    got = Selections.from_sets([["b", "a"], ["unnamed 1"], []], n_features=5)
    assert got.features == ("b", "a", "unnamed 1", "unnamed 2", "unnamed 3")
    assert got.sets() == [{"a", "b"}, {"unnamed 1"}, set()]
    assert Selections.from_sets([{"b", "a", "c"}], n_features=3).features == ("a", "b", "c")
    ranked = Selections.from_rankings([["b", "a"], ["a"]], n_features=3, top=1)
    assert ranked.sets() == [{"b"}, {"a"}]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_long_frames_of_any_library(library, selections):
    """A row without a feature declares the empty run."""
    long = library({"run": ["1", "1", "2", "3", "3"], "feature": ["b", "a", None, "d", "b"]})
    assert Selections.from_long(long, NAMES) == numbered(selections)


def test_a_long_frame_may_hold_feature_indices_or_declare_its_features(selections):
    numbers = pd.DataFrame({"run": [1, 1, 3, 3, 2], "feature": [1, 0, 3, 1, None]})
    got = Selections.from_long(numbers, NAMES)
    assert got.sets() == [{"a", "b"}, {"b", "d"}, set()]
    assert got.labels == ("1", "3", "2")
    declared = pl.DataFrame({"run": [None] * 4 + [1, 1, 2, 3, 3], "feature": [*NAMES, "a", "b", None, "b", "d"]})
    assert Selections.from_long(declared) == numbered(selections)


def numbered(selections):
    labels = [str(i + 1) for i in range(selections.n_runs)]
    return Selections.from_sets(selections.sets(), selections.features, labels=labels)


def test_a_long_frame_with_only_a_number_of_features_gets_placeholders():
    got = Selections.from_long(pd.DataFrame({"run": ["u", "v"], "feature": ["a", "unnamed 1"]}), n_features=4)
    assert got.features == ("a", "unnamed 1", "unnamed 2", "unnamed 3")
    assert got.n_features == 4


def test_whole_numbers_are_names_where_such_names_are_known():
    long = pd.DataFrame({"run": [1, 2], "feature": [7157, 672]})
    assert Selections.from_long(long, ["672", "1956", "7157"]).sets() == [{"7157"}, {"672"}]


def test_long_weights_of_zero_are_not_selected():
    long = pd.DataFrame({"run": [1, 1, 2], "feature": ["a", "b", "b"], "weight": [0.5, 0, -2]})
    got = Selections.from_long(long, NAMES)
    assert got.sets() == [{"a"}, {"b"}]
    assert got.weights.tolist() == [0.5, -2.0]


def test_weights_select_what_is_not_zero(selections):
    weights = np.array([[0.5, -2, 0, 0], [0, 0, 0, 0], [0, 1e-300, 0, 3]])
    for table in (weights, sparse.csr_array(weights), pd.DataFrame(weights), pl.DataFrame(weights)):
        got = Selections.from_weights(table, NAMES)
        assert got.sets() == selections.sets()
        assert got.weights.tolist() == [0.5, -2, 1e-300, 3]
        np.testing.assert_array_equal(got.to_matrix(weights=True).toarray(), weights)
    assert got != selections


def test_rankings_select_the_features_of_rank_at_most_top():
    ranks = np.array([[1, 2, 3, 4], [4, 1.5, 1.5, 3]])
    got = Selections.from_rankings(ranks, NAMES, top=2)
    assert got.sets() == [{"a", "b"}, {"b", "c"}]
    np.testing.assert_array_equal(got.rankings, ranks)
    assert Selections.from_rankings(pd.DataFrame(ranks, columns=NAMES), top=2) == got
    assert Selections.from_rankings(ranks, NAMES).sizes.tolist() == [4, 4]
    assert Selections.from_rankings(ranks, NAMES, top=0).sizes.tolist() == [0, 0]


@pytest.mark.parametrize("lists", [[["c", "a"], ["b", "a", "d", "c"]], [["x2", 0], [1, "x0", 3, "x2"]]])
def test_lists_best_first_are_rankings_whose_rest_shares_the_mean_rank(lists):
    names = NAMES if lists[0][0] == "c" else None
    got = Selections.from_rankings(lists, names, top=1, n_features=4)
    np.testing.assert_array_equal(got.rankings, [[2, 3.5, 1, 3.5], [2, 1, 4, 3]])
    assert [s.tolist() for s in (got.selected(0), got.selected(1))] == [[2], [1]]


def test_what_there_is(selections):
    assert (selections.n_runs, len(selections), selections.n_features) == (3, 3, 4)
    assert selections.sizes.tolist() == [2, 0, 2]
    assert selections.counts.tolist() == [1, 2, 0, 1]
    assert selections.frequencies.tolist() == pytest.approx([1 / 3, 2 / 3, 0, 1 / 3])
    assert selections.sets() == SETS
    assert selections.selected(-1).tolist() == [1, 3]
    np.testing.assert_array_equal(selections.intersections(), TABLE @ TABLE.T)
    np.testing.assert_array_equal(selections.to_matrix().toarray(), TABLE)
    assert repr(selections) == "Selections(3 runs, 4 features, sizes 0 to 2)"


def test_take_keeps_weights_rankings_and_labels():
    full = Selections.from_weights([[1, 2], [0, 3], [4, 0]], labels=["x", "y", "z"])
    full = full.with_rankings([[1, 2], [2, 1], [1, 2]])
    part = full.take([2, 0])
    assert part == Selections.from_weights([[4, 0], [1, 2]], labels=["z", "x"]).with_rankings([[1, 2], [1, 2]])
    assert full.take(np.array([True, False, True])) == full.take([0, 2]) == full.take(slice(0, 3, 2))
    assert full.take(1).labels == ("y",)
    assert full.take([0, 0]).labels is None


@pytest.mark.parametrize("runs", [[3], [-4], [True], []])
def test_take_refuses_runs_that_are_not_there(runs, selections):
    with pytest.raises(InputError, match=r"^runs (must be run numbers from 0 to 2|chooses none of the runs)"):
        selections.take(runs)


@pytest.mark.parametrize("backend", ["pandas", "polars"])
@pytest.mark.parametrize("labels", [None, ["x", "y", "z"]])
def test_frames_give_the_selections_back(backend, labels):
    selections = Selections.from_sets(SETS[::2] + SETS[:1], NAMES, labels=labels)
    assert Selections.from_matrix(selections.to_frame(backend=backend)) == selections
    long = selections.to_frame(layout="long", backend=backend)
    assert list(long.columns) == ["run", "feature"]
    assert Selections.from_long(long, NAMES) == selections


def test_nothing_can_be_changed(selections):
    with pytest.raises(AttributeError, match="cannot be changed"):
        selections.n_features = 7
    with pytest.raises(AttributeError, match="cannot be changed"):
        del selections._names
    for array in (selections.indices, selections.indptr, selections.sizes, selections.counts, selections.frequencies):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError, match="from_sets"):
        Selections([])


def test_the_arrays_that_were_given_stay_independent():
    rows, weights, ranks = [np.array([0, 1]), np.array([1])], np.array([[1.0, 2.0]]), np.array([[1.0, 2.0]])
    sets, weighed = Selections.from_sets(rows, n_features=2), Selections.from_weights(weights).with_rankings(ranks)
    for array in (*rows, weights, ranks):
        array[:] = 0
    assert sets.sizes.tolist() == [2, 1]
    assert weighed.weights.tolist() == weighed.rankings[0].tolist() == [1.0, 2.0]


def test_a_sparse_matrix_with_repeated_entries_is_summed_but_not_changed():
    table = sparse.csr_array((np.array([1.0, 0.5, 0.5]), np.array([1, 0, 0]), np.array([0, 3])), shape=(1, 2))
    assert Selections.from_weights(table).weights.tolist() == [1.0, 1.0]
    assert table.nnz == 3
    assert table.indices.tolist() == [1, 0, 0]


def test_copies_and_pickles_are_equal(selections):
    full = Selections.from_weights([[1, 2], [0, 3]], ["a", "b"], labels=["u", "v"]).with_rankings([[1, 2], [2, 1]])
    for original in (selections, full):
        assert pickle.loads(pickle.dumps(original)) == original
        assert copy.deepcopy(original) == original
        assert hash(copy.copy(original)) == hash(original)
        assert original != "something else"


def test_equality_sees_sets_names_weights_and_rankings(selections):
    assert selections != Selections.from_sets(SETS[::-1], NAMES)
    assert selections != Selections.from_sets(SETS, ["a", "b", "e", "d"])
    assert selections != Selections.from_sets(SETS, [*NAMES, "e"])
    assert selections != selections.with_weights([[1, 1], [], [1, 1]])
    assert selections != selections.with_rankings([[1, 2, 3, 4]] * 3)


def test_measures_take_what_from_matrix_takes(selections):
    assert st.stability(TABLE) == st.stability(selections) == st.stability(pd.DataFrame(TABLE, columns=NAMES))


@pytest.mark.parametrize(
    "lists",
    [[["a", "b"], ["a"]], [["a", "b"], ["a", "c"]], {"r1": ["a"], "r2": ["b"]}, [{0, 1}, {1, 2}], [[0, 1, 2], [1]]],
)
def test_lists_of_features_are_sent_to_from_sets(lists):
    for call in (st.stability, lambda given: st.consensus({"x": given, "y": given})):
        with pytest.raises(st.InputError, match=r"make them Selections with Selections.from_sets\(lists"):
            call(lists)


@pytest.mark.parametrize("read", [st.Selections.from_sets, st.Selections.from_rankings])
def test_numbers_that_may_be_names_or_indices_are_refused(read):
    with pytest.raises(st.InputError, match="called by numbers such as 1, and numbers in runs are indices from 0"):
        read([[1, 2], [1]], features=[1, 2, 3])
    assert Selections.from_sets([["1", "2"], ["1"]], features=[1, 2, 3]).sets() == [{"1", "2"}, {"1"}]
    assert Selections.from_sets([[1, 2], [0]], features=range(3)).sets() == [{"1", "2"}, {"0"}]


def test_the_most_features_there_may_be_take_no_memory_unless_they_are_listed(monkeypatch):
    monkeypatch.setattr(files, "machine_bytes", lambda: 2**34)
    d = 2**31 - 1
    runs = Selections.from_sets([[0, 1, 2], [1, 2, 3], [2, 3, d - 1]], n_features=d)
    fewer = Selections.from_sets([[0, 1, 2], [1, 2, 3], [2, 3, 9]], n_features=10)
    assert st.stability(runs, "nogueira") == pytest.approx(1 - 4 / 9, abs=1e-8)
    assert st.confidence_interval(runs, "somol").low == st.confidence_interval(fewer, "somol").low
    for asked in (lambda: runs.features, lambda: runs.counts, lambda: runs.frequencies, runs.to_frame):
        with pytest.raises(InputError, match=r"of 2,147,483,647 features would take .* GB of memory"):
            asked()


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (np.array([1 + 2j, 3]), "'odd' of complex numbers"),
        (pd.Series([1 + 2j, 3], dtype=object), "'odd' of Python objects, such as"),
        (pd.period_range("2020", periods=2, freq="Y"), "'odd' of type period"),
        (pd.Series([None, None], dtype=object), "'odd' without any value"),
    ],
)
def test_a_column_that_holds_no_numbers_is_called_what_it_is(column, told):
    with pytest.raises(InputError, match=told):
        Selections.from_matrix(pd.DataFrame({"a": [0, 1], "odd": column}))


def test_sparse_columns_of_pandas_are_numbers_and_a_gap_among_bools_is_missing():
    table = pd.DataFrame({"a": [0, 1], "b": pd.arrays.SparseArray([1, 0])})
    assert Selections.from_matrix(table).counts.tolist() == [1, 1]
    with pytest.raises(InputError, match="holds nan for run 2, feature 'b'"):
        Selections.from_matrix(table.assign(b=pd.array([True, None], dtype="boolean")))


def test_ties_go_with_their_runs():
    sel = st.Selections.from_sets([["a", "b"], ["a", "c"], ["b"]], features=["a", "b", "c"]).with_ties([1, 0, 1])
    assert sel.tied.tolist() == [1, 0, 1]
    assert sel.tied_share == 2 / 5
    assert sel.take([2, 0]).tied.tolist() == [1, 1]
    assert sel.reordered(["c", "a", "b", "d"]).tied.tolist() == [1, 0, 1]
    assert pickle.loads(pickle.dumps(sel)).tied.tolist() == [1, 0, 1]
    for wrong in ([1, 0], [3, 0, 0], [-1, 0, 0], [0.5, 0, 0]):
        with pytest.raises(st.InputError, match="tied must hold one whole number per run"):
            sel.with_ties(wrong)
