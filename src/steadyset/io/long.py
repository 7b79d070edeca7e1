"""Long tables: one row for each selected feature, with the columns run, feature and, where known, weight and rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steadyset.foundation.errors import Argument, InputError, UndeclaredFeaturesError
from steadyset.io.columns import FEATURE, RUN
from steadyset.io.entries import Entries, checked_entries, row_pointers
from steadyset.io.heading_words import WHOLE_NUMBER
from steadyset.io.labels import AppearanceOrder, feature_names, name_positions, placeholders, some_names, stand_ins
from steadyset.io.lists import check_ranks
from steadyset.io.numbers import as_frame
from steadyset.io.universe import universe_of
from steadyset.kernels.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    import pyarrow as pa

WEIGHT, RANK, SELECTED = "weight", "rank", "selected"


def entries_of_long(
    table: Any,
    features: Sequence[str] | None,
    n_features: int | None,
    labels: Sequence[str] | None,
    *,
    top: int | None = None,
    union: bool = False,
    numbers_are_names: bool = False,
) -> Entries:
    """See Selections.from_long.

    With `top`, the ranks or weights decide what is selected. With `union`, the names that a table uses are the universe
    where nothing declares one. With `numbers_are_names`, numbers never stand for the places of features.
    """
    try:
        arrow = as_frame(table, "table").to_arrow()
    except UnicodeEncodeError as error:
        raise InputError(
            f"The long table holds {error.object!r} with half of a character; rename it, or give a wide table."
        ) from None
    for name in (RUN, FEATURE):
        if name not in arrow.column_names:
            found = f"it has {', '.join(arrow.column_names)}" if arrow.column_names else "it has no columns"
            raise InputError(f"The long table has no column {name!r}; {found}.")
    if arrow.num_rows == 0:
        raise InputError("The long table has no rows; expected one row for each selected feature.")
    run, run_names = _codes(arrow.column(RUN))
    entries = run >= 0
    feature, names, d = _feature_codes(
        arrow.column(FEATURE), entries, features, n_features, union=union, numbers_are_names=numbers_are_names
    )
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
    if top is not None:
        keep = keep & _among_the_best(run, ranks, weights, top)
    order = np.argsort(run[keep], kind="stable")
    indptr = row_pointers(np.bincount(run[keep], minlength=M))
    kept_weights = None if weights is None else weights[keep][order]
    return checked_entries(indptr, feature[keep][order], kept_weights, d, names, labels, rankings=rankings)


def long_columns(entries: Entries, *, declare: bool = False) -> dict[str, Any]:
    """The columns run, feature[, weight][, rank][, selected]; `declare` puts a row for each feature and run first."""
    M, d, weights = entries.n_runs, entries.n_features, entries.weights
    names = np.array(entries.features, dtype=object)
    runs = np.array(entries.labels if entries.labels is not None else stand_ins(M), dtype=object)
    if entries.rankings is not None:
        run, feature = np.repeat(np.arange(M), d), np.tile(np.arange(d), M)
        values: dict[str, npt.NDArray[Any]] = {RANK: entries.rankings.ravel(), SELECTED: entries.table().ravel()}
        if weights is not None:
            values[WEIGHT] = entries.table(weights=True).ravel()
    else:
        run, feature = np.repeat(np.arange(M), np.diff(entries.indptr)), entries.indices
        values = {} if weights is None else {WEIGHT: weights}
        if weights is not None and not weights.all():
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


def _codes(column: pa.ChunkedArray) -> tuple[Ints, list[Any]]:
    """Integer codes in order of first appearance, -1 for what is missing or empty; and what they stand for."""
    import pyarrow as pa

    encoded = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not isinstance(encoded, pa.DictionaryArray):
        encoded = encoded.dictionary_encode()
    raw = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    values = [int(x) if isinstance(x, float) and x.is_integer() else x for x in encoded.dictionary.to_pylist()]
    return _dense_codes(raw, values)


def _dense_codes(raw: Ints, values: list[Any]) -> tuple[Ints, list[Any]]:
    """Drop empty texts and categories that no row uses, and number the rest as they appear."""
    used, first = np.unique(raw, return_index=True)
    order = [c for c in used[np.argsort(first)] if c >= 0 and values[c] not in ("", None)]
    recode = np.full(len(values) + 1, -1, dtype=np.int64)  # the last place is for -1
    recode[order] = np.arange(len(order))
    return recode[raw], [values[c] for c in order]


def _feature_codes(
    column: pa.ChunkedArray,
    entries: Bools,
    features: Sequence[str] | None,
    n_features: int | None,
    *,
    union: bool,
    numbers_are_names: bool,
) -> tuple[Ints, tuple[str, ...] | None, int]:
    """The index of each row's feature, their names and number; whole numbers are names where names are known."""
    code, found = _codes(column)
    texts = [str(x) for x in found]
    numbers = bool(texts) and not numbers_are_names and all(WHOLE_NUMBER.fullmatch(text) for text in texts)
    declared = bool(np.any(~entries & (code >= 0)))
    if features is not None:
        names, d = feature_names(features, n_features, what="from_long")
        positions = name_positions(names, d)
        unknown = [x for x in texts if x not in positions]
        if not unknown:
            return np.array([*(positions[x] for x in texts), -1], dtype=np.int64)[code], names, d
        if not numbers:
            which = "which is" if len(unknown) == 1 else "which are"
            raise InputError(f"The table selects {some_names(unknown)}, {which} not among the features.")
    if union and n_features is None and not declared:
        return code, universe_of(texts, None, None, what="The rows"), len(texts)
    if numbers and not declared:
        names, d = feature_names(features, n_features, what="A long table of feature numbers")
        outside = [text for text in texts if not 0 <= int(text) < d]
        if outside:
            raise InputError(f"The table holds the feature index {outside[0]}; expected indices from 0 to {d - 1}.")
        return np.array([*(int(text) for text in texts), -1], dtype=np.int64)[code], names, d
    if n_features is None and not declared:
        raise UndeclaredFeaturesError(
            f"The long table names {len(texts)} features but not how many there were to choose from; ",
            f"give {Argument('features', ...)} or {Argument('n_features', ...)}.",
        )
    if n_features is not None and n_features < len(texts):
        raise InputError(f"The table names {len(texts)} features, more than the {n_features} that n_features allows.")
    unnamed = [] if n_features is None else placeholders(set(texts), n_features - len(texts))
    names, d = feature_names([*texts, *unnamed], None, what="from_long")
    if names is not None and set(code[entries]) - set(code[~entries]) - {-1}:  # not all of them are declared
        names = AppearanceOrder(names)
    return code, names, d


