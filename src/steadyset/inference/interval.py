"""Confidence intervals for any measure, what they and tests start from, and how many runs a narrow one needs.

They start from leave-one-out values, how these spread, and the published variance; how leave-one-out values are found
is the business of the measure's family (`Family.without`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isclose, isfinite, isinf, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy import special

from steadyset.foundation import arguments
from steadyset.foundation.display import Bar, Display, Shown, Table
from steadyset.foundation.errors import InputError, warn_caller
from steadyset.foundation.text import percent, span
from steadyset.inference.table import caution, cautions, joined
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.evaluate import Estimate, Expectation, Options, Undefined, estimates, evaluated_together
from steadyset.measures.record import Measure, get_family, get_measure
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity


NO_SPREAD, SMALL = 1e-9, 1e-4


@dataclass(frozen=True)
class Jackknife:
    """A measure, its value on all M runs, its values without each of them (nan: undefined, or M = 2), and how these
    spread."""

    measure: Measure
    estimate: Estimate
    without: Floats
    deviations: Floats  # mean less leave-one-out value: the influence of each run, divided by M - 1
    defined: bool  # whether a variance can be told at all
    has_spread: bool  # whether the values differ by more than rounding
    se: float  # sqrt((M-1)/M sum of squared deviations), joined by the Monte Carlo error of the measure's expectation
    skewness: float  # of the deviations: mean cube / (mean square)^1.5; 0 without a spread
    reached: float  # the value of runs of these sizes that meet their like; nan: the best one of the measure

    @classmethod
    def of(cls, measure: Measure, estimate: Estimate, without: Floats, reached: float) -> Jackknife:
        """What leave-one-out values tell."""
        M, squares, skewness = len(without), 0.0, 0.0
        defined = bool(np.isfinite(without).all())
        deviations = without.mean() - without if defined else np.full(M, np.nan)
        has_spread = defined and bool(np.ptp(without) > rounding(without))
        if has_spread:
            squares = float(np.sum(deviations**2))
            centred = deviations - deviations.mean()
            skewness = float(np.mean(centred**3) / np.mean(centred**2) ** 1.5)
        # Simulating an expectation adds its own error, which no run brings and which more draws, not more runs, make
        # smaller.
        se = sqrt((M - 1) / M * squares + estimate.mc_error**2) if defined else nan
        return cls(measure, estimate, without, deviations, defined, has_spread, se, skewness, reached)

    @property
    def value(self) -> float:
        return self.estimate.value

    @property
    def n_runs(self) -> int:
        return len(self.without)

    def reordered(self, runs: Ints) -> Jackknife:
        """The same with the runs in another order."""
        return Jackknife.of(self.measure, self.estimate, self.without[runs], self.reached)

    def why_no_variance(self) -> str:
        """The sentence for an interval that is the whole range."""
        if self.n_runs < 3:
            return "two runs make one pair: no variance can be estimated"
        runs = np.flatnonzero(~np.isfinite(self.without)) + 1
        return f"undefined without run {runs[0]}: no variance can be estimated"


def rounding(without: Floats) -> float:
    """Leave-one-out values that differ by no more than this differ by rounding only."""
    return NO_SPREAD * max(SMALL, float(np.abs(without).max()))


def jackknife(selections: Selections, measure: Measure, options: Options) -> Jackknife:
    """The leave-one-out values of one measure."""
    return jackknives(selections, [measure], options)[0]


def jackknives(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Jackknife]:
    """The leave-one-out values of many measures; those of one family share their work."""
    found: dict[int, Jackknife] = {}
    rough = caution(selections.labels)
    for family, places in evaluated_together(selections, measures, options):
        values = family.jackknifed(selections, [measures[m] for m in places], options)
        for m, estimate, without in zip(places, *values, strict=True):
            if rough and not isnan(estimate.value):
                estimate = replace(estimate, note=joined(estimate.note, rough))
            reached = family.reached(selections, measures[m], options)
            found[m] = Jackknife.of(measures[m], estimate, without, reached)
    return [found[m] for m in range(len(measures))]


# Empirical choices: of 0, 0.5, 0.6, 0.75 and 1 the least that held 93%, and of 0, 3.5, 4 and 4.5 the one that held 93
# to 98% with most room on both sides, in every cell of docs/coverage.md.
SKEW_SHIFT = 0.6
SKEW_SHRINK = 4.0
FEWEST_RUNS = 5  # with fewer the shrinking is as with these: the study starts here


@dataclass(frozen=True)
class Range:
    """The bounds of a measure, and between them: its best value, `worst`, the value of runs that have nothing in common
    but chance, and `floor`, the least value that infinitely many runs can have."""

    low: float
    high: float
    best: float
    worst: float
    floor: float
    reached: float  # the value of runs of these sizes that meet their like: the best one, or short of it

    def clip(self, low: float, high: float) -> tuple[float, float]:
        """The ends within what infinitely many runs can reach."""
        return float(min(max(low, self.floor), self.high)), float(min(max(high, self.floor), self.high))


@dataclass(frozen=True)
class Spread:
    """A value from M runs, its jackknife standard error, and the skewness of the runs' influence away from the best.

    `skewness` is positive when a few runs pull the value far from the best one; `alike` tells that no run behaves
    differently from the others, so that se is 0 or Monte Carlo error only.
    """

    value: float
    se: float
    skewness: float
    n_runs: int
    range: Range
    alike: bool

    def at(self, n_runs: int) -> Spread:
        """What is to be expected from another number of runs."""
        return replace(self, se=self.se * sqrt(self.n_runs / n_runs), n_runs=n_runs)

    def ends(self, level: float, method: str = "auto") -> tuple[float, float]:
        """The interval, by "auto", "jackknife" or "logit"."""
        # A variance of 0 would make an interval of one point, whatever the number of runs.
        if self.alike:
            return self.range.clip(*zero_spread_ends(self, 1 - level))
        ends = auto_ends if method == "auto" else logit_ends if method == "logit" else plain_ends
        return self.range.clip(*ends(self, t_quantile(level, self.n_runs - 1)))

    @property
    def shift(self) -> float:
        """How far the quantile of the end away from the best is moved: SKEW_SHIFT times the skewness of the value."""
        return SKEW_SHIFT * self.skewness / sqrt(self.n_runs)

    @property
    def shrink(self) -> float:
        """By what the quantile of the end towards the best is multiplied: skew runs say more about that side."""
        return 1 - SKEW_SHRINK * self.skewness / max(self.n_runs, FEWEST_RUNS) ** 2

    @property
    def has_fisher_scale(self) -> bool:
        return -1 < self.scaled(self.value, self.range.best) < 1

    def scaled(self, value: float, best: float) -> float:
        """Where a value lies between worst (0) and `best` (1); nan when either is infinite."""
        length = best - self.range.worst
        return (value - self.range.worst) / length if isfinite(length) else nan

    def scale_end(self, *, away: bool) -> float:
        """Where Fisher's scale ends for the end of the interval away from the best value, and for the other one.

        Sets of k of d features that are all the same have lustgarten 1 - k/d. Runs close to that have no room above,
        and skew as runs close to 1 do by other measures; but k varies too, so that the true value may lie above it.
        """
        end = self.range.reached
        return end if away and self.falls_short and -1 < self.scaled(self.value, end) < 1 else self.range.best

    @property
    def falls_short(self) -> bool:
        """Whether runs of these sizes that are all the same do not have the best value of the measure."""
        end = self.range.reached
        return isfinite(end) and not isclose(end, self.range.best, rel_tol=1e-9)


def measure_range(measure: Measure, options: Options, value: float, reached: float = nan) -> Range:
    """The range of what is reported: a measure corrected for chance by `expectation` has its best value at 1."""
    low, high = measure.bounds
    corrected = measure.corrected
    if options.corrects and get_family(measure).can_correct(measure):
        low, high, corrected = -inf, 1.0, True
    best, worst = (high, low) if measure.higher_is_steadier else (low, high)
    if corrected and measure.higher_is_steadier:
        # A corrected measure has no lower bound that sets could reach; chance, its 0, is where nothing is in common.
        worst = 0.0
        if isinf(best) and value <= 1:
            best = 1.0
    floor = low if measure.floor is None else measure.floor
    # A number given for undefined pairs may lead out of the bounds.
    return Range(min(low, value), max(high, value), best, worst, min(floor, value), reached)


def spread_of(values: Jackknife, options: Options) -> Spread:
    """The spread of defined leave-one-out values."""
    ends = measure_range(values.measure, options, values.value, values.reached)
    away = -values.skewness if values.measure.higher_is_steadier else values.skewness
    M, skewness = values.n_runs, 0.0
    if values.has_spread:  # the adjusted Fisher-Pearson coefficient, 0 where the long tail is on the best value's side
        skewness = max(0.0, away * sqrt(M * (M - 1)) / (M - 2))
    return Spread(values.value, values.se, skewness, values.n_runs, ends, alike=not values.has_spread)


def zero_spread_ends(spread: Spread, alpha: float) -> tuple[float, float]:
    """The interval of M runs that all behave alike, where every variance estimate is 0.

    If a share p of all runs behaved otherwise, M alike would be seen with probability (1-p)^M, so p is at most
    1 - alpha^(1/M) at this level. The measure is then between (1-p) value + p worst and (1-p) value + p best: a run of
    the other kind may agree half with the seen kind and not at all with its own. worst is the value of chance for
    measures that are corrected for it, else the bound.
    """
    value, p = spread.value, 1 - alpha ** (1 / spread.n_runs)
    ends = [value if end == value else (1 - p) * value + p * end for end in (spread.range.worst, spread.range.best)]
    return min(value, *ends), max(value, *ends)


def fisher_ends(spread: Spread, quantile: float) -> tuple[float, float]:
    """The ends on Fisher's scale z = atanh(x), x the position between the value of chance and the best value.

    Formula: tanh(z + t (1 - 4 G/M²) se_z), away from the best tanh(z - (t + 0.6 G/sqrt(M)) se_z),
    se_z = se / (length (1 - x²)), G the skewness; the best value away from it is the one that the sizes can reach
    """
    ends = []
    for best, steps in (
        (spread.scale_end(away=True), -(quantile + spread.shift)),
        (spread.scale_end(away=False), quantile * spread.shrink),
    ):
        length = best - spread.range.worst
        x = spread.scaled(spread.value, best)
        unit = abs(spread.se / length) / (1 - x * x)
        ends.append(float(spread.range.worst + length * np.tanh(np.arctanh(x) + steps * unit)))
    return min(ends), max(ends)


@lru_cache(maxsize=64)  # all measures of a table have the same
def t_quantile(level: float, df: float) -> float:
    return float(special.stdtrit(df, (1 + level) / 2))


def nogueira_influence(selections: Selections, value: float) -> Floats:
    """phi_(i) of each run.

    Formula: phi_(i) = [(1/d) sum_f z_if p_f - k_i k̄/d² + (Phi/2)(2 k_i k̄/d² - k_i/d - k̄/d + 1)] / [(k̄/d)(1 - k̄/d)]
    Reference: Nogueira 2018, theorem 6; Gwet 2008
    """
    d, M = selections.n_features, selections.n_runs
    runs = np.repeat(np.arange(M), selections.sizes)
    shared = np.bincount(runs, weights=selections.frequencies[selections.indices], minlength=M) / d
    k = selections.sizes / d
    mean = float(k.mean())
    return np.asarray((shared - k * mean + value / 2 * (2 * k * mean - k - mean + 1)) / (mean * (1 - mean)))


def published_variance(selections: Selections, values: Jackknife) -> float:
    """4/M² sum (phi_(i) - mean)².

    A mean over pairs has g_i, the mean score of run i against the others, in place of phi_(i). As leave-one-out values
    deviate by 2 (g_i - mean)/(M - 2), every measure has the form (M - 2)²/M² sum (deviation_i)².
    """
    M = selections.n_runs
    if values.measure.name == "nogueira" and not np.isnan(values.value):
        influence = nogueira_influence(selections, values.value)
        return float(4 / M**2 * np.sum((influence - influence.mean()) ** 2))
    if not values.defined:
        return float("nan")
    return float((M - 2) ** 2 / M**2 * np.sum(values.deviations**2))


MOST_RESAMPLES = 10**7
# Where runs that are all the same do not reach the best value (lustgarten), 95% intervals of few runs covered 90% in
# one design of docs/coverage.md: features that come and go in blocks.
ENOUGH_WHERE_SHORT = 50
FALLS_SHORT = f"with fewer than {ENOUGH_WHERE_SHORT} runs the interval of this measure is up to 5% too confident"
Method = Literal["auto", "normal", "t", "jackknife", "bootstrap", "logit"]


@dataclass(frozen=True)
class Interval(Shown):
    """An estimate with a confidence interval: what `confidence_interval` answers.

    Attributes
    ----------
    estimate : float
        The value of the measure.
    low : float
        The lower end.
    high : float
        The upper end.
    se : float
        The standard error of the estimate; nan where it cannot be estimated.
    method : str
        How the interval was made.
    level : float
        The confidence.
    note : str
        What to know about it; empty where there is nothing.
    width : float
        The upper end minus the lower one.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC"]
    >>> sel = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"]] * 20, features=genes)
    >>> interval = st.confidence_interval(sel, "jaccard", level=0.9)
    >>> round(interval.estimate, 2), round(interval.width, 2), interval.level
    (0.66, 0.06, 0.9)
    """

    estimate: float
    low: float
    high: float
    se: float
    method: str
    level: float
    note: str = ""

    @property
    def width(self) -> float:
        """The upper end minus the lower one."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def _display(self) -> Display:
        within = f"{percent(self.level)} interval"
        header = ("estimate", within, "", "standard error", "method")
        bar = Bar(self.estimate, self.low, self.high)
        row = (float(self.estimate), span(self.low, self.high, 3), bar, float(self.se), self.method)
        return Display("Interval", tables=[Table(header, [row])], notes=[self.note])


