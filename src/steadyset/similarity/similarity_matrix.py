"""Similarities that are given as a matrix, dense or sparse, and the checks on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

import numpy as np

from steadyset.foundation.arguments import check_choice
from steadyset.foundation.errors import InputError
from steadyset.io.labels import describe_feature, feature_names
from steadyset.io.lists.entries import row_pointers
from steadyset.io.numbers import is_frame, number_array
from steadyset.kernels.arrays import Floats, Ints
from steadyset.similarity.frames import square_table
from steadyset.similarity.store import CELLS_A_BLOCK, TIE, Neighbours, frozen_graph, graph_of_blocks, ones

if TYPE_CHECKING:
    from scipy import sparse

Diagonal = Literal["check", "one", "keep"]
Names = tuple[str, ...] | None
ROUNDING, ROUNDING_SINGLE = 1e-8, 1e-6  # how far a matrix may be from symmetric, from [0, 1] and from c(f, f) = 1


class DenseStore:
    """A d x d array that the caller built."""

    def __init__(self, matrix: Floats) -> None:
        matrix.setflags(write=False)
        self._matrix = matrix

    @property
    def n_features(self) -> int:
        return len(self._matrix)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        return self._matrix[np.ix_(rows, columns)]

    def diagonal(self) -> Floats:
        return self._matrix.diagonal()

    def total(self) -> float:
        return self._total

    @cached_property
    def _total(self) -> float:
        return float(self._matrix.sum() - self._matrix.trace())

    def neighbours(self, threshold: float) -> Neighbours:
        return graph_of_blocks(self, threshold)


class SparseStore:
    """The non-zero similarities between different features, and the diagonal; what is missing is 0."""

    def __init__(self, others: sparse.csr_array, diagonal: Floats) -> None:
        self._others = others
        self._diagonal = diagonal

    @property
    def n_features(self) -> int:
        return len(self._diagonal)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        block: Floats = self._others[rows][:, columns].toarray()
        same = rows[:, None] == columns
        block[same] = np.broadcast_to(self._diagonal[rows][:, None], block.shape)[same]
        return block

    def diagonal(self) -> Floats:
        return self._diagonal

    def total(self) -> float:
        return float(self._others.data.sum())

    def neighbours(self, threshold: float) -> Neighbours:
        if threshold <= TIE:
            return graph_of_blocks(self, threshold)
        near = self._others.data >= threshold - TIE
        rows = np.repeat(np.arange(self.n_features), np.diff(self._others.indptr))[near]
        degrees = np.bincount(rows, minlength=self.n_features)
        return frozen_graph(row_pointers(degrees), self._others.indices[near].astype(np.int64), self._others.data[near])


def matrix_store(C: Any, features: Sequence[str] | None, diagonal: Diagonal) -> tuple[DenseStore | SparseStore, Names]:
    """The checked matrix and the names of its features."""
    check_choice("diagonal", diagonal, get_args(Diagonal))
    if hasattr(C, "tocsr"):
        _require_square(C.shape)
        names, _ = feature_names(features, C.shape[0], what="from_matrix")
        return _sparse_store(C, names, diagonal), names
    if is_frame(C):
        C, columns = square_table(C, "C")
        features = columns if features is None else features
    given = number_array(C, "C")
    matrix = np.array(given, dtype=np.float64)
    _require_square(matrix.shape)
    names, _ = feature_names(features, len(matrix), what="from_matrix")
    _settle_dense(matrix, names, diagonal, ROUNDING if given.dtype.itemsize >= 8 else ROUNDING_SINGLE)
    return DenseStore(matrix), names


def _require_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise InputError(f"C has the shape {shape}; expected a square features x features matrix.")


def _settle_dense(matrix: Floats, names: Names, diagonal: Diagonal, rounding: float) -> None:
    """Check the matrix some rows at a time and, in place, take the rounding out of it."""
    d = len(matrix)
    if diagonal == "one":
        np.fill_diagonal(matrix, 1.0)
    step = max(1, CELLS_A_BLOCK // d)
    for start in range(0, d, step):
        rows = slice(start, start + step)
        block, mirrored = matrix[rows, start:], matrix[start:, rows].T
        for half in (block, mirrored.T):
            bad = np.argwhere(~((half >= -rounding) & (half <= 1 + rounding)))
            if len(bad):
                f, g = bad[0] + start
                _complain_of_range(matrix[f, g], f, g, names)
        different = block != mirrored
        if different.any():
            bad = np.argwhere(np.abs(block - mirrored) > rounding)
            if len(bad):
                f, g = bad[0] + start
                _complain_of_asymmetry(matrix[f, g], matrix[g, f], f, g, names)
            block[...] = (block + mirrored) / 2
            matrix[start:, rows] = block.T
        np.clip(matrix[rows], 0.0, 1.0, out=matrix[rows])
    if diagonal == "check":
        _check_diagonal(matrix.diagonal(), names, rounding)
        np.fill_diagonal(matrix, 1.0)


def _sparse_store(C: Any, names: Names, diagonal: Diagonal) -> SparseStore:
    """A diagonal entry that is not stored says nothing, so under "check" it counts as 1."""
    try:
        from scipy import sparse

        table = sparse.csr_array(C).astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"C holds {C.dtype} values; expected numbers from 0 to 1.") from None
    table.sum_duplicates()
    rounding = ROUNDING if np.dtype(C.dtype).itemsize >= 8 else ROUNDING_SINGLE
    rows = np.repeat(np.arange(len(table.indptr) - 1), np.diff(table.indptr))
    bad = np.flatnonzero(~((table.data >= -rounding) & (table.data <= 1 + rounding)))
    if bad.size:
        _complain_of_range(table.data[bad[0]], rows[bad[0]], table.indices[bad[0]], names)
    own = table.diagonal()
    away = table - table.T
    if away.nnz and np.abs(away.data).max() > rounding:
        place = away.tocoo()
        e = int(np.flatnonzero(np.abs(place.data) > rounding)[0])
        f, g = int(place.row[e]), int(place.col[e])
        _complain_of_asymmetry(table[f, g], table[g, f], f, g, names)
    if diagonal == "check":
        _check_diagonal(np.where(own == 0, 1.0, own), names, rounding)
    others = ((table + table.T) / 2).tocsr()
    others.setdiag(0)
    others.eliminate_zeros()
    others.sort_indices()
    np.clip(others.data, 0.0, 1.0, out=others.data)
    return SparseStore(others, np.clip(own, 0.0, 1.0) if diagonal == "keep" else ones(len(own)))


def _check_diagonal(own: Floats, names: Names, rounding: float) -> None:
    bad = np.flatnonzero(np.abs(own - 1) > rounding)
    if bad.size:
        which = describe_feature(int(bad[0]), names)
        raise InputError(
            f"C holds {own[bad[0]]:g} for {which} with itself; expected 1 "
            '(diagonal="one" sets it, diagonal="keep" leaves it).'
        )


def _complain_of_range(value: float, f: Any, g: Any, names: Names) -> NoReturn:
    hint = " (take the absolute values of correlations)" if -1 <= value < 0 else ""
    both = f"{describe_feature(int(f), names)} and {describe_feature(int(g), names)}"
    raise InputError(f"C holds {value:g} for {both}; expected numbers from 0 to 1{hint}.")


def _complain_of_asymmetry(value: float, mirrored: float, f: Any, g: Any, names: Names) -> NoReturn:
    first, second = describe_feature(int(f), names), describe_feature(int(g), names)
    raise InputError(
        f"C holds {value:g} for {first} and {second} but {mirrored:g} the other way round; expected a symmetric matrix."
    )
