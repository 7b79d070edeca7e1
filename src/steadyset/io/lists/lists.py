"""Runs that are given as lists: of feature names or indices, of features best first, of weights and of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import is_collection, shown, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.io.labels import (
    AppearanceOrder,
    check_same_order,
    describe_feature,
    feature_names,
    is_default_name,
    name_positions,
    placeholders,
)
from steadyset.io.lists.entries import Entries, checked_entries, row_pointers
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats


def entries_of_sets(
    sets: Any, features: Sequence[str] | None, n_features: int | None, labels: Sequence[str] | None
) -> Entries:
    """See Selections.from_sets."""
    if isinstance(sets, Mapping):
        labels = list(sets) if labels is None else labels
        sets = sets.values()
    if not is_collection(sets):
        raise wrong_argument("sets", "a collection of runs, each a collection of features", sets)
    rows = [_as_list(row, i) for i, row in enumerate(sets)]
    names, d = feature_names(features, n_features, what="from_sets")
    _refuse_numbers_as_names(features, rows)
    if names is None:
        names = _names_in(rows, d)
    positions: Mapping[str, int] | None = None
    encoded = []
    for i, row in enumerate(rows):
        if isinstance(row, np.ndarray) and row.dtype.kind in "iu":
            encoded.append(row.astype(np.int64, copy=False))
            continue
        if positions is None and any(isinstance(x, str) for x in row):
            positions = name_positions(names, d)
        encoded.append(np.array([_feature_index(x, positions, i, d) for x in row], dtype=np.int64))
    indices = np.concatenate(encoded) if encoded else np.empty(0, np.int64)
    return checked_entries(row_pointers([len(row) for row in encoded]), indices, None, d, names, labels)


def _refuse_numbers_as_names(features: Any, rows: Sequence[Any]) -> None:
    """Numbers in runs are indices; where features are called by numbers too, they may be meant as names."""
    if features is None or all(isinstance(name, str) for name in features):
        return
    called = [name for name in features if isinstance(name, (int, np.integer))]
    in_runs = any(isinstance(x, (int, np.integer)) for row in rows for x in row)
    if in_runs and called and called != list(range(len(list(features)))):
        name = int(called[0])
        raise InputError(
            f"The features are called by numbers such as {name}, and numbers in runs are indices from 0; write the "
            f"names as text in both ({str(name)!r}), or give n_features alone for indices."
        )


def entries_of_rankings(
    R: Any, features: Sequence[str] | None, n_features: int | None, labels: Sequence[str] | None
) -> Entries:
    """The features that lists rank, best first, with the ranks of all; those that a list leaves out share the mean of
    the other ranks."""
    listed = entries_of_sets(R, features, n_features, labels)
    d = listed.n_features
    rows = list(R.values()) if isinstance(R, Mapping) else list(R)
    named = any(isinstance(x, str) for row in rows for x in row)
    positions = name_positions(listed.names, d) if named else None
    ranks = np.empty((len(rows), d))
    for i, row in enumerate(rows):
        ranks[i] = (len(row) + 1 + d) / 2
        ranks[i, [_feature_index(x, positions, i, d) for x in row]] = np.arange(1, len(row) + 1)
    return listed._replace(rankings=ranks)


def with_weights(entries: Entries, rows: Sequence[Sequence[float] | Mapping[str, float]]) -> Entries:
    """See Selections.with_weights."""
    if not _has_length(rows) or not all(map(_has_length, rows)):
        raise InputError("rows must hold one list or mapping per run, with a weight for each selected feature.")
    sizes = np.diff(entries.indptr)
    if len(rows) != entries.n_runs or any(len(row) != k for row, k in zip(rows, sizes, strict=True)):
        raise InputError("rows must hold one list per run with one weight for each feature that the run selected.")
    if not all(isinstance(row, Mapping) for row in rows):
        check_same_order(entries.names, None, "the Selections", "rows")
    features = entries.features
    flat = [
        w for i, row in enumerate(rows) for w in _weights_of_run(row, i, [features[f] for f in entries.selected(i)])
    ]
    weights = numbers(flat, "rows")
    if not np.all(np.isfinite(weights)):
        raise InputError("rows holds a weight that is not finite.")
    return entries._replace(weights=weights)


def with_rankings(entries: Entries, R: Any) -> Entries:
    """See Selections.with_rankings."""
    check_same_order(entries.names, None, "the Selections", "R")
    ranks = numbers(R, "R")
    wanted = (entries.n_runs, entries.n_features)
    if ranks.shape != wanted:
        raise InputError(f"R has the shape {ranks.shape}; expected {wanted}.")
    check_ranks(ranks, entries.names)
    return entries._replace(rankings=ranks)


def with_ties(entries: Entries, tied: Any) -> Entries:
    """See Selections.with_ties."""
    counts = numbers(tied, "tied")
    sizes = np.diff(entries.indptr)
    if counts.shape != sizes.shape or np.any((counts != np.round(counts)) | (counts < 0) | (counts > sizes)):
        raise InputError("tied must hold one whole number per run, from 0 to the number of features that it selected.")
    return entries._replace(tied=counts.astype(np.int64))


def _has_length(values: Any) -> bool:
    return isinstance(values, Sized) and is_collection(values)


def _weights_of_run(row: Sequence[float] | Mapping[str, float], run: int, selected: Sequence[str]) -> Sequence[float]:
    if not isinstance(row, Mapping):
        return row
    unknown = [name for name in selected if name not in row]
    if unknown:
        raise InputError(f"rows has no weight for {unknown[0]!r}, which run {run + 1} selected.")
    return [row[name] for name in selected]


def _as_list(row: Any, i: int) -> list[Any] | npt.NDArray[Any]:
    """What run i selects, as a list or an array."""
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row
    if isinstance(row, Mapping) or not is_collection(row):
        raise InputError(f"Run {i + 1} is {shown(row)}; expected a collection of feature names or indices.")
    if isinstance(row, (set, frozenset)) and any(isinstance(x, str) for x in row):
        return sorted(row, key=str)  # the order of names in a set changes from process to process
    return list(row)


def _names_in(rows: Sequence[Sequence[Any] | npt.NDArray[Any]], d: int) -> tuple[str, ...] | None:
    """The names that runs use, and made-up ones for the rest; None where they use indices, or x0, x1, ..."""
    texts = [row for row in rows if not (isinstance(row, np.ndarray) and row.dtype.kind in "iu")]
    used = dict.fromkeys(str(x) for row in texts for x in row if isinstance(x, str))
    if all(is_default_name(name, d) for name in used):
        return None
    for i, row in enumerate(rows):
        numbers = [x for x in row if isinstance(x, (int, np.integer)) and not isinstance(x, bool)]
        if numbers:
            raise InputError(
                f"Run {i + 1} selects the index {numbers[0]} while others are selected by name; "
                "give the names of all features in their order (features=), or select by names only."
            )
    if len(used) > d:
        raise InputError(f"The runs select {len(used)} distinct names, more than the {d} that n_features allows.")
    names, _ = feature_names([*used, *placeholders(used, d - len(used))], d, what="from_sets")
    return AppearanceOrder(names or ())


def _feature_index(x: Any, positions: Mapping[str, int] | None, run: int, d: int) -> int:
    """The index of a feature that is given by its name or its index."""
    if isinstance(x, str):
        if positions is None or x not in positions:
            raise InputError(f"Run {run + 1} selects {x!r}, which is not among the features.")
        return positions[x]
    if isinstance(x, (int, np.integer)) and not isinstance(x, (bool, np.bool_)):
        if not 0 <= x < d:
            raise InputError(f"Run {run + 1} selects the index {x}; expected indices from 0 to {d - 1}.")
        return int(x)
    raise InputError(f"Run {run + 1} holds {x!r}; expected feature names (text) or 0-based indices (integers).")


def is_ragged(R: Any) -> bool:
    """Lists of features, best first, rather than a table of ranks: text, the index 0, or rows of different lengths."""
    rows = _lists_in(R)
    return _hold_features(rows) or any(x == 0 for row in rows for x in row)


def are_lists_of_features(given: Any) -> bool:
    """Lists or sets of features rather than a table of 0 and 1: text, or rows of different lengths."""
    if not isinstance(given, (list, tuple, set, frozenset, Mapping)):
        return False
    rows = given.values() if isinstance(given, Mapping) else given
    return any(isinstance(row, (str, set, frozenset)) for row in rows) or _hold_features(_lists_in(given))


def _lists_in(R: Any) -> list[list[Any] | tuple[Any, ...]]:
    if not isinstance(R, (list, tuple, Mapping)):
        return []
    return [row for row in (R.values() if isinstance(R, Mapping) else R) if isinstance(row, (list, tuple))]


def _hold_features(rows: Sequence[Sequence[Any]]) -> bool:
    return len({len(row) for row in rows}) > 1 or any(isinstance(x, str) for row in rows for x in row)


def check_ranks(ranks: Floats, names: tuple[str, ...] | None, what: str = "R") -> None:
    """Refuse what is no rank."""
    bad = np.argwhere(~(np.isfinite(ranks) & (ranks >= 1)))
    if bad.size:
        i, f = bad[0]
        which = describe_feature(int(f), names)
        raise InputError(f"{what} holds {ranks[i, f]} for run {i + 1}, {which}; ranks start at 1 (best).")
