"""Leave-one-out values: what a measure is worth without each run. Intervals and tests of every measure start here.

How they are found is the business of the measure's family (`Family.without`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steadyset.inference.caution import caution, joined
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.evaluate import evaluated_together
from steadyset.measures.options import Estimate, Options
from steadyset.measures.record import Measure
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
