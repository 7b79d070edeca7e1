"""Alike features in the runs: which can stand in for a feature, how often one is selected without the other, groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from steadyset.inference.joint_runs import runs_with_any, runs_with_both
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selections import Selections
from steadyset.similarity.alike import MOST_OTHERS, Alike, graph_of

MOST_STAND_INS = MOST_OTHERS  # that are named
SAME = 9  # decimals to which similarities are the same


@dataclass(frozen=True)
class StandIn:
    """A feature that is alike, how similar it is, and its share of the runs that did not select the other one.

    The share is undefined where every run selected the other one.
    """

    feature: str
    similarity: float
    share: float


def stand_ins_words(stand_ins: Sequence[StandIn]) -> str:
    """Stand-ins in one line, with their similarity and how often they are selected instead: b (1; 80%); c (0.95)."""
    return "; ".join(f"{one.feature} ({_similarity(one.similarity)}{_instead(one.share)})" for one in stand_ins)


def _similarity(value: float) -> str:
    """Two decimals, of which none is rounded up to the similarity of a copy."""
    return "1" if round(value, SAME) >= 1 else f"{min(value, 0.99):.2f}"


def _instead(share: float) -> str:
    return "" if isnan(share) or share == 0 else f"; {share:.0%}"


@dataclass(frozen=True, eq=False)
class AlikeGraph:
    """The features that have an alike one, ascending, and their neighbours by place among them."""

    features: Ints
    indptr: Ints
    indices: Ints
    values: Floats

    @classmethod
    def of(cls, alike: Alike) -> AlikeGraph:
        features = np.unique(alike.pairs)
        return cls(features, *graph_of(features, alike.pairs, alike.values))

    def neighbours(self, feature: int) -> tuple[Ints, slice]:
        """The neighbours of a feature by place, and where their pairs are; none where nothing is alike."""
        place = int(np.searchsorted(self.features, feature))
        if place == len(self.features) or self.features[place] != feature:
            return np.empty(0, np.int64), slice(0, 0)
        at = slice(int(self.indptr[place]), int(self.indptr[place + 1]))
        return self.indices[at], at

    def together(self, sel: Selections) -> Ints:
        """How many runs select both features of each pair, in the order of `indices`."""
        return runs_with_both(sel, self.features[self._first()], self.features[self.indices])

    def covered(self, sel: Selections) -> Ints:
        """How many runs select a feature or one that is alike."""
        return runs_with_any(sel, self.features, self.indptr, self.indices)

    def _first(self) -> Ints:
        """The place of the first feature of each pair."""
        return np.repeat(np.arange(len(self.features)), np.diff(self.indptr))


def namer(
    graph: AlikeGraph | None, n_runs: int, counts: Ints, together: Ints | None, names: Sequence[str]
) -> Callable[[int], tuple[StandIn, ...]]:
    """What names the best stand-ins: copies, then what is selected most often instead, then the most similar."""

    def named(feature: int) -> tuple[StandIn, ...]:
        if graph is None or together is None:
            return ()
        places, at = graph.neighbours(feature)
        others, similar = graph.features[places], graph.values[at]
        instead, without = counts[others] - together[at], n_runs - int(counts[feature])
        rounded = np.round(similar, SAME)
        order = np.lexsort((others, -rounded, -instead, rounded < 1))[:MOST_STAND_INS]
        shares = instead / without if without else np.full(len(others), nan)
        return tuple(StandIn(names[others[i]], float(similar[i]), float(shares[i])) for i in order)

    return named


def numbered_groups(alike: Alike, best_first: Ints) -> Ints:
    """The group of each feature, from 1 in the order of the best feature of each; 0 for what has no alike one."""
    features, labels = alike.groups()
    groups = np.zeros(len(best_first), dtype=np.int64)
    if not len(features):
        return groups
    label_of = np.full(len(best_first), -1)
    label_of[features] = labels
    in_order = label_of[best_first]
    found, first = np.unique(in_order[in_order >= 0], return_index=True)
    number = np.zeros(int(labels.max()) + 1, dtype=np.int64)
    number[found[np.argsort(first)]] = np.arange(1, len(found) + 1)
    groups[features] = number[labels]
    return groups


def runs_with_group(sel: Selections, groups: Ints) -> Ints:
    """How many runs select a feature of each group, by its number; that of 0 means nothing."""
    runs = np.repeat(np.arange(sel.n_runs), sel.sizes)
    n_groups = int(groups.max(initial=0)) + 1
    seen = np.unique(runs * n_groups + groups[sel.indices])
    return np.bincount(seen % n_groups, minlength=n_groups)
