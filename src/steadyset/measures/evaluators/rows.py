"""Measures of weights and of rankings: means over pairs of runs of scores that look at one number a feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from steadyset.measures.correlations import Correlations
from steadyset.measures.options import Estimate, Options, sizes_in_words
from steadyset.measures.record import Measure
from steadyset.measures.rows import FloatArray, Rows, rank_rows, weight_rows
from steadyset.measures.totals import PairTotal, named_runs
from steadyset.selections import Selections

READERS = {"weights": weight_rows, "rankings": rank_rows}


def evaluate(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    results = []
    rows = READERS[measures[0].family](selections)
    for measure in measures:
        scores = _scores(rows, measure, options)
        total, guilty = _total(scores)
        estimate = total.settled(measure, partial(_culprits, guilty, measure, selections), options)
        notes = [note for note in (rows.note, estimate.note) if note]
        results.append(replace(estimate, note="; ".join(notes)))
    return results


def pair_scores(selections: Selections, measure: Measure, options: Options) -> FloatArray:
    """The M x M scores of all pairs, nan where undefined and on the diagonal."""
    scores = _scores(READERS[measure.family](selections), measure, options)
    table = scores.table() if isinstance(scores, Correlations) else scores.copy()
    np.fill_diagonal(table, np.nan)
    return table


def _total(scores: FloatArray | Correlations) -> tuple[PairTotal, npt.NDArray[np.bool_]]:
    """The total over the pairs of runs, and the runs that have no score with any other."""
    total = PairTotal()
    if isinstance(scores, Correlations):
        M, n = len(scores.defined), int(scores.defined.sum())
        n_defined = n * (n - 1) // 2
        total.add(np.array([scores.total() / max(1, n_defined)]), np.array([n_defined]))
        total.add(np.array([np.nan]), np.array([M * (M - 1) // 2 - n_defined]))
        return total, ~scores.defined
    above = scores[np.triu_indices(len(scores), 1)]
    total.add(above, np.ones(len(above), dtype=np.int64))
    missing = np.isnan(scores) | np.eye(len(scores), dtype=np.bool_)
    return total, np.asarray(missing.all(axis=1))


def _culprits(guilty: npt.NDArray[np.bool_], measure: Measure, selections: Selections) -> str:
    if guilty.any() and not guilty.all():
        return named_runs(np.flatnonzero(guilty), selections)
    return f": {sizes_in_words(selections.sizes)}" if measure.constant_size else ""


def _scores(rows: Rows, measure: Measure, options: Options) -> FloatArray | Correlations:
    needed = {"similarity": options.similarity} if "similarity" in measure.needs else {}
    scores: FloatArray | Correlations = measure.score(rows, **needed, **measure.params)
    return scores
