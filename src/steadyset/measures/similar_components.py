"""The exact expected size of a matching under random selection: one connected component of similar features at a time.

A matching of exchangeable features is the union of matchings within components, and how many members of a component a
random set has follows the hypergeometric law. In a complete component (a clique) every matching that cannot be
extended has size min(|S \\ T|, |T \\ S|) = min(|S|, |T|) - |S n T|; other components are enumerated while small.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import sparse

from steadyset.kernels.hypergeometric import intersection_laws
from steadyset.kernels.overlaps import Graph, all_overlaps
from steadyset.measures.record import Measure
from steadyset.measures.similar_pairs import SimilarPairs
from steadyset.similarity.store import frozen_graph

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Components:
    """What the components of a graph add to r: how many cliques of each size there are, and the tables of the others.

    tables[c][a, b] is the sum, over the components of c features that are no cliques, of the mean matching size of two
    subsets with a and b members.
    """

    d: int
    n_cliques: dict[int, int]
    tables: dict[int, FloatArray] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Graph, measure: Measure, most_enumerated: int) -> Components | None:
        """The components of a graph, or None when those that are no cliques take too many matchings to enumerate."""
        d = len(graph.indptr) - 1
        degree = np.diff(graph.indptr)
        matrix = sparse.csr_matrix((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(d, d))
        n_components, label = sparse.csgraph.connected_components(matrix, directed=False)
        sizes = np.bincount(label, minlength=n_components)
        complete = np.bincount(label, degree, minlength=n_components) == sizes * (sizes - 1)
        c, n_with = np.unique(sizes[complete & (sizes > 1)], return_counts=True)
        found = cls(d, dict(zip(c.tolist(), n_with.tolist(), strict=True)))
        others: dict[bytes, tuple[Graph, int]] = {}
        by_component = np.argsort(label, kind="stable")
        ends = np.cumsum(sizes)
        for which in np.flatnonzero(~complete):
            if sizes[which] > np.log2(most_enumerated) / 2:
                return None
            part = _part(graph, by_component[ends[which] - sizes[which] : ends[which]])
            shape = b"".join(array.tobytes() for array in (part.indptr, part.indices, part.rank))
            others[shape] = part, others.get(shape, (part, 0))[1] + 1
        if sum(4 ** (len(part.indptr) - 1) for part, _ in others.values()) > most_enumerated:
            return None
        for part, n_alike in others.values():
            size = len(part.indptr) - 1
            found.tables[size] = found.tables.get(size, 0.0) + n_alike * _matching_sizes(part, measure)
        return found

    def expected(self, size_i: int, size_j: int) -> float:
        """E[matching size] of random sets of these sizes."""
        total = 0.0
        for c, n_with in self.n_cliques.items():
            at_least = [np.cumsum(self._law(c, size)[::-1])[::-1][1:] for size in (size_i, size_j)]
            total += n_with * (float(at_least[0] @ at_least[1]) - c * size_i * size_j / self.d**2)
        for c, table in self.tables.items():
            total += float(self._law(c, size_i) @ table @ self._law(c, size_j))
        return total

    def _law(self, c: int, size: int) -> FloatArray:
        """P(a random set of this size has a = 0..c members of c given features)."""
        law = np.zeros(c + 1)
        _, a, probability = intersection_laws(np.array([c]), np.array([size]), self.d)
        law[a] = probability
        return law


def _part(graph: Graph, members: IntArray) -> Graph:
    """One component as a graph of its own: members numbered in their order, edges ranked in theirs."""
    entries = np.concatenate([np.arange(graph.indptr[x], graph.indptr[x + 1]) for x in members])
    indptr = np.concatenate([[0], np.cumsum(np.diff(graph.indptr)[members])])
    rank = np.argsort(np.argsort(graph.rank[entries])) if len(graph.rank) else graph.rank
    return Graph(*frozen_graph(indptr, np.searchsorted(members, graph.indices[entries]), graph.values[entries]), rank)


def _matching_sizes(part: Graph, measure: Measure) -> FloatArray:
    """table[a, b]: the mean of score - r over all pairs of subsets of a and b features."""
    c = len(part.indptr) - 1
    table = np.empty((c + 1, c + 1))
    for a in range(c + 1):
        for b in range(c + 1):
            rows = all_overlaps(np.arange(c), a, b, part, "greedy" in measure.uses, "matched" in measure.uses)
            pairs = SimilarPairs.from_table(rows, np.full(len(rows), a), np.full(len(rows), b))
            table[a, b] = np.mean(measure.score(pairs, **measure.params) - pairs.shared)
    return table
