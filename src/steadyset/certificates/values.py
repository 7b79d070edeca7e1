"""The values of a measure on many collections at once, by the same scores that the public evaluation uses.

The scores of pairwise, frequency and patterns measures are called directly, whole spaces at a time; other families that
are means over pairs are read from one table of scores; every other measure is evaluated collection by collection.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from steadyset.certificates.likeness import Likeness
from steadyset.certificates.spaces import FloatArray, IntArray, Space, bits, members, n_members, pairwise_shared
from steadyset.measures.evaluate import estimates
from steadyset.measures.evaluators import PAIR_SCORES
from steadyset.measures.options import Options
from steadyset.measures.record import Measure
from steadyset.selections import Selections

N_COMPARED = 3
SAME = 1e-10


@dataclass(frozen=True)
class Values:
    """What a measure says of collections; spaces are evaluated once."""

    measure: Measure
    _seen: dict[Space, FloatArray] = field(default_factory=dict)
    _trusted: dict[tuple[int, int], bool] = field(default_factory=dict)

    def of(self, space: Space) -> FloatArray:
        """The value of each collection of a space; collections of one orbit share theirs."""
        if space not in self._seen:
            self._seen[space] = self.of_masks(space.masks[space.first], space.n_features, space.like)
        return self._seen[space][space.orbit]

    def of_masks(self, masks: IntArray, d: int, like: Likeness | None = None) -> FloatArray:
        """The values of the rows, all at once where that gives the numbers that a user gets."""
        values = self._at_once(masks, d, like)
        if values is not None and self._is_public(values, masks, d, like):
            return values
        return np.array([self.public(row, d, like) for row in masks])

    def _at_once(self, masks: IntArray, d: int, like: Likeness | None) -> FloatArray | None:
        family: str = self.measure.family
        try:
            if family == "pairwise":
                return self._of_pairs(masks, d)
            if family == "frequency":
                return self._of_frequencies(masks, d)
            if family == "patterns":
                return self._of_patterns(masks, d)
        except (IndexError, TypeError, ValueError):
            return None  # a score of one's own that takes a single collection
        return self._of_table(masks, d, like) if family in PAIR_SCORES else None

    def _is_public(self, values: FloatArray, masks: IntArray, d: int, like: Likeness | None) -> bool:
        """Whether a few of the values are those of the public evaluation; asked once for each shape of collections."""
        shape = (masks.shape[1], d)
        if shape not in self._trusted:
            some = np.unique(np.linspace(0, len(masks) - 1, N_COMPARED).astype(np.int64))
            public = [self.public(masks[at], d, like) for at in some]
            self._trusted[shape] = np.allclose(values[some], public, rtol=0, atol=SAME, equal_nan=True)
        return self._trusted[shape]

    def public(self, row: IntArray, d: int, like: Likeness | None = None) -> float:
        """The value that a user gets."""
        return estimates(selections_of(row, d, self.measure), [self.measure], options_of(like))[0].value

    def _of_pairs(self, masks: IntArray, d: int) -> FloatArray:
        i, j = np.triu_indices(masks.shape[1], 1)
        shared, sizes = pairwise_shared(masks), n_members(masks)
        small, large = np.minimum(sizes[:, i], sizes[:, j]), np.maximum(sizes[:, i], sizes[:, j])
        scores = self._scores(shared, small, large, d)
        if not self.measure.symmetric:
            scores = (scores + self._scores(shared, large, small, d)) / 2
        return np.asarray(scores.mean(axis=1))

    def _scores(self, shared: IntArray, ki: IntArray, kj: IntArray, d: int) -> FloatArray:
        scores = self.measure.score(shared.ravel(), ki.ravel(), kj.ravel(), d, **self.measure.params)
        return np.asarray(scores, dtype=np.float64).reshape(shared.shape)

    def _of_frequencies(self, masks: IntArray, d: int) -> FloatArray:
        n, M = masks.shape
        counts = bits(masks, d).sum(axis=1)
        levels = np.bincount((counts + np.arange(n)[:, None] * (M + 1)).ravel(), minlength=n * (M + 1)).reshape(n, -1)
        sizes, group = np.unique(n_members(masks), axis=0, return_inverse=True)
        values = np.empty(n)
        for g, row in enumerate(sizes):
            chosen = group.ravel() == g
            values[chosen] = self.measure.score(levels[chosen], row, d, **self.measure.params)
        return values

    def _of_patterns(self, masks: IntArray, d: int) -> FloatArray:
        seen: dict[tuple[bytes, bytes], float] = {}
        keys = []
        for row, sizes in zip(masks, n_members(masks), strict=True):
            multiplicities = np.sort(np.unique(row, return_counts=True)[1])
            keys.append((multiplicities.tobytes(), sizes.tobytes()))
            if keys[-1] not in seen:
                seen[keys[-1]] = float(self.measure.score(multiplicities, sizes, d, **self.measure.params))
        return np.array([seen[key] for key in keys])

    def _of_table(self, masks: IntArray, d: int, like: Likeness | None) -> FloatArray:
        sets, place = np.unique(masks, return_inverse=True)
        place = place.reshape(masks.shape)
        twice = selections_of(np.concatenate([sets, sets]), d, self.measure)  # a set meets itself as another run
        table = PAIR_SCORES[self.measure.family](twice, self.measure, options_of(like))[: len(sets), len(sets) :]
        i, j = np.triu_indices(masks.shape[1], 1)
        scores = table[place[:, i], place[:, j]]
        if not self.measure.symmetric:
            scores = (scores + table[place[:, j], place[:, i]]) / 2
        return np.asarray(scores.mean(axis=1))


def selections_of(row: IntArray, d: int, measure: Measure | None = None) -> Selections:
    """A collection as Selections; where weights are needed, every selected feature weighs the same."""
    selections = Selections.from_sets([members(int(mask), d) for mask in row], n_features=d)
    if measure is not None and "weights" in measure.needs:
        return selections.with_weights([[1.0] * int(k) for k in selections.sizes])
    return selections


def options_of(like: Likeness | None) -> Options:
    return Options(random_state=0, similarity=None if like is None else like.similarity)
