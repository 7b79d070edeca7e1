"""Selections in files: wide or long tables as csv, tsv and Parquet, and json."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from steadyset.foundation.arguments import check_choice, check_flag
from steadyset.foundation.errors import InputError
from steadyset.io.columns import FEATURE, RUN
from steadyset.io.disk import explained, write_durably, written_durably
from steadyset.io.entries import Entries
from steadyset.io.long import long_columns
from steadyset.io.selection_json import selection_json
from steadyset.io.spreadsheet import formulas_told, spreadsheet_safe
from steadyset.io.table_files import file_kind
from steadyset.io.wide import LAYOUTS, wide_columns

if TYPE_CHECKING:
    import pyarrow as pa

WIDE_CELLS, WIDE_COLUMNS = 5_000_000, 10_000


def write_selections(entries: Entries, path: Path, *, layout: str | None, safe: bool = False) -> None:
    """See Selections.write."""
    kind = file_kind(path)
    check_choice("layout", layout, LAYOUTS, or_none=True)
    check_flag("spreadsheet_safe", safe)
    if kind in ("csv", "tsv"):
        entries = _for_spreadsheets(entries, path, safe=safe)
    try:
        if kind == "json":
            try:
                content = selection_json(entries)
            except InputError as error:
                raise error.after(f"{path} cannot be written: ") from None
            with explained(path):
                write_durably(path, content)
        else:
            table = _as_table(entries, layout)
            with explained(path), written_durably(path) as beside:
                _write_table(table, beside, kind, compressed=path.suffix.lower() == ".gz")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path} cannot be written: {error.object!r} holds half of a character, which UTF-8 does not have; "
            "rename it, or write .json."
        ) from None


def _for_spreadsheets(entries: Entries, path: Path, *, safe: bool) -> Entries:
    """The entries with names that no spreadsheet runs; unless that is asked for, as they are, with a warning."""
    names, labels = entries.names or (), entries.labels
    if not safe:
        remedy = "spreadsheet_safe=True writes such names with an apostrophe in front."
        told = formulas_told((*names, *(labels or ())), str(path), remedy)
        if told is not None:
            warnings.warn(told, stacklevel=4)
        return entries
    return entries._replace(
        names=entries.names and tuple(spreadsheet_safe(name) for name in names),
        labels=labels and tuple(spreadsheet_safe(label) for label in labels),
    )


def _as_table(entries: Entries, layout: str | None) -> pa.Table:
    import pyarrow as pa

    plain = entries.weights is None and entries.rankings is None
    if layout == "wide" and not plain:
        raise InputError("The wide layout holds 0/1 only; write weights or rankings as long, or as json.")
    taken = {RUN, FEATURE}.intersection(entries.features)
    if layout == "wide" and taken:
        raise InputError(
            f"A feature is called {min(taken)!r}, which wide files reserve; write the long layout instead."
        )
    small = entries.n_runs * entries.n_features <= WIDE_CELLS and entries.n_features <= WIDE_COLUMNS
    wide = layout == "wide" or (layout is None and plain and small and not taken)
    return pa.table(wide_columns(entries) if wide else long_columns(entries, declare=True))


def _write_table(table: pa.Table, path: Path, kind: str, *, compressed: bool) -> None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet

    if kind == "parquet":
        parquet.write_table(table, path, compression="zstd")
        return
    options = arrow_csv.WriteOptions(delimiter="\t" if kind == "tsv" else ",", quoting_style="needed")
    with pa.output_stream(str(path), compression="gzip" if compressed else None) as sink:
        arrow_csv.write_csv(table, sink, options)
