"""Pairwise measures: means over pairs of runs of a score of what two sets share; one pass over the pairs serves all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.chance import expected_over_pairs, expected_scores, scaled
from steadyset.measures.family import Family, without_pairs
from steadyset.measures.masks import Collections
from steadyset.measures.options import Estimate, NullExpectation, Options
from steadyset.measures.pairs import PAIRS_A_BLOCK, pair_batches, pair_cells
from steadyset.measures.record import Measure
from steadyset.measures.totals import PairTotal
from steadyset.selections import Selections


class Pairwise(Family):
    """Means over pairs of runs, told by r = |s_i n s_j| and the two sizes; one-sided ones over ordered pairs."""

    name = "pairwise"
    correctable = True

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        score = [partial(self._scores, measure, options, selections.n_features) for measure in measures]
        totals = [PairTotal() for _ in measures]
        for batch in pair_batches(selections):
            for m, measure in enumerate(measures):
                totals[m].add(score[m](batch.shared, batch.size_i, batch.size_j), batch.n_pairs)
                if not measure.symmetric:
                    totals[m].add(score[m](batch.shared, batch.size_j, batch.size_i), batch.n_pairs)
        return [totals[m].estimate(measure, score[m], selections, options) for m, measure in enumerate(measures)]

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
        from steadyset.kernels.overlap.intersections import intersection_blocks
        from steadyset.kernels.overlap.pair_sums import add_pair_sums

        M, k = selections.n_runs, selections.sizes
        sums = np.zeros((M, len(measures)))
        cells = pair_cells(selections)
        both_ways = partial(self._both_ways, measures, options, selections.n_features)
        if cells is not None:
            table = both_ways(cells.shared, cells.size_i, cells.size_j)
        for start, block in intersection_blocks(
            selections.indptr, selections.indices, selections.n_features, rows=max(1, PAIRS_A_BLOCK // M)
        ):
            if cells is not None:
                add_pair_sums(block, start, cells.size_class, cells.offsets, table, sums)
                continue
            i, j = np.triu_indices(len(block), start + 1, M)
            scores = both_ways(block[i, j].astype(np.int64), k[start + i], k[j])
            for m in range(len(measures)):
                sums[:, m] += np.bincount(start + i, scores[:, m], M) + np.bincount(j, scores[:, m], M)
        return sums

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

    def _both_ways(
        self, measures: Sequence[Measure], options: Options, d: int, shared: Ints, ki: Ints, kj: Ints
    ) -> Floats:
        """s_ij + s_ji by each measure, undefined ones as `options.undefined` says."""
        table = np.empty((len(shared), len(measures)))
        for m, measure in enumerate(measures):
            ways = [self._scores(measure, options, d, shared, ki, kj)]
            ways.append(ways[0] if measure.symmetric else self._scores(measure, options, d, shared, kj, ki))
            table[:, m] = options.filled(ways[0]) + options.filled(ways[1])
        return table

    def _scores(self, measure: Measure, options: Options, d: int, shared: Ints, ki: Ints, kj: Ints) -> Floats:
        scores = np.asarray(measure.score(shared, ki, kj, d, **measure.params), dtype=np.float64)
        if options.corrects and self.can_correct(measure):
            scores = scaled(scores, expected_scores(measure, ki, kj, d), measure.bounds[1])
        return scores


def _called(measure: Measure, shared: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    scores = measure.score(shared.ravel(), ki.ravel(), kj.ravel(), d, **measure.params)
    return np.asarray(scores, dtype=np.float64).reshape(shared.shape)
