"""Selections in files: wide or long tables as csv, tsv and Parquet, and json."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.foundation.arguments import check_choice, check_flag
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.disk import explained, write_durably, written_durably
from steadyset.io.files import File, first_line
from steadyset.io.formats.columns import FEATURE, RUN
from steadyset.io.formats.record import PACKED
from steadyset.io.formats.spreadsheet import formulas_told, spreadsheet_safe
from steadyset.io.formats.tables import read_json_file, written_format
from steadyset.io.labels import Names, several
from steadyset.io.lists.entries import (
    Entries,
    ReadOptions,
    entries_of_sets,
    reordered,
    with_rankings,
    with_ties,
    with_weights,
)
from steadyset.io.lists.long import long_columns
from steadyset.io.lists.name_lists import Lists, entries_of_lists
from steadyset.io.lists.wide import LAYOUTS, wide_columns

if TYPE_CHECKING:
    import pyarrow as pa

BOTH_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
SCHEMA = "steadyset.selections"
SCHEMA_VERSION = 1
OWN_KEYS = {"features", "runs"}  # no labels of runs
MOST_CLAIMED = 10_000_000  # features that a file may claim without naming them
WIDE_CELLS, WIDE_COLUMNS = 5_000_000, 10_000


def read_selection_json(path: File, reading: ReadOptions) -> Entries:
    """The runs of a json file."""
    content = read_json_file(path, reading.max_gb)
    try:
        if isinstance(content, dict) and content.get("schema") == SCHEMA:
            return _from_schema(content, reading.features, reading.n_features)
        if isinstance(content, dict) and content.keys() >= OWN_KEYS:
            raise InputError(
                f'The keys are those of {SCHEMA}, but "schema" is missing; '
                "write such files with Selections.write, or give the runs alone, as a list of lists of features."
            )
        if isinstance(content, (list, dict)):
            if _are_names(content) and (reading.top is not None or not reading.declared):
                return _from_lists(content, reading)
            return entries_of_sets(content, reading.features, reading.n_features, None)
    except InputError as error:
        raise error.after(f"{path}: ") from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} does not follow the {SCHEMA} schema: {first_line(error)}.") from None
    raise InputError(f"{path} holds a {type(content).__name__}; expected a list of runs, each a list of features.")


def _are_names(content: list[Any] | dict[str, Any]) -> bool:
    """Whether runs are lists of names, rather than of places of features."""
    runs = list(content.values() if isinstance(content, dict) else content)
    texts = all(isinstance(run, list) and all(isinstance(name, str) for name in run) for run in runs)
    return texts and any(runs)


def _from_lists(content: list[Any] | dict[str, Any], reading: ReadOptions) -> Entries:
    lists = list(content.values() if isinstance(content, dict) else content)
    labels = list(content) if isinstance(content, dict) else None
    return entries_of_lists(Lists(lists, labels, several(len(lists), "list")), reading)


def _from_schema(content: dict[str, Any], features: Names, n_features: int | None) -> Entries:
    if content["schema_version"] != SCHEMA_VERSION:
        raise InputError(f"schema_version is {content['schema_version']!r}; this version reads {SCHEMA_VERSION}.")
    count, names, labels, runs = content["n_features"], content["features"], content["labels"], content["runs"]
    if n_features not in (None, count):
        raise InputError(f"The file has {count} features, but {n_features} were announced.")
    if n_features is None and names is None and isinstance(count, int) and count > MOST_CLAIMED:
        raise InputError(
            f"The file claims {count:,} features; if that is so, give ", Argument("n_features", count), "."
        )
    names = features if names is None else names
    sets = entries_of_sets(runs, names, count, labels)
    if content.get("weights") is not None:
        sets = _with_weights_as_listed(sets, runs, content["weights"])
    if content.get("rankings") is not None:
        sets = with_rankings(sets, content["rankings"])
    if content.get("tied") is not None:
        sets = with_ties(sets, content["tied"])
    return sets if features is None else reordered(sets, features, "The file")


def _with_weights_as_listed(sets: Entries, runs: Sequence[Any], weights: Sequence[Any]) -> Entries:
    """The weights of a file, which stand in the order in which the file lists the features of each run."""
    if len(weights) != len(runs) or any(len(w) != len(run) for w, run in zip(weights, runs, strict=True)):
        raise InputError("weights must hold one list per run with one weight for each feature that the run selected.")
    place = {name: f for f, name in enumerate(sets.features)}
    orders = [sorted(range(len(run)), key=[place.get(f, f) for f in run].__getitem__) for run in runs]
    return with_weights(sets, [[w[i] for i in order] for w, order in zip(weights, orders, strict=True)])


def selection_json(entries: Entries) -> bytes:
    """The content of a json file."""
    split, weights, rows = entries.indptr, entries.weights, range(entries.n_runs)
    content = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "n_features": entries.n_features,
        "features": None if entries.names is None else list(entries.names),
        "labels": None if entries.labels is None else list(entries.labels),
        "runs": [entries.selected(i).tolist() for i in rows],
        "weights": None if weights is None else [weights[split[i] : split[i + 1]].tolist() for i in rows],
        "rankings": None if entries.rankings is None else entries.rankings.tolist(),
        **({} if entries.tied is None else {"tied": entries.tied.tolist()}),
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    if BOTH_HALVES.search(text):
        raise InputError("a name holds the two halves of a character one by one, which json joins; rename it.")
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # half of a character, which json writes out
        return json.dumps(content, allow_nan=False).encode() + b"\n"


def write_selections(entries: Entries, path: Path, *, layout: str | None, safe: bool = False) -> None:
    """See Selections.write."""
    form = written_format(path)
    assert form.write is not None
    check_choice("layout", layout, LAYOUTS, or_none=True)
    check_flag("spreadsheet_safe", safe)
    if form.text:
        entries = _for_spreadsheets(entries, path, safe=safe)
    try:
        with explained(path):
            form.write(entries, layout, path)
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


def write_json(entries: Entries, layout: str | None, path: Path) -> None:
    """All that is known of the runs; json has one layout."""
    try:
        write_durably(path, selection_json(entries))
    except InputError as error:
        raise error.after(f"{path} cannot be written: ") from None


def write_parquet(entries: Entries, layout: str | None, path: Path) -> None:
    """A table of typed columns."""
    from pyarrow import parquet

    table = _as_table(entries, layout)
    with written_durably(path) as beside:
        parquet.write_table(table, beside, compression="snappy")  # what it unfolds to is bounded by its size


def write_text(entries: Entries, layout: str | None, path: Path, *, delimiter: str) -> None:
    """A table of text, packed where the name of the file says so."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    table = _as_table(entries, layout)
    options = arrow_csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    packing = "gzip" if path.suffix.lower() == PACKED else None
    with written_durably(path) as beside, pa.output_stream(str(beside), compression=packing) as sink:
        arrow_csv.write_csv(table, sink, options)
