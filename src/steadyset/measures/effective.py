"""The measure of similar features by the effective variance of the selections, and its family."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.family import Family
from steadyset.measures.options import Estimate, NullExpectation, Options, settle
from steadyset.measures.record import INFINITY, Measure, register
from steadyset.selections import Selections
from steadyset.similarity import FeatureSimilarity

NO_SPREAD = 1e-12  # what random selection gives is 0, up to the rounding of the similarities


def sechidis_score(scatter: float, own: float, others: float, sizes: Ints, d: int) -> float:
    """Effective stability: one minus the similarity-weighted covariance of the selection, relative to random selection.

    S is the covariance of the columns of the 0/1 matrix and T what random selection of these sizes gives; both traces
    are kept times M² d² (d - 1), where everything but the similarities is whole numbers. When no two
    features are similar this is nogueira. Random sets have expectation 0 if they are of one size, less if sizes differ.
    No bounds hold: a thresholded C need not be positive semidefinite. The parameter thresholded=False keeps the
    similarities below the threshold.

    Formula: 1 - tr(C S) / tr(C T), T_ff = (k̄/d)(1 - k̄/d), T_fg = (mean k_i² - k̄)/(d² - d) - k̄²/d²
    Undefined: random selection has no effective variance (tr(C T) is 0: all sets empty or all full), or d = 1
    Reference: Sechidis et al. 2020
    """
    M, q = len(sizes), int(sizes.sum())
    squares = int(sizes @ sizes)
    if d == 1:
        return np.nan
    variance = Fraction(own) * (d - 1) * q * (M * d - q)
    covariance = Fraction(others) * (M * d * (squares - q) - (d - 1) * q * q)
    spread = variance + covariance
    if spread <= NO_SPREAD * (abs(variance) + abs(covariance)):
        return np.nan
    return float(1 - Fraction(scatter) * d * d * (d - 1) * M / (M - 1) / spread)


register(
    Measure(
        name="sechidis",
        family="effective",
        aliases=("SMES", "phi_S"),
        score=sechidis_score,
        bounds=(-INFINITY, INFINITY),
        equal_sizes_only=True,
        adjusted=True,
        linear=True,
        needs=("similarity",),
        params={"thresholded": True},
    )
)


Sums = tuple[float, float, float]  # scatter, own, others
CELLS_A_BLOCK = 1 << 22


class Effective(Family):
    """Functions of the covariance of the selection, weighed by how similar features are."""

    name = "effective"

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        assert options.similarity is not None
        sums: dict[bool, Sums] = {}
        results = []
        for measure in measures:
            thresholded = _is_thresholded(measure)
            if thresholded not in sums:
                sums[thresholded] = _sums(selections, options.similarity, thresholded)
            value = _value(measure, sums[thresholded], selections)
            results.append(settle(measure, value, 0.0, "", options, selections.sizes))
        return results

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """Exact for a score that is linear in the scatter."""
        if not measure.linear or options.similarity is None:
            return None
        return NullExpectation(expected(selections, measure, options.similarity))

    def intersections(self, measure: Measure, selections: Selections, similarity: FeatureSimilarity) -> Floats:
        """sum of c(f, g) over f in s_i and g in s_j."""
        features = np.arange(selections.n_features)
        C = similarity.block(features, features)
        Z = selections.to_matrix().toarray().astype(np.float64)
        return np.asarray(Z @ np.where(similarity.threshold <= C, C, 0.0) @ Z.T)


def expected(selections: Selections, measure: Measure, similarity: FeatureSimilarity) -> float:
    """E[measure] under random selection of these sizes, exact for a score that is linear in the scatter.

    E[M n_fg - h_f h_g] = (M-1) E[n_fg] - sum_{i!=j} k_i k_j / d², where a run holds f with probability k_i / d, and f
    and g with probability k_i (k_i - 1) / (d (d - 1)).
    """
    k, d = selections.sizes, selections.n_features
    M, elsewhere = len(k), (int(k.sum()) ** 2 - int(k @ k)) / d**2
    _, own, others = _sums(selections, similarity, _is_thresholded(measure))
    scatter = own * ((M - 1) * int(k.sum()) / d - elsewhere)
    if d > 1:
        scatter += others * ((M - 1) * int(k @ (k - 1)) / (d * (d - 1)) - elsewhere)
    return _value(measure, (scatter, own, others), selections)


def _value(measure: Measure, sums: Sums, selections: Selections) -> float:
    params = {name: value for name, value in measure.params.items() if name != "thresholded"}
    return float(measure.score(*sums, selections.sizes, selections.n_features, **params))


def _is_thresholded(measure: Measure) -> bool:
    return bool(measure.params.get("thresholded", True))


def _sums(selections: Selections, similarity: FeatureSimilarity, thresholded: bool) -> Sums:
    return (_sums_of_similar if thresholded else _sums_of_all)(selections, similarity)


def _sums_of_similar(selections: Selections, similarity: FeatureSimilarity) -> Sums:
    """scatter, own and others with similarities below the threshold set to 0."""
    from steadyset.kernels.similarity.similar import scatter_of_neighbours  # compiled when it is used

    diagonal = np.where(similarity.diagonal >= similarity.threshold, similarity.diagonal, 0.0)
    graph = similarity.neighbours
    scatter = scatter_of_neighbours(selections.indptr, selections.indices, selections.counts, *graph)
    return scatter + _own_scatter(selections, diagonal), float(diagonal.sum()), float(graph.values.sum())


def _sums_of_all(selections: Selections, similarity: FeatureSimilarity) -> Sums:
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


def _own_scatter(selections: Selections, diagonal: Floats) -> float:
    h = selections.counts
    return float(diagonal @ (h * (selections.n_runs - h)))
