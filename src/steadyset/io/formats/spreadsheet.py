"""What spreadsheets do with names: genes become dates, and names that look like formulas are run."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from steadyset.foundation.text import shown_name

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
STEMS = {"Mar": "MARCH", "Sep": "SEPT"}  # how genes are called, where that is more than the month
DATE = re.compile(rf"([0-9]{{1,2}})-({'|'.join(MONTHS)})|({'|'.join(MONTHS)})-([0-9]{{1,2}})", re.IGNORECASE)
MADE = "which a spreadsheet may have made of a gene"
LONGEST = 6  # characters of such a date

Places = Mapping[tuple[int, int], str]
# What OWASP lists. LibreOffice runs = also behind a null character; Excel takes full-width forms in East Asia.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
AS_TEXT = "'"


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


def csv_text(rows: Sequence[Mapping[Any, Any]], *, safe: bool = False) -> str:
    """Rows that share their keys as csv; with `safe`, no cell of it is a formula to a spreadsheet."""
    shown = [{key: _cell(value) for key, value in row.items()} for row in rows]
    if safe:
        shown = [{key: spreadsheet_safe(value) for key, value in row.items()} for row in shown]
    columns = list(rows[0]) if rows else []
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=_quoting(shown))
    writer.writerow([spreadsheet_safe(column) for column in columns] if safe else columns)
    writer.writerows([row[column] for column in columns] for row in shown)
    return text.getvalue()


def is_formula(value: Any) -> bool:
    """Whether a spreadsheet that opens a csv file may run this value instead of showing it."""
    return isinstance(value, str) and value.startswith(FORMULA_STARTS)


def spreadsheet_safe(value: Any) -> Any:
    """The value with an apostrophe in front where a spreadsheet may run it, else as it is.

    What has that apostrophe already gets another one, so that different names stay different.

    Examples
    --------
    >>> [spreadsheet_safe(value) for value in ("=cmd()", "TP53", "5'-UTR", -1.5)]
    ["'=cmd()", 'TP53', "5'-UTR", -1.5]
    """
    return AS_TEXT + value if isinstance(value, str) and is_formula(value.lstrip(AS_TEXT)) else value


def formulas_told(values: Iterable[Any], where: str, remedy: str) -> str | None:
    """A sentence that says how many names a spreadsheet may run, and what to do; None where there are none."""
    risky = list(dict.fromkeys(value for value in values if is_formula(value)))
    if not risky:
        return None
    names = "1 name" if len(risky) == 1 else f"{len(risky)} names"
    first = shown_name(risky[0])
    return f"{where}: {names} would be run as a formula by a spreadsheet, the first is {first!r}; {remedy}"


def _cell(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return ""
    return " ".join(str(x) for x in value) if isinstance(value, tuple) else value


def _quoting(rows: Iterable[Mapping[Any, Any]]) -> Literal[0, 2]:
    """How to quote rows of csv: Python leaves a carriage return bare, where readers end the line, unless told so."""
    texts = (value for row in rows for value in row.values() if isinstance(value, str))
    return csv.QUOTE_NONNUMERIC if any("\r" in text for text in texts) else csv.QUOTE_MINIMAL
