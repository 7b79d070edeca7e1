"""Workbooks of the time before archives (.xls), which are read in a process of their own.

A damaged or forged one can ask the reader of workbooks for any amount of memory, or for a chain of sectors without end;
the process has a limit, and ends where it is reached.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from steadyset.foundation.errors import InputError
from steadyset.io.limited_process import read_limited

IMPORTS = "import datetime, json; from python_calamine import CalamineWorkbook"
SCRIPT = """
def plain(value):
    if isinstance(value, (datetime.datetime, datetime.date)):
        return {"date": value.isoformat()}
    return value if isinstance(value, (str, float, bool)) else str(value)

try:
    with open(sys.argv[1], "rb") as source:
        book = CalamineWorkbook.from_filelike(source)
    for about in book.sheets_metadata:
        told = {"name": about.name, "typ": str(about.typ), "visible": str(about.visible)}
        if told["typ"].endswith("WorkSheet"):
            sheet = book.get_sheet_by_name(about.name)
            told |= {"height": sheet.height, "width": sheet.width, "start": sheet.start}
            told["merged_cell_ranges"] = sheet.merged_cell_ranges
            told["rows"] = [[plain(value) for value in row] for row in sheet.iter_rows()] if sheet.start else []
        json.dump(told, sys.stdout)
        sys.stdout.write("\\n")
except Exception as error:
    json.dump({"error": f"{type(error).__name__}: {error}"}, sys.stdout)
"""


class OldSheet(NamedTuple):
    """A sheet with the names that the reader of workbooks gives to what it has."""

    name: str
    typ: str
    visible: str
    height: int = 0
    width: int = 0
    start: tuple[int, int] | None = None
    merged_cell_ranges: Sequence[tuple[tuple[int, int], tuple[int, int]]] | None = None
    rows: Sequence[Sequence[Any]] = ()

    def iter_rows(self) -> Iterator[list[Any]]:
        return ([_value(cell) for cell in row] for row in self.rows)


class OldWorkbook(NamedTuple):
    """All sheets of an .xls file."""

    sheets_metadata: list[OldSheet]

    def get_sheet_by_name(self, name: str) -> OldSheet:
        return next(sheet for sheet in self.sheets_metadata if sheet.name == name)


def read_old_workbook(path: Path, max_gb: float) -> OldWorkbook:
    """The sheets of an .xls file; a sentence where it is damaged, or takes more memory than allowed."""
    printed = read_limited(IMPORTS, SCRIPT, path, max_gb=max_gb, instead="save it as .xlsx or .csv")
    if printed is None:
        raise InputError(
            f"{path} is not a readable workbook, or takes far more memory or time than its size allows; "
            "save it again as .xlsx or .csv."
        )
    sheets = [json.loads(line) for line in printed.splitlines()]
    wrong = next((sheet["error"] for sheet in sheets if "error" in sheet), None)
    if wrong is not None and wrong.startswith("PasswordError"):
        raise InputError(f"{path} is protected by a password; save it without one.")
    if wrong is not None:
        what = wrong.split(": ", 1)[1].splitlines()[0].rstrip(".")
        raise InputError(f"{path} is not a readable workbook: {what}; save it again as .xlsx or .csv.")
    return OldWorkbook([OldSheet(**sheet) for sheet in sheets])


def _value(cell: Any) -> Any:
    if not isinstance(cell, dict):
        return cell
    text = cell["date"]
    return datetime.datetime.fromisoformat(text) if "T" in text else datetime.date.fromisoformat(text)
