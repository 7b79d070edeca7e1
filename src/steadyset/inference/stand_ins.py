"""Alike features in the runs: how often one is selected without the other, and the groups that they form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.selections import Selections
from steadyset.similarity.alike import Alike

MOST_STAND_INS = 5  # that are named, the most frequent first
CELLS_A_BLOCK = 1 << 24


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

    def n_stand_ins(self, n_runs: int, counts: Ints, together: Floats) -> Ints:
        """How many features stand in for each: alike, and selected in runs that did not select it."""
        first = self._first()
        instead = counts[self.features[self.indices]] > together
        found = np.zeros(len(counts), dtype=np.int64)
        found[self.features] = np.bincount(first[instead], minlength=len(self.features))
        found[counts == n_runs] = 0
        return found

    def together(self, sel: Selections) -> Floats:
        """How many runs select both features of each pair, in the order of `indices`."""
        n = len(self.features)
        both = np.zeros((n, n), dtype=np.float32)
        for chosen in self._chosen(sel):
            both += chosen.T @ chosen
        found: Floats = both[self._first(), self.indices].astype(np.float64)
        return found

    def covered(self, sel: Selections) -> Floats:
        """How many runs select a feature or one that is alike."""
        n = len(self.features)
        near = np.eye(n, dtype=np.float32)  # dense: so many features at most are compared, and all may be alike
        near[self._first(), self.indices] = 1
        total = np.zeros(n)
        for chosen in self._chosen(sel):
            total += (chosen @ near > 0).sum(axis=0)
        return total

    def _first(self) -> Ints:
        """The place of the first feature of each pair."""
        return np.repeat(np.arange(len(self.features)), np.diff(self.indptr))

    def _chosen(self, sel: Selections) -> Iterator[Any]:
        """Which of these features the runs select, as tables of 0 and 1, some runs at a time."""
        table = sel.to_matrix().astype(np.float32)[:, self.features]
        step = max(1, CELLS_A_BLOCK // max(1, len(self.features)))
        for start in range(0, sel.n_runs, step):
            yield table[start : start + step].toarray()


def namer(
    graph: AlikeGraph | None, n_runs: int, counts: Ints, together: Floats | None, names: Sequence[str]
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
