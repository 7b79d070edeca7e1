"""Measures of weights and of rankings: means over pairs of runs of scores that look at one number per feature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.family import Family, PairTotal, culprits
from steadyset.measures.options import Estimate, Options
from steadyset.measures.record import Measure
from steadyset.selections import Selections


@dataclass(frozen=True)
class Rows:
    """The values of the features that each run lists; all others of run i have the value rest[i].

    A note says where the values come from when that is not what the caller gave.
    """

    indptr: Ints
    indices: Ints
    values: Floats
    rest: Floats
    n_features: int
    note: str = ""

    @property
    def sizes(self) -> Ints:
        """How many features each run lists."""
        return np.diff(self.indptr)

    @property
    def runs(self) -> Ints:
        """The run of each entry."""
        return np.repeat(np.arange(len(self.rest)), self.sizes)

    def sums(self, entries: Floats) -> Floats:
        """For each run the sum of one number per entry."""
        totals = np.zeros(len(self.rest))
        np.add.at(totals, self.runs, entries)
        return totals

    def positive(self) -> Rows:
        """The rows without the entries that are 0."""
        kept = self.values > 0
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        return Rows(indptr, self.indices[kept], self.values[kept], self.rest, self.n_features, self.note)


def weight_rows(selections: Selections) -> Rows:
    """The absolute weights; without weights the selected features count as equally important."""
    weights = selections.weights
    note = "" if weights is not None else "no weights given: the selected features count as equally important"
    values = np.abs(weights) if weights is not None else np.ones(len(selections.indices))
    rest = np.zeros(selections.n_runs)
    return Rows(selections.indptr, selections.indices, values, rest, selections.n_features, note)


def rank_rows(selections: Selections) -> Rows:
    """The ranks, ties averaged; without rankings the features are ranked by their absolute weights, largest first."""
    from scipy.stats import rankdata  # takes long to import

    if selections.rankings is None:
        return _ranked_by_weight(weight_rows(selections))
    M, d = selections.n_runs, selections.n_features
    ranks = np.stack([row if _is_untied(row) else rankdata(row) for row in selections.rankings])
    return Rows(np.arange(M + 1) * d, np.tile(np.arange(d), M), ranks.ravel(), np.full(M, (d + 1) / 2), d)


def _ranked_by_weight(weights: Rows) -> Rows:
    """Features of weight 0 share the mean of the ranks that remain, so they need not be listed."""
    from scipy.stats import rankdata

    rows = weights.positive()
    ranks = np.empty(len(rows.values))
    for begin, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        ranks[begin:end] = rankdata(-rows.values[begin:end])
    rest = (rows.sizes + 1 + rows.n_features) / 2
    return Rows(rows.indptr, rows.indices, ranks, rest, rows.n_features, "no rankings given: ranked by absolute weight")


def _is_untied(ranks: Floats) -> bool:
    """The ranks are 1..d in some order, which is checked in linear time."""
    d = len(ranks)
    if ranks.max() > d:
        return False
    whole = ranks.astype(np.int64)
    return bool(np.array_equal(whole, ranks) and np.bincount(whole, minlength=d + 1)[1:].all())


class Correlations:
    """The correlations over all d features of the rows; `defined` tells the runs that are not constant.

    With z_i the row of run i moved to mean 0 and scaled to length 1, the correlation of two runs is z_i . z_j. The sum
    over all pairs is (|sum_i z_i|² - M) / 2, so their mean costs one pass over the rows instead of one over the pairs.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        d, k = rows.n_features, rows.sizes
        mean_listed = rows.sums(rows.values) / np.maximum(k, 1)
        # Any shift leaves correlations as they are; the rest's value keeps rows sparse, the mean keeps them exact.
        shift = np.where(k == d, mean_listed, rows.rest)
        moved = rows.values - shift[rows.runs]
        mean = rows.sums(moved) / d
        length = np.sqrt(rows.sums((moved - mean[rows.runs]) ** 2) + (d - k) * mean**2)
        self.defined = ~_constant(rows)
        scale = np.where(self.defined, 1 / np.where(self.defined, length, 1.0), 0.0)
        self._entries, self._means = moved * scale[rows.runs], mean * scale

    def total(self) -> float:
        """The sum over the pairs of runs that both are defined."""
        sums = np.bincount(self._rows.indices, weights=self._entries, minlength=self._rows.n_features)
        centred = sums - self._means.sum()
        return float(centred @ centred - self.defined.sum()) / 2

    def table(self) -> Floats:
        """All pairs, nan where a run is constant."""
        from scipy import sparse

        rows = self._rows
        shape = (len(rows.rest), rows.n_features)
        entries = sparse.csr_array((self._entries, rows.indices, rows.indptr), shape=shape)
        products = np.asarray((entries @ entries.T).toarray(), dtype=np.float64)
        table = products - rows.n_features * np.outer(self._means, self._means)
        table[~self.defined] = table[:, ~self.defined] = np.nan
        return table


def _constant(rows: Rows) -> Bools:
    """Decided by comparison, since the variance of a constant row may come out as a rounding residue."""
    level = rows.rest.copy()
    full = rows.sizes == rows.n_features
    level[full] = rows.values[rows.indptr[:-1][full]]
    differs = (rows.values != level[rows.runs]).astype(np.float64)
    return np.asarray(rows.sums(differs) == 0)


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
