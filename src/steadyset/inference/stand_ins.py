"""Alike features in the runs: how often one is selected without the other, and the groups that they form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steadyset.inference.joint_runs import runs_with_any, runs_with_both
from steadyset.kernels.arrays import Ints
from steadyset.selections import Selections
from steadyset.similarity.alike import Alike

MOST_STAND_INS = 5  # that are named, the most frequent first


@dataclass(frozen=True)
class StandIn:
    """A feature that is alike, and its share of the runs that did not select the other one."""

    feature: str
    share: float


def stand_ins_words(stand_ins: Sequence[StandIn]) -> str:
    """Stand-ins in one line: b (0.8); c (0.2)."""
    return "; ".join(f"{one.feature} ({one.share:.2g})" for one in stand_ins)


@dataclass(frozen=True, eq=False)
class AlikeGraph:
    """The features that have an alike one, ascending, and their neighbours by place among them."""

    features: Ints
    indptr: Ints
    indices: Ints

    @classmethod
    def of(cls, alike: Alike) -> AlikeGraph:
        features = np.unique(alike.pairs)
        return cls(features, *Alike(features, alike.pairs).graph())

    def neighbours(self, feature: int) -> tuple[Ints, slice]:
        """The neighbours of a feature by place, and where their pairs are; none where nothing is alike."""
        place = int(np.searchsorted(self.features, feature))
        if place == len(self.features) or self.features[place] != feature:
            return np.empty(0, np.int64), slice(0, 0)
        at = slice(int(self.indptr[place]), int(self.indptr[place + 1]))
        return self.indices[at], at

    def n_stand_ins(self, n_runs: int, counts: Ints, together: Ints) -> Ints:
        """How many features stand in for each: alike, and selected in runs that did not select it."""
        first = self._first()
        instead = counts[self.features[self.indices]] > together
        found = np.zeros(len(counts), dtype=np.int64)
        found[self.features] = np.bincount(first[instead], minlength=len(self.features))
        found[counts == n_runs] = 0
        return found

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
    """What names the best stand-ins of a feature: alike, and selected in runs that did not select it."""

    def named(feature: int) -> tuple[StandIn, ...]:
        without = n_runs - int(counts[feature])
        if graph is None or together is None or without == 0:
            return ()
        places, at = graph.neighbours(feature)
        others = graph.features[places]
        instead = counts[others] - together[at]
        order = np.argsort(-instead, kind="stable")[:MOST_STAND_INS]
        return tuple(StandIn(names[others[i]], float(instead[i] / without)) for i in order if instead[i] > 0)

    return named


def numbered_groups(alike: Alike, best_first: Ints) -> Ints:
    """The group of each feature, from 1 in the order of the best feature of each; 0 for what has no alike one."""
    groups, n = np.zeros(len(best_first), dtype=np.int64), len(alike.compared)
    labels = alike.groups()
    several = np.bincount(labels, minlength=n)[labels] > 1
    label_of = np.full(len(best_first), -1)
    label_of[alike.compared[several]] = labels[several]
    in_order = label_of[best_first]
    found, first = np.unique(in_order[in_order >= 0], return_index=True)
    number = np.zeros(n, dtype=np.int64)
    number[found[np.argsort(first)]] = np.arange(1, len(found) + 1)
    groups[alike.compared[several]] = number[labels[several]]
    return groups
