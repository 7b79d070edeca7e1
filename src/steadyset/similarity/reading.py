"""A similarity from a file: a square matrix, or a table of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.io.formats.columns import RUN, Columns
from steadyset.io.formats.tables import TableFile
from steadyset.io.labels import AppearanceOrder, feature_names
from steadyset.io.lists.long import column_numbers
from steadyset.kernels.arrays import Floats, Ints
from steadyset.similarity.store import DenseStore, Names, SparseStore, matrix_store, square_columns, square_table

if TYPE_CHECKING:
    import pyarrow as pa


SIMILARITY = "similarity"


def read_store(path: Path, features: Sequence[str] | None, max_gb: float) -> tuple[DenseStore | SparseStore, Names]:
    """The checked similarities of a csv, tsv or parquet file; the file decides on the layout."""
    if path.suffix.lower() == ".json":
        raise InputError(f"{path} is a json file; expected .csv, .tsv (also with .gz) or .parquet.")
    read = _columns_or_table(path, max_gb, labels=True)
    if RUN in (read.names if isinstance(read, Columns) else read.column_names):  # it may be a feature, not a label
        read = _columns_or_table(path, max_gb, labels=False)
    try:
        if isinstance(read, Columns):
            array, columns = square_columns(read, "C")
        elif read.num_columns == 3 and read.column_names[2] == SIMILARITY:
            return _from_long(read, features)
        else:
            array, columns = square_table(read, "C")
        generated = columns == [f"x{i}" for i in range(len(columns))]  # the file has no header, or says no more
        return matrix_store(array, features if features is not None or generated else columns, "check")
    except InputError as error:
        raise error.after(f"{path}: ") from None


def _columns_or_table(path: Path, max_gb: float, *, labels: bool) -> Columns | pa.Table:
    file = TableFile(path, max_gb=max_gb)
    many = file.many_columns(labels=labels)
    return file.arrow(labels=labels)[0] if many is None else many


def _from_long(table: pa.Table, features: Sequence[str] | None) -> tuple[SparseStore | DenseStore, Names]:
    f, g, names = _coded_features(table, features)
    values = column_numbers(table, SIMILARITY)
    pairs = g >= 0
    f, g, values = f[pairs], g[pairs], values[pairs]
    low, high, values = _each_pair_once(f, g, values, names)
    d = len(names)
    from scipy import sparse

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
