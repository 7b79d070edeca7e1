"""One measure, its values on the collections of sets to try, and the words for what was found.

The collections are every small one up to symmetry, larger ones at random, and extremes. A set is a whole number whose
bit f says whether feature f is selected; a collection is a row of M such numbers. A `Likeness` says which features are
similar.

A family that can give whole spaces at a time does so (`Family.values`); other families that are means over pairs are
read from one table of scores; every other measure is evaluated collection by collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, permutations, product
from math import factorial, prod

import numpy as np

from steadyset.certificates.certificate import CounterExample, Verdict
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.evaluate import Options, estimates
from steadyset.measures.frequency import Collections, bits, n_members
from steadyset.measures.record import Measure, get_family
from steadyset.selections import Selections
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
class Space(Collections):
    """Collections of one number of runs out of one number of features, each with its larger sets first.

    Collections that differ by the order of runs only are one orbit; `first` gives one of each orbit and `orbit` leads
    from a collection to its orbit. `n_alike` counts the collections that differ from this one by the order of features
    only. `complete`: nothing is left out.
    """

    orbit: Ints
    first: Ints
    n_alike: Floats
    complete: bool
    like: Likeness | None = None

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
        tuple(_space(d, np.array(rows), complete=False, like=like(d)) for rows in _extremes(d))
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
    return Space(z @ (1 << np.arange(d)), d, orbit, first, n_alike, complete=True)


def _arrangements(columns: Ints) -> float:
    alike = prod(factorial(int(n)) for n in np.unique(columns, return_counts=True)[1])
    return factorial(len(columns)) / alike


def _labelled(M: int, d: int, like: Likeness, smallest: int = 1) -> Space:
    """Collections of labelled features, because similarities tell features apart."""
    sets = [s for s in range(2**d) if smallest <= s.bit_count() <= d - smallest]
    rows = np.array(list(product(sorted(sets, key=lambda s: (-s.bit_count(), s)), repeat=M)), dtype=np.int64)
    return _space(d, rows[(np.diff(n_members(rows)) <= 0).all(axis=1)], complete=True, like=like)


def _space(d: int, masks: Ints, *, complete: bool, like: Likeness | None = None) -> Space:
    _, first, orbit = np.unique(np.sort(masks, axis=1), axis=0, return_index=True, return_inverse=True)
    return Space(masks, d, orbit.ravel(), first, np.ones(len(masks)), complete, like)


def _random(generator: np.random.Generator, M: int, d: int) -> Space:
    sizes = -np.sort(-generator.integers(1, d, size=M))
    if generator.random() < 0.5:
        sizes[:] = max(1, int(sizes.mean()))
    taste = generator.random((N_RANDOM, 1, d)) * generator.choice([0.0, 0.7, 2.0], size=(N_RANDOM, 1, 1))
    rank = np.argsort(np.argsort(-(taste + generator.random((N_RANDOM, M, d))), axis=2), axis=2)
    z = (rank < sizes[None, :, None]).astype(np.int64)
    return _space(d, z @ (1 << np.arange(d, dtype=np.int64)), complete=False)


def _extremes(d: int) -> Iterator[list[tuple[int, ...]]]:
    """Two runs: nested sets, and sets from the two ends, which overlap as little as they can; then four and d runs."""
    first = {
        k: (1 << k) - 1 for k in sorted({1, 2, d // 2, d - 2, d - 1}, reverse=True)
    }  # sets of the first k features
    sizes = combinations_with_replacement(first, 2)
    two = [(first[a], other) for a, b in sizes for other in (first[b], first[b] << d - b)]
    yield [*two]
    # Two camps of two runs, and four runs that agree.
    yield [four for a, b in two for four in ((a, a, b, b), (a, a, a, a))]
    # As many runs as features: each its own feature, or all the same one.
    yield [tuple(1 << f for f in range(d)), (1,) * d]


N_COMPARED = 3
SAME = 1e-10


TIE = 1e-9  # values this close are the same: small collections have values far apart or equal


@dataclass(frozen=True)
class Evidence:
    """What a measure says of the collections of a certificate; spaces are evaluated once, and checks made once.

    `steadiness` is high when the runs agree.
    """

    measure: Measure
    _seen: dict[Space, Floats] = field(default_factory=dict)
    _trusted: dict[tuple[int, int], bool] = field(default_factory=dict)
    _verdicts: dict[str, Verdict] = field(default_factory=dict)

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

    def decide(self, check: Callable[[Evidence], Verdict]) -> Verdict:
        """The verdict of a check, which other properties may have asked for before."""
        if check.__name__ not in self._verdicts:
            self._verdicts[check.__name__] = check(self)
        return self._verdicts[check.__name__]

    @property
    def with_likeness(self) -> bool:
        return "similarity" in self.measure.needs

    @property
    def exhaustive(self) -> tuple[Space, ...]:
        return exhaustive_spaces(self.with_likeness)

    @property
    def limits(self) -> tuple[Space, ...]:
        return limit_spaces(self.with_likeness)

    @property
    def random(self) -> tuple[Space, ...]:
        return () if self.with_likeness else random_spaces()

    @property
    def probes(self) -> tuple[tuple[Space, ...], ...]:
        return probe_spaces(self.with_likeness)

    @property
    def sign(self) -> int:
        return 1 if self.measure.higher_is_steadier else -1

    def steadiness(self, space: Space) -> Floats:
        return self.sign * self.of(space)

    # ---- words -------------------------------------------------------------------------------------------------

    def fails(self, sentence: str, *found: tuple[Space, int]) -> Verdict:
        """The verdict of collections in spaces that break a property; {0}, {1} in the sentence stand for their sets."""
        rows = [(space.masks[at], space.n_features, space.like) for space, at in found]
        return self.fails_on(sentence, [float(self.of(space)[at]) for space, at in found], *rows)

    def fails_on(self, sentence: str, values: list[float], *rows: tuple[Ints, int, Likeness | None]) -> Verdict:
        text = sentence.format(*(sets_in_words(row, d) for row, d, _ in rows), v=[number(v) for v in values])
        likes = dict.fromkeys(str(like) for _, d, like in rows if like is not None and like.pairs and d == rows[0][1])
        if likes:
            text = f"{text.removesuffix('.')}; {', and then '.join(likes)}."
        return Verdict(
            False,
            CounterExample(
                tuple(selections_of(row, d, self.measure) for row, d, _ in rows),
                tuple(values),
                text,
                tuple(like.similarity for _, _, like in rows if like is not None),
            ),
        )


def selections_of(row: Ints, d: int, measure: Measure | None = None) -> Selections:
    """A collection as Selections; where weights are needed, every selected feature weighs the same."""
    selections = Selections.from_sets([members(int(mask), d) for mask in row], n_features=d)
    if measure is not None and "weights" in measure.needs:
        return selections.with_weights([[1.0] * int(k) for k in selections.sizes])
    return selections


def options_of(like: Likeness | None) -> Options:
    return Options(random_state=0, similarity=None if like is None else like.similarity)


def nothing_found(*spaces: Space, more: str = "") -> Verdict:
    """No counter-example, and how many collections say so."""
    complete = [space for space in spaces if space.complete]
    at_random = [space for space in spaces if not space.complete]
    n = sum(len(space.first) for space in spaces)
    parts = [_shapes(complete)] if complete else []
    if at_random:
        runs, features = max(s.n_runs for s in at_random), max(s.n_features for s in at_random)
        drawn = sum(len(s.first) for s in at_random)
        parts.append(f"{drawn:,} larger ones of up to {runs} runs and {features} features")
    return Verdict(True, None, f"no counter-example in {n:,} collections: {'; '.join(parts)}{more}")


def sets_in_words(row: Ints, d: int) -> str:
    sets = ["{" + ",".join(map(str, members(int(mask), d))) + "}" for mask in row]
    return f"{' '.join(sets)} (d={d})"


def number(value: float) -> str:
    return f"{value + 0.0:.4g}" if abs(value) > TIE else "0"


def masks_of(table: Ints) -> Ints:
    return table @ (1 << np.arange(table.shape[1], dtype=np.int64))


def table_of(space: Space, at: int) -> Ints:
    return bits(space.masks[at], space.n_features)


def _shapes(spaces: list[Space]) -> str:
    by_runs: dict[int, list[int]] = {}
    for space in spaces:
        by_runs.setdefault(space.n_runs, []).append(space.n_features)
    told = ", ".join(f"{M} runs of {min(d)} to {max(d)} features" for M, d in sorted(by_runs.items()))
    n_likes = len({space.like.pairs for space in spaces if space.like is not None})
    if n_likes:
        return f"all of {told}, under {n_likes} similarities"
    return f"all of {told}, up to the order of runs and features"


Case = tuple[Ints, ...]


def shrink(case: Case, breaks: Callable[[Case], bool]) -> Case:
    """The case (0/1 tables of one shape) after every step that leaves something out and still breaks the property."""
    smaller: Case | None = case
    while smaller is not None:
        case = smaller
        smaller = next((step for step in _steps(case) if _is_proper(step) and breaks(step)), None)
    return tuple(_tidy(table) for table in case)


def _steps(case: Case) -> Iterator[Case]:
    """Without one run; without one feature; without one member. Tables may differ in which feature they lose."""
    M, d = case[0].shape
    if M > 2:
        for i in range(M):
            yield tuple(np.delete(table, i, axis=0) for table in case)
    for features in product(range(d), repeat=len(case)):
        yield tuple(np.delete(table, f, axis=1) for table, f in zip(case, features, strict=True))
    for i in range(M):
        for features in product(*(np.flatnonzero(table[i]).tolist() for table in case)):
            yield tuple(_without(table, i, f) for table, f in zip(case, features, strict=True))


def _without(table: Ints, i: int, f: int) -> Ints:
    changed = table.copy()
    changed[i, f] = 0
    return changed


def _is_proper(case: Case) -> bool:
    return all(0 < k < table.shape[1] for table in case for k in table.sum(axis=1))


def _tidy(table: Ints) -> Ints:
    """Features in the order of who selects them, so that the sets read from the left."""
    return table[:, np.lexsort(1 - table[::-1])]
