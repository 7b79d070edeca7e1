"""Which layout a table of text cells has, and the runs in it; what could be two layouts is refused, with both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import shorten

import numpy as np

from steadyset.foundation.errors import Argument, InputError, either
from steadyset.io.formats import headings
from steadyset.io.formats.columns import RUN
from steadyset.io.labels import some_names
from steadyset.io.lists import COLUMNS, GMT, GMX, IMPORTANCES, LISTS, LONG, RANKS, ROWS, WIDE, name_lists
from steadyset.io.lists.entries import Entries, ReadOptions
from steadyset.io.lists.long import entries_of_pairs, is_long, roles
from steadyset.io.lists.r_layouts import entries_of_r
from steadyset.io.lists.wide import Wide, entries_of_numbers, names_of_rows, unknown_rows
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
LINE_SHOWN = 40  # letters of a line


def wide_cells(rows: headings.TextRows, header: bool | None = None) -> Wide | None:
    """The table, if all its cells are marks of one kind (which are 1) or numbers; None where they are not."""
    width = max(map(len, rows))
    square = [[*row, *[""] * (width - len(row))] for row in rows]
    if header is None and len(square) > 1 and _may_name_columns(square[0], square[1:]):
        raise InputError(
            f"The first row ({some_names(square[0])}) may name the columns or hold numbers like the rest; give ",
            *either("header", True, False),
            ", or for lists of identifiers ",
            *either("layout", COLUMNS, ROWS),
            ".",
        )
    for headed in (True, False) if header is None else (header,):
        for labelled in (False, True):
            found = _of_cells(square, headed, labelled, header)
            if found is not None:
                return found
    return None


def with_row_names(table: Wide, transpose: bool | None) -> Wide:
    """The table, whose rows have names that are those of runs or of features; asked for where nobody can tell."""
    first = table.first
    if table.labels is None or first == RUN:
        return table
    if first == "" and (headings.are_called_runs(table.labels) or headings.are_row_numbers(table.labels, None)):
        return table
    columns = [first or "1", *(table.features if table.features is not None else ())]
    labels, told = names_of_rows(list(table.labels), "The table", columns, transpose)
    if labels is None and told is None:
        raise unknown_rows("The table", "numbers", first or "1", table.labels)
    return table._replace(labels=table.labels if labels is None else labels, transposed=told)


def _may_name_columns(cells: Sequence[str], body: headings.TextRows) -> bool:
    """Whether numbers may be identifiers above columns of numbers: distinct, and neither 0/1 nor ranks; fractions only
    above 0/1."""
    if len(set(cells)) < len(cells) or set(cells) <= headings.ZERO_ONE or not all(map(headings.is_number, cells)):
        return False
    if not all(cell.isdecimal() for cell in cells):
        return set(_cells(body)) <= headings.ZERO_ONE
    return sorted(map(int, cells)) != list(range(1, len(cells) + 1)) and _numbers(body) is not None


def _of_cells(square: list[list[str]], headed: bool, labelled: bool, header: bool | None) -> Wide | None:
    body = [row[labelled:] for row in square[headed:]]
    heading = square[0][labelled:]
    numbered = header is None and all(map(headings.is_number, square[0]))
    marked = header is None and labelled and headings.is_row_of_marks(square[0])
    if not body or not body[0] or (headed and (numbered or marked or "" in heading)):
        return None
    marks = _marked(body)
    array = marks if marks is not None else _numbers(body)
    if array is None:
        return None
    labels = [row[0] for row in square[headed:]] if labelled else None
    if labels is not None and (all(map(headings.is_number, labels)) and not headed):
        return None
    first = square[0][0] if labelled and headed else None
    written = [row[0] for row in square[headed:]] if labels is None else None
    plain = marks is None or set(_cells(body)) <= {"0", "1", "0.0", "1.0"}
    return Wide(array, heading if headed else None, labels, None, written, first, not plain)


def _cells(body: Iterable[Sequence[str]]) -> Iterable[str]:
    return (cell for row in body for cell in row)


def _marked(body: headings.TextRows) -> Floats | None:
    found = {cell.lower() for cell in _cells(body)}
    for yes, no in WAYS:
        if found <= yes | no and found & yes:
            return np.array([[cell.lower() in yes for cell in row] for row in body], dtype=np.float64)
    return None


def _numbers(body: headings.TextRows) -> Floats | None:
    if not all(map(headings.is_number, _cells(body))):
        return None
    return np.array([[headings.number_of(cell) for cell in row] for row in body])


def entries_of_rows(cells: headings.TextRows, reading: ReadOptions, *, short: bool = False) -> Entries:
    """The runs of a table of text cells, with a line of what was understood as its first note.

    `short`: the first row may be a header without a name for the first column, which only tables of numbers have.
    """
    rows = [[cell.strip() for cell in row] for row in cells]
    rows = [row for row in rows if any(row)]
    if not rows:
        raise InputError("The table has no cells; expected lists of names, or a table of runs and features.")
    if reading.layout in LISTS:
        return name_lists.entries_of_lists(_lists(rows, reading.layout, reading), reading)
    of_r = entries_of_r(rows, reading)
    if of_r is not None:
        return of_r
    columns, _, notes = name_lists.without_row_numbers(name_lists.columns_of(rows))
    if reading.layout is None and (within := name_lists.lists_in_cells(rows, columns)) is not None:
        return name_lists.entries_of_lists(within, reading)
    if is_long(columns, reading):
        entries = entries_of_pairs(columns, roles(columns, reading), reading)
        return entries._replace(notes=(*entries.notes, *notes))
    if len(rows) == 1 and len(columns) > 1:
        raise InputError(
            "The table has no rows; expected one row per run. If its names are a list, give ",
            Argument("layout", ROWS),
            ".",
        )
    wide = wide_cells([["", *rows[0]], *rows[1:]] if short else rows, reading.header)
    if wide is not None:
        return entries_of_numbers(with_row_names(wide, reading.transpose), reading)
    if reading.layout in (WIDE, RANKS, IMPORTANCES):
        raise InputError(
            f"The cells are not those of the layout {reading.layout}: ",
            "0 and 1, or marks such as x and blanks" if reading.layout == WIDE else "numbers",
            "; if they are names, give ",
            *either("layout", COLUMNS, ROWS),
            ".",
        )
    _refuse_wrong_cells(rows)
    return name_lists.entries_of_lists(_lists(rows, layout_of_names(rows), reading), reading)


def _refuse_wrong_cells(rows: headings.TextRows) -> None:
    """A table of 0 and 1 or of fractions in which a few cells are something else is no table of names.

    Nor is one of numbers beside names that lacks some of the numbers.
    """
    body = [(i, f, cell) for i, row in enumerate(rows[1:], 2) for f, cell in enumerate(row) if f]
    named = len(rows[0]) > 1 and not any(map(headings.is_number, [*rows[0], *(row[0] for row in rows[1:])]))
    blank = next(((i, f) for i, f, cell in body if not cell), None)
    if named and blank is not None and all(headings.is_number(cell) for _, _, cell in body if cell):
        i, f = blank
        raise InputError(f"Row {i} holds no number in column {f + 1}; expected one in every cell beside the names.")
    for fits, wanted in ((lambda cell: cell in headings.ZERO_ONE, "0 or 1"), (_is_fraction, "a number")):
        wrong = [(i, f, cell) for i, f, cell in body if not fits(cell)]
        if body and 2 * len(wrong) < len(body):
            i, f, cell = wrong[0] if wrong else (2, 0, rows[1][0])
            what = repr(cell) if cell else "nothing"
            raise InputError(f"Row {i} holds {what} in column {f + 1} ({rows[0][f : f + 1]}); expected {wanted}.")


def _is_fraction(cell: str) -> bool:
    return headings.is_number(cell) and not cell.isdigit()


def _lists(rows: headings.TextRows, layout: str, reading: ReadOptions) -> name_lists.Lists:
    if layout == GMT:
        return name_lists.gene_sets_in_rows(rows)
    if layout == GMX:
        return name_lists.gene_sets_in_columns(rows)
    if layout == ROWS and all(len(row) == 1 for row in rows) and any(" " in row[0] for row in rows):
        found = name_lists.lists_in_rows([row[0].split() for row in rows], reading.header)
        return found._replace(notes=(*found.notes, "names separated by spaces"))
    transposed = bool(reading.transpose) != (layout == ROWS)
    return (name_lists.lists_in_rows if transposed else name_lists.lists_in_columns)(rows, reading.header)


def layout_of_names(rows: headings.TextRows) -> str:
    """Whether lists of names stand in columns or in rows.

    A list holds a name once, and starts at the edge of the table; names that several lists share show up in several
    columns, whereas in a table of something else they keep to their own.
    """
    if _looks_like_gmt(rows):
        return GMT
    rows = [["" if cell in name_lists.NO_NAMES else cell for cell in row] for row in rows]
    columns, told, _ = name_lists.without_row_numbers(name_lists.columns_of(rows))
    if len(columns) == 1:
        _refuse_spaces(columns[0])
        return COLUMNS
    in_columns = _from_the_edge(columns) and _once_each(columns)
    in_rows = _from_the_edge(rows) and _once_each(rows)
    shared = _share_names(columns)
    if in_columns and not in_rows and shared:
        return COLUMNS
    if in_rows and not in_columns and shared:
        return ROWS
    if in_columns and in_rows and shared:
        if told or headings.are_called_runs([column[0] for column in columns]):
            return COLUMNS
        if headings.are_called_runs([row[0] for row in rows]):
            return ROWS
        above, before = (
            headings.is_heading([[cell for cell in cells if cell] for cells in lists]) for lists in (columns, rows)
        )
        if above != before and (above or before):
            return COLUMNS if above else ROWS
    both = in_columns == in_rows
    fitting = [name for name, fits in ((COLUMNS, in_columns or both), (ROWS, in_rows or both)) if fits]
    layouts = fitting if in_columns or in_rows else [*fitting, LONG]
    raise InputError(_why(in_columns, in_rows, shared, columns), "give ", *either("layout", *layouts), ".")


def _refuse_spaces(names: Sequence[str]) -> None:
    """Lines of several words that recur, or of symbols, are lists that spaces separate, or names of several words."""
    words = [set(name.split()) for name in names if name]
    every = {word for some in words for word in some}
    recurring = len(every) < sum(map(len, words))
    if len(words) > 1 and all(len(some) > 1 for some in words) and (recurring or all(map(headings.is_symbol, every))):
        shown = some_names([shorten(name, LINE_SHOWN, placeholder=" ...") for name in names])
        raise InputError(
            f"The lines ({shown}) may be lists whose names are separated by spaces, or single names; in the first case "
            "give ",
            Argument("layout", ROWS),
            ", in the second ",
            Argument("layout", COLUMNS),
            ".",
        )


def _why(in_columns: bool, in_rows: bool, shared: bool, columns: headings.TextRows) -> str:
    firsts = some_names([column[0] for column in columns])
    if in_columns and in_rows and shared:
        return f"The names may be lists in columns ({firsts} first) or in rows; "
    if in_columns or in_rows:
        return (
            f"The columns ({firsts} first) share no name, as if they were no lists of the same features; if they are, "
        )
    if shared:
        return f"Names recur within columns and within rows ({firsts} first), as in no list; if they are lists, "
    return f"The table ({firsts} first) is neither one of 0 and 1, marks or numbers, nor clearly one of lists; "


def _from_the_edge(lists: headings.TextRows) -> bool:
    """Whether each list has its blanks after its names."""
    return all("" not in cells[: len([cell for cell in cells if cell])] for cells in lists)


def _once_each(lists: headings.TextRows) -> bool:
    filled = ([cell for cell in cells if cell] for cells in lists)
    return all(len(set(cells)) == len(cells) for cells in filled)


def _share_names(columns: headings.TextRows) -> bool:
    """Whether some name stands in two columns."""
    seen: set[str] = set()
    for column in columns:
        names = set(column) - {""}
        if not seen.isdisjoint(names):
            return True
        seen |= names
    return False


def _looks_like_gmt(rows: headings.TextRows) -> bool:
    """A second column that is no name: a word for nothing, an address, or words where names have no spaces."""
    if len(rows) < 2 or min(map(len, rows)) < 3:
        return False
    second = [row[1] for row in rows]
    names = [cell for row in rows for cell in row[2:] if cell]
    elsewhere = not set(second).isdisjoint(names)
    if elsewhere or len({row[0] for row in rows}) < len(rows):
        return False
    addresses = all("://" in cell for cell in second)
    sentences = all(" " in cell for cell in second) and not any(" " in name for name in names)
    return set(second) <= name_lists.NO_NAMES | {"", "na"} or addresses or sentences
