"""From a data file to numbers and a target: what cannot be used is said, with the argument that handles it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steadyset.errors import Argument, Complaints, InputError
from steadyset.io.columns import NULLS
from steadyset.io.labels import SHOWN, some_names
from steadyset.io.limits import MAX_GB
from steadyset.io.observations import MEDIAN, check_impute
from steadyset.io.table_files import read_columns
from steadyset.kernels.arrays import Bools, Floats

if TYPE_CHECKING:
    import pyarrow as pa

IDENTIFIER = re.compile(r"(?i)^(id|index|rownames?|run|.*[ _-]?(id|number|nr)|(patient|sample|subject|case)[ _-]?\w*)$")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Data:
    """Rows x features, the target, the names of the features, what was done to the table, and the rows' groups."""

    X: Floats
    y: npt.NDArray[Any]
    features: tuple[str, ...]
    notes: tuple[str, ...]
    groups: npt.NDArray[Any] | None = None


def load_data(
    path: str | Path,
    target: str,
    *,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    impute: str | None = None,
    delimiter: str | None = None,
    sheet: str | int | None = None,
    groups: str | None = None,
    max_gb: float = MAX_GB,
) -> Data:
    """Read a table; `drop` leaves columns out, `keep` uses a column that looks like an identifier.

    Missing values pass with `impute="median"`, which `assess` and `tune` need then too: each run fills them.
    `delimiter` separates the columns of a text file, `sheet` is a name or a number from 1 in a workbook, and `groups`
    is the column that says which rows belong together.
    A file that would take more than `max_gb` gigabytes of memory is refused.
    Everything that is wrong with the values is told at once.
    """
    check_impute(impute)
    roles = [target, *drop, *([] if groups is None else [groups])]
    table = read_columns(Path(path), apart=roles, delimiter=delimiter, sheet=sheet, max_gb=max_gb)
    notes = [f"read as: {', '.join(table.notes)}"] if table.notes else []
    left_out = set(drop)
    if table.names[0] == "" and "" not in drop:  # the row names of a frame
        left_out.add("")
        notes.append("left out: the first column, which has no name")
    _check_names(table.names, [*roles, *keep], path, left_out)
    no_features = {*roles, *left_out}
    _refuse_nothing(table.n_rows, sum(name not in no_features for name in table.names), path)
    wrong = Complaints(f"{path} cannot be used as it is")
    with wrong.collected():
        y = _target(table.others[table.names.index(target)], target)
    with wrong.collected():
        members = None if groups is None else _groups(table.others[table.names.index(groups)], groups, target)
    with wrong.collected():
        texts = {table.names[f]: column for f, column in table.others.items()}
        _refuse_text({name: column for name, column in texts.items() if name not in no_features})
    X, names = table.X, [table.names[f] for f in table.numeric]
    if left_out.intersection(names):
        kept = [f for f, name in enumerate(names) if name not in left_out]
        X, names, table.whole = X[:, kept], [names[f] for f in kept], table.whole[kept]
    with wrong.collected():
        _refuse_identifiers(X, names, table.whole, keep)
    if drop:
        notes.append(f"left out: {some_names(drop)}")
    known = np.isfinite(X)
    with wrong.collected():
        _refuse_empty([names[f] for f in np.flatnonzero(~known.any(axis=0)).tolist()])
    with wrong.collected():
        notes += _gaps(X, known, names, impute)
    wrong.tell(before=f"{path}: ")
    constant = [names[f] for f in np.flatnonzero(np.nanmax(X, axis=0) == np.nanmin(X, axis=0))]
    if constant:
        notes.append(f"the same value in every row, so nothing to learn from: {some_names(constant)}")
    return Data(np.ascontiguousarray(X), y, tuple(names), tuple(notes), members)


def _check_names(columns: Sequence[str], named: Sequence[str], path: str | Path, left_out: set[str]) -> None:
    wrong = Complaints(f"{path} does not have the columns that were named")
    # A set of all names would take more memory than the names' places in a sorted list.
    missing = set(named).difference(columns)
    for name in dict.fromkeys(named):
        if name in missing:
            wrong.add(f"{path} has no column {name!r}; {_instead(name, columns)}")
    repeated = {name for name, after in pairwise(sorted(columns)) if name == after} - left_out
    counts = Counter(name for name in columns if name in repeated)
    if counts:
        shown = [f"{often} columns called {name!r}" for name, often in list(counts.items())[:SHOWN]]
        more = f" and {len(counts) - SHOWN} more such names" if len(counts) > SHOWN else ""
        wrong.add(
            f"{path} has {', '.join(shown)}{more}; rename them, or leave them all out with ",
            _columns_of("drop", list(counts)),
            ".",
        )
    wrong.tell()


def _target(column: pa.ChunkedArray, target: str) -> npt.NDArray[Any]:
    found = _known(column, f"the target {target!r}")
    if len(set(found)) < 2:
        value = f", {found[0]!r}" if found else ""
        raise InputError(f"the target {target!r} has one distinct value only{value}; there is nothing to predict.")
    values = np.asarray(found)
    return values.astype(str) if values.dtype.kind in "bO" else values


