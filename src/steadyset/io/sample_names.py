"""Samples of two files matched by their names, exactly or as R and spreadsheets change them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MARKS = re.compile(r"[^0-9a-z]+")
WHOLE = re.compile(r"([0-9]+)(\.0)?")
LEAST_PREFIX = 4  # characters


@dataclass(frozen=True)
class Match:
    """Which place of the second list each name of the first has; None where it has none."""

    axis: str  # which names of the data were matched
    column: str  # which column of the other file names its rows
    places: list[int | None]
    loose: bool  # whether spelling was disregarded

    @property
    def count(self) -> int:
        return sum(place is not None for place in self.places)


def best_match(axes: Mapping[str, Sequence[str]], columns: Mapping[str, Sequence[str]]) -> Match | None:
    """The names of the data and the column of the other file that agree most often; None where nothing agrees.

    Exact agreement goes before agreement in `plain_form`, and what comes first before what comes later.
    """
    best: Match | None = None
    most = 0  # distinct names that agree
    for loose in (False, True):
        forms = {name: _forms(values, loose) for name, values in columns.items()}
        for axis, names in axes.items():
            own = _forms(names, loose)
            if loose and len(set(own)) < len(set(names)):
                continue
            for column, found in forms.items():
                if loose and len(set(found)) < len(set(columns[column])):
                    continue
                common = set(own) & set(found)
                common.discard("")
                if len(common) > most:
                    most = len(common)
                    place = {name: i for i, name in reversed(list(enumerate(found)))}
                    places = [place[name] if name in common else None for name in own]
                    best = Match(axis, column, places, loose)
    return best


def plain_form(name: str) -> str:
    """A name without what differs between tools: case, marks, R's leading X, zeros before a number."""
    marked = MARKS.sub(".", name.strip().casefold()).strip(".")
    if re.match(r"x\.?[0-9]", marked):
        marked = marked[1:].lstrip(".")
    number = WHOLE.fullmatch(marked)
    return str(int(number[1])) if number and len(number[1]) < 20 else marked


def repeated_names(names: Sequence[str]) -> list[str]:
    """Names that occur more than once."""
    return [name for name, often in Counter(names).items() if often > 1]


def unlike_samples(names: Sequence[str], columns: Mapping[str, Sequence[str]]) -> str:
    """Why samples do not match, where that can be seen: the names of one file are the beginnings of the others."""
    own = [plain_form(name) for name in names]
    for column, values in columns.items():
        theirs = [plain_form(value) for value in values]
        if _begin(theirs, own):
            return f"; those in {column!r} are the beginnings of those in the data: cut the longer ones"
        if _begin(own, theirs):
            return f"; those in the data are the beginnings of those in {column!r}: cut the longer ones"
    return ""


def _begin(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether most of the long names begin with one of the short ones."""
    starts = {name for name in short if len(name) >= LEAST_PREFIX}
    lengths = {len(start) for start in starts}
    return 2 * sum(any(name[:n] in starts and len(name) > n for n in lengths) for name in long) > len(long)


def _forms(names: Sequence[str], loose: bool) -> list[str]:
    return [plain_form(name) if loose else name for name in names]
