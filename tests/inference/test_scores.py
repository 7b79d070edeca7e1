"""Tests of scores on resamples that overlap: against values that scikit-learn publishes and a formula by hand."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

import steadyset as st
from steadyset.assessment.result import hidden_spread
from steadyset.inference.best_of_many import least_means
from steadyset.inference.comparison import (
    CONSTANT,
    HiddenSpread,
    compare_scores,
    corrected_error,
    test_mean_difference,
)


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


def test_two_rows_of_a_class_overlap_as_much_as_one_row_with_one():
    """With two rows one is trained with and one is left out; with three it is one of three or two of three."""
    assert HiddenSpread(n_rare=2).ratio(0.25) == pytest.approx(1)
    one_left_out, two_left_out = 3 * 0.2 * 0.8**2, 3 * 0.2**2 * 0.8
    expected = (one_left_out * 1 / 2 + two_left_out * 2 / 1) / (one_left_out + two_left_out)
    assert HiddenSpread(n_rare=3).ratio(0.25) == pytest.approx(expected)
    assert HiddenSpread(n_rare=50).ratio(0.25) == HiddenSpread().ratio(0.25) == 0.25
    assert [HiddenSpread(n_units=n).freedom(20) for n in (2, 5, 50)] == [1, 4, 19]


def test_a_run_that_one_of_two_lacks_does_not_decide_whether_scores_are_the_same_in_every_run():
    hidden = HiddenSpread((0.0, 1.0), 5, 20)
    whole = test_mean_difference([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], 0.2, hidden=hidden)
    missing = test_mean_difference([1.0, 1.0, 1.0, 0.5], [1.0, 1.0, 1.0, np.nan], 0.2, hidden=hidden)
    assert whole.high > 0
    assert (missing.low, missing.high) == (whole.low, whole.high)


def test_the_interval_of_a_score_ends_where_the_score_ends():
    values = [0.9, 1.0, 1.0, 0.95]
    low, high = HiddenSpread((0.0, 1.0)).interval(values, 0.25)
    margin = 3.182446 * corrected_error(values, 0.25)  # Student's quantile with 3 degrees of freedom
    assert (low, high) == pytest.approx((np.mean(values) - margin, 1.0))
    assert np.isnan(HiddenSpread((0.0, 1.0)).interval([0.5], 0.25)).all()
    row = compare_scores({"a": dict(enumerate(values)), "b": {0: 0.5, 1: 0.6}}, 0.25, hidden=HiddenSpread((0.0, 1.0)))
    assert tuple(row.table.loc["a", ["low", "high"]]) == pytest.approx((low, 1.0))


def noise_with_two_rare_rows(seed):
    """Return the AUC of each bootstrap above 0.5, of a score that is learned from noise and two rows of a class."""
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((60, 10)), np.arange(60) < 2
    values = []
    for train, test in st.Bootstrap(20, random_state=seed).split(X):
        if y[train].any() and y[test].any():
            score = X[test] @ (X[train][y[train]].mean(axis=0) - X[train][~y[train]].mean(axis=0))
            values.append(np.mean(score[y[test]][:, None] > score[~y[test]]) - 0.5)
    return np.array(values)


def test_noise_and_two_rows_of_a_class_do_not_predict():
    """Without the correction 19 of 120 selectors on noise are significantly better than no features."""
    ratio = 0.368 / 0.632
    hidden = hidden_spread("auc", 60, ratio, classes={"a": 58, "b": 2}, counted={}, n_groups=60)
    draws = [values for seed in range(120) if len(values := noise_with_two_rare_rows(seed)) > 2]
    tests = {
        name: [test_mean_difference(np.zeros(len(one)), one, ratio, hidden=spread).low > 0 for one in draws]
        for name, spread in {"corrected": hidden, "not": None}.items()
    }
    assert np.mean(tests["not"]) > 0.1
    assert np.mean(tests["corrected"]) <= 0.05
    options = {"n_units": hidden.freedom(20) + 1}
    ends = [least_means(one[None, :], hidden.ratio(ratio), **options)[0] for one in draws]
    assert np.mean(np.array(ends) > 0) <= 0.05
