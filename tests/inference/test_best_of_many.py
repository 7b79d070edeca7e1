"""Lower ends of intervals that hold for many means at once."""

import numpy as np
import pytest
from scipy import stats

from steadyset.inference.best_of_many import least_means


def test_a_single_mean_has_students_interval_with_the_corrected_error():
    values = np.random.default_rng(0).normal(0.3, 0.1, size=10)
    error = np.sqrt((1 / 10 + 1 / 9) * values.var(ddof=1))
    expected = values.mean() - stats.t.ppf(0.975, 9) * error
    assert least_means(values[None, :], 1 / 9)[0] == pytest.approx(expected, abs=0.1 * error)


def test_copies_cost_nothing_and_others_do():
    random = np.random.default_rng(1)
    values = random.normal(0.3, 0.1, size=10)
    alone = least_means(values[None, :], 0.1)[0]
    copies = least_means(np.tile(values, (30, 1)), 0.1)
    assert copies == pytest.approx(alone, abs=0.01)
    others = np.vstack([values, random.normal(size=(30, 10))])
    assert least_means(others, 0.1)[0] < alone - 0.02


def test_values_without_a_spread_are_sure_if_there_are_enough():
    found = least_means(np.array([[0.5] * 10, [-0.5] * 10]), 0.1)
    assert found.tolist() == [0.5, -0.5]
    assert np.isnan(least_means(np.full((1, 3), 0.5), 0.1)).all()  # which noise has now and then


def test_missing_runs_are_left_out():
    values = np.random.default_rng(2).normal(0.3, 0.1, size=(2, 10))
    values[1, 3] = np.nan
    found = least_means(values, 0.1)
    assert np.isfinite(found).all()
    assert np.isnan(least_means(np.array([[np.nan, 0.2]]), 0.1)).all()


def test_a_configuration_with_few_runs_does_not_lower_the_ends_of_the_others():
    values = np.random.default_rng(4).normal(0.2, 0.1, size=(6, 12))
    failed = np.full((1, 12), np.nan)
    failed[0, :2] = [0.1, 0.3]
    constant = np.full((1, 12), np.nan)
    constant[0, :5] = 0.5
    alone = least_means(values, 0.1)
    found = least_means(np.vstack([values, failed, constant]), 0.1)
    assert found[:6] == pytest.approx(alone)
    assert np.isnan(found[6:]).all()


# Ten folds of 72 rows, two classes of 47 and 25: the share of the larger class, and a predictor with one error.
LARGER_CLASS = np.array([3 / 8, 6 / 8, 5 / 7, 4 / 7, 4 / 7, 5 / 7, 6 / 7, 6 / 7, 5 / 7, 3 / 7])
ONE_ERROR = np.array([1, 7 / 8, 1, 1, 1, 1, 1, 1, 1, 1])


def test_classes_of_the_test_sets_do_not_hide_a_gain():
    differences = ONE_ERROR - LARGER_CLASS
    design = np.column_stack([np.ones(10), LARGER_CLASS])
    residuals = differences - design @ np.linalg.lstsq(design, differences, rcond=None)[0]
    error = np.sqrt((1 / 10 + 1 / 9) * (residuals**2).sum() / 8)
    expected = differences.mean() - stats.t.ppf(0.975, 8) * error
    found = least_means(differences[None, :], 1 / 9, baseline=LARGER_CLASS, is_balanced=True)[0]
    assert found == pytest.approx(expected, abs=0.1 * error)
    plain = least_means(differences[None, :], 1 / 9)[0]
    drawn = least_means(differences[None, :], 1 / 9, baseline=LARGER_CLASS)[0]  # rows are left out unequally often
    assert plain < drawn < found


def test_a_baseline_that_is_the_same_in_all_runs_or_known_in_few_changes_nothing():
    values = np.random.default_rng(5).normal(0.2, 0.1, size=(3, 10))
    same = least_means(values, 1 / 9, baseline=np.full(10, 0.5), is_balanced=True)
    assert same.tolist() == least_means(values, 1 / 9).tolist()
    few = values[:, :4]
    assert least_means(few, 1 / 3, baseline=np.arange(4.0)).tolist() == least_means(few, 1 / 3).tolist()


def test_a_predictor_without_errors_is_better_whatever_the_classes_of_the_test_sets():
    found = least_means(1 - LARGER_CLASS[None, :], 1 / 9, baseline=LARGER_CLASS, is_balanced=True)
    assert found == pytest.approx([np.mean(1 - LARGER_CLASS)])


@pytest.mark.slow
def test_predictions_that_know_nothing_of_the_class_are_hardly_ever_better():
    random = np.random.default_rng(6)
    y = np.arange(60) % 5 > 0  # 48 of 60 rows
    wrong = 0
    for _ in range(300):
        folds = random.permutation(60).reshape(10, 6)
        guesses = random.random((8, 60)) < np.linspace(0.5, 0.98, 8)[:, None]
        right = (guesses == y)[:, folds].mean(axis=2)
        baseline = y[folds].mean(axis=1)
        found = least_means(right - baseline, 1 / 9, baseline=baseline, is_balanced=True)
        wrong += bool((found > 0).any())
    assert wrong <= 15  # 2.5% are allowed; binomial: at most 15 of 300 in 99.6%


@pytest.mark.slow
def test_ends_of_many_independent_means_hold_together():
    random = np.random.default_rng(3)
    wrong = sum((least_means(random.normal(size=(50, 10)), 0.0) > 0).any() for _ in range(200))
    assert wrong <= 14  # 2.5% are allowed; binomial with 4%: at most 14 in 98%
