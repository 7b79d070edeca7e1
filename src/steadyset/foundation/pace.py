"""The time that a long computation still takes, from how long its finished parts took.

Work has stages, such as the targets of a shortlist and then its repeats. What is expected of a stage before it begins
is corrected by how the stages before it went.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

LEAST_SECONDS = 5.0  # what is said to be left, as long as anything is
STEP_BELOW_MINUTE, STEP_BELOW_TEN_MINUTES = 5, 10  # seconds to which a time is rounded up


class Stage(NamedTuple):
    """A part of the work: how many equal pieces it has, and how many seconds one of them is expected to take."""

    what: str
    total: int
    each: float


class Pace:
    """Estimate the seconds that are left."""

    def __init__(self, what: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self.what = what  # the pieces of the present stage
        self.done = self.total = 0
        self._clock = clock
        self._later: list[Stage] = []
        self._expected = 0.0  # seconds of one piece of the present stage; 0 if nothing is known
        self._correction = 1.0  # of what is expected, by the stages that went before
        self._begin = self._last = clock()
        self._loaded: tuple[int, float] | None = None  # the first pieces computed now, and when they were finished
        self._first: int | None = None  # pieces that were finished before: they say nothing of the time

    def expect(self, stages: Sequence[Stage]) -> None:
        """Set the stages that follow from now on."""
        self._later = list(stages)
        self._enter(self._later.pop(0))

    def note(self, done: int, total: int) -> None:
        """Note that so many pieces of a stage are finished; another total, or fewer pieces, begin the next stage."""
        now = self._clock()
        if self._first is not None and (total != self.total or done < self.done):
            self._begin_next(done, total)
        if self._first is None:
            # The first piece was begun with the stage; several at once were finished in an earlier session.
            self._first = done if done > 1 else 0
            if done > 1 or not self._expected:
                self._begin = now
        elif not self._expected and self._loaded is None and done > self._first:
            self._loaded = done, now
        self.done, self.total, self._last = done, total, now

    @property
    def is_over(self) -> bool:
        """Whether the last stage is finished."""
        return not self._later and self.total > 0 and self.done >= self.total

    def left(self) -> float | None:
        """Return the seconds that are left; None if nothing is known of them yet."""
        measured = self._measured()
        each = self._expected * self._correction if measured is None else measured
        if not each:
            return None
        correction = self._correction * self._measured_correction()
        later = sum(stage.total * stage.each for stage in self._later) * correction
        since = self._clock() - self._last
        here = (self.total - self.done) * each
        # The piece that is being computed may take longer than expected, but never leaves less than nothing.
        return max(0.0, here - min(since, each)) + later

    def _begin_next(self, done: int, total: int) -> None:
        following = next((place for place, stage in enumerate(self._later) if stage.total == total), None)
        if following is not None:
            self._correction *= self._measured_correction()
            stage = self._later[following]
            del self._later[: following + 1]
            self._enter(stage, self._last)
        elif done < self.done:  # the same kind of work again
            self._enter(Stage(self.what, total, (self._measured() or 0.0) / self._correction), self._last)

    def _enter(self, stage: Stage, begin: float | None = None) -> None:
        self.what, self.done, self.total = stage.what, 0, stage.total
        self._expected = stage.each
        self._first = None
        self._loaded = None
        self._begin = self._last = self._clock() if begin is None else begin

    def _measured(self) -> float | None:
        """Return the seconds of a piece of the present stage; None before they are known.

        If nothing was expected of the stage, its first piece does not count: it also loads and compiles what all
        pieces need.
        """
        n_new = self.done - (self._first or 0)
        if self._loaded is not None:
            done, at = self._loaded
            if self.done > done:
                return (self._last - at) / (self.done - done)
            if n_new == 1:
                return None
        return (self._last - self._begin) / n_new if n_new > 0 else None

    def _measured_correction(self) -> float:
        """Return how many times as long as expected the present stage takes; 1 if that is unknown."""
        measured = self._measured()
        expected = self._expected * self._correction
        return 1.0 if measured is None or not expected else measured / expected


def roughly(seconds: float) -> str:
    """Return a time to wait in words, rounded up: 5 s, 40 s, 3 min 20 s, 17 min, 1 h 20 min; never less than 5 s.

    Examples
    --------
    >>> print(roughly(0.2), roughly(31.0), roughly(64.0), roughly(1000.0), sep=", ")
    5 s, 35 s, 1 min 10 s, 17 min
    """
    whole = max(LEAST_SECONDS, seconds)
    if whole <= 60 - STEP_BELOW_MINUTE:
        return f"{_up(whole, STEP_BELOW_MINUTE)} s"
    if whole <= 600 - STEP_BELOW_TEN_MINUTES:
        minutes, rest = divmod(_up(whole, STEP_BELOW_TEN_MINUTES), 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    minutes = _up(whole, 60) // 60
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(_up(minutes, 10), 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def _up(value: float, step: int) -> int:
    return step * -int(-value // step)