def confidence_interval(
    selections: RunsLike,
    measure: str | Measure = "nogueira",
    *,
    level: float = arguments.LEVEL,
    method: Method = "auto",
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    n_resamples: int = 2_000,
    random_state: int | None = None,
    **measure_params: Any,
) -> Interval:
    """An interval for the stability that infinitely many runs like these would show.

    It speaks of the resampling scheme on this data set, not of new data sets, and it takes the runs as independent
    draws: see docs/uncertainty.md.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    level : float, default=0.95
        The confidence of the interval, between 0 and 1.
    method : {"auto", "normal", "t", "jackknife", "bootstrap", "logit"}, default="auto"
        How the interval is made; see the notes.
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
    n_resamples : int, default=2000
        How many resamples of the runs the bootstrap draws.
    random_state : int or None, default=None
        Seed of what is simulated. None is a fixed seed: the same call gives the same number.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    Interval
        The estimate with its ends, its standard error and a note where there is something to know.

    Notes
    -----
    The methods:

    - "auto": the jackknife on Fisher's scale atanh(x), x the position between the value of chance and the best
      one, with t quantiles; when few runs pull the value down, the end away from the best is moved further out and
      the other one further in. Covers as it should from M = 5 on;
    - "normal": the published one, value ± z sqrt(4/M² sum (phi_(i) - mean)²); for M >= 100;
    - "t": the same with M/(M-1) times the variance and t quantiles with M - 1 degrees of freedom;
    - "jackknife": value ± t se with the jackknife standard error;
    - "logit": the jackknife on the scale log((value - low)/(high - value)) of the measure's bounds;
    - "bootstrap": runs resampled, bias-corrected and accelerated.

    When no run behaves differently from the others every variance is 0; all methods but "normal" and "t" then give an
    interval from the number of runs that behave alike, and say so in the note. When no variance can be estimated (two
    runs) the interval is the whole range of the measure; "normal" and "t" have the published variance 0 then, which
    says nothing.

    References
    ----------
    * Nogueira, Sechidis and Brown (2018), On the stability of feature selection algorithms, JMLR 18.
    * Efron (1987), Better bootstrap confidence intervals, JASA 82.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 4]], n_features=10)
    >>> interval = st.confidence_interval(sel)
    >>> round(interval.estimate, 3), round(interval.low, 3), round(interval.high, 3)
    (0.524, 0.0, 0.945)
    """
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    arguments.check_level(level)
    arguments.check_choice("method", method, get_args(Method))
    arguments.check_integer("n_resamples", n_resamples, least=100, most=MOST_RESAMPLES)
    runs = as_selections(selections)
    values = jackknife(runs, record, options)
    if method in ("normal", "t"):
        return large_sample_interval(runs, values, options, level, method)
    if method == "bootstrap" and values.defined and values.has_spread:
        low, high = bca_ends(runs, values, options, level, n_resamples)
        low, high = measure_range(record, options, values.value).clip(low, high)
        return Interval(values.value, low, high, values.se, method, level, values.estimate.note)
    return interval_of(values, options, level, method)


