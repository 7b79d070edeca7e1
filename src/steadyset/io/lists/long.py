"""Long tables, one row for each selected feature: with the columns run and feature, or with headings of their own."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from steadyset.foundation.errors import Argument, InputError, UndeclaredFeaturesError, either
from steadyset.io.formats.columns import FEATURE, NULLS, RUN
from steadyset.io.formats.headings import (
    UNADJUSTED,
    WHOLE_NUMBER,
    are_called_runs,
    is_feature_word,
    is_number,
    is_p_value,
    is_run_word,
    look_alike,
    number_of,
)
from steadyset.io.labels import (
    AppearanceOrder,
    Names,
    feature_names,
    name_positions,
    placeholders,
    several,
    some_names,
    stand_ins,
)
from steadyset.io.lists import LONG, ROWS
from steadyset.io.lists.entries import (
    Entries,
    ReadOptions,
    check_ranks,
    checked_entries,
    row_pointers,
    universe_in_words,
    universe_of,
)
from steadyset.io.numbers import as_frame
from steadyset.kernels.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    import pyarrow as pa

WEIGHT, RANK, SELECTED = "weight", "rank", "selected"
MANY_TIMES = 2  # so many times more distinct names than runs are names, whatever the headings say
FEW = 3  # more columns of nothing but numbers may be features that are called like this
VALUE_WORDS = {
    WEIGHT: ("weight", "importance", "coef", "coefficient", "beta", "score", "estimate"),
    RANK: ("rank", "ranking", "position"),
    SELECTED: ("selected", "chosen"),
}


def entries_of_long(
    table: Any,
    features: Names,
    n_features: int | None,
    labels: Names,
    *,
    top: int | None = None,
    union: bool = False,
    numbers_are_names: bool = False,
) -> Entries:
    """See Selections.from_long.

    With `top`, the ranks or weights decide what is selected. With `union`, the names that a table uses are the universe
    where nothing declares one. With `numbers_are_names`, numbers never stand for the places of features.
    """
    try:
        arrow = as_frame(table, "table").to_arrow()
    except UnicodeEncodeError as error:
        raise InputError(
            f"The long table holds {error.object!r} with half of a character; rename it, or give a wide table."
        ) from None
    for name in (RUN, FEATURE):
        if name not in arrow.column_names:
            found = f"it has {', '.join(arrow.column_names)}" if arrow.column_names else "it has no columns"
            raise InputError(f"The long table has no column {name!r}; {found}.")
    if arrow.num_rows == 0:
        raise InputError("The long table has no rows; expected one row for each selected feature.")
    run, run_names = _codes(arrow.column(RUN))
    entries = run >= 0
    feature, names, d = _feature_codes(
        arrow.column(FEATURE), entries, features, n_features, union=union, numbers_are_names=numbers_are_names
    )
    if labels is None:
        labels = [str(name) for name in run_names]
    entries &= feature >= 0
    weights = _numbers(arrow, WEIGHT, entries)
    ranks = _numbers(arrow, RANK, entries)
    chosen = _numbers(arrow, SELECTED, entries)
    run, feature = run[entries], feature[entries]
    M = len(run_names)
    rankings = None if ranks is None else _rank_table(run, feature, ranks, M, d, names)
    deciding = weights if chosen is None else chosen
    keep = np.ones(len(run), dtype=bool) if deciding is None else deciding != 0
    if top is not None:
        keep = keep & _among_the_best(run, ranks, weights, top)
    order = np.argsort(run[keep], kind="stable")
    indptr = row_pointers(np.bincount(run[keep], minlength=M))
    kept_weights = None if weights is None else weights[keep][order]
    return checked_entries(indptr, feature[keep][order], kept_weights, d, names, labels, rankings=rankings)


def long_columns(entries: Entries, *, declare: bool = False) -> dict[str, Any]:
    """The columns run, feature[, weight][, rank][, selected]; `declare` puts a row for each feature and run first."""
    M, d, weights = entries.n_runs, entries.n_features, entries.weights
    names = np.array(entries.features, dtype=object)
    runs = np.array(entries.labels if entries.labels is not None else stand_ins(M), dtype=object)
    if entries.rankings is not None:
        run, feature = np.repeat(np.arange(M), d), np.tile(np.arange(d), M)
        values: dict[str, npt.NDArray[Any]] = {RANK: entries.rankings.ravel(), SELECTED: entries.table().ravel()}
        if weights is not None:
            values[WEIGHT] = entries.table(weights=True).ravel()
    else:
        run, feature = np.repeat(np.arange(M), np.diff(entries.indptr)), entries.indices
        values = {} if weights is None else {WEIGHT: weights}
        if weights is not None and not weights.all():
            values[SELECTED] = np.ones(len(run), dtype=np.int8)  # else a weight of 0 would mean not selected
    run_column, feature_column = list(runs[run]), list(names[feature])
    if not declare:
        return {RUN: run_column, FEATURE: feature_column, **values}
    ahead = {RUN: [None] * d + list(runs) + run_column, FEATURE: [*names, *[None] * M, *feature_column]}
    return ahead | {name: [None] * (d + M) + column.tolist() for name, column in values.items()}


def _codes(column: pa.ChunkedArray) -> tuple[Ints, list[Any]]:
    """Integer codes in order of first appearance, -1 for what is missing or empty; and what they stand for."""
    import pyarrow as pa

    encoded = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not isinstance(encoded, pa.DictionaryArray):
        encoded = encoded.dictionary_encode()
    raw = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    values = [int(x) if isinstance(x, float) and x.is_integer() else x for x in encoded.dictionary.to_pylist()]
    # Empty texts and categories that no row uses are dropped, and the rest is numbered as it appears.
    used, first = np.unique(raw, return_index=True)
    order = [c for c in used[np.argsort(first)] if c >= 0 and values[c] not in ("", None)]
    recode = np.full(len(values) + 1, -1, dtype=np.int64)  # the last place is for -1
    recode[order] = np.arange(len(order))
    return recode[raw], [values[c] for c in order]


def _feature_codes(
    column: pa.ChunkedArray,
    entries: Bools,
    features: Names,
    n_features: int | None,
    *,
    union: bool,
    numbers_are_names: bool,
) -> tuple[Ints, tuple[str, ...] | None, int]:
    """The index of each row's feature, their names and number; whole numbers are names where names are known."""
    code, found = _codes(column)
    texts = [str(x) for x in found]
    numbers = bool(texts) and not numbers_are_names and all(WHOLE_NUMBER.fullmatch(text) for text in texts)
    declared = bool(np.any(~entries & (code >= 0)))
    if features is not None:
        names, d = feature_names(features, n_features, what="from_long")
        positions = name_positions(names, d)
        unknown = [x for x in texts if x not in positions]
        if not unknown:
            return np.array([*(positions[x] for x in texts), -1], dtype=np.int64)[code], names, d
        if not numbers:
            which = "which is" if len(unknown) == 1 else "which are"
            raise InputError(f"The table selects {some_names(unknown)}, {which} not among the features.")
    if union and n_features is None and not declared:
        return code, universe_of(texts, None, None, what="The rows"), len(texts)
    if numbers and not declared:
        names, d = feature_names(features, n_features, what="A long table of feature numbers")
        outside = [text for text in texts if not 0 <= int(text) < d]
        if outside:
            raise InputError(f"The table holds the feature index {outside[0]}; expected indices from 0 to {d - 1}.")
        return np.array([*(int(text) for text in texts), -1], dtype=np.int64)[code], names, d
    if n_features is None and not declared:
        raise UndeclaredFeaturesError(
            f"The long table names {len(texts)} features but not how many there were to choose from; ",
            f"give {Argument('features', ...)} or {Argument('n_features', ...)}.",
        )
    if n_features is not None and n_features < len(texts):
        raise InputError(f"The table names {len(texts)} features, more than the {n_features} that n_features allows.")
    unnamed = [] if n_features is None else placeholders(set(texts), n_features - len(texts))
    names, d = feature_names([*texts, *unnamed], None, what="from_long")
    if names is not None and set(code[entries]) - set(code[~entries]) - {-1}:  # not all of them are declared
        names = AppearanceOrder(names)
    return code, names, d


