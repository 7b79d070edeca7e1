"""Which of the selected features are alike: pairs, and the groups that they link. The work is bounded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steadyset.conventions import ALIKE, ALIKE_BY
from steadyset.kernels.arrays import Floats, Ints
from steadyset.similarity.features import FeatureSimilarity
from steadyset.similarity.store import TIE

MOST_FEATURES, MOST_ROWS = 3000, 5000
ROWS_A_BLOCK = 512


@dataclass(frozen=True, eq=False)
class Alike:
    """The features that were compared, ascending, and the pairs f < g of them with a similarity from `threshold` on.

    method : what the similarity is; `note` says which selected features were not compared, and why
    """

    compared: Ints
    pairs: Ints
    threshold: float = ALIKE
    method: str = ""
    note: str = ""

    def graph(self) -> tuple[Ints, Ints]:
        """Rows of neighbours, by place in `compared`: (indptr, indices), ascending within a row."""
        from scipy import sparse

        n = len(self.compared)
        f, g = np.searchsorted(self.compared, self.pairs.T)
        places = np.concatenate([f, g]), np.concatenate([g, f])
        graph = sparse.csr_array((np.ones(len(places[0]), dtype=np.int8), places), shape=(n, n))
        graph.sort_indices()
        return graph.indptr.astype(np.int64), graph.indices.astype(np.int64)

    def groups(self) -> Ints:
        """The number of the group of each compared feature: alike features are linked, directly or through others."""
        return linked(*self.graph())


def linked(indptr: Ints, indices: Ints) -> Ints:
    """The number of the connected part of a graph that each of its nodes is in, from 0."""
    from scipy import sparse

    n = len(indptr) - 1
    graph = sparse.csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(n, n))
    return sparse.csgraph.connected_components(graph, directed=False)[1].astype(np.int64)


def alike_in_data(X: Floats, counts: Ints, fill: Floats | None = None) -> Alike:
    """Of the features selected at least once, by the correlations of their columns.

    `fill` holds what replaces the missing values of each column; without it columns with gaps are left out.
    """
    compared, note = _most_selected(counts)
    rows = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_ROWS)).astype(np.int64))
    columns = np.asarray(X[np.ix_(rows, compared)], dtype=np.float64)
    if fill is not None:
        columns = np.where(np.isnan(columns), fill[compared], columns)
    whole = np.isfinite(columns).all(axis=0)
    if not whole.all():
        note += ("; " if note else "") + f"{int((~whole).sum())} with missing values were not compared"
    compared = compared[whole]
    if len(compared) < 2 or len(rows) < 2:
        return Alike(compared, _no_pairs(), method=ALIKE_BY, note=note)
    similarity = FeatureSimilarity.from_data(columns[:, whole], method=ALIKE_BY, threshold=ALIKE)
    indptr, indices, _ = similarity.neighbours
    first = np.repeat(np.arange(len(compared)), np.diff(indptr))
    once = first < indices
    pairs = compared[np.column_stack([first[once], np.asarray(indices)[once]])]
    return Alike(compared, pairs.astype(np.int64), method=ALIKE_BY, note=note)


def alike_by(similarity: FeatureSimilarity, counts: Ints) -> Alike:
    """Of the features selected at least once, by a similarity of all features."""
    compared, note = _most_selected(counts)
    found = [_no_pairs()]
    for start in range(0, len(compared), ROWS_A_BLOCK):
        block = similarity.block(compared[start : start + ROWS_A_BLOCK], compared[start:])
        f, g = np.nonzero(block >= similarity.threshold - TIE)
        found.append(compared[start + np.column_stack([f, g])[g > f]])
    return Alike(compared, np.concatenate(found), similarity.threshold, "given", note)


def _most_selected(counts: Ints) -> tuple[Ints, str]:
    """The features to compare, ascending: every selected one, or the most often selected where they are very many."""
    selected = int((counts > 0).sum())
    most = np.sort(np.argsort(-counts, kind="stable")[: min(selected, MOST_FEATURES)]).astype(np.int64)
    left = selected - len(most)
    return most, f"{left} of {selected} selected features, the least often selected, were not compared" if left else ""


def _no_pairs() -> Ints:
    return np.empty((0, 2), dtype=np.int64)
