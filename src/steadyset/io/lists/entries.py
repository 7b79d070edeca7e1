"""What runs selected, in plain arrays: what every reader gives, every writer takes, and Selections are built from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from steadyset.foundation.arguments import check_choice, check_flag, check_integer, wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.files import BYTES_A_NAME, MAX_GB, enough_memory
from steadyset.io.labels import (
    AppearanceOrder,
    UnionOfNames,
    describe_feature,
    feature_names,
    name_positions,
    placeholders,
    places_of,
    run_labels,
    some_names,
)
from steadyset.kernels.arrays import Floats, Ints

WIDE, LONG, COLUMNS, ROWS = "wide", "long", "columns", "rows"
GMT, GMX, RANKS, IMPORTANCES = "gmt", "gmx", "ranks", "importances"
CARET, GLMNET, MLR3FSELECT, BORUTA = "caret", "glmnet", "mlr3fselect", "boruta"
R_LAYOUTS = (CARET, GLMNET, MLR3FSELECT, BORUTA)
READ_LAYOUTS = (WIDE, LONG, COLUMNS, ROWS, GMT, GMX, RANKS, IMPORTANCES, *R_LAYOUTS)
LISTS = (COLUMNS, ROWS, GMT, GMX)
THOSE_NAMES = "universe: those names"
NO_VERDICT = "no verdict: the universe is unknown"
UNKNOWN_UNIVERSE = (
    "The universe is not known, so that the names that were selected count as all features there were. Chance "
    "agreement is then overstated: measures that correct for it, such as nogueira, come out too low (goh too high)"
)


@dataclass(frozen=True)
class Reading:
    """The arguments of Selections.read; what is None is recognised, or refused where it cannot be."""

    features: Sequence[str] | None = None
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
            raise InputError(
                Argument("runs", ...), " names a column of the long layout; ", Argument("layout"), " is another one."
            )

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
    labels: Sequence[str] | None,
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
    ranks = entries.rankings
    return checked_entries(
        entries.indptr,
        place[entries.indices],
        entries.weights,
        d,
        names,
        entries.labels,
        rankings=ranks if ranks is None or order is None else ranks[:, order],
    )._replace(tied=entries.tied)


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
    return widened._replace(tied=entries.tied)


def row_pointers(sizes: Any) -> Ints:
    """Where each row starts, from the sizes of the rows."""
    indptr = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=indptr[1:])
    return indptr


def entries_among(
    lists: Sequence[Sequence[str]],
    labels: Sequence[str] | None,
    features: Sequence[str] | None,
    n_features: int | None,
) -> Entries:
    """Lists of distinct names over the universe that is given, or over their union."""
    names = universe_of(dict.fromkeys(name for names in lists for name in names), features, n_features)
    place = name_positions(names, len(names))
    for i, chosen in enumerate(lists):
        unknown = [name for name in chosen if name not in place]
        if unknown:
            which = f"run {i + 1}" if labels is None else f"the run {labels[i]!r}"
            raise InputError(
                f"{which[0].upper()}{which[1:]} names {some_names(unknown)}, which the universe of {len(names):,} "
                "features does not have."
            )
    indices = np.array([place[name] for chosen in lists for name in chosen], dtype=np.int64)
    return checked_entries(row_pointers([len(chosen) for chosen in lists]), indices, None, len(names), names, labels)


def universe_of(
    used: Iterable[str], features: Sequence[str] | None, n_features: int | None, *, what: str = "The lists"
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
