"""Measures that are the mean over pairs of a function of (r, k_i, k_j, d): how much two selected sets overlap.

Numerators and denominators are whole numbers as long as possible (everything times d), so that "undefined" is decided
exactly and measures that agree in theory agree to the last bit.

All measures of a table share one pass over the pairs of runs by what these look at, (r, k_i, k_j), each kind with its
number. Runs of similar sizes have few distinct kinds, so scores are computed for thousands of kinds instead of millions
of pairs; where that does not pay, blocks of single pairs are handed out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.chance import expected_mean, expected_scores, scaled, size_pairs
from steadyset.measures.evaluate import (
    PAPER,
    Estimate,
    Family,
    NullExpectation,
    Options,
    PairTotal,
    stated_where_undefined,
    without_pairs,
)
from steadyset.measures.frequency import Collections
from steadyset.measures.record import INFINITY, Measure, measure_of, ratio
from steadyset.selections import Selections

if TYPE_CHECKING:
    from steadyset.kernels.overlap.intersections import PairIndex


@measure_of("pairwise", "SMJ", bounds=(0, 1))
def jaccard_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Share of the union that both sets hold.

    Formula: r / (ki + kj - r)
    Undefined: both sets are empty
    Reference: Jaccard 1901; Kalousis et al. 2005
    """
    return ratio(r, ki + kj - r)


@measure_of("pairwise", "SMD", bounds=(0, 1))
def dice_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Shared features relative to the mean size.

    Formula: 2 r / (ki + kj)
    Undefined: both sets are empty
    Reference: Dice 1945; Yu et al. 2008
    """
    return ratio(2 * r, ki + kj)


@measure_of("pairwise", "SMO", bounds=(0, 1))
def ochiai_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Shared features relative to the geometric mean of the sizes (the cosine).

    Formula: r / sqrt(ki kj)
    Undefined: a set is empty
    Reference: Ochiai 1957; Zucknick et al. 2008
    """
    return ratio(r, np.sqrt(ki * kj))


@measure_of("pairwise", "SMH", bounds=(0, 1))
def hamming_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Share of all features on which the two runs agree.

    Formula: 1 - (ki + kj - 2 r) / d
    Undefined: never
    Reference: Hamming 1950; Dunne et al. 2002
    """
    return 1 - (ki + kj - 2 * r) / d


@measure_of("pairwise", bounds=(0, 1), symmetric=False)
def pog_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Percentage of overlapping genes: the share of one set that the other holds; averaged over ordered pairs.

    Formula: r / ki
    Undefined: the first set is empty
    Reference: Shi et al. 2005
    """
    return ratio(r, ki)


