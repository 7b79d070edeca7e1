"""Which features are alike: those that were selected with each other, and the most often selected with all others.

Nothing of the size features x features is computed or kept: what was selected is compared with all features in blocks,
and of the features that were not compared themselves each keeps the most similar one, each compared one its best few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from steadyset.foundation.arguments import ALIKE, ALIKE_BY
from steadyset.kernels.arrays import Floats, Ints
from steadyset.similarity.features import FeatureSimilarity
from steadyset.similarity.store import TIE

MOST_FEATURES, MOST_ROWS = 3000, 5000
MOST_COMPARISONS, LEAST_WITH_ALL = 10_000_000, 50  # of selected features with all features
MOST_OTHERS = 5  # features that were not compared themselves, kept for each that was
COLUMNS_A_BLOCK, COLUMNS_A_CHUNK = 2048, 4096
CELLS_A_BLOCK = 1 << 20  # 8 MB and as much scaled, little beside data that processes share

# The similarities of some features with others, some of these at a time.
Blocks = Callable[[Ints, Ints], Iterator[tuple[Ints, Floats]]]


@dataclass(frozen=True, eq=False)
class Alike:
    """The features that were compared, ascending, and pairs of alike features with their similarities.

    pairs : rows (f, g) with a similarity from `threshold` on: every one of two compared features, f < g; of the other
        features g, the best few of each f, and with each g the f that is most similar to it
    counts : how many features are alike to each compared one, all features counted
    method : what the similarity is; `note` says which features were not compared, and why
    """

    compared: Ints
    pairs: Ints
    threshold: float = ALIKE
    method: str = ""
    note: str = ""
    values: Floats = field(default_factory=lambda: np.empty(0))
    counts: Ints = field(default_factory=lambda: np.empty(0, np.int64))

    def groups(self) -> tuple[Ints, Ints]:
        """All features that have an alike one, ascending, and the number of the group of each.

        Alike features that were compared are linked, directly or through others; any other feature belongs to the
        group of the one that it is most similar to, and links nothing.
        """
        inside = np.isin(self.pairs, self.compared).all(axis=1)
        outside = np.flatnonzero(~inside)
        best = outside[np.lexsort((self.pairs[outside, 0], -self.values[outside], self.pairs[outside, 1]))]
        best = best[np.unique(self.pairs[best, 1], return_index=True)[1]]
        edges = self.pairs[np.concatenate([np.flatnonzero(inside), best])]
        features = np.unique(edges)
        indptr, indices, _ = graph_of(features, edges, np.ones(len(edges)))
        return features, linked(indptr, indices)


def graph_of(features: Ints, pairs: Ints, values: Floats) -> tuple[Ints, Ints, Floats]:
    """Rows of neighbours, by place in `features`: (indptr, indices, values), ascending within a row."""
    from scipy import sparse

    n = len(features)
    f, g = np.searchsorted(features, pairs.T)
    places = np.concatenate([f, g]), np.concatenate([g, f])
    graph = sparse.csr_array((np.concatenate([values, values]), places), shape=(n, n))
    graph.sort_indices()
    return graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.data


def linked(indptr: Ints, indices: Ints) -> Ints:
    """The number of the connected part of a graph that each of its nodes is in, from 0."""
    from scipy import sparse

    n = len(indptr) - 1
    graph = sparse.csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(n, n))
    return sparse.csgraph.connected_components(graph, directed=False)[1].astype(np.int64)


def alike_in_data(X: Floats, counts: Ints, fill: Floats | None = None) -> Alike:
    """By the correlations of the columns; `counts` says how many runs selected each feature.

    `fill` holds what replaces the missing values of each column; without it columns with gaps are left out.
    """
    rows = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_ROWS)).astype(np.int64))

    def unit(features: Ints) -> tuple[Floats, Ints]:
        """Columns as rows of length 1, and which of them have gaps; those are 0."""
        columns = np.asarray(X[np.ix_(rows, features)], dtype=np.float64)
        if fill is not None:
            columns = np.where(np.isnan(columns), fill[features], columns)
        whole = np.isfinite(columns).all(axis=0)
        columns[:, ~whole] = 0.0
        return unit_rows(columns), features[~whole]

    compared, note = _most_selected(counts)
    own, holes = unit(compared)
    whole = ~np.isin(compared, holes)
    compared, own = compared[whole], own[whole]
    width = max(COLUMNS_A_BLOCK, CELLS_A_BLOCK // max(1, len(rows)))
    missing = len(holes)

    def blocks(first: Ints, features: Ints) -> Iterator[tuple[Ints, Floats]]:
        nonlocal missing
        mine = own[np.searchsorted(compared, first)]
        for start in range(0, len(features), width):
            wide = features[start : start + width]
            others, gaps = unit(wide)
            missing += int((~np.isin(gaps, holes)).sum())
            for part in range(0, len(wide), COLUMNS_A_BLOCK):
                at = slice(part, part + COLUMNS_A_BLOCK)
                yield wide[at], np.abs(mine @ others[at].T)

    found = _alike(compared, counts, blocks, ALIKE, ALIKE_BY, note)
    gaps = f"{missing} with missing values were not compared" if missing else ""
    return replace(found, note=_joined(found.note, gaps))


def unit_rows(columns: Floats) -> Floats:
    """The columns as rows, centred and scaled to length 1; scaled and centred twice so that no size loses digits."""
    n, d = columns.shape
    unit = np.empty((d, n))
    for start in range(0, d, COLUMNS_A_CHUNK):
        part = columns[:, start : start + COLUMNS_A_CHUNK].T.copy()
        constant = part.min(axis=1) == part.max(axis=1)
        for _ in range(2):
            part /= np.abs(part).max(axis=1, keepdims=True).clip(min=np.finfo(np.float64).tiny)
            part -= part.mean(axis=1, keepdims=True)
        part[constant] = 0.0
        part /= np.where(constant, 1.0, np.sqrt(np.einsum("ij,ij->i", part, part)))[:, None]
        unit[start : start + COLUMNS_A_CHUNK] = part
    return unit


def alike_by(similarity: FeatureSimilarity, counts: Ints) -> Alike:
    """By a similarity of all features; `counts` says how many runs selected each."""
    compared, note = _most_selected(counts)

    def blocks(first: Ints, features: Ints) -> Iterator[tuple[Ints, Floats]]:
        for start in range(0, len(features), COLUMNS_A_BLOCK):
            part = features[start : start + COLUMNS_A_BLOCK]
            yield part, similarity.block(first, part)

    return _alike(compared, counts, blocks, similarity.threshold, "given", note)


def _alike(compared: Ints, counts: Ints, blocks: Blocks, threshold: float, method: str, note: str) -> Alike:
    """Compare what was selected with each other, and the most often selected with all other features."""
    pairs, values = [np.empty((0, 2), np.int64)], [np.empty(0)]
    n_alike = np.zeros(len(compared), dtype=np.int64)
    for others, block in blocks(compared, compared):
        f, g = np.nonzero(block >= threshold - TIE)
        apart = compared[f] != others[g]
        n_alike += np.bincount(f[apart], minlength=len(compared))
        once = compared[f] < others[g]
        pairs.append(np.column_stack([compared[f[once]], others[g[once]]]))
        values.append(block[f[once], g[once]])
    d = len(counts)
    n_with_all = min(len(compared), max(LEAST_WITH_ALL, MOST_COMPARISONS // max(1, d)))
    most = np.sort(np.argsort(-counts[compared], kind="stable")[:n_with_all])
    rest = np.setdiff1d(np.arange(d), compared)
    if len(rest) and n_with_all:
        if n_with_all < len(compared):
            note = _joined(note, f"the {n_with_all} most often selected were compared with all features")
        several, similar, how_many = _others(compared[most], rest, blocks, threshold)
        n_alike[most] += how_many
        pairs.append(several)
        values.append(similar)
    together = np.minimum(np.concatenate(values), 1.0)
    return Alike(compared, np.concatenate(pairs).astype(np.int64), threshold, method, note, together, n_alike)


def _others(first: Ints, rest: Ints, blocks: Blocks, threshold: float) -> tuple[Ints, Floats, Ints]:
    """The best few of the rest for each of the first, for each of the rest its best, and how many are alike."""
    how_many = np.zeros(len(first), dtype=np.int64)
    kept_f, kept_g, kept_values = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    for others, block in blocks(first, rest):
        f, g = np.nonzero(block >= threshold - TIE)
        if not len(f):
            continue
        how_many += np.bincount(f, minlength=len(first))
        values = block[f, g]
        best_of_g = block.argmax(axis=0)[g] == f
        order = np.lexsort((g, -values, f))  # within a block, the best few of each of the first
        place = np.empty(len(f), dtype=np.int64)
        place[order] = np.arange(len(f)) - np.searchsorted(f[order], f[order])
        keep = best_of_g | (place < MOST_OTHERS)
        kept_f.append(first[f[keep]])
        kept_g.append(others[g[keep]])
        kept_values.append(values[keep])
    return (np.column_stack([np.concatenate(kept_f), np.concatenate(kept_g)]), np.concatenate(kept_values), how_many)


def _most_selected(counts: Ints) -> tuple[Ints, str]:
    """The features to compare, ascending: every selected one, or the most often selected where they are very many."""
    selected = int((counts > 0).sum())
    most = np.sort(np.argsort(-counts, kind="stable")[: min(selected, MOST_FEATURES)]).astype(np.int64)
    left = selected - len(most)
    return most, f"{left} of {selected} selected features, the least often selected, were not compared" if left else ""


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
