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


@pytest.mark.slow
def test_ends_of_many_independent_means_hold_together():
    random = np.random.default_rng(3)
    wrong = sum((least_means(random.normal(size=(50, 10)), 0.0) > 0).any() for _ in range(200))
    assert wrong <= 14  # 2.5% are allowed; binomial with 4%: at most 14 in 98%