def interval_of(values: Jackknife, options: Options, level: float, method: str = "auto") -> Interval:
    """The interval that leave-one-out values give by "auto", "jackknife" or "logit"."""
    note = values.estimate.note
    if isnan(values.value):
        return Interval(values.value, nan, nan, nan, method, level, note)
    if not values.defined:
        ends = measure_range(values.measure, options, values.value)
        return Interval(values.value, ends.floor, ends.high, nan, method, level, joined(note, values.why_no_variance()))
    spread = spread_of(values, options)
    if spread.alike:
        note = joined(note, "no spread when any one run is left out: bound on the share of runs that would differ")
    elif spread.falls_short and values.n_runs < ENOUGH_WHERE_SHORT:
        note = joined(note, FALLS_SHORT)
    return Interval(values.value, *spread.ends(level, method), spread.se, method, level, note)


def auto_ends(spread: Spread, quantile: float) -> tuple[float, float]:
    return fisher_ends(spread, quantile) if spread.has_fisher_scale else plain_ends(spread, quantile)


def plain_ends(spread: Spread, quantile: float) -> tuple[float, float]:
    return spread.value - quantile * spread.se, spread.value + quantile * spread.se


def logit_ends(spread: Spread, quantile: float) -> tuple[float, float]:
    low, high = spread.range.low, spread.range.high
    if not (np.isfinite(low) and np.isfinite(high)):
        raise InputError('method="logit" needs a measure with two finite bounds; choose another method.')
    below, above = spread.value - low, high - spread.value
    # At a bound the logit is infinite.
    if below <= 0 or above <= 0:
        return plain_ends(spread, quantile)
    centre, unit = np.log(below / above), spread.se * (1 / below + 1 / above)
    shares = 1 / (1 + np.exp(-np.array([centre - quantile * unit, centre + quantile * unit])))
    return float(low + (high - low) * shares[0]), float(low + (high - low) * shares[1])


