"""What every kind of similarity can be asked, whether it is kept as a matrix, in groups, or computed from data."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

# Similarities this close below the threshold count as equal to it: a tie in theory is one whatever the rounding.
TIE = 1e-12


class Neighbours(NamedTuple):
    """The symmetric graph c(f, g) >= threshold, f != g, as the rows of a sparse matrix; ascending within a row."""

    indptr: IntArray
    indices: IntArray
    values: FloatArray


class Store(Protocol):
    """Similarities c(f, g) of d features, without a threshold."""

    @property
    def n_features(self) -> int: ...

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """c(f, g) for f in rows and g in columns."""

    def diagonal(self) -> FloatArray:
        """c(f, f), which is 1 unless a matrix was told to keep another diagonal."""

    def total(self) -> float:
        """The sum of c(f, g) over all ordered pairs f != g."""

    def neighbours(self, threshold: float) -> Neighbours:
        """The graph c(f, g) >= threshold - TIE."""


def graph_of_pairs(f: IntArray, g: IntArray, values: FloatArray, n_features: int) -> Neighbours:
    """The graph of edges that are listed once each, in any order."""
    rows, columns = np.concatenate([f, g]), np.concatenate([g, f])
    order = np.lexsort((columns, rows))
    indptr = np.zeros(n_features + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_features), out=indptr[1:])
    return frozen_graph(indptr, columns[order], np.concatenate([values, values])[order])


def frozen_graph(indptr: IntArray, indices: IntArray, values: FloatArray) -> Neighbours:
    """The graph with arrays that cannot be written to."""
    for array in (indptr, indices, values):
        array.setflags(write=False)
    return Neighbours(indptr, indices, values)
