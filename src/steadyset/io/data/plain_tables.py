"""Tables that hold everything themselves: one row per observation, or one column with the target in a row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.errors import Argument, Complaints, InputError
from steadyset.io.data.sources import (
    COMMA,
    GENES_IN_ROWS,
    UNNAMED,
    Roles,
    Source,
    as_written,
    candidates,
    close_name,
    distinct_names,
    is_known,
    labels_or_numbers,
    missing_target,
    without_marks,
)
from steadyset.io.files import File
from steadyset.io.formats.columns import NULLS, Columns
from steadyset.io.formats.record import is_typed
from steadyset.io.formats.sheets import read_sheet
from steadyset.io.formats.tables import TableFile
from steadyset.io.labels import SHOWN, some_names
from steadyset.kernels.arrays import Floats

if TYPE_CHECKING:
    import pyarrow as pa

IDENTIFIER = re.compile(
    r"(?i)^(?!.*(acid|lipid|oid|fluid|solid|covid)$)"  # quantities whose names happen to end in id
    r"(id|index|rownames?|run|.*[ _-]?(id|number|nr)|(patient|sample|subject|case)[ _-]?\w*)$"
)
WITH_POINT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
QUANTITY = re.compile(r"[<>~≤≥]?\s*[+-]?[0-9]*[.,]?[0-9]+\s*[%a-zA-Zµ/]{0,6}")  # a number, perhaps with its unit
FEW = 200  # columns of numbers among which a target is looked for


def read_plain(file: TableFile, roles: Roles, drop: Sequence[str], keep: Sequence[str]) -> Source:
    """One row per observation: the columns that were named, and the others as features."""
    path, named = file.file, list(roles.names)
    table = file.columns(apart=[*named, *drop])
    notes, rows = list(table.notes), None
    left_out = set(drop)
    if table.names[0] == "" and "" not in drop:  # the row names of a frame
        left_out.add("")
        notes.append("left out: the first column, which has no name")
        rows = None if 0 not in table.others else as_written(table.others[0].to_pylist())
    if roles.target is None:
        raise missing_target(possible_columns(table), str(path))
    _check_names(table, [*named, *drop, *keep], path, left_out, roles.target)
    no_features = {*named, *left_out}
    _refuse_nothing(table.n_rows, sum(name not in no_features for name in table.names), path)
    texts = {table.names[f]: column for f, column in table.others.items() if table.names[f] not in no_features}
    naming = None if rows is not None else _naming(table, texts, keep)
    if naming is not None:
        rows = as_written(texts.pop(naming).to_pylist())
        notes.append(f"the column {naming!r} names the rows, as every row has its own text there; it is no feature")
    X, names, whole = table.X, [table.names[f] for f in table.numeric], table.whole
    if left_out.intersection(names):
        kept = [f for f, name in enumerate(names) if name not in left_out]
        X, names, whole = X[:, kept], [names[f] for f in kept], whole[kept]
    if drop:
        notes.append(f"left out: {some_names(drop)}")
    columns = {name: without_marks(table.others[table.names.index(name)].to_pylist()) for name in named}
    if table.decimal is not None:
        fractions = table.decimal == COMMA or any(_has_fractions(X[:, f]) for f in range(X.shape[1]) if not whole[f])
        beside = table.decimal if fractions else None
        for name in roles.targets:
            columns[name], told = labels_or_numbers(as_written(columns[name]), name, beside)
            notes += told
    return Source(X, names, columns, rows, notes, texts=texts, dropped=frozenset(drop), whole=whole)


def read_transposed(file: TableFile, roles: Roles) -> Source:
    """One column per observation; the first column names the rows, one of which is the target."""
    path = file.file
    if is_typed(path.name):
        told = f"{path} has columns of one kind each, so that no row can be the target; put it into another file, "
        raise InputError(told, Argument("samples", ...), ".")
    found = read_sheet(path, sheet=file.sheet, delimiter=file.delimiter, max_gb=file.max_gb)
    header, *body = found.rows
    width = max(map(len, found.rows))
    ragged = next((place for place, row in enumerate(found.rows, 1) if len(row) != width), None)
    if ragged is not None or width < 3 or not body:
        what = f"another number of cells in row {ragged}" if ragged is not None else "fewer than two samples or no rows"
        raise InputError(f"{path} has {what}; expected the names of the rows in the first column, then the samples.")
    names = [row[0].strip() for row in body]
    numbers = [_numbers(row[1:]) for row in body]
    measured = [
        row[1:] for row, known in zip(body, numbers, strict=True) if known is not None and row[0] != roles.groups
    ]
    _refuse_both_decimals(path, measured)
    texts = {name: row[1:] for name, row, known in zip(names, body, numbers, strict=True) if known is None}
    possible = texts or {name: row[1:] for name, row in zip(names[:FEW], body[:FEW], strict=True)}
    if roles.target is None:
        raise missing_target(possible, str(path))
    columns = {}
    for role in roles.names:
        if role not in names:
            raise InputError(f"{path} has no row {role!r}; {_instead(role, names)}", *_possible_targets(possible))
        if names.count(role) > 1:
            raise InputError(f"{path} has {names.count(role)} rows called {role!r}; rename them.")
        columns[role] = without_marks([cell.strip() for cell in body[names.index(role)][1:]])
    notes: list[str] = []
    for name in roles.targets:
        columns[name], more = labels_or_numbers(as_written(columns[name]), name)
        notes += more
    genes = [i for i, known in enumerate(numbers) if known is not None and names[i] not in columns]
    if not genes:
        raise InputError(f"{path} has no rows of numbers to select from.")
    notes = [*found.notes, *notes]
    others = [name for name in texts if name not in columns]
    if others:
        notes.append(f"left out: rows that hold text ({some_names(others)})")
    features, renamed = distinct_names([names[i] or UNNAMED for i in genes])
    X = np.ascontiguousarray(np.array([numbers[i] for i in genes]).T)
    notes += renamed
    return Source(X, features, columns, [name.strip() for name in header[1:]], notes, layout=GENES_IN_ROWS)


def first_text(column: pa.ChunkedArray) -> str:
    """The first value that is no number as most of the others are: perhaps one with a unit."""
    texts = [text for text in map(str, column.drop_null().to_pylist()) if text not in NULLS]
    points = [text for text in texts if not WITH_POINT.fullmatch(text.strip())]
    commas = [text for text in texts if "." in text or not WITH_POINT.fullmatch(text.strip().replace(",", ".", 1))]
    odd = points if len(points) <= len(commas) else commas
    return odd[0] if odd else str(column[0])


def _has_fractions(values: Floats) -> bool:
    known = values[np.isfinite(values)]
    return bool((known != np.rint(known)).any())


def _numbers(cells: Sequence[str]) -> Floats | None:
    """The cells of a row as numbers, nan where they say that there is none; None where one of them is text."""
    known = ["nan" if cell.strip() in NULLS else cell for cell in cells]
    for form in (known, [cell.replace(",", ".") for cell in known] if not any("." in cell for cell in known) else []):
        try:
            values = np.array(form, dtype=np.float64)
        except ValueError:
            continue
        return values if len(values) == len(cells) and not np.isnan(values).all() else None
    return None


def _refuse_both_decimals(path: File, rows: Sequence[Sequence[str]]) -> None:
    """Decimal commas in some rows and points in others: one of them may separate thousands."""
    marks = {mark: any(mark in cell for row in rows for cell in row) for mark in ".,"}
    if all(marks.values()):
        raise InputError(f"{path} has both decimal commas and decimal points; save it with one of them.")


def possible_columns(table: Columns) -> dict[str, Sequence[Any]]:
    """The columns of a table that may be predicted: texts, and numbers that repeat, where columns are few."""
    columns: dict[str, Sequence[Any]] = {table.names[f]: column.to_pylist() for f, column in table.others.items()}
    for i, f in enumerate(table.numeric[:FEW].tolist()):
        if len(np.unique(table.X[:, i])) <= table.n_rows / 2:
            columns[table.names[f]] = table.X[:, i].tolist()
    return {name: columns[name] for name in table.names if name in columns and name}


def _naming(table: Columns, texts: Mapping[str, pa.ChunkedArray], keep: Sequence[str]) -> str | None:
    """The first column of texts that all differ, which names the rows; numbers with units do not."""
    for name, column in texts.items():
        if name in keep:
            continue
        values = [str(value).strip() for value in column.to_pylist() if is_known(value)]
        if len(values) < table.n_rows or len(set(values)) < len(values) or any(map(WITH_POINT.fullmatch, values)):
            continue
        first = name == table.names[0] or IDENTIFIER.match(name)
        if first or not any(map(QUANTITY.fullmatch, values)):
            return name
    return None


def _check_names(table: Columns, named: Sequence[str], path: File, left_out: set[str], target: str) -> None:
    columns = table.names
    wrong = Complaints(f"{path} does not have the columns that were named")
    # A set of all names would take more memory than the names' places in a sorted list.
    missing = set(named).difference(columns)
    for name in dict.fromkeys(named):
        if name not in missing:
            continue
        if name == target and 0 in table.others and target in table.others[0].to_pylist():
            turn = Argument("transpose", True)
            wrong.add(f"{path} has no column {name!r} and a row of that name; if rows are features, give ", turn, ".")
        else:
            others = _possible_targets(possible_columns(table)) if name == target else ()
            wrong.add(f"{path} has no column {name!r}; {_instead(name, columns)}", *others)
    repeated = {name for name, after in pairwise(sorted(columns)) if name == after} - left_out
    counts = Counter(name for name in columns if name in repeated)
    if counts:
        shown = [f"{often} columns called {name!r}" for name, often in list(counts.items())[:SHOWN]]
        more = f" and {len(counts) - SHOWN} more such names" if len(counts) > SHOWN else ""
        them = Argument("drop", tuple(counts)[:SHOWN])
        wrong.add(f"{path} has {', '.join(shown)}{more}; rename them, or leave them all out with ", them, ".")
    wrong.tell()


def _refuse_nothing(n_rows: int, n_features: int, path: File) -> None:
    if n_rows < 2:
        raise InputError(f"{path} has {'no rows' if n_rows == 0 else 'one row only'} below its header.")
    if not n_features:
        raise InputError(f"{path} has no columns left to select from.")


def _instead(name: str, columns: Sequence[str]) -> str:
    near = close_name(name, columns)
    if near is None and all(WITH_POINT.fullmatch(column) for column in columns):
        return f"its first line holds numbers ({some_names(columns)}); expected one with the names of the columns."
    return f"did you mean {near!r}?" if near is not None else f"it has {some_names([c for c in columns if c])}."


def _possible_targets(columns: Mapping[str, Sequence[Any]]) -> tuple[str | Argument, ...]:
    """What may be predicted in its place; without such columns it may be in another file."""
    found = candidates(columns)
    if found:
        return (f" What may be predicted: {found}.",)
    return (" If it is in another file, give ", Argument("samples", ...), ".")
