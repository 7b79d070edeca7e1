"""What an interval starts from: the estimate, its spread over runs, and the ends of the measure's range."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isclose, isfinite, isinf, nan, sqrt

import numpy as np
from scipy import special

from steadyset.inference.jackknife import Jackknife
from steadyset.measures.options import Options
from steadyset.measures.record import Measure, get_family

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
