"""Similarities that are given as a matrix: dense."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from steadyset.similarity.store import TIE, FloatArray, IntArray, Neighbours, frozen_graph

CELLS_A_BLOCK = 1 << 22


class DenseStore:
    """A d x d array that the caller built."""

    def __init__(self, matrix: FloatArray) -> None:
        self._matrix = matrix
        matrix.setflags(write=False)

    @property
    def n_features(self) -> int:
        return len(self._matrix)

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        return self._matrix[np.ix_(rows, columns)]

    def diagonal(self) -> FloatArray:
        return self._matrix.diagonal()

    @cached_property
    def _total(self) -> float:
        return float(self._matrix.sum() - self._matrix.trace())

    def total(self) -> float:
        return self._total

    def neighbours(self, threshold: float) -> Neighbours:
        d = self.n_features
        step = max(1, CELLS_A_BLOCK // d)
        indptr = np.zeros(d + 1, dtype=np.int64)
        indices, values = [], []
        for start in range(0, d, step):
            block = self._matrix[start : start + step]
            rows, columns = np.nonzero(block >= threshold - TIE)
            other = columns != rows + start
            rows, columns = rows[other], columns[other]
            indptr[start + 1 : start + 1 + len(block)] = np.bincount(rows, minlength=len(block))
            indices.append(columns.astype(np.int64))
            values.append(block[rows, columns])
        return frozen_graph(np.cumsum(indptr), np.concatenate(indices), np.concatenate(values))
