"""Excel and OpenDocument workbooks: which sheet, and its cells as text."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.foundation.errors import Argument, InputError, MissingExtraError
from steadyset.io.gene_dates import MONTHS
from steadyset.io.labels import several, some_names
from steadyset.io.limits import first_line, refuse_size
from steadyset.io.old_workbooks import OldSheet, OldWorkbook, read_old_workbook
from steadyset.io.spreadsheet_archives import checked_archive
from steadyset.io.spreadsheet_formulas import uncalculated

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

WORKBOOK_ENDINGS = (".xlsx", ".xlsm", ".xls", ".ods")
BYTES_A_TEXT_CELL = 100  # of a cell as it is read and then as text
WHOLE = 2.0**53
COMMON = (str, float, bool)  # types of cells that are no dates


class Workbook:
    """An open workbook; sheets are found by name, or by number from 1."""

    def __init__(
        self, path: Path, book: CalamineWorkbook | OldWorkbook, parts: Mapping[str, bytes], max_gb: float
    ) -> None:
        self.path, self.book, self.parts, self.max_gb = path, book, parts, max_gb
        self.read: dict[str, CalamineSheet | OldSheet] = {}
        self.names = [sheet.name for sheet in book.sheets_metadata if _is_table(sheet)]
        self.hidden = [sheet.name for sheet in book.sheets_metadata if _is_table(sheet) and _is_hidden(sheet)]

    def chosen(self, sheet: str | int | None) -> tuple[CalamineSheet | OldSheet, tuple[str, ...]]:
        """One sheet, with what is to be said of the choice: the one that is asked for, or the only one with cells."""
        if sheet is not None:
            return self.sheet(self._name(sheet)), ()
        filled = self.filled()
        shown = [name for name in filled if name not in self.hidden] or filled
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
        unread = [name for name in filled if name != shown[0]]
        if unread:
            notes.append(f"hidden and not read: {some_names(unread)}")
        return self.sheet(shown[0]), tuple(notes)

    def filled(self) -> list[str]:
        """The sheets with cells."""
        return [name for name in self.names if self.sheet(name).start is not None]

    def sheet(self, name: str) -> CalamineSheet | OldSheet:
        if name not in self.read:
            with explained_workbook(self.path):
                self.read[name] = self.book.get_sheet_by_name(name)
            cells = sum(sheet.height * sheet.width for sheet in self.read.values())
            refuse_size(self.path, BYTES_A_TEXT_CELL * cells, self.max_gb)
        return self.read[name]

    def cells(
        self, sheet: CalamineSheet | OldSheet
    ) -> tuple[list[list[str]], dict[tuple[int, int], str], list[str], list[str]]:
        """The cells of a sheet from A1 on as texts, which of them are dates, what was understood, and what to say."""
        with explained_workbook(self.path):
            values = list(sheet.iter_rows()) if sheet.start is not None else []
            merged = sheet.merged_cell_ranges or ()
        dates = {
            (r, c): date
            for r, row in enumerate(values)
            for c, value in enumerate(row)
            if type(value) not in COMMON and (date := date_text(value))
        }
        rows = [[value if type(value) is str else cell_text(value) for value in row] for row in values]
        words = ["merged cells count for each of their rows"] if _filled_down(rows, merged) else []
        notes = []
        formulas = uncalculated(self.parts, sheet.name)
        if formulas:
            how_many = several(len(formulas), "formula")
            notes.append(
                f"{how_many} without a stored result read as empty ({some_names(formulas)}): save the file in Excel"
            )
        return rows, dates, words, notes

    def _name(self, sheet: str | int) -> str:
        if isinstance(sheet, str) and sheet in self.names:
            return sheet
        by_number = dict(enumerate(self.names, 1)) | {str(i): name for i, name in enumerate(self.names, 1)}
        key = sheet.strip() if isinstance(sheet, str) else sheet
        if not isinstance(key, bool) and key in by_number:
            return by_number[key]
        raise InputError(
            f"{self.path} has no sheet {sheet!r}; it has {some_names(self.names)}; give ",
            Argument("sheet", self.names[0]) if self.names else "one with cells",
            ", or a number from 1.",
        )


@contextmanager
def open_workbook(path: Path, max_gb: float) -> Iterator[Workbook]:
    """A workbook whose parts are known to be of bearable size."""
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise MissingExtraError(f'{path} needs python-calamine: pip install "steadyset[excel]".') from None
    archive = checked_archive(path, max_gb)
    if not archive.parts:
        yield Workbook(path, read_old_workbook(path, max_gb), {}, max_gb)
        return
    with explained_workbook(path):
        book = CalamineWorkbook.from_filelike(io.BytesIO(archive.content))
    yield Workbook(path, book, archive.parts, max_gb)


@contextmanager
def explained_workbook(path: Path) -> Iterator[None]:
    """Say what is wrong with a workbook in a sentence, whatever the library makes of it."""
    try:
        yield
    except InputError:
        raise
    except OSError:
        raise
    except BaseException as error:  # a panic of the library is no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
            raise
        if type(error).__name__ == "PasswordError":
            raise InputError(f"{path} is protected by a password; save it without one.") from None
        raise InputError(
            f"{path} is not a readable workbook: {first_line(error)}; save it again as .xlsx or .csv."
        ) from None


def cell_text(value: Any) -> str:
    """A cell as one would type it."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < WHOLE else repr(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    return str(value)


def cell_name(row: int, column: int) -> str:
    """The address of a cell as spreadsheets show it: A1 for the first."""
    letters, column = "", column + 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def date_text(value: Any) -> str | None:
    """A day and its month, as a gene is shown that became a date; None for what is no date."""
    if isinstance(value, datetime.datetime | datetime.date):
        return f"{value.day}-{MONTHS[value.month - 1]}"
    return None


def _is_table(sheet: Any) -> bool:
    return str(sheet.typ).endswith("WorkSheet")


def _filled_down(rows: list[list[str]], merged: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> bool:
    """Put what is in the first of cells that are merged over several rows into the others; whether there are any."""
    spans = [(top, min(bottom, len(rows) - 1), column) for (top, column), (bottom, _) in merged if bottom > top]
    if sum(bottom - top for top, bottom, _ in spans) > sum(map(len, rows)):  # they overlap, which no program writes
        return False
    filled = False
    for top, bottom, column in spans:
        if top < len(rows) and column < len(rows[top]) and rows[top][column]:
            for row in rows[top + 1 : bottom + 1]:
                row[column], filled = row[column] or rows[top][column], True
    return filled


def _is_hidden(sheet: Any) -> bool:
    return not str(sheet.visible).endswith(".Visible")
