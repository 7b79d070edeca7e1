"""The collections of sets that a certificate looks at: every small one up to symmetry, larger ones at random, extremes.

A set is a whole number whose bit f says whether feature f is selected; a collection is a row of M such numbers. A
`Likeness` says which features are similar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, permutations, product
from math import factorial

import numpy as np

from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.patterns import n_members, pairwise_shared
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


# (runs, features), smallest tables first. Three runs of eight features hold the smallest collections in which larger
# intersections of every pair go with a smaller sum of h log h.
LADDER = tuple(
    sorted(
        [(2, d) for d in range(2, 9)] + [(3, d) for d in range(2, 9)] + [(4, d) for d in range(2, 6)],
        key=lambda shape: (shape[0] * shape[1], shape),
    )
)
LIKE_LADDER = ((2, 3), (2, 4), (3, 3), (2, 5), (3, 4))
RANDOM_SHAPES = ((3, 12), (4, 9), (5, 10), (8, 20))
PROBE_FEATURES = (4, 8, 16, 32)
LIKE_PROBE_FEATURES = (4, 8, 16)
N_RANDOM = 200
SEED = 20201115


@dataclass(frozen=True, eq=False)
class Space:
    """Collections of one number of runs out of one number of features, each with its larger sets first.

    Collections that differ by the order of runs only are one orbit; `first` gives one of each orbit and `orbit` leads
    from a collection to its orbit. `n_alike` counts the collections that differ from this one by the order of features
    only. `complete`: nothing is left out.
    """

    n_runs: int
    n_features: int
    masks: Ints
    orbit: Ints
    first: Ints
    n_alike: Floats
    complete: bool
    like: Likeness | None = None

    @cached_property
    def sizes(self) -> Ints:
        return n_members(self.masks)

    @cached_property
    def shared(self) -> Ints:
        """r_ij of the pairs i<j, one row per collection."""
        return pairwise_shared(self.masks)

    @cached_property
    def same_sizes(self) -> list[Ints]:
        """The places of the collections of each vector of sizes."""
        _, group = np.unique(self.sizes, axis=0, return_inverse=True)
        order = np.argsort(group.ravel(), kind="stable")
        return np.split(order, np.flatnonzero(np.diff(group.ravel()[order])) + 1)

    @cached_property
    def identical(self) -> Bools:
        return np.asarray((self.masks == self.masks[:, :1]).all(axis=1))


@lru_cache(maxsize=4)
def exhaustive_spaces(with_likeness: bool = False) -> tuple[Space, ...]:
    """Every collection of sets that are neither empty nor full, for the shapes of the ladder."""
    if not with_likeness:
        return tuple(_up_to_features(M, d) for M, d in LADDER)
    return tuple(_labelled(M, d, like) for M, d in LIKE_LADDER for like in likenesses(d))


@lru_cache(maxsize=4)
def limit_spaces(with_likeness: bool = False) -> tuple[Space, ...]:
    """Every small collection, empty and full sets included; with similarities also the one of features all alike."""
    shapes = [(2, d) for d in (2, 3)] + [(3, 2)]
    if not with_likeness:
        return tuple(_up_to_features(M, d, smallest=0) for M, d in shapes)
    return tuple(
        _labelled(M, d, like, smallest=0) for M, d in shapes for like in [*likenesses(d), Likeness.all_alike(d)]
    )


@lru_cache(maxsize=1)
def random_spaces() -> tuple[Space, ...]:
    """Larger collections at random: two drawn vectors of sizes a shape, with a core that many runs share."""
    generator = np.random.default_rng(SEED)
    return tuple(_random(generator, M, d) for M, d in RANDOM_SHAPES for _ in range(2))


@lru_cache(maxsize=2)
def probe_spaces(with_likeness: bool = False) -> tuple[tuple[Space, ...], ...]:
    """Extreme collections for doubling numbers of features; values that never stop growing have no bound."""
    like = Likeness.all_but_one_alike if with_likeness else lambda _: None
    return tuple(
        tuple(
            _space(d, np.array(rows), complete=False, like=like(d))
            for rows in (list(_two_runs(d)), list(_four_runs(d)), list(_many_runs(d)))
        )
        for d in (LIKE_PROBE_FEATURES if with_likeness else PROBE_FEATURES)
    )


def members(mask: int, d: int) -> tuple[int, ...]:
    """The features of a set, ascending."""
    return tuple(f for f in range(d) if mask >> f & 1)


def _up_to_features(M: int, d: int, smallest: int = 1) -> Space:
    """Collections as multisets of columns: the order of features is gone by construction."""
    columns = np.array(list(combinations_with_replacement(range(2**M), d)), dtype=np.int64)[:, ::-1]
    z = columns[:, None, :] >> np.arange(M - 1, -1, -1)[:, None] & 1  # sets that read from the left
    sizes = z.sum(axis=2)
    keep = (sizes >= smallest).all(axis=1) & (sizes <= d - smallest).all(axis=1) & (np.diff(sizes) <= 0).all(axis=1)
    columns, z = columns[keep], z[keep]
    place = (2**M) ** np.arange(d, dtype=np.int64)
    codes = []
    for order in permutations(range(M)):
        renamed = sum((np.arange(2**M) >> i & 1) << order[i] for i in range(M))
        codes.append(np.sort(np.asarray(renamed)[columns], axis=1) @ place)
    _, first, orbit = np.unique(np.min(codes, axis=0), return_index=True, return_inverse=True)
    n_alike = np.array([_arrangements(row) for row in columns])
    return Space(M, d, z @ (1 << np.arange(d)), orbit, first, n_alike, complete=True)


def _arrangements(columns: Ints) -> float:
    alike = 1
    for n in np.unique(columns, return_counts=True)[1]:
        alike *= factorial(int(n))
    return factorial(len(columns)) / alike


def _labelled(M: int, d: int, like: Likeness, smallest: int = 1) -> Space:
    """Collections of labelled features, because similarities tell features apart."""
    sets = [s for s in range(2**d) if smallest <= s.bit_count() <= d - smallest]
    rows = np.array(list(product(sorted(sets, key=lambda s: (-s.bit_count(), s)), repeat=M)), dtype=np.int64)
    return _space(d, rows[(np.diff(n_members(rows)) <= 0).all(axis=1)], complete=True, like=like)


def _space(d: int, masks: Ints, *, complete: bool, like: Likeness | None = None) -> Space:
    _, first, orbit = np.unique(np.sort(masks, axis=1), axis=0, return_index=True, return_inverse=True)
    return Space(masks.shape[1], d, masks, orbit.ravel(), first, np.ones(len(masks)), complete, like)


def _random(generator: np.random.Generator, M: int, d: int) -> Space:
    sizes = -np.sort(-generator.integers(1, d, size=M))
    if generator.random() < 0.5:
        sizes[:] = max(1, int(sizes.mean()))
    taste = generator.random((N_RANDOM, 1, d)) * generator.choice([0.0, 0.7, 2.0], size=(N_RANDOM, 1, 1))
    rank = np.argsort(np.argsort(-(taste + generator.random((N_RANDOM, M, d))), axis=2), axis=2)
    z = (rank < sizes[None, :, None]).astype(np.int64)
    return _space(d, z @ (1 << np.arange(d, dtype=np.int64)), complete=False)


def _two_runs(d: int) -> Iterator[tuple[int, int]]:
    """Nested sets, and sets from the two ends, which overlap as little as they can."""
    sizes = sorted({1, 2, d // 2, d - 2, d - 1}, reverse=True)
    for a, b in combinations_with_replacement(sizes, 2):
        yield _head(a), _head(b)
        yield _head(a), _tail(b, d)


def _four_runs(d: int) -> Iterator[tuple[int, int, int, int]]:
    """Two camps of two runs, and four runs that agree."""
    for a, b in _two_runs(d):
        yield a, a, b, b
        yield a, a, a, a


def _many_runs(d: int) -> Iterator[tuple[int, ...]]:
    """As many runs as features: each its own feature, or all the same one."""
    yield tuple(1 << f for f in range(d))
    yield (1,) * d


def _head(k: int) -> int:
    return (1 << k) - 1


def _tail(k: int, d: int) -> int:
    return _head(k) << d - k
