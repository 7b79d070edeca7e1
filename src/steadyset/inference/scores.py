"""Scores on resamples: standard errors and tests that know that resamples overlap.

The scores of J resamples of one data set are not independent: their training rows overlap, and so do their test rows.
Nadeau and Bengio take the correlation between two of them as n_test / (n_train + n_test), which makes the variance of
their mean (1/J + n_test/n_train) s² instead of s²/J.

Reference: Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import special

from steadyset.conventions import LEVEL, check_level
from steadyset.inference.comparison import Comparison, grouped
from steadyset.inference.hypotheses import TestResult
from steadyset.inference.multiple import Adjustment, adjusted_p_values
from steadyset.inference.spread import t_quantile
from steadyset.kernels.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd

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
    import pandas as pd

    check_level(level)
    table = _table(scores, test_ratio, level).sort_values("estimate", ascending=lower_is_better, kind="stable")
    rows = []
    for x, y in itertools.combinations(scores, 2):
        shared = [label for label in scores[x] if label in scores[y]]
        a, b = ([scores[who][label] for label in shared] for who in (x, y))
        found = test_mean_difference(a, b, test_ratio, level=level)
        rows.append((x, y, found.estimate, found.se, found.low, found.high, found.statistic, found.p_value, found.note))
    columns = ["first", "second", "difference", "se", "low", "high", "statistic", "p_value", "note"]
    tests = pd.DataFrame(rows, columns=columns)
    tests.insert(8, "p_adjusted", adjusted_p_values(tests["p_value"].to_numpy(dtype=np.float64), adjust))
    tests.insert(9, "paired", True)
    return grouped(table, tests, name, level, adjust)


def _table(scores: Mapping[str, Mapping[str, float]], test_ratio: float, level: float) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for one in scores.values():
        known = _known(list(one.values()))
        mean = float(known.mean()) if len(known) else float("nan")
        se = corrected_error(known, test_ratio)
        margin = t_quantile(level, len(known) - 1) * se if len(known) > 1 else float("nan")
        rows.append((mean, se, mean - margin, mean + margin, len(known), ""))
    index = pd.Index(list(scores), name="procedure")
    return pd.DataFrame(rows, columns=["estimate", "se", "low", "high", "n_runs", "note"], index=index)


def _known(values: npt.ArrayLike) -> Floats:
    every = np.asarray(values, dtype=np.float64)
    return every[np.isfinite(every)]


def _undefined(mean: float, note: str) -> TestResult:
    nan = float("nan")
    return TestResult(nan, nan, mean, nan, nan, nan, nan, "two-sided", "corrected t", True, note)


test_mean_difference.__test__ = False  # type: ignore[attr-defined]
