"""Overlaps of pairs, and the exact expected size of a matching: one connected component of features at a time.

A matching of exchangeable features is the union of matchings within components, and how many members of a component a
random set has follows the hypergeometric law. In a complete component (a clique) every matching that cannot be
extended has size min(|S \\ T|, |T \\ S|) = min(|S|, |T|) - |S n T|; other components are enumerated while small.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, fields, replace
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.overlap.hypergeometric import intersection_laws
from steadyset.kernels.overlap.overlaps import COLUMNS, Graph, disjoint_overlaps, pair_overlaps
from steadyset.measures.record import Measure
from steadyset.selections import Selections

Value = TypeVar("Value")


class Remembered:
    """Values by key; the one that was asked for longest ago goes when there are too many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed when it is not there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]  # type: ignore[return-value]
        value = compute()
        self.put(key, value)
        return value

    def put(self, key: Hashable, value: object) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def peek(self, key: Hashable) -> Any:
        """The value of a key, None when it is not there."""
        return self._values.get(key)

    def __len__(self) -> int:
        return len(self._values)


PAIRS_A_BLOCK = 1 << 16


@dataclass(frozen=True)
class SimilarPairs:
    """Arrays over pairs of sets s_i, s_j. "Similar" means c(x, y) >= threshold, x != y.

    size_i, size_j : k_i and k_j
    shared : r = |s_i n s_j|
    covered_i : A_ij, how many features of s_i \\ s_j have a similar one in s_j \\ s_i
    mean_i : B_ij, the sum over those features of their mean similarity to these similar ones
    reached_i : O_ij, how many features of s_i \\ s_j have a similar one in s_j
    weight_i : the sum of c(x, y) over similar x in s_i and y in s_j \\ s_i
    covered_j, mean_j, reached_j, weight_j : the same with i and j exchanged
    greedy, matched : pairs of exchangeable features, each used once: taken greedily, and as many as possible; nan
        unless a measure lists them in its `uses`
    """

    size_i: Ints
    size_j: Ints
    shared: Floats
    covered_i: Floats
    covered_j: Floats
    mean_i: Floats
    mean_j: Floats
    reached_i: Floats
    reached_j: Floats
    weight_i: Floats
    weight_j: Floats
    greedy: Floats
    matched: Floats

    @classmethod
    def from_table(cls, table: Floats, size_i: Ints, size_j: Ints) -> SimilarPairs:
        """Pairs from the columns that the kernels fill."""
        return cls(size_i, size_j, **dict(zip(COLUMNS, np.ascontiguousarray(table.T), strict=True)))

    def exchanged(self) -> SimilarPairs:
        """The same pairs seen from the other set."""
        sided = [f.name.removesuffix("_i") for f in fields(self) if f.name.endswith("_i")]
        other = {f"{name}_i": getattr(self, f"{name}_j") for name in sided}
        return replace(self, **other, **{f"{name}_j": getattr(self, f"{name}_i") for name in sided})


def similar_pairs(
    selections: Selections, graph: Graph, uses: frozenset[str]
) -> Iterator[tuple[Ints, Ints, SimilarPairs]]:
    """Every pair of runs i<j once, in blocks of bounded size: (i, j, what the pairs look like)."""
    M, sizes = selections.n_runs, selections.sizes
    first = 0
    while first < M - 1:
        last = min(M - 1, first + max(1, PAIRS_A_BLOCK // (M - first)))
        table = pair_overlaps(
            selections.indptr, selections.indices, graph, first, last, "greedy" in uses, "matched" in uses
        )
        i, j = np.triu_indices(last - first, first + 1, M)
        yield i + first, j, SimilarPairs.from_table(table, sizes[i + first], sizes[j])
        first = last


ROWS_A_BLOCK = 1 << 16


@dataclass(frozen=True)
class Components:
    """What the components of a graph add to r: how many cliques of each size there are, and the tables of the others.

    tables[c][u, v] is the sum of the matching sizes of all disjoint subsets U, V with u and v members, over the
    components of c features that are no cliques.
    """

    d: int
    n_cliques: dict[int, int]
    tables: dict[int, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Graph, measure: Measure, most_enumerated: int) -> Components | None:
        """The components of a graph, or None when those that are no cliques take too many matchings to enumerate."""
        d = len(graph.indptr) - 1
        ones = np.ones(len(graph.indices))
        from scipy import sparse
        from scipy.sparse import csgraph

        matrix = sparse.csr_matrix((ones, graph.indices, graph.indptr), shape=(d, d))
        n_components, label = csgraph.connected_components(matrix, directed=False)
        sizes = np.bincount(label, minlength=n_components)
        complete = np.bincount(label, np.diff(graph.indptr), minlength=n_components) == sizes * (sizes - 1)
        if np.sum(3.0 ** np.minimum(sizes[~complete], 64)) > most_enumerated:  # a power that does not overflow
            return None
        c, n_with = np.unique(sizes[complete & (sizes > 1)], return_counts=True)
        found = cls(d, dict(zip(c.tolist(), n_with.tolist(), strict=True)))
        for size in np.unique(sizes[~complete]).tolist():
            alike = np.flatnonzero(~complete & (sizes == size))
            features = np.flatnonzero(np.isin(label, alike))
            members = features[np.argsort(label[features], kind="stable")].reshape(-1, size)
            found.tables[size] = _matching_sizes(members, graph, measure)
        return found

    def expected(self, size_i: int, size_j: int) -> float:
        """E[matching size] of random sets of these sizes."""
        total = 0.0
        for c, n_with in self.n_cliques.items():
            at_least = [np.cumsum(self._law(c, size)[::-1])[::-1][1:] for size in (size_i, size_j)]
            total += n_with * (float(at_least[0] @ at_least[1]) - c * size_i * size_j / self.d**2)
        for c, table in self.tables.items():
            total += float(np.sum(table * self._chance_of_differences(c, size_i, size_j)))
        return total

    def _chance_of_differences(self, c: int, size_i: int, size_j: int) -> Floats:
        """P(s_i \\ s_j and s_j \\ s_i are two given disjoint subsets of u and v features within c given features)."""
        from scipy import special

        members = np.arange(c + 1)
        one_i, one_j = (self._law(c, size) / special.comb(c, members) for size in (size_i, size_j))
        left = c - members[:, None] - members
        chance = np.zeros((c + 1, c + 1))
        for w in range(c + 1):  # features that both sets have
            both = np.outer(one_i[w:], one_j[w:])
            chance[: c + 1 - w, : c + 1 - w] += special.comb(left, w)[: c + 1 - w, : c + 1 - w] * both
        return chance

    def _law(self, c: int, size: int) -> Floats:
        """P(a random set of this size has a = 0..c members of c given features)."""
        law = np.zeros(c + 1)
        _, a, probability = intersection_laws(np.array([c]), np.array([size]), self.d)
        law[a] = probability
        return law


def _matching_sizes(members: Ints, graph: Graph, measure: Measure) -> Floats:
    """The sums of score - r over all pairs of disjoint subsets with u and v members, rows of `members` together."""
    c = members.shape[1]
    table = np.zeros((c + 1) ** 2)
    step = max(1, ROWS_A_BLOCK // 3**c)
    for first in range(0, len(members), step):
        some = members[first : first + step]
        rows, u, v = disjoint_overlaps(
            np.arange(len(some) + 1) * c, some.ravel(), graph, "greedy" in measure.uses, "matched" in measure.uses
        )
        pairs = SimilarPairs.from_table(rows, u, v)
        table += np.bincount(u * (c + 1) + v, measure.score(pairs, **measure.params), minlength=len(table))
    return table.reshape(c + 1, c + 1)
