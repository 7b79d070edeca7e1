"""What runs selected, in plain arrays: what every reader gives, every writer takes, and Selections are built from.

Lists of names or indices, of features best first, of weights and of ranks become entries here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import check_choice, check_flag, check_integer, is_collection, shown, wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.files import BYTES_A_NAME, MAX_GB, enough_memory
from steadyset.io.labels import (
    AppearanceOrder,
    Names,
    UnionOfNames,
    check_same_order,
    describe_feature,
    feature_names,
    is_default_name,
    name_positions,
    placeholders,
    places_of,
    run_labels,
    some_names,
)
from steadyset.io.lists import LONG, READ_LAYOUTS, THOSE_NAMES
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats, Ints


@dataclass(frozen=True)
class ReadOptions:
    """The arguments of Selections.read; what is None is recognised, or refused where it cannot be."""

    features: Names = None
    n_features: int | None = None
    layout: str | None = None
    top: int | None = None
    transpose: bool | None = None
    header: bool | None = None
    runs: str | None = None
    sheet: str | int | None = None
    max_gb: float = MAX_GB

    def __post_init__(self) -> None:
        check_choice("layout", self.layout, READ_LAYOUTS, or_none=True)
        check_flag("transpose", self.transpose, or_none=True)
        check_flag("header", self.header, or_none=True)
        if self.top is not None:
            check_integer("top", self.top, least=1)
        if self.runs is not None and not isinstance(self.runs, str):
            raise wrong_argument("runs", "the name of a column", self.runs)
        if isinstance(self.sheet, bool) or not isinstance(self.sheet, str | int | None):
            raise wrong_argument("sheet", "the name of a sheet, or its number from 1", self.sheet)
        if self.runs is not None and self.layout not in (None, LONG):
            told = " names a column of the long layout; "
            raise InputError(Argument("runs", ...), told, Argument("layout"), " is another one.")

    @property
    def declared(self) -> bool:
        """Whether somebody said what there was to choose from."""
        return self.features is not None or self.n_features is not None


class Entries(NamedTuple):
    """M sparse rows over d features; names None: x0, x1, ...; weights, labels, ranks and ties where known."""

    indptr: Ints
    indices: Ints
    weights: Floats | None
    n_features: int
    names: tuple[str, ...] | None
    labels: tuple[str, ...] | None
    rankings: Floats | None = None
    notes: tuple[str, ...] = ()  # what a reader understood, in words
    tied: Ints | None = None  # how many of its features a run prefers to others by the order of the columns alone
    weights_from: str = ""  # what the weights are, in words, or why there are none; "" where that is not known

    @property
    def n_runs(self) -> int:
        return len(self.indptr) - 1

    @property
    def features(self) -> tuple[str, ...]:
        if self.names is not None:
            return self.names
        with enough_memory(self.n_features, BYTES_A_NAME, "the names"):
            return tuple(f"x{f}" for f in range(self.n_features))

    def selected(self, run: int) -> Ints:
        return self.indices[self.indptr[run] : self.indptr[run + 1]]

    def table(self, *, weights: bool = False) -> Any:
        """The runs x features array of 0/1, or of the weights."""
        values: Any = self.weights if weights and self.weights is not None else np.int8(1)
        kind = np.asarray(values).dtype
        with enough_memory(self.n_features, self.n_runs * kind.itemsize, "a table of runs"):
            dense = np.zeros((self.n_runs, self.n_features), dtype=kind)
        dense[np.repeat(np.arange(self.n_runs), np.diff(self.indptr)), self.indices] = values
        return dense


def checked_entries(
    indptr: Ints,
    indices: Ints,
    weights: Floats | None,
    d: int,
    names: tuple[str, ...] | None,
    labels: Names,
    *,
    rankings: Floats | None = None,
) -> Entries:
    """Sort each row, and refuse what is out of range or listed twice."""
    M = len(indptr) - 1
    if M == 0:
        raise InputError("There are no runs; at least one is needed.")
    checked_labels = run_labels(labels, M)
    runs = np.repeat(np.arange(M), np.diff(indptr))
    if indices.size and not 0 <= indices.min() <= indices.max() < d:
        e = np.flatnonzero((indices < 0) | (indices >= d))[0]
        raise InputError(f"Run {runs[e] + 1} selects the index {indices[e]}; expected indices from 0 to {d - 1}.")
    before = runs * d  # the cells of a table of runs x features that earlier runs take
    cells = before + indices
    if np.any(cells[1:] <= cells[:-1]):
        if weights is None:
            cells.sort()
        else:
            order = np.argsort(cells, kind="stable")
            cells, weights = cells[order], weights[order]
        indices = cells - before
        twice = np.flatnonzero(cells[1:] == cells[:-1])
        if twice.size:
            e = twice[0]
            raise InputError(f"Run {runs[e] + 1} lists {describe_feature(int(indices[e]), names)} twice.")
    return Entries(indptr, indices, weights, d, names, checked_labels, rankings)


def reordered(entries: Entries, features: Sequence[str], what: str) -> Entries:
    """The same runs with their features in the order of `features`, which are the same names, or these and more.

    Where names are those that the runs happened to use, the features that no run selected take the names that are left.
    """
    if len(features) > entries.n_features:
        return _widened(entries, features, what)
    own = entries.features
    if isinstance(own, AppearanceOrder):
        known = set(own)
        left = iter([name for name in features if name not in known])
        counts = np.bincount(entries.indices, minlength=entries.n_features)
        unused = {name for name, count in zip(own, counts, strict=True) if not count} - set(features)
        own = tuple(next(left, name) if name in unused else name for name in own)
    order = places_of(own, features, what)
    names, d = feature_names(features, entries.n_features, what=what)
    names = features if isinstance(features, AppearanceOrder) else names
    place = np.arange(d)
    if order is not None:
        place[order] = np.arange(d)
    ranks = entries.rankings if entries.rankings is None or order is None else entries.rankings[:, order]
    moved = place[entries.indices]
    turned = checked_entries(entries.indptr, moved, entries.weights, d, names, entries.labels, rankings=ranks)
    return turned._replace(tied=entries.tied, weights_from=entries.weights_from)


def _widened(entries: Entries, features: Sequence[str], what: str) -> Entries:
    """The same runs over more features."""
    own = entries.features
    names, d = feature_names(features, None, what=what)
    place = name_positions(names, d)
    unknown = [name for name in own if name not in place]
    if unknown and isinstance(own, AppearanceOrder):
        chosen = set(np.unique(entries.indices).tolist())
        unknown = [name for f, name in enumerate(own) if f in chosen and name not in place]
    if unknown:
        raise InputError(f"{what} names {some_names(unknown)}, which the universe of {d:,} features does not have.")
    if entries.rankings is not None:
        raise InputError(f"{what} ranks {len(own):,} of {d:,} features; the ranks of all of them are needed.")
    moved = np.array([place.get(name, 0) for name in own], dtype=np.int64)
    names = features if isinstance(features, AppearanceOrder) else names
    widened = checked_entries(entries.indptr, moved[entries.indices], entries.weights, d, names, entries.labels)
    return widened._replace(tied=entries.tied, weights_from=entries.weights_from)


def row_pointers(sizes: Any) -> Ints:
    """Where each row starts, from the sizes of the rows."""
    indptr = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=indptr[1:])
    return indptr


def entries_among(lists: Sequence[Sequence[str]], labels: Names, features: Names, n_features: int | None) -> Entries:
    """Lists of distinct names over the universe that is given, or over their union."""
    names = universe_of(dict.fromkeys(name for names in lists for name in names), features, n_features)
    known = set(names)
    for i, chosen in enumerate(lists):
        unknown = [name for name in chosen if name not in known]
        if unknown:
            which = f"run {i + 1}" if labels is None else f"the run {labels[i]!r}"
            raise InputError(
                f"{which[0].upper()}{which[1:]} names {some_names(unknown)}, which the universe of {len(names):,} "
                "features does not have."
            )
    return entries_over(names, lists, labels)


def entries_over(
    names: tuple[str, ...],
    lists: Sequence[Sequence[str]],
    labels: Names,
    weights: Sequence[Sequence[float]] | None = None,
) -> Entries:
    """Lists of names of one universe, each of which has them, with a weight for each name where there are some."""
    place = name_positions(names, len(names))
    indices = np.array([place[name] for chosen in lists for name in chosen], dtype=np.int64)
    flat = None if weights is None else np.array([weight for row in weights for weight in row], dtype=np.float64)
    return checked_entries(row_pointers([len(chosen) for chosen in lists]), indices, flat, len(names), names, labels)


def universe_of(
    used: Iterable[str], features: Names, n_features: int | None, *, what: str = "The lists"
) -> tuple[str, ...]:
    """The names of all features: those that are given, else those that are used and unnamed ones up to `n_features`."""
    if features is not None:
        names, _ = feature_names(features, n_features, what=what)
        assert names is not None
        return names
    union = list(used)
    if not union:
        raise InputError(f"{what} hold no names at all; at least one run has to select something.")
    if n_features is None:
        feature_names(union, None, what=what)
        return UnionOfNames(union)
    feature_names(None, n_features, what=what)
    if len(union) > n_features:
        raise InputError(
            f"{what} hold {len(union):,} distinct names, more than the {n_features:,} that n_features allows."
        )
    return AppearanceOrder([*union, *placeholders(set(union), n_features - len(union))])


def universe_in_words(names: Sequence[str]) -> str:
    """How a line says what there was to choose from."""
    return THOSE_NAMES if isinstance(names, UnionOfNames) else f"universe: {len(names):,} features"


def entries_of_sets(sets: Any, features: Names, n_features: int | None, labels: Names) -> Entries:
    """See Selections.from_sets."""
    return _entries_as_listed(sets, features, n_features, labels)[0]


def _entries_as_listed(
    sets: Any, features: Names, n_features: int | None, labels: Names
) -> tuple[Entries, list[npt.NDArray[np.int64]]]:
    """The entries, and the indices of each run in the order in which it lists its features."""
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
    return checked_entries(row_pointers([len(row) for row in encoded]), indices, None, d, names, labels), encoded


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


def entries_of_rankings(R: Any, features: Names, n_features: int | None, labels: Names) -> Entries:
    """The features that lists rank, best first, with the ranks of all; those that a list leaves out share the mean of
    the other ranks."""
    listed, rows = _entries_as_listed(R, features, n_features, labels)
    ranks = np.empty((len(rows), listed.n_features))
    for i, row in enumerate(rows):
        ranks[i] = (len(row) + 1 + listed.n_features) / 2
        ranks[i, row] = np.arange(1, len(row) + 1)
    return listed._replace(rankings=ranks)


def with_weights(
    entries: Entries, rows: Sequence[Sequence[float] | Mapping[str, float]] | None, source: str = ""
) -> Entries:
    """See Selections.with_weights."""
    if not isinstance(source, str):
        raise wrong_argument("source", "a text", source)
    if rows is None:
        return entries._replace(weights=None, weights_from=source)
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
    return entries._replace(weights=weights, weights_from=source)


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
