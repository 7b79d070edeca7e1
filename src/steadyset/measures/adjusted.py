"""Measures that count similar features as alike: of pairs of sets, and by the effective variance of the selections.

A score of a pair tells its overlap; `maximum` is what it is scaled to after its expectation under random selection has
been taken off both: (score - E[score]) / (maximum - E[score]), undefined where nothing is left to scale to. One pass
over the pairs of runs serves all measures. Given the two sizes, the scaled score is linear in the score, so pairs are
kept as the sum of their scores by kind, a kind being a pair of sizes, and each kind has one expectation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures import evaluate
from steadyset.measures.chance import NO_ROOM, size_pairs
from steadyset.measures.evaluate import NOT_CORRECTED, Estimate, Family, NullExpectation, Options, PairTotal, settle
from steadyset.measures.record import INFINITY, Measure, measure_of, ratio
from steadyset.selections import Selections
from steadyset.similarity import FeatureSimilarity

if TYPE_CHECKING:
    from steadyset.measures.random_overlaps import RandomOverlaps, SimilarPairs


def mean_size(ki: Ints, kj: Ints) -> Floats:
    return (ki + kj) / 2


def geometric_mean_size(ki: Ints, kj: Ints) -> Floats:
    return np.sqrt((ki * kj).astype(np.float64))


def first_size(ki: Ints, kj: Ints) -> Floats:
    return ki.astype(np.float64)


_SIMILAR: dict[str, Any] = {"adjusted": True, "needs": ("similarity",)}
_INTERSECTION = {**_SIMILAR, "maximum": geometric_mean_size, "bounds": (-INFINITY, 1), "corrected": True}


def zucknick_overlap(pairs: SimilarPairs) -> Floats:
    """r + C_ij + C_ji"""
    similar = pairs.weight_i / np.maximum(pairs.size_j, 1) + pairs.weight_j / np.maximum(pairs.size_i, 1)
    return pairs.shared + similar


def pogr_overlap(pairs: SimilarPairs) -> Floats:
    """r + O_ij"""
    return pairs.shared + pairs.reached_i


@measure_of("adjusted", "SMZ", intersection=zucknick_overlap, bounds=(0, 1), exact_by="means_given_shared", **_SIMILAR)
def zucknick_score(pairs: SimilarPairs) -> Floats:
    """Jaccard's score plus the mean similarity to what the other set has alone.

    Formula: (r + C_ij + C_ji) / |s_i u s_j|, C_ij = (1/k_j) sum_{x in s_i} sum_{y in s_j \\ s_i} c [c >= threshold]
    Undefined: both sets are empty
    Reference: Zucknick, Richardson and Stronach 2008
    """
    return ratio(zucknick_overlap(pairs), pairs.size_i + pairs.size_j - pairs.shared)


@measure_of("adjusted", "SMY", maximum=mean_size, bounds=(-INFINITY, 1), corrected=True, exact_by="means", **_SIMILAR)
def yu_score(pairs: SimilarPairs) -> Floats:
    """Shared features plus the mean number of features that have a similar one among the others of the other set.

    Formula: (I - E[I]) / ((k_i + k_j)/2 - E[I]), I = r + (A_ij + A_ji)/2
    Undefined: random sets of these sizes always reach the maximum (both empty, both full, all features similar)
    Reference: Yu et al. 2012; Bommert 2020
    """
    overlap = pairs.shared + (pairs.covered_i + pairs.covered_j) / 2
    return np.where(pairs.size_i + pairs.size_j > 0, overlap, np.nan)


@measure_of("adjusted", "SMA-MBM", uses=("matched",), exact_by="matching", **_INTERSECTION)
def intersection_mbm_score(pairs: SimilarPairs) -> Floats:
    """Shared features plus as many exchangeable pairs as can be formed at once.

    Formula: (I - E[I]) / (sqrt(k_i k_j) - E[I]), I = r + maximum bipartite matching of s_i \\ s_j and s_j \\ s_i
    Undefined: a set is empty, or random sets of these sizes always reach the maximum
    Reference: Bommert and Rahnenführer 2020
    """
    return pairs.shared + pairs.matched


@measure_of("adjusted", "SMA-Greedy", uses=("greedy",), exact_by="matching", **_INTERSECTION)
def intersection_greedy_score(pairs: SimilarPairs) -> Floats:
    """Shared features plus exchangeable pairs taken from the most similar downwards, each feature once.

    Equal similarities are taken by the smaller feature index, then by the smaller index of its partner, so with ties
    the value depends on the order of the features.

    Formula: (I - E[I]) / (sqrt(k_i k_j) - E[I]), I = r + greedy matching of s_i \\ s_j and s_j \\ s_i
    Undefined: a set is empty, or random sets of these sizes always reach the maximum
    Reference: Bommert and Rahnenführer 2020
    """
    return pairs.shared + pairs.greedy


@measure_of("adjusted", "SMA-Count", exact_by="similar", **_INTERSECTION)
def intersection_count_score(pairs: SimilarPairs) -> Floats:
    """Shared features plus the smaller number of features with a similar one among the others of the other set.

    Formula: (I - E[I]) / (sqrt(k_i k_j) - E[I]), I = r + min(A_ij, A_ji)
    Undefined: a set is empty, or random sets of these sizes always reach the maximum
    Reference: Bommert and Rahnenführer 2020
    """
    return pairs.shared + np.minimum(pairs.covered_i, pairs.covered_j)


@measure_of("adjusted", "SMA-Mean", exact_by="similar", **_INTERSECTION)
def intersection_mean_score(pairs: SimilarPairs) -> Floats:
    """Like intersection_count, each feature with the mean of its similarities instead of 1.

    Formula: (I - E[I]) / (sqrt(k_i k_j) - E[I]), I = r + min(B_ij, B_ji)
    Undefined: a set is empty, or random sets of these sizes always reach the maximum
    Reference: Bommert and Rahnenführer 2020
    """
    return pairs.shared + np.minimum(pairs.mean_i, pairs.mean_j)


@measure_of("adjusted", intersection=pogr_overlap, bounds=(0, 1), symmetric=False, exact_by="means", **_SIMILAR)
def pogr_score(pairs: SimilarPairs) -> Floats:
    """Percentage of overlapping genes, related ones included: the share of one set that is in the other or similar
    to a feature of it; averaged over ordered pairs.

    Formula: (r + O_ij) / k_i
    Undefined: the first set is empty
    Reference: Zhang et al. 2009
    """
    return ratio(pogr_overlap(pairs), pairs.size_i)


@measure_of(
    "adjusted", maximum=first_size, bounds=(-INFINITY, 1), corrected=True, symmetric=False, exact_by="means", **_SIMILAR
)
def npogr_score(pairs: SimilarPairs) -> Floats:
    """POGR corrected for chance; averaged over ordered pairs.

    Formula: (r + O_ij - E[r + O_ij]) / (k_i - E[r + O_ij])
    Undefined: the first set is empty, or random sets of these sizes always reach the maximum (the second is full)
    Reference: Zhang et al. 2009
    """
    return pairs.shared + pairs.reached_i


class Adjusted(Family):
    """Means over pairs of scores of `SimilarPairs`, corrected by one expectation per pair of sizes."""

    name = "adjusted"
    correctable = True

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        chance = _chance(options)
        kinds = [Kinds(selections, measure) for measure in measures]
        for which, i, j, scores in _scored(selections, measures, chance):
            kinds[which].add(i, j, scores)
        _expect([kind for kind in kinds if _corrects(kind.measure, options)], chance, options)
        return [kind.estimate(selections, options) for kind in kinds]

    def pair_scores(self, selections: Selections, measure: Measure, options: Options) -> Floats:
        """The M x M scores of all ordered pairs (i, j), nan where undefined and on the diagonal."""
        chance = _chance(options)
        kinds = Kinds(selections, measure)
        table = np.full((selections.n_runs, selections.n_runs), np.nan)
        for _, i, j, scores in _scored(selections, [measure], chance):
            kinds.add(i, j, scores)
            table[i, j] = scores
            if measure.symmetric:
                table[j, i] = scores
        if _corrects(measure, options):
            _expect([kinds], chance, options)
            if kinds.refusal:
                raise InputError(f"{measure.name} is {kinds.refusal}.")
            i, j = np.nonzero(~np.isnan(table))
            table[i, j] = kinds.corrected(table[i, j], kinds.of(i, j))
        return table

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """0 for corrected measures, as each pair has its own expectation taken off; else the exact one if known."""
        if isnan(value):
            return NullExpectation(nan)
        if measure.corrected:
            return NullExpectation(0.0)
        chance, (ki, kj, n_pairs) = _chance(options), size_pairs(selections.sizes)
        expected = chance.exact(measure, ki, kj)
        if not measure.symmetric:
            expected = (expected + chance.exact(measure, kj, ki)) / 2
        mean = float(expected @ n_pairs / n_pairs.sum())
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


Scored = tuple[int, Ints, Ints, Floats]

TELLABLE = 4  # standard errors that a simulated expectation must stay away from the maximum
PILOT_DRAWS = 8000  # over all pairs of sizes; fewer leave rare events out of the standard error


def _chance(options: Options) -> RandomOverlaps:
    from steadyset.measures.random_overlaps import RandomOverlaps  # compiled when it is used

    assert options.similarity is not None
    return RandomOverlaps.of(options.similarity)


def _corrects(measure: Measure, options: Options) -> bool:
    return options.corrects or (measure.corrected and options.expectation == "auto")


def _scored(selections: Selections, measures: Sequence[Measure], chance: RandomOverlaps) -> Iterator[Scored]:
    """(which measure, i, j, scores) for every pair of runs, and in both directions for one-sided measures."""
    from steadyset.measures.random_overlaps import similar_pairs

    uses = frozenset[str]().union(*(measure.uses for measure in measures))
    for i, j, pairs in similar_pairs(selections, chance.graph(uses), uses):
        for which, measure in enumerate(measures):
            yield which, i, j, np.asarray(measure.score(pairs, **measure.params), dtype=np.float64)
            if not measure.symmetric:
                yield which, j, i, np.asarray(measure.score(pairs.exchanged(), **measure.params), dtype=np.float64)


class Kinds:
    """The pairs of one measure by their sizes: how many, their mean score, and what random selection gives."""

    def __init__(self, selections: Selections, measure: Measure) -> None:
        self.measure = measure
        self._sizes, self._size_class = np.unique(selections.sizes, return_inverse=True)
        n_cells = len(self._sizes) ** 2
        self._n, self._n_undefined, self._sum = np.zeros(n_cells), np.zeros(n_cells), np.zeros(n_cells)
        twice = np.bincount(self._size_class) > 1
        a, b = np.meshgrid(np.arange(len(self._sizes)), np.arange(len(self._sizes)), indexing="ij")
        occurs = ((a < b) if measure.symmetric else (a != b)) | ((a == b) & twice[a])
        self.codes = np.flatnonzero(occurs)
        self.size_i = self._sizes[self.codes // len(self._sizes)]
        self.size_j = self._sizes[self.codes % len(self._sizes)]
        self.expected, self.error = np.zeros(len(self.codes)), np.zeros(len(self.codes))
        self.refusal = ""

    def _cell(self, i: Ints, j: Ints) -> Ints:
        a, b = self._size_class[i], self._size_class[j]
        if self.measure.symmetric:
            a, b = np.minimum(a, b), np.maximum(a, b)
        return np.asarray(a * len(self._sizes) + b)

    def of(self, i: Ints, j: Ints) -> Ints:
        """The kinds that pairs of runs belong to."""
        return np.searchsorted(self.codes, self._cell(i, j))

    def add(self, i: Ints, j: Ints, scores: Floats) -> None:
        cell, n_cells = self._cell(i, j), len(self._n)
        undefined = np.isnan(scores)
        self._n += np.bincount(cell, ~undefined, minlength=n_cells)
        self._n_undefined += np.bincount(cell, undefined, minlength=n_cells)
        self._sum += np.bincount(cell, np.where(undefined, 0.0, scores), minlength=n_cells)

    @property
    def n_pairs(self) -> Ints:
        return self._n[self.codes].astype(np.int64)

    @property
    def mean(self) -> Floats:
        """The mean score of the pairs of each kind that have one."""
        return self._sum[self.codes] / np.maximum(self._n[self.codes], 1)

    @property
    def room(self) -> Floats:
        """maximum - E, nan where that is nothing or cannot be told from nothing."""
        largest = self._largest()
        room = largest - self.expected
        return np.where(room > np.maximum(NO_ROOM * largest, TELLABLE * self.error), room, np.nan)

    def _largest(self) -> Floats:
        if self.measure.maximum is None:
            return np.full(len(self.codes), self.measure.bounds[1])
        return np.asarray(self.measure.maximum(self.size_i, self.size_j), dtype=np.float64)

    def corrected(self, scores: Floats, kinds: Ints) -> Floats:
        """(score - E) / (maximum - E) for scores of these kinds."""
        return (scores - self.expected[kinds]) / self.room[kinds]

    @property
    def slopes(self) -> Floats:
        """How far the measure moves, up or down, with the expectation of each kind."""
        share = self.n_pairs / (self._n.sum() + self._n_undefined.sum())
        moves: Floats = share * (self._largest() - self.mean) / self.room**2
        return np.where(np.isnan(moves), 0.0, moves)

    @property
    def mc_error(self) -> float:
        """The error of the measure that its simulated expectations cause: they are independent of each other."""
        return float(np.sqrt(np.sum((self.slopes * self.error) ** 2))) if self.error.any() else 0.0

    def estimate(self, selections: Selections, options: Options) -> Estimate:
        if self.refusal:
            return Estimate(float("nan"), note=self.refusal)
        scores = self.mean
        if _corrects(self.measure, options):
            scores = self.corrected(scores, np.arange(len(self.codes)))
        total = PairTotal()
        total.add(scores, self.n_pairs)
        total.add(np.full(len(self.codes), np.nan), self._n_undefined[self.codes].astype(np.int64))
        undefined = (np.isnan(scores) & (self.n_pairs > 0)) | (self._n_undefined[self.codes] > 0)
        estimate = total.estimate(self.measure, partial(self._undefined_sizes, undefined), selections, options)
        return estimate if np.isnan(estimate.value) else replace(estimate, mc_error=self.mc_error)

    def _undefined_sizes(self, undefined: Bools, _: Ints, a: Ints, b: Ints) -> Floats:
        """nan for pairs of sizes that have no score; a size that occurs once has none with itself if with no other."""
        n = len(self._sizes)
        table, occurs = np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
        table.ravel()[self.codes], occurs.ravel()[self.codes] = undefined, True
        table, occurs = table | table.T, occurs | occurs.T
        once = ~occurs.diagonal()
        table[once, once] = np.asarray((table | ~occurs).all(axis=1))[once]
        return np.where(table[np.searchsorted(self._sizes, a), np.searchsorted(self._sizes, b)], np.nan, 0.0)


def _expect(kinds: Sequence[Kinds], chance: RandomOverlaps, options: Options) -> None:
    """Give every kind its expectation: exact where there is a way, else simulated."""
    simulated: dict[tuple[int, int], list[tuple[Kinds, int]]] = {}
    for kind in kinds:
        measure = kind.measure
        if measure.maximum is None and not np.isfinite(measure.bounds[1]):
            raise InputError(f'{measure.name} has no largest value to scale to; expectation must be "auto" or "none".')
        some = np.flatnonzero(kind.n_pairs > 0)
        exact = chance.exact(
            measure, kind.size_i[some], kind.size_j[some], closed_form_only=options.expectation == "monte_carlo"
        )
        kind.expected[some] = exact
        unknown = some[np.isnan(exact)].tolist()
        if unknown and options.expectation == "exact":
            kind.refusal = (
                f"{NOT_CORRECTED}: sets of {kind.size_i[unknown[0]]} and {kind.size_j[unknown[0]]} features, when "
                f"{len(chance.similar)} features have similar ones, are too many to enumerate; "
                'use expectation="auto" or "monte_carlo"'
            )
            continue
        for at in unknown:
            simulated.setdefault((int(kind.size_i[at]), int(kind.size_j[at])), []).append((kind, at))
    if simulated:
        _simulate(simulated, chance, options)


def _simulate(kinds: dict[tuple[int, int], list[tuple[Kinds, int]]], chance: RandomOverlaps, options: Options) -> None:
    """Simulate n_draws pairs of sets for each pair of sizes, or as many as mc_error asks for."""
    seed = options.seed()
    pilot = min(max(200, PILOT_DRAWS // len(kinds)), 1000)
    first = options.n_draws if options.mc_error is None else pilot
    draws = dict.fromkeys(kinds, first)
    todo = set(kinds)
    while todo:
        if options.mc_error is not None and sum(draws.values()) > evaluate.MOST_DRAWS:
            raise InputError(
                f"mc_error is {options.mc_error}; that takes about {sum(draws.values()):.1g} draws, "
                f"choose an error that {evaluate.MOST_DRAWS:.0g} draws can reach."
            )
        for sizes in todo:
            members = kinds[sizes]
            found = chance.simulated([kind.measure for kind, _ in members], *sizes, draws[sizes], seed)
            for (kind, at), expected in zip(members, found, strict=True):
                kind.expected[at], kind.error[at] = expected
        wanted = {} if options.mc_error is None else _wanted_draws(kinds, draws, options.mc_error, options.n_draws)
        todo = {sizes for sizes, n in wanted.items() if n > draws[sizes]}
        draws.update({sizes: wanted[sizes] for sizes in todo})


def _wanted_draws(
    kinds: dict[tuple[int, int], list[tuple[Kinds, int]]],
    draws: dict[tuple[int, int], int],
    mc_error: float,
    unclear: int,
) -> dict[tuple[int, int], int]:
    """Draws for each pair of sizes that bring every measure to mc_error with the least total (Neyman's allocation).

    Pairs of sizes whose expectation cannot be told from the maximum yet take `unclear` draws.
    """
    wanted = dict(draws)
    members = [(sizes, kind, at) for sizes, found in kinds.items() for kind, at in found]
    for one in {id(kind): kind for _, kind, _ in members}.values():
        own = [(sizes, at) for sizes, kind, at in members if kind is one]
        n = np.array([draws[sizes] for sizes, _ in own])
        places = np.array([at for _, at in own])
        spread = one.slopes[places] * one.error[places] * np.sqrt(n)
        enough = n if one.mc_error <= mc_error else np.ceil(1.1 * spread * spread.sum() / mc_error**2)
        enough = np.where(np.isnan(one.room[places]), np.maximum(enough, unclear), enough)
        for (sizes, _), needed in zip(own, enough.tolist(), strict=True):
            wanted[sizes] = max(wanted[sizes], int(needed))
    return wanted


NO_SPREAD = 1e-12  # what random selection gives is 0, up to the rounding of the similarities


@measure_of("effective", "phi_S", equal_sizes_only=True, linear=True, params={"thresholded": False}, **_SIMILAR)
def sechidis_score(scatter: float, own: float, others: float, sizes: Ints, d: int) -> float:
    """Effective stability: one minus the similarity-weighted covariance of the selection, relative to random selection.

    S is the covariance of the columns of the 0/1 matrix and T what random selection of these sizes gives; both traces
    are kept times M² d² (d - 1), where everything but the similarities is whole numbers. When no two
    features are similar this is nogueira. Random sets have expectation 0 if they are of one size, less if sizes differ.
    No bounds hold. Every similarity counts as it is, whatever its threshold, as in equation 3 of Hamer and Dupont
    (2021); with thresholded=True those below the threshold count as 0, which is `sechidis_thresholded`.

    Parameters
    ----------
    scatter : float
        The similarity-weighted covariance of the selection.
    own : float
        The sum of the similarities of the features with themselves.
    others : float
        The sum of the similarities between different features.
    sizes : array of int
        The sizes of the sets.
    d : int
        The number of features.
    thresholded : bool, default=False
        Whether similarities below the threshold count as 0.

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


@measure_of("effective", "SMES", equal_sizes_only=True, linear=True, **_SIMILAR)
def sechidis_thresholded_score(scatter: float, own: float, others: float, sizes: Ints, d: int) -> float:
    """Effective stability of the similarities from the threshold on: `sechidis` with the others set to 0.

    This is what the experiments of Bommert (2020, section 6.2) and the R package stabm compute. A thresholded C need
    not be positive semidefinite, so no bounds hold.

    Formula: 1 - tr(C S) / tr(C T) as for sechidis, c(f,g) = 0 where it is below the threshold
    Undefined: random selection has no effective variance (tr(C T) is 0: all sets empty or all full), or d = 1
    Reference: Sechidis et al. 2020; Bommert 2020
    """
    return sechidis_score(scatter, own, others, sizes, d)


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
        """Exact for a score that is linear in the scatter.

        E[M n_fg - h_f h_g] = (M-1) E[n_fg] - sum_{i!=j} k_i k_j / d², where a run holds f with probability k_i / d, and
        f and g with probability k_i (k_i - 1) / (d (d - 1)).
        """
        if not measure.linear or options.similarity is None:
            return None
        k, d = selections.sizes, selections.n_features
        M, elsewhere = len(k), (int(k.sum()) ** 2 - int(k @ k)) / d**2
        _, own, others = _sums(selections, options.similarity, _is_thresholded(measure))
        scatter = own * ((M - 1) * int(k.sum()) / d - elsewhere)
        if d > 1:
            scatter += others * ((M - 1) * int(k @ (k - 1)) / (d * (d - 1)) - elsewhere)
        return NullExpectation(_value(measure, (scatter, own, others), selections))

    def intersections(self, measure: Measure, selections: Selections, similarity: FeatureSimilarity) -> Floats:
        """sum of c(f, g) over f in s_i and g in s_j."""
        features = np.arange(selections.n_features)
        C = similarity.block(features, features)
        Z = selections.to_matrix().toarray().astype(np.float64)
        if _is_thresholded(measure):
            C = np.where(similarity.threshold <= C, C, 0.0)
        return np.asarray(Z @ C @ Z.T)


def _is_thresholded(measure: Measure) -> bool:
    """Return whether similarities below the threshold count as 0: always, unless a parameter of the measure decides."""
    return bool(measure.params.get("thresholded", True))


def _value(measure: Measure, sums: Sums, selections: Selections) -> float:
    params = {name: value for name, value in measure.params.items() if name != "thresholded"}
    return float(measure.score(*sums, selections.sizes, selections.n_features, **params))


def _sums(selections: Selections, similarity: FeatureSimilarity, thresholded: bool) -> Sums:
    """scatter, own and others with similarities below the threshold set to 0, or with every similarity as it is."""
    if thresholded:
        from steadyset.kernels.similarity import scatter_of_neighbours  # compiled when it is used

        diagonal = np.where(similarity.diagonal >= similarity.threshold, similarity.diagonal, 0.0)
        h, graph = selections.counts, similarity.neighbours
        scatter = scatter_of_neighbours(selections.indptr, selections.indices, h, *graph)
        scatter += float(diagonal @ (h * (selections.n_runs - h)))
        return scatter, float(diagonal.sum()), float(graph.values.sum())
    # Blocks of the features that any run selects.
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
