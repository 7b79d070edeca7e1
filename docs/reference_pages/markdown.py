"""Texts of the code as MyST Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reference_pages.formulas import tex
from steadyset.findings.citations import cited

# A backslash before any of these makes it a plain character; code in backquotes is left as it is.
SIGNS = re.compile(r"(`[^`]*`)|([\\*_{}\[\]<>#|$~])")
ADDRESS = re.compile(r"https://\S+")


def plain(text: str) -> str:
    """A text that shows as it is written; what stands in backquotes is code."""
    return SIGNS.sub(lambda found: found[1] or "\\" + found[2], text.replace("``", "`"))


def code(text: str, language: str = "python") -> str:
    return f"```{language}\n{text}\n```"


def formula(text: str) -> str:
    """A formula of the code as a block of mathematics."""
    return "\n".join(["```{math}", tex(text), "```"])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


def parameters(defaults: Mapping[str, Any], meanings: Mapping[str, str]) -> str:
    """What may be given, with its default and its meaning."""
    rows = [[f"`{name}`", f"`{value!r}`", plain(meanings.get(name, ""))] for name, value in defaults.items()]
    return table(["parameter", "default", "meaning"], rows)


def references(text: str) -> str:
    """The full references that authors and years such as "Jaccard 1901; Kalousis et al. 2005" stand for."""
    return "\n".join(f"- {_with_links(one.text)}" for one in cited(text))


def toctree(names: Iterable[str]) -> str:
    """Pages that belong below this one, named in the sidebar only."""
    return "\n".join(["", "```{toctree}", ":hidden:", "", *names, "```", ""])


def _with_links(text: str) -> str:
    """A reference with its address as a link."""
    found = ADDRESS.search(text)
    return plain(text) if found is None else f"{plain(text[: found.start()])}<{found[0]}>{plain(text[found.end() :])}"
