"""Measures of how often features, or whole sets, were selected; and small collections as bits, for the certificates."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.chance import expected_of_frequencies, scaled, simulated_expectation, simulated_values
from steadyset.measures.family import Family
from steadyset.measures.options import Estimate, NullExpectation, Options, settle
from steadyset.measures.record import Measure
from steadyset.selections import MOST_COUNTED, Selections


@dataclass(frozen=True, eq=False)
class Collections:
    """Collections of M sets out of d features: masks has one row per collection and one column per run."""

    masks: Ints
    n_features: int

    @property
    def n_runs(self) -> int:
        return int(self.masks.shape[1])

    @cached_property
    def sizes(self) -> Ints:
        return n_members(self.masks)

    @cached_property
    def shared(self) -> Ints:
        """r_ij of the pairs i<j, one row per collection."""
        return pairwise_shared(self.masks)

    @cached_property
    def levels(self) -> Ints:
        """levels[c, h]: how many features exactly h runs of collection c select."""
        n, M = self.masks.shape
        counts = bits(self.masks, self.n_features).sum(axis=1)
        return np.bincount((counts + np.arange(n)[:, None] * (M + 1)).ravel(), minlength=n * (M + 1)).reshape(n, -1)


def n_members(masks: Ints) -> Ints:
    """The sizes of sets."""
    return np.asarray(np.bitwise_count(masks), dtype=np.int64)


def pairwise_shared(masks: Ints) -> Ints:
    """r_ij of the pairs i<j of each collection."""
    i, j = np.triu_indices(masks.shape[1], 1)
    return n_members(masks[:, i] & masks[:, j])


def bits(masks: Ints, d: int) -> Ints:
    """The 0/1 array with one more axis, the features."""
    return masks[..., None] >> np.arange(d) & 1


CELLS_A_BLOCK = 1 << 22
CELLS_A_CALL = 1 << 13  # of a table of sizes that a score reads in the time of one more call


class Frequency(Family):
    """Functions of the levels, how many features exactly h runs selected, and of the sizes."""

    name = "frequency"
    correctable = True

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        M, d, sizes = selections.n_runs, selections.n_features, selections.sizes
        levels, results = levels_of(selections), []
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
        few = (len(np.unique(selections.sizes)) - 1) * CELLS_A_CALL <= selections.n_runs**2
        ways = [
            self.evaluated_without
            if options.corrects and self.can_correct(measure)
            else _without_together
            if measure.batched and not few
            else _without_by_size
            for measure in measures
        ]
        without = np.empty((len(measures), selections.n_runs))
        for way in dict.fromkeys(ways):
            some = [m for m, own in enumerate(ways) if own == way]
            without[some] = way(selections, [measures[m] for m in some], options)
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


def _without_together(selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
    """All runs in one call of each score, or as many as fit."""
    M, sizes, levels = selections.n_runs, selections.sizes, levels_of(selections)
    without, others = np.empty((len(measures), M)), np.arange(M - 1)
    for runs in _in_blocks(np.arange(M), M):
        left, sizes_left = levels_without(selections, levels, runs), sizes[others + (others >= runs[:, None])]
        for m, measure in enumerate(measures):
            without[m, runs] = measure.score(left, sizes_left, selections.n_features, **measure.params)
    return options.filled(without)


def _without_by_size(selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
    """Runs of one size in one call: whichever of them is left out, the other sizes are the same."""
    M, sizes, levels = selections.n_runs, selections.sizes, levels_of(selections)
    without = np.empty((len(measures), M))
    for size in np.unique(sizes):
        alike = np.flatnonzero(sizes == size)
        sizes_left = np.delete(sizes, alike[0])
        for runs in _in_blocks(alike, M):
            left = levels_without(selections, levels, runs)
            for m, measure in enumerate(measures):
                without[m, runs] = measure.score(left, sizes_left, selections.n_features, **measure.params)
    return options.filled(without)


def _in_blocks(runs: Ints, M: int) -> Iterator[Ints]:
    step = max(1, CELLS_A_BLOCK // M)
    return (runs[start : start + step] for start in range(0, len(runs), step))


def levels_of(selections: Selections) -> Ints:
    """levels[h]: how many features exactly h runs selected, h = 0..M."""
    if selections.n_features <= MOST_COUNTED:
        return np.bincount(selections.counts, minlength=selections.n_runs + 1)
    _, counts = _used(selections)
    levels = np.bincount(counts, minlength=selections.n_runs + 1)
    levels[0] += selections.n_features - len(counts)
    return levels


def levels_without(selections: Selections, levels: Ints, runs: Ints) -> Ints:
    """The levels without each of some runs: left[a, h] features were selected by exactly h runs other than runs[a]."""
    M, starts = selections.n_runs, selections.indptr.tolist()
    chosen = np.concatenate([selections.indices[starts[i] : starts[i + 1]] for i in runs.tolist()])
    cells = np.repeat(np.arange(len(runs)) * (M + 1), selections.sizes[runs]) + _counts_of(selections, chosen)
    own = np.bincount(cells, minlength=len(runs) * (M + 1)).reshape(-1, M + 1)
    left = levels[:-1] - own[:, :-1]
    left += own[:, 1:]
    return left


def _counts_of(selections: Selections, chosen: Ints) -> Ints:
    """How many runs selected each of some features; with very many features, without an array over all of them."""
    if selections.n_features <= MOST_COUNTED:
        return selections.counts[chosen]
    used, counts = _used(selections)
    return counts[np.searchsorted(used, chosen)]


def _used(selections: Selections) -> tuple[Ints, Ints]:
    """The features that some run selected, and how many runs did."""
    return np.unique(selections.indices, return_counts=True)


class Patterns(Family):
    """Functions of how often each distinct set occurs."""

    name = "patterns"

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        times, sizes, d = np.bincount(distinct_sets(selections)), selections.sizes, selections.n_features
        return [settle(m, pattern_score(m, times, sizes, d), 0.0, "", options, sizes) for m in measures]

    def without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """A set loses one occurrence. Runs of one size whose sets occur equally often have the same value."""
        sizes, kinds = selections.sizes, distinct_sets(selections)
        times = np.bincount(kinds)
        _, first, place = np.unique(sizes * (len(sizes) + 1) + times[kinds], return_index=True, return_inverse=True)
        values = np.empty((len(measures), len(first)))
        for a, run in enumerate(first):
            left, others = times.copy(), np.delete(sizes, run)
            left[kinds[run]] -= 1
            values[:, a] = [pattern_score(measure, left, others, selections.n_features) for measure in measures]
        return options.filled(values)[:, place]

    def values(self, measure: Measure, collections: Collections) -> Floats:
        """Collections whose sets occur equally often and have the same sizes share one call."""
        seen: dict[tuple[bytes, bytes], float] = {}
        keys = []
        for row, sizes in zip(collections.masks, collections.sizes, strict=True):
            multiplicities = np.sort(np.unique(row, return_counts=True)[1])
            keys.append((multiplicities.tobytes(), sizes.tobytes()))
            if keys[-1] not in seen:
                score = measure.score(multiplicities, sizes, collections.n_features, **measure.params)
                seen[keys[-1]] = float(score)
        return np.array([seen[key] for key in keys])


def distinct_sets(selections: Selections) -> Ints:
    """The number of the set that each run selected, counted by first appearance."""
    seen: dict[bytes, int] = {}
    members = selections.indices.tobytes()
    bounds = (selections.indptr * selections.indices.itemsize).tolist()
    rows = (members[start:end] for start, end in itertools.pairwise(bounds))
    return np.array([seen.setdefault(row, len(seen)) for row in rows], dtype=np.int64)


def pattern_score(measure: Measure, times: Ints, sizes: Ints, d: int) -> float:
    """The score of sets that occur this often; sorted, so that the order of runs changes nothing."""
    return float(measure.score(np.sort(times[times > 0]), sizes, d, **measure.params))
