"""Filters of means and ranks agree with scipy, scikit-learn and their formulas."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import polygamma
from sklearn.feature_selection import f_classif
from sklearn.metrics import roc_auc_score

from records import scores
from steadyset.selectors.filters.moments import fudge, trigamma_inverse, variance_prior


@pytest.fixture
def three_classes() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [7, 9, 12])
    return rng.normal(5, 2, (28, 6)).round(1) + (y == "b")[:, None] * np.arange(6), y


@pytest.fixture
def two_classes(three_classes) -> tuple[np.ndarray, np.ndarray]:
    X, y = three_classes
    return X, y == "b"


def test_anova_is_the_f_statistic(three_classes):
    X, y = three_classes
    np.testing.assert_allclose(scores("anova", X, y)[0], f_classif(X, y)[0], rtol=1e-10)


def test_anova_of_two_classes_is_the_squared_t_statistic(two_classes):
    X, y = two_classes
    np.testing.assert_allclose(scores("anova", X, y), scores("t_test", X, y) ** 2, rtol=1e-10)


def test_anova_keeps_its_digits_far_from_zero(three_classes):
    X, y = three_classes
    np.testing.assert_allclose(scores("anova", X + 2.0**30, y), scores("anova", X, y), rtol=1e-6)


@pytest.mark.parametrize("equal_var", [True, False])
def test_t_test_is_the_absolute_t_statistic(two_classes, equal_var):
    X, y = two_classes
    expected = np.abs(stats.ttest_ind(X[y], X[~y], equal_var=equal_var).statistic)
    np.testing.assert_allclose(scores("t_test", X, y, params={"equal_var": equal_var})[0], expected, rtol=1e-10)


def test_kruskal_is_the_h_statistic_corrected_for_ties(three_classes):
    X, y = three_classes
    expected = [stats.kruskal(*(column[y == label] for label in "abc")).statistic for column in X.T]
    np.testing.assert_allclose(scores("kruskal", X, y)[0], expected, rtol=1e-10)


def test_auc_is_the_distance_of_the_area_from_one_half(two_classes):
    X, y = two_classes
    expected = [abs(0.5 - roc_auc_score(y, column)) for column in X.T]
    np.testing.assert_allclose(scores("auc", X, y)[0], expected, rtol=1e-10, atol=1e-14)


def test_auc_with_any_weights_is_the_weighted_area(two_classes):
    X, y = two_classes
    weights = np.random.default_rng(1).uniform(0.1, 3, len(y))
    expected = [abs(0.5 - roc_auc_score(y, column, sample_weight=weights)) for column in X.T]
    np.testing.assert_allclose(scores("auc", X, y, weights)[0], expected, rtol=1e-10, atol=1e-14)


def test_variance_is_the_sample_variance_and_needs_no_target(three_classes):
    X, _ = three_classes
    np.testing.assert_allclose(scores("variance", X)[0], X.var(axis=0, ddof=1), rtol=1e-12)


def test_limma_shrinks_variances_towards_the_prior_of_smyth(three_classes):
    X, y = three_classes
    X = X * np.array([0.1, 0.5, 1, 2, 5, 20])
    within = sum(((X[y == label] - X[y == label].mean(axis=0)) ** 2).sum(axis=0) for label in "abc") / 25
    prior_degrees, prior_variance = variance_prior(within, 25.0)
    assert 0 < prior_degrees < np.inf
    shrunk = (prior_degrees * prior_variance + 25 * within) / (prior_degrees + 25)
    np.testing.assert_allclose(scores("limma", X, y)[0], f_classif(X, y)[0] * within / shrunk, rtol=1e-10)


def test_limma_finds_the_prior_that_variances_were_drawn_from():
    rng = np.random.default_rng(2)
    true_variances = 3.0 * 8 / rng.chisquare(8, 20_000)
    observed = true_variances * rng.chisquare(10, 20_000) / 10
    prior_degrees, prior_variance = variance_prior(observed, 10.0)
    assert prior_degrees == pytest.approx(8, rel=0.1)
    assert prior_variance == pytest.approx(3, rel=0.05)


def test_limma_with_equal_variances_takes_one_variance_for_all():
    prior_degrees, prior_variance = variance_prior(np.full(5, 2.0), 10.0)
    assert prior_degrees == np.inf
    # The mean of log s^2 lies below log sigma^2: s_0^2 undoes that.
    assert prior_variance == pytest.approx(2 * np.exp(np.log(5) - polygamma(0, 5.0)))


@pytest.mark.parametrize("x", [1e-4, 0.3, 1.0, 7.5, 1e3, 1e7])
def test_trigamma_inverse_undoes_trigamma(x):
    assert trigamma_inverse(float(polygamma(1, x))) == pytest.approx(x, rel=1e-6)


def test_sam_of_two_classes_is_the_difference_over_its_error_plus_the_fudge(two_classes):
    X, y = two_classes
    difference = np.abs(X[y].mean(axis=0) - X[~y].mean(axis=0))
    error = difference / np.abs(stats.ttest_ind(X[y], X[~y]).statistic)
    expected = difference / (error + np.quantile(error, 0.05))
    np.testing.assert_allclose(scores("sam", X, y)[0], expected, rtol=1e-10)


def test_sam_of_three_classes_follows_the_users_guide(three_classes):
    X, y = three_classes
    groups = [X[y == label] for label in "abc"]
    sizes = np.array([len(group) for group in groups])
    between = sum(len(group) * (group.mean(axis=0) - X.mean(axis=0)) ** 2 for group in groups)
    within = sum(((group - group.mean(axis=0)) ** 2).sum(axis=0) for group in groups)
    effect = np.sqrt(sizes.sum() / sizes.prod() * between)
    error = np.sqrt((1 / sizes).sum() * within / (sizes - 1).sum())
    np.testing.assert_allclose(scores("sam", X, y)[0], effect / (error + np.quantile(error, 0.05)), rtol=1e-10)


def test_sam_fudge_is_small_when_the_statistic_does_not_depend_on_the_error():
    rng = np.random.default_rng(3)
    error = rng.uniform(0.5, 2, 2000)
    independent = np.abs(rng.standard_normal(2000)) * error
    inflated = np.abs(rng.standard_normal(2000))
    assert fudge(independent, error) < fudge(inflated, error)


@pytest.mark.parametrize("name", ["anova", "t_test", "limma", "sam", "kruskal", "auc", "variance"])
def test_a_constant_feature_scores_zero(two_classes, name):
    X, y = two_classes
    X = np.column_stack([X, np.full(len(X), 0.1)])
    found = scores(name, X, y)[0]
    assert found[-1] == 0
    assert (found[:-1] > 0).all()


def test_a_feature_that_varies_between_classes_only_scores_infinity():
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    X = np.column_stack([np.where(y == 1, 0.1, 0.3), np.arange(7.0)])
    for name in ("anova", "t_test"):
        assert np.isinf(scores(name, X, y)[0]).tolist() == [True, False]


@pytest.mark.parametrize("name", ["anova", "t_test", "limma", "sam", "kruskal", "auc", "mim"])
def test_a_feature_and_its_mirror_image_tie(two_classes, name):
    X, y = two_classes
    X = np.where(np.median(X, axis=0) < X, 1.0, 0.0)
    found = scores(name, np.column_stack([X, -X]), y)[0]
    np.testing.assert_array_equal(found[:6], found[6:])
