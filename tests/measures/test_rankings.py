"""Measures of rankings against scipy, enumeration and simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats
from scipy.spatial import distance

import steadyset as st
from steadyset.measures.evaluate import Options
from steadyset.measures.record import get_family
from steadyset.measures.weights import expected_canberra


@some.composite
def rankings(draw):
    """(Selections, the ranks that they stand for): without ties, with ties, or by weights of which many are 0."""
    rng = np.random.default_rng(draw(some.integers(0, 2**32 - 1)))
    M, d = draw(some.integers(2, 5)), draw(some.integers(2, 15))
    kind = draw(some.sampled_from(["untied", "tied", "not averaged", "weights"]))
    if kind == "untied":
        ranks = np.array([rng.permutation(d) + 1 for _ in range(M)])
        return st.Selections.from_rankings(ranks), ranks
    if kind == "tied":
        ranks = stats.rankdata(rng.integers(0, 5, (M, d)), axis=1)
        return st.Selections.from_rankings(ranks), ranks
    if kind == "not averaged":
        levels = rng.integers(1, 6, (M, d))
        return st.Selections.from_rankings(levels.astype(float)), stats.rankdata(levels, axis=1)
    W = np.round(rng.normal(size=(M, d)), 1) * (rng.random((M, d)) < 0.6)
    return st.Selections.from_weights(W), stats.rankdata(-np.abs(W), axis=1)


def mean_over_pairs(score, ranks):
    return np.mean([score(a, b) for a, b in itertools.combinations(ranks, 2)])


def ties_everything(ranks):
    return bool((np.ptp(ranks, axis=1) == 0).any())


@given(rankings())
def test_spearman_and_kendall_are_the_means_of_scipys(drawn):
    sel, ranks = drawn
    for measure, reference in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        value = st.stability(sel, measure)
        if ties_everything(ranks):
            assert np.isnan(value)
        else:
            expected = mean_over_pairs(lambda a, b, f=reference: f(a, b).statistic, ranks)
            assert value == pytest.approx(expected, abs=1e-12), measure


@given(rankings(), some.integers(1, 15))
def test_canberra_is_the_mean_of_scipys_with_ranks_cut_behind_the_top(drawn, top):
    sel, ranks = drawn
    top = min(top, sel.n_features)
    assert st.stability(sel, "canberra") == pytest.approx(mean_over_pairs(distance.canberra, ranks), abs=1e-12)
    cut = mean_over_pairs(distance.canberra, np.minimum(ranks, top + 1))
    assert st.stability(sel, "canberra", top=top) == pytest.approx(cut, abs=1e-12)


@given(rankings())
def test_tables_of_pairs_average_to_the_measure(drawn):
    sel, ranks = drawn
    if ties_everything(ranks):
        return
    for measure in ("spearman", "kendall", "canberra"):
        table = get_family("rankings").pair_scores(sel, st.get_measure(measure), Options())
        assert np.array_equal(table, table.T, equal_nan=True)
        assert np.isnan(np.diagonal(table)).all()
        assert np.nanmean(table) == pytest.approx(st.stability(sel, measure), abs=1e-12)


def test_without_ties_spearman_is_one_minus_the_mean_variance_of_the_ranks_over_that_of_random_ones():
    rng = np.random.default_rng(0)
    for M, d in ((2, 2), (3, 10), (20, 200)):
        ranks = np.array([rng.permutation(d) + 1 for _ in range(M)])
        expected = 1 - ranks.var(axis=0, ddof=1).mean() / ((d**2 - 1) / 12)
        assert st.stability(st.Selections.from_rankings(ranks), "spearman") == pytest.approx(expected, abs=1e-12)


def test_kendall_of_long_rankings_is_exact():
    rng = np.random.default_rng(1)
    ranks = np.array([rng.permutation(3000) + 1, stats.rankdata(rng.integers(0, 300, 3000)), np.arange(3000, 0, -1)])
    expected = mean_over_pairs(lambda a, b: stats.kendalltau(a, b).statistic, ranks)
    assert st.stability(st.Selections.from_rankings(ranks), "kendall") == pytest.approx(expected, abs=1e-12)


def test_reversed_rankings_are_as_far_apart_as_correlations_can_be():
    sel = st.Selections.from_rankings([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
    assert st.stability(sel, "spearman") == pytest.approx(-1)
    assert st.stability(sel, "kendall") == pytest.approx(-1)
    assert st.stability(sel.take([0, 0]), "canberra") == 0


def test_ranking_zeros_and_ones_gives_phi():
    Z = (np.random.default_rng(2).random((5, 25)) < 0.4).astype(float)
    for measure in ("spearman", "kendall"):
        assert st.stability(st.Selections.from_weights(Z), measure) == pytest.approx(st.stability(Z, "phi"), abs=1e-12)


def test_a_run_that_ties_all_features_is_named():
    sel = st.Selections.from_weights([[2.0, 2.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]])
    notes = st.stability_table(sel, ["spearman", "kendall", "canberra"])
    assert notes.estimate.isna().tolist() == [True, True, False]
    for measure in ("spearman", "kendall"):
        assert notes.note[measure] == (
            "no rankings given: ranked by absolute weight; undefined for 2 of 3 pairs (a run ties all features): run 1"
        )


# ---- canberra's expectation ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3, 5, 7])
def test_the_expected_canberra_distance_is_the_mean_over_all_rankings(d):
    first = np.arange(1, d + 1)
    others = np.array(list(itertools.permutations(first)))
    for top in range(1, d + 1):
        a, b = np.minimum(first, top + 1), np.minimum(others, top + 1)
        assert expected_canberra(d, top) == pytest.approx((np.abs(a - b) / (a + b)).sum(axis=1).mean(), abs=1e-12)


def test_the_expected_canberra_distance_agrees_with_simulation():
    rng = np.random.default_rng(6)
    for d, top in ((40, 40), (60, 10)):
        a, b = (np.minimum(rng.permuted(np.tile(np.arange(1, d + 1), (4000, 1)), axis=1), top + 1) for _ in range(2))
        drawn = (np.abs(a - b) / (a + b)).sum(axis=1)
        assert abs(drawn.mean() - expected_canberra(d, top)) < 4 * drawn.std() / np.sqrt(len(drawn))


def test_random_rankings_have_a_relative_canberra_distance_of_one():
    rng = np.random.default_rng(7)
    sel = st.Selections.from_rankings(np.array([rng.permutation(500) + 1 for _ in range(30)]))
    assert st.stability(sel, "canberra", relative=True) == pytest.approx(1, abs=0.02)
    assert st.stability(sel, "canberra", top=20, relative=True) == pytest.approx(1, abs=0.02)


def test_the_indicator_of_a_published_example():
    """Documentation of mlpy 3.5, which implements Jurman et al. 2008: three rankings, top 3."""
    ranks = np.array([[2, 4, 1, 3, 0], [3, 4, 1, 2, 0], [2, 4, 3, 0, 1]]) + 1
    value = st.stability(st.Selections.from_rankings(ranks), "canberra", top=3, relative=True)
    assert value == pytest.approx(0.74862979571499755, abs=1e-12)


def test_a_single_feature_has_no_relative_distance():
    sel = st.Selections.from_rankings([[1], [1]])
    assert st.stability(sel, "canberra") == 0
    assert np.isnan(st.stability(sel, "canberra", relative=True))


@pytest.mark.parametrize("top", [0, 4, 1.5, True])
def test_a_top_that_is_no_number_of_features_is_refused(top):
    sel = st.Selections.from_rankings([[1, 2, 3], [3, 2, 1]])
    with pytest.raises(st.InputError, match="top must be None or a whole number from 1 to 3, the number of features"):
        st.stability(sel, "canberra", top=top)


def test_sets_alone_are_no_rankings():
    sel = st.Selections.from_sets([[0], [1]], n_features=3)
    for measure in ("spearman", "kendall", "canberra"):
        with pytest.raises(st.InputError, match=f"{measure} needs rankings"):
            st.stability(sel, measure)
    assert not set(st.stability_table(sel).index) & {"spearman", "kendall", "canberra", "pearson", "msi"}
