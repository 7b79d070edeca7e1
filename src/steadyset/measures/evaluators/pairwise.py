"""Pairwise measures: one pass over the pairs of runs serves them all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from steadyset.measures.chance import corrected, expected_scores
from steadyset.measures.options import Estimate, Options, can_correct
from steadyset.measures.pairs import PAIRS_A_BLOCK, IntArray, pair_batches, pair_cells
from steadyset.measures.record import Measure
from steadyset.measures.totals import PairTotal
from steadyset.selections import Selections


def evaluate(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    score = [partial(_scores, measure, options, selections.n_features) for measure in measures]
    totals = [PairTotal() for _ in measures]
    for batch in pair_batches(selections):
        for m, measure in enumerate(measures):
            totals[m].add(score[m](batch.shared, batch.size_i, batch.size_j), batch.n_pairs)
            if not measure.symmetric:
                totals[m].add(score[m](batch.shared, batch.size_j, batch.size_i), batch.n_pairs)
    return [totals[m].estimate(measure, score[m], selections, options) for m, measure in enumerate(measures)]


def pair_scores(selections: Selections, measure: Measure, options: Options) -> npt.NDArray[np.float64]:
    """The M x M scores of all ordered pairs (i, j), nan where undefined and on the diagonal."""
    k = selections.sizes
    ki, kj = np.broadcast_arrays(k[:, None], k[None, :])
    shared = selections.intersections()
    scores = _scores(measure, options, selections.n_features, shared.ravel(), ki.ravel(), kj.ravel())
    table = scores.reshape(shared.shape).copy()
    np.fill_diagonal(table, np.nan)
    return table


def score_sums(selections: Selections, measures: Sequence[Measure], options: Options) -> npt.NDArray[np.float64]:
    """sums[i, m]: the sum over the other runs j of s_ij + s_ji by each measure; memory grows with M, not with M²."""
    from steadyset.kernels.intersections import intersection_blocks
    from steadyset.kernels.pair_sums import add_pair_sums

    M, k = selections.n_runs, selections.sizes
    sums = np.zeros((M, len(measures)))
    cells = pair_cells(selections)
    if cells is not None:
        table = _both_ways(measures, options, selections.n_features, cells.shared, cells.size_i, cells.size_j)
    for start, block in intersection_blocks(
        selections.indptr, selections.indices, selections.n_features, rows=max(1, PAIRS_A_BLOCK // M)
    ):
        if cells is not None:
            add_pair_sums(block, start, cells.size_class, cells.offsets, table, sums)
            continue
        i, j = np.triu_indices(len(block), start + 1, M)
        scores = _both_ways(measures, options, selections.n_features, block[i, j].astype(np.int64), k[start + i], k[j])
        for m in range(len(measures)):
            sums[:, m] += np.bincount(start + i, scores[:, m], M) + np.bincount(j, scores[:, m], M)
    return sums


def _both_ways(
    measures: Sequence[Measure], options: Options, d: int, shared: IntArray, ki: IntArray, kj: IntArray
) -> npt.NDArray[np.float64]:
    """s_ij + s_ji by each measure, undefined ones as `options.undefined` says."""
    table = np.empty((len(shared), len(measures)))
    for m, measure in enumerate(measures):
        ways = [_scores(measure, options, d, shared, ki, kj)]
        ways.append(ways[0] if measure.symmetric else _scores(measure, options, d, shared, kj, ki))
        if options.undefined not in ("nan", "raise"):
            ways = [np.where(np.isnan(way), float(options.undefined), way) for way in ways]
        table[:, m] = ways[0] + ways[1]
    return table


def _scores(
    measure: Measure, options: Options, d: int, shared: IntArray, ki: IntArray, kj: IntArray
) -> npt.NDArray[np.float64]:
    scores = np.asarray(measure.score(shared, ki, kj, d, **measure.params), dtype=np.float64)
    if options.corrects and can_correct(measure):
        scores = corrected(scores, expected_scores(measure, ki, kj, d), measure.bounds[1])
    return scores
