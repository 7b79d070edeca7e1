"""Names of the code link to their pages without a role: `st.assess(...)`, `steadyset measure FILE`, types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.nodes import make_refnode

import steadyset as st
from steadyset.cli import app as command_app
from steadyset.foundation.job import PROGRAM

if TYPE_CHECKING:
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx

API = "reference/api"
PYTHON = re.compile(r"(?:st|steadyset)\.((?:[a-z_]\w*\.)?\w+)(\.\w+)?(?:\(.*\))?")
# Classes and functions by their names alone; one word in small letters may be a parameter or a measure too.
NAMED = re.compile(r"([A-Z]\w+|[a-z]+_\w+)(\.\w+)?(?:\(.*\))?")
COMMAND = re.compile(rf"{PROGRAM} ([a-z-]+)(?: .*)?")
COMMANDS = frozenset(one.name for one in command_app.registered_commands)


def link_names(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Make a link of each piece of code in a sentence that is a public name or a subcommand."""
    for literal in list(doctree.findall(nodes.literal)):
        if isinstance(literal.parent, nodes.reference) or _within_heading(literal):
            continue
        target = _target(app, literal.astext().replace("\n", " "))
        if target is not None and target[0] != docname:
            literal.replace_self(make_refnode(app.builder, docname, *target, literal.deepcopy()))


def _target(app: Sphinx, text: str) -> tuple[str, str | None] | None:
    """The page and the place on it that a piece of code means."""
    found = COMMAND.fullmatch(text)
    if found:
        return (f"reference/commands/{found[1]}", None) if found[1] in COMMANDS else None
    found = PYTHON.fullmatch(text) or NAMED.fullmatch(text)
    return None if found is None else _page(app, found[1], found[2] or "")


def _page(app: Sphinx, name: str, member: str) -> tuple[str, str | None] | None:
    if f"{API}/steadyset.{name}" not in app.env.found_docs:
        owner, _, last = name.rpartition(".")
        return _page(app, owner, f".{last}") if owner and not member else None
    known = app.env.domains["py"].objects  # type: ignore[attr-defined]
    full = f"steadyset.{name}{member}"
    return f"{API}/steadyset.{name}", full if full in known else None


def link_types(app: Sphinx, env: Any, node: pending_xref, content: nodes.TextElement) -> nodes.Element | None:
    """A type of a signature under any of its names: what is public links to its page, the rest is text."""
    if node.get("refdomain") != "py":
        return None
    name = str(node["reftarget"]).rpartition(".")[2]
    target = _page(app, name, "") if name in st.__all__ else None
    if target is not None:
        return make_refnode(app.builder, node["refdoc"], *target, content)
    return content if node.get("reftype") in ("class", "obj", "exc", "data", "attr") else None


def _within_heading(node: nodes.Node | None) -> bool:
    while node is not None:
        if isinstance(node, nodes.title):
            return True
        node = node.parent
    return False
