"""Which layout a table of text cells has, and the runs in it; what could be two layouts is refused, with both.

Lists of names are read as people keep them: in columns, in rows, as gene sets, or whole in one cell. Such a cell holds
`TP53;MYC`, or a list as Python, NumPy, pandas and R print it: `['TP53', 'MYC']`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, zip_longest
from textwrap import shorten
from typing import NamedTuple

import numpy as np

from steadyset.foundation.errors import Argument, InputError, either
from steadyset.io.formats import headings
from steadyset.io.formats.columns import NULLS, RUN
from steadyset.io.formats.spreadsheet import gene_dates_in
from steadyset.io.labels import several, some_names
from steadyset.io.lists import CELLS, COLUMNS, GMT, GMX, IMPORTANCES, LISTS, LONG, RANKS, ROWS, WIDE
from steadyset.io.lists.entries import Entries, ReadOptions, entries_among, universe_in_words
from steadyset.io.lists.long import entries_of_pairs, is_long, roles
from steadyset.io.lists.r_layouts import entries_of_r, ranked_by_p
from steadyset.io.lists.wide import Wide, entries_of_numbers, names_of_rows, unknown_rows
from steadyset.kernels.arrays import Floats

# What says that a feature was selected, and what that it was not; each row is a way of its own.
WAYS = (
    ({"1", "1.0"}, {"0", "0.0"}),
    ({"1", "1.0"}, {""}),
    ({"true", "t"}, {"false", "f"}),
    ({"true", "t"}, {""}),
    ({"yes", "y"}, {"no", "n", ""}),
    ({"x"}, {"", "-", ".", "o"}),
    ({"+"}, {"", "-"}),
    ({"*"}, {"", "-"}),
    ({"✓", "✔", "☑"}, {"", "-", "✗", "✘", "☐"}),
    ({"selected"}, {"", "not selected", "unselected", "-"}),
)
DASHES = re.compile(r"[\s._\u2010-\u2015\u2212-]+")
BETWEEN_NO_NUMBERS = re.compile(r"(?<=\D)-|-(?=\D)")  # 1-1 is not 11
LINE_SHOWN = 40  # letters of a line
R_VECTOR = ["", "x"]  # what write.csv puts above the row numbers and the names of a vector


def wide_cells(rows: headings.TextRows, header: bool | None = None) -> Wide | None:
    """The table, if all its cells are marks of one kind (which are 1) or numbers; None where they are not."""
    width = max(map(len, rows))
    square = [[*row, *[""] * (width - len(row))] for row in rows]
    if header is None and len(square) > 1 and _may_name_columns(square[0], square[1:]):
        told = f"The first row ({some_names(square[0])}) may name the columns or hold numbers like the rest; give "
        ways = *either("header", True, False), ", or for lists of identifiers ", *either("layout", COLUMNS, ROWS)
        raise InputError(told, *ways, ".")
    for headed in (True, False) if header is None else (header,):
        for labelled in (False, True):
            found = _of_cells(square, headed, labelled, header)
            if found is not None:
                return found
    return None


def with_row_names(table: Wide, transpose: bool | None) -> Wide:
    """The table, whose rows have names that are those of runs or of features; asked for where nobody can tell."""
    first = table.first
    if table.labels is None or first == RUN:
        return table
    p_values = table.features is not None and all(headings.is_p_value(str(name)) for name in table.features)
    numbered = headings.are_called_runs(table.labels) or headings.are_row_numbers(table.labels, None)
    if first == "" and (p_values or numbered):
        return table
    columns = [first or "1", *(table.features if table.features is not None else ())]
    labels, told = names_of_rows(list(table.labels), "The table", columns, transpose)
    if labels is None and told is None:
        raise unknown_rows("The table", "numbers", first or "1", table.labels)
    return table._replace(labels=table.labels if labels is None else labels, transposed=told)


def _may_name_columns(cells: Sequence[str], body: headings.TextRows) -> bool:
    """Whether numbers may be identifiers above columns of numbers: distinct, and neither 0/1 nor ranks; fractions only
    above 0/1."""
    if len(set(cells)) < len(cells) or set(cells) <= headings.ZERO_ONE or not all(map(headings.is_number, cells)):
        return False
    if not all(cell.isdecimal() for cell in cells):
        return set(_cells(body)) <= headings.ZERO_ONE
    return sorted(map(int, cells)) != list(range(1, len(cells) + 1)) and _numbers(body) is not None


def _of_cells(square: list[list[str]], headed: bool, labelled: bool, header: bool | None) -> Wide | None:
    body, heading = [row[labelled:] for row in square[headed:]], square[0][labelled:]
    numbered = header is None and all(map(headings.is_number, square[0]))
    marked = header is None and labelled and headings.is_row_of_marks(square[0])
    if not body or not body[0] or (headed and (numbered or marked or "" in heading)):
        return None
    found = {cell.lower() for cell in _cells(body)}
    yes = next((yes for yes, no in WAYS if found <= yes | no and found & yes), None)
    marks = None if yes is None else np.array([[cell.lower() in yes for cell in row] for row in body], np.float64)
    p_values = headed and all(map(headings.is_p_value, heading))  # some of which may be NA
    array = marks if marks is not None else _numbers(body, gaps=p_values)
    if array is None:
        return None
    firsts = [row[0] for row in square[headed:]]
    if labelled and not headed and all(map(headings.is_number, firsts)):
        return None
    labels, written = (firsts, None) if labelled else (None, firsts)
    first = square[0][0] if labelled and headed else None
    plain = marks is None or set(_cells(body)) <= {"0", "1", "0.0", "1.0"}
    return Wide(array, heading if headed else None, labels, None, written, first, not plain)


def _cells(body: Iterable[Sequence[str]]) -> Iterable[str]:
    return (cell for row in body for cell in row)


def _numbers(body: headings.TextRows, *, gaps: bool = False) -> Floats | None:
    """The numbers of cells; None where a cell is none, unless it may be a gap, which is NaN."""
    known = [cell for cell in _cells(body) if not (gaps and cell in NULLS)]
    if not known or not all(map(headings.is_number, known)):
        return None
    return np.array(
        [[headings.number_of(cell) if headings.is_number(cell) else np.nan for cell in row] for row in body]
    )


def entries_of_rows(cells: headings.TextRows, reading: ReadOptions, *, short: bool = False) -> Entries:
    """The runs of a table of text cells, with a line of what was understood as its first note.

    `short`: the first row may be a header without a name for the first column, which only tables of numbers have.
    """
    rows = [[cell.strip() for cell in row] for row in cells]
    rows = [row for row in rows if any(row)]
    if not rows:
        raise InputError("The table has no cells; expected lists of names, or a table of runs and features.")
    if reading.layout in LISTS:
        return entries_of_lists(_lists(rows, reading.layout, reading), reading)
    if reading.layout is None and reading.top is not None and (ranked := list_by_p(rows, reading.top)) is not None:
        return entries_of_lists(ranked, reading)
    of_r = entries_of_r(rows, reading)
    if of_r is not None:
        return of_r
    columns, _, notes = without_row_numbers(columns_of(rows))
    if reading.layout in (None, CELLS):
        within = lists_in_cells(rows, columns, certain=reading.layout == CELLS)
        if within is not None:
            return entries_of_lists(within, reading)
        if reading.layout == CELLS:
            told = "No column of the table holds several names in its cells. For one name in each cell give "
            raise InputError(told, *either("layout", COLUMNS, ROWS, LONG), ".")
    if notes and reading.layout != LONG and headings.is_feature_word(columns[0][0]):
        # The index of a frame before a column of features and one or more of numbers.
        numbers = wide_cells(list(zip(*columns, strict=True)), reading.header) if len(columns) > 1 else None
        if numbers is not None:
            entries = entries_of_numbers(with_row_names(numbers, reading.transpose), reading)
            return entries._replace(notes=(*entries.notes, *notes))
    if is_long(columns, reading):
        entries = entries_of_pairs(columns, roles(columns, reading), reading)
        return entries._replace(notes=(*entries.notes, *notes))
    if len(rows) == 1 and len(columns) > 1:
        told = "The table has no rows; expected one row per run. If its names are a list, or lists of one name, give "
        raise InputError(told, *either("layout", ROWS, COLUMNS), ".")
    wide = wide_cells([["", *rows[0]], *rows[1:]] if short else rows, reading.header)
    if wide is not None:
        return entries_of_numbers(with_row_names(wide, reading.transpose), reading)
    if reading.layout in (WIDE, RANKS, IMPORTANCES):
        cells = "0 and 1, or marks such as x and blanks" if reading.layout == WIDE else "numbers"
        told = f"The cells are not those of the layout {reading.layout}: {cells}; if they are names, give "
        raise InputError(told, *either("layout", COLUMNS, ROWS), ".")
    _refuse_wrong_cells(rows)
    return entries_of_lists(_lists(rows, layout_of_names(rows), reading), reading)


def _refuse_wrong_cells(rows: headings.TextRows) -> None:
    """A table of 0 and 1 or of fractions in which a few cells are something else is no table of names.

    Nor is one of numbers beside names that lacks some of the numbers.
    """
    body = [(i, f, cell) for i, row in enumerate(rows[1:], 2) for f, cell in enumerate(row) if f]
    named = len(rows[0]) > 1 and not any(map(headings.is_number, [*rows[0], *(row[0] for row in rows[1:])]))
    blank = next(((i, f) for i, f, cell in body if not cell), None)
    if named and blank is not None and all(headings.is_number(cell) for _, _, cell in body if cell):
        i, f = blank
        raise InputError(f"Row {i} holds no number in column {f + 1}; expected one in every cell beside the names.")
    fractions = {cell for _, _, cell in body if headings.is_number(cell) and not cell.isdigit()}
    for fitting, wanted in ((headings.ZERO_ONE, "0 or 1"), (fractions, "a number")):
        wrong = [(i, f, cell) for i, f, cell in body if cell not in fitting]
        if body and 2 * len(wrong) < len(body):
            if wanted == "a number" and _are_lists_of_numbers(rows, [cell for _, _, cell in wrong]):
                return
            i, f, cell = wrong[0] if wrong else (2, 0, rows[1][0])
            what = repr(cell) if cell else "nothing"
            raise InputError(f"Row {i} holds {what} in column {f + 1} ({rows[0][f : f + 1]}); expected {wanted}.")


def _are_lists_of_numbers(rows: headings.TextRows, wrong: Sequence[str]) -> bool:
    """Whether columns or rows of numbers end at different places, and share numbers: masses as names of features."""
    columns = columns_of(rows)
    for lists in (columns, rows):
        if wrong and not any(wrong) and _from_the_edge(lists) and _once_each(lists):
            counts = Counter(name for cells in lists for name in set(cells) - {""})
            if max(counts.values()) > 1:
                return True
    return False


def _lists(rows: headings.TextRows, layout: str, reading: ReadOptions) -> Lists:
    if layout == GMT:
        return gene_sets_in_rows(rows, certain=reading.layout == GMT)
    if layout == GMX:
        return gene_sets_in_columns(rows)
    spaced = layout == ROWS and all(len(row) == 1 for row in rows) and any(" " in row[0] for row in rows)
    if spaced:
        rows = [row[0].split() for row in rows]
    if spaced or bool(reading.transpose) != (layout == ROWS):
        return labelled(rows, reading.header, "row", ("names separated by spaces",) if spaced else ())
    columns, told, notes = without_row_numbers(columns_of(rows))
    return labelled(columns, told if reading.header is None else reading.header, "column", notes)


def layout_of_names(rows: headings.TextRows) -> str:
    """Whether lists of names stand in columns or in rows.

    A list holds a name once, and starts at the edge of the table; names that several lists share show up in several
    columns, whereas in a table of something else they keep to their own.
    """
    if _looks_like_gmt(rows):
        return GMT
    # Words for missing values fill the ends of lists, or they are names.
    in_columns_as_named, in_rows_as_named = map(_are_lists_at_the_edge, (columns_of(rows), rows))
    rows = [["" if cell in NO_NAMES else cell for cell in row] for row in rows]
    columns, told, _ = without_row_numbers(columns_of(rows))
    if len(columns) == 1:
        _refuse_spaces(columns[0])
        _refuse_pairs(columns[0])
        return COLUMNS
    in_columns = in_columns_as_named or _are_lists_at_the_edge(columns)
    in_rows = in_rows_as_named or _are_lists_at_the_edge(rows)
    counts = Counter(name for column in columns for name in set(column) - {""})
    shared = max(counts.values(), default=0) > 1  # some name stands in two columns
    if in_columns != in_rows and shared:
        return COLUMNS if in_columns else ROWS
    if in_columns and in_rows and shared:
        if told or headings.are_called_runs([column[0] for column in columns]):
            return COLUMNS
        if headings.are_called_runs([row[0] for row in rows]):
            return ROWS
        above, before = (headings.is_heading([list(filter(None, cells)) for cells in one]) for one in (columns, rows))
        if above != before and (above or before):
            return COLUMNS if above else ROWS
    both = in_columns == in_rows
    fitting = [name for name, fits in ((COLUMNS, in_columns or both), (ROWS, in_rows or both)) if fits]
    layouts = fitting if in_columns or in_rows else [*fitting, LONG]
    raise InputError(_why(in_columns, in_rows, shared, columns), "give ", *either("layout", *layouts), ".")


def _refuse_spaces(names: Sequence[str]) -> None:
    """Lines of several words that recur, or of symbols, are lists that spaces separate, or names of several words."""
    words = [set(name.split()) for name in names if name]
    every = {word for some in words for word in some}
    recurring = len(every) < sum(map(len, words))
    if len(words) > 1 and all(len(some) > 1 for some in words) and (recurring or all(map(headings.is_symbol, every))):
        shown = some_names([shorten(name, LINE_SHOWN, placeholder=" ...") for name in names])
        told = f"The lines ({shown}) may be lists whose names are separated by spaces, or single names; "
        ways = Argument("layout", ROWS), ", in the second ", Argument("layout", COLUMNS)
        raise InputError(f"{told}in the first case give ", *ways, ".")


def _refuse_pairs(names: Sequence[str]) -> None:
    """Refuse lines all of which have a separator: they are lists, or names such as those of protein groups."""
    cells = [name for name in names if name]
    for mark in (";", "|", "/"):
        split = [cell.split(mark) for cell in cells]
        numbered = mark == "|" and all(parts[-1].strip().isdecimal() for parts in split)
        if len(cells) > 1 and all(len(parts) > 1 for parts in split) and not numbered:
            shown = some_names([shorten(cell, LINE_SHOWN, placeholder=" ...") for cell in cells])
            told = f"The lines ({shown}) may be lists of names or single names; "
            ways = Argument("layout", ROWS), ", in the second ", Argument("layout", COLUMNS)
            raise InputError(f"{told}in the first case give ", *ways, ".")


def _why(in_columns: bool, in_rows: bool, shared: bool, columns: headings.TextRows) -> str:
    firsts = some_names([column[0] for column in columns])
    if in_columns and in_rows and shared:
        return f"The names may be lists in columns ({firsts} first) or in rows; "
    if in_columns or in_rows:
        return (
            f"The columns ({firsts} first) share no name, as if they were no lists of the same features; if they are, "
        )
    if shared:
        return f"Names recur within columns and within rows ({firsts} first), as in no list; if they are lists, "
    return f"The table ({firsts} first) is neither one of 0 and 1, marks or numbers, nor clearly one of lists; "


def _from_the_edge(lists: headings.TextRows) -> bool:
    """Whether each list has its blanks after its names."""
    return all("" not in cells[: len([cell for cell in cells if cell])] for cells in lists)


def _are_lists_at_the_edge(lists: headings.TextRows) -> bool:
    return _from_the_edge(lists) and _once_each(lists)


def _once_each(lists: headings.TextRows) -> bool:
    filled = ([cell for cell in cells if cell] for cells in lists)
    return all(len(set(cells)) == len(cells) for cells in filled)


def _looks_like_gmt(rows: headings.TextRows) -> bool:
    """A second column that is no name: a word for nothing, an address, or words where names have no spaces."""
    if len(rows) < 2 or min(map(len, rows)) < 3:
        return False
    second = [row[1] for row in rows]
    names = [cell for row in rows for cell in row[2:] if cell]
    elsewhere = not set(second).isdisjoint(names)
    if elsewhere or len({row[0] for row in rows}) < len(rows):
        return False
    addresses = all("://" in cell for cell in second)
    sentences = all(" " in cell for cell in second) and not any(" " in name for name in names)
    once = _once_each([row[2:] for row in rows])
    words = set(second) - {""}
    # A program writes one word if there is no description; different words may be names.
    return once and ((len(words) < 2 and words <= NO_NAMES | {"na"}) or addresses or sentences)


NO_NAMES = NULLS.union(["None", "none"]) - {""}


class Lists(NamedTuple):
    """Names as they stand in each list, the labels of the lists where they have some, and where they were found.

    `ranked`: the lists are tables of tests, which p-values have ranked; `universe`: the features that all of them hold.
    """

    lists: list[list[str]]
    labels: list[str] | None
    source: str
    notes: tuple[str, ...] = ()
    ranked: bool = False
    universe: tuple[str, ...] | None = None


def entries_of_lists(found: Lists, reading: ReadOptions) -> Entries:
    """The lists as runs; the notes say what was understood."""
    notes = list(found.notes)
    lists = [[name for name in cells if name and name not in NO_NAMES] for cells in found.lists]
    no_names = Counter(name for cells in found.lists for name in cells if name in NO_NAMES)
    if no_names:
        words = ", ".join(repr(word) for word in sorted(no_names))
        notes.append(f"{several(no_names.total(), 'cell')} with {words} count as empty")
    distinct = [list(dict.fromkeys(names)) for names in lists]
    twice = sum(map(len, lists)) - sum(map(len, distinct))
    if twice:
        name = next(name for names in lists for name, count in Counter(names).items() if count > 1)
        notes.append(f"{several(twice, 'repeated name')} within a list dropped (such as {name!r})")
    if reading.top is not None:
        distinct = [names[: reading.top] for names in distinct]
        sorting = "" if found.ranked else ", as lists are taken to be sorted best first"
        notes.append(f"of each list the first {reading.top:,}{sorting}")
    if empty := sum(not names for names in distinct):
        notes.append(f"{several(empty, 'list')} without a name, so that nothing was selected")
    if reading.layout is None:
        _refuse_joined(set(chain.from_iterable(distinct)))
    features = reading.features if reading.declared else found.universe
    entries = entries_among(distinct, found.labels, features, reading.n_features)
    used = set(chain.from_iterable(distinct))
    notes += names_alike(used)
    notes += gene_dates_in(sorted(used), "among the names")
    line = (
        f"{several(len(distinct), 'run')} from {found.source}; {several(len(used), 'distinct name')}; "
        f"{universe_in_words(entries.features)}"
    )
    return entries._replace(notes=(line, *notes))


def _refuse_joined(names: set[str]) -> None:
    """Refuse names most of which are several, with separators between them."""
    for mark in (";", " /// ", ",", "|"):
        joined = sorted(name for name in names if name.count(mark) + 1 >= LONGER_THAN_A_NAME)
        if sum(name.count(mark) + 1 for name in joined) > len(names):
            told = f"The names ({some_names([_short(name) for name in joined])}) may hold several names each, or one; "
            ways = Argument("layout", CELLS), "; if they are single names, give ", *either("layout", COLUMNS, ROWS)
            raise InputError(f"{told}if they are lists, give ", *ways, ".")


def gene_sets_in_rows(rows: headings.TextRows, *, certain: bool = True) -> Lists:
    """GMT: one row per list, its name, a description, then its members.

    Unless the format is `certain`, words for no description are named too, because they may be names.
    """
    short = next((i for i, row in enumerate(rows) if len(row) < 2 or not row[0]), None)
    if short is not None:
        form = "(a name, a description and the members, separated by tabs)"
        told = f"Line {short + 1} is no gene set of the GMT format {form}; if it is another layout, give "
        raise InputError(told, *either("layout", ROWS, COLUMNS), ".")
    empty = NO_NAMES | {"na"} if certain else set()
    left_out = list(dict.fromkeys(row[1] for row in rows if row[1] and row[1] not in empty))
    notes = (f"descriptions in the second column left out ({some_names(left_out)})",) if left_out else ()
    return Lists([list(row[2:]) for row in rows], [row[0] for row in rows], several(len(rows), "GMT line"), notes)


def gene_sets_in_columns(rows: headings.TextRows) -> Lists:
    """GMX: one column per list, its name in the first row, a description in the second, then its members."""
    columns = columns_of(rows)
    if len(rows) < 2 or not all(column[0] for column in columns):
        told = "A GMX file has the names of its gene sets in the first row and descriptions in the second; "
        raise InputError(f"{told}if it is another layout, give ", Argument("layout", COLUMNS), ".")
    labels = [column[0] for column in columns]
    return Lists([column[2:] for column in columns], labels, several(len(columns), "GMX column"))


class SingleList(NamedTuple):
    """The cells of a file or sheet that holds one list; `headed` if its form tells whether the first is a heading.

    `one_line`: they are all in one line, with separators between them; `ranked_by`: what is told of p-values that have
    ranked them; `features`: all features of a table of tests, also those without a p-value.
    """

    cells: list[str]
    headed: bool | None = None
    one_line: bool = False
    ranked_by: str = ""
    features: frozenset[str] = frozenset()


def one_list(rows: headings.TextRows) -> SingleList | None:
    """The list of a file or sheet that holds one, a name a line or all in one line; None where it does not."""
    if len(rows) == 1:
        several_names = len(rows[0]) > 1
        return SingleList(list(rows[0]), False if several_names else None, several_names)
    if len(rows) == 2 and rows[0] == R_VECTOR and len(rows[1]) == 2 and rows[1][0] == "1":
        return SingleList([rows[0][1], rows[1][1]], True)
    columns, headed, _ = without_row_numbers(columns_of(rows))
    if len(columns) != 1:
        return None if columns else SingleList([])
    return SingleList(columns[0], headed)


def without_headings(
    found: Sequence[SingleList], labels: Sequence[str], kind: str, header: bool | None
) -> tuple[list[list[str]], tuple[str, ...]]:
    """The names of lists that stand in a file or sheet (`kind`) each, and a note where the first cells are headings.

    All of them are headings, or none is: a first name that only one list has is no heading for that.
    """
    filled = [place for place, one in enumerate(found) if one.cells]
    headed = [one.headed if header is None else header for one in found]
    open_ = [place for place in filled if headed[place] is None]
    cells = [found[place].cells for place in open_]
    if open_:
        together = headings.is_heading(cells, [labels[place] for place in open_])
        words = [headings.is_feature_word(first) for first, *_ in cells]
        if not together and len(cells) > 1 and headings.is_list_word(cells[0][0]):
            together = len({first for first, *_ in cells}) == 1 and _nowhere_else(cells, [True] * len(cells))
        if not together and any(words) and not all(words) and _nowhere_else(cells, words):
            some = [one[0] for one, word in zip(cells, words, strict=True) if word]
            told = f"The first line of {several(len(some), kind)} of {len(filled)} ({some_names(some)}) reads as a "
            told += "heading, and the others begin with names. If it is a heading, remove it; if it is a feature, give "
            raise InputError(told, Argument("header", False), ".")
        firsts = [one[0] for one in cells]
        names = set(chain.from_iterable(one[1:] for one in cells))
        alike = together is None and headings.look_alike(firsts, names)
        if together is None and not alike and headings.chance_of_lone_firsts(cells) < headings.SURE:
            told = f"The first line of each {kind} ({some_names(firsts)}) may be a heading or the name of a feature; "
            ways = Argument("header", True), "; if it is a feature, give ", Argument("header", False)
            raise InputError(f"{told}if it is a heading, give ", *ways, ".")
        for place in open_:
            headed[place] = bool(together)
    firsts = list(dict.fromkeys(found[place].cells[0] for place in filled if headed[place]))
    notes: tuple[str, ...] = ()
    if firsts:
        count = sum(bool(headed[place]) for place in filled)
        which = f"each {kind}" if count == len(filled) else several(count, kind)
        notes = (f"the first line of {which} ({some_names(firsts)}) is a heading and not a feature",)
    return [one.cells[bool(head) :] for one, head in zip(found, headed, strict=True)], notes


def _nowhere_else(lists: Sequence[Sequence[str]], words: Sequence[bool]) -> bool:
    """Whether first cells that are words for features occur below no other first cell."""
    firsts = {cells[0] for cells, word in zip(lists, words, strict=True) if word}
    return firsts.isdisjoint(chain.from_iterable(cells[1:] for cells in lists))


def list_by_p(rows: headings.TextRows, top: int) -> Lists | None:
    """The features of a table of tests, those with the smallest p-values first; None for any other table."""
    found = table_of_tests(rows, top)
    if found is None:
        return None
    return Lists([found.cells], None, "1 table of tests", (found.ranked_by,), ranked=True)


def table_of_tests(rows: headings.TextRows, top: int) -> SingleList | None:
    """Return the list of a file or sheet that is a table of tests; None for any other table."""
    found = ranked_by_p(rows, top)
    if found is None:
        return None
    named_by = f"names from the column {found.name_heading!r}, " if found.name_heading else ""
    note = f"{named_by}ranked by the p-values of {found.p_heading!r}, of which the smallest are best"
    features = frozenset(found.features) - NO_NAMES - {""}
    return SingleList(found.names, False, ranked_by=note, features=features)


def with_ranking(found: Lists, singles: Sequence[SingleList]) -> Lists:
    """The lists of files or sheets, with what is known if all of them are tables of tests.

    Tables of the same features have all features that could be selected, also those without a p-value.
    """
    filled = [one for one in singles if one.cells]
    told = tuple(dict.fromkeys(one.ranked_by for one in filled if one.ranked_by))
    if not filled or not all(one.ranked_by for one in filled):
        return found._replace(notes=(*told, *found.notes))
    same = len(filled) > 1 and len({one.features for one in filled}) == 1
    universe = tuple(sorted(filled[0].features)) if same else None
    return found._replace(notes=(*told, *found.notes), ranked=True, universe=universe)


def columns_of(rows: headings.TextRows) -> list[list[str]]:
    """The columns of rows of any length, as long as the longest; columns without any cell are left out."""
    columns = [list(column) for column in zip_longest(*rows, fillvalue="")]
    return [column for column in columns if any(column)]


def without_row_numbers(columns: list[list[str]]) -> tuple[list[list[str]], bool | None, tuple[str, ...]]:
    """The columns without a first one that counts the rows; it also tells whether the first row is a heading."""
    if len(columns) > 1:
        for headed in (False, True):
            if headings.are_row_numbers(columns[0][headed:], columns[0][0] if headed else None):
                return columns[1:], headed, ("the first column, which counts the rows, is left out",)
    return columns, None, ()


def labelled(lists: headings.TextRows, header: bool | None, what: str, notes: Iterable[str]) -> Lists:
    """Lists that are columns or rows of a table, with or without a label in their first cells."""
    headed = header
    if header is None:
        filled = [[cell for cell in cells if cell] if cells and cells[0] else cells for cells in lists]
        headed = headings.is_heading(filled)
    firsts = [cells[0] for cells in lists] if headed is not False else []
    if headed is None:
        across = "row" if what == "column" else "column"
        told = f"The first {across} ({some_names(firsts)}) may hold the labels of the lists or be part of them; "
        ways = Argument("header", True), "; if not, ", Argument("header", False)
        raise InputError(f"{told}if it holds their labels, give ", *ways, ".")
    labels = firsts if headed else None
    if labels is not None and all(map(headings.is_feature_word, labels)):
        labels = None if len(set(labels)) < len(labels) or len(labels) == 1 else labels
    source = several(len(lists), what) + (" with a heading" if headed and what == "column" else "")
    return Lists([list(cells[headed:]) for cells in lists], labels, source, tuple(notes))


def names_alike(names: set[str]) -> list[str]:
    """Return a note on names that differ in case, in dashes and the like, or in both alone."""
    notes = []
    by_case = _pairs(names, str.casefold)
    if by_case:
        notes.append(f"names that differ only in case count as different features: {_in_words(by_case)}")
    by_marks = [pair for pair in _pairs(names, _bare) if pair not in by_case]
    if by_marks:
        notes.append(
            f"names that differ only in dashes and the like count as different features: {_in_words(by_marks)}"
        )
    return notes


def _bare(name: str) -> str:
    """A name in one case, with the same dash for all marks between numbers, and none between other parts."""
    return BETWEEN_NO_NUMBERS.sub("", DASHES.sub("-", name.casefold()))


def _pairs(names: set[str], key: Callable[[str], str]) -> list[tuple[str, str]]:
    seen: dict[str, str] = {}
    pairs = []
    for name in sorted(names):
        other = seen.setdefault(key(name), name)
        if other != name:
            pairs.append((other, name))
    return pairs


def _in_words(pairs: Sequence[tuple[str, str]]) -> str:
    first, second = pairs[0]
    more = "" if len(pairs) == 1 else f" and {len(pairs) - 1:,} more"
    return f"{first!r} and {second!r}{more}"


WRAPPER = re.compile(r"(?:c|list|tuple|set|frozenset|array|np\.array|Index|pd\.Index)\s*\((.*)\)", re.DOTALL)
BRACKETED = re.compile(r"\[(.*)\]|\((.*)\)|\{(.*)\}", re.DOTALL)
SEVERAL = re.compile(r"\[[^\[\]]*,[^\[\]]*\]|\{[^{}]*,[^{}]*\}|\[\s*\d+(?:\s+\d+)+\s*\]")
ABOUT_ITSELF = re.compile(r",\s*(?:dtype|name|length)=(?:'[^']*'|[^,]*)$")
TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
QUOTED = re.compile(TEXT)
BARE = r"""[^\s,'"\[\](){}:]+(?:[ \t]+[^\s,'"\[\](){}:]+)*"""
NAME = re.compile(rf"\s*(?:np\.str_\(\s*(?P<numpy>{TEXT})\s*\)|(?P<quoted>{TEXT})|(?P<bare>{BARE}))\s*")
NONE = ("character(0)", "integer(0)", "NULL", "None", "NA", "nan", "NaN", "set()", "frozenset()", "")
GAPS = ("NA", "None", "nan", "NaN", "NULL")
SEQUENCE, LONGEST = re.compile(r"(\d{1,9}):(\d{1,9})"), 1_000_000
CUT_SHORT = re.compile(r"\.\.\.|…")
Splitter = Callable[[str], list[str] | None]

PRINTED = "names in brackets"
STRONGER = (" /// ", ";", "|")  # than spaces
SPACES, BARS = "spaces", "bars"
WITHIN_NAMES = (",", "/")  # T cells, activated; CD3/CD28
UNSURE = (" ", "/")  # these stand in names, too
FEW_COLUMNS = 4  # beside a column of lists
LONGER_THAN_A_NAME = 3  # parts between separators
SEPARATORS = {
    " /// ": "slashes",
    ";": "semicolons",
    "|": BARS,
    ",": "commas",
    "/": "slashes",
    " + ": "plus signs",
    " & ": "ampersands",
    " ": SPACES,
}
TORN = re.compile(r"[^\[({]*[\])}].*|.*[\[({][^\])}]*|['\"].*[^'\"]|[^'\"].*\"")
NO_VALUE = re.compile(r"(?<!\S)#?[Nn]/[Aa](?!\S)")
LABELLED = re.compile(r"([^:]*[^:\s]):\s+(\S.*)")


def are_printed(cells: Sequence[str]) -> bool:
    """Whether several of the cells can be nothing but printed lists."""
    return sum(_is_printed(cell) for cell in cells) > 1


def printed_names(cell: str) -> list[str] | None:
    """The names of a printed list; None where the cell is none."""
    inner = _inner(cell)
    if inner is None:
        return [] if cell in NONE else None
    if not inner.strip():
        return []
    if CUT_SHORT.search(QUOTED.sub("", inner)):
        raise InputError(
            f"The cell {_short(cell)} holds a list that was cut short when it was printed; write all of its names, "
            "separated by semicolons."
        )
    return _names(inner)


def one_or_more(cell: str) -> list[str] | None:
    """The names of a cell beside printed lists: R prints a list of one name as that name, and 1, 2, 3 as 1:3."""
    names = printed_names(cell)
    if names is None and (ends := SEQUENCE.fullmatch(cell)):
        first, last = int(ends[1]), int(ends[2])
        return [str(number) for number in range(first, last + 1)] if first <= last < first + LONGEST else None
    if names is None and not re.search(r"[\[\](){},'\"]", cell):
        return [cell]
    return names


def _is_printed(cell: str) -> bool:
    """Brackets behind a word that makes lists, or with quotes in them; and those of no name of a feature."""
    if not cell.endswith((")", "]", "}")):  # nearly all cells of nearly all files
        return False
    return bool(WRAPPER.fullmatch(cell) or SEVERAL.fullmatch(cell)) or (
        BRACKETED.fullmatch(cell) is not None and QUOTED.search(cell) is not None
    )


def _inner(cell: str) -> str | None:
    """What stands between the brackets; None where there are none."""
    wrapped = WRAPPER.fullmatch(cell)
    inside = wrapped[1] if wrapped else cell
    while wrapped and (ending := ABOUT_ITSELF.search(inside)):
        inside = inside[: ending.start()]
    found = BRACKETED.fullmatch(inside.strip())
    if found is not None:
        return next(part for part in found.groups() if part is not None)
    return inside if wrapped else None


def _names(inner: str) -> list[str] | None:
    """The names one after the other; NumPy puts no commas between them."""
    if re.fullmatch(r"\s*\d+(\s+\d+)+\s*", inner):
        return inner.split()
    names, place, quotes = [], 0, bool(QUOTED.search(inner))
    while place < len(inner):
        found = NAME.match(inner, place)
        if found is None or (quotes and found["bare"] in GAPS):
            return None
        text = found["numpy"] or found["quoted"]
        names.append(found["bare"] if text is None else _unquoted(text))
        place = found.end()
        if place < len(inner) and inner[place] == ",":
            place += 1
        elif place < len(inner) and text is None:
            return None
    return names if all(names) else None


def _unquoted(text: str) -> str:
    if "\\" not in text:
        return text[1:-1]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a backslash that is none of Python's escapes
            return str(ast.literal_eval(text))
    except (SyntaxError, ValueError):  # an escape of R alone
        return text[1:-1]


def _short(cell: str) -> str:
    return repr(cell if len(cell) <= 40 else f"{cell[:37]}...")


def lists_in_cells(rows: headings.TextRows, columns: headings.TextRows, *, certain: bool = False) -> Lists | None:
    """A table with one row per run, one column of which holds the whole list; None where it is something else.

    `certain`: somebody said so.
    """
    whole = _rejoined(rows)
    if whole is not None and (headed := _are_lists(whole, one_or_more)) is not None:
        return _found(whole, [], headed, PRINTED, one_or_more)
    unclear: Lists | None = None
    for place, column in enumerate(columns):
        others = [list(other) for f, other in enumerate(columns) if f != place]
        for mark, parts in _splitters(column, spaces=len(columns) > 1):  # lines of words may be single names
            words = PRINTED if mark is None else f"names separated by {SEPARATORS[mark]}"
            headed = _are_lists(column, parts)
            if headed is not None and not (mark in WITHIN_NAMES and _is_within_names(column, mark)):
                return _found(column, others, headed, words, parts)
            if mark is None:
                continue
            plain = partial(_between_all, mark)
            headed = _may_be_lists(column, others, mark, plain)
            found = None if headed is None else _found(column, others, headed, words, plain)
            if found is not None and (unclear is None or _n_names(found) > _n_names(unclear)):
                unclear = found
        # Printed lists that are none of names, such as dictionaries: commas would tear them apart.
        wrong = (cell for cell in column if _is_printed(cell) and printed_names(cell) is None)
        if are_printed(column) and (cell := next(wrong, None)) is not None:
            raise InputError(
                f"The cell {_short(cell)} looks like a printed list, but it is not one of names; write the names, "
                "separated by semicolons."
            )
    if unclear is not None and not certain and not _are_many(unclear.lists):
        cells = [cell for column in columns for cell in column if any(mark in cell for mark in SEPARATORS)]
        told = f"The cells ({some_names([_short(cell) for cell in cells])}) may hold several names each, or one; "
        ways = Argument("layout", CELLS), "; for one name in each cell give ", Argument("layout", LONG)
        raise InputError(f"{told}for several names give ", *ways, ".")
    return unclear or _labelled_rows(rows)


def _are_many(lists: Sequence[Sequence[str]]) -> bool:
    """Whether most lists are longer than any name with separators in it, and have no words of sentences."""
    longer = sum(len(names) >= LONGER_THAN_A_NAME for names in lists)
    words = [name for names in lists for name in names]
    signs = any(_are_words_and_signs(" ", names) for names in lists)
    return 2 * longer > len(lists) and not signs and not any(name.isalpha() and name.islower() for name in words)


def _n_names(found: Lists) -> int:
    return sum(re.search(r"\w", name) is not None for names in found.lists for name in names)


def _between_all(mark: str, cell: str) -> list[str]:
    """The parts of a cell between separators, whatever they are."""
    return [name.strip() for name in cell.split(mark) if name.strip()]


def _may_be_lists(column: Sequence[str], others: Sequence[Sequence[str]], mark: str, parts: Splitter) -> bool | None:
    """Whether a first cell is a heading, of a column of cells with separators beside one that names the rows.

    None where each cell can only be a single name: names of The Cancer Genome Atlas are a symbol and a number.
    """
    if len(others) >= FEW_COLUMNS:
        return None
    split = [parts(cell) or [] for cell in column]
    above = [column[0], *(other[0] for other in others)]
    headed = len(split[0]) <= 1 or any(headings.is_feature_word(cell) or headings.is_run_word(cell) for cell in above)
    body = split[headed:]
    several_names = [names for names in body if len(names) > 1]
    named = any(_name_the_rows(list(other[headed:])) for other in others)
    if not named or len(body) < 2 or 2 * len(several_names) < len(body):
        return None
    parts_of_names = [name for names in several_names for name in names]
    numbered = mark == "|" and all(len(names) == 2 and names[1].isdecimal() for names in several_names)
    short = all(len(names) <= 2 for names in several_names)
    identified = all(headings.is_symbol(name) or re.search("[0-9_]", name) for name in parts_of_names)
    last_word = column[0].split()[-1:] if headed else []
    plural = any(headings.is_feature_word(word) and word.casefold().endswith("s") for word in last_word)
    unsure = mark in UNSURE and not identified and not (plural and len(several_names) == len(body))
    torn = any(map(TORN.fullmatch, parts_of_names))
    return None if numbered or (short and (unsure or torn)) else headed


def _rejoined(rows: headings.TextRows) -> list[str] | None:
    """Lines that are printed lists, which whoever read the file took apart at their commas."""
    if not any(TORN.fullmatch(row[0]) for row in rows if len(row) > 1):
        return None
    lines = [", ".join(filter(None, row)) for row in rows]
    return lines if all(printed_names(line) is not None for line in lines[1:]) else None


def _found(
    column: Sequence[str], others: Sequence[list[str]], headed: bool, words: str, parts: Splitter
) -> Lists | None:
    lists = [parts(cell) or [] for cell in column[headed:]]
    naming = _naming(others, headed, parts, set(chain.from_iterable(lists)))
    if others and not naming:  # rows of one run are those of a long table, whose features have such names
        return None
    labels = [" ".join(cells) for cells in zip(*naming, strict=True)][headed:]
    unused = [other[0] for other in others if other not in naming]
    notes = [f"each cell{f' of {column[0]!r}' if headed else ''} is a list: {words}"]
    notes += [f"runs named by {some_names([other[0] for other in naming])}"] if headed and naming else []
    notes += [f"not used: {some_names(unused)}"] if headed and unused else []
    source = several(len(lists), "cell")
    return Lists(lists, labels or None, source, tuple(notes))


def _naming(others: Sequence[list[str]], headed: bool, parts: Splitter, features: set[str]) -> list[list[str]]:
    """The columns that name the runs: seed and fold together, or the first that has its own cell in each row.

    A column with names of the features is another list.
    """
    called = [other for other in others if headed and headings.is_run_word(other[0])]
    if called and _name_the_rows([*zip(*called, strict=True)][headed:]):
        return called
    own = [other for other in others if _name_the_rows(other[headed:])]
    return [other for other in own if not any(features & {cell, *(parts(cell) or [])} for cell in other[headed:])][:1]


def _splitters(column: Sequence[str], *, spaces: bool) -> list[tuple[str | None, Splitter]]:
    """The ways to split cells, each with its separator; None for printed lists."""
    if are_printed(column):
        return [(None, one_or_more)]
    parted = sum(any(mark in cell for mark in STRONGER) for cell in column)
    spaces = spaces and 2 * parted < len(column)
    marks = [mark for mark in SEPARATORS if spaces or mark != " "]
    if any(NO_VALUE.search(cell) and cell not in NO_NAMES for cell in column):
        marks.remove("/")  # the slash is part of N/A
    return [(None, printed_names), *((mark, partial(_between, mark)) for mark in marks)]


def _between(mark: str, cell: str) -> list[str] | None:
    """The names of a cell between separators; one without any is one name."""
    if not cell or cell in NO_NAMES:
        return [cell] if cell else []
    names = [name.strip() for name in cell.split(mark)]
    names = names[:-1] if len(names) > 1 and not names[-1] else names  # one that ends with the separator
    # An identifier by itself may be all digits.
    is_decimal = mark in cell and headings.is_number(cell.replace(",", "."))
    words = mark == " " and not all(map(headings.is_symbol, names))
    is_one = is_decimal or words or _are_words_and_signs(mark, names)
    torn = len(names) > 1 and any(map(TORN.fullmatch, names))
    return None if is_one or torn or not all(names) else names


def _are_words_and_signs(mark: str, names: Sequence[str]) -> bool:
    """Whether plus signs, dashes and the like stand between words that spaces separate."""
    return mark == " " and any(not re.search(r"\w", name) for name in names)


def _are_lists(column: Sequence[str], parts: Splitter) -> bool | None:
    """Whether the cells of a column are lists, and if so whether it has a heading; None where they are none.

    Lists of the same features have names in common, also where the cells as a whole differ; printed ones need not.
    """
    split = [parts(cell) for cell in column]
    headed = split[0] is None or (len(split[0]) == 1 and split[0][0] not in set(chain.from_iterable(_known(split[1:]))))
    body = split[headed:]
    if len(body) < 2 or any(names is None for names in body):
        return None
    if parts is one_or_more:
        return headed
    if sum(len(names) > 1 for names in _known(body)) < 2:
        return None
    distinct = {tuple(names) for names in _known(body)}
    counts = Counter(chain.from_iterable(set(names) for names in distinct))
    return headed if any(count > 1 for count in counts.values()) else None


def _is_within_names(cells: Sequence[str], mark: str) -> bool:
    """Return whether cells share more names between other separators than between `mark`."""
    n_shared = {}
    for one in (mark, ";", "|", "/"):
        counts = Counter(chain.from_iterable(set(_between_all(one, cell)) for cell in set(cells)))
        n_shared[one] = sum(count > 1 for count in counts.values())
    return max(n_shared.values()) > n_shared[mark]


def _known(split: Sequence[list[str] | None]) -> list[list[str]]:
    return [names for names in split if names is not None]


def _name_the_rows(cells: Sequence[str] | Sequence[tuple[str, ...]]) -> bool:
    return bool(cells) and all(cells) and len(set(cells)) == len(cells)


def _labelled_rows(rows: headings.TextRows) -> Lists | None:
    """One list in each row, the label and a colon before its first name."""
    found = [LABELLED.fullmatch(row[0]) for row in rows]
    if len(rows) < 2 or not all(found) or not _name_the_rows([one[1] for one in found if one]):
        return None
    lists = [[one[2], *(cell for cell in row[1:] if cell)] for one, row in zip(found, rows, strict=True) if one]
    printed = [printed_names(", ".join(names)) for names in lists]
    if len(_known(printed)) == len(lists):
        lists = _known(printed)
    elif all(len(names) == 1 for names in lists):  # names that spaces separate
        lists = [_between(" ", names[0]) or names for names in lists]
    labels = [one[1].strip() for one in found if one]
    counts = Counter(chain.from_iterable(lists))
    if set(labels) & set(counts) or all(count == 1 for count in counts.values()):
        return None
    return Lists(lists, labels, several(len(rows), "row"), ("the label of each row stands before a colon",))