def large_sample_interval(
    selections: Selections, values: Jackknife, options: Options, level: float, method: str
) -> Interval:
    """The published interval, or the same with the small-sample factor and t quantiles."""
    M, note = values.n_runs, values.estimate.note
    ends = measure_range(values.measure, options, values.value)
    variance = published_variance(selections, values)
    if np.isnan(values.value):
        return Interval(values.value, nan, nan, nan, method, level, note)
    if np.isnan(variance):
        return Interval(values.value, ends.low, ends.high, nan, method, level, joined(note, values.why_no_variance()))
    if variance == 0:
        note = joined(note, "zero variance" if M > 2 else values.why_no_variance())
    quantile = float(special.ndtri((1 + level) / 2)) if method == "normal" else t_quantile(level, M - 1)
    se = float(np.sqrt(variance * (1.0 if method == "normal" else M / (M - 1)) + values.estimate.mc_error**2))
    low, high = max(values.value - quantile * se, ends.low), min(values.value + quantile * se, ends.high)
    return Interval(values.value, low, high, se, method, level, note)


RESAMPLES_A_BLOCK = 512


def bca_ends(
    selections: Selections, values: Jackknife, options: Options, level: float, n_resamples: int
) -> tuple[float, float]:
    """The quantiles of the resampled values at the levels that bias z0 and acceleration a call for.

    Formula: Phi(z0 + (z0 + z)/(1 - a (z0 + z))), a = sum u_i³ / (6 (sum u_i²)^1.5), u_i the jackknife deviations
    Reference: Efron 1987
    """
    resampled = resampled_values(selections, values, options, n_resamples)
    u = values.deviations
    acceleration = float(np.sum(u**3) / (6 * np.sum(u**2) ** 1.5))
    # Measures of few runs have few values: those equal to the estimate count half, or ties would look like bias.
    below = np.mean(resampled < values.value) + np.mean(resampled == values.value) / 2
    z0 = float(special.ndtri(np.clip(below, 1 / n_resamples, 1 - 1 / n_resamples)))
    z = z0 + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    ends = np.quantile(resampled, np.asarray(special.ndtr(z0 + z / (1 - acceleration * z))))
    return float(ends[0]), float(ends[1])


