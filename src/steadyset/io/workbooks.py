"""Excel and OpenDocument workbooks: which sheet, and its cells as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyset.foundation.errors import Argument, InputError, MissingExtraError
from steadyset.io.labels import several, some_names
from steadyset.io.limited_process import read_limited
from steadyset.io.limits import refuse_size
from steadyset.io.workbook_process import sheet_called

WORKBOOK_ENDINGS = (".xlsx", ".xlsm", ".xls", ".ods")


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

    path: Path
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


def read_workbook(path: Path, max_gb: float, sheet: str | int | None = None) -> Workbook:
    """A workbook, or of it the one sheet that is asked for, read by a process with limits of memory and time."""
    try:
        import python_calamine  # noqa: F401
    except ImportError:
        raise MissingExtraError(f'{path} needs python-calamine: pip install "steadyset[excel]".') from None
    refuse_size(path, path.stat().st_size, max_gb)
    imports, call = "import python_calamine; from steadyset.io.workbook_process import main", "main(*sys.argv[1:])"
    asked = json.dumps(sheet if isinstance(sheet, str | int) else None)
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
