"""Tables in files, whatever the format, and JSON files of any content."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.files import MAX_GB, File, check_max_gb, readable, refuse_size
from steadyset.io.formats.columns import Columns, from_arrow, is_text
from steadyset.io.formats.csv_files import TextTable, read_csv, read_many_columns, rows_table, text_table
from steadyset.io.formats.record import TABLE, Format, endings_in_words, format_of, is_typed, is_workbook
from steadyset.io.formats.sheets import workbook_sheet
from steadyset.io.formats.spreadsheet import gene_dates_in
from steadyset.io.formats.text import separator_of

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
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


class TableFile:
    """A file that holds one table: text in any usual form, a sheet of a workbook, or columns with types.

    A `delimiter` is a character, or tab; without it, it is found. A `sheet` is a name, or a number from 1. A file that
    would take more than `max_gb` gigabytes is refused.
    """

    def __init__(
        self, file: Path | File, delimiter: str | None = None, sheet: str | int | None = None, max_gb: float = MAX_GB
    ) -> None:
        self.file, self.delimiter, self.sheet, self.max_gb = File.of(file), delimiter, sheet, max_gb

    def arrow(self, *, labels: bool = True, apart: Sequence[str] = ()) -> tuple[pa.Table, tuple[str, ...]]:
        """The table, and what was understood to read the file so.

        With `labels`, a first column without a name is called run, and the columns run and feature stay text; columns
        called `apart` stay as they are written.
        """
        text = self._text()
        with readable(self.file):
            return (self._typed(), ()) if text is None else self._parsed(read_csv, text, labels, apart)[:2]

    def columns(self, *, labels: bool = False, apart: Sequence[str] = ()) -> Columns:
        """The data as one array of numbers and the other columns.

        `apart` are never among the numbers: in a text or a workbook they stay as they are written, 01 is not 1.
        """
        read = self._columns(labels, apart)
        told = () if is_workbook(self.file) else gene_dates_in(read.names)  # a workbook has told in which cells
        notes = (*read.notes, *told)
        return replace(read, notes=notes, again=lambda more: self._columns(labels, (*apart, *more)))

    def many_columns(self, *, labels: bool, apart: Sequence[str] = ()) -> Columns | None:
        """A text table with many columns; None where it has few, or is not as regular as that."""
        text = self._text()
        with readable(self.file):
            return None if text is None else self._parsed(read_many_columns, text, labels, apart)

    def _columns(self, labels: bool, apart: Sequence[str]) -> Columns:
        many = self.many_columns(labels=labels, apart=apart)
        if many is not None:
            return many
        text, known = self._text(), format_of(self.file.name)
        with readable(self.file):
            if text is not None:
                table, notes, decimal = self._parsed(read_csv, text, labels, apart)
                return replace(from_arrow(table, apart), notes=notes, decimal=decimal)
            if known is not None and known.read_columns is not None:
                return known.read_columns(self.file, apart, self.max_gb)
            return from_arrow(self._typed(), apart)

    def _parsed(
        self, parse: Callable[[TextTable, bool, Sequence[str]], T], text: TextTable, labels: bool, apart: Sequence[str]
    ) -> T:
        """What is parsed from a text; of a small file what was parsed before, if all that is `apart` was text then.

        Whoever inspects a file does not know yet which column is the target, and reads it with none apart.
        """
        labels = labels and text.may_have_labels()
        key = (parse, self.delimiter, self.sheet, labels)
        found: T | None = self.file.found.get(key)
        if found is not None and _are_texts(found, apart):
            # Arrow tables cannot be changed; arrays can, and whoever gets one may do so.
            return replace(found, X=found.X.copy()) if isinstance(found, Columns) else found
        found = parse(text, labels, apart)
        if not apart and self.file.content is not None:
            self.file.found[key] = found
        return found

    def _typed(self) -> pa.Table:
        """The table of a file whose columns have types."""
        known = format_of(self.file.name)
        if known is None or known.read is None:
            raise _unknown_ending(self.file, endings_in_words(TABLE))
        return known.read(self.file, self.max_gb)

    def _text(self) -> TextTable | None:
        """What is read as text: text files and workbooks; None for columns with types."""
        check_max_gb(self.max_gb)
        return self.file.known((TextTable, self.delimiter, self.sheet, self.max_gb), self._recognised)

    def _recognised(self) -> TextTable | None:
        file, known = self.file, format_of(self.file.name)
        if is_typed(file.name):
            if self.delimiter is not None:
                raise InputError(f"{file} is not a text table; leave ", Argument("delimiter"), " out.")
            if self.sheet is not None:
                raise InputError(f"{file} is not a workbook; leave ", Argument("sheet"), " out.")
            if known is not None and known.read is None:
                raise InputError(f"{file} is a {known.name} file; expected {endings_in_words(TABLE)}.")
            return None
        with readable(file):
            workbook = is_workbook(file)
            if self.delimiter is not None:
                separator_of(self.delimiter)
            elif known is None or TABLE not in known.holds:
                raise _unknown_ending(file, endings_in_words(TABLE))
            if workbook:
                read = workbook_sheet(file, self.sheet, self.delimiter, self.max_gb)
                return rows_table(file, read.rows, read.notes)
            if self.sheet is not None:
                raise InputError(f"{file} is a text file; leave ", Argument("sheet"), " out.")
            return text_table(file, self.delimiter, self.max_gb)


def _are_texts(found: Any, names: Collection[str]) -> bool:
    """Whether all columns of these names in what was parsed are as they are written."""
    if isinstance(found, Columns):
        kinds = [(name, found.others[f].type if f in found.others else None) for f, name in enumerate(found.names)]
    else:
        kinds = [(field.name, field.type) for field in found[0].schema]
    return all(kind is not None and is_text(kind) for name, kind in kinds if name in names)


def written_format(path: Path) -> Format:
    """The format in which a file is written, by its ending; a sentence where there is none."""
    found = format_of(path.name)
    if found is None or found.write is None:
        raise _unknown_ending(path, endings_in_words(wanted=lambda one: one.write is not None))
    return found


def _unknown_ending(path: Path | File, endings: str) -> InputError:
    if path.is_dir():
        return InputError(f"{path} is a folder; expected a file.")
    return InputError(f"{path} has an unknown ending; expected {endings}.")
