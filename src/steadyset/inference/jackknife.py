"""Leave-one-out values: what a measure is worth without each run. Intervals and tests of every measure start here.

The first way that fits: a mean over pairs loses the pairs of the run, a function of the frequencies loses one selection
of each of its features, a function of how often each set occurs loses one occurrence, and anything else is evaluated M
times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from steadyset.measures.evaluate import estimates
from steadyset.measures.evaluators import PAIR_SCORES
from steadyset.measures.evaluators.pairwise import score_sums
from steadyset.measures.evaluators.patterns import distinct_sets, pattern_score
from steadyset.measures.options import Estimate, Options, can_correct
from steadyset.measures.record import Measure
from steadyset.selections import Selections

FloatArray = npt.NDArray[np.float64]
CELLS_A_BLOCK = 1 << 22
NO_SPREAD, SMALL = 1e-9, 1e-4


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


def rounding(*without: FloatArray) -> float:
    """Leave-one-out values that differ by no more than this differ by rounding only."""
    return NO_SPREAD * max(SMALL, *(float(np.abs(values).max()) for values in without))


def jackknife(selections: Selections, measure: Measure, options: Options) -> Jackknife:
    """The leave-one-out values of one measure."""
    return jackknives(selections, [measure], options)[0]


def jackknives(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Jackknife]:
    """The leave-one-out values of many measures; those of one kind share the pass over the pairs or the counting."""
    if options.random_state is None:  # each leave-one-out value must meet the same simulated expectation
        options = replace(options, random_state=int(np.random.SeedSequence().generate_state(1)[0]))
    values = estimates(selections, measures, options)
    without = np.full((len(measures), selections.n_runs), np.nan)
    known = [m for m, value in enumerate(values) if selections.n_runs > 2 and not np.isnan(value.value)]
    for way, leave_one_out in WAYS.items():
        members = [m for m in known if _way(measures[m], options) == way]
        if members:
            without[members] = leave_one_out(selections, [measures[m] for m in members], options)
    return [Jackknife(measure, values[m], without[m]) for m, measure in enumerate(measures)]


def _way(measure: Measure, options: Options) -> str:
    if measure.family == "pairwise":
        return "sums of pairs"
    if measure.family in PAIR_SCORES:
        return "scores of pairs"
    if measure.family == "frequency" and not (options.corrects and can_correct(measure)):
        return "frequencies"
    if measure.family == "patterns":
        return "patterns"
    return "evaluation"


def pair_scores(selections: Selections, measure: Measure, options: Options) -> FloatArray:
    """The M x M scores of a mean over pairs, zeros on the diagonal, undefined ones as `options.undefined` says."""
    scores = PAIR_SCORES[measure.family](selections, measure, options)
    if options.undefined not in ("nan", "raise"):
        scores = np.where(np.isnan(scores), float(options.undefined), scores)
    np.fill_diagonal(scores, 0.0)
    return scores


def levels_without(selections: Selections, runs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """levels[a, h]: how many features exactly h of the runs other than runs[a] selected, h = 0..M-1."""
    M = selections.n_runs
    chosen = [selections.counts[selections.selected(int(i))] for i in runs]
    place = np.repeat(np.arange(len(runs)), [len(h) for h in chosen])
    own = np.bincount(place * (M + 1) + np.concatenate(chosen), minlength=len(runs) * (M + 1)).reshape(-1, M + 1)
    levels = np.bincount(selections.counts, minlength=M + 1) - own
    levels[:, :-1] += own[:, 1:]
    return np.ascontiguousarray(levels[:, :-1])


def _without_sums(selections: Selections, measures: Sequence[Measure], options: Options) -> FloatArray:
    return _without_pairs(score_sums(selections, measures, options).T)


def _without_scores(selections: Selections, measures: Sequence[Measure], options: Options) -> FloatArray:
    tables = (pair_scores(selections, measure, options) for measure in measures)
    return _without_pairs(np.stack([table.sum(axis=0) + table.sum(axis=1) for table in tables]))


def _without_pairs(sums: FloatArray) -> FloatArray:
    """From the sums of s_ij + s_ji over j, which count each score twice in all."""
    M = sums.shape[1]
    return np.asarray((sums.sum(axis=1, keepdims=True) / 2 - sums) / ((M - 1) * (M - 2)))


def _without_frequencies(selections: Selections, measures: Sequence[Measure], options: Options) -> FloatArray:
    """Runs of one size together: whichever of them is left out, the other sizes are the same."""
    sizes, step = selections.sizes, max(1, CELLS_A_BLOCK // selections.n_runs)
    without = np.empty((len(measures), selections.n_runs))
    for size in np.unique(sizes):
        alike = np.flatnonzero(sizes == size)
        others = np.delete(sizes, alike[0])
        for start in range(0, len(alike), step):
            runs = alike[start : start + step]
            levels = levels_without(selections, runs)
            for m, measure in enumerate(measures):
                without[m, runs] = measure.score(levels, others, selections.n_features, **measure.params)
    if options.undefined not in ("nan", "raise"):
        without[np.isnan(without)] = float(options.undefined)
    return without


def _without_patterns(selections: Selections, measures: Sequence[Measure], options: Options) -> FloatArray:
    """Runs of one size whose sets occur equally often together: the value is the same without any of them."""
    sizes, kinds = selections.sizes, distinct_sets(selections)
    times = np.bincount(kinds)
    _, first, place = np.unique(sizes * (len(sizes) + 1) + times[kinds], return_index=True, return_inverse=True)
    values = np.empty((len(measures), len(first)))
    for a, run in enumerate(first):
        left, others = times.copy(), np.delete(sizes, run)
        left[kinds[run]] -= 1
        values[:, a] = [pattern_score(measure, left, others, selections.n_features) for measure in measures]
    if options.undefined not in ("nan", "raise"):
        values[np.isnan(values)] = float(options.undefined)
    return values[:, place]


def _evaluated(selections: Selections, measures: Sequence[Measure], options: Options) -> FloatArray:
    if options.undefined == "raise":
        options = replace(options, undefined="nan")
    runs = np.arange(selections.n_runs)
    columns = [[x.value for x in estimates(selections.take(runs != i), measures, options)] for i in runs]
    return np.array(columns, dtype=np.float64).T


WAYS: dict[str, Callable[[Selections, Sequence[Measure], Options], FloatArray]] = {
    "sums of pairs": _without_sums,
    "scores of pairs": _without_scores,
    "frequencies": _without_frequencies,
    "patterns": _without_patterns,
    "evaluation": _evaluated,
}
