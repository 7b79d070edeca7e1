"""What a docstring says, for catalogues: its first paragraph, the meanings of parameters, and lines with a heading."""

from __future__ import annotations

import inspect
import re
from typing import Any

from steadyset.deprecation import DEPRECATED

SECTION = re.compile(r"^(\w+)\n-+$", re.MULTILINE)


def first_paragraph(thing: Any) -> str:
    """What stands before the first empty line, on one line."""
    return " ".join(_text(thing).partition("\n\n")[0].split()).rstrip(".")


def headed_line(thing: Any, heading: str) -> str:
    """What follows a heading such as "Reference:" on its line; "" where no line starts with it."""
    prefix = f"{heading}: "
    lines = _text(thing).splitlines()
    return next((line.removeprefix(prefix).rstrip(".") for line in lines if line.startswith(prefix)), "")


def meanings(thing: Any) -> dict[str, str]:
    """What each parameter means, from the section Parameters: "k, size : whole number" and the indented lines below."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in _section(_text(thing), "Parameters").splitlines():
        head = re.match(r"([\w, ]+?)(?: : (.*))?$", line)
        if head and not line.startswith(" "):
            names = [name.strip() for name in head[1].split(",")]
            found |= dict.fromkeys(names, head[2] or "")
        else:
            found |= {name: _continued(found[name], line.strip()) for name in names}
    return {name: " ".join(text.replace("`", "").split()).rstrip(".") for name, text in found.items()}


def defaults(thing: Any) -> dict[str, Any]:
    """The parameters of a class or an estimator and what they are unless given; deprecated ones are left out."""
    kind = thing if isinstance(thing, type) else type(thing)
    taken = list(inspect.signature(kind).parameters.values())
    return {p.name: p.default for p in taken if p.default is not p.empty and p.default != DEPRECATED}


def _continued(text: str, more: str) -> str:
    """The next line of a meaning; a sentence after words that do not end as one starts a new one."""
    ended = not text or text.endswith((".", ":", ";", ",")) or not more[:1].isupper()
    return f"{text} {more}" if ended else f"{text}. {more}"


def _section(text: str, title: str) -> str:
    parts = SECTION.split(text)
    whole = dict(zip(parts[1::2], parts[2::2], strict=True)).get(title, "")
    return whole.strip("\n").partition("\n\n")[0]


def _text(thing: Any) -> str:
    return inspect.getdoc(getattr(thing, "func", thing)) or ""
