"""Where a table begins: titles, comments and empty rows above its header, and headers that are one name short."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from steadyset.io.columns import ERRORS, NULLS

COMMENT = "#"
Rows = Sequence[Sequence[str]]
NUMBER = re.compile(r"\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")
ZERO_ONE = frozenset(["0", "1"])
REGULAR = 0.8  # share of the rows that have the usual number of cells in a table that is one


class Heading(NamedTuple):
    """How many rows stand above the header, and how the header differs from what it should be."""

    above: int  # rows that are not part of the table
    titles: int  # those of them that hold words
    short: bool  # the header has no name for the first column, as R writes it
    commented: bool  # the header begins with #
    open_end: bool  # rows end with a delimiter that the header does not have


TOP = Heading(0, 0, False, False, False)


def find_heading(rows: Rows, comments: Sequence[bool]) -> Heading:
    """Look for the header in the first rows of a table, some of which are written like comments."""
    filled = [row for row in rows if any(row)]
    usual = usual_width([len(row) for row in filled])
    body = [row for row in filled[-max(1, len(filled) // 2) :] if len(row) == usual]
    numeric = _numeric_columns(body)
    above = titles = 0
    for place, row in enumerate(rows[:-1]):
        if any(row) and not comments[place]:
            below = rows[place + 1 :]
            if not (_is_title(row, below, usual, numeric) if numeric else _is_title_of_lists(row, below, usual)):
                break
            titles += 1
        above = place + 1
    commented = above > 0 and comments[above - 1] and _is_commented_header(rows[above - 1], rows[above], usual, numeric)
    above -= commented
    short = open_end = False
    if above < len(rows) - 1:
        open_end = _has_open_end(rows[above], rows[above + 1 :])
        short = not open_end and _is_short_header(rows[above], rows[above + 1 :], usual, numeric)
    return Heading(above, titles, short, commented, open_end)


def is_comment(first_cell: str) -> bool:
    """Whether a row that begins so is a comment, unless quotes say that it is not."""
    return first_cell.startswith(COMMENT) and first_cell not in ERRORS


def usual_width(widths: Sequence[int]) -> int:
    """The number of cells that most rows have; the larger of two that are equally common."""
    counts = Counter(widths)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number, with a point or a comma."""
    return NUMBER.fullmatch(cell) is not None


def number_of(cell: str) -> float:
    """The number that a cell reads as."""
    return float(cell.replace(",", "."))


def _numeric_columns(body: Rows) -> list[int]:
    """The columns with nothing but numbers and marks for what is missing."""
    if not body:
        return []
    found = []
    for column, cells in enumerate(zip(*body, strict=True)):
        known = [cell for cell in cells if cell not in NULLS]
        if known and all(map(is_number, known)):
            found.append(column)
    return found


def _is_title(row: Sequence[str], below: Rows, usual: int, numeric: Sequence[int]) -> bool:
    """Words above the header of a table with numbers: what stands directly above data is the header."""
    after, *rest = [row for row in below if any(row)] or [()]
    if usual < 2 or _is_data(row, usual, numeric):
        return False
    if _is_data(after, usual, numeric):
        alone = [cell for cell in row if cell]
        title = len(alone) == 1 and usual > 2 and not is_number(alone[0])
        return title and _is_numbered_header(after, [row for row in rest if len(row) == usual], numeric)
    named = sum(bool(row[f]) for f in numeric) if len(row) == usual else 0
    return sum(bool(cell) for cell in row) == 1 or 2 * named < len(numeric)


def _is_numbered_header(row: Sequence[str], below: Rows, numeric: Sequence[int]) -> bool:
    """Whether numbers are names: beside a word above numbers or classes, or identifiers above fractions or 0/1."""
    if len(below) < 2 or not all(row) or len(set(row)) < len(row):
        return False
    if any(row[f] not in NULLS and not is_number(row[f]) for f in numeric):
        return True
    for f in set(range(len(row))).difference(numeric):
        cells = Counter(other[f] for other in below)
        if row[f] not in cells and min(cells.values()) > 1:
            return True
    values = {other[f] for other in below for f in numeric}
    codes = all(row[f].isdecimal() for f in numeric) and not {row[f] for f in numeric} <= ZERO_ONE
    return codes and (values <= ZERO_ONE or not any(value.isdecimal() for value in values))


def _is_title_of_lists(row: Sequence[str], below: Rows, usual: int) -> bool:
    """A sentence, or a word with an empty row below it; lists have many lengths, so that a short row may be one."""
    words = [cell.strip() for cell in row if cell.strip()]
    return usual > 1 and len(words) == 1 and (not any(below[0]) or (" " in words[0] and bool(row[0])))


def _is_data(row: Sequence[str], usual: int, numeric: Sequence[int]) -> bool:
    """Whether a row has a number, or a mark for none, where columns have numbers."""
    return len(row) == usual and any((row[f] and row[f] in NULLS) or is_number(row[f]) for f in numeric)


def _is_short_header(row: Sequence[str], below: Rows, usual: int, numeric: Sequence[int]) -> bool:
    """A name for each column but the first, directly above data; all rows have one cell more, and the first differs."""
    filled = [after for after in below if any(after)]
    return (
        len(row) == usual - 1 > 0
        and all(row)
        and any(below[0])
        and _is_data(filled[0], usual, numeric)
        and all(len(after) == usual for after in filled)
        and 1 < len(filled) == len({after[0] for after in filled})
    )


def _has_open_end(header: Sequence[str], below: Rows) -> bool:
    """Whether every row ends with an empty cell that the header has no name for."""
    filled = [row for row in below if any(row)]
    return bool(filled) and all(len(row) == len(header) + 1 and not row[-1] for row in filled)


def _is_commented_header(comment: Sequence[str], after: Sequence[str], usual: int, numeric: Sequence[int]) -> bool:
    """A last comment with a name for each column, above a row of data."""
    if usual < 2 or len(comment) != usual or len(after) != usual or not any(comment):
        return False
    return any(is_number(after[f]) for f in numeric) and not any(is_number(comment[f]) for f in numeric)
