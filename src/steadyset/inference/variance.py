"""What an interval or a test starts from: leave-one-out values, how they spread, and the published variance.

How leave-one-out values are found is the business of the measure's family (`Family.without`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isclose, isfinite, isinf, nan, sqrt
from typing import Any

import numpy as np
from scipy import special

from steadyset.inference.caution import caution, joined
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.evaluate import evaluated_together
from steadyset.measures.options import Estimate, Options
from steadyset.measures.record import Measure, get_family
from steadyset.selections import Selections

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
    reached: float = np.nan  # the value of runs of these sizes that meet their like; nan: the best one of the measure

    @property
    def value(self) -> float:
        return self.estimate.value

    @property
    def n_runs(self) -> int:
        return len(self.without)

    def reordered(self, runs: Ints) -> Jackknife:
        """The same with the runs in another order."""
        return replace(_with_spread([self.measure], [self.estimate], self.without[None, runs])[0], reached=self.reached)

    def why_no_variance(self) -> str:
        """The sentence for an interval that is the whole range."""
        if self.n_runs < 3:
            return "two runs make one pair: no variance can be estimated"
        runs = np.flatnonzero(~np.isfinite(self.without)) + 1
        return f"undefined without run {runs[0]}: no variance can be estimated"


def rounding(without: Floats) -> Any:
    """Leave-one-out values (those of one row) that differ by no more than this differ by rounding only."""
    return NO_SPREAD * np.maximum(SMALL, np.abs(without).max(axis=-1))


def jackknife(selections: Selections, measure: Measure, options: Options) -> Jackknife:
    """The leave-one-out values of one measure."""
    return jackknives(selections, [measure], options)[0]


def jackknives(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Jackknife]:
    """The leave-one-out values of many measures; those of one family share their work."""
    found: dict[int, Estimate] = {}
    reached = np.empty(len(measures))
    without = np.empty((len(measures), selections.n_runs))
    for family, places in evaluated_together(selections, measures, options):
        some = [measures[m] for m in places]
        values, without[places] = family.jackknifed(selections, some, options)
        found.update(zip(places, values, strict=True))
        reached[places] = [family.reached(selections, measure, options) for measure in some]
    rough = caution(selections.labels)
    values = [found[m] for m in range(len(measures))]
    if rough:
        values = [one if np.isnan(one.value) else replace(one, note=joined(one.note, rough)) for one in values]
    spread = _with_spread(measures, values, without)
    return [replace(one, reached=end) for one, end in zip(spread, reached.tolist(), strict=True)]


def _with_spread(measures: Sequence[Measure], values: Sequence[Estimate], without: Floats) -> list[Jackknife]:
    """What the leave-one-out values of each row tell, for all rows at once."""
    n, M = without.shape
    defined = np.asarray(np.isfinite(without).all(axis=1))
    deviations, has_spread = np.full((n, M), np.nan), np.zeros(n, dtype=np.bool_)
    squares, skewness = np.zeros(n), np.zeros(n)
    if defined.any():
        known = without[defined]
        deviations[defined] = known.mean(axis=1, keepdims=True) - known
        has_spread[defined] = np.ptp(known, axis=1) > rounding(known)
        squares[has_spread] = np.sum(deviations[has_spread] ** 2, axis=1)
        skewness[has_spread] = _skewness(deviations[has_spread])
    errors = np.array([value.mc_error**2 for value in values])
    se = np.where(defined, np.sqrt((M - 1) / M * squares + errors), np.nan)
    told = zip(defined.tolist(), has_spread.tolist(), se.tolist(), skewness.tolist(), strict=True)
    return [Jackknife(measures[m], values[m], without[m], deviations[m], *row) for m, row in enumerate(told)]


def _skewness(deviations: Floats) -> Floats:
    """The mean cube of each row over its mean square to the power of 1.5."""
    centred = deviations - deviations.mean(axis=1, keepdims=True)
    return np.asarray(np.mean(centred**3, axis=1) / np.mean(centred**2, axis=1) ** 1.5)


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
        return -1 < self.position(self.value) < 1

    def position(self, value: float) -> float:
        """Where a value lies between worst (0) and best (1); nan when either is infinite."""
        return self.scaled(value, self.range.best)

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
    skewness = _adjusted(away, values.n_runs) if values.has_spread else 0.0
    return Spread(values.value, values.se, skewness, values.n_runs, ends, alike=not values.has_spread)


def zero_spread_ends(spread: Spread, alpha: float) -> tuple[float, float]:
    """The interval of M runs that all behave alike, where every variance estimate is 0.

    If a share p of all runs behaved otherwise, M alike would be seen with probability (1-p)^M, so p is at most
    1 - alpha^(1/M) at this level. The measure is then between (1-p) value + p worst and (1-p) value + p best: a run of
    the other kind may agree half with the seen kind and not at all with its own. worst is the value of chance for
    measures that are corrected for it, else the bound.
    """
    p = 1 - alpha ** (1 / spread.n_runs)
    ends = [_mixed(spread.value, end, p) for end in (spread.range.worst, spread.range.best)]
    return min(spread.value, *ends), max(spread.value, *ends)


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


def _mixed(value: float, other: float, share: float) -> float:
    return value if other == value else (1 - share) * value + share * other


def _adjusted(skewness: float, M: int) -> float:
    """The adjusted Fisher-Pearson coefficient, 0 where the long tail is on the side of the best value."""
    return max(0.0, skewness * sqrt(M * (M - 1)) / (M - 2))


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
