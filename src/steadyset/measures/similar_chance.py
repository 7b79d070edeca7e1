"""What adjusted measures are worth under random selection: E[score] of two independent uniform sets of given sizes.

The expectation depends on the two sizes and the neighbour graph only, so each is computed once and remembered with the
FeatureSimilarity. Which way leads to the exact number is a property of the score (`exact_by` of its record); where
none does, it is simulated and regressed on quantities whose expectations are known exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from steadyset.kernels.hypergeometric import intersection_laws
from steadyset.kernels.overlaps import N_COLUMNS, Graph, all_overlaps, edge_ranks, random_overlaps
from steadyset.measures.options import Options
from steadyset.measures.record import Measure
from steadyset.measures.similar_pairs import SimilarPairs
from steadyset.similarity import FeatureSimilarity

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
CONTROLS = ("shared", "covered_i", "covered_j", "reached_i", "reached_j", "weight_i", "weight_j")
MOST_ENUMERATED = 1 << 18
DRAWS_A_BLOCK = 1 << 14
TERMS_A_CHUNK = 1 << 22
COLLINEAR = 1e-9
CLOSED_FORMS = ("means", "means_given_shared")


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
        self.found: dict[Any, Any] = {}

    @classmethod
    def of(cls, similarity: FeatureSimilarity) -> RandomOverlaps:
        """The one that belongs to the similarity, with all that was computed before."""
        if "overlaps" not in similarity.expectations:
            similarity.expectations["overlaps"] = cls(similarity)
        known: RandomOverlaps = similarity.expectations["overlaps"]
        return known

    def graph(self, uses: frozenset[str]) -> Graph:
        """The neighbour graph, with the order of its edges where the greedy choice is wanted."""
        if "greedy" not in uses:
            return Graph(*self.neighbours, np.empty(0, np.int64))
        if "ranks" not in self.found:
            self.found["ranks"] = edge_ranks(*self.neighbours)
        return Graph(*self.neighbours, self.found["ranks"])

    def seed(self, options: Options) -> int:
        """The seed of all draws; without a random_state it is chosen once, so that what was drawn can be used again."""
        seed: int = self.found.setdefault(("seed", options.random_state), options.seed())
        return seed

    # ---- exact ---------------------------------------------------------------------------------------------------

    def exact(self, measure: Measure, size_i: int, size_j: int, *, closed_form_only: bool = False) -> float | None:
        """E[score] without simulation, or None when that would take too long."""
        if closed_form_only and measure.exact_by not in CLOSED_FORMS:
            return None
        key = ("exact", *_identity(measure), size_i, size_j)
        if key not in self.found:
            self.found[key] = self._exact(measure, size_i, size_j)
        value: float | None = self.found[key]
        return value

    def _exact(self, measure: Measure, size_i: int, size_j: int) -> float | None:
        if measure.exact_by == "means":
            return _score(measure, self.means(size_i, size_j))
        if measure.exact_by == "means_given_shared":
            return self._sum_over_shared(measure, size_i, size_j)
        members = self.similar if measure.exact_by else np.arange(self.d)
        return self._enumerated(measure, members, size_i, size_j)

    def means(self, size_i: int, size_j: int) -> SimilarPairs:
        """The exact expectation of every quantity that has a closed form; the others are nan.

        A feature x of s_i \\ s_j with n neighbours has t of them in s_j by the hypergeometric law of d - 1, n and k_j.
        One of these is outside s_i with probability 1 - prod_{u=1..t} (k_i - u) / (d - u). A pair x != y is in
        s_i x (s_j \\ s_i) with probability k_i E[k_j - r] / (d (d - 1)).
        """
        d = self.d
        values = np.full(N_COLUMNS, np.nan)
        pairs = SimilarPairs.from_table(values[None], np.array([size_i]), np.array([size_j]))
        pairs.shared[:] = size_i * size_j / d
        pairs.covered_i[:], pairs.reached_i[:] = self._covered_and_reached(size_i, size_j)
        pairs.covered_j[:], pairs.reached_j[:] = self._covered_and_reached(size_j, size_i)
        per_pair = self.total * size_i * size_j / max(1, d * d * (d - 1))
        pairs.weight_i[:], pairs.weight_j[:] = per_pair * (d - size_i), per_pair * (d - size_j)
        return pairs

    def _covered_and_reached(self, size_i: int, size_j: int) -> tuple[float, float]:
        """E[A_ij] and E[O_ij]."""
        d = self.d
        if size_j == d or len(self.degrees) == 0:
            return 0.0, 0.0
        law = self._neighbours_chosen(size_j)
        u = np.arange(1, len(law))
        all_shared = np.cumprod(np.maximum(size_i - u, 0) / (d - u))
        alone = size_i / d * (1 - size_j / d)
        return float(alone * (law[1:] @ (1 - all_shared))), float(alone * law[1:].sum())

    def _neighbours_chosen(self, size_j: int) -> FloatArray:
        """law[t]: sum over features x with neighbours of P(t neighbours of x are in s_j | x is not)."""
        key = ("neighbours chosen", size_j)
        if key not in self.found:
            law = np.zeros(min(int(self.degrees[-1]), size_j) + 1)
            step = max(1, TERMS_A_CHUNK // len(law))
            for begin in range(0, len(self.degrees), step):
                n, n_with = self.degrees[begin : begin + step], self.n_with[begin : begin + step]
                start, t, probability = intersection_laws(n, np.full(len(n), size_j), self.d - 1)
                law += np.bincount(t, probability * np.repeat(n_with, np.diff(start)), minlength=len(law))
            self.found[key] = law
        known: FloatArray = self.found[key]
        return known

    def _sum_over_shared(self, measure: Measure, size_i: int, size_j: int) -> float:
        """E[score] of a score that is linear in the weights once r is known: sum over r of P(r) score(E[. | r])."""
        _, shared, probability = intersection_laws(np.array([size_i]), np.array([size_j]), self.d)
        table = np.full((len(shared), N_COLUMNS), np.nan)
        pairs = SimilarPairs.from_table(table, np.full(len(shared), size_i), np.full(len(shared), size_j))
        pairs.shared[:] = shared
        per_pair = self.total / max(1, self.d * (self.d - 1))
        pairs.weight_i[:] = per_pair * size_i * (size_j - shared)
        pairs.weight_j[:] = per_pair * size_j * (size_i - shared)
        return float(measure.score(pairs, **measure.params) @ probability)

    def _enumerated(self, measure: Measure, members: IntArray, size_i: int, size_j: int) -> float | None:
        """E[score] when what the score adds to r depends on the choice among `members` only: all their subsets."""
        n = len(members)
        laws = [intersection_laws(np.array([n]), np.array([size]), self.d)[1:] for size in (size_i, size_j)]
        n_subsets = [sum(comb(n, int(a)) for a in chosen) for chosen, _ in laws]
        if n_subsets[0] * n_subsets[1] > MOST_ENUMERATED:
            return None
        (chosen_i, p_i), (chosen_j, p_j) = laws
        added = np.array([[self._mean_added(measure, members, int(a), int(b)) for b in chosen_j] for a in chosen_i])
        return float(p_i @ added @ p_j) + size_i * size_j / self.d

    def _mean_added(self, measure: Measure, members: IntArray, size_i: int, size_j: int) -> float:
        """The mean of score - r over all pairs of subsets of `members` with these sizes."""
        key = ("added", *_identity(measure), len(members), size_i, size_j)
        if key not in self.found:
            uses = frozenset(measure.uses)
            table = all_overlaps(members, size_i, size_j, self.graph(uses), "greedy" in uses, "matched" in uses)
            pairs = _pairs(table, size_i, size_j)
            self.found[key] = float(np.mean(measure.score(pairs, **measure.params) - pairs.shared))
        value: float = self.found[key]
        return value

    # ---- simulated -----------------------------------------------------------------------------------------------

    def simulated(
        self, measures: Sequence[Measure], size_i: int, size_j: int, n_draws: int, seed: int
    ) -> list[Expected]:
        """E[score] of each measure by simulation, all from the same draws, regressed on the known expectations."""
        names = [("simulated", *_identity(measure), size_i, size_j, n_draws, seed) for measure in measures]
        missing = [k for k, name in enumerate(names) if name not in self.found]
        if missing:
            estimates = self._simulate([measures[k] for k in missing], size_i, size_j, n_draws, seed)
            self.found.update({names[k]: estimate for k, estimate in zip(missing, estimates, strict=True)})
        return [self.found[name] for name in names]

    def _simulate(
        self, measures: Sequence[Measure], size_i: int, size_j: int, n_draws: int, seed: int
    ) -> list[Expected]:
        uses = frozenset[str]().union(*(measure.uses for measure in measures))
        graph = self.graph(uses)
        own_seed = int(np.random.SeedSequence([seed, size_i, size_j]).generate_state(1, np.uint64)[0] >> np.uint64(1))
        means = self.means(size_i, size_j)
        known = np.concatenate([getattr(means, name) for name in CONTROLS])
        moments = Moments(len(CONTROLS), len(measures))
        for first in range(0, n_draws, DRAWS_A_BLOCK):
            n = min(DRAWS_A_BLOCK, n_draws - first)
            table = random_overlaps(size_i, size_j, graph, first, n, own_seed, "greedy" in uses, "matched" in uses)
            pairs = _pairs(table, size_i, size_j)
            controls = np.stack([getattr(pairs, name) for name in CONTROLS])
            scores = np.stack([measure.score(pairs, **measure.params) - _guess(measure, pairs) for measure in measures])
            moments.add(controls - known[:, None], scores)
        steps = [0.5 if measure.exact_by else 0.0 for measure in measures]
        return [
            Expected(float(_guess(measure, means).sum()) + at, error)
            for measure, (at, error) in zip(measures, moments.at_known(steps), strict=True)
        ]


class Moments:
    """Sums and products of simulated controls (as deviations from their known means) and scores, block by block."""

    def __init__(self, n_controls: int, n_scores: int) -> None:
        self.q, self.n = n_controls, 0
        self.sums = np.zeros(n_controls + n_scores)
        self.products = np.zeros((n_controls + n_scores, n_controls + n_scores))

    def add(self, controls: FloatArray, scores: FloatArray) -> None:
        values = np.concatenate([controls, scores])
        self.n += values.shape[1]
        self.sums += values.sum(axis=1)
        self.products += values @ values.T

    def at_known(self, steps: Sequence[float]) -> list[tuple[float, float]]:
        """For each score the regression's value at the known means of the controls, and its standard error.

        The residual variance counts one more draw that is off by `step`, so that what was never drawn in n draws does
        not pass for impossible.
        """
        q, n = self.q, self.n
        mean = self.sums / n
        spread = self.products - np.outer(mean, self.sums)
        scale = np.sqrt(np.maximum(np.diag(spread)[:q], 0.0))
        scale[scale <= COLLINEAR * np.sqrt(np.maximum(np.diag(self.products)[:q], 1e-300))] = np.inf
        values, vectors = np.linalg.eigh(spread[:q, :q] / np.outer(scale, scale))
        kept = values > COLLINEAR
        vectors = vectors[:, kept] / scale[:, None]
        offset = mean[:q] @ vectors
        leverage = 1 / n + float(np.sum(offset**2 / values[kept]))
        free = max(1, n - 1 - int(kept.sum()))
        results = []
        for k, step in enumerate(steps, start=q):
            slope = (spread[k, :q] @ vectors) / values[kept]
            rest = max(0.0, float(spread[k, k] - np.sum(slope**2 * values[kept])))
            results.append((float(mean[k] - offset @ slope), float(np.sqrt((rest + step**2) / free * leverage))))
        return results


def _guess(measure: Measure, pairs: SimilarPairs) -> FloatArray:
    """r + (A_ij + A_ji) / 2 stands in for a score that counts features, also where the draws saw no similar ones."""
    if not measure.exact_by:
        return np.zeros_like(pairs.shared)
    return pairs.shared + (pairs.covered_i + pairs.covered_j) / 2


def _pairs(table: FloatArray, size_i: int, size_j: int) -> SimilarPairs:
    return SimilarPairs.from_table(table, np.full(len(table), size_i), np.full(len(table), size_j))


def _score(measure: Measure, pairs: SimilarPairs) -> float:
    return float(np.asarray(measure.score(pairs, **measure.params)).item())


def _identity(measure: Measure) -> tuple[Any, ...]:
    return measure.score, tuple(measure.params.items())