def resampled_values(selections: Selections, values: Jackknife, options: Options, n_resamples: int) -> Floats:
    """The measure on resampled runs, copies of a run never compared with each other."""
    rng = np.random.default_rng(options.given_seed)
    measure, M = values.measure, selections.n_runs
    family, nogueira = get_family(measure), measure.name == "nogueira"
    if not (nogueira or family.over_pairs):
        return _half_samples(selections, values, options, n_resamples, rng)
    if nogueira:  # how many features one of the two runs selects and the other does not
        k = selections.sizes
        table = (k[:, None] + k[None, :] - 2 * selections.intersections()).astype(np.float64)
    else:
        table = family.settled_scores(selections, measure, options)
    found = []
    for start in range(0, n_resamples, RESAMPLES_A_BLOCK):
        n = min(RESAMPLES_A_BLOCK, n_resamples - start)
        weights = rng.multinomial(M, np.full(M, 1 / M), size=n).astype(np.float64)
        # Pairs of copies of one run are perfectly alike by construction and say nothing; they are left out of numerator
        # and denominator alike (the diagonal of the table is 0).
        n_pairs = M * M - np.sum(weights**2, axis=1)
        weights, n_pairs = weights[n_pairs > 0], n_pairs[n_pairs > 0]
        mean = np.sum(weights @ table * weights, axis=1) / n_pairs
        if nogueira:
            share = weights @ selections.sizes / (M * selections.n_features)
            ok = (share > 0) & (share < 1)
            mean = 1 - mean[ok] / (2 * selections.n_features) / (share[ok] * (1 - share[ok]))
        found.append(mean)
    return np.concatenate(found)


