"""The formats of files, one record each: endings in messages, on the page and in the documentation come from here.

A new format of tables with typed columns is a record with a function that reads it:

    FORMATS.add(Format("ORC", (".orc",), holds=(TABLE, LISTS), read=lambda file, max_gb: orc.read_table(file.path)))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from steadyset.foundation.registry import Registry
from steadyset.io.files import File

if TYPE_CHECKING:
    import pyarrow as pa

TABLE, LISTS, ANNOTATED = "table", "lists", "annotated"  # a table; recorded selections; values that know their samples
PACKED = ".gz"


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name : str
        What it is called.
    endings : tuple of str
        How the names of such files end, in small letters.
    holds : tuple of str
        What can be read from it: "table", "lists" of recorded selections, "annotated" data.
    text : bool
        Whether it is text, in any of the usual forms and perhaps packed with gzip.
    workbook : bool
        Whether it is a workbook with sheets of cells.
    read : Callable or None
        For columns with types: the table of a File, which takes at most so many gigabytes.
    written : bool
        Whether selections can be written to it.
    extra : str
        The extra of steadyset that it needs, if any.
    """

    name: str
    endings: tuple[str, ...]
    holds: tuple[str, ...] = (TABLE, LISTS)
    text: bool = False
    workbook: bool = False
    read: Callable[[File, float], pa.Table] | None = None
    written: bool = False
    extra: str = ""


def _read_parquet(file: File, max_gb: float) -> pa.Table:
    from steadyset.io.formats.arrow_files import read_parquet  # imports of readers wait for their first file

    return read_parquet(file, max_gb)


def _read_feather(file: File, max_gb: float) -> pa.Table:
    from steadyset.io.formats.arrow_files import read_feather

    return read_feather(file, max_gb)


FORMATS: Registry[Format] = Registry("format", Format)
for _format in (
    Format("csv", (".csv",), text=True, written=True),
    Format("tsv", (".tsv",), text=True, written=True),
    Format("text", (".txt", ".tab"), text=True),
    Format("gct", (".gct",), (TABLE,), text=True),
    Format("gmt", (".gmt",), (LISTS,), text=True),
    Format("gmx", (".gmx",), (LISTS,), text=True),
    Format("list", (".lst", ".list", ".grp"), (LISTS,), text=True),
    Format("GEO", (".soft",), (ANNOTATED,), text=True),
    Format("Excel", (".xlsx", ".xlsm", ".xls"), workbook=True, extra="excel"),
    Format("OpenDocument", (".ods",), workbook=True, extra="excel"),
    Format("Parquet", (".parquet",), read=_read_parquet, written=True),
    Format("Feather", (".feather", ".arrow"), read=_read_feather),
    Format("json", (".json",), (LISTS,), written=True),
    Format("AnnData", (".h5ad",), (ANNOTATED,), extra="anndata"),
):
    FORMATS.add(_format)


def format_of(name: str) -> Format | None:
    """The format of a file, by the ending of its name; None where it has no known one."""
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    packed = suffixes[-1:] == [PACKED]
    ending = (suffixes[:-1] if packed else suffixes)[-1:]
    for known in (FORMATS.values, FORMATS.every):  # installed packages are searched for what steadyset does not know
        for one in known():
            if ending and ending[0] in one.endings and (one.text or not packed):
                return one
    return None


def endings(wanted: Callable[[Format], bool] = lambda _: True) -> tuple[str, ...]:
    """The endings of all formats, or of those that are wanted."""
    return tuple(ending for one in FORMATS.every() if wanted(one) for ending in one.endings)


def is_typed(name: str) -> bool:
    """Whether a file is neither text nor a workbook, by the ending of its name."""
    found = format_of(name)
    return found is not None and (found.read is not None or found.name == "json")


def endings_in_words(wanted: Callable[[Format], bool] = lambda _: True) -> str:
    """The endings for a sentence: those of text, which may be packed, and the others."""
    text = endings(lambda one: one.text and wanted(one))
    others = endings(lambda one: not one.text and wanted(one))
    return ", ".join(
        [*([f"{_either(text)} (also with {PACKED})"] if text else []), *([_either(others)] if others else [])]
    )


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
