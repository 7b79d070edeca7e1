"""Elastic-net models of the same resamples at many penalties or sizes: one path serves them all.

What the solver holds of a resample after each level is kept, and the next model that comes by that level starts from
there. Every model has gone down the same levels as if it were alone, so it is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.path_batches import NO_STOP, Batches, Found, Solving

# What may be kept of the levels; those behind are solved again for each model.
MAX_BYTES = 100_000_000

Way = tuple[float, ...]


@dataclass(frozen=True)
class _Level:
    """One model as the solver writes it down, and what it held there; no state where there was no room for it."""

    numbers: Floats
    found: Ints
    values: Floats
    state: dict[str, Any] | None


class SharedPaths(Solving):
    """A batch that holds all resamples; `levels` gives those of the path of each, which are kept."""

    def __init__(self, batches: Batches, levels: Callable[[Solving], Sequence[Floats]]) -> None:
        super().__init__(batches, range(batches.n_runs))
        self._stops = [set((own / unit).tolist()) for own, unit in zip(levels(self), self._solved_units, strict=True)]
        self._beginnings = [state.kept() for state in self._states]
        self._known: dict[tuple[int, Way], _Level] = {}
        self._bytes = 0
        # Which levels the solver has gone down in each resample (None: it was interrupted), and which it should have.
        self._held: list[Way | None] = [()] * len(self.runs)
        self._wanted: list[Way] = [()] * len(self.runs)

    @staticmethod
    def can_hold(batches: Batches) -> bool:
        """Whether one batch holds all resamples."""
        return batches.n_runs <= batches.at_once

    def start_again(self) -> None:
        """The next level is the first of a path."""
        self._wanted = [()] * len(self.runs)

    def _down(self, places: Sequence[int], penalties: Sequence[Floats], stop_size: int) -> list[Found]:
        """Level by level, because any of them may be kept already."""
        levels: dict[int, list[_Level]] = {place: [] for place in places}
        left = dict(zip(places, (own.tolist() for own in penalties), strict=True))
        while left:
            steps = [(place, (*self._wanted[place], own.pop(0))) for place, own in left.items()]
            for (place, way), level in zip(steps, self._solved(steps), strict=True):
                levels[place].append(level)
                self._wanted[place] = way
            left = {place: own for place, own in left.items() if own and len(levels[place][-1].found) < stop_size}
        return [_joined(levels[place]) for place in places]

    def _solved(self, steps: Sequence[tuple[int, Way]]) -> list[_Level]:
        """The last levels of some ways: known, or solved now, and kept where they are levels of the path."""
        new = [step for step in steps if step not in self._known]
        for place, way in new:
            self._bring_to(place, way[:-1])
            self._held[place] = None
        walked = self._walk([place for place, _ in new], [np.array(way[-1:]) for _, way in new], NO_STOP)
        solved = {}
        for (place, way), (numbers, _, found, values) in zip(new, walked, strict=True):
            self._held[place] = way
            keep = way[-1] in self._stops[place] and self._bytes < MAX_BYTES
            state = self._states[place].kept() if keep else None
            solved[place, way] = _Level(numbers[0], found, values, state)
            if state is not None:
                self._known[place, way] = solved[place, way]
                self._bytes += sum(part.nbytes for part in state.values())
        return [solved.get(step) or self._known[step] for step in steps]

    def _bring_to(self, place: int, way: Way) -> None:
        """Let the solver hold of a resample what it held after going down a way."""
        if self._held[place] != way:
            state = self._known[place, way].state if way else self._beginnings[place]
            assert state is not None
            self._held[place] = None
            self._states[place].take_up(state)
            self._held[place] = way


def _joined(levels: Sequence[_Level]) -> Found:
    return (
        np.array([level.numbers for level in levels]),
        np.cumsum([0, *(len(level.found) for level in levels)]),
        np.concatenate([level.found for level in levels]),
        np.concatenate([level.values for level in levels], axis=1),
    )
