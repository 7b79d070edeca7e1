"""Small similarities of features that tell adjusted measures apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.similarity import FeatureSimilarity


@dataclass(frozen=True)
class Likeness:
    """A similarity of d features by its pairs (f, g, c); all other features are unlike."""

    n_features: int
    pairs: tuple[tuple[int, int, float], ...]

    @classmethod
    def all_alike(cls, d: int) -> Likeness:
        return cls(d, _complete(range(d), 1.0))

    @classmethod
    def all_but_one_alike(cls, d: int) -> Likeness:
        return cls(d, _complete(range(d - 1), 1.0))

    @cached_property
    def matrix(self) -> Floats:
        C = np.eye(self.n_features)
        for f, g, c in self.pairs:
            C[f, g] = C[g, f] = c
        return C

    @cached_property
    def similarity(self) -> FeatureSimilarity:
        return FeatureSimilarity.from_matrix(self.matrix)

    def reordered(self, order: Ints) -> Likeness:
        """The same similarity when feature f is called order[f]."""
        ends = [(int(order[f]), int(order[g]), c) for f, g, c in self.pairs]
        return Likeness(self.n_features, tuple(sorted((min(f, g), max(f, g), c) for f, g, c in ends)))

    def __str__(self) -> str:
        if not self.pairs:
            return "no two features alike"
        return "similar features " + ", ".join(f"{f}~{g} ({c:g})" for f, g, c in self.pairs)


def likenesses(d: int) -> list[Likeness]:
    """No likeness, one exact pair, a block, a path of equal edges, a graded path, two pairs, all but one alike."""
    path = tuple((f, f + 1, 0.95) for f in range(d - 1))
    graded = tuple((f, f + 1, 0.92 + 0.02 * f) for f in range(d - 1))
    found = [
        Likeness(d, ()),
        Likeness(d, ((0, 1, 1.0),)),
        Likeness(d, path),
        Likeness(d, graded),
        Likeness.all_but_one_alike(d),
    ]
    if d >= 4:
        found += [Likeness(d, ((0, 1, 1.0), (2, 3, 1.0))), Likeness(d, _complete(range(3), 0.95))]
    return [like for i, like in enumerate(found) if like not in found[:i] and like != Likeness.all_alike(d)]


def _complete(features: range, c: float) -> tuple[tuple[int, int, float], ...]:
    return tuple((f, g, c) for f in features for g in features if f < g)
