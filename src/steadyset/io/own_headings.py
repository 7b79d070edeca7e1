"""Long tables with headings of their own, such as colleague and gene: which column names the run, which the feature."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.columns import FEATURE, RUN
from steadyset.io.entries import Entries
from steadyset.io.heading_words import are_called_runs, is_feature_word, is_run_word
from steadyset.io.headings import is_number
from steadyset.io.labels import several, some_names
from steadyset.io.long import RANK, SELECTED, WEIGHT, entries_of_long
from steadyset.io.reading_options import LONG, Reading
from steadyset.io.universe import universe_in_words

MANY_TIMES = 2  # so many times more distinct names than runs are names, whatever the headings say
FEW = 3  # more columns of nothing but numbers may be features that are called like this
VALUE_WORDS = {
    WEIGHT: ("weight", "importance", "coef", "coefficient", "beta", "score", "estimate"),
    RANK: ("rank", "ranking", "position"),
    SELECTED: ("selected", "chosen"),
}


class Roles(NamedTuple):
    """Which columns name the runs and the features, how that was told, and whether the first row is a heading."""

    run: int
    feature: int
    why: str
    headed: bool


def headings_say(heading: Sequence[str]) -> Roles | None:
    """The roles where one heading is a word for runs and one for features."""
    runs = [f for f, word in enumerate(heading) if is_run_word(word)]
    features = [f for f, word in enumerate(heading) if is_feature_word(word)]
    return Roles(runs[0], features[0], "", True) if len(runs) == len(features) == 1 else None


def roles(columns: Sequence[Sequence[str]], reading: Reading) -> Roles:
    """The roles of the columns of a table that is long; a sentence where they cannot be told."""
    heading = [column[0] for column in columns]
    if reading.runs is not None:
        return _named(heading, reading.runs)
    said = headings_say(heading)
    if said is not None and reading.header is not False:
        return said
    if len(columns) != 2:
        raise InputError(
            f"A long table with the columns {some_names(heading)} does not say which of them names the runs and which "
            "the features; call them run and feature."
        )
    return _by_values(columns, reading.header)


def _named(heading: Sequence[str], runs: str) -> Roles:
    if runs not in heading:
        raise InputError(f"There is no column {runs!r}; the columns are {some_names(heading)}.")
    run = heading.index(runs)
    others = [f for f in range(len(heading)) if f != run]
    words = [f for f in others if is_feature_word(heading[f])]
    if len(others) == 1 or len(words) == 1:
        return Roles(run, (words if len(words) == 1 else others)[0], "", True)
    raise InputError(
        f"Beside {runs!r} there are {several(len(others), 'column')} that may name the features; call the one that "
        "does feature."
    )


def _by_values(columns: Sequence[Sequence[str]], header: bool | None) -> Roles:
    """Two columns: the runs are fewer than the features, and their rows stand together."""
    heading = [column[0] for column in columns]
    headed = _is_headed(columns, header)
    words = [is_feature_word(word) or is_run_word(columns[1 - f][0]) for f, word in enumerate(heading)]
    if headed and words[0] != words[1]:
        return Roles(words.index(False), words.index(True), "", True)
    bodies = [column[headed:] for column in columns]
    called = [are_called_runs(body) for body in bodies]
    if called[0] != called[1]:
        return Roles(called.index(True), called.index(False), "", headed)
    counts = [len(set(body)) for body in bodies]
    few = int(counts[1] < counts[0])
    grouped = [_stands_together(body) for body in bodies]
    clear = grouped[few] and not grouped[1 - few]
    many = counts[1 - few] >= MANY_TIMES * counts[few] and grouped[0] == grouped[1]
    if 1 < counts[few] < counts[1 - few] and (clear or many):
        why = f" ({counts[few]:,} distinct values against {counts[1 - few]:,})"
        return Roles(few, 1 - few, why, headed)
    sentence = ["Either of the two columns ", f"({some_names(heading)}) " if headed else "", "may name the runs; "]
    if headed:
        raise InputError(*sentence, "give ", Argument("runs", heading[0]), " or ", Argument("runs", heading[1]), ".")
    raise InputError(*sentence, "put the headings run and feature above them.")


def _is_headed(columns: Sequence[Sequence[str]], header: bool | None) -> bool:
    """In a long table every run recurs, so that a first cell that does not is a heading."""
    if header is not None:
        return header
    firsts = [column[0] for column in columns]
    if any(is_run_word(first) or is_feature_word(first) for first in firsts):
        return True
    recurring = [column.count(column[0]) > 1 for column in columns]
    if any(recurring):
        return False
    alone = [sum(count == 1 for count in Counter(column[1:]).values()) for column in columns]
    if min(alone) == 0:
        return True
    raise InputError(
        f"The first row ({some_names(firsts)}) may be a heading or the first pair of a run and a feature; give ",
        Argument("header", True),
        " or ",
        Argument("header", False),
        ".",
    )


def _stands_together(cells: Sequence[str]) -> bool:
    changes = 1 + sum(a != b for a, b in itertools.pairwise(cells))
    return changes == len(set(cells))


def entries_of_pairs(columns: Sequence[Sequence[str]], found: Roles, reading: Reading) -> Entries:
    """The runs of a long table of text cells, with weights and ranks where a heading says so."""
    import pyarrow as pa

    heading = [column[0] for column in columns]
    values = _value_columns(heading, found) if found.headed else {}
    table = {RUN: found.run, FEATURE: found.feature, **values}
    bodies = {name: columns[f][found.headed :] for name, f in table.items()}
    rows, repeated = _distinct_pairs(bodies)
    cells = {name: [body[i] or None for i in rows] for name, body in bodies.items()}
    _refuse_blank(cells, heading, found)
    notes = [f"{several(repeated, 'repeated row')} dropped"] if repeated else []
    if found.headed:
        unused = [heading[f] for f in range(len(heading)) if f not in table.values()]
        notes += [f"not used: the {'columns' if len(unused) > 1 else 'column'} {some_names(unused)}"] if unused else []
    arrow = pa.table({name: pa.array(column, pa.string()) for name, column in cells.items()})
    entries = entries_of_long(
        arrow,
        reading.features,
        reading.n_features,
        None,
        top=reading.top,
        union=not reading.declared,
        numbers_are_names=True,
    )
    runs = f"the column {heading[found.run]!r}" if found.headed else f"column {found.run + 1}"
    line = (
        f"{several(entries.n_runs, 'run')} from {runs}{found.why}; "
        f"{several(len(set(cells[FEATURE]) - {None}), 'distinct name')}; {universe_in_words(entries.features)}"
    )
    return entries._replace(notes=(line, *notes))


def _value_columns(heading: Sequence[str], found: Roles) -> dict[str, int]:
    values = {}
    for name, words in VALUE_WORDS.items():
        places = [f for f, word in enumerate(heading) if word.strip().lower() in words and f not in found[:2]]
        if len(places) == 1:
            values[name] = places[0]
    return values


def _distinct_pairs(bodies: dict[str, Sequence[str]]) -> tuple[list[int], int]:
    """The rows to keep, and how many only repeat another one; the same pair with other values is refused later."""
    seen: dict[tuple[str, ...], int] = {}
    for i, row in enumerate(zip(*bodies.values(), strict=True)):
        seen.setdefault(row, i)
    return list(seen.values()), len(next(iter(bodies.values()))) - len(seen)


def _refuse_blank(cells: dict[str, list[str | None]], heading: Sequence[str], found: Roles) -> None:
    """A row without a run or a feature declares the other in our own files, but is a gap in those of others."""
    for name, f in ((RUN, found.run), (FEATURE, found.feature)):
        if None in cells[name]:
            what = repr(heading[f]) if found.headed else str(f + 1)
            raise InputError(
                f"The column {what} has no value in row {cells[name].index(None) + 1 + found.headed}; expected a run "
                "and a feature in each, or lists (",
                Argument("layout", "columns"),
                ").",
            )


def is_long(columns: Sequence[Sequence[str]], reading: Reading) -> bool:
    """Whether a table is long: somebody said so, its headings do, or it has two columns that share no name."""
    if reading.layout is not None or reading.runs is not None:
        return reading.layout == LONG or reading.runs is not None
    said = None if reading.header is False else headings_say([column[0] for column in columns])
    if said is not None and (len(columns) <= FEW or not all(map(is_number, columns[said.feature][1:]))):
        return True
    if len(columns) != 2 or not all(map(all, columns)):
        return False
    apart = set(columns[0]).isdisjoint(columns[1])
    return apart and any(len(set(column)) < len(column) for column in columns)
