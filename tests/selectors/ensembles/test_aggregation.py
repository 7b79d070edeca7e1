"""Aggregation of runs: each method against small cases worked out by hand, and what they share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from steadyset.foundation.errors import InputError, UninformativeWarning
from steadyset.selections import Selections
from steadyset.selectors import aggregate

METHODS = ("threshold", "top_frequency", "mean_rank", "borda", "exponential", "binomial")


@pytest.fixture
def runs():
    return Selections.from_sets([["a", "b"], ["b", "c"], ["b"], ["a", "b"]], features=["a", "b", "c", "d"])


def test_threshold_keeps_what_enough_runs_selected_most_frequent_first(runs):
    found = aggregate(runs, "threshold", threshold=0.5)
    assert found.features == ("b", "a")
    assert found.indices.tolist() == [1, 0]
    np.testing.assert_array_equal(found.scores, [0.5, 1.0, 0.25, 0.0])


def test_top_frequency_keeps_k_and_k_is_the_rounded_mean_size_unless_given(runs):
    assert aggregate(runs, "top_frequency", k=3).features == ("b", "a", "c")
    assert aggregate(runs, "top_frequency").features == ("b", "a")


RANKS = np.array([[1, 2, 3, 4], [2, 1, 4, 3], [4, 1, 2, 3]])


def test_mean_rank_borda_and_exponential_of_full_rankings():
    ranking = Selections.from_rankings(RANKS)
    np.testing.assert_allclose(aggregate(ranking, "mean_rank", k=2).scores, -RANKS.mean(axis=0))
    np.testing.assert_allclose(aggregate(ranking, "borda", k=2).scores, (5 - RANKS).mean(axis=0))
    np.testing.assert_allclose(aggregate(ranking, "exponential", k=2).scores, np.exp(-RANKS / 2).mean(axis=0))
    np.testing.assert_allclose(
        aggregate(ranking, "exponential", k=2, scale=0.5).scores, np.exp(-RANKS / 0.5).mean(axis=0)
    )
    assert all(aggregate(ranking, m, k=1).features == ("x1",) for m in ("mean_rank", "borda", "exponential"))


def test_borda_gives_points_to_selected_features_only():
    top = Selections.from_rankings(RANKS, top=2)
    np.testing.assert_allclose(aggregate(top, "borda", k=2).scores, [(4 + 3) / 3, (3 + 4 + 4) / 3, 3 / 3, 0])


def test_weights_rank_the_selected_features_and_the_others_share_what_remains():
    weighted = Selections.from_weights([[0.5, -2.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    ranks = np.array([[2, 1, 3.5, 3.5], [3, 1, 3, 3]])
    np.testing.assert_allclose(aggregate(weighted, "mean_rank", k=1).scores, -ranks.mean(axis=0))


def test_binomial_tests_each_count_against_the_mean_rate_and_adjusts_by_benjamini_hochberg():
    counts = np.array([10, 9, 3, 2, 2, 1, 1, 1, 1, 0])
    Z = np.array([[run < count for count in counts] for run in range(10)])
    found = aggregate(Z, "binomial", alpha=0.01)
    p = binom.sf(counts - 1, 10, counts.sum() / 100)
    adjusted = [min(min(1.0, p[j] * 10 / (j + 1)) for j in range(i, 10)) for i in range(10)]
    np.testing.assert_allclose(found.p_values, adjusted)
    assert found.indices.tolist() == [0, 1]


def test_binomial_chooses_nothing_where_every_feature_is_as_frequent():
    assert aggregate(np.eye(6, dtype=int), "binomial").features == ()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(METHODS))
def test_the_order_of_the_runs_does_not_matter(seed, method):
    random = np.random.default_rng(seed)
    runs = Selections.from_matrix(random.random((7, 9)) < 0.4)
    shuffled = runs.take(random.permutation(7))
    np.testing.assert_allclose(aggregate(runs, method).scores, aggregate(shuffled, method).scores)


@pytest.mark.parametrize("method", METHODS)
def test_a_feature_that_every_run_selects_alone_is_chosen_by_every_method(method):
    Z = np.zeros((12, 8), dtype=int)
    Z[:, 5] = 1
    found = aggregate(Z, method)
    assert found.features == ("x5",)
    assert found.to_frame().index[0] == "x5"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "vote"}, r"method must be one of threshold, .* \(got 'vote'\)"),
        ({"method": "borda", "k": 9}, r"k must be at most 4, the number of features \(got 9\)"),
        ({"method": "threshold", "threshold": 2}, r"threshold.* must be .*\(got 2\)"),
        ({"method": "binomial", "alpha": 0}, r"alpha.* must be .*\(got 0\)"),
        ({"method": "exponential", "scale": -1}, r"scale.* must be .*\(got -1\)"),
    ],
)
def test_bad_options_get_a_sentence(runs, options, sentence):
    with pytest.raises(InputError, match=sentence):
        aggregate(runs, **options)


@pytest.mark.parametrize("method", ["threshold", "top_frequency", "mean_rank", "borda", "exponential", "binomial"])
def test_runs_that_select_nothing_make_an_empty_set(method):
    nothing = Selections.from_sets([[], []], n_features=4)
    assert aggregate(nothing, method).features == ()


@pytest.mark.parametrize("method", ["top_frequency", "mean_rank", "borda", "exponential"])
def test_features_that_no_run_selected_are_never_chosen(method):
    runs = Selections.from_sets([[3], [3, 4]], n_features=6)
    with pytest.warns(UninformativeWarning, match="Fewer than 4 features were chosen: no run selected"):
        assert aggregate(runs, method, k=4).indices.tolist() == [3, 4]
