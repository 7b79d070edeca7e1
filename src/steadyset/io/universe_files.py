"""The names of all features that could have been selected, from a list of them or from the header of the data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from steadyset.errors import InputError
from steadyset.io.heading_words import is_feature_word
from steadyset.io.labels import some_names
from steadyset.io.limits import readable, refuse_size
from steadyset.io.name_lists import NO_NAMES
from steadyset.io.sheets import is_workbook, read_sheet
from steadyset.io.table_files import NO_TEXT, read_table
from steadyset.io.text_forms import text_form, text_rows

BYTES_A_NAME = 60


class Universe(NamedTuple):
    """The names, and where in the file they stand."""

    names: tuple[str, ...]
    where: str


def read_universe(path: Path, used: Collection[str], *, max_gb: float) -> Universe:
    """All names of a file: one in each line, those of a first column, or a header; whichever holds those in use."""
    with readable(path):
        heading, column = _edges(path, max_gb)
    found = [
        Universe(_distinct(column), "first column" if len(heading) > 1 else "lines"),
        Universe(_distinct(heading), "header"),
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


def _edges(path: Path, max_gb: float) -> tuple[Sequence[str], Sequence[str]]:
    """The first row and the first column below it; a first cell that is the name of a feature is part of both."""
    if path.suffix.lower() in NO_TEXT:
        return read_table(path, max_gb=max_gb).column_names, []
    form = None if is_workbook(path) else text_form(path, None, max_gb)
    rows: Iterable[Sequence[str]] = read_sheet(path, max_gb=max_gb).rows if form is None else text_rows(path, form)
    heading: Sequence[str] = []
    column: list[str] = []
    for row in rows:
        if not heading:
            heading = row
        if row:
            column.append(row[0])
            if len(column) % 100_000 == 0:
                refuse_size(path, BYTES_A_NAME * len(column), max_gb)
    headed = len(heading) > 1 or bool(column and is_feature_word(column[0].strip()))
    return heading, column[headed:]


def _distinct(cells: Iterable[str]) -> tuple[str, ...]:
    names = dict.fromkeys(cell.strip() for cell in cells)
    return tuple(name for name in names if name and name not in NO_NAMES)
