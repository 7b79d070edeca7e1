"""Similarities computed from data: against numpy, scipy and scikit-learn, with ties, copies and small blocks."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as hyp
from scipy.stats import spearmanr
from sklearn.metrics import normalized_mutual_info_score
from tests.peak import PEAK, needs_peak

import steadyset as st
from steadyset.similarity import computed

METHODS = ["pearson", "spearman", "mutual_info"]


def dense(similarity: st.FeatureSimilarity) -> np.ndarray:
    everything = np.arange(similarity.n_features)
    return similarity.block(everything, everything)


def groups_of_three(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, -(-d // 3))).repeat(3, axis=1)[:, :d]
    return X + 0.25 * rng.normal(size=X.shape)


def test_pearson_is_the_absolute_correlation():
    X = groups_of_three(25, 40)
    assert dense(st.FeatureSimilarity.from_data(X)) == pytest.approx(np.abs(np.corrcoef(X.T)), abs=1e-14)


def test_spearman_is_the_absolute_rank_correlation_with_average_ranks():
    X = np.round(groups_of_three(25, 40), 1)
    found = dense(st.FeatureSimilarity.from_data(X, method="spearman"))
    assert found == pytest.approx(np.abs(spearmanr(X).statistic), abs=1e-14)


def test_mutual_information_is_normalised_by_the_geometric_mean_of_the_entropies():
    X = np.random.default_rng(5).integers(0, 4, size=(150, 12))
    X[:, 3:6] = X[:, :3] ** 2 % 3
    found = dense(st.FeatureSimilarity.from_data(X, method="mutual_info"))
    for f in range(12):
        for g in range(f):
            wanted = normalized_mutual_info_score(X[:, f], X[:, g], average_method="geometric")
            assert found[f, g] == pytest.approx(wanted, abs=1e-12)


def test_mutual_information_cuts_many_values_into_bins_of_equal_frequency():
    x = np.random.default_rng(2).normal(size=100)
    quintiles = np.floor(5 * np.argsort(np.argsort(x)) / 100)
    other = np.random.default_rng(3).integers(0, 3, 100)
    found = st.FeatureSimilarity.from_data(np.column_stack([x, np.exp(x), other]), method="mutual_info")
    wanted = normalized_mutual_info_score(quintiles, other, average_method="geometric")
    assert found.block([0, 1], [2]) == pytest.approx(wanted, abs=1e-12)
    assert found.block([0], [1]) == pytest.approx(1.0, abs=1e-12)
    assert found.neighbours.indices.tolist() == [1, 0]


@pytest.mark.parametrize("method", METHODS)
@given(seed=hyp.integers(0, 10**6), threshold=hyp.sampled_from([0.0, 0.3, 0.8, 0.9, 1.0]), side=hyp.integers(1, 9))
def test_the_graph_is_that_of_the_matrix_whatever_the_size_of_the_blocks(method, seed, threshold, side):
    rng = np.random.default_rng(seed)
    X = groups_of_three(int(rng.integers(2, 12)), int(rng.integers(1, 20)), seed)
    X = np.round(X, int(rng.integers(0, 3)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(computed, "SIDE", side)
        found = st.FeatureSimilarity.from_data(X, method=method, threshold=threshold)
        graph, total = found.neighbours, found.total()
    matrix = st.FeatureSimilarity.from_matrix(dense(found), threshold=threshold)
    assert np.array_equal(graph.indptr, matrix.neighbours.indptr)
    assert np.array_equal(graph.indices, matrix.neighbours.indices)
    assert graph.values == pytest.approx(matrix.neighbours.values, abs=1e-14)
    assert total == pytest.approx(matrix.total(), abs=1e-9)


def test_exact_ties_at_the_threshold_are_similar():
    """Columns built to correlate at exactly 0.6 and 0.8 stay similar at these thresholds, and copies at 1."""
    e = np.array([[1.0, 1, -1, -1], [1, -1, 1, -1]]).T
    scales = np.array([1.0, 3.0, 1e-7, 1e9])
    X = np.column_stack([e[:, 0], 0.6 * e[:, 0] + 0.8 * e[:, 1], 0.8 * e[:, 0] + 0.6 * e[:, 1], e[:, 0]]) * scales
    similarity = st.FeatureSimilarity.from_data(X, threshold=0.6)
    assert np.diff(similarity.neighbours.indptr).tolist() == [3, 3, 3, 3]
    assert np.diff(similarity.with_threshold(0.8).neighbours.indptr).tolist() == [2, 1, 3, 2]
    assert similarity.with_threshold(1.0).neighbours.indices.tolist() == [3, 0]


@pytest.mark.parametrize("method", METHODS)
def test_copies_of_a_column_are_similar_at_threshold_one(method):
    X = np.random.default_rng(1).normal(size=(37, 5))
    X = np.column_stack([X, -2.5 * X + 3, X])
    similarity = st.FeatureSimilarity.from_data(X, method=method, threshold=1.0)
    assert np.diff(similarity.neighbours.indptr).tolist() == [2] * 15
    assert similarity.neighbours.indices[:2].tolist() == [5, 10]


def test_pairs_within_single_precision_of_the_threshold_are_decided_in_double():
    rng = np.random.default_rng(4)
    base, other = rng.normal(size=(2, 50))
    base, other = (v - v.mean() for v in (base, other))
    other -= base * (other @ base) / (base @ base)
    base, other = base / np.linalg.norm(base), other / np.linalg.norm(other)
    wanted = 0.9 + np.array([-1e-7, -1e-9, -1e-11, 1e-11, 1e-9, 1e-7])
    X = np.column_stack([base, *(c * base + np.sqrt(1 - c * c) * other for c in wanted)])
    assert st.FeatureSimilarity.from_data(X).neighbours.indices[:3].tolist() == [4, 5, 6]


def test_large_offsets_and_extreme_scales_keep_their_digits():
    X = groups_of_three(40, 6)
    moved = X * np.array([1e-150, 1.0, 1e150, 1.0, 1e-30, 1e30]) + np.array([0, 1e6, 0, -1e6, 0, 0])
    assert dense(st.FeatureSimilarity.from_data(moved)) == pytest.approx(np.abs(np.corrcoef(X.T)), abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_constant_features_are_similar_to_none_and_noted(method):
    X = groups_of_three(20, 6)
    X[:, [1, 4]] = 0.1
    similarity = st.FeatureSimilarity.from_data(X, method=method, features=list("abcdef"), threshold=0.1)
    assert np.array_equal(similarity.block([1], range(6)), [[0, 1, 0, 0, 0, 0]])
    assert not set(similarity.neighbours.indices) & {1, 4}
    assert similarity.notes == ("2 constant features are similar to no other: b, e",)
    assert similarity.with_threshold(0.5).notes == similarity.notes
    assert st.FeatureSimilarity.from_data(X[:, :2], method=method).notes == (
        "1 constant feature is similar to no other: 1",
    )


def test_all_constant_features_have_an_empty_graph():
    similarity = st.FeatureSimilarity.from_data(np.ones((3, 4)))
    assert similarity.neighbours.indptr.tolist() == [0] * 5
    assert similarity.total() == 0


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("method", METHODS)
def test_frames_bring_the_names(kind, method):
    X = np.round(groups_of_three(20, 4))
    frame = kind({"a": X[:, 0], "run": X[:, 1].astype(int), "c": X[:, 2] > 0, "d": X[:, 3].astype(np.float32)})
    X[:, 2] = X[:, 2] > 0
    similarity = st.FeatureSimilarity.from_data(frame, method=method)
    assert similarity.features == ("a", "run", "c", "d")
    assert np.array_equal(dense(similarity), dense(st.FeatureSimilarity.from_data(X, method=method)))


@pytest.mark.parametrize(
    ("X", "options", "sentence"),
    [
        ([[1.0, np.nan], [2.0, 3.0]], {"features": ["a", "b"]}, "X has a missing value in row 1, feature 'b'"),
        (
            [[1.0, 1.0], [2.0, np.inf]],
            {},
            "X has an infinite value in row 2, feature 1",
        ),
        ([[1.0, 2.0]], {}, r"X has the shape \(1, 2\); at least 2 rows"),
        ([1.0, 2.0], {}, r"X has the shape \(2,\); expected a table with one row per sample"),
        (np.empty((3, 0)), {}, r"X has the shape \(3, 0\)"),
        ([["a", "b"], ["c", "d"]], {}, "X holds text; expected numbers"),
        (np.array([[1, "2"], [3, 4]], dtype=object), {}, "X holds the text '2'"),
        ([[1.0, 2.0], [3.0]], {}, "X has rows of different lengths"),
        ([[1.0, None], [2.0, 3.0]], {}, "X has a missing value in row 1"),
        (
            pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
            {},
            "X has the column 'b' of type String; expected",
        ),
        (pl.DataFrame({"a": [1, None]}), {}, "X has a missing value in row 2, feature 'a'"),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), {}, "X has a missing value in row 2, feature 'a'"),
        (pd.DataFrame({"a": pd.array([1, 2]), "b": pd.Categorical(["x", "y"])}), {}, "X has the column 'b' of type"),
        (np.eye(3), {"method": "distance"}, r"method must be .*\(got 'distance'\)"),
        (np.eye(3), {"bins": 1}, r"bins must be a whole number of at least 2 \(got 1\)"),
        (np.eye(3), {"features": ["a"]}, "1 feature names are given for 3 features"),
    ],
)
def test_data_without_similarities_gets_a_sentence(X, options, sentence):
    with pytest.raises(st.InputError, match=sentence):
        st.FeatureSimilarity.from_data(X, **options)


def test_sparse_data_gets_a_sentence():
    from scipy import sparse

    with pytest.raises(st.InputError, match="X is a sparse matrix; give a dense array"):
        st.FeatureSimilarity.from_data(sparse.eye_array(3))


BIG = (
    PEAK
    + """
import numpy as np, steadyset as st
rng = np.random.default_rng(0)
X = rng.normal(size=(100, 4000)).repeat(5, axis=1)
X += 0.2 * rng.normal(size=X.shape)
similarity = st.FeatureSimilarity.from_data(X)
sets = [rng.choice(20_000, 50, replace=False) for _ in range(10)]
value = st.stability(st.Selections.from_sets(sets, n_features=20_000), "sechidis_thresholded", similarity=similarity)
print(len(similarity.neighbours.indices), value, peak())
"""
)


@needs_peak
@pytest.mark.slow
def test_twenty_thousand_features_take_less_than_a_gigabyte():
    """Buys the promise that nothing of size d x d is made: that alone would take 3.2 GB."""
    answer = subprocess.run([sys.executable, "-c", BIG], capture_output=True, text=True, check=True).stdout.split()
    assert int(answer[0]) == 4000 * 5 * 4
    assert abs(float(answer[1])) < 0.1
    assert float(answer[2]) < 1.0
