"""Columns that hold a time to an event, or say whether the event took place: recognized by name and by content.

A name alone is not enough: `OS` is a time in one file and an event in the next, and `status` may be that of a
receptor. A coding that two readers would understand differently, such as 0 and 1 in a column `censored`, is offered
in both ways and never decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.data.sources import as_written
from steadyset.io.formats.columns import NULLS
from steadyset.tasks.survival import codings_of, is_plain_event, words_of

MIN_TIMES = 5  # distinct values; fewer of them are codes
MIN_KNOWN = 0.5  # of the rows of each state, whose time has to be known
MAX_OFFERED = 3  # pairs in a sentence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENDPOINTS = _words("os dss pfs pfi dfs dfi rfs rfi dmfs mfs efs css lrfs lfs ttp ttr ttf tte bcr bfs drfs ddfs idfs")
UNITS = _words("day days week weeks wk wks month months mo mos mth mths year years yr yrs")
FOLLOWED = _words("survival surv survived followup fu")
TIMES = _words("time times futime survtime surtime stime dtime rtime ptime eventtime deathtime lenfol edrel")
HAPPENED = _words(
    "event events death dead died deceased alive living survived relapse relapsed recurrence recurred recur "
    "progression progressed metastasis fustat fstat pstat rel censor censored censoring cens censdead censrec vital"
)
# Words that may stand next to those above. Others make it another time, such as that of a day or of a reaction, and
# another status, such as that of a receptor or a smoker.
JOINED = _words(
    "t e s to until from of in at by or the is has was any first last overall disease specific free distant local "
    "cancer patient contact known total code indicator ind flag observed"
)
OF_TIMES = ENDPOINTS | UNITS | FOLLOWED | TIMES | HAPPENED | JOINED
OF_EVENTS = ENDPOINTS | FOLLOWED | HAPPENED | JOINED | {"status"}
ALONE = _words("days week weeks months mo mos mths years")  # as a whole name; "year" is one of the calendar
# Columns of one endpoint belong together: dtime and death, rtime and recur, ptime and pstat.
SYNONYMS = {
    **dict.fromkeys(_words("death dead died deceased alive living vital os censdead dtime"), "death"),
    **dict.fromkeys(_words("relapse relapsed recurrence recurred recur rfs rel censrec rtime edrel"), "recurrence"),
    **dict.fromkeys(_words("progression progressed pfs pfi pstat ptime ttp"), "progression"),
    **dict.fromkeys(_words("metastasis dmfs mfs"), "metastasis"),
}


@dataclass(frozen=True)
class FollowUp:
    """A column of times, the column of its events, and how events are coded: in two ways if nobody can tell."""

    time: str
    event: str
    codings: tuple[tuple[str, str], ...]  # the value of an event, and that of a censored row

    @property
    def events(self) -> tuple[str, ...]:
        """The ways to give the event."""
        if len(self.codings) == 1 and is_plain_event(self.codings[0][0]):
            return (self.event,)
        return tuple(f"{self.event}={happened}" for happened, _ in self.codings)

    @property
    def ways(self) -> list[str | Argument]:
        """The parts of a sentence that say which arguments predict the time to this event, and its coding."""
        parts: list[str | Argument] = [Argument("time", self.time), " and "]
        for place, (event, (happened, censored)) in enumerate(zip(self.events, self.codings, strict=True)):
            parts += [" or " if place else "", Argument("event", event)]
            parts += [f" ({happened} = event, {censored} = censored)"]
        return parts


def may_be_time(name: str) -> bool:
    """Return whether a column of this name may hold times to an event, if its values do not speak against it."""
    words = set(words_of(name))
    if not words <= OF_TIMES:
        return False
    if words & HAPPENED and not words & (UNITS | TIMES):
        return False
    to_something = words & UNITS and words & (ENDPOINTS | FOLLOWED | HAPPENED)
    return bool(to_something or words & (TIMES | ENDPOINTS | FOLLOWED)) or _is_alone(name)


def may_be_event(name: str) -> bool:
    """Return whether a column of this name may say whether an event took place."""
    words = set(words_of(name))
    return words <= OF_EVENTS and bool(words & (ENDPOINTS | FOLLOWED | HAPPENED | {"status"}))


def _is_alone(name: str) -> bool:
    """Whether a name is a unit and nothing else, which may be any time."""
    words = words_of(name)
    return len(words) == 1 and words[0] in ALONE


def is_time(name: str, values: Sequence[Any]) -> bool:
    """Return whether a column holds times to an event, by its name and its values."""
    numbers = _numbers(values) if may_be_time(name) else None
    if numbers is None:
        return False
    known = numbers[~np.isnan(numbers)]
    return bool((known >= 0).all()) and len(np.unique(known)) >= MIN_TIMES


def is_event(name: str, values: Sequence[Any]) -> bool:
    """Return whether a column says whether an event took place, by its name and its values."""
    return may_be_event(name) and bool(_codings(name, values))


def follow_ups(names: Sequence[str], values_of: Callable[[str], Sequence[Any]]) -> list[FollowUp]:
    """Return the times to events among the columns of a table, each with the event of its endpoint."""
    columns: dict[str, Sequence[Any]] = {}
    for name in names:
        if may_be_time(name) or may_be_event(name):
            with suppress(InputError):  # a column that cannot be read
                columns[name] = values_of(name)
    times = [name for name, values in columns.items() if is_time(name, values)]
    times = [name for name in times if not _is_alone(name)] or times
    events = [name for name, values in columns.items() if name not in times and is_event(name, values)]
    found = []
    for time in times:
        event = _event_of(time, events, n_times=len(times))
        if event is not None and _is_known_with(columns[time], columns[event]):
            found.append(FollowUp(time, event, tuple(_codings(event, columns[event]))))
    return found


def offered(found: Sequence[FollowUp]) -> list[str | Argument]:
    """Return the sentence that offers times to events, in parts; none if there are none."""
    parts = [part for one in found[:MAX_OFFERED] for part in ("; or ", *one.ways)][1:]
    return [" For the time to an event give ", *parts, "."] if parts else []


def _codings(name: str, values: Sequence[Any]) -> list[tuple[str, str]]:
    return codings_of(name, sorted({text for text in as_written(values) if text not in NULLS}))


def _event_of(time: str, events: Sequence[str], *, n_times: int) -> str | None:
    """The event that belongs to a time: of the same endpoint, or else the only one there is."""
    about = _endpoint(time)
    same = [event for event in events if _endpoint(event) == about]
    if not same and about == "death":  # OS_MONTHS beside "status"
        same = [event for event in events if not _endpoint(event)]
    if not same and len(events) == 1 and (not about or n_times == 1):
        return events[0]
    return same[0] if same else None


def _endpoint(name: str) -> str:
    """What happens at the end of a time, in one word; "" if the name does not say."""
    for word in words_of(name):
        if word in SYNONYMS or word in ENDPOINTS:
            return SYNONYMS.get(word, word)
    return ""


def _is_known_with(times: Sequence[Any], events: Sequence[Any]) -> bool:
    """Return whether times are known for all states: those of one state alone are half of a time to an event."""
    numbers, states = _numbers(times), np.array(as_written(events))
    if numbers is None:
        return False
    known = ~np.isnan(numbers)
    return all(known[states == state].mean() >= MIN_KNOWN for state in set(states.tolist()) - NULLS)


def _numbers(values: Sequence[Any]) -> NDArray[np.float64] | None:
    try:
        return np.array([np.nan if text in NULLS else float(text.replace(",", ".")) for text in as_written(values)])
    except ValueError:
        return None
