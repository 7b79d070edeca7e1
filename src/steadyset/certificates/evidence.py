"""One measure, the collections to try it on, and the words for what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from steadyset.certificates.certificate import CounterExample, Verdict
from steadyset.certificates.likeness import Likeness
from steadyset.certificates.spaces import Space, exhaustive_spaces, limit_spaces, members, probe_spaces, random_spaces
from steadyset.certificates.values import Values, selections_of
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.masks import bits
from steadyset.measures.record import Measure

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
