"""Docstrings are read as plain text: |x| is an absolute value and coef_ an attribute, not marks of reStructuredText."""

from __future__ import annotations

import re
from typing import Any

MARKS = re.compile(r"(``.*?``|`[^`]*`)|\|(?=\S)|(?<=\S)\||(?<![\\`\w])(?P<name>[A-Za-z]\w*_)(?![\w`])")


def as_plain_text(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape such marks, but in examples, formulas and code; numpydoc has been here before."""
    examples = False
    block: int | None = None  # how far the line is indented that an indented block of code or a formula belongs to
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if block is not None and line.strip() and indent <= block:
            block = None
        examples = bool(line.strip()) and (examples or line.lstrip().startswith(">>>"))
        if block is None and not examples:
            lines[number] = MARKS.sub(_escaped, line)
            if line.rstrip().endswith("::"):
                block = indent


def is_foreign(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Whether a member comes from scikit-learn, whose own pages tell of it."""
    return True if str(getattr(thing, "__module__", "")).startswith("sklearn.") else None


def _escaped(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    return found["name"][:-1] + r"\_" if found["name"] else r"\|"
