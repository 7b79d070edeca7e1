"""Tables in files, whatever the format, and JSON files of any content."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.files import File
from steadyset.io.formats.arrow_files import read_parquet_columns
from steadyset.io.formats.columns import Columns, from_arrow
from steadyset.io.formats.csv_files import TextTable, read_csv, read_many_columns, rows_table, text_table
from steadyset.io.formats.record import TABLE, Format, endings_in_words, format_of, is_typed
from steadyset.io.formats.sheets import is_workbook, workbook_sheet
from steadyset.io.formats.spreadsheet import gene_dates_in
from steadyset.io.formats.text import separator_of
from steadyset.io.limits import MAX_GB, readable, refuse_size

if TYPE_CHECKING:
    import pyarrow as pa

JSON_SHARE = 8  # what is read from json takes about so many times its size


def read_json_file(path: Path | File, max_gb: float = MAX_GB) -> Any:
    """What a json file holds."""
    with readable(path):
        refuse_size(path, JSON_SHARE * path.stat().st_size, max_gb)
        text = File.of(path).open().read()
    try:
        return json.loads(text.decode("utf-8-sig"), object_pairs_hook=_distinct_keys)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    except InputError as error:
        raise error.after(f"{path}: ") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not well-formed JSON: {error}.") from None
    except ValueError:  # Python reads whole numbers of at most some 4,300 digits
        raise InputError(f"{path} holds a whole number with thousands of digits; expected shorter ones.") from None


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"The key {key!r} occurs twice; expected distinct keys.")
        found[key] = value
    return found


def read_table(
    path: Path | File,
    *,
    labels: bool = True,
    delimiter: str | None = None,
    sheet: str | int | None = None,
    max_gb: float = MAX_GB,
) -> pa.Table:
    """A text table of any usual form, a sheet of a workbook, or a parquet or feather file.

    With `labels`, a first column without a name is called run, and the columns run and feature stay text. A
    `delimiter` is a character, or tab; without it, it is found. A `sheet` is a name, or a number from 1. A file that
    would take more than `max_gb` gigabytes is refused.
    """
    return noted_table(path, labels=labels, delimiter=delimiter, sheet=sheet, max_gb=max_gb)[0]


def noted_table(
    path: Path | File,
    *,
    apart: Sequence[str] = (),
    labels: bool = True,
    delimiter: str | None = None,
    sheet: str | int | None = None,
    max_gb: float = MAX_GB,
) -> tuple[pa.Table, tuple[str, ...]]:
    """The same with what was understood to read the file so; columns called `apart` stay as they are written."""
    path = File.of(path)
    text = _text(path, delimiter, sheet, max_gb)
    with readable(path):
        if text is not None:
            return read_csv(text, labels, given=delimiter is not None, apart=apart)[:2]
        return _typed(path, max_gb), ()


def read_columns(
    path: Path | File,
    *,
    apart: Sequence[str] = (),
    labels: bool = False,
    delimiter: str | None = None,
    sheet: str | int | None = None,
    max_gb: float = MAX_GB,
) -> Columns:
    """The data of a file as one array of numbers and the other columns.

    `apart` are never among the numbers: in a text or a workbook they stay as they are written, 01 is not 1.
    """
    path = File.of(path)
    read = _read_columns(path, apart, labels, delimiter, sheet, max_gb)
    told = () if is_workbook(path) else gene_dates_in(read.names)  # what became a date in a workbook is told already

    def again(more: Collection[str]) -> Columns:
        return _read_columns(path, (*apart, *more), labels, delimiter, sheet, max_gb)

    return replace(read, notes=(*read.notes, *told), again=again)


def _read_columns(
    path: File, apart: Sequence[str], labels: bool, delimiter: str | None, sheet: str | int | None, max_gb: float
) -> Columns:
    text = _text(path, delimiter, sheet, max_gb)
    with readable(path):
        if text is not None:
            found = read_many_columns(text, apart, labels)
            if found is not None:
                return found
            table, notes, decimal = read_csv(text, labels, given=delimiter is not None, apart=apart)
            return replace(from_arrow(table, apart), notes=notes, decimal=decimal)
        if path.suffix == ".parquet":
            return read_parquet_columns(path, apart, max_gb)
        return from_arrow(_typed(path, max_gb), apart)


def many_columns(
    path: Path | File,
    *,
    apart: Sequence[str] = (),
    labels: bool,
    delimiter: str | None = None,
    sheet: str | int | None = None,
    max_gb: float = MAX_GB,
) -> Columns | None:
    """A text table with many columns; None where it has few, or is not as regular as that."""
    text = _text(File.of(path), delimiter, sheet, max_gb)
    if text is None:
        return None
    with readable(path):
        return read_many_columns(text, apart, labels)


def written_format(path: Path) -> Format:
    """The format in which a file is written, by its ending; a sentence where there is none."""
    found = format_of(path.name)
    if found is None or not found.written:
        raise _unknown_ending(path, endings_in_words(lambda one: one.written))
    return found


def _typed(path: File, max_gb: float) -> pa.Table:
    """The table of a file whose columns have types."""
    found = format_of(path.name)
    if found is None or found.read is None:
        raise _unknown_ending(path, endings_in_words(_is_table))
    return found.read(path, max_gb)


def _text(path: File, delimiter: str | None, sheet: str | int | None, max_gb: float) -> TextTable | None:
    """What is read as text: text files and workbooks; None for the formats of Arrow."""
    return path.known((TextTable, delimiter, sheet, max_gb), lambda: _text_of(path, delimiter, sheet, max_gb))


def _text_of(path: File, delimiter: str | None, sheet: str | int | None, max_gb: float) -> TextTable | None:
    if is_typed(path.name):
        if delimiter is not None:
            raise InputError(f"{path} is not a text table; leave ", Argument("delimiter"), " out.")
        if sheet is not None:
            raise InputError(f"{path} is not a workbook; leave ", Argument("sheet"), " out.")
        if path.suffix == ".json":
            raise InputError(f"{path} is a json file; expected {endings_in_words(_is_table)}.")
        return None
    with readable(path):
        if delimiter is not None:
            separator_of(delimiter)
        elif not is_workbook(path) and not _may_be_text(path):
            raise _unknown_ending(path, endings_in_words(_is_table))
        if is_workbook(path):
            read = workbook_sheet(path, sheet, delimiter, max_gb)
            return rows_table(path, read.rows, read.notes)
        if sheet is not None:
            raise InputError(f"{path} is a text file; leave ", Argument("sheet"), " out.")
        return text_table(path, delimiter, max_gb)


def _is_table(one: Format) -> bool:
    return TABLE in one.holds


def _may_be_text(path: File) -> bool:
    """Whether a file is text by its ending; many a program calls a text file .xls."""
    found = format_of(path.name)
    return found is not None and (found.text or ".xls" in found.endings) and _is_table(found)


def _unknown_ending(path: Path | File, endings: str) -> InputError:
    if path.is_dir():
        return InputError(f"{path} is a folder; expected a file.")
    return InputError(f"{path} has an unknown ending; expected {endings}.")
