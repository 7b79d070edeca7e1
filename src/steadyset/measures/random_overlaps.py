"""How pairs of sets overlap when similar features count, and what random selection gives: E[score] by the two sizes.

The expectation depends on the two sizes and the neighbour graph only, so each is computed once and remembered as long
as the FeatureSimilarity lives. Which way leads to the exact number is a property of the score (`exact_by` of its
record); where none does, it is simulated and regressed on quantities whose expectations are known exactly.

A matching of exchangeable features is the union of matchings within connected components, and how many members of a
component a random set has follows the hypergeometric law. In a complete component (a clique) every matching that cannot
be extended has size min(|S \\ T|, |T \\ S|) = min(|S|, |T|) - |S n T|; other components are enumerated while small.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from math import comb
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.overlap import overlaps
from steadyset.kernels.overlap.chance import intersection_laws
from steadyset.measures.record import Measure
from steadyset.selections import Selections
from steadyset.similarity import FeatureSimilarity

Value = TypeVar("Value")


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
        return cls(size_i, size_j, **dict(zip(overlaps.COLUMNS, np.ascontiguousarray(table.T), strict=True)))

    def exchanged(self) -> SimilarPairs:
        """The same pairs seen from the other set."""
        sided = [f.name.removesuffix("_i") for f in fields(self) if f.name.endswith("_i")]
        other = {f"{name}_i": getattr(self, f"{name}_j") for name in sided}
        return replace(self, **other, **{f"{name}_j": getattr(self, f"{name}_i") for name in sided})


def similar_pairs(
    selections: Selections, graph: overlaps.Graph, uses: frozenset[str]
) -> Iterator[tuple[Ints, Ints, SimilarPairs]]:
    """Every pair of runs i<j once, in blocks of bounded size: (i, j, what the pairs look like)."""
    M, sizes = selections.n_runs, selections.sizes
    first = 0
    while first < M - 1:
        last = min(M - 1, first + max(1, PAIRS_A_BLOCK // (M - first)))
        i, j = np.triu_indices(last - first, first + 1, M)
        i += first
        table = overlaps.pair_overlaps(
            selections.indptr, selections.indices, i, j, graph, "greedy" in uses, "matched" in uses
        )
        yield i, j, SimilarPairs.from_table(table, sizes[i], sizes[j])
        first = last


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
    def of(cls, graph: overlaps.Graph, measure: Measure, most_enumerated: int) -> Components | None:
        """The components of a graph, or None when those that are no cliques take too many matchings to enumerate."""
        d = len(graph.indptr) - 1
        ones = np.ones(len(graph.indices))
        from scipy import sparse
        from scipy.sparse import csgraph

        matrix = sparse.csr_matrix((ones, graph.indices, graph.indptr), shape=(d, d))
        n_components, label = csgraph.connected_components(matrix, directed=False)
        sizes = np.bincount(label, minlength=n_components)
        # In a clique any feature may stand for any other, so a matching is as large as the smaller side: a formula. Of
        # other components every way to deal their members out to the two sets, or to neither, is tried: three to the
        # power of c.
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
            # E[min(a, b)] is the sum over t of P(a >= t) P(b >= t); less the shared ones, which r counts already.
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


def _matching_sizes(members: Ints, graph: overlaps.Graph, measure: Measure) -> Floats:
    """The sums of score - r over all pairs of disjoint subsets with u and v members, rows of `members` together."""
    c = members.shape[1]
    table = np.zeros((c + 1) ** 2)
    # Each member is in neither subset, in the first or in the second: 3^c pairs of subsets.
    subsets = np.indices((3,) * c).reshape(c, -1).T[:, None] == [[1], [2]]
    step = max(1, ROWS_A_BLOCK // len(subsets))
    for first in range(0, len(members), step):
        some = members[first : first + step, None, None]
        inside = np.broadcast_to(subsets, (len(some), *subsets.shape))
        sizes, chosen = inside.sum(axis=3).reshape(-1, 2), np.broadcast_to(some, inside.shape)[inside]
        odd, even = np.arange(sizes.size).reshape(-1, 2).T.copy()
        ends = np.append(0, np.cumsum(sizes))
        rows = overlaps.pair_overlaps(
            ends, chosen, odd, even, graph, "greedy" in measure.uses, "matched" in measure.uses
        )
        u, v = sizes.T
        pairs = SimilarPairs.from_table(rows, u, v)
        table += np.bincount(u * (c + 1) + v, measure.score(pairs, **measure.params), minlength=len(table))
    return table.reshape(c + 1, c + 1)


CONTROLS = ("shared", "covered_i", "covered_j", "reached_i", "reached_j", "weight_i", "weight_j")
MOST_ENUMERATED = 1 << 18
MOST_LISTED = 1 << 23  # members of all subsets together
MOST_REMEMBERED = 1 << 16  # numbers of one similarity: two sizes, a measure, perhaps a seed
DRAWS_A_BLOCK = 1 << 14
TERMS_A_CHUNK = 1 << 22
COLLINEAR = 1e-9
ROUNDING = 1e-12
N_FOLDS = 8
FEWEST_TO_REGRESS = 64
COUNTS = ("matching", "similar")  # scores that are r plus a number of features


class Expected(NamedTuple):
    """An expectation and its standard error, 0 when it is exact."""

    value: float
    error: float = 0.0


class RandomOverlaps:
    """Two independent uniform random sets and how they overlap, for one FeatureSimilarity."""

    def __init__(self, similarity: FeatureSimilarity) -> None:
        self.d = similarity.n_features
        self.neighbours = similarity.neighbours
        n_neighbours = np.diff(self.neighbours.indptr)
        self.similar = np.flatnonzero(n_neighbours)
        self.degrees, self.n_with = np.unique(n_neighbours[self.similar], return_counts=True)
        self.total = float(self.neighbours.values.sum())
        self.remembered: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, similarity: FeatureSimilarity) -> RandomOverlaps:
        """The one that belongs to the similarity, with what was computed before."""
        if similarity not in _OVERLAPS:
            _OVERLAPS.setdefault(similarity, cls(similarity))
        return _OVERLAPS[similarity]

    def known(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """What was computed before under a key, or is computed now; where there are too many, all are forgotten."""
        if key not in self.remembered:
            value = compute()
            if len(self.remembered) >= MOST_REMEMBERED:
                self.remembered.clear()
            self.remembered[key] = value
        found: Value = self.remembered[key]
        return found

    def graph(self, uses: frozenset[str]) -> overlaps.Graph:
        """The neighbour graph, with the order of its edges where the greedy choice is wanted."""
        if "greedy" not in uses:
            return overlaps.Graph(*self.neighbours, np.empty(0, np.int64))
        ranks = self.known("ranks", lambda: overlaps.edge_ranks(*self.neighbours))
        return overlaps.Graph(*self.neighbours, ranks)

    # ---- exact ---------------------------------------------------------------------------------------------------

    def exact(self, measure: Measure, size_i: Ints, size_j: Ints, *, closed_form_only: bool = False) -> Floats:
        """E[score] for pairs of sizes without simulation, nan where that would take too long."""
        if measure.exact_by == "means":
            return np.asarray(measure.score(self.means(size_i, size_j), **measure.params), dtype=np.float64)
        if closed_form_only and measure.exact_by != "means_given_shared":
            return np.full(len(size_i), np.nan)
        each, name = zip(size_i.tolist(), size_j.tolist(), strict=True), ("exact", *_identity(measure))
        return np.array([self.known((*name, a, b), partial(self._exact, measure, a, b)) for a, b in each])

    def _exact(self, measure: Measure, size_i: int, size_j: int) -> float:
        if measure.exact_by == "means_given_shared":
            return self._sum_over_shared(measure, size_i, size_j)
        if measure.exact_by == "matching":
            find = partial(Components.of, self.graph(frozenset(measure.uses)), measure, MOST_ENUMERATED)
            components = self.known(("components", *_identity(measure)), find)
            if components is not None:
                return components.expected(size_i, size_j) + size_i * size_j / self.d
        members = self.similar if measure.exact_by else np.arange(self.d)
        return self._enumerated(measure, members, size_i, size_j)

    def means(self, size_i: Ints, size_j: Ints) -> SimilarPairs:
        """The exact expectation of every quantity that has a closed form, for pairs of sizes; the others are nan.

        A pair x != y is in s_i x (s_j \\ s_i) with probability k_i E[k_j - r] / (d (d - 1)).
        """
        d = self.d
        pairs = SimilarPairs.from_table(np.full((len(size_i), overlaps.N_COLUMNS), np.nan), size_i, size_j)
        pairs.shared[:] = size_i * size_j / d
        sizes, place = np.unique(np.concatenate([size_i, size_j]), return_inverse=True)
        covered, reached = self._covered_and_reached(sizes)
        i, j = place[: len(size_i)], place[len(size_i) :]
        pairs.covered_i[:], pairs.covered_j[:] = covered[i, j], covered[j, i]
        pairs.reached_i[:], pairs.reached_j[:] = reached[i, j], reached[j, i]
        per_pair = self.total / max(1, d * (d - 1)) * pairs.shared
        pairs.weight_i[:], pairs.weight_j[:] = per_pair * (d - size_i), per_pair * (d - size_j)
        return pairs

    def _covered_and_reached(self, sizes: Ints) -> tuple[Floats, Floats]:
        """E[A_ij] and E[O_ij] for every k_i (rows) and k_j (columns) among `sizes`.

        A feature x of s_i \\ s_j with n neighbours has t of them in s_j by the hypergeometric law of d - 1, n and k_j;
        one of these is outside s_i with probability 1 - prod_{u=1..t} (k_i - u) / (d - u).
        """
        d = self.d
        laws = [self.known(("neighbours", k), partial(self._neighbours_chosen, k)) for k in sizes.tolist()]
        chosen = np.zeros((len(sizes), max((len(law) for law in laws), default=0)))
        for row, law in zip(chosen, laws, strict=True):
            row[: len(law)] = law
        u = np.arange(1, chosen.shape[1] + 1)
        none_outside = np.cumprod(np.maximum(sizes[:, None] - u, 0) / np.maximum(d - u, 1), axis=1)
        alone = sizes[:, None] / d * (1 - sizes / d)
        return alone * ((1 - none_outside) @ chosen.T), alone * chosen.sum(axis=1)

    def _neighbours_chosen(self, size_j: int) -> Floats:
        """law[t - 1]: sum over features x of P(t neighbours of x are in s_j | x is not), t = 1, 2, ..."""
        if size_j == self.d or len(self.similar) == 0:
            return np.zeros(0)
        law = np.zeros(min(int(self.degrees[-1]), size_j) + 1)
        step = max(1, TERMS_A_CHUNK // len(law))
        for begin in range(0, len(self.degrees), step):
            n, n_with = self.degrees[begin : begin + step], self.n_with[begin : begin + step]
            start, t, probability = intersection_laws(n, np.full(len(n), size_j), self.d - 1)
            law += np.bincount(t, probability * np.repeat(n_with, np.diff(start)), minlength=len(law))
        return law[1:]

    def _sum_over_shared(self, measure: Measure, size_i: int, size_j: int) -> float:
        """E[score] of a score that is linear in the weights once r is known: sum over r of P(r) score(E[. | r])."""
        _, shared, probability = intersection_laws(np.array([size_i]), np.array([size_j]), self.d)
        table = np.full((len(shared), overlaps.N_COLUMNS), np.nan)
        pairs = SimilarPairs.from_table(table, np.full(len(shared), size_i), np.full(len(shared), size_j))
        pairs.shared[:] = shared
        per_pair = self.total / max(1, self.d * (self.d - 1))
        pairs.weight_i[:] = per_pair * size_i * (size_j - shared)
        pairs.weight_j[:] = per_pair * size_j * (size_i - shared)
        return float(measure.score(pairs, **measure.params) @ probability)

    def _enumerated(self, measure: Measure, members: Ints, size_i: int, size_j: int) -> float:
        """E[score] when what the score adds to r depends on the choice among `members` only: all their subsets."""
        n = len(members)
        laws = [intersection_laws(np.array([n]), np.array([size]), self.d)[1:] for size in (size_i, size_j)]
        if _n_subsets(n, laws[0][0]) * _n_subsets(n, laws[1][0]) > MOST_ENUMERATED:
            return np.nan
        if sum(comb(n, a) * a for law in laws for a in law[0].tolist()) > MOST_LISTED:
            return np.nan
        (chosen_i, p_i), (chosen_j, p_j) = laws

        def mean_added(a: int, b: int) -> float:
            key = ("added", *_identity(measure), n, a, b)
            return self.known(key, partial(self._mean_added, measure, members, a, b))

        added = np.array([[mean_added(a, b) for b in chosen_j.tolist()] for a in chosen_i.tolist()])
        return float(p_i @ added @ p_j) + size_i * size_j / self.d

    def _mean_added(self, measure: Measure, members: Ints, size_i: int, size_j: int) -> float:
        """The mean of score - r over all pairs of subsets of `members` with these sizes."""
        uses = frozenset(measure.uses)
        table = overlaps.all_overlaps(members, size_i, size_j, self.graph(uses), "greedy" in uses, "matched" in uses)
        pairs = _pairs(table, size_i, size_j)
        added = measure.score(pairs, **measure.params) - pairs.shared
        return float(np.mean(added))

    # ---- simulated -----------------------------------------------------------------------------------------------

    def simulated(
        self, measures: Sequence[Measure], size_i: int, size_j: int, n_draws: int, seed: int
    ) -> list[Expected]:
        """E[score] of each measure by simulation, all from the same draws, regressed on the known expectations."""
        names = [("simulated", *_identity(measure), size_i, size_j, n_draws, seed) for measure in measures]
        found = {name: self.remembered[name] for name in names if name in self.remembered}
        missing = {name: measure for name, measure in zip(names, measures, strict=True) if name not in found}
        if missing:
            drawn = self._simulate(list(missing.values()), size_i, size_j, n_draws, seed)
            found |= zip(missing, drawn, strict=True)
        return [self.known(name, partial(found.__getitem__, name)) for name in names]

    def _simulate(
        self, measures: Sequence[Measure], size_i: int, size_j: int, n_draws: int, seed: int
    ) -> list[Expected]:
        uses = frozenset[str]().union(*(measure.uses for measure in measures))
        graph = self.graph(uses)
        # Of the sizes alone, so that a pair of sizes has the same number whatever else is asked for beside it.
        own_seed = int(np.random.SeedSequence([seed, size_i, size_j]).generate_state(1, np.uint64)[0] >> np.uint64(1))
        means = self.means(np.array([size_i]), np.array([size_j]))
        known = np.concatenate([getattr(means, name) for name in CONTROLS])
        folds = Folds(N_FOLDS if n_draws >= FEWEST_TO_REGRESS else 1, len(CONTROLS) + len(measures))
        for first in range(0, n_draws, DRAWS_A_BLOCK):
            n = min(DRAWS_A_BLOCK, n_draws - first)
            table = overlaps.random_overlaps(
                size_i, size_j, graph, first, n, own_seed, "greedy" in uses, "matched" in uses
            )
            pairs = _pairs(table, size_i, size_j)
            # Control variates: what is known exactly tells how far these draws are off, and the scores are corrected by
            # it.
            controls = np.stack([getattr(pairs, name) for name in CONTROLS]) - known[:, None]
            scores = [measure.score(pairs, **measure.params) - _guess(measure, pairs) for measure in measures]
            folds.add(np.concatenate([controls, scores]))
        steps = [0.5 if measure.exact_by in COUNTS else 0.0 for measure in measures]
        return [
            Expected(float(_guess(measure, means).sum()) + at, error)
            for measure, (at, error) in zip(measures, folds.regressed(steps), strict=True)
        ]


class Folds:
    """Simulated controls, as deviations from their known means, and scores: their moments in folds of the draws."""

    def __init__(self, n_folds: int, n_columns: int) -> None:
        self.n = np.zeros(n_folds)
        self.sums = np.zeros((n_folds, n_columns))
        self.products = np.zeros((n_folds, n_columns, n_columns))

    def add(self, values: Floats) -> None:
        """Deal the draws (columns of `values`) out to the folds."""
        n_columns, n = values.shape
        n_folds = len(self.n)
        dealt = np.zeros((n_columns, -(-n // n_folds) * n_folds))
        dealt[:, :n] = values
        by_fold = dealt.reshape(n_columns, -1, n_folds).transpose(2, 0, 1)
        self.n += np.bincount(np.arange(n) % n_folds, minlength=n_folds)
        self.sums += by_fold.sum(axis=2)
        self.products += by_fold @ by_fold.transpose(0, 2, 1)

    def regressed(self, steps: Sequence[float]) -> list[tuple[float, float]]:
        """The means of the last columns, the scores, regressed on the others: (mean, its standard error).

        The slopes for one fold come from the others, so that the estimate is unbiased and its residuals are honest
        about the uncertainty of the slopes. The residual variance counts one more draw that is off by `step`: what
        was never drawn does not pass for impossible.
        """
        q, n = self.sums.shape[1] - len(steps), self.n.sum()
        combination = np.concatenate([-self._slopes(q), np.tile(np.eye(len(steps)), (len(self.n), 1, 1))], axis=1)
        mean = (self.sums[:, None] @ combination).sum(axis=(0, 1)) / n
        squares = (combination * (self.products @ combination)).sum(axis=(0, 1))
        rest = np.maximum(squares - n * mean**2, 0.0) + np.asarray(steps) ** 2
        return list(zip(mean.tolist(), np.sqrt(rest / (n - 1) / n).tolist(), strict=True))

    def _slopes(self, q: int) -> Floats:
        """Least squares without each fold; controls that vary not at all or only with others get no slope."""
        if len(self.n) == 1:
            return np.zeros((1, q, self.sums.shape[1] - q))
        n, sums, products = (moment.sum(axis=0) - moment for moment in (self.n, self.sums, self.products))
        spread = products - sums[:, :, None] * sums[:, None] / n[:, None, None]
        # Scaled to a correlation matrix and inverted without its null space: controls are often sums of each other.
        variation, size = (np.diagonal(matrix, axis1=1, axis2=2)[:, :q] for matrix in (spread, products))
        scale = np.sqrt(np.where(variation > ROUNDING * size, variation, np.inf))[:, :, None]
        values, vectors = np.linalg.eigh(spread[:, :q, :q] / scale / scale.transpose(0, 2, 1))
        kept = np.where(values > COLLINEAR, 1 / np.maximum(values, COLLINEAR), 0.0)[:, :, None]
        slopes: Floats = vectors @ (kept * (vectors.transpose(0, 2, 1) @ (spread[:, :q, q:] / scale))) / scale
        return slopes


_OVERLAPS: WeakKeyDictionary[FeatureSimilarity, RandomOverlaps] = WeakKeyDictionary()


def _guess(measure: Measure, pairs: SimilarPairs) -> Floats:
    """r + (A_ij + A_ji) / 2 stands in for a score that counts features, also where the draws saw no similar ones."""
    if measure.exact_by not in COUNTS:
        return np.zeros_like(pairs.shared)
    return pairs.shared + (pairs.covered_i + pairs.covered_j) / 2


def _pairs(table: Floats, size_i: int, size_j: int) -> SimilarPairs:
    return SimilarPairs.from_table(table, np.full(len(table), size_i), np.full(len(table), size_j))


def _n_subsets(n: int, sizes: Ints) -> int:
    """How many subsets of n features have one of these sizes, as far as it takes to see that they are too many."""
    total = 0
    for size in sizes.tolist():
        total += comb(n, size)
        if total > MOST_ENUMERATED:
            break
    return total


def _identity(measure: Measure) -> tuple[Any, ...]:
    return measure.score, tuple(measure.params.items())
