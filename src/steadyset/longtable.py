"""Selections to and from tables: frames of any library (through narwhals), wide (runs x features) or long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from steadyset.errors import InputError, UndeclaredFeaturesError
from steadyset.io.columns import Columns
from steadyset.io.numbers import as_frame
from steadyset.labels import (
    AppearanceOrder,
    feature_names,
    name_positions,
    placeholders,
    places_of,
    some_names,
    stand_ins,
)
from steadyset.rows import check_ranks
from steadyset.selections import Selections

if TYPE_CHECKING:
    import pyarrow as pa

NUMBER = re.compile(r"-?[0-9]+")
NUMBERED = re.compile(r"x?[0-9]+")  # what columns without names are called
CALLED_RUN = re.compile(
    r"(?i)(run|rep|repetition|replicate|boot|bootstrap|fold|resample|resampling|subsample|iter|iteration|split|seed|"
    r"unlabelled|trial|draw)[ _.:-]*[0-9]+"
)
RUN_LIKE = re.compile(rf"{CALLED_RUN.pattern}|[A-Za-z]?[ _.-]*[0-9]+([ _./-][0-9]+)*")
MANY, MANY_TIMES = 20, 5  # so many runs, and so many times more than features, are not recorded by names
RUN, FEATURE, WEIGHT, RANK, SELECTED = "run", "feature", "weight", "rank", "selected"
ARROW_NUMBERS = {f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
ARROW_NUMBERS |= {"float": "float32", "double": "float64"}


class Wide(NamedTuple):
    """The numbers of a wide frame, with the names of its features and the labels of its runs where it has them."""

    array: npt.NDArray[Any]
    features: Sequence[str] | None
    labels: Sequence[str] | None


def wide_array(
    table: Any,
    what: str,
    features: Sequence[str] | None,
    labels: Sequence[str] | None,
    *,
    transpose: bool | None = False,
) -> Wide:
    """One row per run; a column called run, or the index of a pandas frame, has their labels.

    `transpose` says that rows are features instead; None refuses a table that looks as if they were.
    """
    frame = as_frame(table, what)
    if len(frame) == 0:
        raise InputError(f"{what} has no rows; wanted is one row a run.")
    frame, rows = _row_names(frame, what, transpose)
    if not frame.columns:
        raise InputError(f"{what} has no features; wanted is one column a feature.")
    bad = {n: t for n, t in frame.schema.items() if not (t.is_numeric() or t == nw.Boolean)}
    if bad:
        name, kind = next(iter(bad.items()))
        which = "without any value" if kind == nw.Unknown else f"of type {kind}"
        more = f", and others that hold no numbers ({some_names(list(bad)[1:])})" if len(bad) > 1 else ""
        raise InputError(f"{what} has the column {name!r} {which}{more}; wanted are numbers or bools.")
    return oriented(Wide(_values(frame), list(frame.columns), rows), what, features, labels, transpose=transpose)


def wide_numbers(read: Columns) -> Wide:
    """What was read as columns, with the labels of the column run or of a first column of text."""
    labels: Sequence[str] | None = None
    others = dict(read.others)
    for f, column in read.others.items():
        if read.names[f] == RUN or (f == 0 and str(column.type) == "string"):
            labels = _labels(others.pop(f).to_pylist(), "The table", read.names[f])
    if others:
        f = min(others)
        raise InputError(f"The table has the column {read.names[f]!r} of type {others[f].type}; expected are numbers.")
    return Wide(read.X, [read.names[f] for f in read.numeric], labels)


def oriented(
    read: Wide, what: str, features: Sequence[str] | None, labels: Sequence[str] | None, *, transpose: bool | None
) -> Wide:
    """The table as runs x features, with the names and labels that are given rather than its own."""
    array, columns, rows = read
    if transpose:
        array, columns, rows = array.T, rows, columns
        numbered = rows is not None and all(NUMBERED.fullmatch(str(name)) for name in rows)
        rows = None if numbered else rows
    elif transpose is None and labels is None:
        _refuse_features_in_rows(what, array.shape, columns, rows)
    if features is not None and columns is not None:
        order = places_of(columns, features, what)
        array = array if order is None else array[:, order]
    return Wide(array, columns if features is None else features, rows if labels is None else labels)


def _row_names(
    frame: nw.DataFrame[Any], what: str, transpose: bool | None
) -> tuple[nw.DataFrame[Any], Sequence[str] | None]:
    """The frame without the column that names its rows, and these names."""
    if RUN in frame.columns:
        return frame.drop(RUN), _labels(frame[RUN].to_list(), what)
    index = nw.maybe_get_index(frame)
    if index is not None and index.dtype.kind not in "iu":
        return frame, [str(label) for label in index]
    first = frame.columns[0] if frame.columns else None
    if first is not None and isinstance(frame.schema[first], (nw.String, nw.Categorical)):
        names = _labels(frame[first].to_list(), what, first)
        if transpose:
            return frame.drop(first), names
        if transpose is None and not any(NUMBER.fullmatch(name) for name in names):
            raise InputError(
                f"{what} has text in its first column {first!r} ({some_names(names)}); if these are the features, give "
                "transpose=True, if they are the runs, call the column run."
            )
    return frame, None


def _refuse_features_in_rows(
    what: str, shape: tuple[int, ...], columns: Sequence[str] | None, rows: Sequence[str] | None
) -> None:
    """A table whose rows are named, but not like runs, and which has far more of them, or columns called like runs."""
    if rows is None or all(RUN_LIKE.fullmatch(str(name)) for name in rows):
        return
    called_like_runs = columns is not None and all(CALLED_RUN.fullmatch(str(name)) for name in columns)
    if called_like_runs or shape[0] >= max(MANY, MANY_TIMES * shape[1]):
        raise InputError(
            f"{what} reads as {shape[0]:,} runs ({some_names([str(name) for name in rows])}) of {shape[1]:,} features; "
            "if its rows are the features, give transpose=True, if they are the runs, transpose=False."
        )


def from_long_columns(
    table: Any, *, features: Sequence[str] | None, n_features: int | None, labels: Sequence[str] | None
) -> Selections:
    """See Selections.from_long."""
    arrow = as_frame(table, "table").to_arrow()
    for name in (RUN, FEATURE):
        if name not in arrow.column_names:
            found = f"it has {', '.join(arrow.column_names)}" if arrow.column_names else "it has no columns"
            raise InputError(f"The long table has no column {name!r}; {found}.")
    if arrow.num_rows == 0:
        raise InputError("The long table has no rows; wanted is one row for each selected feature.")
    run, run_names = _codes(arrow.column(RUN))
    entries = run >= 0
    feature, names, d = _feature_codes(arrow.column(FEATURE), entries, features, n_features)
    if labels is None:
        labels = [str(name) for name in run_names]
    entries &= feature >= 0
    weights = _numbers(arrow, WEIGHT, entries)
    ranks = _numbers(arrow, RANK, entries)
    chosen = _numbers(arrow, SELECTED, entries)
    run, feature = run[entries], feature[entries]
    M = len(run_names)
    rankings = None if ranks is None else _rank_table(run, feature, ranks, M, d, names)
    deciding = weights if chosen is None else chosen
    keep = np.ones(len(run), dtype=bool) if deciding is None else deciding != 0
    order = np.argsort(run[keep], kind="stable")
    indptr = np.zeros(M + 1, dtype=np.int64)
    np.cumsum(np.bincount(run[keep], minlength=M), out=indptr[1:])
    kept_weights = None if weights is None else weights[keep][order]
    return Selections._from_rows(indptr, feature[keep][order], kept_weights, d, names, labels, rankings=rankings)


def long_columns(selections: Selections, *, declare: bool = False) -> dict[str, Any]:
    """The columns run, feature[, weight][, rank][, selected]; `declare` puts a row for each feature and run first."""
    M, d = selections.n_runs, selections.n_features
    names = np.array(selections.features, dtype=object)
    runs = np.array(selections.labels if selections.labels is not None else stand_ins(M), dtype=object)
    if selections.rankings is not None:
        run, feature = np.repeat(np.arange(M), d), np.tile(np.arange(d), M)
        values: dict[str, npt.NDArray[Any]] = {
            RANK: selections.rankings.ravel(),
            SELECTED: selections.to_matrix().toarray().ravel(),
        }
        if selections.weights is not None:
            values[WEIGHT] = selections.to_matrix(weights=True).toarray().ravel()
    else:
        run, feature = np.repeat(np.arange(M), selections.sizes), selections.indices
        values = {} if selections.weights is None else {WEIGHT: selections.weights}
        if selections.weights is not None and not selections.weights.all():
            values[SELECTED] = np.ones(len(run), dtype=np.int8)  # else a weight of 0 would mean not selected
    run_column, feature_column = list(runs[run]), list(names[feature])
    if declare:
        ahead = d + M
        run_column = [None] * d + list(runs) + run_column
        feature_column = [*names, *[None] * M, *feature_column]
        return {
            RUN: run_column,
            FEATURE: feature_column,
            **{name: [None] * ahead + column.tolist() for name, column in values.items()},
        }
    return {RUN: run_column, FEATURE: feature_column, **values}


def wide_columns(selections: Selections) -> dict[str, Any]:
    """One column a feature, of 0/1 or weights; a first column `run` where the runs have labels."""
    table = selections.to_matrix(weights=selections.weights is not None).toarray()
    head: dict[str, Any] = {} if selections.labels is None else {RUN: list(selections.labels)}
    if RUN in selections.features and head:
        raise InputError("A feature is called 'run', like the column of the labels; write the long layout instead.")
    return head | {name: table[:, f] for f, name in enumerate(selections.features)}


def _values(frame: nw.DataFrame[Any]) -> npt.NDArray[Any]:
    """The numbers of a frame. Those of an Arrow table are taken from its buffers: its own way would import pandas."""
    native = frame.to_native()
    if type(native).__module__.split(".")[0] != "pyarrow":
        return np.asarray(frame.to_numpy())
    return np.column_stack([_buffer(column.combine_chunks()) for column in native.columns])


def _buffer(array: pa.Array) -> npt.NDArray[Any]:
    kind = ARROW_NUMBERS.get(str(array.type))
    if kind is None or array.null_count:
        return np.asarray(array.to_numpy(zero_copy_only=False))
    return np.frombuffer(array.buffers()[1], dtype=kind)[array.offset : array.offset + len(array)]


def _codes(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Integer codes in order of first appearance, -1 for what is missing or empty; and what they stand for."""
    import pyarrow as pa

    encoded = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not isinstance(encoded, pa.DictionaryArray):
        encoded = encoded.dictionary_encode()
    raw = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    values = [int(x) if isinstance(x, float) and x.is_integer() else x for x in encoded.dictionary.to_pylist()]
    return _dense_codes(raw, values)


