"""Lists as Python, NumPy, pandas and R print them: `['TP53', 'MYC']`, `Index(['TP53'])`, `c("TP53", "MYC")`."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence

from steadyset.foundation.errors import InputError

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
