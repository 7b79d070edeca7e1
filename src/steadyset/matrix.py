"""A runs x features table of any kind (array, sparse matrix, frame) told by its non-zero entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from steadyset.errors import InputError
from steadyset.io.numbers import number_array
from steadyset.labels import describe_feature, feature_names

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class Matrix:
    """The non-zero entries of a runs x features table, before it is known whether they are 0/1, weights or ranks."""

    def __init__(
        self, indptr: IntArray, indices: IntArray, values: npt.NDArray[Any], d: int, names: Any, labels: Any, what: str
    ) -> None:
        self.indptr, self.indices, self.values = indptr, indices, values
        self.names, self.d = feature_names(names, d, what=what)
        self.labels = labels
        self.what = what

    def dense(self) -> FloatArray:
        full = np.zeros((len(self.indptr) - 1, self.d))
        full[np.repeat(np.arange(len(full)), np.diff(self.indptr)), self.indices] = self.values
        return full

    def complain(self, entry: int, wanted: str) -> NoReturn:
        run = int(np.searchsorted(self.indptr, entry, side="right"))
        where = describe_feature(int(self.indices[entry]), self.names)
        raise InputError(f"{self.what} holds {self.values[entry]} for run {run}, {where}; {wanted}.")


def read_matrix(
    Z: Any,
    what: str,
    features: Sequence[str] | None,
    labels: Sequence[str] | None,
    *,
    transpose: bool | None = None,
) -> Matrix:
    """The entries of whatever holds runs x features; `what` is how error sentences call the argument.

    `transpose`: the rows are the features; None: they are not, unless a frame looks so, which is refused.
    """
    if transpose not in (None, True, False):
        raise InputError(f"transpose must be True, False or None (got {transpose!r}).")
    if hasattr(Z, "tocsr"):
        return _sparse(Z.T if transpose else Z, what, features, labels)
    if not isinstance(Z, (np.ndarray, list, tuple)):
        from steadyset.longtable import wide_array

        Z, features, labels = wide_array(Z, what, features, labels, transpose=transpose)
        transpose = False
    array = number_array(Z, what)
    _check_shape(array, what)
    array = array.T if transpose else array
    rows, columns = np.nonzero(array)
    indptr = row_pointers(np.bincount(rows, minlength=len(array)))
    return Matrix(indptr, columns.astype(np.int64), array[rows, columns], array.shape[1], features, labels, what)


def row_pointers(sizes: Any) -> IntArray:
    """Where each row starts, from the sizes of the rows."""
    indptr = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=indptr[1:])
    return indptr


def _sparse(Z: Any, what: str, features: Sequence[str] | None, labels: Sequence[str] | None) -> Matrix:
    _check_shape(Z, what)
    table = Z.tocsr()
    if not table.has_canonical_format:
        table = table.copy()  # the caller's matrix stays as it is
        table.sum_duplicates()
    values = number_array(table.data, what)
    keep = values != 0
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))[keep]
    indptr = row_pointers(np.bincount(rows, minlength=table.shape[0]))
    return Matrix(indptr, table.indices[keep].astype(np.int64), values[keep], table.shape[1], features, labels, what)


def _check_shape(table: Any, what: str) -> None:
    if table.ndim != 2:
        raise InputError(f"{what} has {table.ndim} dimension(s); wanted are 2, runs x features.")
    if table.shape[0] == 0 or table.shape[1] == 0:
        missing = "runs" if table.shape[0] == 0 else "features"
        raise InputError(f"{what} has no {missing} (its shape is {table.shape}); wanted is at least one.")
