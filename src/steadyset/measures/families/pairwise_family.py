"""Pairwise measures: means over pairs of runs of a score of what two sets share; one pass over the pairs serves all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.chance import expected_over_pairs, expected_scores, scaled
from steadyset.measures.family import Family, without_pairs
from steadyset.measures.masks import Collections
from steadyset.measures.options import Estimate, NullExpectation, Options
from steadyset.measures.pairs import PairBatch, pair_batches, pair_kinds, run_pairs, size_classes
from steadyset.measures.record import Measure
from steadyset.measures.totals import PairTotal, add_rows
from steadyset.selections import Selections

SCORES_AT_ONCE = 1 << 15  # of pairs by measures: arrays of a size that stays in the cache
MOST_SCORES = 1 << 22  # of kinds of pairs by measures that are held


class Pairwise(Family):
    """Means over pairs of runs, told by r = |s_i n s_j| and the two sizes; one-sided ones over ordered pairs."""

    name = "pairwise"
    correctable = True

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        totals = [PairTotal() for _ in measures]
        for batch in pair_batches(selections):
            for some, ways in self._scored(measures, options, selections.n_features, batch):
                ways.add_to(totals[some], batch.n_pairs)
        return self._estimates(totals, selections, measures, options)

    def jackknifed(
        self, selections: Selections, measures: Sequence[Measure], options: Options
    ) -> tuple[list[Estimate], Floats]:
        """Kinds of pairs are scored once, for the values and for the leave-one-out values."""
        classes = size_classes(selections.sizes)
        if selections.n_runs < 3 or classes is None:
            return super().jackknifed(selections, measures, options)
        kinds = pair_kinds(selections, classes)
        if len(kinds.shared) * len(measures) > MOST_SCORES:
            return super().jackknifed(selections, measures, options)
        totals, both = [PairTotal() for _ in measures], np.empty((len(kinds.shared), len(measures)))
        for some, ways in self._scored(measures, options, selections.n_features, kinds):
            ways.add_to(totals[some], kinds.n_pairs)
            both[:, some] = ways.both(options).T
        found = self._estimates(totals, selections, measures, options)
        without = without_pairs(kinds.sums(both).T)
        without[[np.isnan(one.value) for one in found]] = np.nan
        return found, without

    def pair_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        k = selections.sizes
        ki, kj = np.broadcast_arrays(k[:, None], k[None, :])
        shared = selections.intersections()
        scores = self._scores(measure, options, selections.n_features, shared.ravel(), ki.ravel(), kj.ravel())
        table = scores.reshape(shared.shape).copy()
        np.fill_diagonal(table, np.nan)
        return table

    def without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        return without_pairs(self.score_sums(selections, measures, options).T)

    def score_sums(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """sums[i, m]: the sum over the other runs j of s_ij + s_ji, by measure; memory grows with M, not with M²."""
        M = selections.n_runs
        sums = np.zeros((M, len(measures)))
        for pairs in run_pairs(selections):
            for m, measure in enumerate(measures):
                scores = self._ways([measure], options, selections.n_features, pairs).both(options)[0]
                sums[:, m] += np.bincount(pairs.first, scores, M) + np.bincount(pairs.second, scores, M)
        return sums

    def reached(self, selections: Selections, measure: Measure, options: Options) -> float:
        """The mean score of each run with itself: lustgarten is 1 - k/d there, most others are 1."""
        k = selections.sizes
        return float(np.mean(self._scores(measure, options, selections.n_features, k, k, k)))

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """Exact: the hypergeometric law of the intersections, averaged over the pairs of runs."""
        return NullExpectation(expected_over_pairs(measure, selections.sizes, selections.n_features))

    def values(self, measure: Measure, collections: Collections) -> Floats:
        i, j = np.triu_indices(collections.n_runs, 1)
        sizes, d = collections.sizes, collections.n_features
        small, large = np.minimum(sizes[:, i], sizes[:, j]), np.maximum(sizes[:, i], sizes[:, j])
        scores = _called(measure, collections.shared, small, large, d)
        if not measure.symmetric:
            scores = (scores + _called(measure, collections.shared, large, small, d)) / 2
        return np.asarray(scores.mean(axis=1))

    def _scored(
        self, measures: Sequence[Measure], options: Options, d: int, pairs: PairBatch
    ) -> Iterator[tuple[slice, Ways]]:
        """The scores of pairs by some measures at a time."""
        step = max(1, SCORES_AT_ONCE // len(pairs.shared))
        for start in range(0, len(measures), step):
            some = slice(start, start + step)
            yield some, self._ways(measures[some], options, d, pairs)

    def _ways(self, measures: Sequence[Measure], options: Options, d: int, pairs: PairBatch) -> Ways:
        """The scores of pairs by each measure, both ways round where these differ."""
        there = [(m, pairs.size_i, pairs.size_j) for m in range(len(measures))]
        back = [(m, pairs.size_j, pairs.size_i) for m, measure in enumerate(measures) if not measure.symmetric]
        table = np.empty((len(there) + len(back), len(pairs.shared)))
        for row, (m, ki, kj) in enumerate(there + back):
            table[row] = self._scores(measures[m], options, d, pairs.shared, ki, kj)
        return Ways(table, [m for m, _, _ in back])

    def _estimates(
        self, totals: Sequence[PairTotal], selections: Selections, measures: Sequence[Measure], options: Options
    ) -> list[Estimate]:
        return [
            total.estimate(measure, partial(self._scores, measure, options, selections.n_features), selections, options)
            for total, measure in zip(totals, measures, strict=True)
        ]

    def _scores(self, measure: Measure, options: Options, d: int, shared: Ints, ki: Ints, kj: Ints) -> Floats:
        scores = np.asarray(measure.score(shared, ki, kj, d, **measure.params), dtype=np.float64)
        if options.corrects and self.can_correct(measure):
            scores = scaled(scores, expected_scores(measure, ki, kj, d), measure.bounds[1])
        return scores


class Ways(NamedTuple):
    """Scores of pairs: one row per measure, then s_ji once more for each of the `one_sided` ones."""

    scores: Floats
    one_sided: list[int]

    def add_to(self, totals: Sequence[PairTotal], n_pairs: Ints) -> None:
        """Each row to the total of its measure, weighed by how many pairs there are of each kind."""
        add_rows([*totals, *(totals[m] for m in self.one_sided)], self.scores, n_pairs)

    def both(self, options: Options) -> Floats:
        """s_ij + s_ji by each measure, undefined ones as `options.undefined` says."""
        scores = options.filled(self.scores)
        n = len(scores) - len(self.one_sided)
        back = scores[:n].copy()
        back[self.one_sided] = scores[n:]
        back += scores[:n]
        return back


def _called(measure: Measure, shared: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    scores = measure.score(shared.ravel(), ki.ravel(), kj.ravel(), d, **measure.params)
    return np.asarray(scores, dtype=np.float64).reshape(shared.shape)
