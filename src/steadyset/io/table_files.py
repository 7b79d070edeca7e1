"""Tables in files, whatever the format: the ending decides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steadyset.errors import InputError
from steadyset.io.arrow_files import read_feather, read_parquet, read_parquet_columns
from steadyset.io.columns import Columns, from_arrow
from steadyset.io.csv_files import TAB, read_csv, read_delimited, read_many_columns, separator_of
from steadyset.io.limits import MAX_GB, readable

if TYPE_CHECKING:
    import pyarrow as pa

ENDINGS = ".csv, .tsv (also with .gz), .parquet or .json"
TABLE_ENDINGS = ".csv, .tsv (also with .gz), .parquet or .feather"
NO_TEXT = (".feather", ".arrow", ".parquet", ".json")


def read_table(path: Path, *, labels: bool = True, delimiter: str | None = None, max_gb: float = MAX_GB) -> pa.Table:
    """A csv, tsv, parquet or feather file.

    With `labels`, a first column without a name is called run, and the columns run and feature stay text. A
    `delimiter` is a character, or tab; numbers may then have decimal commas. A file that would take more than `max_gb`
    gigabytes is refused.
    """
    if delimiter is not None:
        if path.suffix.lower() in NO_TEXT:
            raise InputError(f"{path} is not a text table; a delimiter applies to .csv, .tsv and .txt only.")
        with readable(path):
            return read_delimited(path, separator_of(delimiter), labels, max_gb)
    if path.suffix.lower() in (".feather", ".arrow"):
        with readable(path):
            return read_feather(path, max_gb)
    kind = file_kind(path, TABLE_ENDINGS)
    if kind == "json":
        raise InputError(f"{path} is a json file; expected {TABLE_ENDINGS}.")
    with readable(path):
        if kind == "parquet":
            return read_parquet(path, max_gb)
        return read_csv(path, TAB if kind == "tsv" else ",", labels, max_gb)


def read_columns(
    path: Path,
    *,
    apart: Sequence[str] = (),
    labels: bool = False,
    delimiter: str | None = None,
    max_gb: float = MAX_GB,
) -> Columns:
    """The data of a file as one array of numbers and the other columns; `apart` are never among the numbers."""
    found = many_columns(path, apart=apart, labels=labels, delimiter=delimiter, max_gb=max_gb)
    if found is not None:
        return found
    if delimiter is None and path.suffix.lower() == ".parquet":
        with readable(path):
            return read_parquet_columns(path, apart, max_gb)
    return from_arrow(read_table(path, labels=labels, delimiter=delimiter, max_gb=max_gb), apart)


def many_columns(
    path: Path, *, apart: Sequence[str] = (), labels: bool, delimiter: str | None = None, max_gb: float = MAX_GB
) -> Columns | None:
    """A csv or tsv file with many columns; None where it has few, or is not as regular as that."""
    if path.suffix.lower() in NO_TEXT:
        return None
    if delimiter is not None:
        separator = separator_of(delimiter)
    else:
        separator = TAB if file_kind(path, TABLE_ENDINGS) == "tsv" else ","
    decimals = (".", ",") if delimiter is not None and separator != "," else (".",)
    with readable(path):
        return read_many_columns(path, apart, separator, decimals, labels, max_gb)


def file_kind(path: Path, endings: str = ENDINGS) -> str:
    """The format, by the ending; a sentence where it is not among `endings`."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = suffixes[-1][1:] if suffixes else ""
    if kind not in ("csv", "tsv", "parquet", "json") or (path.suffix.lower() == ".gz" and kind in ("parquet", "json")):
        if path.is_dir():
            raise InputError(f"{path} is a folder; expected a file.")
        raise InputError(f"{path} has an unknown ending; expected {endings}.")
    return kind