def _among_the_best(run: Ints, ranks: Floats | None, weights: Floats | None, top: int) -> Bools:
    """Which entries have a rank of at most `top`, or a weight among the `top` largest of their run."""
    if ranks is not None:
        return ranks <= top
    if weights is None:
        needs = f" needs ranks or importances: a long table with a column {RANK} or {WEIGHT}."
        raise InputError(Argument("top", top), needs)
    order = np.lexsort((-np.abs(weights), run))  # by run, the largest first; equal ones as they stand
    ordered = run[order]
    best = np.zeros(len(run), dtype=bool)
    best[order] = np.arange(len(run)) - np.searchsorted(ordered, ordered) < top
    return best


def _numbers(arrow: pa.Table, name: str, entries: Bools) -> Floats | None:
    if name not in arrow.column_names:
        return None
    values = column_numbers(arrow, name)[entries]
    if not np.all(np.isfinite(values)):
        raise InputError(f"The column {name!r} has a missing or infinite value.")
    return np.asarray(values, dtype=np.float64)


def column_numbers(arrow: pa.Table, name: str) -> Floats:
    """A column as numbers, nan where there is no value."""
    from pyarrow import ArrowException

    try:
        return np.asarray(arrow.column(name).cast("float64").to_numpy(), dtype=np.float64)
    except ArrowException:
        raise InputError(f"The column {name!r} holds something other than numbers.") from None


