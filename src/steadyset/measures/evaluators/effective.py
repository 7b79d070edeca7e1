"""Effective measures: three sums over pairs of features, from the graph of similar ones or from blocks of all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steadyset.kernels.similar import scatter_of_neighbours
from steadyset.measures.options import Estimate, Options, settle
from steadyset.measures.record import Measure
from steadyset.selections import Selections
from steadyset.similarity import FeatureSimilarity

CELLS_A_BLOCK = 1 << 22


def evaluate(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    assert options.similarity is not None
    sums: dict[bool, tuple[float, float, float]] = {}
    results = []
    for measure in measures:
        params = dict(measure.params)
        thresholded = bool(params.pop("thresholded", True))
        if thresholded not in sums:
            find = _sums_of_similar if thresholded else _sums_of_all
            sums[thresholded] = find(selections, options.similarity)
        value = float(measure.score(*sums[thresholded], selections.sizes, selections.n_features, **params))
        results.append(settle(measure, value, 0.0, "", options))
    return results


def _sums_of_similar(selections: Selections, similarity: FeatureSimilarity) -> tuple[float, float, float]:
    """scatter, own and others with similarities below the threshold set to 0."""
    diagonal = np.where(similarity.diagonal >= similarity.threshold, similarity.diagonal, 0.0)
    graph = similarity.neighbours
    scatter = scatter_of_neighbours(selections.indptr, selections.indices, selections.counts, *graph)
    return scatter + _own_scatter(selections, diagonal), float(diagonal.sum()), float(graph.values.sum())


def _sums_of_all(selections: Selections, similarity: FeatureSimilarity) -> tuple[float, float, float]:
    """scatter, own and others with every similarity: blocks of the features that any run selects."""
    used = np.flatnonzero(selections.counts)
    h = selections.counts[used]
    chosen = selections.to_matrix()[:, used].astype(np.float64).tocsc()
    step = max(1, CELLS_A_BLOCK // max(1, len(used)))
    scatter = 0.0
    for start in range(0, len(used), step):
        rows = slice(start, start + step)
        both = (chosen[:, rows].T @ chosen).toarray()
        scatter += float(np.sum(similarity.block(used[rows], used) * (selections.n_runs * both - np.outer(h[rows], h))))
    return scatter, float(similarity.diagonal.sum()), similarity.total()


def _own_scatter(selections: Selections, diagonal: np.typing.NDArray[np.float64]) -> float:
    h = selections.counts
    return float(diagonal @ (h * (selections.n_runs - h)))
