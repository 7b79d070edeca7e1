"""The names of all features that could have been selected, from a list of them or from the header of the data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from steadyset.foundation.errors import InputError
from steadyset.io.files import File
from steadyset.io.formats.columns import NULLS, is_numeric
from steadyset.io.formats.headings import is_feature_word, is_number
from steadyset.io.formats.record import is_typed, is_workbook
from steadyset.io.formats.sheets import read_sheet
from steadyset.io.formats.tables import TableFile
from steadyset.io.formats.text import text_form, text_rows
from steadyset.io.labels import some_names
from steadyset.io.limits import BYTES_A_NAME, readable, refuse_size
from steadyset.io.lists.name_lists import NO_NAMES

LOOKED_AT = 20  # rows of the data that tell which columns hold text


class Universe(NamedTuple):
    """The names, where in the file they stand, and the names of columns that are no features."""

    names: tuple[str, ...]
    where: str
    left_out: tuple[str, ...] = ()


class Edges(NamedTuple):
    """The first row of a table, the first column below it, and the columns that hold text rather than numbers."""

    heading: Sequence[str]
    column: Sequence[str]
    texts: Collection[str] = ()


def read_universe(path: Path, used: Collection[str], *, max_gb: float, target: str | None = None) -> Universe:
    """All names of a file: one in each line, those of a first column, or a header; whichever holds those in use.

    In the header of data, `target` and columns of text beside numbers are no features, unless they are in use.
    """
    with readable(path):
        heading, column, texts = _edges(File(path), max_gb)
    header = _distinct(heading)
    if target is not None and target not in header:
        raise InputError(f"{path} has no column {target!r}.")
    left_out = {target} | (set() if len(texts) == len(header) else set(texts)) - set(used)
    found = [
        Universe(_distinct(column), "first column" if len(heading) > 1 else "lines"),
        Universe(
            tuple(name for name in header if name not in left_out),
            "header",
            tuple(name for name in header if name in left_out),
        ),
    ]
    fitting = [one for one in found if len(one.names) > 0 and set(used) <= set(one.names)]
    if fitting:
        return max(fitting, key=lambda one: len(one.names))
    nearest = max(found, key=lambda one: len(set(used).intersection(one.names)))
    missing = sorted(set(used).difference(nearest.names))
    raise InputError(
        f"{path} does not name {some_names(missing)}, which the runs select; its {nearest.where} "
        f"{'have' if nearest.where == 'lines' else 'has'} {len(nearest.names):,} names."
    )


def _edges(path: File, max_gb: float) -> Edges:
    """The edges of a table; a first cell that is the name of a feature is part of both."""
    if is_typed(path.name):
        table, _ = TableFile(path, max_gb=max_gb).arrow()
        return Edges(table.column_names, [], [field.name for field in table.schema if not is_numeric(field.type)])
    form = None if is_workbook(path) else text_form(path, None, max_gb)
    rows: Iterable[Sequence[str]] = read_sheet(path, max_gb=max_gb).rows if form is None else text_rows(path, form)
    heading: Sequence[str] = []
    column: list[str] = []
    first: list[Sequence[str]] = []
    for row in rows:
        if heading and len(first) < LOOKED_AT:
            first.append(row)
        if not heading:
            heading = row
        if row:
            column.append(row[0])
            if len(column) % 100_000 == 0:
                refuse_size(path, BYTES_A_NAME * len(column), max_gb)
    headed = len(heading) > 1 or bool(column and is_feature_word(column[0].strip()))
    return Edges(heading, column[headed:], _texts(heading, first))


def _texts(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The names of the columns in which no cell is a number."""
    names = []
    for name, cells in zip(heading, zip_longest(*rows, fillvalue=""), strict=False):
        known = [cell for cell in cells if cell.strip() not in NULLS]
        if known and not any(map(is_number, known)):
            names.append(name.strip())
    return names


def _distinct(cells: Iterable[str]) -> tuple[str, ...]:
    names = dict.fromkeys(cell.strip() for cell in cells)
    return tuple(name for name in names if name and name not in NO_NAMES)