def _rank_table(run: Ints, feature: Ints, ranks: Floats, M: int, d: int, names: tuple[str, ...] | None) -> Floats:
    expected = "expected one per run and feature."
    if len(run) != M * d:
        raise InputError(f"The table has {len(run)} ranks for {M} runs and {d} features; {expected}")
    table = np.full((M, d), np.nan)
    table[run, feature] = ranks
    check_ranks(np.where(np.isnan(table), 1.0, table), names, "The table")
    if np.isnan(table).any():
        i, f = np.argwhere(np.isnan(table))[0]
        which = names[f] if names is not None else f
        raise InputError(f"Run {i + 1} has no rank for feature {which!r}; {expected}")
    return table


class PairColumns(NamedTuple):
    """Which columns name the runs and the features, how that was told, and whether the first row is a heading."""

    run: int
    feature: int
    why: str
    headed: bool


def headings_say(heading: Sequence[str]) -> PairColumns | None:
    """The roles where one heading is a word for runs and one for features."""
    runs = [f for f, word in enumerate(heading) if is_run_word(word)]
    features = [f for f, word in enumerate(heading) if is_feature_word(word)]
    return PairColumns(runs[0], features[0], "", True) if len(runs) == len(features) == 1 else None


def roles(columns: Sequence[Sequence[str]], reading: ReadOptions) -> PairColumns:
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


def _named(heading: Sequence[str], runs: str) -> PairColumns:
    if runs not in heading:
        raise InputError(f"There is no column {runs!r}; the columns are {some_names(heading)}.")
    run = heading.index(runs)
    others = [f for f in range(len(heading)) if f != run]
    words = [f for f in others if is_feature_word(heading[f])]
    if len(others) == 1 or len(words) == 1:
        return PairColumns(run, (words if len(words) == 1 else others)[0], "", True)
    raise InputError(
        f"Beside {runs!r} there are {several(len(others), 'column')} that may name the features; call the one that "
        "does feature."
    )


def _by_values(columns: Sequence[Sequence[str]], header: bool | None) -> PairColumns:
    """Two columns: the runs are fewer than the features, and their rows stand together."""
    heading = [column[0] for column in columns]
    headed = _is_headed(columns, header)
    words = [is_feature_word(word) or is_run_word(columns[1 - f][0]) for f, word in enumerate(heading)]
    if headed and words[0] != words[1]:
        return PairColumns(words.index(False), words.index(True), "", True)
    bodies = [column[headed:] for column in columns]
    called = [are_called_runs(body) for body in bodies]
    if called[0] != called[1]:
        return PairColumns(called.index(True), called.index(False), "", headed)
    counts = [len(set(body)) for body in bodies]
    few = int(counts[1] < counts[0])
    # Whether the rows of each value stand together.
    grouped = [1 + sum(a != b for a, b in itertools.pairwise(body)) == len(set(body)) for body in bodies]
    clear = grouped[few] and not grouped[1 - few]
    many = counts[1 - few] >= MANY_TIMES * counts[few] and grouped[0] == grouped[1]
    if 1 < counts[few] < counts[1 - few] and (clear or many):
        why = f" ({counts[few]:,} distinct values against {counts[1 - few]:,})"
        return PairColumns(few, 1 - few, why, headed)
    sentence = ["Either of the two columns ", f"({some_names(heading)}) " if headed else "", "may name the runs; "]
    if headed:
        raise InputError(*sentence, "give ", *either("runs", *heading), ".")
    lists = Argument("layout", ROWS), "."
    raise InputError(
        *sentence, "put the headings run and feature above them. For a label and a list in each row give ", *lists
    )


def _is_headed(columns: Sequence[Sequence[str]], header: bool | None) -> bool:
    """In a long table every run recurs, so that a first cell that does not is a heading."""
    if header is not None:
        return header
    firsts = [column[0] for column in columns]
    if any(is_run_word(first) or is_feature_word(first) for first in firsts):
        return True
    if any(column.count(column[0]) > 1 for column in columns) or any(map(are_called_runs, columns)):
        return False
    alone = [sum(count == 1 for count in Counter(column[1:]).values()) for column in columns]
    # A run that selects one feature may come first, and looks like the rest.
    words = all(first.isalpha() and first.islower() for first in firsts)
    alike = not words and all(look_alike(column[:1], set(column[1:])) for column in columns)
    if min(alone) == 0 and not alike:
        return True
    told = f"The first row ({some_names(firsts)}) may be a heading or the first pair of a run and a feature; give "
    raise InputError(told, *either("header", True, False), ".")


