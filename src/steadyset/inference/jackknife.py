"""Leave-one-out values: what a measure is worth without each run. Intervals and tests of every measure start here.

Three ways, the first that fits: a mean over pairs loses one row and one column of its scores; a function of the
frequencies loses one selection of each feature of the run; anything else is evaluated M times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from steadyset.measures.evaluate import estimates
from steadyset.measures.evaluators import PAIR_SCORES
from steadyset.measures.options import Estimate, Options, can_correct
from steadyset.measures.record import Measure
from steadyset.selections import Selections

FloatArray = npt.NDArray[np.float64]
NO_SPREAD = 1e-9  # leave-one-out values that differ less than this, relative to their size, differ by rounding only


@dataclass(frozen=True)
class Jackknife:
    """A measure, its value on all M runs, and its values without each of them (nan: undefined, or M = 2)."""

    measure: Measure
    estimate: Estimate
    without: FloatArray

    @property
    def value(self) -> float:
        return self.estimate.value

    @property
    def n_runs(self) -> int:
        return len(self.without)

    @cached_property
    def deviations(self) -> FloatArray:
        """Mean less leave-one-out value: the influence of each run, divided by M - 1."""
        return np.asarray(self.without.mean() - self.without)

    @cached_property
    def defined(self) -> bool:
        """Whether a variance can be told at all."""
        return bool(np.isfinite(self.without).all())

    @cached_property
    def has_spread(self) -> bool:
        scale = max(1.0, float(np.abs(self.without).max()))
        return bool(np.ptp(self.without) > NO_SPREAD * scale)

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


def jackknife(selections: Selections, measure: Measure, options: Options) -> Jackknife:
    """The leave-one-out values of one measure."""
    return jackknives(selections, [measure], options)[0]


def jackknives(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Jackknife]:
    """The leave-one-out values of many measures; measures of the frequencies share the counting."""
    if options.random_state is None:  # each leave-one-out value must meet the same simulated expectation
        options = replace(options, random_state=int(np.random.SeedSequence().generate_state(1)[0]))
    levels: npt.NDArray[np.int64] | None = None
    found = []
    for measure, estimate in zip(measures, estimates(selections, measures, options), strict=True):
        if selections.n_runs < 3 or np.isnan(estimate.value):
            without = np.full(selections.n_runs, np.nan)
        elif measure.family in PAIR_SCORES:
            without = _without_pairs(pair_scores(selections, measure, options))
        elif measure.family == "frequency" and not (options.corrects and can_correct(measure)):
            if levels is None:
                levels = levels_without_each(selections)
            without = _without_levels(selections, measure, options, levels)
        else:
            without = _evaluated(selections, measure, options)
        found.append(Jackknife(measure, estimate, without))
    return found


def pair_scores(selections: Selections, measure: Measure, options: Options) -> FloatArray:
    """The M x M scores of a mean over pairs, zeros on the diagonal, undefined ones as `options.undefined` says."""
    scores = PAIR_SCORES[measure.family](selections, measure, options)
    if options.undefined not in ("nan", "raise"):
        scores = np.where(np.isnan(scores), float(options.undefined), scores)
    np.fill_diagonal(scores, 0.0)
    return scores


def levels_without_each(selections: Selections) -> npt.NDArray[np.int64]:
    """levels[i, h]: how many features exactly h of the runs other than i selected, h = 0..M-1."""
    M = selections.n_runs
    runs = np.repeat(np.arange(M), selections.sizes)
    cells = np.bincount(runs * (M + 1) + selections.counts[selections.indices], minlength=M * (M + 1))
    own = cells.reshape(M, M + 1)
    levels = np.bincount(selections.counts, minlength=M + 1) - own
    levels[:, :-1] += own[:, 1:]
    return np.ascontiguousarray(levels[:, :-1])


def _without_pairs(scores: FloatArray) -> FloatArray:
    M = len(scores)
    lost = scores.sum(axis=0) + scores.sum(axis=1)
    return np.asarray((scores.sum() - lost) / ((M - 1) * (M - 2)))


def _without_levels(
    selections: Selections, measure: Measure, options: Options, levels: npt.NDArray[np.int64]
) -> FloatArray:
    """One call for each distinct size of the run that is left out: the other sizes are then the same."""
    sizes = selections.sizes
    without = np.empty(selections.n_runs)
    for size in np.unique(sizes):
        runs = np.flatnonzero(sizes == size)
        others = np.delete(sizes, runs[0])
        without[runs] = measure.score(levels[runs], others, selections.n_features, **measure.params)
    if options.undefined not in ("nan", "raise"):
        without[np.isnan(without)] = float(options.undefined)
    return without


def _evaluated(selections: Selections, measure: Measure, options: Options) -> FloatArray:
    M = selections.n_runs
    if options.undefined == "raise":
        options = replace(options, undefined="nan")
    return np.array(
        [estimates(selections.take(np.arange(M) != i), [measure], options)[0].value for i in range(M)], dtype=np.float64
    )
