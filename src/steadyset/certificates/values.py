"""The values of a measure on many collections at once, by the same scores that the public evaluation uses.

A family that can give whole spaces at a time does so (`Family.values`); other families that are means over pairs are
read from one table of scores; every other measure is evaluated collection by collection.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from steadyset.certificates.likeness import Likeness
from steadyset.certificates.spaces import Space, members
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.evaluate import estimates
from steadyset.measures.masks import Collections
from steadyset.measures.options import Options
from steadyset.measures.record import Measure, get_family
from steadyset.selections import Selections

N_COMPARED = 3
SAME = 1e-10


@dataclass(frozen=True)
class Values:
    """What a measure says of collections; spaces are evaluated once."""

    measure: Measure
    _seen: dict[Space, Floats] = field(default_factory=dict)
    _trusted: dict[tuple[int, int], bool] = field(default_factory=dict)

    def of(self, space: Space) -> Floats:
        """The value of each collection of a space; collections of one orbit share theirs."""
        if space not in self._seen:
            self._seen[space] = self.of_masks(space.masks[space.first], space.n_features, space.like)
        return self._seen[space][space.orbit]

    def of_masks(self, masks: Ints, d: int, like: Likeness | None = None) -> Floats:
        """The values of the rows, all at once where that gives the numbers that a user gets."""
        values = self._at_once(masks, d, like)
        if values is not None and self._is_public(values, masks, d, like):
            return values
        return np.array([self.public(row, d, like) for row in masks])

    def _at_once(self, masks: Ints, d: int, like: Likeness | None) -> Floats | None:
        family = get_family(self.measure)
        try:
            values = family.values(self.measure, Collections(masks, d))
        except (IndexError, TypeError, ValueError):
            return None  # a score of one's own that takes a single collection
        return self._of_table(masks, d, like) if values is None and family.over_pairs else values

    def _is_public(self, values: Floats, masks: Ints, d: int, like: Likeness | None) -> bool:
        """Whether a few of the values are those of the public evaluation; asked once for each shape of collections."""
        shape = (masks.shape[1], d)
        if shape not in self._trusted:
            some = np.unique(np.linspace(0, len(masks) - 1, N_COMPARED).astype(np.int64))
            public = [self.public(masks[at], d, like) for at in some]
            self._trusted[shape] = np.allclose(values[some], public, rtol=0, atol=SAME, equal_nan=True)
        return self._trusted[shape]

    def public(self, row: Ints, d: int, like: Likeness | None = None) -> float:
        """The value that a user gets."""
        return estimates(selections_of(row, d, self.measure), [self.measure], options_of(like))[0].value

    def _of_table(self, masks: Ints, d: int, like: Likeness | None) -> Floats:
        sets, place = np.unique(masks, return_inverse=True)
        place = place.reshape(masks.shape)
        twice = selections_of(np.concatenate([sets, sets]), d, self.measure)  # a set meets itself as another run
        table = get_family(self.measure).pair_scores(twice, self.measure, options_of(like))[: len(sets), len(sets) :]
        i, j = np.triu_indices(masks.shape[1], 1)
        scores = table[place[:, i], place[:, j]]
        if not self.measure.symmetric:
            scores = (scores + table[place[:, j], place[:, i]]) / 2
        return np.asarray(scores.mean(axis=1))


def selections_of(row: Ints, d: int, measure: Measure | None = None) -> Selections:
    """A collection as Selections; where weights are needed, every selected feature weighs the same."""
    selections = Selections.from_sets([members(int(mask), d) for mask in row], n_features=d)
    if measure is not None and "weights" in measure.needs:
        return selections.with_weights([[1.0] * int(k) for k in selections.sizes])
    return selections


def options_of(like: Likeness | None) -> Options:
    return Options(random_state=0, similarity=None if like is None else like.similarity)
