"""From a data file to numbers and a target: what cannot be used is said, with the option that handles it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steadyset.errors import InputError
from steadyset.files import read_table
from steadyset.labels import SHOWN, quoted_name, some_names

if TYPE_CHECKING:
    import pyarrow as pa

IDENTIFIER = re.compile(r"(?i)^(id|index|rownames?|run|.*[ _-]?(id|number|nr)|(patient|sample|subject|case)[ _-]?\w*)$")
COLUMNS_AT_ONCE = 4096


@dataclass(frozen=True)
class Data:
    """Rows x features, the target, the names of the features, and what was done to the table."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]
    features: tuple[str, ...]
    notes: tuple[str, ...]


def load_data(
    path: str | Path,
    target: str,
    *,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    impute: str | None = None,
) -> Data:
    """Read a table; `drop` leaves columns out, `keep` uses a column that looks like an identifier.

    `impute="median"` fills missing values by the median of their column (of all rows, before any resampling).
    """
    if impute not in (None, "median"):
        raise InputError(f"impute is {impute!r}; wanted is median, or nothing.")
    table = read_table(Path(path), labels=False)
    notes = []
    if table.column_names[0] == "":  # the row names of a frame
        table = table.drop_columns("")
        notes.append("left out: the first column, which has no name")
    columns = list(table.column_names)
    for name in (target, *drop, *keep):
        if name not in columns:
            raise InputError(f"{path} has no column {name!r}; {_instead(name, columns)}")
    name, often = Counter(columns).most_common(1)[0]
    if often > 1:
        raise InputError(f"{path} has the column {name!r} twice; wanted are distinct names.")
    y = _target(table.column(target), path, target)
    left_out = {target, *drop}
    features = [name for name in columns if name not in left_out]
    if not features:
        raise InputError(f"{path} has no columns left to select from.")
    _refuse_text(table, features, path)
    _refuse_identifiers(table, [name for name in features if name not in keep], path)
    X = np.empty((table.num_rows, len(features)))
    for begin in range(0, len(features), COLUMNS_AT_ONCE):
        for f, name in enumerate(features[begin : begin + COLUMNS_AT_ONCE], start=begin):
            X[:, f] = table.column(name).cast("float64").to_numpy()
        table = table.select(features[begin + COLUMNS_AT_ONCE :])  # so that the data is never held twice
    if drop:
        notes.append(f"left out: {some_names(drop)}")
    missing = np.flatnonzero(~np.isfinite(X).all(axis=0))
    if len(missing):
        notes.append(_fill(X, missing, features, path, impute))
    return Data(X, y, tuple(features), tuple(notes))


def _target(column: pa.ChunkedArray, path: str | Path, target: str) -> npt.NDArray[Any]:
    found = column.to_pylist()
    # A csv file has no other way to leave a text out than to write nothing; a Parquet file may hold nan.
    n_missing = sum(value is None or value == "" or value != value for value in found)
    if n_missing:
        rows = "1 row; remove it" if n_missing == 1 else f"{n_missing} rows; remove them"
        raise InputError(f"{path}: the target {target!r} is missing in {rows}.")
    values = np.asarray(found)
    return values.astype(str) if values.dtype.kind in "bO" else values


def _refuse_text(table: pa.Table, features: Sequence[str], path: str | Path) -> None:
    import pyarrow as pa

    def numeric(kind: pa.DataType) -> bool:
        return bool(
            pa.types.is_integer(kind)
            or pa.types.is_floating(kind)
            or pa.types.is_boolean(kind)
            or pa.types.is_decimal(kind)
        )

    text = [name for name in features if not numeric(table.schema.field(name).type)]
    if text:
        options = " ".join(f"--drop {quoted_name(name)}" for name in text[:SHOWN])
        them = "it" if len(text) == 1 else "them"
        raise InputError(
            f"{path}: {_count(text, 'column')} not numeric ({some_names(text)}); encode {them}, "
            f"or leave {them} out with {options}."
        )


def _refuse_identifiers(table: pa.Table, features: Sequence[str], path: str | Path) -> None:
    import pyarrow as pa

    for name in features:
        column = table.column(name)
        if not (pa.types.is_integer(column.type) and IDENTIFIER.match(name)):
            continue
        if len(column) > 1 and len(column.unique()) == len(column):
            raise InputError(
                f"{path}: the column {name!r} looks like an identifier (every row has its own); leave it out with "
                f"--drop {quoted_name(name)}, or use it with --keep {quoted_name(name)}."
            )


def _fill(
    X: npt.NDArray[np.float64],
    missing: npt.NDArray[np.int64],
    features: Sequence[str],
    path: str | Path,
    impute: str | None,
) -> str:
    """Fill missing values in place, or say how to."""
    names = [features[f] for f in missing]
    if impute is None:
        n_missing = int((~np.isfinite(X)).sum())
        raise InputError(
            f"{path}: {n_missing} values are missing or infinite, in {len(names)} of {len(features)} columns "
            f"({some_names(names)}); fill them with --impute median, or leave columns out with --drop."
        )
    for f in missing:
        known = np.isfinite(X[:, f])
        if not known.any():
            raise InputError(f"{path}: the column {features[f]!r} has no value at all; leave it out with --drop.")
        X[~known, f] = np.median(X[known, f])
    return f"missing values filled by the median in {len(names)} columns: {some_names(names)}"


def _count(names: Sequence[str], noun: str) -> str:
    return f"1 {noun} is" if len(names) == 1 else f"{len(names)} {noun}s are"


def _instead(name: str, columns: Sequence[str]) -> str:
    close = get_close_matches(name.lower(), [column.lower() for column in columns], n=1)
    near = [column for column in columns if column.lower() in close]
    return f"did you mean {near[0]!r}?" if near else f"it has {some_names(columns)}."
