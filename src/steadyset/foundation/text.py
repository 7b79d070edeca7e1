"""Text that people read: the one place where numbers, counts and lists become text, and what docstrings say."""

from __future__ import annotations

import inspect
import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

DASH = "–"
SHOWN_NAMES = 10

INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # categories of Unicode


def without_addresses(text: str) -> str:
    """Return what functions and objects print without their places in memory, which differ from run to run."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def number(value: float | None, decimals: int = 2) -> str:
    """A number with its decimals, a dash for what is undefined; what rounds to zero has no sign."""
    if value is None or math.isnan(value):
        return DASH
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def span(low: float | None, high: float | None, decimals: int = 2) -> str:
    """An interval, a dash for what is undefined."""
    ends = number(low, decimals), number(high, decimals)
    return DASH if DASH in ends else f"{ends[0]} to {ends[1]}"


def is_whole_scale(low: float, high: float) -> bool:
    """Return whether an interval from 0 to 1, as people read it, leaves nothing out."""
    return number(low) in ("0.00", "-0.00") and number(high) == "1.00"


def p_value(value: float) -> str:
    """A p-value with three decimals; what would round to nothing is said to be below 0.001."""
    return "< 0.001" if value < 0.001 else number(value, 3)


def p_equals(value: float) -> str:
    """A p-value in a sentence: p = 0.012, p < 0.001."""
    shown = p_value(value)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def amount(value: float | None) -> str:
    """A mean of counts: whole where it is whole, else one decimal."""
    if value is None or not math.isfinite(value):
        return DASH
    return f"{value:.0f}" if value == round(value) else number(value, 1)


def expected_count(value: float) -> str:
    """How many there should be on average: two digits, however few."""
    return amount(value) if value >= 10 or value == 0 else f"{value:.2g}"


def counted(n: int | float, one: str, several: str | None = None) -> str:
    """A number with its noun: 1 selector, 2 selectors."""
    return f"{amount(n)} {one if n == 1 else several or one + 's'}"


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


def listed(names: Sequence[str], most: int | None = None, *, last: str = " and ") -> str:
    """Names with commas and `last` before the last one; those beyond `most` are counted."""
    shown = [shown_name(name) for name in names[:most]]
    if len(names) > len(shown):
        return f"{', '.join(shown)} and {len(names) - len(shown)} more"
    return last.join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def shown_name(name: str) -> str:
    r"""A name as people see it: what would act instead of being shown (control characters, marks that turn the reading
    direction, halves of a character) is written out, as in Python.

    Examples
    --------
    >>> print(shown_name("CD4"), shown_name("a\x1b[31mb"))
    CD4 a\x1b[31mb
    """
    return "".join(_written_out(c) if unicodedata.category(c) in INVISIBLE else c for c in name)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


SECTION = re.compile(r"^(\w+)\n-+$", re.MULTILINE)


def first_paragraph(thing: Any) -> str:
    """What stands before the first empty line, on one line."""
    return " ".join(_text(thing).partition("\n\n")[0].split()).rstrip(".")


def reference(thing: Any) -> str:
    """Where a thing comes from: its section References on one line, or its line "Reference:"."""
    cited = " ".join(_section(_text(thing), "References").split()).removeprefix("* ").split(" * ")
    return "; ".join(one.rstrip(".") for one in cited) or headed_line(thing, "Reference")


def headed_line(thing: Any, heading: str) -> str:
    """What follows a heading such as "Reference:" on its line; "" where no line starts with it."""
    prefix = f"{heading}: "
    lines = _text(thing).splitlines()
    return next((line.removeprefix(prefix).rstrip(".") for line in lines if line.startswith(prefix)), "")


def meanings(thing: Any) -> dict[str, str]:
    """What each parameter means, from the section Parameters: the indented lines below "k, size : int".

    A meaning that starts in the place of the type goes on below: "k : how many features" and "are kept".
    """
    types: dict[str, str] = {}
    found: dict[str, str] = {}
    names: list[str] = []
    for line in _section(_text(thing), "Parameters").splitlines():
        head = re.match(r"([\w, ]+?)(?: : (.*))?$", line)
        if head and not line.startswith(" "):
            names = [name.strip() for name in head[1].split(",")]
            types |= dict.fromkeys(names, head[2] or "")
            found |= dict.fromkeys(names, "")
        else:
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
    told = {name: types[name] + text if not text or text[1].islower() else text for name, text in found.items()}
    return {name: _as_phrase(" ".join(text.replace("`", "").split())) for name, text in told.items()}


def _as_phrase(text: str) -> str:
    """A sentence as it follows "name=value: ": without its capital, unless that is the word's own (None, L1)."""
    word = text.partition(" ")[0]
    keeps = word in ("None", "True", "False") or not word[1:].islower()
    return (text if keeps and len(word) > 1 else text[:1].lower() + text[1:]).rstrip(".")


def defaults(thing: Any) -> dict[str, Any]:
    """The parameters of a class or an estimator and what they are unless given; deprecated ones are left out."""
    kind = thing if isinstance(thing, type) else type(thing)
    taken = list(inspect.signature(kind).parameters.values())
    return {p.name: p.default for p in taken if p.default is not p.empty and not is_deprecated(p.default)}


def is_deprecated(value: Any) -> bool:
    """Whether the default of a parameter is what scikit-learn gives to those that it will no longer have."""
    return isinstance(value, str) and value == "deprecated"


def _section(text: str, title: str) -> str:
    parts = SECTION.split(text)
    whole = dict(zip(parts[1::2], parts[2::2], strict=True)).get(title, "")
    return whole.strip("\n").partition("\n\n")[0]


def _text(thing: Any) -> str:
    return inspect.getdoc(getattr(thing, "func", thing)) or ""
