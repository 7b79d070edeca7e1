"""Pairs of sets told by how they overlap when similar features count as alike: what adjusted measures are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.overlap.overlaps import COLUMNS, Graph, pair_overlaps
from steadyset.selections import Selections

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
