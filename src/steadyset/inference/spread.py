"""What an interval starts from: the estimate, its spread over runs, and the ends of the measure's range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from steadyset.inference.jackknife import Jackknife
from steadyset.measures.options import Options, can_correct
from steadyset.measures.record import Measure

# The mean of p_f (1 - p_f) is at most p̄ (1 - p̄): with infinitely many independent runs these are never negative.
NEVER_BELOW_CHANCE = ("nogueira", "kuncheva")


@dataclass(frozen=True)
class Range:
    """The bounds of a measure, its best value, and the value of runs that have nothing in common but chance."""

    low: float
    high: float
    best: float
    worst: float

    def clip(self, low: float, high: float) -> tuple[float, float]:
        return float(min(max(low, self.low), self.high)), float(min(max(high, self.low), self.high))


@dataclass(frozen=True)
class Spread:
    """A value from M runs, its jackknife standard error, and the skewness of the runs' influence away from the best.

    `skewness` is positive when a few runs pull the value far from the best one.
    """

    value: float
    se: float
    skewness: float
    n_runs: int
    range: Range

    def at(self, n_runs: int) -> Spread:
        """What is to be expected from another number of runs."""
        return Spread(self.value, self.se * np.sqrt(self.n_runs / n_runs), self.skewness, n_runs, self.range)

    @property
    def is_zero(self) -> bool:
        return self.se == 0

    @property
    def distance(self) -> float:
        """How far the value is from the best one."""
        return max(0.0, abs(self.range.best - self.value))

    @property
    def has_root_scale(self) -> bool:
        return bool(np.isfinite(self.range.best)) and self.distance > 0

    def stretch(self, quantile: float) -> float:
        """The quantile for the end away from the best: t + G (1 + 2 t²) / (6 sqrt(M)), the skewed tail."""
        return quantile + self.skewness * (1 + 2 * quantile**2) / (6 * float(np.sqrt(self.n_runs)))


def measure_range(measure: Measure, options: Options, value: float) -> Range:
    """The range of what is reported: a measure corrected for chance by `expectation` has its best value at 1."""
    low, high = measure.bounds
    if measure.name in NEVER_BELOW_CHANCE:
        low = min(0.0, value)
    corrected = measure.corrected
    if options.corrects and can_correct(measure):
        low, high, corrected = -np.inf, 1.0, True
    best, worst = (high, low) if measure.higher_is_steadier else (low, high)
    if corrected and measure.higher_is_steadier:
        worst = 0.0
        if np.isinf(best) and value <= 1:
            best = 1.0
    return Range(low, high, best, worst)


def spread_of(values: Jackknife, options: Options) -> Spread:
    """The spread of defined leave-one-out values."""
    ends = measure_range(values.measure, options, values.value)
    away = -values.deviations if values.measure.higher_is_steadier else values.deviations
    return Spread(values.value, values.se, _skewness(away) if values.has_spread else 0.0, values.n_runs, ends)


def zero_spread_ends(spread: Spread, alpha: float) -> tuple[float, float]:
    """The interval of M runs that all behave alike, where every variance estimate is 0.

    If a share p of all runs behaved otherwise, M alike would be seen with probability (1-p)^M, so p is at most
    1 - alpha^(1/M) at this level. The measure is then between (1-p) value + p worst and (1-p) value + p best: a run of
    the other kind may agree half with the seen kind and not at all with its own. worst is the value of chance for
    measures that are corrected for it, else the bound.
    """
    p = 1 - alpha ** (1 / spread.n_runs)
    ends = [_mixed(spread.value, end, p) for end in (spread.range.worst, spread.range.best)]
    return min(ends), max(ends)


def root_ends(spread: Spread, quantile: float) -> tuple[float, float]:
    """The ends on the scale of the square root of the distance to the best value, where counts of rare events have a
    constant variance: (sqrt(D) ± se/(2 sqrt(D)) t)², with the stretched quantile away from the best."""
    root = np.sqrt(spread.distance)
    unit = spread.se / (2 * root)
    near = max(0.0, root - quantile * unit) ** 2
    far = (root + spread.stretch(quantile) * unit) ** 2
    sign = 1.0 if spread.range.best >= spread.value else -1.0
    ends = (spread.range.best - sign * far, spread.range.best - sign * near)
    return min(ends), max(ends)


def t_quantile(level: float, df: float) -> float:
    return float(special.stdtrit(df, (1 + level) / 2))


def _mixed(value: float, other: float, share: float) -> float:
    return value if other == value else (1 - share) * value + share * other


def _skewness(away: np.typing.NDArray[np.float64]) -> float:
    """The adjusted Fisher-Pearson coefficient, 0 where the long tail is on the side of the best value."""
    M = len(away)
    away = away - away.mean()
    g = float(np.mean(away**3) / np.mean(away**2) ** 1.5)
    return max(0.0, g * float(np.sqrt(M * (M - 1))) / (M - 2))
