"""Frames of any library (through narwhals) as numbers with the names of their features."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from steadyset.errors import InputError


def is_frame(table: Any) -> bool:
    """Whether it is a pandas, polars, pyarrow or other frame that narwhals knows."""
    return isinstance(nw.from_native(table, eager_only=True, pass_through=True), nw.DataFrame)


def number_array(table: Any, what: str) -> npt.NDArray[Any]:
    """An array of numbers or bools; text is refused even where it looks like numbers."""
    try:
        array = np.asarray(table)
        if array.dtype.kind == "O" and not any(isinstance(x, (str, bytes)) for x in array.ravel()):
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} holds something else than numbers, or rows of different lengths.") from None
    if array.dtype.kind not in "biuf":
        raise InputError(f"{what} holds text or values of type {array.dtype}; wanted are numbers.")
    return array


def number_table(table: Any, what: str) -> tuple[npt.NDArray[Any], list[str]]:
    """The numbers of a frame whose columns are features, and their names."""
    return _numbers(nw.from_native(table, eager_only=True), what)


def square_table(table: Any, what: str) -> tuple[npt.NDArray[Any], list[str]]:
    """The numbers of a features x features frame, and the names.

    The rows may be named too, by an index that is not a count or by a first column; these names must be the same.
    """
    frame = nw.from_native(table, eager_only=True)
    index = nw.maybe_get_index(frame)
    rows = None
    if frame.shape[1] == frame.shape[0] + 1:
        rows = frame[frame.columns[0]].to_list()
        frame = frame.drop(frame.columns[0])
    elif index is not None and index.dtype.kind not in "iu":
        rows = list(index)
    array, names = _numbers(frame, what)
    if rows is not None and array.shape[0] == array.shape[1]:
        for place, (row, name) in enumerate(zip(rows, names, strict=True)):
            if str(row) != name:
                raise InputError(
                    f"Row {place + 1} of {what} is called {str(row)!r} and its column {name!r}; "
                    "wanted are the same names in the same order."
                )
    return array, names


def _numbers(frame: nw.DataFrame[Any], what: str) -> tuple[npt.NDArray[Any], list[str]]:
    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype == nw.Boolean):
            raise InputError(f"{what} has the column {str(name)!r} of type {dtype}; wanted are numbers.")
    return np.asarray(frame.to_numpy()), [str(name) for name in frame.columns]
