"""How similarities are kept: what every store can be asked, the stores of a matrix, of groups and of files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, get_args

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import check_choice, is_collection, wrong_argument
from steadyset.foundation.errors import InputError, after
from steadyset.io.formats.columns import RUN, Columns
from steadyset.io.formats.tables import TableFile
from steadyset.io.labels import AppearanceOrder, describe_feature, feature_names, name_positions
from steadyset.io.lists.entries import row_pointers
from steadyset.io.lists.long import column_numbers
from steadyset.io.numbers import as_frame, is_frame, number_array, number_frame
from steadyset.kernels.arrays import Floats, Ints

if TYPE_CHECKING:
    import pyarrow as pa
    from scipy import sparse


def square_table(table: Any) -> tuple[npt.NDArray[Any], list[str]]:
    """The numbers of a features x features frame, and the names.

    The rows may be named too, by an index that is not a count or by a first column; these names must be the same.
    """
    frame = as_frame(table, "C")
    if len(frame) == 0:
        raise InputError("C has no rows; expected one row per feature.")
    index = nw.maybe_get_index(frame)
    rows = None
    if frame.shape[1] == frame.shape[0] + 1:
        rows = frame[frame.columns[0]].to_list()
        frame = frame.drop(frame.columns[0])
    elif index is not None and index.dtype.kind not in "iu":
        rows = list(index)
    array, names = number_frame(frame, "C")
    if rows is not None and array.shape[0] == array.shape[1]:
        check_row_names(rows, names)
    return array, names


def square_columns(read: Columns) -> tuple[npt.NDArray[Any], list[str]]:
    """The same of a file with many columns; the first may name the rows."""
    names = [read.names[f] for f in read.numeric]
    unknown = [f for f in read.others if f > 0]
    if unknown:
        kind = read.others[unknown[0]].type
        raise InputError(f"C has the column {read.names[unknown[0]]!r} of type {kind}; expected numbers.")
    if 0 in read.others and len(read.X) == len(names):
        check_row_names(read.others[0].to_pylist(), names)
    return read.X, names


def check_row_names(rows: Sequence[Any], names: Sequence[str]) -> None:
    """Rows that have names have those of the columns."""
    for place, (row, name) in enumerate(zip(rows, names, strict=True)):
        if str(row) != name:
            raise InputError(
                f"Row {place + 1} of C is called {str(row)!r} and its column {name!r}; "
                "expected the same names in the same order."
            )


# Similarities this close below the threshold count as equal to it: a tie in theory is one whatever the rounding.
TIE = 1e-12
CELLS_A_BLOCK = 1 << 22


class Neighbours(NamedTuple):
    """The symmetric graph c(f, g) >= threshold, f != g, as the rows of a sparse matrix; ascending within a row."""

    indptr: Ints
    indices: Ints
    values: Floats


class Store(ABC):
    """Similarities c(f, g) of d features, without a threshold.

    `diagonal` holds c(f, f), ones that take no memory unless a matrix was told to keep others.
    """

    def __init__(self, n_features: int, diagonal: Floats | None = None) -> None:
        self.n_features = n_features
        self.diagonal = np.broadcast_to(np.float64(1), n_features) if diagonal is None else diagonal

    @abstractmethod
    def block(self, rows: Ints, columns: Ints) -> Floats:
        """c(f, g) for f in rows and g in columns."""

    @cached_property
    @abstractmethod
    def total(self) -> float:
        """The sum of c(f, g) over all ordered pairs f != g."""

    def neighbours(self, threshold: float) -> Neighbours:
        """The graph c(f, g) >= threshold - TIE; here by looking at every pair, some rows at a time."""
        d = self.n_features
        everything = np.arange(d)
        degrees = np.zeros(d, dtype=np.int64)
        indices, values = [], []
        for rows in np.array_split(everything, -(-d * d // CELLS_A_BLOCK)):
            if not len(rows):
                continue
            block = self.block(rows, everything)
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


Diagonal = Literal["check", "one", "keep"]
Names = tuple[str, ...] | None
ROUNDING, ROUNDING_SINGLE = 1e-8, 1e-6  # how far a matrix may be from symmetric, from [0, 1] and from c(f, f) = 1


class DenseStore(Store):
    """A d x d array that the caller built."""

    def __init__(self, matrix: Floats) -> None:
        matrix.setflags(write=False)
        super().__init__(len(matrix), matrix.diagonal())
        self._matrix = matrix

    def block(self, rows: Ints, columns: Ints) -> Floats:
        return self._matrix[np.ix_(rows, columns)]

    @cached_property
    def total(self) -> float:
        return float(self._matrix.sum() - self._matrix.trace())


class SparseStore(Store):
    """The non-zero similarities between different features, and the diagonal; what is missing is 0."""

    def __init__(self, others: sparse.csr_array, diagonal: Floats | None) -> None:
        super().__init__(others.shape[0], diagonal)
        self._others = others

    def block(self, rows: Ints, columns: Ints) -> Floats:
        block: Floats = self._others[rows][:, columns].toarray()
        same = rows[:, None] == columns
        block[same] = np.broadcast_to(self.diagonal[rows][:, None], block.shape)[same]
        return block

    @cached_property
    def total(self) -> float:
        return float(self._others.data.sum())

    def neighbours(self, threshold: float) -> Neighbours:
        if threshold <= TIE:
            return super().neighbours(threshold)
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
        C, columns = square_table(C)
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
    return SparseStore(others, np.clip(own, 0.0, 1.0) if diagonal == "keep" else None)


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


class GroupStore(Store):
    """The group of each feature as a number."""

    def __init__(self, groups: Ints) -> None:
        super().__init__(len(groups))
        self.groups = groups
        self._sizes = np.bincount(groups)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        return np.equal(self.groups[rows][:, None], self.groups[columns]).astype(np.float64)

    @cached_property
    def total(self) -> float:
        return float(self._sizes @ (self._sizes - 1))

    def neighbours(self, threshold: float) -> Neighbours:
        """Each group is a clique."""
        if threshold <= TIE:
            return super().neighbours(threshold)
        by_group = np.argsort(self.groups, kind="stable")
        group_start = row_pointers(self._sizes)
        length = self._sizes[self.groups]
        start = row_pointers(length)
        rows = np.repeat(np.arange(self.n_features), length)
        within = np.arange(len(rows)) - start[rows]
        members = by_group[group_start[self.groups[rows]] + within]
        others = members[members != rows]
        return frozen_graph(row_pointers(length - 1), others, np.ones(len(others)))


def group_store(
    groups: Any, features: Sequence[str] | None, n_features: int | None
) -> tuple[GroupStore, tuple[str, ...] | None]:
    """Groups told by a label for each feature, or by collections of names or indices."""
    if isinstance(groups, Mapping):
        if features is None:  # a mapping has the order in which somebody wrote it
            store, names = group_store(list(groups.values()), list(groups), n_features)
            return store, AppearanceOrder(names or ())
        unknown = sorted(set(groups).difference(features), key=str)
        if unknown:
            raise InputError(f"groups names {unknown[0]!r}, which is not among the features.")
        groups = [groups.get(name) for name in features]
    if not is_collection(groups):
        raise wrong_argument("groups", "one label per feature, or collections of features", groups)
    entries = list(groups)
    collections = [is_collection(x) for x in entries]
    if any(collections):
        if not all(collections):
            raise InputError("groups mixes labels and collections; give only labels or only collections.")
        names, d = feature_names(features, n_features, what="from_groups with collections of features")
        return GroupStore(_groups_of_members(entries, names, d)), names
    names, d = feature_names(features, len(entries) if n_features is None else n_features, what="from_groups")
    if len(entries) != d:
        raise InputError(f"groups has {len(entries)} labels for {d} features; expected one label per feature.")
    return GroupStore(_groups_of_labels(entries)), names


def _groups_of_labels(labels: list[Any]) -> Ints:
    """A number for each label as it first appears; a missing label is a group of its own."""
    keys = [("alone", f) if _is_missing(label) else ("group", label) for f, label in enumerate(labels)]
    number = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return np.array([number[key] for key in keys], dtype=np.int64)


def _is_missing(label: Any) -> bool:
    """None, nan, and what will not say whether it equals itself (the missing value of pandas)."""
    try:
        return label is None or label is np.ma.masked or bool(label != label)
    except TypeError:
        return True


def _groups_of_members(collections: list[Any], names: tuple[str, ...] | None, d: int) -> Ints:
    """The place of the collection that each feature is in; features in none come after, each alone."""
    positions = name_positions(names, d)
    codes = np.full(d, -1, dtype=np.int64)
    for group, members in enumerate(collections):
        for member in members:
            f = positions.get(member, -1) if isinstance(member, str) else member
            if not (isinstance(f, (int, np.integer)) and 0 <= f < d):
                raise InputError(f"groups holds {member!r}, which is not among the features.")
            if codes[f] >= 0:
                raise InputError(
                    f"groups holds {describe_feature(int(f), names)} twice; a feature belongs to at most one group."
                )
            codes[f] = group
    alone = codes < 0
    codes[alone] = len(collections) + np.arange(alone.sum())
    return codes


SIMILARITY = "similarity"


def read_store(path: Path, features: Sequence[str] | None, max_gb: float) -> tuple[DenseStore | SparseStore, Names]:
    """The checked similarities of a csv, tsv or parquet file; the file decides on the layout."""
    if path.suffix.lower() == ".json":
        raise InputError(f"{path} is a json file; expected .csv, .tsv (also with .gz) or .parquet.")
    read = _columns_or_table(path, max_gb, labels=True)
    if RUN in (read.names if isinstance(read, Columns) else read.column_names):  # it may be a feature, not a label
        read = _columns_or_table(path, max_gb, labels=False)
    with after(f"{path}: "):
        if isinstance(read, Columns):
            array, columns = square_columns(read)
        elif read.num_columns == 3 and read.column_names[2] == SIMILARITY:
            return _from_long(read, features)
        else:
            array, columns = square_table(read)
        generated = columns == [f"x{i}" for i in range(len(columns))]  # the file has no header, or says no more
        return matrix_store(array, features if features is not None or generated else columns, "check")


def _columns_or_table(path: Path, max_gb: float, *, labels: bool) -> Columns | pa.Table:
    file = TableFile(path, max_gb=max_gb)
    many = file.many_columns(labels=labels)
    return file.arrow(labels=labels)[0] if many is None else many


def _from_long(table: pa.Table, features: Sequence[str] | None) -> tuple[SparseStore | DenseStore, Names]:
    from scipy import sparse

    f, g, names = _coded_features(table, features)
    pairs, d = g >= 0, len(names)
    low, high, values = _each_pair_once(f[pairs], g[pairs], column_numbers(table, SIMILARITY)[pairs], names)

    upper = sparse.coo_array((values, (low, high)), shape=(d, d)).tocsr()
    lower = sparse.coo_array((values[low != high], (high[low != high], low[low != high])), shape=(d, d)).tocsr()
    return matrix_store(upper + lower, names, "check")


def _coded_features(table: pa.Table, features: Sequence[str] | None) -> tuple[Ints, Ints, tuple[str, ...]]:
    """The two feature columns as indices (-1: none) into the names, as declared or in order of appearance."""
    import pandas as pd

    both = [[None if x in (None, "") else str(x) for x in table.column(side).to_pylist()] for side in (0, 1)]
    if any(x is None for x in both[0]):
        raise InputError(f"Row {both[0].index(None) + 1} of the table names no first feature.")
    codes, found = pd.factorize(np.array(both[0] + both[1], dtype=object))
    names, _ = feature_names(list(found) if features is None else features, None, what="read")
    assert names is not None
    declared = {first for first, second in zip(*both, strict=True) if second is None}
    if features is None and len(declared) < len(names):
        names = AppearanceOrder(names)
    position = {name: f for f, name in enumerate(names)}
    unknown = [name for name in found if name not in position]
    if unknown:
        raise InputError(f"The table holds {unknown[0]!r}, which is not among the features.")
    place = np.array([*(position[name] for name in found), -1], dtype=np.int64)[codes]
    return place[: len(both[0])], place[len(both[0]) :], names


def _each_pair_once(f: Ints, g: Ints, values: Floats, names: tuple[str, ...]) -> tuple[Ints, Ints, Floats]:
    """Pairs f <= g; a pair that is listed twice, or both ways round, must say the same."""
    low, high = np.minimum(f, g), np.maximum(f, g)
    order = np.lexsort((high, low))
    low, high, values = low[order], high[order], values[order]
    again = np.flatnonzero((np.diff(low) == 0) & (np.diff(high) == 0))
    differ = again[values[again] != values[again + 1]]
    if differ.size:
        e = differ[0]
        raise InputError(
            f"The table holds {values[e]:g} and {values[e + 1]:g} for {names[low[e]]!r} and {names[high[e]]!r}; "
            "expected one similarity per pair."
        )
    first = np.ones(len(low), dtype=bool)
    first[again + 1] = False
    return low[first], high[first], values[first]
