"""Leave-one-out values: what a measure is worth without each run. Intervals and tests of every measure start here.

How they are found is the business of the measure's family (`Family.without`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.measures.evaluate import by_family, estimates
from steadyset.measures.options import Estimate, Options
from steadyset.measures.record import Measure, get_family
from steadyset.selections import Selections

NO_SPREAD, SMALL = 1e-9, 1e-4


@dataclass(frozen=True)
class Jackknife:
    """A measure, its value on all M runs, and its values without each of them (nan: undefined, or M = 2)."""

    measure: Measure
    estimate: Estimate
    without: Floats

    @property
    def value(self) -> float:
        return self.estimate.value

    @property
    def n_runs(self) -> int:
        return len(self.without)

    @cached_property
    def deviations(self) -> Floats:
        """Mean less leave-one-out value: the influence of each run, divided by M - 1."""
        return np.asarray(self.without.mean() - self.without)

    @cached_property
    def defined(self) -> bool:
        """Whether a variance can be told at all."""
        return bool(np.isfinite(self.without).all())

    @cached_property
    def has_spread(self) -> bool:
        return bool(np.ptp(self.without) > rounding(self.without))

    @cached_property
    def se(self) -> float:
        """sqrt((M-1)/M sum of squared deviations), joined by the Monte Carlo error of the measure's expectation."""
        if not self.defined:
            return float("nan")
        squares = float(np.sum(self.deviations**2)) if self.has_spread else 0.0
        return float(np.sqrt((self.n_runs - 1) / self.n_runs * squares + self.estimate.mc_error**2))

    def why_no_variance(self) -> str:
        """The sentence for an interval that is the whole range."""
        if self.n_runs < 3:
            return "two runs make one pair: no variance can be estimated"
        runs = np.flatnonzero(~np.isfinite(self.without)) + 1
        return f"undefined without run {runs[0]}: no variance can be estimated"


def rounding(*without: Floats) -> float:
    """Leave-one-out values that differ by no more than this differ by rounding only."""
    return NO_SPREAD * max(SMALL, *(float(np.abs(values).max()) for values in without))


def jackknife(selections: Selections, measure: Measure, options: Options) -> Jackknife:
    """The leave-one-out values of one measure."""
    return jackknives(selections, [measure], options)[0]


def jackknives(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Jackknife]:
    """The leave-one-out values of many measures; those of one family share their work."""
    values = estimates(selections, measures, options)
    without = np.full((len(measures), selections.n_runs), np.nan)
    known = [m for m, value in enumerate(values) if selections.n_runs > 2 and not np.isnan(value.value)]
    for family, places in by_family([measures[m] for m in known]).items():
        members = [known[place] for place in places]
        without[members] = get_family(family).without(selections, [measures[m] for m in members], options)
    return [Jackknife(measure, values[m], without[m]) for m, measure in enumerate(measures)]
