"""Which layout a table of text cells has, and the runs in it; what could be two layouts is refused, with both."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.cell_lists import lists_in_cells
from steadyset.io.entries import Entries
from steadyset.io.heading_words import are_called_runs, is_heading, is_symbol
from steadyset.io.headings import ZERO_ONE, is_number
from steadyset.io.labels import some_names
from steadyset.io.marks import wide_cells, with_row_names
from steadyset.io.name_lists import (
    NO_NAMES,
    Lists,
    columns_of,
    entries_of_lists,
    gene_sets_in_columns,
    gene_sets_in_rows,
    lists_in_columns,
    lists_in_rows,
    without_row_numbers,
)
from steadyset.io.own_headings import entries_of_pairs, is_long, roles
from steadyset.io.r_layouts import entries_of_r
from steadyset.io.reading_options import COLUMNS, GMT, GMX, IMPORTANCES, LISTS, LONG, RANKS, ROWS, WIDE, Reading
from steadyset.io.valued import entries_of_numbers

Rows = Sequence[Sequence[str]]
LINE_SHOWN = 40  # letters of a line


def entries_of_rows(cells: Rows, reading: Reading, *, short: bool = False) -> Entries:
    """The runs of a table of text cells, with a line of what was understood as its first note.

    `short`: the first row may be a header without a name for the first column, which only tables of numbers have.
    """
    rows = [[cell.strip() for cell in row] for row in cells]
    rows = [row for row in rows if any(row)]
    if not rows:
        raise InputError("The table has no cells; expected lists of names, or a table of runs and features.")
    if reading.layout in LISTS:
        return entries_of_lists(_lists(rows, reading.layout, reading), reading)
    of_r = entries_of_r(rows, reading)
    if of_r is not None:
        return of_r
    columns, _, notes = without_row_numbers(columns_of(rows))
    if reading.layout is None and (within := lists_in_cells(rows, columns)) is not None:
        return entries_of_lists(within, reading)
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
        return entries_of_numbers(with_row_names(wide, reading.transpose), reading, marks=wide.marks)
    if reading.layout in (WIDE, RANKS, IMPORTANCES):
        raise InputError(
            f"The cells are not those of the layout {reading.layout}: ",
            "0 and 1, or marks such as x and blanks" if reading.layout == WIDE else "numbers",
            "; if they are names, give ",
            Argument("layout", COLUMNS),
            " or ",
            Argument("layout", ROWS),
            ".",
        )
    _refuse_wrong_cells(rows)
    return entries_of_lists(_lists(rows, layout_of_names(rows), reading), reading)


def _refuse_wrong_cells(rows: Rows) -> None:
    """A table of 0 and 1 or of fractions in which a few cells are something else is no table of names.

    Nor is one of numbers beside names that lacks some of the numbers.
    """
    body = [(i, f, cell) for i, row in enumerate(rows[1:], 2) for f, cell in enumerate(row) if f]
    named = len(rows[0]) > 1 and not any(map(is_number, [*rows[0], *(row[0] for row in rows[1:])]))
    blank = next(((i, f) for i, f, cell in body if not cell), None)
    if named and blank is not None and all(is_number(cell) for _, _, cell in body if cell):
        i, f = blank
        raise InputError(f"Row {i} holds no number in column {f + 1}; expected one in every cell beside the names.")
    for fits, wanted in ((lambda cell: cell in ZERO_ONE, "0 or 1"), (_is_fraction, "a number")):
        wrong = [(i, f, cell) for i, f, cell in body if not fits(cell)]
        if body and 2 * len(wrong) < len(body):
            i, f, cell = wrong[0] if wrong else (2, 0, rows[1][0])
            what = repr(cell) if cell else "nothing"
            raise InputError(f"Row {i} holds {what} in column {f + 1} ({rows[0][f : f + 1]}); expected {wanted}.")


def _is_fraction(cell: str) -> bool:
    return is_number(cell) and not cell.isdigit()


def _lists(rows: Rows, layout: str, reading: Reading) -> Lists:
    if layout == GMT:
        return gene_sets_in_rows(rows)
    if layout == GMX:
        return gene_sets_in_columns(rows)
    if layout == ROWS and all(len(row) == 1 for row in rows) and any(" " in row[0] for row in rows):
        found = lists_in_rows([row[0].split() for row in rows], reading.header)
        return found._replace(notes=(*found.notes, "names separated by spaces"))
    transposed = bool(reading.transpose) != (layout == ROWS)
    return (lists_in_rows if transposed else lists_in_columns)(rows, reading.header)


def layout_of_names(rows: Rows) -> str:
    """Whether lists of names stand in columns or in rows.

    A list holds a name once, and starts at the edge of the table; names that several lists share show up in several
    columns, whereas in a table of something else they keep to their own.
    """
    if _looks_like_gmt(rows):
        return GMT
    rows = [["" if cell in NO_NAMES else cell for cell in row] for row in rows]
    columns, told, _ = without_row_numbers(columns_of(rows))
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
        if told or are_called_runs([column[0] for column in columns]):
            return COLUMNS
        if are_called_runs([row[0] for row in rows]):
            return ROWS
        above, before = (is_heading([[cell for cell in cells if cell] for cells in lists]) for lists in (columns, rows))
        if above != before and (above or before):
            return COLUMNS if above else ROWS
    raise InputError(_why(in_columns, in_rows, shared, columns), "give ", *_options(in_columns, in_rows), ".")


def _refuse_spaces(names: Sequence[str]) -> None:
    """Lines of several words that recur, or of symbols, are lists that spaces separate, or names of several words."""
    words = [set(name.split()) for name in names if name]
    every = {word for some in words for word in some}
    recurring = len(every) < sum(map(len, words))
    if len(words) > 1 and all(len(some) > 1 for some in words) and (recurring or all(map(is_symbol, every))):
        shown = some_names([shorten(name, LINE_SHOWN, placeholder=" ...") for name in names])
        raise InputError(
            f"The lines ({shown}) may be lists whose names are separated by spaces, or single names; in the first case "
            "give ",
            Argument("layout", ROWS),
            ", in the second ",
            Argument("layout", COLUMNS),
            ".",
        )


def _why(in_columns: bool, in_rows: bool, shared: bool, columns: Sequence[Sequence[str]]) -> str:
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


def _options(in_columns: bool, in_rows: bool) -> list[str | Argument]:
    either = in_columns == in_rows
    layouts = [name for name, fits in ((COLUMNS, in_columns or either), (ROWS, in_rows or either)) if fits]
    layouts += [] if in_columns or in_rows else [LONG]
    parts: list[str | Argument] = []
    for place, name in enumerate(layouts):
        parts += ["" if place == 0 else " or " if place == len(layouts) - 1 else ", ", Argument("layout", name)]
    return parts


def _from_the_edge(lists: Sequence[Sequence[str]]) -> bool:
    """Whether each list has its blanks after its names."""
    return all("" not in cells[: len([cell for cell in cells if cell])] for cells in lists)


def _once_each(lists: Sequence[Sequence[str]]) -> bool:
    filled = ([cell for cell in cells if cell] for cells in lists)
    return all(len(set(cells)) == len(cells) for cells in filled)


def _share_names(columns: Sequence[Sequence[str]]) -> bool:
    """Whether some name stands in two columns."""
    seen: set[str] = set()
    for column in columns:
        names = set(column) - {""}
        if not seen.isdisjoint(names):
            return True
        seen |= names
    return False


def _looks_like_gmt(rows: Rows) -> bool:
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
    return set(second) <= NO_NAMES | {"", "na"} or addresses or sentences
