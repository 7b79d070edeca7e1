"""Similarities that are groups of interchangeable features: 1 within a group, 0 between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steadyset.foundation.arguments import is_collection, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.io.labels import AppearanceOrder, describe_feature, feature_names, name_positions
from steadyset.io.lists.entries import row_pointers
from steadyset.kernels.arrays import Floats, Ints
from steadyset.similarity.store import TIE, Neighbours, frozen_graph, graph_of_blocks, ones


class GroupStore:
    """The group of each feature as a number."""

    def __init__(self, groups: Ints) -> None:
        self._groups = groups
        self._sizes = np.bincount(groups)

    @property
    def groups(self) -> Ints:
        return self._groups

    @property
    def n_features(self) -> int:
        return len(self._groups)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        return np.equal(self._groups[rows][:, None], self._groups[columns]).astype(np.float64)

    def diagonal(self) -> Floats:
        return ones(self.n_features)

    def total(self) -> float:
        return float(self._sizes @ (self._sizes - 1))

    def neighbours(self, threshold: float) -> Neighbours:
        """Each group is a clique."""
        if threshold <= TIE:
            return graph_of_blocks(self, threshold)
        by_group = np.argsort(self._groups, kind="stable")
        group_start = row_pointers(self._sizes)
        length = self._sizes[self._groups]
        start = row_pointers(length)
        rows = np.repeat(np.arange(self.n_features), length)
        within = np.arange(len(rows)) - start[rows]
        members = by_group[group_start[self._groups[rows]] + within]
        others = members[members != rows]
        return frozen_graph(row_pointers(length - 1), others, np.ones(len(others)))


def group_store(
    groups: Any, features: Sequence[str] | None, n_features: int | None
) -> tuple[GroupStore, tuple[str, ...] | None]:
    """Groups told by a label for each feature, or by collections of names or indices."""
    if isinstance(groups, Mapping):
        if features is None:  # a mapping has the order in which somebody wrote it
            store, names = group_store(list(groups.values()), list(groups), n_features)
            return store, AppearanceOrder(names or ())
        unknown = sorted(set(groups).difference(features), key=str)
        if unknown:
            raise InputError(f"groups names {unknown[0]!r}, which is not among the features.")
        groups = [groups.get(name) for name in features]
    if not is_collection(groups):
        raise wrong_argument("groups", "one label per feature, or collections of features", groups)
    entries = list(groups)
    collections = [is_collection(x) for x in entries]
    if any(collections):
        if not all(collections):
            raise InputError("groups mixes labels and collections; give only labels or only collections.")
        names, d = feature_names(features, n_features, what="from_groups with collections of features")
        return GroupStore(_groups_of_members(entries, names, d)), names
    names, d = feature_names(features, len(entries) if n_features is None else n_features, what="from_groups")
    if len(entries) != d:
        raise InputError(f"groups has {len(entries)} labels for {d} features; expected one label per feature.")
    return GroupStore(_groups_of_labels(entries)), names


def _groups_of_labels(labels: list[Any]) -> Ints:
    """A number for each label as it first appears; a missing label is a group of its own."""
    number: dict[Any, int] = {}
    codes = np.empty(len(labels), dtype=np.int64)
    for f, label in enumerate(labels):
        key = ("alone", f) if _is_missing(label) else ("group", label)
        codes[f] = number.setdefault(key, len(number))
    return codes


def _is_missing(label: Any) -> bool:
    """None, nan, and what will not say whether it equals itself (the missing value of pandas)."""
    try:
        return label is None or label is np.ma.masked or bool(label != label)
    except TypeError:
        return True


def _groups_of_members(collections: list[Any], names: tuple[str, ...] | None, d: int) -> Ints:
    """The place of the collection that each feature is in; features in none come after, each alone."""
    positions = name_positions(names, d)
    codes = np.full(d, -1, dtype=np.int64)
    for group, members in enumerate(collections):
        for member in members:
            f = positions.get(member, -1) if isinstance(member, str) else member
            if not (isinstance(f, (int, np.integer)) and 0 <= f < d):
                raise InputError(f"groups holds {member!r}, which is not among the features.")
            if codes[f] >= 0:
                raise InputError(
                    f"groups holds {describe_feature(int(f), names)} twice; a feature belongs to at most one group."
                )
            codes[f] = group
    alone = codes < 0
    codes[alone] = len(collections) + np.arange(alone.sum())
    return codes
