"""Tests of a value and of a difference."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steadyset as st
from steadyset.inference.interval import jackknife, spread_of
from steadyset.measures.evaluate import Options
from steadyset.measures.record import get_measure


def runs_of(seed: int, M: int = 20, noise: float = 0.4, labels: list[str] | None = None) -> st.Selections:
    rng = np.random.default_rng(seed)
    score = np.linspace(1, 0, 15) + noise * rng.standard_normal((M, 15))
    return st.Selections.from_sets(list(np.argsort(-score, axis=1)[:, :5]), n_features=15, labels=labels)


def same_resamples(seed: int, M: int = 25) -> tuple[st.Selections, st.Selections]:
    """Two procedures that a resample moves in the same way, the second a little less steady."""
    rng = np.random.default_rng(seed)
    shock = rng.standard_normal((M, 15)) * rng.gamma(1, 1, (M, 1))
    labels = [f"resample {i}" for i in range(M)]
    found = []
    for size, own in ((0.3, 0.02), (0.33, 0.02)):
        score = np.linspace(1, 0, 15) + size * shock + own * rng.standard_normal((M, 15))
        found.append(st.Selections.from_sets(list(np.argsort(-score, axis=1)[:, :5]), n_features=15, labels=labels))
    return found[0], found[1]


@pytest.mark.parametrize("measure", ["nogueira", "jaccard", "guzman"])
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("M", [6, 20])
def test_the_threshold_test_inverts_the_interval(measure: str, level: float, M: int) -> None:
    sel = next(runs for runs in (runs_of(seed, M) for seed in range(99)) if _is_skew(runs, measure))
    interval = st.confidence_interval(sel, measure, level=level)
    for value, alternative in ((interval.low, "greater"), (interval.high, "less")):
        found = st.test_threshold(sel, value, measure, alternative=alternative)
        assert found.p_value == pytest.approx((1 - level) / 2)
        assert st.test_threshold(sel, value, measure, alternative="two-sided").p_value == pytest.approx(1 - level)


def _is_skew(runs: st.Selections, measure: str) -> bool:
    """Few of the runs pull the value down, and none of the ends of the interval is cut off."""
    interval = st.confidence_interval(runs, measure, level=0.95)
    values = jackknife(runs, get_measure(measure), Options())
    return spread_of(values, Options()).skewness > 0.3 and interval.low > 0


def test_lower_is_steadier_turns_the_scale_and_not_the_question() -> None:
    sel = runs_of(1)
    estimate = st.stability(sel, "krizek")
    assert st.test_threshold(sel, estimate - 1, "krizek").p_value < 0.05
    assert st.test_threshold(sel, estimate + 1, "krizek").p_value > 0.95


def test_p_values_fall_as_the_threshold_moves_away() -> None:
    sel = runs_of(2)
    values = np.linspace(0.1, 0.95, 30)
    p = [st.test_threshold(sel, value).p_value for value in values]
    assert p == sorted(p)


def test_runs_that_all_agree_are_tested_by_how_often_that_would_be_seen() -> None:
    sel = st.Selections.from_sets([[0, 1]] * 10, n_features=9)
    found = st.test_threshold(sel, 0.75)
    assert found.p_value == pytest.approx(0.75**10)
    assert found.statistic == np.inf
    assert st.test_threshold(sel, 1.0).p_value == 1.0
    assert st.test_threshold(sel, 0.75, alternative="less").p_value == 1.0


def test_two_runs_decide_nothing() -> None:
    found = st.test_threshold(runs_of(1).take([0, 1]), 0.1)
    assert np.isnan(found.p_value)
    assert not found.reject()
    assert "two runs" in found.note
    assert np.isnan(st.test_difference(runs_of(1).take([0, 1]), runs_of(2)).p_value)


def test_same_labels_are_paired_and_matched_by_label() -> None:
    a, b = same_resamples(0)
    assert st.test_difference(a, b).paired
    shuffled = b.take(np.random.default_rng(0).permutation(b.n_runs))
    assert st.test_difference(a, shuffled).p_value == pytest.approx(st.test_difference(a, b).p_value)
    assert not st.test_difference(a, runs_of(3)).paired
    assert not st.test_difference(a, b, paired=False).paired


def test_runs_without_labels_are_independent_unless_told() -> None:
    a, b = runs_of(1), runs_of(2)
    assert not st.test_difference(a, b).paired
    assert st.test_difference(a, b, paired=True).paired
    with pytest.raises(st.InputError, match="There are 20 and 10 runs; paired=True needs"):
        st.test_difference(a, runs_of(2, M=10), paired=True)
    labelled = runs_of(1, M=3, labels=["a", "b", "c"])
    with pytest.raises(st.InputError, match="share 2 run labels; paired=True needs at least 3"):
        st.test_difference(labelled, runs_of(1, M=3, labels=["b", "c", "d"]), paired=True)
    with pytest.raises(st.InputError, match="the other has none; paired=True needs both"):
        st.test_difference(labelled, runs_of(1, M=3), paired=True)


def test_runs_that_one_side_lacks_are_left_out_of_a_paired_test() -> None:
    a, b = same_resamples(0)
    for first, second in ((a, b.take(np.arange(24))), (a.take(np.arange(24)[::-1]), b)):
        found = st.test_difference(first, second)
        assert found.paired
        assert found.note == "paired over 24 shared runs; 1 run that only one side has is left out"
        shared = st.test_difference(a.take(np.arange(24)), b.take(np.arange(24)))
        assert found.p_value == pytest.approx(shared.p_value)
        assert found.estimate == pytest.approx(shared.estimate)
    assert not st.test_difference(a, b.take(np.arange(12))).paired
    assert st.test_difference(a, b.take(np.arange(12)), paired=True).paired


def test_a_side_without_spread_is_known_no_better_than_its_interval() -> None:
    steady = st.Selections.from_sets([[0, 1, 2, 3, 4]] * 5, n_features=20)
    rng = np.random.default_rng(0)
    other = st.Selections.from_matrix(rng.random((100, 20)) < np.where(np.arange(20) < 5, 0.98, 0.006))
    found = st.test_difference(steady, other)
    assert found.p_value > 0.3
    assert found.low < 0 < found.high
    assert "no spread" in found.note
    many = st.test_difference(st.Selections.from_sets([[0, 1, 2, 3, 4]] * 1000, n_features=20), other)
    assert many.p_value < 0.01
    sides = [st.test_difference(steady, other, alternative=way).p_value for way in ("less", "greater")]
    assert sides[0] == pytest.approx(found.p_value / 2)
    assert sum(sides) == pytest.approx(1)


def test_the_joint_interval_reaches_zero_at_the_p_value() -> None:
    steady = st.Selections.from_sets([[0, 1, 2, 3, 4]] * 12, n_features=15)
    other = runs_of(3)
    p = st.test_difference(steady, other).p_value
    assert st.test_difference(steady, other, level=1 - p).high == pytest.approx(0, abs=1e-6)


def test_a_difference_and_its_interval_stay_within_what_is_possible() -> None:
    shaky = st.Selections.from_sets([[0, 1], [2, 3], [0, 2], [1, 3]], n_features=8)
    steady = st.Selections.from_sets([[0, 1], [0, 1], [0, 1], [0, 2]], n_features=8)
    found = st.test_difference(shaky, steady)
    assert -1 <= found.low <= found.estimate <= found.high <= 1 - min(0, st.stability(shaky))


def test_the_interval_of_runs_that_disagree_alike_holds_the_estimate() -> None:
    apart = st.Selections.from_sets([[0, 1], [2, 3], [4, 5]], n_features=6)
    interval = st.confidence_interval(apart)
    assert interval.low == interval.estimate == pytest.approx(-0.5)
    same = st.test_difference(runs_of(1), runs_of(1), paired=True)
    assert same.p_value == 1
    assert "move both sides alike" in same.note


def test_values_at_the_end_of_the_scale_are_rejected_most_surely() -> None:
    sel = runs_of(2)
    p = [st.test_threshold(sel, value, alternative="less").p_value for value in (0.9, 0.99, 0.999, 1.0, 1.5)]
    assert p == sorted(p, reverse=True)
    assert st.test_threshold(sel, 1.0).p_value == 1.0


def test_pairing_finds_what_the_resamples_hide() -> None:
    a, b = same_resamples(0)
    paired, independent = st.test_difference(a, b), st.test_difference(a, b, paired=False)
    assert paired.estimate == independent.estimate
    assert paired.se < independent.se / 2


@pytest.mark.parametrize(("few", "many", "n_features"), [(4, 20, 40), (3, 12, 20), (4, 8, 40)])
@pytest.mark.parametrize("M", [5, 10, 20])
def test_procedures_that_take_turns_at_selecting_many_differ_in_no_more_than_5_percent(
    few: int, many: int, n_features: int, M: int
) -> None:
    """Which of both selects many is a coin's matter in each run: the size of the test is a sum over the coins.

    nogueira divides by the mean size; the slope of that at what each side selected rejected 9 to 32%.
    """
    size = 0.0
    for n in range(M + 1):
        a, b = (
            st.Selections.from_sets(
                [range(many if (run < n) == first else few) for run in range(M)], n_features=n_features
            )
            for first in (True, False)
        )
        size += math.comb(M, n) / 2**M * st.test_difference(a, b, paired=True).reject()
    assert size <= 0.05


def test_the_paired_test_keeps_its_power_where_sizes_are_fixed() -> None:
    """The runs of both sides together say nothing of procedures that select different features."""
    rng = np.random.default_rng(5)
    score = np.linspace(1, 0, 60)
    noise = rng.standard_normal((20, 60))
    a, b = (
        st.Selections.from_sets(list(np.argsort(-(np.roll(score, shift) + sd * noise), axis=1)[:, :6]), n_features=60)
        for shift, sd in ((0, 0.02), (30, 0.1))
    )
    values = [jackknife(side, get_measure("nogueira"), Options()) for side in (a, b)]
    own = np.sqrt(19 / 20 * np.sum((values[1].deviations - values[0].deviations) ** 2))
    assert st.test_difference(a, b, paired=True).se == pytest.approx(own)


def test_a_procedure_does_not_differ_from_itself() -> None:
    a, _ = same_resamples(1)
    found = st.test_difference(a, a)
    assert (found.estimate, found.se, found.p_value, found.statistic) == (0.0, 0.0, 1.0, 0.0)


def test_the_difference_is_second_minus_first() -> None:
    steady, shaky = runs_of(1, noise=0.1), runs_of(1, noise=1.0)
    found = st.test_difference(steady, shaky)
    assert found.estimate < 0
    assert found.statistic < 0
    assert found.reject()
    assert st.test_difference(shaky, steady, alternative="greater").p_value == pytest.approx(found.p_value / 2)
    assert found.low < found.estimate < found.high < 0


def test_two_constant_procedures_that_differ_get_a_finite_p_value() -> None:
    same = st.Selections.from_sets([[0, 1]] * 6, n_features=9)
    other = st.Selections.from_sets([[0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [0, 6]], n_features=9)
    found = st.test_difference(same, other)
    assert found.se == 0
    assert 0 < found.p_value <= 1


def test_the_published_test_is_for_independent_runs() -> None:
    a, b = same_resamples(0)
    with pytest.raises(st.InputError, match="independent runs"):
        st.test_difference(a, b, method="normal", paired=True)


def test_different_features_cannot_be_compared() -> None:
    a = runs_of(1)
    with pytest.raises(st.InputError, match="15 features in one and 16 in the other Selections"):
        st.test_difference(a, st.Selections.from_sets([[0], [1], [0]], n_features=16))
    names = st.Selections.from_sets([["a"], ["b"], ["a"]], features=["a", "b"])
    turned = st.Selections.from_sets([["a"], ["b"], ["a"]], features=["b", "a"])
    with pytest.raises(st.InputError, match="Feature 0 is 'a' in one and 'b' in the other"):
        st.test_difference(names, turned)


def test_pytest_does_not_collect_the_statistical_tests() -> None:
    assert not st.test_threshold.__test__  # type: ignore[attr-defined]
    assert not st.test_difference.__test__  # type: ignore[attr-defined]
