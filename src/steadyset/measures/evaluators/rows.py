"""Measures of weights and of rankings: means over pairs of runs of scores that look at one number a feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steadyset.measures.correlations import Correlations
from steadyset.measures.options import Estimate, Options
from steadyset.measures.record import Measure
from steadyset.measures.rows import FloatArray, Rows, rank_rows, weight_rows
from steadyset.measures.totals import PairTotal
from steadyset.selections import Selections

READERS = {"weights": weight_rows, "rankings": rank_rows}


def evaluate(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    results = []
    rows = READERS[measures[0].family](selections)
    for measure in measures:
        scores = _scores(rows, measure, options)
        total = PairTotal()
        if isinstance(scores, Correlations):
            total.add_runs(scores.total(), scores.defined)
        else:
            total.add_table(scores)
        estimate = total.estimate(measure, selections, options)
        notes = [note for note in (rows.note, estimate.note) if note]
        results.append(replace(estimate, note="; ".join(notes)))
    return results


def pair_scores(selections: Selections, measure: Measure, options: Options) -> FloatArray:
    """The M x M scores of all pairs, nan where undefined and on the diagonal."""
    scores = _scores(READERS[measure.family](selections), measure, options)
    table = scores.table() if isinstance(scores, Correlations) else scores.copy()
    np.fill_diagonal(table, np.nan)
    return table


def _scores(rows: Rows, measure: Measure, options: Options) -> FloatArray | Correlations:
    needed = {"similarity": options.similarity} if "similarity" in measure.needs else {}
    scores: FloatArray | Correlations = measure.score(rows, **needed, **measure.params)
    return scores
