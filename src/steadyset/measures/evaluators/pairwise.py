"""Pairwise measures: one pass over the pairs of runs serves them all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from steadyset.measures.chance import corrected, expected_scores
from steadyset.measures.options import Estimate, Options, can_correct
from steadyset.measures.pairs import IntArray, pair_batches
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


def _scores(
    measure: Measure, options: Options, d: int, shared: IntArray, ki: IntArray, kj: IntArray
) -> npt.NDArray[np.float64]:
    scores = np.asarray(measure.score(shared, ki, kj, d, **measure.params), dtype=np.float64)
    if options.corrects and can_correct(measure):
        scores = corrected(scores, expected_scores(measure, ki, kj, d), measure.bounds[1])
    return scores