def kuncheva_convention(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """0 for two empty and for two full sets; none for sets of different sizes."""
    return np.where((ki == kj) & ((ki == 0) | (ki == d)), 0.0, np.nan)


@measure_of(
    "pairwise", bounds=(-1, 1), corrected=True, constant_size=True, floor=0.0, by_convention=kuncheva_convention
)
def kuncheva_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Kuncheva's consistency index, for sets of one size k.

    Formula: (r - k²/d) / (k - k²/d)
    Undefined: the sizes differ, or k is 0 or d
    Convention: 0 if k is 0 or d (Sen, Mandal and Chakraborty 2021, section 3.1)
    Reference: Kuncheva 2007
    """
    return ratio(d * r - ki * kj, np.where(ki == kj, d * ki - ki * kj, 0))


def lustgarten_convention(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """0 for a pair with an empty or a full set."""
    return np.where((ki == 0) | (kj == 0) | (ki == d) | (kj == d), 0.0, np.nan)


@measure_of("pairwise", "SML", bounds=(-1, 1), corrected=True, by_convention=lustgarten_convention)
def lustgarten_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Excess over chance relative to the range of r.

    Formula: (r - e) / (min(ki, kj) - max(0, ki + kj - d)), e = ki kj / d
    Undefined: a set is empty or full
    Convention: 0 if a set is empty or full (Sen, Mandal and Chakraborty 2021, section 3.2.1)
    Reference: Lustgarten et al. 2009
    """
    return ratio(d * r - ki * kj, d * (np.minimum(ki, kj) - np.maximum(0, ki + kj - d)))


def corrected_lustgarten_convention(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Lustgarten's measure, which is 0 here by convention, with the correction for r = 0."""
    correction = np.where(r == 0, np.maximum(ki, kj) / d - 1, 0.0)
    return np.asarray(lustgarten_convention(r, ki, kj, d) + correction)


@measure_of("pairwise", bounds=(-1, 1), by_convention=corrected_lustgarten_convention)
def corrected_lustgarten_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Lustgarten's measure with identical sets moved to 1 and disjoint sets to -1.

    Formula: lustgarten; 1 when r = ki = kj; -1 when r = 0
    Undefined: a set is empty or full
    Convention: 0 if a set is full, max(ki, kj)/d - 1 if one is empty (equations 12 and 5)
    Reference: Sen, Mandal and Chakraborty 2021
    """
    score = lustgarten_score(r, ki, kj, d)
    score = np.where((r == 0) & ~np.isnan(score), -1.0, score)
    return np.where((r == ki) & (r == kj) & ~np.isnan(score), 1.0, score)


@measure_of("pairwise", "SMW", bounds=(-INFINITY, 1), corrected=True)
def wald_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Excess over chance relative to the largest possible excess.

    Formula: (r - e) / (min(ki, kj) - e), e = ki kj / d
    Undefined: a set is empty or full
    Reference: Wald, Khoshgoftaar and Napolitano 2013
    """
    return ratio(d * r - ki * kj, d * np.minimum(ki, kj) - ki * kj)


@measure_of("pairwise", bounds=(-INFINITY, 1), corrected=True, symmetric=False)
def npog_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """POG corrected for chance; averaged over ordered pairs.

    Formula: (r - e) / (ki - e), e = ki kj / d
    Undefined: the first set is empty or the second is full
    Reference: Zhang et al. 2009
    """
    return ratio(d * r - ki * kj, d * ki - ki * kj)


@measure_of("pairwise", bounds=(-1, 1), corrected=True)
def nogueira_brown_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Excess over chance relative to the largest possible distance from chance.

    Formula: (r - e) / max(e - max(0, ki + kj - d), min(ki, kj) - e), e = ki kj / d
    Undefined: a set is empty or full
    Reference: Nogueira and Brown 2015
    """
    least, most = d * np.maximum(0, ki + kj - d), d * np.minimum(ki, kj)
    return ratio(d * r - ki * kj, np.maximum(ki * kj - least, most - ki * kj))


@measure_of("pairwise", "SMU", bounds=(-1, 1), corrected=True)
def unadjusted_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Ochiai's score corrected for chance: the intersection measures when no two features are similar.

    Formula: (r - e) / (sqrt(ki kj) - e), e = ki kj / d
    Undefined: a set is empty, or both are full
    Reference: Bommert 2020
    """
    return ratio(d * r - ki * kj, np.where(ki * kj < d * d, d * np.sqrt(ki * kj) - ki * kj, 0))


@measure_of("pairwise", "SMK", bounds=(-1, 1), corrected=True)
def kappa_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Cohen's kappa of the two runs: Dice's score corrected for chance.

    Formula: (r - e) / ((ki + kj)/2 - e), e = ki kj / d
    Undefined: both sets are empty or both are full
    Reference: Carletta 1996
    """
    return ratio(2 * (d * r - ki * kj), d * (ki + kj) - 2 * ki * kj)


@measure_of("pairwise", "SMP", bounds=(-1, 1), corrected=True)
def phi_score(r: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    """Pearson correlation of the two 0/1 rows.

    Formula: (r - e) / sqrt(ki (1 - ki/d) kj (1 - kj/d)), e = ki kj / d
    Undefined: a set is empty or full
    Reference: Nogueira and Brown 2016
    """
    spread_i, spread_j = ki * (d - ki), kj * (d - kj)
    return ratio(d * r - ki * kj, np.sqrt(spread_i.astype(np.float64) * spread_j))


MOST_CELLS = 1 << 24
PAIRS_A_BLOCK = 1 << 20
SMALL = 1 << 16  # runs x runs, or runs x features


@dataclass(frozen=True)
class PairBatch:
    """Kinds of pairs: r shared features, sizes k_i and k_j, and how many pairs i<j are of this kind."""

    shared: Ints
    size_i: Ints
    size_j: Ints
    n_pairs: Ints


def pair_batches(selections: Selections) -> Iterator[PairBatch]:
    """Every pair of runs exactly once, in batches of bounded size."""
    classes = size_classes(selections.sizes)
    M, nnz, d = selections.n_runs, len(selections.indices), selections.n_features
    if classes is None:
        yield from run_pairs(selections)
    elif M * max(M, min(nnz, d)) > SMALL:
        yield pair_kinds(selections, classes)
    else:
        yield _few_kinds(selections, classes)


class SizeClasses(NamedTuple):
    """The distinct sizes; `starts` is where the cells of each of them begin, see kernels/overlap/intersections.py."""

    size_class: Ints  # of each run
    sizes: Ints
    starts: Ints


def size_classes(sizes: Ints) -> SizeClasses | None:
    """The classes, or None when they allow so many kinds of pairs that counting these does not pay."""
    distinct, size_class = np.unique(sizes, return_inverse=True)
    n, M = np.arange(len(distinct), 0, -1), len(sizes)
    if float(n @ (distinct + 1.0)) > min(MOST_CELLS, max(1 << 16, 4 * M * M)):
        return None
    starts = np.zeros(len(distinct) + 1, dtype=np.int64)
    np.cumsum(n * (distinct + 1), out=starts[1:])
    return SizeClasses(size_class.astype(np.int64, copy=False), distinct, starts)


@dataclass(frozen=True)
class PairKinds(PairBatch):
    """Every kind that occurs, once, and what finds the kind of two runs."""

    kind_of_cell: Ints
    index: PairIndex
    classes: SizeClasses

    def sums(self, scores: Floats) -> Floats:
        """sums[i, m]: the sum of scores[kind, m] over the pairs of run i."""
        from steadyset.kernels.overlap.intersections import pair_sums

        return pair_sums(self.index, *self.classes, self.kind_of_cell, scores)


def pair_kinds(selections: Selections, classes: SizeClasses) -> PairKinds:
    """The kinds of pairs of runs with these sizes."""
    from steadyset.kernels.overlap.intersections import count_kinds, pair_index

    index = pair_index(selections.indptr, selections.indices, selections.n_features)
    return PairKinds(*count_kinds(index, *classes), index, classes)


def _few_kinds(selections: Selections, classes: SizeClasses) -> PairBatch:
    """The same where loading the compiled kernels takes longer than all of this."""
    M, (size_class, sizes, starts) = selections.n_runs, classes
    used, column = np.unique(selections.indices, return_inverse=True)
    selected = np.zeros((M, len(used)), dtype=np.float32)
    selected[np.repeat(np.arange(M), selections.sizes), column] = 1
    i, j = np.triu_indices(M, 1)
    shared = (selected @ selected.T)[i, j].astype(np.int64)
    low, high = np.minimum(size_class[i], size_class[j]), np.maximum(size_class[i], size_class[j])
    cells = starts[low] + (high - low) * (sizes[low] + 1) + shared
    _, first, n_pairs = np.unique(cells, return_index=True, return_counts=True)
    return PairBatch(shared[first], sizes[low[first]], sizes[high[first]], n_pairs)


@dataclass(frozen=True)
class RunPairs(PairBatch):
    """Single pairs, with the two runs of each."""

    first: Ints
    second: Ints


def run_pairs(selections: Selections) -> Iterator[RunPairs]:
    """Every pair of runs by itself, in blocks."""
    from steadyset.kernels.overlap.intersections import intersection_blocks, pair_index

    M, sizes = selections.n_runs, selections.sizes
    index = pair_index(selections.indptr, selections.indices, selections.n_features)
    for start, block in intersection_blocks(index, rows=max(1, PAIRS_A_BLOCK // M)):
        i, j = np.triu_indices(len(block), start + 1, M)
        if len(i):
            first = start + i
            shared = block[i, j].astype(np.int64)
            yield RunPairs(shared, sizes[first], sizes[j], np.ones(len(i), dtype=np.int64), first, j)


MOST_SCORES = 1 << 22  # of kinds of pairs by measures that are held


class Pairwise(Family):
    """Means over pairs of runs, told by r = |s_i n s_j| and the two sizes; one-sided ones over ordered pairs."""

    name = "pairwise"
    correctable = True

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        totals = [PairTotal() for _ in measures]
        for batch in pair_batches(selections):
            for total, measure in zip(totals, measures, strict=True):
                for scores, by_convention in self._known_ways(measure, options, selections.n_features, batch):
                    total.add(scores, batch.n_pairs, by_convention)
        return self._estimates(totals, selections, measures, options)

    def jackknifed(
        self, selections: Selections, measures: Sequence[Measure], options: Options
    ) -> tuple[list[Estimate], Floats]:
        """Kinds of pairs are scored once, for the values and for the leave-one-out values."""
        classes = size_classes(selections.sizes)
        if selections.n_runs < 3 or classes is None:
            return super().jackknifed(selections, measures, options)
        kinds = pair_kinds(selections, classes)
        if len(kinds.shared) * len(measures) > MOST_SCORES:
            return super().jackknifed(selections, measures, options)
        totals, both = [PairTotal() for _ in measures], np.empty((len(kinds.shared), len(measures)))
        for m, measure in enumerate(measures):
            ways = self._known_ways(measure, options, selections.n_features, kinds)
            for scores, by_convention in ways:
                totals[m].add(scores, kinds.n_pairs, by_convention)
            both[:, m] = options.filled(ways[0][0]) + options.filled(ways[-1][0])
        found = self._estimates(totals, selections, measures, options)
        without = without_pairs(kinds.sums(both).T)
        without[[np.isnan(one.value) for one in found]] = np.nan
        return found, without

    def pair_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        k = selections.sizes
        ki, kj = np.broadcast_arrays(k[:, None], k[None, :])
        shared = selections.intersections()
        scores = self._scores(measure, options, selections.n_features, shared.ravel(), ki.ravel(), kj.ravel())
        table = scores.reshape(shared.shape).copy()
        np.fill_diagonal(table, np.nan)
        return table

    def without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        return without_pairs(self.score_sums(selections, measures, options).T)

    def score_sums(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """sums[i, m]: the sum over the other runs j of s_ij + s_ji, by measure; memory grows with M, not with M²."""
        M = selections.n_runs
        sums = np.zeros((M, len(measures)))
        for pairs in run_pairs(selections):
            for m, measure in enumerate(measures):
                ways = self._ways(measure, options, selections.n_features, pairs)
                scores = options.filled(ways[0]) + options.filled(ways[-1])
                sums[:, m] += np.bincount(pairs.first, scores, M) + np.bincount(pairs.second, scores, M)
        return sums

    def reached(self, selections: Selections, measure: Measure, options: Options) -> float:
        """The mean score of each run with itself: lustgarten is 1 - k/d there, most others are 1."""
        k = selections.sizes
        return float(np.mean(self._scores(measure, options, selections.n_features, k, k, k)))

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """Exact: the hypergeometric law of the intersections, averaged over the pairs of runs."""
        return NullExpectation(expected_mean(measure, *size_pairs(selections.sizes), selections.n_features))

    def values(self, measure: Measure, collections: Collections) -> Floats:
        i, j = np.triu_indices(collections.n_runs, 1)
        sizes, d = collections.sizes, collections.n_features
        small, large = np.minimum(sizes[:, i], sizes[:, j]), np.maximum(sizes[:, i], sizes[:, j])
        scores = _called(measure, collections.shared, small, large, d)
        if not measure.symmetric:
            scores = (scores + _called(measure, collections.shared, large, small, d)) / 2
        return np.asarray(scores.mean(axis=1))

    def _ways(self, measure: Measure, options: Options, d: int, pairs: PairBatch) -> list[Floats]:
        """The scores s_ij of pairs, and s_ji where these differ."""
        return [self._scores(measure, options, d, pairs.shared, ki, kj) for ki, kj in _both_sizes(measure, pairs)]

    def _known_ways(
        self, measure: Measure, options: Options, d: int, pairs: PairBatch
    ) -> list[tuple[Floats, Bools | None]]:
        """Return the scores in each way, and which of them are by convention only (None if no convention applies)."""
        ways = self._ways(measure, options, d, pairs)
        if not self._follows_convention(measure, options):
            return [(scores, None) for scores in ways]
        plain = replace(options, undefined="nan")
        undefined = [np.isnan(scores) for scores in self._ways(measure, plain, d, pairs)]
        return [(scores, missing & ~np.isnan(scores)) for scores, missing in zip(ways, undefined, strict=True)]

    def _estimates(
        self, totals: Sequence[PairTotal], selections: Selections, measures: Sequence[Measure], options: Options
    ) -> list[Estimate]:
        return [
            total.estimate(measure, partial(self._scores, measure, options, selections.n_features), selections, options)
            for total, measure in zip(totals, measures, strict=True)
        ]

    def _scores(self, measure: Measure, options: Options, d: int, shared: Ints, ki: Ints, kj: Ints) -> Floats:
        scores = np.asarray(measure.score(shared, ki, kj, d, **measure.params), dtype=np.float64)
        if options.corrects and self.can_correct(measure):
            scores = scaled(scores, expected_scores(measure, ki, kj, d), measure.bounds[1])
        if self._follows_convention(measure, options):
            scores = stated_where_undefined(measure, scores, shared, ki, kj, d)
        return scores

    def _follows_convention(self, measure: Measure, options: Options) -> bool:
        """Return whether the values that the source states count; a correction of ours has no source."""
        is_corrected = options.corrects and self.can_correct(measure)
        return options.undefined == PAPER and measure.by_convention is not None and not is_corrected


def _both_sizes(measure: Measure, pairs: PairBatch) -> list[tuple[Ints, Ints]]:
    return [(pairs.size_i, pairs.size_j), (pairs.size_j, pairs.size_i)][: 1 if measure.symmetric else 2]


def _called(measure: Measure, shared: Ints, ki: Ints, kj: Ints, d: int) -> Floats:
    scores = measure.score(shared.ravel(), ki.ravel(), kj.ravel(), d, **measure.params)
    return np.asarray(scores, dtype=np.float64).reshape(shared.shape)