def _groups(column: pa.ChunkedArray, groups: str, target: str) -> npt.NDArray[Any]:
    if groups == target:
        raise InputError(f"{groups!r} is the target and cannot name the groups too.")
    return np.asarray([str(value) for value in _known(column, f"the group {groups!r}")])


def _known(column: pa.ChunkedArray, what: str) -> list[Any]:
    """The values of a column in which none may be missing."""
    found: list[Any] = column.to_pylist()
    # A csv file has no other way to leave a text out than to write nothing; a Parquet file may hold nan.
    n_missing = sum(value is None or value == "" or value != value for value in found)
    if n_missing:
        rows = "1 row; remove it" if n_missing == 1 else f"{n_missing} rows; remove them"
        raise InputError(f"{what} is missing in {rows}.")
    return found


def _refuse_nothing(n_rows: int, n_features: int, path: str | Path) -> None:
    if n_rows < 2:
        raise InputError(f"{path} has {'no rows' if n_rows == 0 else 'one row only'} below its header.")
    if not n_features:
        raise InputError(f"{path} has no columns left to select from.")


def _refuse_text(text: Mapping[str, pa.ChunkedArray]) -> None:
    if text:
        them = "it" if len(text) == 1 else "them"
        shown = ", ".join(f"{name!r} holds {_first_text(text[name])!r}" for name in list(text)[:SHOWN])
        raise InputError(
            f"{_count(list(text), 'column')} not numeric ({shown}); encode {them}, or leave {them} out with ",
            _columns_of("drop", list(text)),
            ".",
        )


def _first_text(column: pa.ChunkedArray) -> str:
    """The first value that is no number as most of the others are: perhaps one with a unit."""
    texts = [text for text in map(str, column.drop_null().to_pylist()) if text not in NULLS]
    points = [text for text in texts if not NUMBER.fullmatch(text.strip())]
    commas = [text for text in texts if "." in text or not NUMBER.fullmatch(text.strip().replace(",", ".", 1))]
    odd = points if len(points) <= len(commas) else commas
    return odd[0] if odd else str(column[0])


def _refuse_identifiers(X: Floats, names: Sequence[str], whole: Bools, keep: Sequence[str]) -> None:
    suspects = [f for f, name in enumerate(names) if whole[f] and IDENTIFIER.match(name) and name not in set(keep)]
    found = [names[f] for f in suspects if len(X) > 1 and len(np.unique(X[:, f])) == len(X)]
    if found:
        look = f"column {found[0]!r} looks like an identifier"
        if len(found) > 1:
            look = f"columns {some_names(found)} look like identifiers"
        raise InputError(
            f"the {look} (every row has its own); leave out with ",
            _columns_of("drop", found),
            ", or use with ",
            _columns_of("keep", found),
            ".",
        )


def _refuse_empty(empty: Sequence[str]) -> None:
    if empty:
        have = f"the column {empty[0]!r} has" if len(empty) == 1 else f"the columns {some_names(empty)} have"
        raise InputError(f"{have} no value at all; leave out with ", _columns_of("drop", empty), ".")


def _gaps(X: Floats, known: Bools, features: Sequence[str], impute: str | None) -> list[str]:
    """Missing values pass where the runs fill them; infinite ones never do."""
    endless = [features[f] for f in np.flatnonzero(np.isinf(X).any(axis=0)).tolist()]
    if endless:
        raise InputError(f"values are infinite in {_columns(endless, features)}; replace them, or leave columns out.")
    gaps = np.flatnonzero(known.any(axis=0) & ~known.all(axis=0)).tolist()
    names = [features[f] for f in gaps]
    count = int((~known[:, gaps]).sum())
    are = "1 value is missing" if count == 1 else f"{count} values are missing"
    if names and impute is None:
        raise InputError(
            f"{are}, in {_columns(names, features)}; fill with ",
            Argument("impute", MEDIAN),
            ", or leave columns out with ",
            Argument("drop", ...),
            ".",
        )
    if not names:
        return []
    return [f"{are}, in {_columns(names, features)}; each run fills them by the medians of its training rows"]


def _columns(names: Sequence[str], features: Sequence[str]) -> str:
    return f"{len(names)} of {len(features)} columns ({some_names(names)})"


def _columns_of(argument: str, names: Sequence[str]) -> Argument:
    """An argument that lists columns, with the first few names."""
    return Argument(argument, tuple(names[:SHOWN]))


def _count(names: Sequence[str], noun: str) -> str:
    return f"1 {noun} is" if len(names) == 1 else f"{len(names)} {noun}s are"


def _instead(name: str, columns: Sequence[str]) -> str:
    close = get_close_matches(name.lower(), [column.lower() for column in columns], n=1)
    near = [column for column in columns if column.lower() in close]
    if not near and all(NUMBER.fullmatch(column) for column in columns):
        return f"its first line holds numbers ({some_names(columns)}); expected one with the names of the columns."
    return f"did you mean {near[0]!r}?" if near else f"it has {some_names(columns)}."
