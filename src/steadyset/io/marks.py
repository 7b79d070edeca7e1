"""Wide tables of text cells: marks (x, +, yes, 1) or numbers, with a heading and names of rows where they have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.columns import RUN
from steadyset.io.heading_words import are_called_runs, are_row_numbers, is_row_of_marks
from steadyset.io.headings import ZERO_ONE, is_number, number_of
from steadyset.io.labels import some_names
from steadyset.io.wide import Wide, names_of_rows, unknown_rows
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


def wide_cells(rows: Sequence[Sequence[str]], header: bool | None = None) -> WideCells | None:
    """The table, if all its cells are marks of one kind or numbers; None where they are not."""
    width = max(map(len, rows))
    square = [[*row, *[""] * (width - len(row))] for row in rows]
    if header is None and len(square) > 1 and _may_name_columns(square[0], square[1:]):
        raise InputError(
            f"The first row ({some_names(square[0])}) may name the columns or hold numbers like the rest; give ",
            Argument("header", True),
            " or ",
            Argument("header", False),
            ", or for lists of identifiers ",
            Argument("layout", "columns"),
            " or ",
            Argument("layout", "rows"),
            ".",
        )
    for headed in (True, False) if header is None else (header,):
        for labelled in (False, True):
            found = _of_cells(square, headed, labelled, header)
            if found is not None:
                return found
    return None


def with_row_names(found: WideCells, transpose: bool | None) -> Wide:
    """The table, whose rows have names that are those of runs or of features; asked for where nobody can tell."""
    table, first = found.table, found.first
    if table.labels is None or first == RUN:
        return table
    if first == "" and (are_called_runs(table.labels) or are_row_numbers(table.labels, None)):
        return table
    columns = [first or "1", *(table.features if table.features is not None else ())]
    labels, told = names_of_rows(list(table.labels), "The table", columns, transpose)
    if labels is None and told is None:
        raise unknown_rows("The table", "numbers", first or "1", table.labels)
    return table._replace(labels=table.labels if labels is None else labels, transposed=told)


def _may_name_columns(cells: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether numbers may be identifiers above columns of numbers: distinct, and neither 0/1 nor ranks; fractions only
    above 0/1."""
    if len(set(cells)) < len(cells) or set(cells) <= ZERO_ONE or not all(map(is_number, cells)):
        return False
    if not all(cell.isdecimal() for cell in cells):
        return set(_cells(body)) <= ZERO_ONE
    return sorted(map(int, cells)) != list(range(1, len(cells) + 1)) and _numbers(body) is not None


def _of_cells(square: list[list[str]], headed: bool, labelled: bool, header: bool | None) -> WideCells | None:
    body = [row[labelled:] for row in square[headed:]]
    heading = square[0][labelled:]
    numbered = header is None and all(map(is_number, square[0]))
    marked = header is None and labelled and is_row_of_marks(square[0])
    if not body or not body[0] or (headed and (numbered or marked or "" in heading)):
        return None
    marks = _marked(body)
    array = marks if marks is not None else _numbers(body)
    if array is None:
        return None
    labels = [row[0] for row in square[headed:]] if labelled else None
    if labels is not None and (all(map(is_number, labels)) and not headed):
        return None
    first = square[0][0] if labelled and headed else None
    written = [row[0] for row in square[headed:]] if labels is None else None
    table = Wide(array, heading if headed else None, labels, written=written)
    return WideCells(table, first, marks is not None and not set(_cells(body)) <= {"0", "1", "0.0", "1.0"})


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
    return np.array([[number_of(cell) for cell in row] for row in body])
