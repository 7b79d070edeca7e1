"""Numbers, counts, lists and tables as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

DASH = "–"
MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|"} | {"\n": " ", "\r": " "})


def number(value: float, decimals: int = 2) -> str:
    """A number with its decimals, a dash for what is undefined; what rounds to zero has no sign."""
    if math.isnan(value):
        return DASH
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def span(low: float, high: float, decimals: int = 2) -> str:
    """An interval, a dash for what is undefined."""
    ends = number(low, decimals), number(high, decimals)
    return DASH if DASH in ends else f"{ends[0]} to {ends[1]}"


def counted(n: int, one: str) -> str:
    """A number with its noun: 1 row, 2 rows."""
    return f"{n} {one if n == 1 else one + 's'}"


def percent(share: float) -> str:
    """A share of the whole: 90%, 97.5%; never 0% for something, never 100% for less than all."""
    rounded = min(max(round(100 * share, 1), 0.1), 99.9) if 0 < share < 1 else 100 * share
    return f"{rounded:g}%"


def lasting(seconds: float) -> str:
    """A time: 12 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Names with commas and "and" before the last one; those beyond `most` are counted."""
    shown = list(names[:most])
    if len(names) > len(shown):
        return f"{', '.join(shown)} and {len(names) - len(shown)} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A pipe table with aligned columns; numbers to the right."""
    cells = [[text.translate(MARKDOWN) for text in row] for row in rows]
    titles = [text.translate(MARKDOWN) for text in header]
    widths = [max(len(row[c]) for row in [titles, *cells]) for c in range(len(titles))]
    right = [all(_is_number(row[c]) for row in cells) for c in range(len(titles))]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(titles, widths, strict=True)) + " |"]
    lines.append(
        "|" + "|".join("-" * (width + 1) + (":" if r else "-") for width, r in zip(widths, right, strict=True)) + "|"
    )
    lines += [
        "| " + " | ".join(x.rjust(w) if r else x.ljust(w) for x, w, r in zip(row, widths, right, strict=True)) + " |"
        for row in cells
    ]
    return "\n".join(lines)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
