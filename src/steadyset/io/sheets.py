"""The cells of a table as text, whatever file it is in: text in any usual form, Excel, OpenDocument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.gene_dates import among_names, dates_in_texts, gene_dates_told
from steadyset.io.headings import find_heading, is_comment
from steadyset.io.limits import MAX_GB, OLE, ZIP, readable
from steadyset.io.text_forms import TextForm, read_as, text_rows
from steadyset.io.text_tables import checked_form
from steadyset.io.workbook_process import BYTES_A_TEXT_CELL
from steadyset.io.workbooks import WORKBOOK_ENDINGS, cell_name, read_workbook

SHOWN_ROWS = 60  # in which the header is looked for


@dataclass(frozen=True)
class Sheet:
    """The rows of a table from its header on, "" where a cell is empty, and what was understood to read them so.

    Rows may have different lengths. Empty rows and columns around the table are left out.
    """

    rows: list[list[str]]
    notes: tuple[str, ...]


def read_sheet(
    path: Path, *, sheet: str | int | None = None, delimiter: str | None = None, max_gb: float = MAX_GB
) -> Sheet:
    """The table of a text file or of one sheet of a workbook.

    `sheet` is a name or a number from 1; without it, a workbook has one sheet with cells. A `delimiter` is a character
    or tab. A file that would take more than `max_gb` gigabytes is refused.
    """
    with readable(path):
        read = workbook_sheet if is_workbook(path) else _from_text
        found = read(path, sheet, delimiter, max_gb)
    if not found.rows:
        raise InputError(f"{path} is empty.")
    return found


def sheet_names(path: Path, max_gb: float = MAX_GB) -> list[str]:
    """The names of the sheets of a workbook that are visible and hold cells."""
    with readable(path):
        return read_workbook(path, max_gb).shown


def is_workbook(path: Path) -> bool:
    """Whether a file is an Excel or OpenDocument workbook, by its ending; many a text file is called .xls."""
    if path.suffix.lower() != ".xls" or not path.is_file():
        return path.suffix.lower() in WORKBOOK_ENDINGS
    with path.open("rb") as source:
        return source.read(8).startswith((ZIP, OLE))


def workbook_sheet(path: Path, sheet: str | int | None, delimiter: str | None, max_gb: float) -> Sheet:
    """One sheet of a workbook."""
    if delimiter is not None:
        raise InputError(f"{path} is a workbook; leave ", Argument("delimiter"), " out.")
    cells, notes = read_workbook(path, max_gb, sheet).chosen(sheet)
    rows, dates = cells.rows, cells.dates
    first = rows[:SHOWN_ROWS]
    heading = find_heading(first, [bool(row) and is_comment(row[0]) for row in first])
    below = {(r - heading.above, c): date for (r, c), date in dates.items() if r >= heading.above}
    rows = rows[heading.above :]
    genes = among_names(rows, below | dates_in_texts(rows))
    for (r, c), date in genes.items():
        rows[r][c] = date
    form = TextForm("utf-8", ",", heading=heading)
    told = _genes_told(genes, lambda r, c: cell_name(r + heading.above, c))
    return Sheet(_trimmed(rows), (*read_as((*notes, *form.words, *cells.words)), *cells.notes, *told))


def _from_text(path: Path, sheet: str | int | None, delimiter: str | None, max_gb: float) -> Sheet:
    if sheet is not None:
        raise InputError(f"{path} is a text file; leave ", Argument("sheet"), " out.")
    form = checked_form(path, delimiter, max_gb, bytes_a_cell=BYTES_A_TEXT_CELL)
    rows = _trimmed(list(text_rows(path, form)))
    told = _genes_told(among_names(rows, dates_in_texts(rows)), lambda r, c: f"row {r + 1}, column {c + 1}")
    return Sheet(rows, (*read_as(form.words), *told))


def _genes_told(genes: Mapping[tuple[int, int], str], place: Callable[[int, int], str]) -> tuple[str, ...]:
    if not genes:
        return ()
    first = min(genes)
    return (gene_dates_told(genes[first], f"in {place(*first)}", len(genes)),)


def _trimmed(rows: list[list[str]]) -> list[list[str]]:
    """Without empty cells at the ends of all rows, and without rows that hold nothing."""
    filled = [row for row in rows if any(row)]
    width = max((_last(row) for row in filled), default=0)
    return [row[:width] for row in filled]


def _last(row: list[str]) -> int:
    """One more than the place of the last cell that holds something."""
    return next((place for place in range(len(row), 0, -1) if row[place - 1]), 0)
