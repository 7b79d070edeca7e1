"""The formats of files, one record each: endings in messages, on the page and in the documentation come from here.

A new format of tables with typed columns is a record with a function that reads it:

    FORMATS.add(Format("ORC", (".orc",), holds=(TABLE, LISTS), read=lambda file, max_gb: orc.read_table(file.path)))
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from steadyset.foundation.registry import Registry
from steadyset.foundation.text import listed
from steadyset.io.files import OLE, ZIP, File

if TYPE_CHECKING:
    import pyarrow as pa

    from steadyset.io.data.data_table import Asked
    from steadyset.io.data.sources import Source
    from steadyset.io.formats.columns import Columns
    from steadyset.io.lists.entries import Entries, ReadOptions

TABLE, LISTS, ANNOTATED = "table", "lists", "annotated"  # a table; recorded selections; values that know their samples
ONE_LIST = "one list"  # of a run, in a folder with such a file for each
KINDS = {TABLE: "a table", LISTS: "recorded selections", ONE_LIST: "one list each", ANNOTATED: "annotated data"}
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
        What can be read from it: a "table", "lists" of recorded selections, "one list" of a run, "annotated" data.
    text : bool
        Whether it is text, in any of the usual forms and perhaps packed with gzip.
    workbook : bool
        Whether it is a workbook with sheets of cells.
    layout : str
        The layout that recorded selections have in it, where there is only one.
    sniff : Callable or None
        Whether a File is of this format by its first bytes, where its ending does not tell.
    read : Callable or None
        For columns with types: the table of a File, which takes at most so many gigabytes.
    read_columns : Callable or None
        The same as Columns of a File, some of them kept apart, where that takes less memory.
    read_lists : Callable or None
        For recorded selections that are no table: the entries of a File, as they were asked for.
    load : Callable or None
        For annotated data: the values and what is known of the samples.
    write : Callable or None
        Writes entries of selections in a layout to a path.
    extra : str
        The extra of steadyset that it needs, if any.
    """

    name: str
    endings: tuple[str, ...]
    holds: tuple[str, ...] = (TABLE, LISTS)
    text: bool = False
    workbook: bool = False
    layout: str = ""
    sniff: Callable[[File], bool] | None = None
    read: Callable[[File, float], pa.Table] | None = None
    read_columns: Callable[[File, Sequence[str], float], Columns] | None = None
    read_lists: Callable[[File, ReadOptions], Entries] | None = None
    load: Callable[[Asked], Source] | None = None
    write: Callable[[Entries, str | None, Path], None] | None = None
    extra: str = ""


def _later(module: str, name: str, **options: Any) -> Callable[..., Any]:
    """A function of a module that is imported when it is first called: readers wait for their first file."""

    def called(*arguments: Any) -> Any:
        return getattr(importlib.import_module(f"steadyset.io.{module}"), name)(*arguments, **options)

    return called


def _is_no_text(file: File) -> bool:
    """Whether a workbook is one: many a program calls a text file .xls."""
    return file.suffix != ".xls" or not file.path.is_file() or file.begins_with(ZIP, OLE)


ALL = (TABLE, LISTS, ONE_LIST)
FORMATS: Registry[Format] = Registry("format", Format)
for _format in (
    Format("csv", (".csv",), ALL, text=True, write=_later("lists.selection_files", "write_text", delimiter=",")),
    Format("tsv", (".tsv",), ALL, text=True, write=_later("lists.selection_files", "write_text", delimiter="\t")),
    Format("text", (".txt", ".tab"), ALL, text=True),
    Format("gct", (".gct",), (TABLE,), text=True),
    Format("gmt", (".gmt",), (LISTS,), text=True, layout="gmt"),
    Format("gmx", (".gmx",), (LISTS,), text=True, layout="gmx"),
    Format("list", (".lst", ".list", ".grp"), (LISTS, ONE_LIST), text=True),
    Format(
        "GEO",
        (".soft",),
        (ANNOTATED,),
        text=True,
        sniff=_later("formats.series_matrix", "is_series_matrix"),
        load=_later("data.data_table", "load_series"),
    ),
    Format("Excel", (".xlsx", ".xlsm", ".xls"), workbook=True, sniff=_is_no_text, extra="excel"),
    Format("OpenDocument", (".ods",), workbook=True, extra="excel"),
    Format(
        "Parquet",
        (".parquet",),
        read=_later("formats.columns", "read_parquet"),
        read_columns=_later("formats.columns", "read_parquet_columns"),
        write=_later("lists.selection_files", "write_parquet"),
    ),
    Format("Feather", (".feather", ".arrow"), read=_later("formats.columns", "read_feather")),
    Format(
        "json",
        (".json",),
        (LISTS,),
        read_lists=_later("lists.selection_files", "read_selection_json"),
        write=_later("lists.selection_files", "write_json"),
    ),
    Format("AnnData", (".h5ad",), (ANNOTATED,), load=_later("data.data_table", "load_h5ad"), extra="anndata"),
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


def annotated_format(file: File) -> Format | None:
    """The format of data that know their samples: by the ending, or for text by its first bytes; None for others."""
    known = format_of(file.name)
    if known is not None and known.load is not None and known.sniff is None:
        return known
    if (known is None and file.suffix not in ("", PACKED)) or (known is not None and not known.text):
        return None
    text = (one for one in FORMATS.every() if one.load is not None and one.sniff is not None)
    return next((one for one in text if one.sniff is not None and one.sniff(file)), None)


def endings(wanted: Callable[[Format], bool] = lambda _: True) -> tuple[str, ...]:
    """The endings of all formats, or of those that are wanted."""
    return tuple(ending for one in FORMATS.every() if wanted(one) for ending in one.endings)


def is_workbook(file: File) -> bool:
    """Whether a file is a workbook of Excel or OpenDocument."""
    found = format_of(file.name)
    return found is not None and found.workbook and (found.sniff is None or found.sniff(file))


def is_typed(name: str) -> bool:
    """Whether a file has no cells of text, as text files and workbooks do, by the ending of its name."""
    found = format_of(name)
    return found is not None and (found.read is not None or found.read_lists is not None)


def endings_in_words(*kinds: str, wanted: Callable[[Format], bool] = lambda _: True) -> str:
    """The endings of formats that hold one of these kinds, for a sentence: of text, which may be packed, and others."""

    def chosen(text: bool) -> Sequence[str]:
        return endings(
            lambda one: one.text == text and wanted(one) and (not kinds or not set(kinds).isdisjoint(one.holds))
        )

    text, others = (listed(chosen(is_text), last=" or ") for is_text in (True, False))
    return ", ".join(filter(None, [text and f"{text} (also with {PACKED})", others]))
