"""What every kind of similarity can be asked, whether it is kept as a matrix, in groups, or computed from data."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from steadyset.io.lists.entries import row_pointers
from steadyset.kernels.arrays import Floats, Ints

# Similarities this close below the threshold count as equal to it: a tie in theory is one whatever the rounding.
TIE = 1e-12
CELLS_A_BLOCK = 1 << 22


class Neighbours(NamedTuple):
    """The symmetric graph c(f, g) >= threshold, f != g, as the rows of a sparse matrix; ascending within a row."""

    indptr: Ints
    indices: Ints
    values: Floats


class Store(Protocol):
    """Similarities c(f, g) of d features, without a threshold."""

    @property
    def n_features(self) -> int: ...

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """c(f, g) for f in rows and g in columns."""

    def diagonal(self) -> Floats:
        """c(f, f), which is 1 unless a matrix was told to keep another diagonal."""

    def total(self) -> float:
        """The sum of c(f, g) over all ordered pairs f != g."""

    def neighbours(self, threshold: float) -> Neighbours:
        """The graph c(f, g) >= threshold - TIE."""


def ones(n_features: int) -> Floats:
    """A diagonal of ones that takes no memory."""
    return np.broadcast_to(np.float64(1), n_features)


def graph_of_blocks(store: Store, threshold: float) -> Neighbours:
    """The graph by looking at every pair, some rows at a time."""
    d = store.n_features
    everything = np.arange(d)
    degrees = np.zeros(d, dtype=np.int64)
    indices, values = [], []
    for rows in np.array_split(everything, -(-d * d // CELLS_A_BLOCK)):
        if not len(rows):
            continue
        block = store.block(rows, everything)
        near = block >= threshold - TIE
        near[np.arange(len(rows)), rows] = False
        degrees[rows] = near.sum(axis=1)
        indices.append(np.nonzero(near)[1].astype(np.int64, copy=False))
        values.append(block[near])
    return frozen_graph(row_pointers(degrees), np.concatenate(indices), np.concatenate(values))


def frozen_graph(indptr: Ints, indices: Ints, values: Floats) -> Neighbours:
    """The graph with arrays that cannot be written to."""
    for array in (indptr, indices, values):
        array.setflags(write=False)
    return Neighbours(indptr, indices, values)
