"""The stability score against its definition, and what calibration chooses."""

import numpy as np
import pytest
from scipy.stats import binom

from steadyset.foundation.errors import InputError
from steadyset.selectors.ensembles.rules import calibrate, stability_scores


def score_by_definition(counts, n_runs, threshold):
    rate = counts.sum() / (n_runs * len(counts))
    h = np.arange(n_runs + 1)
    p = binom.pmf(h, n_runs, rate)
    stable_in, stable_out = h >= threshold * n_runs - 1e-9, h <= (1 - threshold) * n_runs + 1e-9
    log_likelihood = 0.0
    for count in counts:
        kind = next(k for k in (stable_in, stable_out, ~(stable_in | stable_out)) if k[count])
        log_likelihood += np.log(p[kind].sum())
    return -log_likelihood


def test_the_score_is_the_negative_log_likelihood_of_three_categories():
    counts = np.random.default_rng(0).integers(0, 21, size=(4, 15))
    thresholds = np.array([0.6, 0.75, 0.9])
    expected = [[score_by_definition(row, 20, pi) for pi in thresholds] for row in counts]
    np.testing.assert_allclose(stability_scores(counts, 20, thresholds), expected, rtol=1e-10)


def test_the_score_stays_finite_where_chance_makes_the_counts_all_but_impossible():
    counts = np.zeros((1, 20_000), dtype=np.int64)
    counts[0, :5] = 200
    counts[0, 5:10] = 100
    assert np.isfinite(stability_scores(counts, 200, np.array([0.6, 0.9]))).all()


def test_a_level_of_all_or_nothing_scores_higher_than_one_of_coin_flips():
    sure = np.array([20] * 3 + [0] * 27)
    shaky = np.array([8] * 6 + [2] * 6 + [0] * 18)
    best = calibrate(np.stack([shaky, sure]), 20, np.array([0.6, 0.9]))
    assert best.place == 1


def test_empty_and_full_levels_are_never_chosen_and_limits_are_kept():
    counts = np.array([[0] * 10, [20] + [0] * 9, [20] * 4 + [0] * 6, [20] * 10])
    assert calibrate(counts, 20, np.array([0.8])).place == 2
    assert calibrate(counts, 20, np.array([0.8]), q=2).place == 1
    assert calibrate(counts, 20, np.array([0.8]), pfer=0.5).place == 1
    with pytest.raises(InputError, match=r"selects some but not all features within pfer = 0\.01"):
        calibrate(counts, 20, np.array([0.8]), pfer=0.01)
