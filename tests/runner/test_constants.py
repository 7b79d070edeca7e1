"""The baseline "no features": no prediction that ignores the features is better, whatever the resampling and score."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest

import steadyset as st

HALVES = np.arange(60) % 2
FEW = (np.arange(60) % 5 == 0).astype(int)
THIRDS = np.arange(60) % 3
X = np.random.default_rng(0).normal(size=(60, 5))
AMOUNTS = np.exp(np.random.default_rng(1).normal(size=60))
# Every row is left out equally often, in parts of equal size.
BALANCED = [st.KFold(10), st.KFold(10, stratified=True), st.ComplementaryPairs(20)]


def baseline(y: Any, resampling: Any, score: str) -> float:
    result = st.assess(["anova:k=2"], X, y, resampling=resampling, scoring=score)
    return float(result.summary(details=True)[f"{score}_blind"].iloc[0])


@pytest.mark.parametrize("resampling", BALANCED, ids=["kfold", "stratified", "pairs"])
@pytest.mark.parametrize(
    ("y", "score", "truth"),
    [
        (HALVES, "accuracy", 0.5),
        (HALVES, "log_loss", log(2)),
        (FEW, "accuracy", 0.8),
        (FEW, "error", 0.2),
        (FEW, "balanced_accuracy", 0.5),
        (FEW, "neg_brier_score", -0.16),
        (THIRDS, "accuracy", 1 / 3),
    ],
)
def test_the_baseline_is_the_best_constant_by_hand(y, score, truth, resampling):
    assert baseline(y, resampling, score) == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("resampling", [st.Bootstrap(20), st.Subsample(20, fraction=0.8), st.KFold(7)])
def test_balanced_classes_are_guessed_half_right_in_every_run(resampling):
    assert baseline(HALVES, resampling, "accuracy") == 0.5


def test_the_best_constant_depends_on_the_score():
    resampling = st.KFold(10, stratified=True)
    assert baseline(FEW, resampling, "recall") == 1.0  # every row has the positive class
    folds = [FEW[test] for _, test in resampling.split(X, FEW)]
    assert baseline(FEW, resampling, "f1") == pytest.approx(np.mean([2 * y.mean() / (1 + y.mean()) for y in folds]))
    by_median = baseline(AMOUNTS, st.KFold(10), "neg_mean_absolute_error")
    folds = [AMOUNTS[test] for _, test in st.KFold(10).split(X)]
    assert by_median == pytest.approx(-np.mean([np.abs(y - np.median(AMOUNTS)).mean() for y in folds]))
    assert baseline(AMOUNTS, st.KFold(10), "neg_mean_squared_error") == pytest.approx(
        -np.mean([np.mean((y - AMOUNTS.mean()) ** 2) for y in folds])
    )


def test_times_without_features_are_in_no_order():
    y = st.Survival(AMOUNTS, np.arange(60) % 3 > 0)
    assert baseline(y, st.KFold(5), "harrell") == 0.5


def test_a_run_that_selects_nothing_has_the_score_of_the_baseline():
    result = st.assess("lasso:penalty=1000", X, HALVES, resampling=st.KFold(10))
    cells = [cell for cell in result.cells if cell.selected == ()]
    assert len(cells) == 10
    assert [cell.scores for cell in cells] == [cell.blind for cell in cells]


@pytest.mark.slow
@pytest.mark.parametrize("score", ["accuracy", "f1", "auc"])
def test_selectors_on_noise_are_rarely_better_than_no_features(score):
    """With constants learned from the training rows this was claimed on 27% of such data by accuracy."""
    claimed = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        y = random.permutation(np.arange(50) % 2)
        noise = random.normal(size=(50, 60))
        found = st.assess("anova:k=3", noise, y, resampling=st.KFold(10), scoring=score, random_state=seed)
        claimed += found.gain(found.selectors[0], score).low > 0
    assert claimed <= 5  # binomial with 5%: at most 5 of 40 in 98.6%


@pytest.mark.parametrize("labels", [[0.0, 1.0], [False, True], ["a", "b"], [-1, 1]])
def test_the_baseline_does_not_depend_on_the_kind_of_the_labels(labels):
    y = np.array(labels)[FEW]
    data = st.Data(X, y, task="classes")
    result = st.assess(["anova:k=2"], data, resampling=st.KFold(10), scoring="accuracy")
    assert result.summary(details=True)["accuracy_blind"].iloc[0] == pytest.approx(0.8)
