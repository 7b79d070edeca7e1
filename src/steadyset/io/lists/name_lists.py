"""Lists of names, one per run, as people keep them: in columns, in rows, as gene sets; made sets over a universe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.formats.columns import NULLS
from steadyset.io.formats.headings import are_row_numbers, is_feature_word, is_heading
from steadyset.io.formats.spreadsheet import gene_dates_in
from steadyset.io.labels import several, some_names
from steadyset.io.lists.entries import COLUMNS, ROWS, Entries, Reading, entries_among, universe_in_words

NO_NAMES = NULLS.union(["None", "none"]) - {""}


class Lists(NamedTuple):
    """Names as they stand in each list, the labels of the lists where they have some, and where they were found."""

    lists: list[list[str]]
    labels: list[str] | None
    source: str
    notes: tuple[str, ...] = ()


def entries_of_lists(found: Lists, reading: Reading) -> Entries:
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


def lists_in_columns(rows: Sequence[Sequence[str]], header: bool | None) -> Lists:
    """One column per list, with or without a heading, padded with blanks."""
    columns, told, notes = without_row_numbers(columns_of(rows))
    headed = _headed(columns, told if header is None else header, "row")
    return _labelled(columns, headed, "column", notes)


def lists_in_rows(rows: Sequence[Sequence[str]], header: bool | None) -> Lists:
    """One row per list, with or without a label in its first cell; rows may have any length."""
    cells = [list(row) for row in rows]
    headed = _headed(cells, header, "column")
    return _labelled(cells, headed, "row", ())


def gene_sets_in_rows(rows: Sequence[Sequence[str]]) -> Lists:
    """GMT: one row per list, its name, a description, then its members."""
    short = next((i for i, row in enumerate(rows) if len(row) < 2 or not row[0]), None)
    if short is not None:
        raise InputError(
            f"Line {short + 1} is no gene set of the GMT format (a name, a description and the members, separated by "
            "tabs); if it is another layout, give ",
            Argument("layout", ROWS),
            " or ",
            Argument("layout", COLUMNS),
            ".",
        )
    return Lists([list(row[2:]) for row in rows], [row[0] for row in rows], several(len(rows), "GMT line"))


def gene_sets_in_columns(rows: Sequence[Sequence[str]]) -> Lists:
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


def one_list(rows: Sequence[Sequence[str]], header: bool | None = None) -> list[str] | None:
    """The names of a file or sheet that holds a single list, one a line or all in one line; None where it does not."""
    if len(rows) == 1:
        return list(rows[0])
    columns, told, _ = without_row_numbers(columns_of(rows))
    if len(columns) != 1:
        return [] if not columns else None
    header = told if header is None else header
    headed = is_heading(columns) if header is None else header
    return columns[0][1:] if headed else columns[0]


def columns_of(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The columns of rows of any length, as long as the longest; columns without any cell are left out."""
    columns = [list(column) for column in zip_longest(*rows, fillvalue="")]
    return [column for column in columns if any(column)]


def without_row_numbers(columns: list[list[str]]) -> tuple[list[list[str]], bool | None, tuple[str, ...]]:
    """The columns without a first one that counts the rows; it also tells whether the first row is a heading."""
    if len(columns) > 1:
        for headed in (False, True):
            if are_row_numbers(columns[0][headed:], columns[0][0] if headed else None):
                return columns[1:], headed, ("the first column, which counts the rows, is left out",)
    return columns, None, ()


def _headed(lists: Sequence[Sequence[str]], header: bool | None, what: str) -> bool:
    if header is not None:
        return header
    found = is_heading([[cell for cell in cells if cell] if cells and cells[0] else cells for cells in lists])
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


def _labelled(lists: Sequence[Sequence[str]], headed: bool, what: str, notes: Iterable[str]) -> Lists:
    labels = [cells[0] for cells in lists] if headed else None
    if labels is not None and all(map(is_feature_word, labels)):
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
