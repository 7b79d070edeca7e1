"""From a data file to numbers and a target: what cannot be used is said, with the option that handles it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steadyset.errors import InputError
from steadyset.files import read_table

if TYPE_CHECKING:
    import pyarrow as pa

IDENTIFIER = re.compile(r"(?i)^(id|index|rownames?|run|.*[ _-]?(id|number|nr)|(patient|sample|subject|case)[ _-]?\w*)$")
NAMED = 3


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
    table = read_table(Path(path))
    columns = list(table.column_names)
    for name in (target, *drop, *keep):
        if name not in columns:
            raise InputError(f"{path} has no column {name!r}; it has {_some(columns)}.")
    repeated = {name for name in columns if columns.count(name) > 1}
    if repeated:
        raise InputError(f"{path} has the column {min(repeated)!r} twice; wanted are distinct names.")
    y = _target(table.column(target), path, target)
    features = [name for name in columns if name != target and name not in drop]
    if not features:
        raise InputError(f"{path} has no columns left to select from.")
    _refuse_text(table, features, path)
    _refuse_identifiers(table, [name for name in features if name not in keep], path)
    X = np.empty((table.num_rows, len(features)))
    for f, name in enumerate(features):
        X[:, f] = table.column(name).cast("float64").to_numpy()
    notes = [f"left out: {_some(drop)}"] if drop else []
    missing = np.flatnonzero(~np.isfinite(X).all(axis=0))
    if len(missing):
        notes.append(_fill(X, missing, features, path, impute))
    return Data(X, y, tuple(features), tuple(notes))


def _target(column: pa.ChunkedArray, path: str | Path, target: str) -> npt.NDArray[Any]:
    if column.null_count:
        raise InputError(f"{path}: the target {target!r} is missing in {column.null_count} rows; remove those rows.")
    values = np.asarray(column.to_pylist())
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
        options = " ".join(f"--drop {_quoted(name)}" for name in text[:NAMED])
        raise InputError(
            f"{path}: {_count(text, 'column')} not numeric ({_some(text)}); encode them, "
            f"or leave them out with {options}."
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
                f"--drop {_quoted(name)}, or use it with --keep {_quoted(name)}."
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
            f"({_some(names)}); fill them with --impute median, or leave columns out with --drop."
        )
    for f in missing:
        known = np.isfinite(X[:, f])
        if not known.any():
            raise InputError(f"{path}: the column {features[f]!r} has no value at all; leave it out with --drop.")
        X[~known, f] = np.median(X[known, f])
    return f"missing values filled by the median in {len(names)} columns: {_some(names)}"


def _count(names: Sequence[str], noun: str) -> str:
    return f"1 {noun} is" if len(names) == 1 else f"{len(names)} {noun}s are"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"


def _quoted(name: str) -> str:
    return f'"{name}"' if re.search(r"[^\w.-]", name) else name
