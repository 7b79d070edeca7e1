"""What selected features are compared with: no features first, then random ones; and what cannot be compared."""

import numpy as np
import pytest
from scipy import stats

import steadyset as st
from steadyset.findings import findings_of, shortlist_words
from steadyset.findings.box import box_of
from steadyset.inference.comparison import HiddenSpread, losses_against_best, test_mean_difference

QUIET = {"progress": False}


def noise(n=60, d=30, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)), np.arange(n) % 2


def box(*args, **kwargs):
    found = findings_of(st.assess(*args, **kwargs))
    return box_of(found), " ".join(found.answer)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_predictor_without_an_error_is_better_than_no_features_and_random_ones(n_classes):
    X, _ = noise(80)
    y = np.arange(80) % n_classes
    X[:, :2] += 20 * np.stack([y % 2, y // 2], axis=1)
    answer, _ = box(["anova:k=2"], X, y, n_runs=10)
    assert answer.facts["Does it predict?"].startswith("Yes: accuracy 1.00")
    assert "and what it chooses tells" in answer.headline


def test_a_difference_without_spread_is_tested_with_what_the_left_out_rows_could_hide():
    """By hand: 12 rows, all right, and 4 more of which half are: 14 of 16."""
    hidden = HiddenSpread((0.0, 1.0), 12)
    found = test_mean_difference(np.full(10, 0.5), np.ones(10), 0.25, hidden=hidden)
    spread = np.sqrt((14 / 16 * 2 / 16 + 1 / 4) / 12)
    statistic = 0.5 / (spread * np.sqrt(1 / 10 + 0.25))
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(2 * stats.t.sf(statistic, 9))
    assert found.low < 0.5 < found.high
    without_ends = test_mean_difference(np.full(10, 0.5), np.ones(10), 0.25, hidden=HiddenSpread((-np.inf, 1.0), 12))
    assert np.isnan(without_ends.p_value)


@pytest.mark.parametrize(("n_tested", "n_runs"), [(5, 2), (2, 5), (1, 10)])
def test_equal_scores_of_guesses_are_seldom_called_better(n_tested, n_runs):
    """One guess for each row, the same in all runs: as far from independent runs as can be."""
    random, n, erred = np.random.default_rng(0), 10, 0
    for _ in range(1000):
        right = random.integers(0, 2, n)
        scores = [right[random.choice(n, n_tested, replace=False)].mean() for _ in range(n_runs)]
        if np.ptp(scores) == 0 and scores[0] > 0.5:
            ratio = n_tested / (n - n_tested)
            found = test_mean_difference(np.full(n_runs, 0.5), scores, ratio, hidden=HiddenSpread((0.0, 1.0), n_tested))
            erred += found.p_value <= 0.05
    assert erred <= 0.05 * 1000


def test_features_as_good_as_random_ones_still_tell_classes_apart():
    X, y = noise()
    X += 1.2 * y[:, None]
    answer, sentences = box(["anova:k=10", "anova:k=8"], X, y, n_runs=10)
    assert "tells 1 from 0, but does not predict significantly better than as many random features" in answer.headline
    assert answer.facts["Does it predict?"].startswith("Better than no features, but not shown")
    better = sentences.index("All selectors predict significantly better than no features.")
    assert better < sentences.index("No selector predicts significantly better than as many random features")
    assert "predict significantly better than no features, but none better" in sentences


def test_noise_is_first_compared_with_no_features():
    answer, sentences = box(["anova:k=3", "anova:k=5"], *noise(), n_runs=10)
    assert sentences.startswith("No selector predicts significantly better than no features")
    assert "random features (" not in sentences
    assert answer.facts["Does it predict?"].startswith("Not shown")


@pytest.mark.parametrize(("d", "k"), [(30, 28), (14, 12), (10, 10)])
def test_nearly_all_features_are_not_compared_with_random_ones(d, k):
    X, y = noise(d=d)
    X += 1.2 * y[:, None]
    answer, sentences = box([f"anova:k={k}"], X, y, n_runs=6)
    assert "nearly all features, so no comparison with as many random features" in sentences
    assert "random features 0." not in answer.facts["Does it predict?"]
    assert answer.facts["Does it predict?"].startswith("Yes")
    assert "random" not in answer.facts["Caution"]


def test_a_list_of_nearly_all_features_is_not_compared_with_random_ones():
    X, y = noise(d=12)
    X += 3.0 * y[:, None]
    found = st.shortlist(X, y, bases=["filter"], permutations=20, splits=10, outer=5)
    said = shortlist_words.predicts_words(found.listed)
    assert len(found.selected) > 10
    assert said[0].startswith("Yes: better than no feature. ")
    assert said[1:] == [shortlist_words.NEARLY_ALL]
    assert not any("random" in one for one in shortlist_words.cautions(found.listed))
    assert found.score.better


def test_two_repeats_have_no_interval_and_no_groups_are_no_next_step():
    X, y = noise()
    X[:, 0] += 2.0 * y
    found = st.shortlist(X, y, bases=["filter"], permutations=20, splits=10, outer=2)
    said = " ".join([*shortlist_words.predicts_words(found.listed), *shortlist_words.comes_again_words(found.listed)])
    assert said.startswith("Too few repeats for a test.")
    assert " to 1.00)" not in said
    assert all(one.n_listed for one in found.listed.tried)


def test_the_interval_of_a_score_without_errors_is_not_a_point():
    X, y = noise()
    X[:, 0] += 20.0 * y
    found = st.shortlist(X, y, bases=["filter"], permutations=20, splits=10, outer=5)
    assert found.score.low < found.score.estimate == 1.0
    assert found.score.better


def test_equal_scores_have_the_hidden_spread_although_their_mean_is_rounded():
    scores = np.full(20, 0.95)
    assert 0 < scores.std(ddof=1) < 1e-12  # the case: rounding alone
    moved = (0.95 * 12 + 0.5 * 4) / 16
    by_hand = np.sqrt((1 / 20 + 0.25) * (1 - moved) * moved / 12)
    assert HiddenSpread((0.0, 1.0), 12).error(scores, 0.25) == pytest.approx(by_hand)


def test_two_runs_have_no_interval_no_test_and_no_verdict(tmp_path):
    random = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = random.normal(size=(60, 12))
    X[:, :2] += 20 * y[:, None]
    few, enough = (
        st.findings_of(st.assess(["lasso", "anova:k=3"], X, y, resampling=st.Bootstrap(n), execution=QUIET))
        for n in (2, 3)
    )
    assert all(row.verdict == "too few runs" for row in few.summary)
    assert all(np.isnan([row.low, row.high]).all() for row in few.summary)
    assert few.preference is None
    assert not any(one.what == "stability" for one in few.differences)
    text = st.report(few, tmp_path / "few.md").read_text(encoding="utf-8")
    assert "too few for intervals and tests" in text
    assert "0.00 to 1.00" not in text
    assert "better than no features" not in text
    assert all(np.isfinite([row.low, row.high]).all() for row in enough.summary)
    assert enough.preference is not None


def test_predictors_that_make_no_error_may_differ_in_rows_that_were_not_tested():
    right = {"first": dict.fromkeys("abcde", 1.0), "second": dict.fromkeys("abcde", 1.0)}
    for n_rows in (30, 300):
        hidden = HiddenSpread((0.0, 1.0), 2 * n_rows / 5, n_rows)
        found = losses_against_best(right, 0.25, hidden=hidden)["first"]
        # The upper Clopper-Pearson limit of no difference among n rows.
        assert found.high == pytest.approx(stats.beta.ppf(0.95, 1, n_rows))
        assert found.estimate == found.low == 0.0
    # Equal predictions have equal scores in every run, also where these vary.
    varying = {name: dict(zip("abcde", [0.8, 0.9, 0.7, 0.8, 0.9], strict=True)) for name in right}
    assert losses_against_best(varying, 0.25, hidden=hidden)["first"].high == 0.0


def test_few_rows_do_not_show_that_the_loss_of_a_perfect_predictor_is_within_the_margin():
    y = np.arange(40) % 2
    X = np.random.default_rng(1).normal(size=(40, 8)) + 30 * y[:, None] * (np.arange(8) < 4)
    result = st.assess(["anova:k=1", "lasso:k=2"], X, y, resampling=st.Bootstrap(8), execution=QUIET)
    losses = st.findings_of(result).preference.losses
    assert all(one.estimate == 0 and 0.05 < one.high < 0.15 and not one.within_margin for one in losses)
