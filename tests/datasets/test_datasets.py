"""The generators have the correlations of the papers, and false selections are counted as they count them."""

from __future__ import annotations

import numpy as np
import pytest

import steadyset as st
from steadyset.datasets import fifteen_features, grouped_features, redundant_features, similar_features

EVERY = 30


@pytest.mark.parametrize(("kind", "n_similar"), [("blocks", 4), ("blocks", 0), ("toeplitz", 4), ("toeplitz", 0)])
def test_similar_features_have_their_true_correlations(kind, n_similar):
    data = similar_features(20_000, EVERY, kind=kind, n_similar=n_similar, random_state=0)
    every = np.arange(EVERY)
    true = data.correlation(every, every)
    np.testing.assert_allclose(np.corrcoef(data.X.T), true, atol=0.04)
    np.testing.assert_allclose(data.X.std(axis=0), 1, atol=0.03)
    alike = (true >= 0.9 - 1e-12).sum(axis=1) - 1
    assert np.median(alike) == n_similar


def test_the_class_is_a_bernoulli_draw_from_the_sum_of_five_features():
    data = similar_features(50_000, 40, n_similar=4, random_state=1)
    eta = data.X[:, list(data.relevant)].sum(axis=1)
    near = np.abs(eta - 1) < 0.1
    assert data.y[near].mean() == pytest.approx(1 / (1 + np.exp(-1)), abs=0.03)
    assert len(data.relevant) == 5


def test_a_stand_in_of_a_relevant_feature_is_accepted_once():
    data = similar_features(10, 100, n_similar=9, random_state=0)
    a, b, c, d, e = data.relevant
    assert data.false_selections([a, b, c, d, e]) == (0, 0)
    assert data.false_selections([a + 1, b, c, d, e]) == (0, 0)
    assert data.false_selections([a, a + 1, b, c, d, e]) == (1, 0)
    assert data.false_selections([a + 1, a + 2, b]) == (1, 3)
    assert data.false_selections([]) == (0, 5)


def test_fifteen_features_hold_copies_and_noise():
    data = fifteen_features(5000, random_state=0)
    assert (data.X[:, 1] == data.X[:, 2]).all()
    assert (data.X[:, 1] == data.X[:, 3]).all()
    every = np.arange(15)
    np.testing.assert_allclose(np.corrcoef(data.X.T), data.correlation(every, every), atol=0.06)
    assert np.mean((data.X[:, 0] + data.X[:, 1] > 0) == data.y) > 0.85


def test_grouped_features_have_class_means_and_correlations_within_groups_only():
    data = grouped_features(3, n=20_000, n_groups=2, n_others=3, mean=0.5, other_mean=0.05, rho=0.8, random_state=0)
    assert np.bincount(data.y).tolist() == [10_000, 10_000]
    assert data.groups.tolist() == [0, 0, 0, 1, 1, 1, 2, 3, 4]
    means = np.array([0.5] * 6 + [0.05] * 3)
    every = np.arange(9)
    for sign, one in ((1, data.X[data.y == 1]), (-1, data.X[data.y == 0])):
        np.testing.assert_allclose(one.mean(axis=0), sign * means, atol=0.04)
        np.testing.assert_allclose(one.std(axis=0), 1, atol=0.03)
        np.testing.assert_allclose(np.corrcoef(one.T), data.correlation(every, every), atol=0.04)


def test_redundant_features_have_class_means_and_correlation_rho():
    data = redundant_features(20_000, 10, rho=0.8, random_state=0)
    assert np.bincount(data.y).tolist() == [10_000, 10_000]
    np.testing.assert_allclose(data.X[data.y == 1].mean(axis=0), [1] * 5 + [0] * 5, atol=0.04)
    np.testing.assert_allclose(data.X[data.y == 0].mean(axis=0), [-1] * 5 + [0] * 5, atol=0.04)
    every = np.arange(10)
    np.testing.assert_allclose(np.corrcoef(data.X[data.y == 1].T), data.correlation(every, every), atol=0.04)


def test_same_seed_same_data():
    one, two, other = (similar_features(20, 10, random_state=seed) for seed in (3, 3, 4))
    assert (one.X == two.X).all()
    assert (one.y == two.y).all()
    assert not (one.X == other.X).any()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: similar_features(kind="rings"), r"kind.* must be .*\(got 'rings'\)"),
        (lambda: similar_features(kind="toeplitz", n_similar=3), "even number for toeplitz"),
        (lambda: similar_features(d=3), r"d must be .* from 5 to [\d,]+ \(got 3\)"),
        (lambda: grouped_features(0), r"q must be .* from 1 to [\d,]+ \(got 0\)"),
        (lambda: grouped_features(n_groups=0, n_others=0), "at least 1 where there are no groups"),
        (lambda: redundant_features(rho=1.5), r"rho.* must be .*\(got 1.5\)"),
    ],
)
def test_bad_input_is_told_in_a_sentence(call, sentence):
    with pytest.raises(st.InputError, match=sentence):
        call()
