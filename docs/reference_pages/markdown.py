"""Texts of the code as MyST Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

# A backslash before any of these makes it a plain character; code in backquotes is left as it is.
SIGNS = re.compile(r"(`[^`]*`)|([\\*_{}\[\]<>#|$~])")


def plain(text: str) -> str:
    """A text that shows as it is written; what stands in backquotes is code."""
    return SIGNS.sub(lambda found: found[1] or "\\" + found[2], text.replace("``", "`"))


def code(text: str, language: str = "python") -> str:
    return f"```{language}\n{text}\n```"


def toctree(names: Iterable[str]) -> str:
    """Pages that belong below this one, named in the sidebar only."""
    return "\n".join(["", "```{toctree}", ":hidden:", "", *names, "```", ""])
