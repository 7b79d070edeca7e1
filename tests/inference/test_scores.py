"""Tests of scores on resamples that overlap: against values that scikit-learn publishes and a formula by hand."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

from steadyset.inference.comparison import CONSTANT, compare_scores, corrected_error, test_mean_difference


def test_the_corrected_t_test_gives_what_scikit_learn_publishes():
    """Its example "Statistical comparison of models using grid search" prints t = 0.750 and p = 0.227 (one-sided) for
    an SVM with radial against one with linear kernel in 10 times 10-fold cross-validation."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    radial, linear = (
        cross_val_score(SVC(kernel=kernel, random_state=0), X, y, scoring="roc_auc", cv=folds)
        for kernel in ("rbf", "linear")
    )
    found = test_mean_difference(linear, radial, 1 / 9)
    assert round(found.statistic, 3) == 0.750
    assert round(found.p_value / 2, 3) == 0.227
    assert found.df == 99


def test_the_standard_error_is_larger_than_that_of_independent_values():
    values = np.array([0.8, 0.9, 0.7, 0.8])
    assert corrected_error(values, 0.0) == pytest.approx(values.std(ddof=1) / 2)
    assert corrected_error(values, 0.5) == pytest.approx(values.std(ddof=1) * np.sqrt(0.25 + 0.5))
    assert np.isnan(corrected_error([0.8], 0.5))
    assert corrected_error([*values, np.nan], 0.5) == corrected_error(values, 0.5)


def test_equal_scores_do_not_differ_and_a_constant_difference_is_not_tested():
    same = test_mean_difference([0.5, 0.6], [0.5, 0.6], 0.5)
    assert (same.p_value, same.estimate) == (1.0, 0.0)
    constant = test_mean_difference([0.5, 0.6, 0.7], [0.6, 0.7, 0.8], 0.5)
    assert np.isnan(constant.p_value)
    assert constant.note == CONSTANT


def test_scores_are_paired_by_the_resample():
    scores = {"a": {"r1": 0.9, "r2": 0.8, "r3": 0.7}, "b": {"r3": 0.65, "r1": 0.86, "r2": 0.74, "r4": 0.1}}
    row = compare_scores(scores, 0.25).tests.iloc[0]
    assert row["difference"] == pytest.approx(-0.05)
    spread = np.std([-0.04, -0.06, -0.05], ddof=1)
    assert row["statistic"] == pytest.approx(-0.05 / (spread * np.sqrt(1 / 3 + 0.25)))


def test_the_best_score_comes_first_also_where_less_is_better():
    scores = {"a": {"1": 0.9, "2": 0.8}, "b": {"1": 0.1, "2": 0.2}}
    assert list(compare_scores(scores, 0.5).table.index) == ["a", "b"]
    assert list(compare_scores(scores, 0.5, lower_is_better=True).table.index) == ["b", "a"]