def _dense_codes(raw: npt.NDArray[np.int64], values: list[Any]) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Drop empty texts and categories that no row uses, and number the rest as they appear."""
    used, first = np.unique(raw, return_index=True)
    order = [c for c in used[np.argsort(first)] if c >= 0 and values[c] not in ("", None)]
    recode = np.full(len(values) + 1, -1, dtype=np.int64)  # the last place is for -1
    recode[order] = np.arange(len(order))
    return recode[raw], [values[c] for c in order]


def _feature_codes(
    column: pa.ChunkedArray, entries: npt.NDArray[np.bool_], features: Sequence[str] | None, n_features: int | None
) -> tuple[npt.NDArray[np.int64], tuple[str, ...] | None, int]:
    """The index of each row's feature, their names and number; whole numbers are names where names are known."""
    code, found = _codes(column)
    texts = [str(x) for x in found]
    numbers = bool(texts) and all(NUMBER.fullmatch(text) for text in texts)
    declared = bool(np.any(~entries & (code >= 0)))
    if features is not None:
        names, d = feature_names(features, n_features, what="from_long")
        positions = name_positions(names, d)
        unknown = [x for x in texts if x not in positions]
        if not unknown:
            return np.array([*(positions[x] for x in texts), -1], dtype=np.int64)[code], names, d
        if not numbers:
            raise InputError(f"The table selects {unknown[0]!r}, which is not among the features.")
    if numbers and not declared:
        names, d = feature_names(features, n_features, what="A long table of feature numbers")
        outside = [text for text in texts if not 0 <= int(text) < d]
        if outside:
            raise InputError(f"The table holds the feature index {outside[0]}; wanted are indices from 0 to {d - 1}.")
        return np.array([*(int(text) for text in texts), -1], dtype=np.int64)[code], names, d
    if n_features is None and not declared:
        raise UndeclaredFeaturesError(
            f"The long table names {len(texts)} features but not how many there were to choose from; "
            "give features= or n_features= (on the command line --features N)."
        )
    if n_features is not None and n_features < len(texts):
        raise InputError(f"The table names {len(texts)} features, more than the {n_features} that n_features allows.")
    unnamed = [] if n_features is None else placeholders(set(texts), n_features - len(texts))
    names, d = feature_names([*texts, *unnamed], None, what="from_long")
    if names is not None and set(code[entries]) - set(code[~entries]) - {-1}:  # not all of them are declared
        names = AppearanceOrder(names)
    return code, names, d


