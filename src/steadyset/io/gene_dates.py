"""Names of genes that a spreadsheet turned into dates: MARCH2 into 2-Mar, SEPT2 into 2-Sep."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
STEMS = {"Mar": "MARCH", "Sep": "SEPT"}  # how genes are called, where that is more than the month
DATE = re.compile(rf"([0-9]{{1,2}})-({'|'.join(MONTHS)})|({'|'.join(MONTHS)})-([0-9]{{1,2}})", re.IGNORECASE)
MADE = "which a spreadsheet may have made of a gene"
LONGEST = 6  # characters of such a date

Places = Mapping[tuple[int, int], str]


def dates_in_texts(rows: Sequence[Sequence[str]]) -> dict[tuple[int, int], str]:
    """The cells that hold a day and a month, by row and column."""
    return {
        (r, c): cell
        for r, row in enumerate(rows)
        for c, cell in enumerate(row)
        if 3 < len(cell) <= LONGEST and "-" in cell and DATE.fullmatch(cell)
    }


def among_names(rows: Sequence[Sequence[str]], dates: Places) -> dict[tuple[int, int], str]:
    """Those of the dates that stand among names: in the header, or in a column with more words than dates."""
    columns = {c for _, c in dates}
    per_column = Counter(c for _, c in dates)
    words = {c: sum(c < len(row) and _is_word(row[c]) for row in rows) for c in columns}
    in_header = sum(r == 0 for r, _ in dates)
    header_words = sum(map(_is_word, rows[0])) if rows else 0
    found = {}
    for (r, c), date in dates.items():
        of_column = 2 * per_column[c] < words[c] and per_column[c] + 1 < words[c]
        if of_column or (r == 0 and 2 * in_header < header_words):
            found[r, c] = date
    return found


def gene_dates_told(date: str, where: str, count: int) -> str:
    """What is to be said of dates among names, the first of which is at a place."""
    day, month = _day_and_month(date)
    names = "1 name is a date" if count == 1 else f"{count} names are dates"
    return f"{names} ({date!r} {where}), {MADE} such as {STEMS.get(month, month.upper())}{day}: check the source"


def gene_dates_in(names: Sequence[str], where: str = "in the header") -> tuple[str, ...]:
    """The same for a list of names."""
    dates = [name for name in names if 3 < len(name) <= LONGEST and "-" in name and DATE.fullmatch(name)]
    if not dates or 2 * len(dates) > len(names):
        return ()
    return (gene_dates_told(dates[0], where, len(dates)),)


def _is_word(cell: str) -> bool:
    return any(character.isalpha() for character in cell)


def _day_and_month(date: str) -> tuple[int, str]:
    first, last = date.split("-")
    day, month = (first, last) if first.isdigit() else (last, first)
    return int(day), month.capitalize()
