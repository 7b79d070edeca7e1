"""Measures of pairs of sets that count similar features as alike, and their family.

A score tells the overlap of a pair; `maximum` is what it is scaled to after its expectation under random selection has
been taken off both: (score - E[score]) / (maximum - E[score]), undefined where nothing is left to scale to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.chance import size_pairs
from steadyset.measures.family import Family
from steadyset.measures.options import Estimate, NullExpectation, Options
from steadyset.measures.record import INFINITY, Measure, ratio, register
from steadyset.selections import Selections
from steadyset.similarity import FeatureSimilarity

if TYPE_CHECKING:
    from steadyset.measures.adjusted.components import SimilarPairs


def zucknick_score(pairs: SimilarPairs) -> Floats:
    """Jaccard's score plus the mean similarity to what the other set has alone.

    Formula: (r + C_ij + C_ji) / |s_i u s_j|, C_ij = (1/k_j) sum_{x in s_i} sum_{y in s_j \\ s_i} c [c >= threshold]
    Undefined: both sets are empty
    Reference: Zucknick, Richardson and Stronach 2008
    """
    return ratio(zucknick_overlap(pairs), pairs.size_i + pairs.size_j - pairs.shared)


def zucknick_overlap(pairs: SimilarPairs) -> Floats:
    """r + C_ij + C_ji"""
    similar = pairs.weight_i / np.maximum(pairs.size_j, 1) + pairs.weight_j / np.maximum(pairs.size_i, 1)
    return pairs.shared + similar


def yu_score(pairs: SimilarPairs) -> Floats:
    """Shared features plus the mean number of features that have a similar one among the others of the other set.

    Formula: (I - E[I]) / ((k_i + k_j)/2 - E[I]), I = r + (A_ij + A_ji)/2
    Undefined: random sets of these sizes always reach the maximum (both empty, both full, all features similar)
    Reference: Yu et al. 2012; Bommert 2020
    """
    overlap = pairs.shared + (pairs.covered_i + pairs.covered_j) / 2
    return np.where(pairs.size_i + pairs.size_j > 0, overlap, np.nan)


def intersection_mbm_score(pairs: SimilarPairs) -> Floats:
    """Shared features plus as many exchangeable pairs as can be formed at once.

    Formula: (I - E[I]) / (sqrt(k_i k_j) - E[I]), I = r + maximum bipartite matching of s_i \\ s_j and s_j \\ s_i
    Undefined: a set is empty, or random sets of these sizes always reach the maximum
    Reference: Bommert and Rahnenführer 2020
    """
    return pairs.shared + pairs.matched


def intersection_greedy_score(pairs: SimilarPairs) -> Floats:
    """Shared features plus exchangeable pairs taken from the most similar downwards, each feature once.

    Equal similarities are taken by the smaller feature index, then by the smaller index of its partner, so with ties
    the value depends on the order of the features.

    Formula: (I - E[I]) / (sqrt(k_i k_j) - E[I]), I = r + greedy matching of s_i \\ s_j and s_j \\ s_i
    Undefined: a set is empty, or random sets of these sizes always reach the maximum
    Reference: Bommert and Rahnenführer 2020
    """
    return pairs.shared + pairs.greedy


def intersection_count_score(pairs: SimilarPairs) -> Floats:
    """Shared features plus the smaller number of features with a similar one among the others of the other set.

    Formula: (I - E[I]) / (sqrt(k_i k_j) - E[I]), I = r + min(A_ij, A_ji)
    Undefined: a set is empty, or random sets of these sizes always reach the maximum
    Reference: Bommert and Rahnenführer 2020
    """
    return pairs.shared + np.minimum(pairs.covered_i, pairs.covered_j)


def intersection_mean_score(pairs: SimilarPairs) -> Floats:
    """Like intersection_count, each feature with the mean of its similarities instead of 1.

    Formula: (I - E[I]) / (sqrt(k_i k_j) - E[I]), I = r + min(B_ij, B_ji)
    Undefined: a set is empty, or random sets of these sizes always reach the maximum
    Reference: Bommert and Rahnenführer 2020
    """
    return pairs.shared + np.minimum(pairs.mean_i, pairs.mean_j)


def pogr_score(pairs: SimilarPairs) -> Floats:
    """Percentage of overlapping genes, related ones included: the share of one set that is in the other or similar
    to a feature of it; averaged over ordered pairs.

    Formula: (r + O_ij) / k_i
    Undefined: the first set is empty
    Reference: Zhang et al. 2009
    """
    return ratio(pogr_overlap(pairs), pairs.size_i)


def pogr_overlap(pairs: SimilarPairs) -> Floats:
    """r + O_ij"""
    return pairs.shared + pairs.reached_i


def npogr_score(pairs: SimilarPairs) -> Floats:
    """POGR corrected for chance; averaged over ordered pairs.

    Formula: (r + O_ij - E[r + O_ij]) / (k_i - E[r + O_ij])
    Undefined: the first set is empty, or random sets of these sizes always reach the maximum (the second is full)
    Reference: Zhang et al. 2009
    """
    return pairs.shared + pairs.reached_i


def mean_size(ki: Ints, kj: Ints) -> Floats:
    return (ki + kj) / 2


def geometric_mean_size(ki: Ints, kj: Ints) -> Floats:
    return np.sqrt((ki * kj).astype(np.float64))


def first_size(ki: Ints, kj: Ints) -> Floats:
    return ki.astype(np.float64)


def _adjusted(name: str, *aliases: str, **fields: object) -> None:
    register(Measure(name=name, aliases=aliases, family="adjusted", adjusted=True, needs=("similarity",), **fields))  # type: ignore[arg-type]


_intersection = {"maximum": geometric_mean_size, "bounds": (-INFINITY, 1), "corrected": True}

_adjusted(
    "zucknick",
    "SMZ",
    score=zucknick_score,
    intersection=zucknick_overlap,
    bounds=(0, 1),
    exact_by="means_given_shared",
)
_adjusted("yu", "SMY", score=yu_score, maximum=mean_size, bounds=(-INFINITY, 1), corrected=True, exact_by="means")
_adjusted(
    "intersection_mbm",
    "SMA-MBM",
    score=intersection_mbm_score,
    uses=("matched",),
    exact_by="matching",
    **_intersection,
)
_adjusted(
    "intersection_greedy",
    "SMA-Greedy",
    score=intersection_greedy_score,
    uses=("greedy",),
    exact_by="matching",
    **_intersection,
)
_adjusted("intersection_count", "SMA-Count", score=intersection_count_score, exact_by="similar", **_intersection)
_adjusted("intersection_mean", "SMA-Mean", score=intersection_mean_score, exact_by="similar", **_intersection)
_adjusted("pogr", score=pogr_score, intersection=pogr_overlap, bounds=(0, 1), symmetric=False, exact_by="means")
_adjusted(
    "npogr",
    score=npogr_score,
    maximum=first_size,
    bounds=(-INFINITY, 1),
    corrected=True,
    symmetric=False,
    exact_by="means",
)


class Adjusted(Family):
    """Means over pairs of scores of `SimilarPairs`, corrected by one expectation per pair of sizes."""

    name = "adjusted"
    correctable = True

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        from steadyset.measures.adjusted.one_pass import evaluate

        return evaluate(selections, measures, options)

    def pair_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        from steadyset.measures.adjusted.one_pass import pair_scores

        return pair_scores(selections, measure, options)

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """0 for corrected measures, as each pair has its own expectation taken off; else the exact one if known."""
        if isnan(value):
            return NullExpectation(nan)
        if measure.corrected:
            return NullExpectation(0.0)
        mean = nan if options.similarity is None else _expected_overlap(selections, measure, options.similarity)
        return None if isnan(mean) else NullExpectation(mean)

    def why_not_corrected(self, measure: Measure) -> str:
        """Nothing is refused: also measures published with a correction can be asked for "exact" or "monte_carlo"."""
        return ""

    def intersections(self, measure: Measure, selections: Selections, similarity: FeatureSimilarity) -> Floats | None:
        """The score of a corrected measure is its adjusted intersection; others name theirs in `intersection`."""
        score = measure.intersection or (measure.score if measure.corrected else None)
        if score is None:
            return None
        options = Options(expectation="none", similarity=similarity)
        return self.pair_scores(selections, replace(measure, score=score), options)


def _expected_overlap(selections: Selections, measure: Measure, similarity: FeatureSimilarity) -> float:
    """The mean over the pairs of runs of the exact expectation of a score, nan where there is none."""
    from steadyset.measures.adjusted.expectations import RandomOverlaps

    chance = RandomOverlaps.of(similarity)
    ki, kj, n_pairs = size_pairs(selections.sizes)
    expected = chance.exact(measure, ki, kj)
    if not measure.symmetric:
        expected = (expected + chance.exact(measure, kj, ki)) / 2
    return float(expected @ n_pairs / n_pairs.sum())
