"""Every public name: tables by subject, and one page per name from its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import steadyset as st
from reference_pages.markdown import plain, toctree
from steadyset.foundation.text import first_paragraph, listed
from steadyset.plots import list_pictures

PACKAGE = "steadyset"
INTRODUCTION = """# API

`import steadyset as st` gives every name of the first tables; {modules} are modules of it.
"""


def pages() -> Iterator[tuple[str, str]]:
    tables = {heading: _table(names) for heading, names in _tables()}
    sections = "".join(f"\n## {heading}\n\n{table}" for heading, table in tables.items())
    modules = [f"`st.{name}`" for name in st.__all__ if inspect.ismodule(getattr(st, name))]
    introduction = INTRODUCTION.format(modules=listed(modules))
    yield "api/index.md", introduction + sections + toctree(map(_file_name, tables))
    for heading, names in _tables():
        yield f"api/{_file_name(heading)}.md", f"# {heading}\n\n{tables[heading]}{toctree(names)}"
        yield from ((f"api/{name}.rst", _page(name)) for name in names)


def _tables() -> Iterator[tuple[str, list[str]]]:
    """The headings of steadyset/__init__.pyi and the names below them; below that of a module, what it adds."""
    for heading, names in st._SUBJECTS.items():
        things = {name: getattr(st, name) for name in names}
        table = [f"{PACKAGE}.{name}" for name, thing in things.items() if not inspect.ismodule(thing)]
        for name, module in things.items():
            if module is st.plot:
                table += [f"{PACKAGE}.{name}.{own}" for own in (*list_pictures().index, *module.__all__)]
            elif inspect.ismodule(module):
                new = [own for own in _functions_and_classes(module) if own not in st.__all__]
                table += [f"{PACKAGE}.{name}.{own}" for own in new]
        yield heading, table


def _functions_and_classes(module: ModuleType) -> list[str]:
    """What a module offers, without modules and without what it imports."""
    own = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__
    ]
    return [name for name in own if not name.startswith("_") and callable(getattr(module, name))]


def _file_name(heading: str) -> str:
    return "-".join(re.findall(r"\w+", heading.lower()))


def _table(names: Iterable[str]) -> str:
    rows = [f"| [`{_short(name)}`]({name}.rst) | {plain(first_paragraph(_found(name)))} |" for name in names]
    return "\n".join(["| name | what it is |", "|---|---|", *rows, ""])


def _page(name: str) -> str:
    title = _short(name)
    module, _, own = name.rpartition(".")
    lines = [title, "=" * len(title), "", f".. currentmodule:: {module}", ""]
    found = _found(name)
    if inspect.isclass(found):
        return "\n".join([*lines, f".. autoclass:: {own}", f"   :members: {_members(found)}".rstrip(), ""])
    return "\n".join([*lines, f".. autofunction:: {own}", ""])


def _members(found: type) -> str:
    """What a class has, where a part of it is a class of its own, of which there is no other kind; "" is all it has."""
    parts = [one for one in found.__mro__[1:] if one.__subclasses__() == [found]]
    names = [name for one in (found, *parts) for name in vars(one) if not name.startswith("_")]
    return ", ".join(dict.fromkeys(names)) if parts else ""


def _short(name: str) -> str:
    return name.removeprefix(f"{PACKAGE}.")


def _found(name: str) -> Any:
    thing: Any = st
    for part in _short(name).split("."):
        thing = getattr(thing, part)
    return thing
