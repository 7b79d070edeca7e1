"""A family of measures is one object: what can be asked of every measure whose score looks at the same thing.

A family of one's own overrides what it knows. `pair_scores` alone makes measures that are means over pairs of runs:
values, leave-one-out values, intervals, tests, bootstraps and certificates follow from it. Anything else overrides
`evaluate`; the rest then has slower ways that need nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from steadyset.foundation.errors import UndefinedError
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.options import Estimate, NullExpectation, Options, sizes_in_words
from steadyset.measures.record import Measure
from steadyset.selections import Selections

if TYPE_CHECKING:
    from steadyset.measures.patterns import Collections
    from steadyset.similarity import FeatureSimilarity


Score = Callable[[Ints, Ints, Ints], Floats]
NAMED_RUNS = 5
MOST_SIZES = 500  # with more distinct sizes a note does not look for single runs at fault


class PairTotal:
    """The running mean of a pairwise score, and how many pairs had none."""

    def __init__(self) -> None:
        self.sum, self.n, self.n_undefined = 0.0, 0, 0

    def add(self, scores: Floats, n_pairs: Ints) -> None:
        """Scores of kinds of pairs, each as often as there are pairs of the kind."""
        add_rows([self], scores[None], n_pairs)

    def estimate(self, measure: Measure, score: Score, selections: Selections, options: Options) -> Estimate:
        """The mean of a score that is undefined because of the sizes of runs; a note names those at fault."""
        return self.settled(measure, partial(_culprits, score, selections), options)

    def settled(self, measure: Measure, culprits: Callable[[], str], options: Options) -> Estimate:
        """The mean, by the policy for undefined pairs; their note ends with the `culprits`."""
        if self.n_undefined == 0:
            return Estimate(self.sum / self.n)
        pairs = "pairs" if measure.symmetric else "ordered pairs"
        why = f" ({measure.undefined})" if measure.undefined else ""
        note = f"undefined for {self.n_undefined} of {self.n} {pairs}{why}{culprits()}"
        if options.undefined == "raise":
            raise UndefinedError(f"{measure.name} is {note}.")
        if options.undefined == "nan":
            return Estimate(float("nan"), note=note)
        return Estimate((self.sum + float(options.undefined) * self.n_undefined) / self.n, note=note)


def add_rows(totals: Sequence[PairTotal], scores: Floats, n_pairs: Ints) -> None:
    """Many scores of the same kinds of pairs at once: row w of the table is added to totals[w]."""
    n, weighed = int(n_pairs.sum()), scores * n_pairs  # a BLAS product would start threads
    sums = weighed.sum(axis=1)
    for w in np.flatnonzero(np.isnan(sums)).tolist():
        undefined = np.isnan(scores[w])
        totals[w].n_undefined += int(n_pairs[undefined].sum())
        sums[w] = np.where(undefined, 0.0, weighed[w]).sum()
    for total, more in zip(totals, sums.tolist(), strict=True):
        total.sum += more
        total.n += n


def _culprits(score: Score, selections: Selections) -> str:
    """The runs that the undefined pairs have in common; without such, the sizes are the reason, not runs."""
    sizes, n_runs = np.unique(selections.sizes, return_counts=True)
    if len(sizes) == 1:
        return ""
    guilty = _guilty_sizes(score, sizes, n_runs, selections.n_features) if len(sizes) <= MOST_SIZES else sizes[:0]
    if len(guilty) == 0:
        return f": {sizes_in_words(sizes)}"
    return named_runs(np.flatnonzero(np.isin(selections.sizes, guilty)), selections)


def named_runs(runs: Ints, selections: Selections) -> str:
    """The end of a note that names runs."""
    names = [selections.labels[i] if selections.labels else str(i + 1) for i in runs[:NAMED_RUNS]]
    more = f" and {len(runs) - NAMED_RUNS} more" if len(runs) > NAMED_RUNS else ""
    return f": run{'s' if len(runs) > 1 else ''} {', '.join(names)}{more}"


def _guilty_sizes(score: Score, sizes: Ints, n_runs: Ints, d: int) -> Ints:
    """The sizes without a score even with themselves, when every undefined pair has one of them; else none."""
    if not np.isnan(score(np.maximum(0, 2 * sizes - d), sizes, sizes)).any():
        return sizes[:0]
    a, b = (x.ravel() for x in np.meshgrid(sizes, sizes, indexing="ij"))
    undefined = np.isnan(score(np.maximum(0, a + b - d), a, b)).reshape(len(sizes), -1)
    undefined |= undefined.T
    guilty = undefined.diagonal().copy()
    np.fill_diagonal(undefined, guilty & (n_runs > 1))
    guilty &= undefined.any(axis=1)
    explained = not undefined[np.ix_(~guilty, ~guilty)].any()
    return sizes[guilty] if explained else sizes[:0]


AS_PUBLISHED = 'expectation must be "auto" or "none"'


class Family:
    """What a family can do. `name` is what records say as their family.

    `correctable` says that `expectation` can correct measures that are published without a correction for chance.
    """

    name: str
    correctable: bool = False

    # ---- values ------------------------------------------------------------------------------------------------

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        """One Estimate per measure, with work shared where it can be; here the means of `pair_scores`."""
        return [self._mean_over_pairs(selections, measure, options) for measure in measures]

    @property
    def over_pairs(self) -> bool:
        """Whether the measures are means over pairs of runs."""
        return type(self).pair_scores is not Family.pair_scores

    def pair_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        """The M x M scores of all ordered pairs (i, j), nan where undefined and on the diagonal."""
        raise NotImplementedError(f"The measures of the family {self.name!r} are not means over pairs of runs.")

    def settled_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        """`pair_scores` with zeros on the diagonal, undefined ones as `options.undefined` says."""
        scores = options.filled(self.pair_scores(selections, measure, options))
        np.fill_diagonal(scores, 0.0)
        return scores

    def without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """Leave-one-out values: without[m, i] is the value of measure m without run i, nan where it is undefined.

        A mean over pairs loses the pairs of the run; anything else is evaluated M times.
        """
        if not self.over_pairs:
            return self.evaluated_without(selections, measures, options)
        tables = (self.settled_scores(selections, measure, options) for measure in measures)
        return without_pairs(np.stack([table.sum(axis=0) + table.sum(axis=1) for table in tables]))

    def jackknifed(
        self, selections: Selections, measures: Sequence[Measure], options: Options
    ) -> tuple[list[Estimate], Floats]:
        """`evaluate`, and `without` for the values that it finds (nan for undefined ones and for two runs)."""
        found = self.evaluate(selections, measures, options)
        without = np.full((len(measures), selections.n_runs), np.nan)
        known = [m for m, one in enumerate(found) if selections.n_runs > 2 and not np.isnan(one.value)]
        if known:
            without[known] = self.without(selections, [measures[m] for m in known], options)
        return found, without

    def evaluated_without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """The leave-one-out values of any measure, by evaluating it once for each run."""
        if options.undefined == "raise":
            options = replace(options, undefined="nan")
        runs = np.arange(selections.n_runs)
        columns = [[x.value for x in self.evaluate(selections.take(runs != i), measures, options)] for i in runs]
        return np.array(columns, dtype=np.float64).T

    def reached(self, selections: Selections, measure: Measure, options: Options) -> float:
        """The value that runs of these sizes have when each meets its like; nan: the best value of the measure."""
        return float("nan")

    # ---- chance ------------------------------------------------------------------------------------------------

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """What random selection of the same sizes gives, where the family knows better than to draw collections.

        `value` is what the runs have; nan tells that the measure is undefined for such sizes.
        """
        return None

    def drawn_by_chance(self, selections: Selections, measure: Measure, options: Options) -> Floats | None:
        """The values of `options.n_draws` random collections of the same sizes, where one call has them all."""
        return None

    def can_correct(self, measure: Measure) -> bool:
        """Whether `expectation` acts on a measure: there is something to take off and a largest value to scale to."""
        return self.correctable and not measure.corrected and bool(np.isfinite(measure.bounds[1]))

    def why_not_corrected(self, measure: Measure) -> str:
        """Why a correction that was asked for cannot be had; nothing when it can."""
        if measure.corrected:
            return f"{measure.name} is corrected for chance already; {AS_PUBLISHED}."
        return "" if self.can_correct(measure) else f"{measure.name} has no largest value to scale to; {AS_PUBLISHED}."

    # ---- certificates ------------------------------------------------------------------------------------------

    def values(self, measure: Measure, collections: Collections) -> Floats | None:
        """The values of many small collections in one call; None: by the scores of pairs, or one by one."""
        return None

    def intersections(self, measure: Measure, selections: Selections, similarity: FeatureSimilarity) -> Floats | None:
        """What each two runs share when similar features count, as the measure counts them; None: it does not tell."""
        return None

    # ---- means over pairs --------------------------------------------------------------------------------------

    def _mean_over_pairs(self, selections: Selections, measure: Measure, options: Options) -> Estimate:
        scores = self.pair_scores(selections, measure, options)
        total = PairTotal()
        ways = [scores[np.triu_indices(len(scores), 1)]]
        if not measure.symmetric:
            ways.append(scores.T[np.triu_indices(len(scores), 1)])
        for way in ways:
            total.add(way, np.ones(len(way), dtype=np.int64))
        missing = np.isnan(scores) | np.eye(len(scores), dtype=np.bool_)
        return total.settled(measure, partial(culprits, np.asarray(missing.all(axis=1)), measure, selections), options)


def without_pairs(sums: Floats) -> Floats:
    """Leave-one-out values from the sums of s_ij + s_ji over j, which count each score twice in all."""
    M = sums.shape[1]
    return np.asarray((sums.sum(axis=1, keepdims=True) / 2 - sums) / ((M - 1) * (M - 2)))


def culprits(guilty: Bools, measure: Measure, selections: Selections) -> str:
    """The end of a note on undefined pairs: the runs without a score with any other, or the sizes."""
    if guilty.any() and not guilty.all():
        return named_runs(np.flatnonzero(guilty), selections)
    return f": {sizes_in_words(selections.sizes)}" if measure.constant_size else ""