def entries_of_pairs(columns: Sequence[Sequence[str]], found: PairColumns, reading: ReadOptions) -> Entries:
    """The runs of a long table of text cells, with weights and ranks where a heading says so."""
    import pyarrow as pa

    heading = [column[0] for column in columns]
    table = {RUN: found.run, FEATURE: found.feature}
    for name, words in VALUE_WORDS.items() if found.headed else ():
        places = [f for f, word in enumerate(heading) if word.strip().lower() in words and f not in found[:2]]
        if len(places) == 1:
            table[name] = places[0]
    bodies = {name: columns[f][found.headed :] for name, f in table.items()}
    # A row that repeats another one is left out; the same pair with other values is refused later.
    rows = dict.fromkeys(zip(*bodies.values(), strict=True))
    repeated = len(bodies[RUN]) - len(rows)
    cells = {name: [row[place] or None for row in rows] for place, name in enumerate(table)}
    # A row without a run or a feature declares the other in our own files, but is a gap in those of others.
    for name in (RUN, FEATURE):
        if None in cells[name]:
            what = repr(heading[table[name]]) if found.headed else str(table[name] + 1)
            told = (
                f"The column {what} has no value in row {cells[name].index(None) + 1 + found.headed}; expected a run "
            )
            raise InputError(f"{told}and a feature in each, or lists (", Argument("layout", "columns"), ").")
    notes = [f"{several(repeated, 'repeated row')} dropped"] if repeated else []
    top = reading.top
    by_p = (
        _by_p_values(heading, bodies, columns, found) if top is not None and not {WEIGHT, RANK} & set(table) else None
    )
    if by_p is not None and top is not None:
        cells[SELECTED] = _smallest(cells[RUN], [by_p[1].get(row) for row in rows], top)
        notes.append(f"of each run the {top} smallest p-values of {by_p[0]!r}")
        top = None
    if found.headed:
        used = {heading[f] for f in table.values()} | ({by_p[0]} if by_p is not None else set())
        unused = [name for name in heading if name not in used]
        notes += [f"not used: the {'columns' if len(unused) > 1 else 'column'} {some_names(unused)}"] if unused else []
    arrow = pa.table({name: pa.array(column, pa.string()) for name, column in cells.items()})
    universe, union = (reading.features, reading.n_features), not reading.declared
    entries = entries_of_long(arrow, *universe, None, top=top, union=union, numbers_are_names=True)
    runs = f"the column {heading[found.run]!r}" if found.headed else f"column {found.run + 1}"
    line = (
        f"{several(entries.n_runs, 'run')} from {runs}{found.why}; "
        f"{several(len(set(cells[FEATURE]) - {None}), 'distinct name')}; {universe_in_words(entries.features)}"
    )
    return entries._replace(notes=(line, *notes))


def _by_p_values(
    heading: Sequence[str], bodies: dict[str, Sequence[str]], columns: Sequence[Sequence[str]], found: PairColumns
) -> tuple[str, dict[tuple[str, ...], float]] | None:
    """The heading of the one column of p-values, and the p-value of each row with one; None without such a column."""
    places = [f for f in range(len(heading)) if found.headed and f not in found[:2] and is_p_value(heading[f])]
    unadjusted = [f for f in places if UNADJUSTED.fullmatch(heading[f].strip())]
    chosen = unadjusted or places
    if len(chosen) != 1:
        return None
    column = columns[chosen[0]][found.headed :]
    known = [cell for cell in column if cell not in NULLS]
    if not known or not all(is_number(cell) and 0 <= number_of(cell) <= 1 for cell in known):
        return None
    keys = zip(*bodies.values(), strict=True)
    tested = {key: number_of(cell) for key, cell in zip(keys, column, strict=True) if cell not in NULLS}
    return heading[chosen[0]], tested


def _smallest(runs: Sequence[str | None], p_values: Sequence[float | None], top: int) -> list[str | None]:
    """Which rows have one of the `top` smallest p-values of their run: 1 or 0; a tie at the border is refused.

    A row without a p-value is selected in no run.
    """
    marks: list[str | None] = ["0"] * len(runs)
    rows_of: dict[str | None, list[tuple[float, int]]] = {}
    for i, (run, p_value) in enumerate(zip(runs, p_values, strict=True)):
        if p_value is not None:
            rows_of.setdefault(run, []).append((p_value, i))
    for run, rows in rows_of.items():
        rows.sort()
        if top < len(rows) and rows[top - 1][0] == rows[top][0]:
            told = f"The run {run!r} has several p-values of {rows[top][0]:g} at the border of its {top} smallest; "
            raise InputError(f"{told}give another ", Argument("top"), ".")
        for _, i in rows[:top]:
            marks[i] = "1"
    return marks


def is_long(columns: Sequence[Sequence[str]], reading: ReadOptions) -> bool:
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
