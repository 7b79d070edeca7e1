"""A stable core of runs that share most of their rows has a caution next to it."""

import numpy as np
import pytest

import steadyset as st
from steadyset.findings.holds import OVERLAP, core_caution

X = np.random.default_rng(0).normal(size=(60, 40))
Y = np.arange(60) % 2


def assessed(resampling):
    return st.assess("anova:k=5", X, Y, resampling=resampling, scoring=[], execution={"progress": False})


@pytest.mark.parametrize(
    ("resampling", "shared"),
    [
        (st.KFold(10), 8 / 9),  # of nine folds each, eight are common
        (st.KFold(5), 3 / 4),
        (st.Subsample(6, fraction=0.9), 0.9),
        (st.Subsample(6, fraction=0.5), 0.5),
        (st.Bootstrap(6), 0.632),
    ],
)
def test_the_share_of_common_rows_is_that_of_the_design_and_decides(resampling, shared, tmp_path):
    result = assessed(resampling)
    measured = result.settings["details"]["shared_rows"]
    assert measured == pytest.approx(shared, abs=0.04)
    said = core_caution(result.settings)
    assert bool(said) == (shared >= OVERLAP)
    text = st.report(result, tmp_path / "report.md").read_text(encoding="utf-8")
    assert ("Two runs share" in text) == (shared >= OVERLAP)


def test_more_runs_are_proposed_only_where_they_can_follow():
    for resampling, expected in ((st.KFold(5), False), (st.LeaveOut(), False), (st.Bootstrap(6), True)):
        text = str(st.findings_of(assessed(resampling)))
        assert ("more repeats" in text) == expected


def n_in_core(train, n_runs=20):
    """Features of noise that runs select in at least 90% of the cases, by the correlation with the target."""
    found = []
    for seed in range(15):
        random = np.random.default_rng(seed)
        values, target = random.normal(size=(100, 200)), random.permutation(np.arange(100) % 2) * 1.0
        counts = np.zeros(200)
        for _ in range(n_runs):
            rows = random.permutation(100)[: round(100 * train)]
            part, y = values[rows] - values[rows].mean(axis=0), target[rows] - target[rows].mean()
            strength = (y @ part) ** 2 / (part**2).sum(axis=0)
            counts[np.argsort(-strength)[:10]] += 1
        found.append((counts >= 0.9 * n_runs).sum())
    return np.mean(found)


def test_runs_that_share_most_rows_agree_on_noise_and_runs_on_half_of_them_do_not():
    assert n_in_core(0.5) == 0
    assert n_in_core(0.9) > 1.5


def test_the_caution_is_next_to_the_core_in_a_terminal_too():
    for resampling, expected in ((st.KFold(10), True), (st.Subsample(6, fraction=0.5), False)):
        assert ("Two runs share" in str(st.findings_of(assessed(resampling)))) == expected
