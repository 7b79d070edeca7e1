"""The registry of what can be reproduced: one function per table or figure, registered by the file of its paper."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry
from steadyset.reproduction.published_numbers import FOLDER, PublishedItem, PublishedPaper, paper_of, read_paper
from steadyset.reproduction.verdicts import Row

if TYPE_CHECKING:
    from steadyset.reproduction.run import Run

Compute = Callable[["Run"], Iterable[Row]]
ALL = "all"


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
    full_seconds : how long the full one takes; None where there is only one
    published : what the paper prints
    """

    paper: str
    item: str
    compute: Compute
    data: tuple[str, ...]
    core: bool
    seconds: float
    full_seconds: float | None
    published: PublishedItem

    @property
    def name(self) -> str:
        """What the command calls it."""
        return f"{self.paper}/{self.item}"

    def versions(self) -> tuple[str, ...]:
        return ("fast",) if self.full_seconds is None else ("fast", "full")


_items: Registry[Item] = Registry("paper", Item, called="paper or item", listing="all_items()")
_papers: dict[str, PublishedPaper] = {}


def item(
    paper: str,
    name: str,
    *,
    data: Iterable[str] = (),
    core: bool = False,
    seconds: float = 1.0,
    full_seconds: float | None = None,
) -> Callable[[Compute], Compute]:
    """Register the function below it as the reproduction of a table or a figure; see `Item` for the arguments.

    What the paper prints is in the JSON file PAPER.json beside the file of the function (those of steadyset are in a
    folder of their own), or was given to `register_paper`.
    """

    def register(compute: Compute) -> Compute:
        printed = _paper(paper, compute).items.get(name)
        if printed is None:
            raise InputError(f"The numbers of {paper} have no item called {name!r}.")
        _items.add(Item(paper, name, compute, tuple(data), core, seconds, full_seconds, printed))
        return compute

    return register


def register_paper(name: str, contents: Mapping[str, Any]) -> PublishedPaper:
    """Tell what a paper prints, in the form of the JSON files (`steadyset.reproduction.published_numbers`)."""
    if name in _papers:
        raise InputError(f"A paper called {name!r} exists already; choose another name.")
    _papers[name] = paper_of(name, contents, name)
    return _papers[name]


def unregister_paper(name: str) -> None:
    """Forget a paper and all its items."""
    _papers.pop(name, None)
    for full_name in [key for key, one in _items.items() if one.paper == name]:
        _items.remove(full_name)


def _paper(name: str, compute: Compute) -> PublishedPaper:
    if name not in _papers:
        own = FOLDER / f"{name}.json"
        beside = Path(inspect.getfile(compute)).with_name(f"{name}.json")
        _papers[name] = read_paper(own if own.exists() else beside)
    return _papers[name]


def all_papers() -> dict[str, PublishedPaper]:
    """All papers by name."""
    all_items()
    return dict(_papers)


def all_items() -> list[Item]:
    """Everything that can be reproduced, paper by paper."""
    import steadyset.reproduction.papers as package

    _items.import_own(package.__name__, package.__path__)
    order = {name: place for place, name in enumerate(sorted(_papers))}
    places = {(paper.name, name): i for paper in _papers.values() for i, name in enumerate(paper.items)}
    return sorted(_items.every(), key=lambda one: (order[one.paper], places[one.paper, one.item]))


def chosen_items(names: Iterable[str]) -> list[Item]:
    """The items that names stand for: all, a paper, PAPER/ITEM, or an item whose name occurs in one paper only."""
    known = all_items()
    found: dict[str, Item] = {}
    for name in names:
        found |= {one.name: one for one in _named(name, known)}
    return [one for one in known if one.name in found]


def _named(name: str, known: list[Item]) -> list[Item]:
    if not isinstance(name, str):
        raise wrong_argument("name", "the name of a paper or of one of its items", name)
    if name == ALL:
        return known
    fitting = [one for one in known if name in (one.paper, one.name)] or [one for one in known if name == one.item]
    if len({one.paper for one in fitting}) > 1:
        raise InputError(f"{name!r} occurs in several papers; choose {' or '.join(one.name for one in fitting)}.")
    if not fitting:
        names = dict.fromkeys(part for one in known for part in (one.paper, one.name, one.item))
        raise _items.unknown(name, names)
    return fitting