def _half_samples(
    selections: Selections, values: Jackknife, options: Options, n_resamples: int, rng: np.random.Generator
) -> Floats:
    measure: Measure = values.measure
    M = selections.n_runs
    m = M // 2
    if m < 2:
        raise InputError(f"The bootstrap of {measure.name} needs at least 4 runs, found {M}.")
    quiet = replace(options, undefined="nan") if options.undefined == "raise" else options
    drawn = np.array(
        [
            estimates(selections.take(rng.choice(M, size=m, replace=False)), [measure], quiet)[0].value
            for _ in range(n_resamples)
        ]
    )
    drawn = drawn[np.isfinite(drawn)]
    if drawn.size == 0:
        raise InputError(f"{measure.name} is undefined on every half of the runs; choose another method.")
    # Copies of runs would bias a measure that is no mean over pairs, so halves are drawn without replacement. Such a
    # half varies by (1 - m / M) / m times the variance of one run, runs in all by 1 / M: hence the factor.
    return np.asarray(values.value + (drawn - drawn.mean()) * np.sqrt(m / (M - m)))


MOST_RUNS = 10**9
MOST_STEPS = 60


def runs_needed(
    selections: RunsLike,
    width: float,
    measure: str | Measure = "nogueira",
    *,
    level: float = arguments.LEVEL,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    random_state: int | None = None,
    **measure_params: Any,
) -> int:
    """How many more runs until the interval of `confidence_interval` is expected to be narrow enough.

    The estimate and the spread of the runs are taken as they are now: the standard error falls with 1/sqrt(M) and the
    t quantile with M. With few runs this is a rough answer; ask again after half of the runs.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    width : float
        How wide the interval may be.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    level : float, default=0.95
        The confidence of the interval, between 0 and 1.
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
    int
        The number of further runs; 0 where there are enough. A warning says where the runs are not independent draws,
        so that the number is a rough guide.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1], [0, 2], [0, 1], [0, 1], [0, 3], [0, 1], [0, 1], [0, 1]], n_features=20)
    >>> st.runs_needed(sel, width=0.2)
    72
    """
    if not (arguments.is_number(width) and width > 0):
        raise arguments.wrong_argument("width", "a positive number", width)
    arguments.check_level(level)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    runs = as_selections(selections)
    more = outlook(runs, record, options, level).more_runs(width)
    for sentence in cautions([caution(runs.labels)]):  # a number alone cannot say so
        warn_caller(sentence)
    return more


