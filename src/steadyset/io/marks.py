"""Wide tables of text cells: marks (x, +, yes, 1) or numbers, with a heading and names of rows where they have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from steadyset.io.columns import RUN
from steadyset.io.headings import is_number
from steadyset.io.wide import Wide, names_of_rows
from steadyset.kernels.arrays import Floats

# What says that a feature was selected, and what that it was not; each row is a way of its own.
WAYS = (
    ({"1", "1.0"}, {"0", "0.0"}),
    ({"1", "1.0"}, {""}),
    ({"true", "t"}, {"false", "f"}),
    ({"true", "t"}, {""}),
    ({"yes", "y"}, {"no", "n", ""}),
    ({"x"}, {"", "-", ".", "o"}),
    ({"+"}, {"", "-"}),
    ({"*"}, {"", "-"}),
    ({"✓", "✔", "☑"}, {"", "-", "✗", "✘", "☐"}),
    ({"selected"}, {"", "not selected", "unselected", "-"}),
)


class WideCells(NamedTuple):
    """The numbers of a wide table, 1 for a mark; what is above its columns and before its rows, where something is."""

    table: Wide
    first: str | None  # the heading of the column that names the rows
    marks: bool  # other than 0 and 1


def wide_cells(rows: Sequence[Sequence[str]]) -> WideCells | None:
    """The table, if all its cells are marks of one kind or numbers; None where they are not."""
    width = max(map(len, rows))
    square = [[*row, *[""] * (width - len(row))] for row in rows]
    for headed in (True, False):
        for labelled in (False, True):
            found = _of_cells(square, headed, labelled)
            if found is not None:
                return found
    return None


def with_row_names(found: WideCells, transpose: bool | None) -> Wide:
    """The table, whose rows have names that are those of runs or of features; asked for where nobody can tell."""
    table = found.table
    if table.labels is None or found.first in (RUN, ""):
        return table
    heading = found.first if found.first is not None else "1"
    columns = [heading, *(table.features if table.features is not None else ())]
    labels, told = names_of_rows(list(table.labels), "The table", columns, transpose)
    return table._replace(labels=labels if labels is not None else table.labels, transposed=told)


def _of_cells(square: list[list[str]], headed: bool, labelled: bool) -> WideCells | None:
    body = [row[labelled:] for row in square[headed:]]
    heading = square[0][labelled:]
    if not body or not body[0] or (headed and (all(map(is_number, heading)) or "" in heading)):
        return None
    marked = _marked(body)
    array = marked if marked is not None else _numbers(body)
    if array is None:
        return None
    labels = [row[0] for row in square[headed:]] if labelled else None
    if labels is not None and (all(map(is_number, labels)) and not headed):
        return None
    first = square[0][0] if labelled and headed else None
    table = Wide(array, heading if headed else None, labels)
    return WideCells(table, first, marked is not None and not set(_cells(body)) <= {"0", "1", "0.0", "1.0"})


def _cells(body: Iterable[Sequence[str]]) -> Iterable[str]:
    return (cell for row in body for cell in row)


def _marked(body: Sequence[Sequence[str]]) -> Floats | None:
    found = {cell.lower() for cell in _cells(body)}
    for yes, no in WAYS:
        if found <= yes | no and found & yes:
            return np.array([[cell.lower() in yes for cell in row] for row in body], dtype=np.float64)
    return None


def _numbers(body: Sequence[Sequence[str]]) -> Floats | None:
    if not all(map(is_number, _cells(body))):
        return None
    return np.array([[float(cell.replace(",", ".")) for cell in row] for row in body])
