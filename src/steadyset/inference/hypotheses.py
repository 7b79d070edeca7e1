"""Tests: is the stability above a value (`test_threshold`), and do two procedures differ (`test_difference`)?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy import optimize, special

from steadyset.foundation.arguments import LEVEL, check_choice, check_finite, check_flag, check_level
from steadyset.foundation.display import Display, Figure, Shown, Table
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import amount, p_value, span
from steadyset.inference.interval import (
    Jackknife,
    Spread,
    interval_of,
    jackknife,
    measure_range,
    published_variance,
    rounding,
    spread_of,
    t_quantile,
)
from steadyset.inference.runs import check_features, features_note, matched_runs, pooled
from steadyset.inference.table import joined
from steadyset.measures.evaluate import Expectation, Options, Undefined
from steadyset.measures.record import Measure, get_measure
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    from steadyset.similarity import FeatureSimilarity

Alternative = Literal["greater", "less", "two-sided"]
TestMethod = Literal["auto", "normal"]
# With few paired runs, simulations found up to 7.7% of true hypotheses rejected at the 5% level by other measures than
# the one whose test docs/coverage.md studies.
ENOUGH_PAIRED, HELD_PAIRED = 10, ("nogueira",)
TOO_FEW_PAIRED = f"with fewer than {ENOUGH_PAIRED} paired runs the test may reject up to 8% of true hypotheses at 5%"
SMALLEST_P = 1e-12  # where p-values come from levels of intervals


@dataclass(frozen=True)
class TestResult(Shown):
    """What `test_threshold` and `test_difference` answer.

    Attributes
    ----------
    statistic : float
        The test statistic.
    p_value : float
        The p-value; nan where it is undefined.
    estimate : float
        The value or the difference that was tested.
    se : float
        Its standard error.
    df : float
        The degrees of freedom; infinite for a normal statistic.
    low : float
        The lower end of the interval of the estimate.
    high : float
        The upper end.
    alternative : str
        What a rejection shows: "greater", "less" or "two-sided".
    method : str
        How the test was made.
    paired : bool
        Whether the runs were compared resample by resample.
    note : str
        What to know about it; empty where there is nothing.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1], [0, 1], [0, 2], [0, 1], [3, 4], [0, 1]], n_features=20)
    >>> result = st.test_threshold(sel, 0.4, alternative="two-sided")
    >>> result.reject(alpha=0.01)
    False
    """

    __test__ = False

    statistic: float
    p_value: float
    estimate: float
    se: float
    df: float
    low: float = nan
    high: float = nan
    alternative: str = "two-sided"
    method: str = "auto"
    paired: bool = False
    note: str = ""

    def reject(self, alpha: float = 0.05) -> bool:
        """Whether the hypothesis is rejected at a level.

        Parameters
        ----------
        alpha : float, default=0.05
            The level: the probability of rejecting a hypothesis that is true.

        Returns
        -------
        bool
            True where the p-value is at most alpha; never where it is undefined.
        """
        return bool(self.p_value <= alpha)

    def _display(self) -> Display:
        known = {
            "p-value": Figure(p_value(self.p_value)),
            "estimate": float(self.estimate),
            "interval": span(self.low, self.high, 3),
            "standard error": float(self.se),
            "statistic": float(self.statistic),
            "degrees of freedom": Figure(amount(self.df)),
        }
        summary = f"alternative {self.alternative}{', paired' * self.paired}, method {self.method}"
        found = "Significant" if self.reject() else "Not significant"
        answer = [] if isnan(self.p_value) else [f"{found} at 5%."]
        return Display("TestResult", summary, answer, [Table(list(known), [list(known.values())])], [self.note])


def test_threshold(
    selections: RunsLike,
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
    """Test whether the stability is greater than a value.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    value : float
        The value that the measure is held against, such as 0.75, from which stability counts as excellent.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    alternative : {"greater", "less", "two-sided"}, default="greater"
        What a rejection would show.
    method : {"auto", "normal"}, default="auto"
        "auto" inverts the interval of `confidence_interval` with t quantiles; "normal" is the published test
        V = (Phi - value)/sqrt(v), for 100 runs and more.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    undefined : {"nan", "raise", "paper"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, a number
        stands for each of them, and "paper" takes the value that the source of the measure states, such as 0 for
        kuncheva of empty sets; it is the same as "nan" for measures whose source states none.
    expectation : {"auto", "exact", "monte_carlo", "none"}, default="auto"
        What is subtracted for chance, as in `stability`. "auto" leaves every measure as it was published.
    n_draws : int, default=10000
        How many draws a simulated expectation takes, for each pair of sizes.
    random_state : int or None, default=None
        Seed of what is simulated. None is a fixed seed: the same call gives the same number.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    TestResult
        The statistic with its p-value and the interval of the measure.

    Notes
    -----
    Runs that all behave alike have no variance; the p-value is then the largest probability of seeing M of them alike
    if the measure were at `value`: the M-th power of the share that must behave so.

    References
    ----------
    Nogueira, Sechidis and Brown (2018), On the stability of feature selection algorithms, JMLR 18.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1, 2]] * 17 + [[0, 1, 3], [0, 2, 4], [0, 1, 5]], n_features=100)
    >>> result = st.test_threshold(sel, 0.75)
    >>> round(result.estimate, 2), round(result.p_value, 3), result.reject(0.05)
    (0.9, 0.08, False)
    """
    check_choice("alternative", alternative, get_args(Alternative))
    check_choice("method", method, get_args(TestMethod))
    check_finite("value", value)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    runs = as_selections(selections)
    values = jackknife(runs, record, options)
    if method == "normal":
        se = float(np.sqrt(published_variance(runs, values)))
        return _against_normal(values.value - value, se, values.value, alternative, _large_sample_note(values))
    if np.isnan(values.value) or not values.defined:
        note = joined(values.estimate.note, "" if np.isnan(values.value) else values.why_no_variance())
        return TestResult(nan, nan, values.value, nan, nan, alternative=alternative, note=note)
    spread, df, note = spread_of(values, options), float(values.n_runs - 1), values.estimate.note
    if spread.alike:
        statistic = float(np.sign(spread.value - value)) * np.inf if spread.value != value else 0.0
        p, note = _zero_spread_p(spread, value, alternative), joined(note, "no spread among the runs")
    else:
        statistic = _threshold_statistic(spread, value)
        p = _p_value(statistic, df, alternative)
    return TestResult(statistic, p, spread.value, spread.se, df, alternative=alternative, note=note)


def test_difference(
    first: RunsLike,
    second: RunsLike,
    measure: str | Measure = "nogueira",
    *,
    paired: bool | None = None,
    alternative: Alternative = "two-sided",
    method: TestMethod = "auto",
    level: float = LEVEL,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    random_state: int | None = None,
    **measure_params: Any,
) -> TestResult:
    """Test whether two procedures differ in stability; the difference is second minus first.

    Parameters
    ----------
    first : Selections or array-like
        The runs of one procedure.
    second : Selections or array-like
        The runs of the other.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    paired : bool or None, default=None
        Whether the runs were on the same resamples: what a resample does to both procedures then cancels. None decides
        by the run labels: runs that share one are paired (those that one side lacks are left out) when at least half of
        the runs do; otherwise the runs are taken as independent. True without labels pairs by order. With False the
        procedures may choose from different features, unless the measure needs their similarity.
    alternative : {"greater", "less", "two-sided"}, default="two-sided"
        What a rejection would show of the difference.
    method : {"auto", "normal"}, default="auto"
        "auto" uses jackknife variances and t quantiles; "normal" is the published test for independent runs,
        T = (Phi2 - Phi1)/sqrt(v1 + v2).
    level : float, default=0.95
        The confidence of the interval of the difference.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    undefined : {"nan", "raise", "paper"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, a number
        stands for each of them, and "paper" takes the value that the source of the measure states, such as 0 for
        kuncheva of empty sets; it is the same as "nan" for measures whose source states none.
    expectation : {"auto", "exact", "monte_carlo", "none"}, default="auto"
        What is subtracted for chance, as in `stability`. "auto" leaves every measure as it was published.
    n_draws : int, default=10000
        How many draws a simulated expectation takes, for each pair of sizes.
    random_state : int or None, default=None
        Seed of what is simulated. None is a fixed seed: the same call gives the same number.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    TestResult
        The statistic with its p-value and the difference with its interval.

    Notes
    -----
    Paired runs have their influence values subtracted run by run before they are squared: the influence within the runs
    of each side, or within those of both sides together, whichever gives the larger variance. Independent runs have
    Welch's degrees of freedom. Where the runs of a side show no spread it has no variance, but an interval from the
    number of runs that behave alike: the test then joins the intervals of both sides, and p is the level at which the
    joint interval reaches 0.

    References
    ----------
    * Nogueira, Sechidis and Brown (2018), On the stability of feature selection algorithms, JMLR 18.
    * Zou and Donner (2008), Construction of confidence limits about effect measures, Statistics in Medicine 27.

    Examples
    --------
    >>> import steadyset as st
    >>> lasso = st.Selections.from_sets([[0, 1], [0, 2], [1, 3], [0, 4], [2, 5], [0, 1]], n_features=30)
    >>> ridge = st.Selections.from_sets([[0, 1], [0, 1], [0, 1], [0, 1], [0, 2], [0, 1]], n_features=30)
    >>> result = st.test_difference(lasso, ridge, paired=True)
    >>> round(result.estimate, 2), round(result.p_value, 3)
    (0.54, 0.032)
    """
    check_choice("alternative", alternative, get_args(Alternative))
    check_choice("method", method, get_args(TestMethod))
    check_flag("paired", paired, or_none=True)
    check_level(level)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    a, b = as_selections(first), as_selections(second)
    check_features(a, b, record, paired)
    if method == "normal" and paired:
        raise InputError('method="normal" is the published test of independent runs; use it with paired=False or None.')
    values_a, values_b = jackknife(a, record, options), jackknife(b, record, options)
    if method == "normal":
        variance = published_variance(a, values_a) + published_variance(b, values_b)
        difference = values_b.value - values_a.value
        note = joined(*(_large_sample_note(x) for x in (values_a, values_b)), features_note(a, b))
        return _against_normal(difference, float(np.sqrt(variance)), difference, alternative, note)
    return difference_between(a, b, values_a, values_b, options, paired, alternative, level)


def difference_between(
    first: Selections,
    second: Selections,
    a: Jackknife,
    b: Jackknife,
    options: Options,
    paired: bool | None,
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
) -> TestResult:
    """The test from the leave-one-out values of all runs of both sides."""
    pairing = matched_runs(first, second, paired)
    if pairing is None:
        found = _difference(a, b, options, None, alternative, level)
        return replace(found, note=joined(found.note, features_note(first, second)))
    if pairing.note:
        a = jackknife(first.take(pairing.first), a.measure, options)
        b = jackknife(second.take(pairing.second), b.measure, options)
    else:
        b = b.reordered(pairing.second)

    def exchanged() -> Jackknife:
        both = pooled([first.take(pairing.first), second.take(pairing.second)])
        return jackknife(
            both, a.measure, replace(options, undefined="nan") if options.undefined == "raise" else options
        )

    found = _difference(a, b, options, exchanged, alternative, level)
    return replace(found, note=joined(found.note, pairing.note))


def _difference(
    a: Jackknife,
    b: Jackknife,
    options: Options,
    exchanged: Callable[[], Jackknife] | None,
    alternative: Alternative,
    level: float,
) -> TestResult:
    """The test from leave-one-out values.

    `exchanged` gives those of the runs of both sides as one procedure, where run i of a and run i of b belong together;
    it is None where the runs are independent.
    """
    paired, difference = exchanged is not None, b.value - a.value
    note = joined(a.estimate.note, b.estimate.note)
    if np.isnan(difference) or not (a.defined and b.defined):
        note = joined(note, *(x.why_no_variance() for x in (a, b) if not np.isnan(x.value) and not x.defined))
        return TestResult(nan, nan, difference, nan, nan, alternative=alternative, paired=paired, note=note)
    variance, df = _paired_variance(a, b, exchanged) if exchanged else _independent_variance(a, b)
    se = float(np.sqrt(variance + a.estimate.mc_error**2 + b.estimate.mc_error**2))
    # Without a spread on one side a t statistic would be infinite for any difference.
    if variance == 0 or not (a.has_spread and b.has_spread):
        statistic = difference / se if se > 0 else float(np.sign(difference)) * np.inf if difference else 0.0
        p = _level_of_no_difference(a, b, options)
        if alternative != "two-sided":
            p = p / 2 if (difference > 0) == (alternative == "greater") else 1 - p / 2
        low, high = _joint_interval(a, b, options, level)
        alike = (
            "the runs move both sides alike" if a.has_spread and b.has_spread else "no spread among the runs of a side"
        )
        note = joined(note, f"{alike}: by the intervals of both")
    else:
        if paired and a.n_runs < ENOUGH_PAIRED and a.measure.name not in HELD_PAIRED:
            note = joined(note, TOO_FEW_PAIRED)
        statistic, margin = difference / se, t_quantile(level, df) * se
        p = _p_value(statistic, df, alternative)
        low, high = difference - margin, difference + margin
    ends = [measure_range(x.measure, options, x.value) for x in (a, b)]
    # No difference is larger than the range of the measure lets it be.
    low, high = max(low, ends[1].floor - ends[0].high), min(high, ends[1].high - ends[0].floor)
    return TestResult(statistic, p, difference, se, df, low, high, alternative, "auto", paired, note)


def _joint_interval(a: Jackknife, b: Jackknife, options: Options, level: float) -> tuple[float, float]:
    """The interval of b - a from the intervals of both: their distances to the estimates add like standard errors.

    Reference: Zou and Donner (2008), Construction of confidence limits about effect measures.
    """
    one, other = (interval_of(x, options, level) for x in (a, b))
    difference = b.value - a.value
    down = np.hypot(other.estimate - other.low, one.high - one.estimate)
    up = np.hypot(other.high - other.estimate, one.estimate - one.low)
    return float(difference - down), float(difference + up)


def _level_of_no_difference(a: Jackknife, b: Jackknife, options: Options) -> float:
    """1 - the level at which the joint interval reaches 0; at least SMALLEST_P."""
    difference = b.value - a.value

    def reaches(log_p: float) -> float:
        low, high = _joint_interval(a, b, options, 1 - np.exp(log_p))
        return low if difference > 0 else -high

    # In the logarithm of p, so that tiny ones are found with as many digits as others.
    if difference == 0 or reaches(0 - 1e-12) <= 0:
        return 1.0
    if reaches(np.log(SMALLEST_P)) >= 0:
        return SMALLEST_P
    return float(np.exp(optimize.brentq(reaches, np.log(SMALLEST_P), -1e-12, xtol=1e-10)))


test_threshold.__test__ = False  # type: ignore[attr-defined]
test_difference.__test__ = False  # type: ignore[attr-defined]


def _paired_variance(a: Jackknife, b: Jackknife, exchanged: Callable[[], Jackknife]) -> tuple[float, float]:
    """The variance of the difference over the runs, and its degrees of freedom.

    The larger one of two. The jackknife variance takes the slope of the measure at what each side selected. Where the
    difference bends (both sides take turns, say at selecting many features: nogueira divides by the mean size) that
    slope is near 0 just where the difference is largest by accident. The other one takes the slope at the runs of both
    sides together, which is where it belongs if the sides are alike: D is then the mean of (2M-1) (u_bi - u_ai), u the
    deviations among all 2M runs. On its own it would be too small where the sides select different features.
    """
    M = a.n_runs
    deviations = b.deviations - a.deviations
    if not (a.has_spread and b.has_spread) or np.abs(deviations).max() <= max(rounding(a.without), rounding(b.without)):
        return 0.0, float(M - 1)
    own = (M - 1) / M * float(np.sum(deviations**2))
    both = exchanged()
    if not both.defined:
        return own, float(M - 1)
    contrasts = (2 * M - 1) * (both.deviations[M:] - both.deviations[:M])
    return max(own, float(np.var(contrasts, ddof=1)) / M), float(M - 1)


def _independent_variance(a: Jackknife, b: Jackknife) -> tuple[float, float]:
    """The sum of both jackknife variances, and Welch's degrees of freedom."""
    va, vb = ((x.n_runs - 1) / x.n_runs * float(np.sum(x.deviations**2)) * x.has_spread for x in (a, b))
    if va + vb == 0:
        return 0.0, float(a.n_runs + b.n_runs - 2)
    return va + vb, (va + vb) ** 2 / (va**2 / (a.n_runs - 1) + vb**2 / (b.n_runs - 1))


def _threshold_statistic(spread: Spread, value: float) -> float:
    """The t quantile at which `value` is an end of the interval, positive when the estimate is above it."""
    if not spread.has_fisher_scale:
        return (spread.value - value) / spread.se
    # The test is the interval turned round: the end that faces `value` has its own scale, shift and shrinking.
    best = spread.scale_end(away=(spread.value > value) == (spread.range.best > spread.range.worst))
    x, x0 = spread.scaled(spread.value, best), spread.scaled(value, best)
    if abs(x0) >= 1:  # at the end of the scale or beyond, which no interval reaches
        return float(np.sign(spread.value - value)) * np.inf
    length = best - spread.range.worst
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
    # The largest share of runs like the seen ones with which the measure is still at `value`, if all others are as far
    # away as can be; M runs of that share are seen with its M-th power.
    return float(np.clip((value - end) / (spread.value - end), 0.0, 1.0) ** spread.n_runs)


def _against_normal(excess: float, se: float, estimate: float, alternative: Alternative, note: str) -> TestResult:
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = float(np.divide(excess, se))
    p = _p_value(statistic, np.inf, alternative)
    return TestResult(statistic, p, estimate, se, np.inf, alternative=alternative, method="normal", note=note)


def _p_value(statistic: float, df: float, alternative: Alternative) -> float:
    if alternative == "greater":
        return float(special.stdtr(df, -statistic))
    if alternative == "less":
        return float(special.stdtr(df, statistic))
    return float(2 * special.stdtr(df, -abs(statistic)))


def _large_sample_note(values: Jackknife) -> str:
    return joined(values.estimate.note, values.why_no_variance() if values.n_runs < 3 else "")
