"""Excel and OpenDocument workbooks: which sheet, and its cells as text."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.errors import Argument, InputError, MissingExtraError
from steadyset.io.labels import some_names
from steadyset.io.limits import first_line, refuse_size
from steadyset.io.spreadsheet_archives import checked_archive

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

WORKBOOK_ENDINGS = (".xlsx", ".xlsm", ".xls", ".ods")
BYTES_A_TEXT_CELL = 100  # of a cell as it is read and then as text
WHOLE = 2.0**53


class Workbook:
    """An open workbook; sheets are found by name, or by number from 1."""

    def __init__(self, path: Path, book: CalamineWorkbook, max_gb: float) -> None:
        self.path, self.book, self.max_gb = path, book, max_gb
        self.names = [sheet.name for sheet in book.sheets_metadata if _is_table(sheet)]
        self.hidden = [sheet.name for sheet in book.sheets_metadata if _is_table(sheet) and _is_hidden(sheet)]

    def chosen(self, sheet: str | int | None) -> tuple[CalamineSheet, tuple[str, ...]]:
        """One sheet, with what is to be said of the choice: the one that is asked for, or the only one with cells."""
        if sheet is not None:
            return self.sheet(self._name(sheet)), ()
        filled = [name for name in self.names if self.sheet(name).start is not None]
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

    def sheet(self, name: str) -> CalamineSheet:
        with explained_workbook(self.path):
            sheet = self.book.get_sheet_by_name(name)
        refuse_size(self.path, BYTES_A_TEXT_CELL * sheet.height * sheet.width, self.max_gb)
        return sheet

    def _name(self, sheet: str | int) -> str:
        if isinstance(sheet, str) and sheet in self.names:
            return sheet
        number = str(sheet).strip()
        if not isinstance(sheet, bool) and number.isdecimal() and 1 <= int(number) <= len(self.names):
            return self.names[int(number) - 1]
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
    content = checked_archive(path, max_gb)
    with explained_workbook(path):
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    yield Workbook(path, book, max_gb)


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


def cell_rows(sheet: CalamineSheet) -> Iterator[list[Any]]:
    """The rows of a sheet, from its first cell in use on."""
    start = sheet.start
    yield from (sheet.iter_rows() if start is not None else ())


def cell_text(value: Any) -> str:
    """A cell as one would type it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < WHOLE else repr(value)
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


def _is_table(sheet: Any) -> bool:
    return str(sheet.typ).endswith("WorkSheet")


def _is_hidden(sheet: Any) -> bool:
    return not str(sheet.visible).endswith(".Visible")
