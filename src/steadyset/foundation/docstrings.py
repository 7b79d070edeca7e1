"""What a docstring says, for catalogues: its first paragraph, the meanings of parameters, and lines with a heading."""

from __future__ import annotations

import inspect
import re
from typing import Any

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
