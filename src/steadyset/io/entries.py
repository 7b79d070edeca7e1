"""What runs selected, in plain arrays: what every reader gives, every writer takes, and Selections are built from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.io.labels import (
    AppearanceOrder,
    describe_feature,
    feature_names,
    name_positions,
    places_of,
    run_labels,
    some_names,
)
from steadyset.io.limits import BYTES_A_NAME, enough_memory
from steadyset.kernels.arrays import Floats, Ints


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