def _labels(column: list[Any], what: str, name: str = RUN) -> list[str]:
    if None in column:
        raise InputError(f"{what} has no value for run {column.index(None) + 1} in the column {name!r}.")
    return [str(label) for label in column]


def _numbers(arrow: pa.Table, name: str, entries: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64] | None:
    if name not in arrow.column_names:
        return None
    values = column_numbers(arrow, name)[entries]
    if not np.all(np.isfinite(values)):
        raise InputError(f"The column {name!r} has a missing or infinite value; wanted are finite numbers.")
    return np.asarray(values, dtype=np.float64)


def column_numbers(arrow: pa.Table, name: str) -> npt.NDArray[np.float64]:
    """A column as numbers, nan where there is no value."""
    from pyarrow import ArrowException

    try:
        return np.asarray(arrow.column(name).cast("float64").to_numpy(), dtype=np.float64)
    except ArrowException:
        raise InputError(f"The column {name!r} holds something else than numbers.") from None


def _rank_table(
    run: npt.NDArray[np.int64],
    feature: npt.NDArray[np.int64],
    ranks: npt.NDArray[np.float64],
    M: int,
    d: int,
    names: tuple[str, ...] | None,
) -> npt.NDArray[np.float64]:
    if len(run) != M * d:
        raise InputError(f"The table has {len(run)} ranks for {M} runs and {d} features; wanted is one for each.")
    table = np.full((M, d), np.nan)
    table[run, feature] = ranks
    check_ranks(np.where(np.isnan(table), 1.0, table), names, "The table")
    if np.isnan(table).any():
        i, f = np.argwhere(np.isnan(table))[0]
        which = names[f] if names is not None else f
        raise InputError(f"Run {i + 1} has no rank for feature {which!r}; wanted is a rank for each run and feature.")
    return table
