"""The registry of what can be reproduced: one function per table or figure, registered by the file of its paper."""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from papers.framework.published_numbers import (
    FOLDER,
    VERSIONS,
    PublishedItem,
    PublishedPaper,
    paper_of,
    read_paper,
)
from papers.framework.verdicts import Row
from steadyset import InputError

if TYPE_CHECKING:
    from papers.framework.run import Run

Compute = Callable[["Run"], Iterable[Row]]
ALL = "all"
NAME = re.compile(r"[\w.+-]+")


@dataclass(frozen=True)
class Item:
    """A table or a figure that can be reproduced.

    Attributes
    ----------
    paper : the name of its paper, such as "nogueira-2018"
    item : its own name, such as "table-6.6"
    compute : gets a Run and gives a Row for each published cell and claim
    data : the data sets that it needs
    core : whether it is part of the tests
    seconds : how long the fast version takes on two cores
    large_seconds, full_seconds : how long the large and the full one take; None where there is none
    published : what the paper prints
    """

    paper: str
    item: str
    compute: Compute
    data: tuple[str, ...]
    core: bool
    seconds: float
    large_seconds: float | None
    full_seconds: float | None
    published: PublishedItem

    @property
    def name(self) -> str:
        """What the command calls it."""
        return f"{self.paper}/{self.item}"

    def versions(self) -> tuple[str, ...]:
        """The names of the versions that exist, from the smallest to the largest experiment."""
        times = zip(VERSIONS, (self.seconds, self.large_seconds, self.full_seconds), strict=True)
        return tuple(name for name, seconds in times if seconds is not None)


_items: dict[str, Item] = {}
_papers: dict[str, PublishedPaper] = {}


def item(
    paper: str,
    name: str,
    *,
    data: Iterable[str] = (),
    core: bool = False,
    seconds: float = 1.0,
    large_seconds: float | None = None,
    full_seconds: float | None = None,
) -> Callable[[Compute], Compute]:
    """Register the function below it as the reproduction of a table or a figure; see `Item` for the arguments.

    What the paper prints is in the JSON file PAPER.json beside the file of the function, or was given to
    `register_paper`.
    """

    def register(compute: Compute) -> Compute:
        _check_name(name)
        full_name = f"{paper}/{name}"
        if full_name in _items:
            raise InputError(f"{full_name} is registered already; choose another name.")
        printed = _paper(paper, compute).items.get(name)
        if printed is None:
            raise InputError(f"The numbers of {paper} have no item called {name!r}.")
        _items[full_name] = Item(paper, name, compute, tuple(data), core, seconds, large_seconds, full_seconds, printed)
        return compute

    return register


def register_paper(name: str, contents: Mapping[str, Any]) -> PublishedPaper:
    """Tell what a paper prints, in the form of the JSON files (`papers.framework.published_numbers`)."""
    _check_name(name)
    if name in _papers:
        raise InputError(f"A paper called {name!r} exists already; choose another name.")
    _papers[name] = paper_of(name, contents, name)
    return _papers[name]


def unregister_paper(name: str) -> None:
    """Forget a paper and all its items."""
    _papers.pop(name, None)
    for full_name in [key for key, one in _items.items() if one.paper == name]:
        del _items[full_name]


def _paper(name: str, compute: Compute) -> PublishedPaper:
    if name not in _papers:
        _papers[name] = read_paper(Path(inspect.getfile(compute)).with_name(f"{name}.json"))
    return _papers[name]


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise InputError(f"A paper or an item is named by letters, digits and . + - (got {name!r}).")


def all_papers() -> dict[str, PublishedPaper]:
    """All papers by name."""
    all_items()
    return dict(_papers)


def all_items() -> list[Item]:
    """Everything that can be reproduced, paper by paper."""
    for module in pkgutil.iter_modules([str(FOLDER)]):
        if not module.ispkg and not module.name.startswith("_"):
            importlib.import_module(f"{FOLDER.name}.{module.name}")
    order = {name: place for place, name in enumerate(sorted(_papers))}
    places = {(paper.name, name): i for paper in _papers.values() for i, name in enumerate(paper.items)}
    return sorted(_items.values(), key=lambda one: (order[one.paper], places[one.paper, one.item]))


def load_paper(file: Path) -> list[Item]:
    """The items that a file of somebody else registers; its numbers are in PAPER.json beside it."""
    if not file.is_file():
        raise InputError(f"There is no file {file}.")
    known = {one.name for one in all_items()}
    # By name, from its own folder: processes that share the work find it in the same way.
    sys.path.insert(0, str(file.resolve().parent))
    module = importlib.import_module(file.stem)
    if Path(str(module.__file__)).resolve() != file.resolve():
        raise InputError(f"A module called {file.stem} exists already; choose another name for {file}.")
    return [one for one in all_items() if one.name not in known]


def chosen_items(names: Iterable[str]) -> list[Item]:
    """The items that names stand for: all, a paper, PAPER/ITEM, or an item whose name occurs in one paper only."""
    known = all_items()
    found: dict[str, Item] = {}
    for name in names:
        found |= {one.name: one for one in _named(name, known)}
    return [one for one in known if one.name in found]


def _named(name: str, known: list[Item]) -> list[Item]:
    if name == ALL:
        return known
    fitting = [one for one in known if name in (one.paper, one.name)] or [one for one in known if name == one.item]
    if len({one.paper for one in fitting}) > 1:
        raise InputError(f"{name!r} occurs in several papers; choose {' or '.join(one.name for one in fitting)}.")
    if not fitting:
        names = dict.fromkeys(part for one in known for part in (one.paper, one.name, one.item))
        near = difflib.get_close_matches(name, names, 1)
        advice = f"did you mean {near[0]!r}?" if near else "`python -m papers` lists them."
        raise InputError(f"There is no paper or item called {name!r}; {advice}")
    return fitting
