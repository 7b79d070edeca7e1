"""Adjusted measures: one pass over the pairs of runs serves them all, and one expectation each pair of sizes.

Given the two sizes, (score - E) / (maximum - E) is linear in the score, so pairs are kept as the sum of their scores
by kind, a kind being a pair of sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.adjusted.components import similar_pairs
from steadyset.measures.adjusted.expectations import RandomOverlaps
from steadyset.measures.chance import NO_ROOM
from steadyset.measures.family import PairTotal
from steadyset.measures.options import MOST_DRAWS, NOT_CORRECTED, Estimate, Options
from steadyset.measures.record import Measure
from steadyset.selections import Selections

Scored = tuple[int, Ints, Ints, Floats]

TELLABLE = 4  # standard errors that a simulated expectation must stay away from the maximum
PILOT_DRAWS = 8000  # over all pairs of sizes; fewer leave rare events out of the standard error


def evaluate(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    chance = _chance(options)
    kinds = [Kinds(selections, measure) for measure in measures]
    for which, i, j, scores in _scored(selections, measures, chance):
        kinds[which].add(i, j, scores)
    _expect([kind for kind in kinds if _corrects(kind.measure, options)], chance, options)
    return [kind.estimate(selections, options) for kind in kinds]


def pair_scores(selections: Selections, measure: Measure, options: Options) -> Floats:
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


def _chance(options: Options) -> RandomOverlaps:
    assert options.similarity is not None
    return RandomOverlaps.of(options.similarity)


def _corrects(measure: Measure, options: Options) -> bool:
    return options.corrects or (measure.corrected and options.expectation == "auto")


def _scored(selections: Selections, measures: Sequence[Measure], chance: RandomOverlaps) -> Iterator[Scored]:
    """(which measure, i, j, scores) for every pair of runs, and in both directions for one-sided measures."""
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
        cell: Ints = a * len(self._sizes) + b
        return cell

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
        if options.mc_error is not None and sum(draws.values()) > MOST_DRAWS:
            raise InputError(
                f"mc_error is {options.mc_error}; that takes about {sum(draws.values()):.1g} draws, "
                f"choose an error that {MOST_DRAWS:.0g} draws can reach."
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
