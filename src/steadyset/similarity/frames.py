"""Frames of any library (through narwhals) as numbers with the names of their features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy.typing as npt

from steadyset.foundation.errors import InputError
from steadyset.io.formats.columns import Columns
from steadyset.io.numbers import as_frame, number_frame


def square_table(table: Any, what: str) -> tuple[npt.NDArray[Any], list[str]]:
    """The numbers of a features x features frame, and the names.

    The rows may be named too, by an index that is not a count or by a first column; these names must be the same.
    """
    frame = as_frame(table, what)
    if len(frame) == 0:
        raise InputError(f"{what} has no rows; expected one row per feature.")
    index = nw.maybe_get_index(frame)
    rows = None
    if frame.shape[1] == frame.shape[0] + 1:
        rows = frame[frame.columns[0]].to_list()
        frame = frame.drop(frame.columns[0])
    elif index is not None and index.dtype.kind not in "iu":
        rows = list(index)
    array, names = number_frame(frame, what)
    if rows is not None and array.shape[0] == array.shape[1]:
        check_row_names(rows, names, what)
    return array, names


def square_columns(read: Columns, what: str) -> tuple[npt.NDArray[Any], list[str]]:
    """The same of a file with many columns; the first may name the rows."""
    names = [read.names[f] for f in read.numeric]
    unknown = [f for f in read.others if f > 0]
    if unknown:
        kind = read.others[unknown[0]].type
        raise InputError(f"{what} has the column {read.names[unknown[0]]!r} of type {kind}; expected numbers.")
    if 0 in read.others and len(read.X) == len(names):
        check_row_names(read.others[0].to_pylist(), names, what)
    return read.X, names


def check_row_names(rows: Sequence[Any], names: Sequence[str], what: str) -> None:
    """Rows that have names have those of the columns."""
    for place, (row, name) in enumerate(zip(rows, names, strict=True)):
        if str(row) != name:
            raise InputError(
                f"Row {place + 1} of {what} is called {str(row)!r} and its column {name!r}; "
                "expected the same names in the same order."
            )
