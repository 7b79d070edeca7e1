"""Where a table begins: titles, comments and empty rows above its header, and headers that are one name short."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

COMMENT = "#"
ERRORS = frozenset(["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA", "#SPILL!"])
MARKS = frozenset(["-", "?", ".", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#NA", *ERRORS])  # for no value
Rows = Sequence[Sequence[str]]
NUMBER = re.compile(r"\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")
REGULAR = 0.8  # share of the rows that have the usual number of cells in a table that is one


class Heading(NamedTuple):
    """How many rows stand above the header, and how the header differs from what it should be."""

    above: int  # rows that are not part of the table
    titles: int  # those of them that hold words
    short: bool  # the header has no name for the first column, as R writes it
    commented: bool  # the header begins with #


TOP = Heading(0, 0, False, False)


def find_heading(rows: Rows) -> Heading:
    """Look for the header in the first rows of a table."""
    filled = [row for row in rows if any(row)]
    usual = usual_width([len(row) for row in filled])
    body = [row for row in filled[-max(1, len(filled) // 2) :] if len(row) == usual]
    numeric = _numeric_columns(body)
    above = titles = 0
    for place, row in enumerate(rows[:-1]):
        if any(row) and not _is_comment(row):
            below = rows[place + 1 :]
            if not (_is_title(row, below, usual, numeric) if numeric else _is_title_of_lists(row, below, usual)):
                break
            titles += 1
        above = place + 1
    commented = above > 0 and _is_commented_header(rows[above - 1], rows[above], usual, numeric)
    above -= commented
    short = bool(numeric) and above < len(rows) - 1 and _is_short_header(rows[above], rows[above + 1 :], usual, numeric)
    return Heading(above, titles, short, commented)


def usual_width(widths: Sequence[int]) -> int:
    """The number of cells that most rows have; the larger of two that are equally common."""
    counts = Counter(widths)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number, with a point or a comma."""
    return NUMBER.fullmatch(cell) is not None


def _numeric_columns(body: Rows) -> list[int]:
    """The columns with nothing but numbers and marks for what is missing."""
    if not body:
        return []
    found = []
    for column, cells in enumerate(zip(*body, strict=True)):
        known = [cell for cell in cells if cell and cell not in MARKS]
        if known and all(map(is_number, known)):
            found.append(column)
    return found


def _is_comment(row: Sequence[str]) -> bool:
    return row[0].startswith(COMMENT) and row[0] not in ERRORS


def _is_title(row: Sequence[str], below: Rows, usual: int, numeric: Sequence[int]) -> bool:
    """Words above the header of a table with numbers: neither a header nor data."""
    if usual < 2 or _is_data(row, usual, numeric) or _is_short_header(row, below, usual, numeric):
        return False
    named = sum(bool(row[f]) for f in numeric) if len(row) == usual else 0
    return 2 * named < len(numeric) or (
        len([cell for cell in row if cell]) == 1 and not _is_data(below[0], usual, numeric)
    )


def _is_title_of_lists(row: Sequence[str], below: Rows, usual: int) -> bool:
    """A sentence, or a word with an empty row below it; lists have many lengths, so that a short row may be one."""
    words = [cell.strip() for cell in row if cell.strip()]
    return usual > 1 and len(words) == 1 and (not any(below[0]) or (" " in words[0] and bool(row[0])))


def _is_data(row: Sequence[str], usual: int, numeric: Sequence[int]) -> bool:
    """Whether a row has a number, or a mark for none, where columns have numbers."""
    return len(row) == usual and any(row[f] in MARKS or is_number(row[f]) for f in numeric)


def _is_short_header(row: Sequence[str], below: Rows, usual: int, numeric: Sequence[int]) -> bool:
    """A name for each column but the first, directly above data, all rows of which have one cell more."""
    filled = [after for after in below if any(after)]
    return (
        len(row) == usual - 1 > 0
        and all(row)
        and any(below[0])
        and _is_data(filled[0], usual, numeric)
        and all(len(after) == usual for after in filled)
    )


def _is_commented_header(comment: Sequence[str], after: Sequence[str], usual: int, numeric: Sequence[int]) -> bool:
    """A last comment with a name for each column, above a row of data."""
    if usual < 2 or len(comment) != usual or len(after) != usual or not any(comment) or not _is_comment(comment):
        return False
    return any(is_number(after[f]) for f in numeric) and not any(is_number(comment[f]) for f in numeric)
