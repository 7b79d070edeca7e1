"""Pearson correlations between the runs of sparse rows: all pairs as a table, or their sum in linear time."""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Bools, Floats
from steadyset.measures.sparse_rows import Rows


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
