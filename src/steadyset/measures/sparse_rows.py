"""What measures of weights and of rankings look at: one number for each run and feature, kept sparse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
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
