"""The cells of a table as text, whatever file it is in: text in any usual form, a sheet of Excel or OpenDocument."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from steadyset.foundation.errors import Argument, InputError, MissingExtraError
from steadyset.io.files import BYTES_A_CELL, MAX_GB, File, read_limited, readable, refuse_size
from steadyset.io.formats.csv_files import checked_form
from steadyset.io.formats.headings import find_heading, is_comment
from steadyset.io.formats.record import is_workbook
from steadyset.io.formats.spreadsheet import among_names, dates_in_texts, gene_dates_told
from steadyset.io.formats.text import TextForm, read_as, text_rows
from steadyset.io.formats.workbook_process import BYTES_A_TEXT_CELL, sheet_called
from steadyset.io.labels import several, some_names

SHOWN_ROWS = 60  # in which the header is looked for


@dataclass(frozen=True)
class Cells:
    """The cells of a sheet from A1 on as texts, which of them are dates, what was understood, and what to say."""

    rows: list[list[str]]
    dates: dict[tuple[int, int], str]
    words: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Workbook:
    """The sheets of a workbook, and the cells of those that were read and hold any."""

    path: File
    names: Sequence[str]
    hidden: Sequence[str]
    filled: dict[str, Cells]

    def chosen(self, sheet: str | int | None) -> tuple[Cells, tuple[str, ...]]:
        """One sheet, with what is to be said of the choice: the one that is asked for, or the only one with cells."""
        if sheet is not None:
            name = sheet_called(self.names, sheet)
            if name is None:
                raise InputError(
                    f"{self.path} has no sheet {sheet!r}; it has {some_names(self.names)}; give ",
                    Argument("sheet", self.names[0]) if self.names else "one with cells",
                    ", or a number from 1.",
                )
            return self.filled.get(name, Cells([], {})), ()
        shown = self.shown or list(self.filled)
        if not shown:
            raise InputError(f"{self.path} is empty.")
        if len(shown) > 1:
            raise InputError(
                f"{self.path} has {len(shown)} sheets with cells ({some_names(shown)}); choose one with ",
                Argument("sheet", shown[0]),
                ".",
            )
        notes = []
        if len(self.names) > 1:
            notes.append(f"sheet {shown[0]!r}")
        unread = [name for name in self.filled if name != shown[0]]
        if unread:
            notes.append(f"hidden and not read: {some_names(unread)}")
        return self.filled[shown[0]], tuple(notes)

    @property
    def shown(self) -> list[str]:
        """The sheets with cells that are not hidden."""
        return [name for name in self.filled if name not in self.hidden]


def read_workbook(path: File, max_gb: float, sheet: str | int | None = None) -> Workbook:
    """A workbook, or of it the one sheet that is asked for, read by a process with limits of memory and time."""
    if (Workbook, None) in path.found:  # with all its sheets
        sheet = None
    return path.known((Workbook, sheet), lambda: _read_workbook(path, max_gb, sheet))


def _read_workbook(path: File, max_gb: float, sheet: str | int | None) -> Workbook:
    try:
        import python_calamine  # noqa: F401
    except ImportError:
        raise MissingExtraError(f'{path} needs python-calamine: pip install "steadyset[excel]".') from None
    refuse_size(path, path.stat().st_size, max_gb)
    imports = "import python_calamine; from steadyset.io.formats.workbook_process import main"
    asked = json.dumps(sheet if isinstance(sheet, str | int) else None)
    call = "main(*sys.argv[1:])"
    printed = read_limited(imports, call, path, asked, str(max_gb), max_gb=max_gb, instead="save it as .csv")
    if printed is None:
        raise InputError(
            f"{path} is not a readable workbook, or takes far more memory or time than its size allows; "
            "save it again as .xlsx or .csv."
        )
    told = json.loads(printed.decode("utf-8", "surrogatepass"))
    if "refused" in told:
        raise InputError(
            *(part if isinstance(part, str) else Argument(part["argument"], ...) for part in told["refused"])
        )
    filled = {name: _cells(**found) for name, found in told["sheets"].items()}
    return Workbook(path, told["names"], told["hidden"], filled)


def _cells(rows: list[list[str]], dates: list[Any], merged: list[Any], formulas: list[str]) -> Cells:
    words = ["merged cells count for each of their rows"] if _filled_down(rows, merged) else []
    notes = []
    if formulas:
        how_many = several(len(formulas), "formula")
        notes.append(
            f"{how_many} without a stored result read as empty ({some_names(formulas)}): save the file in Excel"
        )
    return Cells(rows, {(r, c): date for r, c, date in dates}, words, notes)


def cell_name(row: int, column: int) -> str:
    """The address of a cell as spreadsheets show it: A1 for the first."""
    letters, column = "", column + 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def _filled_down(rows: list[list[str]], merged: Sequence[tuple[int, int, int]]) -> bool:
    """Put what is in the first of cells that are merged over several rows into the others; whether there are any."""
    spans = [(top, min(bottom, len(rows) - 1), column) for top, bottom, column in merged]
    if sum(bottom - top for top, bottom, _ in spans) > sum(map(len, rows)):  # they overlap, which no program writes
        return False
    filled = False
    for top, bottom, column in spans:
        if top < len(rows) and column < len(rows[top]) and rows[top][column]:
            for row in rows[top + 1 : bottom + 1]:
                row[column], filled = row[column] or rows[top][column], True
    return filled


@dataclass(frozen=True)
class Sheet:
    """The rows of a table from its header on, "" where a cell is empty, and what was understood to read them so.

    Rows may have different lengths. Empty rows and columns around the table are left out.
    """

    rows: list[list[str]]
    notes: tuple[str, ...]


def read_sheet(
    path: Path | File, *, sheet: str | int | None = None, delimiter: str | None = None, max_gb: float = MAX_GB
) -> Sheet:
    """The table of a text file or of one sheet of a workbook.

    `sheet` is a name or a number from 1; without it, a workbook has one sheet with cells. A `delimiter` is a character
    or tab. A file that would take more than `max_gb` gigabytes is refused.
    """
    path = File.of(path)
    with readable(path):
        read = workbook_sheet if is_workbook(path) else _from_text
        found = read(path, sheet, delimiter, max_gb)
    if not found.rows:
        raise InputError(f"{path} is empty.")
    return found


def first_rows(path: File, delimiter: str | None, max_gb: float, count: int) -> list[list[str]]:
    """The header of a text table and the first rows below it, "" where a cell is empty."""
    form = checked_form(path, delimiter, max_gb, bytes_a_cell=BYTES_A_CELL)
    rows = list(islice((row for row in text_rows(path, form) if any(row)), count))
    named = max(place for place, name in enumerate(rows[0], 1) if name)  # rows may end with a delimiter
    return [row[:named] for row in rows]


def sheet_names(path: Path | File, max_gb: float = MAX_GB) -> list[str]:
    """The names of the sheets of a workbook that are visible and hold cells."""
    with readable(path):
        return read_workbook(File.of(path), max_gb).shown


def workbook_sheet(path: File, sheet: str | int | None, delimiter: str | None, max_gb: float) -> Sheet:
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


def _from_text(path: File, sheet: str | int | None, delimiter: str | None, max_gb: float) -> Sheet:
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
    width = max((place for row in filled for place, cell in enumerate(row, 1) if cell), default=0)
    return [row[:width] for row in filled]
