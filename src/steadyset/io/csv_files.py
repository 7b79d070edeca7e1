"""Text tables: csv, tsv, and what has another delimiter or decimal commas; also with .gz."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steadyset.arguments import wrong_argument
from steadyset.errors import Argument, InputError
from steadyset.io.columns import FEATURE, RUN, WIDE, Columns, read_wide_csv
from steadyset.io.limits import BYTES_A_CELL, first_line, refuse_size

if TYPE_CHECKING:
    import pyarrow as pa

TAB = "\t"
OTHER_SEPARATORS = {";": "semicolons", TAB: "tabs", ",": "commas", "|": "bars", " ": "spaces"}
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")
HEADER_SHARE = 64  # a name takes about so many times more memory than a byte of the header


def read_delimited(path: Path, delimiter: str, labels: bool, max_gb: float) -> pa.Table:
    """A table whose delimiter somebody named: numbers may have decimal commas."""
    table = read_csv(path, delimiter, labels, max_gb)
    return read_csv(path, delimiter, labels, max_gb, decimal=",") if _has_decimal_commas(table) else table


def read_many_columns(
    path: Path, apart: Sequence[str], separator: str, decimals: Sequence[str], labels: bool, max_gb: float
) -> Columns | None:
    """A table with many columns; None where it has few, or is not as regular as that."""
    header = _check_text(path, separator, max_gb)
    if header.count(separator) < WIDE:
        return None
    names = next(csv.reader([header], delimiter=separator))
    nameless = _is_data(names)
    if nameless and not labels:
        return None
    if nameless:
        names = [f"x{f}" for f in range(len(names))]
    row_names = ("",) if names[0] == "" else ()
    if labels and row_names and RUN not in names:
        names[0] = RUN
    apart = (*apart, *row_names, *((RUN,) if labels else ()))
    for decimal in decimals:
        found = read_wide_csv(path, names, separator, apart=apart, has_header=not nameless, decimal=decimal)
        if found is not None and not (labels and {RUN, FEATURE} <= set(names)):
            return found
    return None


def separator_of(delimiter: str) -> str:
    """The character that a delimiter means; tab may be written out."""
    character = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise wrong_argument("delimiter", "one character, such as ; or |, or tab", delimiter)
    return character


def _has_decimal_commas(table: pa.Table) -> bool:
    firsts = (column.drop_null()[:1].to_pylist() for column in table.columns if str(column.type) == "string")
    return any(value and DECIMAL_COMMA.fullmatch(value[0]) for value in firsts)


def read_csv(path: Path, delimiter: str, labels: bool, max_gb: float, *, decimal: str = ".") -> pa.Table:
    """A text table as Arrow reads it; with `labels`, what names runs and features stays text."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    header = _check_text(path, delimiter, max_gb)
    nameless = _is_data(header.split(delimiter))
    block = (1 << 20) + 8 * len(header)  # a row has to fit into a block

    def read(texts: Sequence[str]) -> pa.Table:
        return arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(block_size=block, autogenerate_column_names=nameless),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(texts, pa.string()), decimal_point=decimal
            ),
        )

    try:
        row_names = [""] if header.startswith((delimiter, f'""{delimiter}')) else []
        # Names and labels stay as they are written, 01 is not 1.
        table = read([*row_names, RUN, FEATURE] if labels else row_names)
        names = table.column_names
        if FEATURE in names and RUN not in names:
            table = read([*row_names, RUN])  # then it is the name of a column of 0/1
    except pa.ArrowException as error:
        _refuseseparator(path, header, delimiter, labels)
        raise InputError(f"{path} is not a well-formed table: {first_line(error)}.") from None
    if len(names) == 1 and pa.types.is_string(table.schema.field(0).type):
        _refuseseparator(path, header, delimiter, labels)
    if not labels:
        return table
    if nameless:
        return table.rename_columns([f"x{f}" for f in range(len(names))])
    if names[0] == "":  # the row names of a frame
        return table.drop_columns("") if RUN in names else table.rename_columns([RUN, *names[1:]])
    return table


def _refuseseparator(path: Path, header: str, delimiter: str, labels: bool) -> None:
    for found, word in OTHER_SEPARATORS.items():
        if delimiter not in header and found in header:
            what = f"{path} seems to be separated by {word}; "
            saved = f"save it with {'tabs' if delimiter == TAB else 'commas'} (and a point in decimal numbers)."
            if labels:  # selections, which are read without a choice of the delimiter
                raise InputError(what + saved)
            raise InputError(what, "give ", Argument("delimiter", "tab" if found == TAB else found), f", or {saved}")


def _is_data(cells: list[str]) -> bool:
    """A first line of nothing but 0 and 1 is a run, not a header (0,1 alone may be the header of two columns)."""
    return all(cell in ("0", "1") for cell in cells) and cells != ["0", "1"]


def _check_text(path: Path, delimiter: str, max_gb: float) -> str:
    """The first line; a sentence where the file is not UTF-8 text, has no line at all, or is too large unpacked.

    Numbers of one digit take four times more memory than text, so that cells count too.
    """
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    first: list[str] = []
    size = cells = 0
    separator = delimiter.encode()
    with opener(path, "rb") as source:
        while chunk := source.read(1 << 20):
            size += len(chunk)
            cells += chunk.count(separator) + chunk.count(b"\n")
            refuse_size(path, max(size, BYTES_A_CELL * cells), max_gb)
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError:
                raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
            if not first or "\n" not in first[-1]:
                refuse_size(path, HEADER_SHARE * (sum(map(len, first)) + len(text.split("\n", 1)[0])), max_gb)
                first.append(text)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    line = "".join(first).split("\n", 1)[0].rstrip("\r")
    if not "".join(first).strip():
        raise InputError(f"{path} is empty.")
    return line
