"""FeatureSimilarity from matrices, frames, groups and data: what it holds, and what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import steadyset as st
from steadyset.measures.random_overlaps import RandomOverlaps
from steadyset.similarity import store

C = np.array([[1.0, 0.95, 0.3, 0.0], [0.95, 1.0, 0.9, 0.0], [0.3, 0.9, 1.0, 0.2], [0.0, 0.0, 0.2, 1.0]])
NAMES = ("a", "b", "c", "d")


def dense(similarity: st.FeatureSimilarity) -> np.ndarray:
    everything = np.arange(similarity.n_features)
    return similarity.block(everything, everything)


def graph(similarity: st.FeatureSimilarity) -> np.ndarray:
    indptr, indices, values = similarity.neighbours
    full = np.zeros((similarity.n_features,) * 2)
    full[np.repeat(np.arange(len(full)), np.diff(indptr)), indices] = values
    return full


def test_neighbours_are_the_similar_features_without_the_feature_itself():
    indptr, indices, values = st.FeatureSimilarity.from_matrix(C).neighbours
    assert indptr.tolist() == [0, 1, 3, 4, 4]
    assert indices.tolist() == [1, 0, 2, 1]
    assert values.tolist() == [0.95, 0.95, 0.9, 0.9]
    assert (indptr.dtype, indices.dtype, values.dtype) == (np.int64, np.int64, np.float64)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array, sparse.coo_matrix, np.ndarray.tolist])
@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.9, 0.95, 1.0])
def test_dense_and_sparse_matrices_say_the_same(kind, threshold):
    similarity = st.FeatureSimilarity.from_matrix(kind(C), threshold=threshold)
    assert np.array_equal(dense(similarity), C)
    assert np.array_equal(similarity.block([2, 0], [3, 0, 2]), C[np.ix_([2, 0], [3, 0, 2])])
    assert similarity.total() == pytest.approx(C.sum() - 4)
    assert np.array_equal(similarity.diagonal, np.ones(4))
    near = (threshold <= C) & ~np.eye(4, dtype=bool)
    assert np.array_equal(graph(similarity), np.where(near, C, 0))
    assert np.array_equal(np.diff(similarity.neighbours.indptr), near.sum(axis=1))


def test_a_sparse_matrix_may_leave_out_its_diagonal():
    similarity = st.FeatureSimilarity.from_matrix(sparse.csr_array(C - np.eye(4)))
    assert np.array_equal(dense(similarity), C)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_bring_the_names(kind):
    columns = {name: C[:, f] for f, name in enumerate(NAMES)}
    assert st.FeatureSimilarity.from_matrix(kind(columns)).features == NAMES
    with_rows = st.FeatureSimilarity.from_matrix(kind({"which": list(NAMES), **columns}))
    assert with_rows.features == NAMES
    assert np.array_equal(dense(with_rows), C)
    with pytest.raises(st.InputError, match="Row 1 of C is called 'b' and its column 'a'"):
        st.FeatureSimilarity.from_matrix(kind({"which": ["b", "a", "c", "d"], **columns}))


def test_the_correlation_frame_of_pandas_is_taken_as_it_is():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=["x", "y", "z"])
    assert st.FeatureSimilarity.from_matrix(table.corr().abs()).features == ("x", "y", "z")
    with pytest.raises(st.InputError, match="take the absolute values of correlations"):
        st.FeatureSimilarity.from_matrix(-(table.corr().abs()))


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (
            (0, 1),
            0.5,
            "C holds 0.5 for feature 'a' and feature 'b' but 0.95 the other way round",
        ),
        ((2, 0), 0.4, "but 0.[34] the other way round"),
        ((1, 0), np.nan, "C holds nan for feature 'b' and feature 'a'; expected numbers from 0 to 1"),
        ((3, 1), -0.2, "C holds -0.2 for feature 'd' and feature 'b'; .*take the absolute"),
        ((0, 2), 1.5, "C holds 1.5 for feature 'a' and feature 'c'; expected numbers from 0 to 1"),
        ((2, 2), 0.7, "C holds 0.7 for feature 'c' with itself; expected 1"),
    ],
)
def test_matrices_that_are_no_similarity_get_a_sentence(kind, place, value, sentence):
    wrong = C.copy()
    wrong[place] = value
    with pytest.raises(st.InputError, match=sentence):
        st.FeatureSimilarity.from_matrix(kind(wrong), features=NAMES)


@pytest.mark.parametrize(
    ("table", "options", "sentence"),
    [
        (C[:3], {}, r"C has the shape \(3, 4\); expected a square"),
        (np.empty((0, 0)), {}, r"C has the shape \(0, 0\)"),
        (sparse.csr_array(C[:3]), {}, r"C has the shape \(3, 4\)"),
        ([["a", "b"], ["c", "d"]], {}, "C holds text; expected numbers"),
        ([[1.0, 0.5], [0.5]], {}, "rows of different lengths"),
        (pd.DataFrame({"a": ["x", "y"], "b": [0, 1]}), {}, "C has the column 'a' of type String"),
        (C, {"features": ["a", "b"]}, "2 feature names are given for 4 features"),
        (C, {"threshold": 1.5}, r"threshold must be a number from 0 to 1 \(got 1.5\)"),
        (C, {"threshold": "high"}, r"threshold.* must be .*\(got 'high'\)"),
        (C, {"threshold": float("nan")}, r"threshold.* must be .*\(got nan\)"),
        (C, {"diagonal": "zero"}, r"diagonal must be .*\(got 'zero'\)"),
    ],
)
def test_what_is_no_matrix_gets_a_sentence(table, options, sentence):
    with pytest.raises(st.InputError, match=sentence):
        st.FeatureSimilarity.from_matrix(table, **options)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_another_diagonal_is_set_to_one_or_kept_when_asked(kind):
    half = C.copy()
    np.fill_diagonal(half, [0.5, 1.0, 0.0, 1.0])
    assert np.array_equal(dense(st.FeatureSimilarity.from_matrix(kind(half), diagonal="one")), C)
    kept = st.FeatureSimilarity.from_matrix(kind(half), diagonal="keep")
    assert np.array_equal(dense(kept), half)
    assert kept.diagonal.tolist() == [0.5, 1.0, 0.0, 1.0]
    assert np.array_equal(graph(kept), graph(st.FeatureSimilarity.from_matrix(C)))


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_what_rounding_explains_is_mended(kind):
    rounded = C.copy()
    rounded[0, 1] += 1e-9
    rounded[3, 3] += 1e-12
    similarity = st.FeatureSimilarity.from_matrix(kind(rounded))
    found = dense(similarity)
    assert np.array_equal(found, found.T)
    assert found.max() == 1.0
    assert np.abs(found - C).max() < 1e-8
    single = st.FeatureSimilarity.from_matrix(kind(C.astype(np.float32)), threshold=0.94)
    assert single.neighbours.indices.tolist() == [1, 0]


def test_matrices_are_checked_and_searched_in_blocks(monkeypatch):
    rng = np.random.default_rng(6)
    upper = np.triu(np.round(rng.random((30, 30)), 2), 1)
    full = upper + upper.T + np.eye(30)
    wanted = graph(st.FeatureSimilarity.from_matrix(full))
    monkeypatch.setattr(store, "CELLS_A_BLOCK", 70)
    monkeypatch.setattr(store, "CELLS_A_BLOCK", 70)
    assert np.array_equal(graph(st.FeatureSimilarity.from_matrix(full)), wanted)
    for f, g in [(29, 0), (0, 29), (17, 18), (18, 17)]:
        wrong = full.copy()
        wrong[f, g] = 2
        with pytest.raises(st.InputError, match=f"C holds 2 for feature {f} and feature {g}"):
            st.FeatureSimilarity.from_matrix(wrong)
        wrong[f, g] = full[f, g] + (0.1 if full[f, g] < 0.5 else -0.1)
        with pytest.raises(st.InputError, match="the other way round"):
            st.FeatureSimilarity.from_matrix(wrong)


def test_the_given_matrix_can_change_without_changing_the_similarity():
    mine = C.copy()
    similarity = st.FeatureSimilarity.from_matrix(mine)
    mine[:] = 0
    assert np.array_equal(dense(similarity), C)


def test_a_similarity_a_rounding_below_the_threshold_is_a_tie():
    tie = np.array([[1.0, 0.9 - 1e-15], [0.9 - 1e-15, 1.0]])
    assert st.FeatureSimilarity.from_matrix(tie).neighbours.indices.tolist() == [1, 0]
    assert not len(st.FeatureSimilarity.from_matrix(tie - 1e-9 * (1 - np.eye(2))).neighbours.indices)


def test_another_threshold_shares_the_similarities_but_not_what_is_known_of_chance():
    strict = st.FeatureSimilarity.from_matrix(C, features=NAMES)
    known = RandomOverlaps.of(strict)
    loose = strict.with_threshold(0.2)
    assert (loose.threshold, loose.features) == (0.2, NAMES)
    assert RandomOverlaps.of(strict) is known
    assert RandomOverlaps.of(loose) is not known
    assert len(loose.neighbours.indices) == 8
    assert loose._store is strict._store


def test_a_similarity_cannot_be_changed():
    similarity = st.FeatureSimilarity.from_matrix(C)
    with pytest.raises(AttributeError, match="with_threshold"):
        similarity.threshold = 0.5
    with pytest.raises(ValueError, match="read-only"):
        similarity.neighbours.values[0] = 0
    with pytest.raises(TypeError, match="from_data, from_matrix or from_groups"):
        st.FeatureSimilarity(C)


def test_a_similarity_survives_the_way_to_another_process():
    similarity = pickle.loads(pickle.dumps(st.FeatureSimilarity.from_matrix(C, features=NAMES)))
    assert similarity.features == NAMES
    assert np.array_equal(dense(similarity), C)


def test_indices_outside_are_refused():
    with pytest.raises(st.InputError, match="The index 4 is not a feature; expected indices from 0 to 3"):
        st.FeatureSimilarity.from_matrix(C).block([0], [1, 4])


def test_the_selections_must_have_the_same_features():
    similarity = st.FeatureSimilarity.from_matrix(C, features=NAMES)
    assert similarity.check(st.Selections.from_sets([["a"]], features=NAMES)) is similarity
    assert similarity.check(st.Selections.from_sets([[0]], n_features=4)) is similarity
    with pytest.raises(st.InputError, match="There are 4 features in similarity and 3 in the Selections"):
        similarity.check(st.Selections.from_sets([[0]], n_features=3))
    with pytest.raises(st.InputError, match="'b' in similarity and 'x' in the Selections; expected the same names"):
        similarity.check(st.Selections.from_sets([["a"]], features=["a", "x", "c", "d"]))
    with pytest.raises(st.InputError, match="expected the same names in the same order"):
        similarity.check(st.Selections.from_sets([["a"]], features=["b", "a", "c", "d"]))


GROUPED = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


@pytest.mark.parametrize(
    ("groups", "options"),
    [
        (["x", "x", "y", "z"], {}),
        (np.array([1, 1, 2, 3]), {}),
        (["x", "x", None, None], {}),
        ([1.0, 1.0, float("nan"), float("nan")], {}),
        (pd.Series(["x", "x", "y", "z"]), {}),
        (pd.Series(["x", "x", None, pd.NA], dtype="string"), {}),
        ([[0, 1]], {"n_features": 4}),
        ([["b", "a"], ["c"]], {"features": NAMES}),
        ({"a": "x", "b": "x", "c": "y", "d": "z"}, {}),
        ({"a": "x", "b": "x"}, {"features": NAMES}),
    ],
)
def test_groups_are_cliques(groups, options):
    similarity = st.FeatureSimilarity.from_groups(groups, **options)
    assert np.array_equal(dense(similarity), GROUPED)
    assert np.array_equal(graph(similarity), GROUPED - np.eye(4))
    assert similarity.total() == 2
    assert len(similarity.with_threshold(0.0).neighbours.indices) == 12


def test_the_cliques_of_many_groups_are_those_of_the_matrix():
    labels = np.random.default_rng(3).integers(0, 12, 60)
    grouped = st.FeatureSimilarity.from_groups(labels)
    full = st.FeatureSimilarity.from_matrix(labels[:, None] == labels)
    for found, wanted in zip(grouped.neighbours, full.neighbours, strict=True):
        assert np.array_equal(found, wanted)
    assert grouped.total() == full.total()


@pytest.mark.parametrize(
    ("groups", "options", "sentence"),
    [
        ("abc", {}, r"groups must be one label per feature.* \(got 'abc'\)"),
        (3, {}, r"groups.* must be .*\(got 3\)"),
        ([[0, 1], "x"], {"n_features": 3}, "groups mixes labels and collections"),
        ([[0, 1]], {}, "give features or n_features"),
        ([[0, None]], {"n_features": 3}, "groups holds None, which is not among the features"),
        ([[0, 1.5]], {"n_features": 3}, "groups holds 1.5, which is not among the features"),
        ([[0, 5]], {"n_features": 3}, "groups holds 5, which is not among the features"),
        ([["a", "q"]], {"features": NAMES}, "groups holds 'q', which is not among the features"),
        ([["a", "b"], ["b"]], {"features": NAMES}, "groups holds feature 'b' twice"),
        ([1, 2], {"features": NAMES}, "4 feature names are given for 2 features"),
        ([1, 2], {"n_features": 3}, "groups has 2 labels for 3 features"),
        ({"q": 1}, {"features": NAMES}, "groups names 'q', which is not among the features"),
    ],
)
def test_groups_that_make_no_sense_get_a_sentence(groups, options, sentence):
    with pytest.raises(st.InputError, match=sentence):
        st.FeatureSimilarity.from_groups(groups, **options)