def _among_the_best(run: Ints, ranks: Floats | None, weights: Floats | None, top: int) -> Bools:
    """Which entries have a rank of at most `top`, or a weight among the `top` largest of their run."""
    if ranks is not None:
        return ranks <= top
    if weights is None:
        raise InputError(
            Argument("top", top), f" needs ranks or importances: a long table with a column {RANK} or {WEIGHT}."
        )
    best = np.zeros(len(run), dtype=bool)
    for i in np.unique(run):
        own = np.flatnonzero(run == i)
        best[own[np.argsort(-np.abs(weights[own]), kind="stable")[:top]]] = True
    return best


def _numbers(arrow: pa.Table, name: str, entries: Bools) -> Floats | None:
    if name not in arrow.column_names:
        return None
    values = column_numbers(arrow, name)[entries]
    if not np.all(np.isfinite(values)):
        raise InputError(f"The column {name!r} has a missing or infinite value.")
    return np.asarray(values, dtype=np.float64)


def column_numbers(arrow: pa.Table, name: str) -> Floats:
    """A column as numbers, nan where there is no value."""
    from pyarrow import ArrowException

    try:
        return np.asarray(arrow.column(name).cast("float64").to_numpy(), dtype=np.float64)
    except ArrowException:
        raise InputError(f"The column {name!r} holds something other than numbers.") from None


def _rank_table(
    run: Ints,
    feature: Ints,
    ranks: Floats,
    M: int,
    d: int,
    names: tuple[str, ...] | None,
) -> Floats:
    if len(run) != M * d:
        raise InputError(
            f"The table has {len(run)} ranks for {M} runs and {d} features; expected one per run and feature."
        )
    table = np.full((M, d), np.nan)
    table[run, feature] = ranks
    check_ranks(np.where(np.isnan(table), 1.0, table), names, "The table")
    if np.isnan(table).any():
        i, f = np.argwhere(np.isnan(table))[0]
        which = names[f] if names is not None else f
        raise InputError(f"Run {i + 1} has no rank for feature {which!r}; expected one per run and feature.")
    return table
