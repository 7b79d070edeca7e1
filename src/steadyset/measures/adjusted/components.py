"""The exact expected size of a matching under random selection: one connected component of similar features at a time.

A matching of exchangeable features is the union of matchings within components, and how many members of a component a
random set has follows the hypergeometric law. In a complete component (a clique) every matching that cannot be
extended has size min(|S \\ T|, |T \\ S|) = min(|S|, |T|) - |S n T|; other components are enumerated while small.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.overlap.hypergeometric import intersection_laws
from steadyset.kernels.overlap.overlaps import Graph, disjoint_overlaps
from steadyset.measures.adjusted.overlapping import SimilarPairs
from steadyset.measures.record import Measure

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