@dataclass(frozen=True)
class Outlook:
    """What more runs are expected to give: the estimate and the spread of the runs stay as they are now."""

    spread: Spread
    level: float

    def ends(self, n_runs: int) -> tuple[float, float]:
        """The expected interval of so many runs in all."""
        return self.spread.at(n_runs).ends(self.level)

    def more_runs(self, width: float) -> int:
        """How many more runs make the interval at most `width` wide."""

        def is_narrow(n_runs: int) -> bool:
            low, high = self.ends(n_runs)
            return high - low <= width

        if not is_narrow(MOST_RUNS):
            raise InputError(f"No number of runs makes the interval narrower than {width:g}; choose a larger width.")
        # Width falls with every further run, so the first number that is narrow enough is found by halving.
        return bisect_left(range(self.spread.n_runs, MOST_RUNS), True, key=is_narrow)


def outlook(selections: Selections, measure: Measure, options: Options, level: float) -> Outlook:
    """The outlook from these runs; refused where they have no value or no variance."""
    values = jackknife(selections, measure, options)
    if np.isnan(values.value):
        raise InputError(f"{measure.name} is {values.estimate.note}; the number of runs cannot be planned.")
    if not values.defined:
        raise InputError(f"The number of runs cannot be planned: {values.why_no_variance()}.")
    return Outlook(spread_of(values, options), level)


def convergence_table(
    selections: RunsLike,
    measure: str | Measure = "nogueira",
    *,
    level: float = arguments.LEVEL,
    n_runs: Sequence[int] | None = None,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    random_state: int | None = 0,
    **measure_params: Any,
) -> pd.DataFrame:
    """The estimate and its interval over the first m runs: whether enough runs were made.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    level : float, default=0.95
        The confidence of the interval, between 0 and 1.
    n_runs : sequence of int or None, default=None
        The values of m. None takes all from 2 to M, or at most 60 of them, spaced evenly on a log scale.
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
    random_state : int or None, default=0
        Seed of what is simulated; the same at every m.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    pandas.DataFrame
        One row per m: n_runs, estimate, se, low, high and note, which says where the interval is a rough guide.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1], [0, 2], [0, 1], [0, 1], [0, 3], [0, 1], [0, 1], [0, 1]], n_features=20)
    >>> st.convergence_table(sel, n_runs=[4, 8])[["n_runs", "estimate", "low", "high"]].round(2)
       n_runs  estimate   low  high
    0       4      0.72  0.00  0.97
    1       8      0.74  0.05  0.93
    """
    import pandas as pd

    arguments.check_level(level)
    record = get_measure(measure).with_params(measure_params)
    options = Options(undefined, expectation, n_draws, random_state, similarity)
    runs = as_selections(selections)
    if n_runs is not None and not (
        isinstance(n_runs, Iterable) and list(n_runs) and all(map(arguments.is_whole, n_runs))
    ):
        raise InputError(f"n_runs must hold whole numbers of runs, such as [10, 20] (got {arguments.shown(n_runs)}).")
    steps = _steps(runs.n_runs) if n_runs is None else [int(m) for m in n_runs]
    outside = [m for m in steps if not 2 <= m <= runs.n_runs]
    if outside:
        raise InputError(f"n_runs holds {outside[0]}; expected numbers from 2 to {runs.n_runs}, the number of runs.")
    columns = ["estimate", "se", "low", "high", "note"]
    found = [interval_of(jackknife(runs.take(slice(m)), record, options), options, level) for m in steps]
    return pd.DataFrame({"n_runs": steps, **{name: [getattr(one, name) for one in found] for name in columns}})


def _steps(M: int) -> list[int]:
    if M <= MOST_STEPS:
        return list(range(2, M + 1))
    return sorted({round(m) for m in np.geomspace(2, M, MOST_STEPS)})
