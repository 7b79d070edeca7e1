"""Frequency measures: functions of how many runs selected each feature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.chance import expected_of_frequencies, scaled, simulated_expectation, simulated_values
from steadyset.measures.family import Family
from steadyset.measures.masks import Collections
from steadyset.measures.options import Estimate, NullExpectation, Options, settle
from steadyset.measures.record import Measure
from steadyset.selections import Selections

CELLS_A_BLOCK = 1 << 22


class Frequency(Family):
    """Functions of the levels, how many features exactly h runs selected, and of the sizes."""

    name = "frequency"
    correctable = True

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        M, d, sizes = selections.n_runs, selections.n_features, selections.sizes
        levels = np.bincount(selections.counts, minlength=M + 1)
        results = []
        for measure in measures:
            value = float(measure.score(levels, sizes, d, **measure.params))
            error, note = 0.0, ""
            if options.corrects and self.can_correct(measure) and not np.isnan(value):
                largest = measure.largest(M, d)
                exact = expected_of_frequencies(measure, sizes, d)
                if exact is not None:
                    expected = exact
                elif options.expectation == "monte_carlo":
                    expected, se = simulated_expectation(measure, sizes, d, options.n_draws, options.seed())
                    error = abs(value - largest) / (largest - expected) ** 2 * se if largest > expected else 0.0
                else:
                    expected, largest = 0.0, 1.0
                    note = 'not corrected: more than two runs need expectation="monte_carlo"'
                value = float(scaled(value, expected, largest))
            results.append(settle(measure, value, error, note, options, sizes))
        return results

    def without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """A run takes one selection of each of its features with it; corrected measures are evaluated M times."""
        corrected = [m for m, measure in enumerate(measures) if options.corrects and self.can_correct(measure)]
        counted = [m for m in range(len(measures)) if m not in corrected]
        without = np.empty((len(measures), selections.n_runs))
        for some, leave_one_out in ((counted, _counted_without), (corrected, self.evaluated_without)):
            if some:
                without[some] = leave_one_out(selections, [measures[m] for m in some], options)
        return without

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """Exact for a linear score and for two runs, else by drawing levels."""
        sizes, d = selections.sizes, selections.n_features
        exact = expected_of_frequencies(measure, sizes, d)
        if exact is not None:
            return NullExpectation(exact)
        simulated = simulated_expectation(measure, sizes, d, options.n_draws, options.seed())
        return NullExpectation(*simulated, "monte_carlo")

    def drawn_by_chance(self, selections: Selections, measure: Measure, options: Options) -> Floats | None:
        """By drawing levels; a value that is corrected for chance takes more than these."""
        if options.corrects and self.can_correct(measure):
            return None
        return simulated_values(measure, selections.sizes, selections.n_features, options.n_draws, options.seed())

    def values(self, measure: Measure, collections: Collections) -> Floats:
        """Collections with the same sizes in one call."""
        sizes, group = np.unique(collections.sizes, axis=0, return_inverse=True)
        values = np.empty(len(collections.masks))
        for g, row in enumerate(sizes):
            chosen = group.ravel() == g
            values[chosen] = measure.score(collections.levels[chosen], row, collections.n_features, **measure.params)
        return values


def levels_without(selections: Selections, runs: Ints) -> Ints:
    """levels[a, h]: how many features exactly h of the runs other than runs[a] selected, h = 0..M-1."""
    M = selections.n_runs
    chosen = [selections.counts[selections.selected(int(i))] for i in runs]
    place = np.repeat(np.arange(len(runs)), [len(h) for h in chosen])
    own = np.bincount(place * (M + 1) + np.concatenate(chosen), minlength=len(runs) * (M + 1)).reshape(-1, M + 1)
    levels = np.bincount(selections.counts, minlength=M + 1) - own
    levels[:, :-1] += own[:, 1:]
    return np.ascontiguousarray(levels[:, :-1])


def _counted_without(selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
    """Runs of one size together: whichever of them is left out, the other sizes are the same."""
    sizes, without = selections.sizes, np.empty((len(measures), selections.n_runs))
    for groups in _in_blocks(sizes, max(1, CELLS_A_BLOCK // selections.n_runs)):
        levels, end = levels_without(selections, np.concatenate(groups)), 0
        for runs in groups:
            start, end = end, end + len(runs)
            others = np.delete(sizes, runs[0])
            for m, measure in enumerate(measures):
                without[m, runs] = measure.score(levels[start:end], others, selections.n_features, **measure.params)
    return options.filled(without)


def _in_blocks(sizes: Ints, most: int) -> Iterator[list[Ints]]:
    """Runs of one size in groups, and as many groups as have at most that many runs together."""
    order = np.argsort(sizes, kind="stable")
    alike = np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1)
    block: list[Ints] = []
    for group in (some[start : start + most] for some in alike for start in range(0, len(some), most)):
        if sum(map(len, block)) + len(group) > most:
            yield block
            block = []
        block.append(group)
    yield block
