"""Elastic-net models of the same resamples at many penalties or sizes: one path serves them all.

What a resample's solver holds after each level is kept, and the next model that comes by that level starts from there.
Every model has gone down the same levels as if it were alone, so it is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.paths.level_walk import goes_on
from steadyset.selectors.path_batches import Batches, Solving, Walk

# What may be kept of the levels; those behind are solved again for each model.
MOST_BYTES = 100_000_000
UNCHANGED = ("n_rows", "rows", "w", "y", "ridge", "tol", "rms", "scale")  # what no level changes of a batch

Way = tuple[float, ...]
Solved = tuple[Ints, Floats, Ints, Floats]  # sizes and numbers of some places; features and values, one after the other


@dataclass(frozen=True)
class _Level:
    size: int
    numbers: Floats
    found: Ints
    values: Floats
    state: tuple[Any, ...]


class SharedPaths(Solving):
    """A batch that holds all resamples; `levels` gives those of the path of each, which are kept."""

    def __init__(self, batches: Batches, levels: Callable[[Solving], Sequence[Floats]]) -> None:
        super().__init__(batches, range(batches.n_runs), batches.room(batches.n_runs))
        self._stops = [set((own / unit).tolist()) for own, unit in zip(levels(self), self._units(), strict=True)]
        self._beginnings = [self._state(place) for place in range(len(self.runs))]
        self._known: dict[tuple[int, Way], _Level] = {}
        self._bytes = 0
        # Which levels the solver of each resample has gone down (None: it was interrupted), and which it should have.
        self._held: list[Way | None] = [()] * len(self.runs)
        self._wanted: list[Way] = [()] * len(self.runs)

    @staticmethod
    def can_hold(batches: Batches) -> bool:
        """Whether one batch holds all resamples."""
        return batches.n_runs <= batches.at_once

    def start_again(self) -> None:
        """The next level is the first of a path."""
        self._wanted = [()] * len(self.runs)

    def _down(self, which: Ints, penalties: Floats, n_levels: Ints, stop_size: int) -> Walk:
        """Level by level, because any of them may be kept already."""
        sizes, numbers = np.full(penalties.shape, -1), np.zeros((*penalties.shape, 2))
        starts = np.zeros((len(penalties) + 1, len(which)), np.int64)
        found, values = [np.empty(0, np.int64)], [np.empty(0)]
        for t in range(len(penalties)):
            going = np.flatnonzero(goes_on(t, n_levels, stop_size, sizes))
            if not len(going):
                break
            sizes[t, going], numbers[t, going], features, coefs = self._solved(which[going], penalties[t, going])
            starts[t, going] = starts[-1, -1] + np.cumsum(sizes[t, going]) - sizes[t, going]
            starts[-1, -1] += len(features)
            found.append(features)
            values.append(coefs)
        joined: Any = (np.concatenate(found), np.concatenate(values))
        return Walk(which, penalties, self.data.X.shape[1], sizes, numbers, starts, *joined)

    def _solved(self, which: Ints, penalties: Floats) -> Solved:
        """The next level of some places, at penalties of the solved target: known, or solved now."""
        steps = [(int(b), (*self._wanted[b], float(p))) for b, p in zip(which, penalties, strict=True)]
        found = {step: self._known[step] for step in steps if step in self._known}
        new = [step for step in steps if step not in found]
        if new:
            for place, way in new:
                self._bring_to(place, way[:-1])
                self._held[place] = None
            walked = self._walk(np.array([b for b, _ in new]), np.array([[way[-1] for _, way in new]]))
            used = slice(int(walked.starts[-1, -1]))
            solved = walked.sizes[0], walked.numbers[0], walked.found[used], walked.values[used]
            found |= self._kept(new, solved)
        for place, way in steps:
            self._wanted[place] = way
        levels = [found[step] for step in steps]
        return (
            np.array([level.size for level in levels]),
            np.array([level.numbers for level in levels]),
            np.concatenate([level.found for level in levels]),
            np.concatenate([level.values for level in levels]),
        )

    def _kept(self, steps: Sequence[tuple[int, Way]], solved: Solved) -> dict[tuple[int, Way], _Level]:
        sizes, numbers, features, values = solved
        ends = np.cumsum(sizes)
        found = {}
        for k, (place, way) in enumerate(steps):
            part, keep = slice(ends[k] - sizes[k], ends[k]), way[-1] in self._stops[place] and self._bytes < MOST_BYTES
            state = self._state(place) if keep else ()
            level = _Level(int(sizes[k]), numbers[k], features[part].copy(), values[part].copy(), state)
            found[place, way] = level
            self._held[place] = way
            if keep:
                self._known[place, way] = level
                self._bytes += sum(part.nbytes for part in state)
        return found

    def _bring_to(self, place: int, way: Way) -> None:
        """Let the solver of a resample hold what it held after going down a way."""
        if self._held[place] == way:
            return
        state = self._known[place, way].state if way else self._beginnings[place]
        self._held[place] = None
        for (name, part), kept in zip(self._changing().items(), state, strict=True):
            part[(place, *(slice(length) for length in kept.shape))] = kept
            if name == "slot":  # there may be more of them now
                part[place, len(kept) :] = np.arange(len(kept), part.shape[1])
        self._held[place] = way

    def _state(self, place: int) -> tuple[Any, ...]:
        """What a level has changed: of the features, of the factor and of the list only the part that is in use."""
        batch = self._batch
        size = int(batch.size[place, 0])
        slots = int(batch.slot[place, :size].max()) + 1
        order = int(batch.n_rows[place]) if batch.wide[place, 0] else size
        used = {"Z": np.s_[:slots], "L": np.s_[:order, :order], "listed": np.s_[: batch.n_listed[place]]}
        return tuple(np.array(part[place][used.get(name, ...)]) for name, part in self._changing().items())

    def _changing(self) -> dict[str, Any]:
        return {name: part for name, part in self._batch._asdict().items() if name not in UNCHANGED}
