"""Lists of names, one per run, as people keep them: in columns, in rows, as gene sets, or whole in one cell.

Such a cell holds `TP53;MYC`, or a list as Python, NumPy, pandas and R print it: `['TP53', 'MYC']`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, zip_longest
from typing import NamedTuple

from steadyset.foundation.errors import Argument, InputError, either
from steadyset.io.formats import headings
from steadyset.io.formats.columns import NULLS
from steadyset.io.formats.spreadsheet import gene_dates_in
from steadyset.io.labels import several, some_names
from steadyset.io.lists import COLUMNS, ROWS
from steadyset.io.lists.entries import Entries, ReadOptions, entries_among, universe_in_words

NO_NAMES = NULLS.union(["None", "none"]) - {""}


class Lists(NamedTuple):
    """Names as they stand in each list, the labels of the lists where they have some, and where they were found."""

    lists: list[list[str]]
    labels: list[str] | None
    source: str
    notes: tuple[str, ...] = ()


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
        notes.append(f"of each list the first {reading.top:,}, as lists are taken to be sorted best first")
    if empty := sum(not names for names in distinct):
        notes.append(f"{several(empty, 'list')} without a name, so that nothing was selected")
    entries = entries_among(distinct, found.labels, reading.features, reading.n_features)
    used = set(chain.from_iterable(distinct))
    notes += _only_by_case(used)
    notes += gene_dates_in(sorted(used), "among the names")
    line = (
        f"{several(len(distinct), 'run')} from {found.source}; {several(len(used), 'distinct name')}; "
        f"{universe_in_words(entries.features)}"
    )
    return entries._replace(notes=(line, *notes))


def lists_in_columns(rows: headings.TextRows, header: bool | None) -> Lists:
    """One column per list, with or without a heading, padded with blanks."""
    columns, told, notes = without_row_numbers(columns_of(rows))
    headed = _headed(columns, told if header is None else header, "row")
    return _labelled(columns, headed, "column", notes)


def lists_in_rows(rows: headings.TextRows, header: bool | None) -> Lists:
    """One row per list, with or without a label in its first cell; rows may have any length."""
    cells = [list(row) for row in rows]
    headed = _headed(cells, header, "column")
    return _labelled(cells, headed, "row", ())


def gene_sets_in_rows(rows: headings.TextRows) -> Lists:
    """GMT: one row per list, its name, a description, then its members."""
    short = next((i for i, row in enumerate(rows) if len(row) < 2 or not row[0]), None)
    if short is not None:
        raise InputError(
            f"Line {short + 1} is no gene set of the GMT format (a name, a description and the members, separated by "
            "tabs); if it is another layout, give ",
            *either("layout", ROWS, COLUMNS),
            ".",
        )
    return Lists([list(row[2:]) for row in rows], [row[0] for row in rows], several(len(rows), "GMT line"))


def gene_sets_in_columns(rows: headings.TextRows) -> Lists:
    """GMX: one column per list, its name in the first row, a description in the second, then its members."""
    columns = columns_of(rows)
    if len(rows) < 2 or not all(column[0] for column in columns):
        raise InputError(
            "A GMX file has the names of its gene sets in the first row and descriptions in the second; if it is "
            "another layout, give ",
            Argument("layout", COLUMNS),
            ".",
        )
    return Lists(
        [column[2:] for column in columns], [column[0] for column in columns], several(len(columns), "GMX column")
    )


def one_list(rows: headings.TextRows, header: bool | None = None) -> list[str] | None:
    """The names of a file or sheet that holds a single list, one a line or all in one line; None where it does not."""
    if len(rows) == 1:
        return list(rows[0])
    columns, told, _ = without_row_numbers(columns_of(rows))
    if len(columns) != 1:
        return [] if not columns else None
    header = told if header is None else header
    headed = headings.is_heading(columns) if header is None else header
    return columns[0][1:] if headed else columns[0]


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


def _headed(lists: headings.TextRows, header: bool | None, what: str) -> bool:
    if header is not None:
        return header
    found = headings.is_heading([[cell for cell in cells if cell] if cells and cells[0] else cells for cells in lists])
    if found is None:
        firsts = [cells[0] for cells in lists]
        raise InputError(
            f"The first {what} ({some_names(firsts)}) may hold the labels of the lists or be part of them; if it holds "
            "their labels, give ",
            Argument("header", True),
            "; if not, ",
            Argument("header", False),
            ".",
        )
    return found


def _labelled(lists: headings.TextRows, headed: bool, what: str, notes: Iterable[str]) -> Lists:
    labels = [cells[0] for cells in lists] if headed else None
    if labels is not None and all(map(headings.is_feature_word, labels)):
        labels = None if len(set(labels)) < len(labels) or len(labels) == 1 else labels
    source = several(len(lists), what) + (" with a heading" if headed and what == "column" else "")
    return Lists([list(cells[headed:]) for cells in lists], labels, source, tuple(notes))


def _only_by_case(names: set[str]) -> list[str]:
    """A note where names differ in nothing but capitals."""
    seen: dict[str, str] = {}
    pairs = []
    for name in sorted(names):
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            pairs.append(f"{other!r} and {name!r}")
    if not pairs:
        return []
    more = "" if len(pairs) == 1 else f" and {len(pairs) - 1:,} more"
    return [f"names that differ only in case count as different features: {pairs[0]}{more}"]


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
SEPARATORS = {";": "semicolons", "|": "bars", ",": "commas", " ": "spaces"}
TORN = re.compile(r"[^\[({]*[\])}].*|.*[\[({][^\])}]*|['\"].*[^'\"]|[^'\"].*\"")
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


def refuse_what_cannot_be_told_apart(cells: Sequence[str]) -> None:
    """Printed lists that are no lists of names, such as dictionaries; commas would tear them apart."""
    for cell in cells:
        if _is_printed(cell) and printed_names(cell) is None:
            raise InputError(
                f"The cell {_short(cell)} looks like a printed list, but it is not one of names; write the names, "
                "separated by semicolons."
            )


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


def lists_in_cells(rows: headings.TextRows, columns: headings.TextRows) -> Lists | None:
    """A table with one row per run, one column of which holds the whole list; None where it is something else."""
    whole = _rejoined(rows)
    if whole is not None and (headed := _are_lists(whole, one_or_more)) is not None:
        return _found(whole, [], headed, PRINTED, one_or_more)
    for place, column in enumerate(columns):
        for words, parts in _splitters(column, spaces=len(columns) > 1):  # lines of words may be single names
            if (headed := _are_lists(column, parts)) is not None:
                others = [list(other) for f, other in enumerate(columns) if f != place]
                return _found(column, others, headed, words, parts)
        if are_printed(column):
            refuse_what_cannot_be_told_apart(column)
    return _labelled_rows(rows)


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


def _splitters(column: Sequence[str], *, spaces: bool) -> list[tuple[str, Splitter]]:
    if are_printed(column):
        return [(PRINTED, one_or_more)]
    marks = {mark: words for mark, words in SEPARATORS.items() if spaces or mark != " "}
    between = [(f"names separated by {words}", partial(_between, mark)) for mark, words in marks.items()]
    return [(PRINTED, printed_names), *between]


def _between(mark: str, cell: str) -> list[str] | None:
    """The names of a cell between separators; one without any is one name."""
    if not cell:
        return []
    names = [name.strip() for name in cell.split(mark)]
    names = names[:-1] if len(names) > 1 and not names[-1] else names  # one that ends with the separator
    is_decimal = mark in cell and headings.is_number(
        cell.replace(",", ".")
    )  # an identifier by itself may be all digits
    is_one = is_decimal or (mark == " " and not all(map(headings.is_symbol, names)))
    torn = len(names) > 1 and any(map(TORN.fullmatch, names))
    return None if is_one or torn or not all(names) else names


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
