"""Tests: is the stability above a value (`test_threshold`), and do two procedures differ (`test_difference`)?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy import special

from steadyset.errors import InputError
from steadyset.inference.interval import check_level
from steadyset.inference.jackknife import NO_SPREAD, Jackknife, jackknife
from steadyset.inference.pairing import check_same_features, matched_runs
from steadyset.inference.published import published_variance
from steadyset.inference.spread import Spread, measure_range, spread_of, t_quantile
from steadyset.measures.options import Expectation, Options, Undefined
from steadyset.measures.record import Measure, get_measure
from steadyset.selections import as_selections

if TYPE_CHECKING:
    from steadyset.similarity import FeatureSimilarity

Alternative = Literal["greater", "less", "two-sided"]
TestMethod = Literal["auto", "normal"]


@dataclass(frozen=True)
class TestResult:
    """A test statistic with its p-value; `estimate` (with `low` and `high`) is the value or difference tested."""

    __test__ = False

    statistic: float
    p_value: float
    estimate: float
    se: float
    df: float
    low: float
    high: float
    alternative: str
    method: str
    paired: bool = False
    note: str = ""

    def reject(self, alpha: float = 0.05) -> bool:
        """Whether the hypothesis is rejected at this level; never when the p-value is undefined."""
        return bool(self.p_value <= alpha)


def test_threshold(
    selections: Any,
    value: float,
    measure: str | Measure = "nogueira",
    *,
    alternative: Alternative = "greater",
    method: TestMethod = "auto",
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    random_state: int | None = None,
    **measure_params: Any,
) -> TestResult:
    """Is the measure greater than `value`?

    "auto" inverts the interval of `confidence_interval(method="auto")` with t quantiles; "normal" is the published test
    V = (Phi - value)/sqrt(v). Runs that all behave alike have no variance; the p-value is then the largest probability
    of seeing M of them alike if the measure were at `value`: the M-th power of the share that must behave so.
    """
    _check(alternative, Alternative, "alternative")
    _check(method, TestMethod, "method")
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    runs = as_selections(selections)
    values = jackknife(runs, record, options)
    if method == "normal":
        se = float(np.sqrt(published_variance(runs, values)))
        return _against_normal(values.value - value, se, values.value, alternative, values.estimate.note)
    if np.isnan(values.value) or not values.defined:
        note = values.estimate.note if np.isnan(values.value) else values.why_no_variance()
        return _result(np.nan, np.nan, values.value, np.nan, np.nan, alternative, "auto", note)
    spread = spread_of(values, options)
    df = float(values.n_runs - 1)
    if spread.alike:
        statistic = float(np.sign(spread.value - value)) * np.inf if spread.value != value else 0.0
        p = _zero_spread_p(spread, value, alternative)
        return _result(statistic, p, spread.value, spread.se, df, alternative, "auto", "no spread among the runs")
    statistic = _threshold_statistic(spread, value)
    p = _p_value(statistic, df, alternative)
    return _result(statistic, p, spread.value, spread.se, df, alternative, "auto", values.estimate.note)


def test_difference(
    first: Any,
    second: Any,
    measure: str | Measure = "nogueira",
    *,
    paired: bool | None = None,
    alternative: Alternative = "two-sided",
    method: TestMethod = "auto",
    level: float = 0.95,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    random_state: int | None = None,
    **measure_params: Any,
) -> TestResult:
    """Do two procedures differ? The difference is second minus first.

    `paired` runs are on the same resamples: their influence values are subtracted run by run before they are squared,
    so what a resample does to both procedures cancels. None decides by the run labels: the same labels on both sides
    pair the runs that share one; otherwise the runs are taken as independent. True without labels pairs by order.
    "auto" uses jackknife variances and t quantiles (independent: with Welch's degrees of freedom); "normal" is the
    published test for independent runs, T = (Phi2 - Phi1)/sqrt(v1 + v2).
    """
    _check(alternative, Alternative, "alternative")
    _check(method, TestMethod, "method")
    check_level(level)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    a, b = as_selections(first), as_selections(second)
    check_same_features(a, b)
    order = matched_runs(a, b, paired)
    values_a, values_b = jackknife(a, record, options), jackknife(b, record, options)
    if method == "normal":
        if paired:
            raise InputError(
                'method="normal" is the published test of independent runs; wanted is paired=False or None.'
            )
        variance = published_variance(a, values_a) + published_variance(b, values_b)
        difference = values_b.value - values_a.value
        return _against_normal(
            difference, float(np.sqrt(variance)), difference, alternative, _notes(values_a, values_b)
        )
    return difference_of(values_a, values_b, order, options, alternative, level)


def difference_of(
    a: Jackknife,
    b: Jackknife,
    order: np.typing.NDArray[np.int64] | None,
    options: Options,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestResult:
    """The test from leave-one-out values; `order[i]` is the run of b that goes with run i of a, None: independent."""
    difference, pairs = b.value - a.value, order is not None
    if np.isnan(difference) or not (a.defined and b.defined):
        notes = [x.why_no_variance() for x in (a, b) if not np.isnan(x.value) and not x.defined]
        note = "; ".join(dict.fromkeys(n for n in [_notes(a, b), *notes] if n))
        return _result(np.nan, np.nan, difference, np.nan, np.nan, alternative, "auto", note, pairs)
    variance, df = _paired_variance(a, b, order) if order is not None else _independent_variance(a, b)
    se = float(np.sqrt(variance + a.estimate.mc_error**2 + b.estimate.mc_error**2))
    if variance == 0:
        p = _zero_spread_difference_p(a, b, options)
        statistic = float(np.sign(difference)) * np.inf if difference else 0.0
        note = "no spread among the runs"
        return _result(statistic, p, difference, se, df, alternative, "auto", note, pairs)
    statistic, margin = difference / se, t_quantile(level, df) * se
    p = _p_value(statistic, df, alternative)
    return TestResult(
        statistic,
        p,
        difference,
        se,
        df,
        difference - margin,
        difference + margin,
        alternative,
        "auto",
        pairs,
        _notes(a, b),
    )


test_threshold.__test__ = False  # type: ignore[attr-defined]
test_difference.__test__ = False  # type: ignore[attr-defined]


def _paired_variance(a: Jackknife, b: Jackknife, order: np.typing.NDArray[np.int64]) -> tuple[float, float]:
    """The jackknife variance of the difference over the runs, and its degrees of freedom."""
    M = a.n_runs
    deviations = b.deviations[order] - a.deviations
    rounding = NO_SPREAD * max(1.0, float(np.abs(a.without).max()), float(np.abs(b.without).max()))
    if np.abs(deviations).max() <= rounding:
        return 0.0, float(M - 1)
    return (M - 1) / M * float(np.sum(deviations**2)), float(M - 1)


def _independent_variance(a: Jackknife, b: Jackknife) -> tuple[float, float]:
    """The sum of both jackknife variances, and Welch's degrees of freedom."""
    va, vb = ((x.n_runs - 1) / x.n_runs * float(np.sum(x.deviations**2)) * x.has_spread for x in (a, b))
    if va + vb == 0:
        return 0.0, float(a.n_runs + b.n_runs - 2)
    return va + vb, (va + vb) ** 2 / (va**2 / (a.n_runs - 1) + vb**2 / (b.n_runs - 1))


def _threshold_statistic(spread: Spread, value: float) -> float:
    """The t quantile at which `value` is an end of the interval, positive when the estimate is above it."""
    x, x0 = spread.position(spread.value), spread.position(value)
    if not (spread.has_fisher_scale and -1 < x0 < 1):
        return (spread.value - value) / spread.se
    length = spread.range.best - spread.range.worst
    steps = float(np.arctanh(x) - np.arctanh(x0)) * (1 - x * x) * abs(length) / spread.se
    steps = max(0.0, steps - spread.shift) if steps > 0 else steps / spread.shrink
    return steps if length > 0 else -steps


def _zero_spread_p(spread: Spread, value: float, alternative: Alternative) -> float:
    above = spread.value > value
    if value == spread.value or alternative == ("less" if above else "greater"):
        return 1.0
    ends = (spread.range.worst, spread.range.best)
    end = min(ends) if above else max(ends)
    if not np.isfinite(end):
        return 1.0
    if end == spread.value:
        return 0.0
    return float(np.clip((value - end) / (spread.value - end), 0.0, 1.0) ** spread.n_runs)


def _zero_spread_difference_p(a: Jackknife, b: Jackknife, options: Options) -> float:
    """The level at which the zero-spread intervals of both, at half of it each, stop to overlap."""
    if a.value == b.value:
        return 1.0
    ends = measure_range(a.measure, options, a.value)
    length = 2 * abs(ends.best - ends.worst)
    if not np.isfinite(length):
        return 1.0
    return float(min(1.0, 2 * max(0.0, 1 - abs(a.value - b.value) / length) ** min(a.n_runs, b.n_runs)))


def _against_normal(excess: float, se: float, estimate: float, alternative: Alternative, note: str) -> TestResult:
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = float(np.divide(excess, se))
    return _result(
        statistic, _p_value(statistic, np.inf, alternative), estimate, se, np.inf, alternative, "normal", note
    )


def _p_value(statistic: float, df: float, alternative: Alternative) -> float:
    if alternative == "greater":
        return float(special.stdtr(df, -statistic))
    if alternative == "less":
        return float(special.stdtr(df, statistic))
    return float(2 * special.stdtr(df, -abs(statistic)))


def _result(
    statistic: float,
    p: float,
    estimate: float,
    se: float,
    df: float,
    alternative: str,
    method: str,
    note: str,
    paired: bool = False,
) -> TestResult:
    return TestResult(statistic, p, estimate, se, df, np.nan, np.nan, alternative, method, paired, note)


def _notes(a: Jackknife, b: Jackknife) -> str:
    return "; ".join(dict.fromkeys(x.estimate.note for x in (a, b) if x.estimate.note))


def _check(value: object, choices: Any, name: str) -> None:
    if value not in get_args(choices):
        raise InputError(f"{name} is {value!r}; wanted is one of {', '.join(get_args(choices))}.")
