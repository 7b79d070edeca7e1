"""One measure, its values on the collections to try, and the words for what was found.

A family that can give whole spaces at a time does so (`Family.values`); other families that are means over pairs are
read from one table of scores; every other measure is evaluated collection by collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np

from steadyset.certificates.certificate import CounterExample, Verdict
from steadyset.certificates.spaces import (
    Likeness,
    Space,
    exhaustive_spaces,
    limit_spaces,
    members,
    probe_spaces,
    random_spaces,
)
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.evaluate import estimates
from steadyset.measures.options import Options
from steadyset.measures.patterns import Collections, bits
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


TIE = 1e-9  # values this close are the same: small collections have values far apart or equal


@dataclass(frozen=True)
class Evidence:
    """The values of a measure on the spaces of a certificate; `steadiness` is high when the runs agree."""

    measure: Measure
    _verdicts: dict[str, Verdict] = field(default_factory=dict)

    @cached_property
    def values(self) -> Values:
        return Values(self.measure)

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
        return self.sign * self.values.of(space)

    # ---- words -------------------------------------------------------------------------------------------------

    def fails(self, sentence: str, *found: tuple[Space, int]) -> Verdict:
        """The verdict of collections in spaces that break a property; {0}, {1} in the sentence stand for their sets."""
        rows = [(space.masks[at], space.n_features, space.like) for space, at in found]
        return self.fails_on(sentence, [float(self.values.of(space)[at]) for space, at in found], *rows)

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
