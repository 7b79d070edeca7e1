"""What is said of one feature: its direction, the features that stand in for it, and the interval of its frequency."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.foundation.text import shown_name
from steadyset.inference.runs import runs_with_any, runs_with_both
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selections import Selections
from steadyset.similarity.alike import MOST_OTHERS, Alike, graph_of
from steadyset.tasks import TASKS


def wilson(counts: Any, n: float, level: float) -> tuple[Floats, Floats]:
    """The shares that a score test of `counts` successes in n trials does not refuse (Wilson 1927)."""
    from scipy.special import ndtri

    share, z = np.asarray(counts, dtype=np.float64) / n, float(ndtri((1 + level) / 2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.where(share == 0, 0.0, centre - half), np.where(share == 1, 1.0, centre + half)


def jeffreys(counts: Any, n: float, level: float) -> tuple[Floats, Floats]:
    """The middle part of Beta(x + 1/2, n - x + 1/2); it reaches to 0 for x = 0 and to 1 for x = n.

    Reference: Brown, Cai and DasGupta (2001), Interval estimation for a binomial proportion, Statistical Science 16.
    """
    from scipy.special import betaincinv

    x, tail = np.asarray(counts, dtype=np.float64), (1 - level) / 2
    low, high = (betaincinv(x + 0.5, n - x + 0.5, q) for q in (tail, 1 - tail))
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


CELLS_A_BLOCK = 1 << 19  # 4 MB, of which several copies are made, little beside data that processes share
EQUAL = 1e-12  # of the largest value of a feature: means that differ by less are equal


@dataclass(frozen=True, eq=False)
class Directions:
    """For each feature c + 1 where it is highest in class c, -(c + 1) where it is lowest there, 0 where neither.

    For a number, which has no classes, 1 where a feature rises with it and -1 where it falls.
    """

    codes: Ints
    classes: tuple[str, ...] = ()
    target: str = ""

    @classmethod
    def recorded(cls, details: Mapping[str, Any]) -> Directions | None:
        """Those of the details of an assessment; None where they do not say."""
        codes = details.get("directions")
        if codes is None:
            return None
        return cls(np.array(codes, dtype=np.int64), tuple(details.get("classes", ())), details.get("target", ""))

    def words(self, features: Ints) -> list[str]:
        """Of some features, "" where one has no direction."""
        return [self._word(int(code)) for code in self.codes[features]]

    def of_sign(self, sign: int) -> str:
        """What the coefficient of a model says: of two classes a positive one speaks for the second."""
        return self._word((2 if sign > 0 else 1) if len(self.classes) == 2 else sign)

    def _word(self, code: int) -> str:
        if code == 0:
            return ""
        if not self.classes:
            return f"{'rises' if code > 0 else 'falls'} with {shown_name(self.target) or 'y'}"
        name = shown_name(self.classes[abs(code) - 1])
        if len(self.classes) == 2:
            return f"higher in {name}"
        return f"{'highest' if code > 0 else 'lowest'} in {name}"


def class_names(y: npt.NDArray[Any], task: str) -> tuple[str, ...]:
    """The classes in their order; none of a number."""
    return tuple(map(str, TASKS[task].counts(y)))


def data_directions(X: Floats, y: npt.NDArray[Any], task: str) -> Ints:
    """The codes of all features; missing values are left out, and a feature that does not vary has no direction."""
    width = max(1, CELLS_A_BLOCK // max(1, len(X)))
    blocks = (_scaled(X[:, start : start + width]) for start in range(0, X.shape[1], width))
    if not TASKS[task].has_classes:
        target = TASKS[task].amounts(y)
        return np.concatenate([_with_number(*block, target) for block in blocks])
    labels, where = np.unique(y, return_inverse=True)
    member = np.zeros((len(y), len(labels)))
    member[np.arange(len(y)), where] = 1.0
    return np.concatenate([_with_classes(*block, member) for block in blocks])


def _scaled(X: Floats) -> tuple[Floats, Floats]:
    """Columns without their means, of size 1 whatever their scale, 0 for what is missing; and 1 where nothing is."""
    values = np.array(X, dtype=np.float64)
    known = np.isfinite(values)
    values[~known] = 0.0
    for _ in range(2):  # twice, so that a large mean costs no digits
        size = np.abs(values).max(axis=0, initial=0.0)
        values /= np.where(size > 0, size, 1.0)
        mean = values.sum(axis=0) / np.maximum(1, known.sum(axis=0))
        values = np.where(known, values - mean, 0.0)
        values[:, np.abs(values).max(axis=0, initial=0.0) < EQUAL] = 0.0  # a constant, but for rounding
    return values, known.astype(np.float64)


def _with_classes(values: Floats, known: Floats, member: Floats) -> Ints:
    counts = known.T @ member
    means = np.where(counts > 0, (values.T @ member) / np.maximum(counts, 1), np.nan)
    seen = (counts > 0).sum(axis=1)
    middle = np.nansum(means, axis=1) / np.maximum(1, seen)
    away = np.where(np.isnan(means), 0.0, means - middle[:, None])
    highest, lowest = away.argmax(axis=1), away.argmin(axis=1)
    up, down = away.max(axis=1), -away.min(axis=1)
    two = member.shape[1] == 2
    codes = np.where(two | (up >= down - EQUAL), highest + 1, -(lowest + 1))
    return np.where((seen > 1) & (up + down > EQUAL), codes, 0).astype(np.int64)


def _with_number(values: Floats, known: Floats, target: Floats) -> Ints:
    rise = target - target.mean()
    largest = np.abs(rise).max(initial=0.0)
    if largest == 0:
        return np.zeros(values.shape[1], dtype=np.int64)
    rise /= largest
    counts = np.maximum(1, known.sum(axis=0))
    centred = rise[:, None] * known - known * ((rise @ known) / counts)
    products = np.einsum("ij,ij->j", values, centred)
    lengths = np.sqrt(np.einsum("ij,ij->j", values, values) * np.einsum("ij,ij->j", centred, centred))
    return np.where(np.abs(products) > EQUAL * lengths, np.sign(products), 0).astype(np.int64)


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
