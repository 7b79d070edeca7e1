"""Tables as csv, and the names in them that a spreadsheet would run as formulas: told of, or written as text."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from steadyset.foundation.text import shown_name

# What OWASP lists. LibreOffice runs = also behind a null character; Excel takes full-width forms in East Asia.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
AS_TEXT = "'"


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
