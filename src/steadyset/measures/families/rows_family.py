"""Measures of weights and of rankings: means over pairs of runs of scores that look at one number per feature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from steadyset.kernels.arrays import Bools, Floats
from steadyset.measures.correlations import Correlations
from steadyset.measures.family import Family, culprits
from steadyset.measures.options import Estimate, Options
from steadyset.measures.record import Measure
from steadyset.measures.sparse_rows import Rows, rank_rows, weight_rows
from steadyset.measures.totals import PairTotal
from steadyset.selections import Selections


class _OfRows(Family):
    """Means over pairs of scores of `Rows`, which `read` makes of runs; a score gives a table or `Correlations`."""

    read: Callable[[Selections], Rows]

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        results = []
        rows = self.read(selections)
        for measure in measures:
            total, guilty = _total(_scores(rows, measure, options))
            estimate = total.settled(measure, partial(culprits, guilty, measure, selections), options)
            notes = [note for note in (rows.note, estimate.note) if note]
            results.append(replace(estimate, note="; ".join(notes)))
        return results

    def pair_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        scores = _scores(self.read(selections), measure, options)
        table = scores.table() if isinstance(scores, Correlations) else scores.copy()
        np.fill_diagonal(table, np.nan)
        return table


class Weights(_OfRows):
    """Scores of the absolute weights of the selected features."""

    name = "weights"
    read = staticmethod(weight_rows)


class Rankings(_OfRows):
    """Scores of the ranks of all features."""

    name = "rankings"
    read = staticmethod(rank_rows)


def _total(scores: Floats | Correlations) -> tuple[PairTotal, Bools]:
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


def _scores(rows: Rows, measure: Measure, options: Options) -> Floats | Correlations:
    needed = {"similarity": options.similarity} if "similarity" in measure.needs else {}
    scores: Floats | Correlations = measure.score(rows, **needed, **measure.params)
    return scores
