"""Scores on resamples: standard errors and tests that know that resamples overlap.

The scores of J resamples of one data set are not independent: their training rows overlap, and so do their test rows.
Nadeau and Bengio take the correlation between two of them as n_test / (n_train + n_test), which makes the variance of
their mean (1/J + n_test/n_train) s² instead of s²/J.

Reference: Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from steadyset.foundation.conventions import LEVEL, check_level
from steadyset.inference.comparison import Adjustment, Comparison, grouped, tested_pair
from steadyset.inference.hypotheses import TestResult
from steadyset.inference.variance import t_quantile
from steadyset.kernels.arrays import Floats

CONSTANT = "the difference is the same in every run, so that no test can tell how sure it is"


def corrected_error(values: npt.ArrayLike, test_ratio: float) -> float:
    """The standard error of a mean over resamples: sqrt((1/J + test_ratio) s²); undefined below two values.

    `test_ratio` is the number of test rows for each training row.
    """
    known = _known(values)
    return float(np.sqrt((1 / len(known) + test_ratio) * known.var(ddof=1))) if len(known) > 1 else float("nan")


def test_mean_difference(
    first: npt.ArrayLike, second: npt.ArrayLike, test_ratio: float, *, level: float = LEVEL
) -> TestResult:
    """The corrected resampled t-test of the mean of second - first, paired by place; J - 1 degrees of freedom."""
    differences = _known(np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64))
    J = len(differences)
    if J < 2:
        note = f"paired scores are known in {J} run{'' if J == 1 else 's'} only"
        return _undefined(float(differences.mean()) if J else float("nan"), note)
    mean, se = float(differences.mean()), corrected_error(differences, test_ratio)
    if se <= 1e-12 * max(1e-300, float(np.abs(differences).max())):
        if mean:
            return _undefined(mean, CONSTANT)
        return TestResult(0.0, 1.0, 0.0, 0.0, float(J - 1), 0.0, 0.0, "two-sided", "corrected t", True)
    statistic, margin = mean / se, t_quantile(level, J - 1) * se
    p = float(2 * special.stdtr(J - 1, -abs(statistic)))
    return TestResult(
        statistic, p, mean, se, float(J - 1), mean - margin, mean + margin, "two-sided", "corrected t", True
    )


@dataclass(frozen=True)
class LossInterval:
    """How much worse than the best procedure one may be; `against` is the one that sets `high`, `half` its half-width.

    `low` is above 0 only where another procedure is better beyond doubt, and `high` is 0 where all others are worse.
    """

    estimate: float
    low: float
    high: float
    against: str = ""
    half: float = 0.0


def losses_against_best(
    scores: Mapping[str, Mapping[str, float]], test_ratio: float, *, lower_is_better: bool = False, level: float = LEVEL
) -> dict[str, LossInterval]:
    """Intervals of what each procedure loses against the best one, which hold for all procedures at once.

    Nobody knows which procedure is the best; the one with the best mean was found by looking. The intervals of Edwards
    and Hsu hold whichever it is: of the k - 1 differences between it and the others each is covered with 1 - (1 -
    level) / (k - 1), by the corrected resampled t interval. Where it is covered, the best procedure is among those that
    no other beats, and the loss is at most the largest upper end against these.

    Reference: Edwards and Hsu (1983), Multiple comparisons with the best treatment, Journal of the American Statistical
    Association 78.
    """
    check_level(level)
    each = 1 - (1 - level) / max(1, len(scores) - 1)
    gaps = {}  # how much better the other is
    for one, other in itertools.permutations(scores, 2):
        shared = [label for label in scores[one] if label in scores[other]]
        mine, theirs = ([scores[who][label] for label in shared] for who in (one, other))
        pair = (theirs, mine) if lower_is_better else (mine, theirs)
        gaps[one, other] = test_mean_difference(*pair, test_ratio, level=each)
    unbeaten = [one for one in scores if not any(gaps[one, other].low > 0 for other in scores if other != one)]
    could_be_best = unbeaten or list(scores)  # pairs that share few runs may beat each other in a circle
    return {one: _loss({other: gaps[one, other] for other in could_be_best if other != one}) for one in scores}


def _loss(gaps: Mapping[str, TestResult]) -> LossInterval:
    """From how much better each procedure that could be the best is."""
    if not gaps:  # nobody else can be the best
        return LossInterval(0.0, 0.0, 0.0)
    against = max(gaps, key=lambda other: float("inf") if isnan(gaps[other].high) else gaps[other].high)
    found = gaps[against]
    low = min(0.0 if isnan(gap.low) else max(0.0, gap.low) for gap in gaps.values())
    high = found.high if isnan(found.high) else max(0.0, found.high)
    estimate = max(0.0, *(gap.estimate for gap in gaps.values()))
    return LossInterval(estimate, low, high, against, found.high - found.estimate)


def compare_scores(
    scores: Mapping[str, Mapping[str, float]],
    test_ratio: float,
    *,
    name: str = "score",
    lower_is_better: bool = False,
    adjust: Adjustment = "holm",
    level: float = LEVEL,
) -> Comparison:
    """Which procedures predict differently: {"lasso": {label of the resample: score, ...}, ...}.

    All pairs are tested on the resamples that both have. The table's intervals are mean ± t se with the corrected se.
    """
    check_level(level)
    pairs = []
    for x, y in itertools.combinations(scores, 2):
        shared = [label for label in scores[x] if label in scores[y]]
        a, b = ([scores[who][label] for label in shared] for who in (x, y))
        pairs.append(tested_pair(x, y, test_mean_difference(a, b, test_ratio, level=level)))
    estimates = [_estimate(who, list(one.values()), test_ratio, level) for who, one in scores.items()]
    return grouped(estimates, pairs, name, level, adjust, lower_is_better=lower_is_better)


def _estimate(name: str, values: npt.ArrayLike, test_ratio: float, level: float) -> dict[str, Any]:
    known = _known(values)
    mean, se = float(known.mean()) if len(known) else float("nan"), corrected_error(known, test_ratio)
    margin = t_quantile(level, len(known) - 1) * se if len(known) > 1 else float("nan")
    ends = {"low": mean - margin, "high": mean + margin}
    return {"procedure": name, "estimate": mean, "se": se, **ends, "n_runs": len(known), "note": ""}


def _known(values: npt.ArrayLike) -> Floats:
    every = np.asarray(values, dtype=np.float64)
    return every[np.isfinite(every)]


def _undefined(mean: float, note: str) -> TestResult:
    nan = float("nan")
    return TestResult(nan, nan, mean, nan, nan, nan, nan, "two-sided", "corrected t", True, note)


test_mean_difference.__test__ = False  # type: ignore[attr-defined]
