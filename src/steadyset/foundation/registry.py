"""Registries: what is known by name, of steadyset and of others; one class for every kind of thing.

A kind (measures, filters, selectors, resamplings, rules, pictures, formats, scores, tasks, ...) is one `Registry`.
Whatever is added to it is found by its name, listed, proposed where a name is typed wrongly, and sent along to other
processes.
Others add theirs by a function call, by the entry points of their package in the group steadyset.KINDs (such as
steadyset.measures), or by a file or a module that is loaded (`load`) and registers its things when it is imported.
No package is searched before a name that steadyset lacks, or a list, is asked for.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import os
import pkgutil
import re
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

from steadyset.foundation.arguments import check_flag, wrong_argument
from steadyset.foundation.errors import Argument, InputError, warn_caller

T = TypeVar("T")
CLOSE = 0.75  # share of the letters from which a name is one that was typed wrongly
LONG_WORD = 4  # letters from which a word says something


class PluginWarning(UserWarning):
    """A plug-in could not be loaded; everything else works without it."""


@dataclass(eq=False, repr=False)
class Registry(Mapping[str, T]):
    """The things of one kind, such as "measure", by their names, in the order in which they were added.

    As a mapping it holds what has been added so far; `find`, `names` and `every` search the installed packages first.

    Parameters
    ----------
    kind : str
        What one thing is called in messages; packages add theirs in the group steadyset.KINDs.
    record : type or None, default=None
        The class that things have; with None anything is taken.
    check : Callable or None, default=None
        Raises InputError for a thing that makes no sense.
    adopt : Callable or None, default=None
        Adds (name, thing) of an entry point where that is more than to add a record under the name that it has.
    aliases : Callable or None, default=None
        The other names of a thing; where there are such, capitals do not matter.
    described : Callable or None, default=None
        What a thing is, in words: a word of these finds it where no spelling does.
    listing : str, default=""
        The function that lists the names, for messages, where they are too many to be named.
    called : str, default=""
        What has a name, for messages, where that is more than one kind.
    in_runs : bool, default=False
        Whether what runs elsewhere looks things up, so that other processes have to be sent what was added.
    """

    kinds: ClassVar[dict[str, Registry[Any]]] = {}

    kind: str
    record: type[T] | None = None
    _: KW_ONLY
    check: Callable[[T], object] | None = None
    adopt: Callable[[str, Any], object] | None = None
    aliases: Callable[[T], Iterable[str]] | None = None
    described: Callable[[T], str] | None = None
    listing: str = ""
    called: str = ""
    in_runs: bool = False

    def __post_init__(self) -> None:
        self._things: dict[str, T] = {}
        self._keys: dict[str, str] = {}  # from names and aliases as they are looked up to names
        self._own: list[T] = []
        self._lock = threading.RLock()
        self._searched = False
        self._failed: dict[str, str] = {}
        self.kinds[self.kind] = self

    def __getitem__(self, name: str) -> T:
        return self._things[self._keys[self._key(name)]]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._key(name) in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def add(self, thing: T, name: str | None = None, *, replace: bool = False) -> T:
        """Make a thing known by its own name, or by another; a taken name is refused unless it is to be replaced."""
        if self.check is not None:
            self.check(thing)
        name = name if name is not None else cast(Any, thing).name
        if not isinstance(name, str) or not name or set(name) & set(":,= \t\n"):
            raise wrong_argument("name", "a text without spaces, colons, commas and equals signs", name)
        check_flag("replace", replace)
        names = (name, *(self.aliases(thing) if self.aliases else ()))
        taken = [one for one in names if one in self]
        if taken and not replace:
            advice = "choose another name, or pass replace=True."
            raise InputError(f"A {self.kind} called {taken[0]!r} exists already; {advice}")
        if name in self._things:
            self.remove(name)
        self._things[name] = thing
        self._keys.update({self._key(one): name for one in names})
        return thing

    def remove(self, name: str) -> None:
        """Forget a thing, by its name or an alias; one that is not known is refused."""
        self.find(name)
        own = self._keys[self._key(name)]
        del self._things[own]
        self._keys = {key: other for key, other in self._keys.items() if other != own}

    def find(self, name: Any, argument: str = "name") -> T:
        """The thing that a name stands for; an unknown name is refused, with the one that was perhaps meant.

        `argument` is what messages call the name.
        """
        if not isinstance(name, str):
            raise wrong_argument(argument, f"the name of a {self.kind}", name)
        if not self.knows(name):
            raise self.unknown(name)
        return self[name]

    def knows(self, name: Any) -> bool:
        """Whether a name stands for a thing; packages are searched only for one that steadyset lacks."""
        if name not in self:
            self.search()
        return name in self

    def names(self) -> list[str]:
        """The names of all things, also of those that packages add."""
        self.search()
        return list(self._things)

    def every(self) -> list[T]:
        """All things, also those that packages add."""
        self.search()
        return list(self._things.values())

    def added(self) -> list[T]:
        """What was added besides steadyset's own."""
        return [thing for thing in self._things.values() if not any(thing is own for own in self._own)]

    def import_own(self, package: str, path: Iterable[str]) -> None:
        """Import every module of a package of steadyset: what a file there adds is steadyset's own."""
        for module in pkgutil.iter_modules(path):
            importlib.import_module(f"{package}.{module.name}")
        self._own = list(self._things.values())

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Within, things can be added and removed; afterwards the registry is as it was."""
        things, keys = dict(self._things), dict(self._keys)
        try:
            yield
        finally:
            self._things, self._keys = things, keys

    def search(self) -> None:
        """Adopt the entry points of all installed packages, once; one that fails is left out with a PluginWarning."""
        with self._lock:
            searched, self._searched = self._searched, True  # a plug-in may look up names while it is loaded
            if searched:
                return
            from importlib.metadata import entry_points

            found = entry_points(group=f"steadyset.{self.kind}s")
            for point in sorted(found, key=lambda point: (_package(point), point.name)):
                try:
                    thing = point.load()
                    if not isinstance(thing, types.ModuleType):  # a module adds its things when it is imported
                        (self.adopt or self.adopt_record)(point.name, thing)
                except (Exception, SystemExit) as error:
                    what = f"The {self.kind} {point.name!r} of the package {_package(point)} cannot be loaded"
                    self._failed[point.name] = f"{what}: {_reason(error)}."
                    warn_caller(self._failed[point.name], PluginWarning)

    def unknown(
        self, name: Any, known: Iterable[str] | None = None, described: Mapping[str, str] | None = None
    ) -> InputError:
        """The error for a name that nobody added: why its package failed, or what was perhaps meant.

        `known` and `described` are the names and their meanings, where there are others than those of the registry.
        """
        if str(name) in self._failed:
            return InputError(self._failed[str(name)])
        names = list(self._keys if known is None else known)
        if described is None:
            described = self.descriptions()
        near = difflib.get_close_matches(str(name).lower(), names, n=1, cutoff=CLOSE)
        near = near or _that_mention(str(name), described)
        near = near or difflib.get_close_matches(str(name).lower(), names, n=1)
        unknown = f"There is no {self.called or self.kind} called {name!r}; "
        if self.listing and not near:
            return InputError(unknown, Argument(self.listing), " lists them.")
        return InputError(unknown, f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names)}.")

    def descriptions(self) -> dict[str, str]:
        """What each thing is, in words."""
        return {name: self.described(thing) for name, thing in self._things.items()} if self.described else {}

    def _key(self, name: str) -> str:
        return name.lower() if self.aliases else name

    def adopt_record(self, name: str, thing: Any) -> None:
        """Add what an entry point stands for, unless its module has done that."""
        if self.record is not None and not isinstance(thing, self.record):
            raise InputError(f"it must be a {self.record.__name__} (got {type(thing).__name__})")
        own = getattr(thing, "name", None)
        name = own if isinstance(own, str) else name  # a class may have a property of this name
        if name not in self or self[name] is not thing:
            self.add(thing, name)


def _that_mention(name: str, described: Mapping[str, str]) -> list[str]:
    """The name that is described by the words of another, where just one is."""
    words = {word for word in _words(name) if len(word) >= LONG_WORD}
    found = [known for known, text in described.items() if words and words <= _words(text)]
    return found if len(found) == 1 else []


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))


@dataclass(frozen=True)
class _Source:
    """A module that was loaded: by its name alone where it is installed, with its text where it is a file."""

    module: str
    path: str = ""
    text: bytes = b""


_loaded: dict[str, _Source] = {}


def load(what: str | os.PathLike[str]) -> None:
    """Import a file (a path that ends in .py) or an installed module, so that it registers its things."""
    text = os.fspath(what)
    _import(_file(Path(text)) if text.endswith(".py") else _Source(text))


class Loaded:
    """What `load` has loaded here. Where it arrives in another process, it is loaded there too."""

    def __reduce__(self) -> tuple[Callable[..., Loaded], tuple[list[_Source]]]:
        return _arrive, (list(_loaded.values()),)


def _arrive(sources: list[_Source]) -> Loaded:
    for source in sources:
        _import(source)
    return Loaded()


def additions() -> tuple[Loaded, dict[str, list[Any]]]:
    """What was loaded here, then what was added that runs look up: in this order, as the one may define the other."""
    return Loaded(), {kind: registry.added() for kind, registry in Registry.kinds.items() if registry.in_runs}


def receive(loaded: Loaded, things: dict[str, list[Any]]) -> None:
    """Add what another process had added."""
    for kind, added in things.items():
        for thing in added:
            Registry.kinds[kind].add(thing, replace=True)


def _file(path: Path) -> _Source:
    place = path.expanduser().resolve()
    try:
        text = place.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be loaded: {error.strerror or error}.") from None
    except ValueError as error:  # a null character in the name
        raise InputError(f"{str(path)!r} cannot be loaded: {error}.") from None
    # A name of its own: a file may be called like an installed module, or like a file in another folder.
    digest = hashlib.sha256(str(place).encode(errors="surrogateescape")).hexdigest()[:8]
    return _Source(f"plugin_{path.stem}_{digest}", str(place), text)


def _import(source: _Source) -> None:
    if source.module in _loaded:
        return
    try:
        if source.path:
            _run(source)
        else:
            importlib.import_module(source.module)
    except (Exception, SystemExit) as error:
        if source.path:
            sys.modules.pop(source.module, None)
        is_beside = source.module.isidentifier() and Path(f"{source.module}.py").exists()
        beside = f"; to load the file beside, write {source.module}.py" if is_beside else ""
        raise InputError(f"{source.path or source.module} cannot be loaded: {_reason(error)}{beside}.") from None
    _loaded[source.module] = source


def _run(source: _Source) -> None:
    """Import a file from its text; like a script, it finds the modules beside it."""
    folder = str(Path(source.path).parent)
    if folder not in sys.path:
        sys.path.append(folder)
    module = types.ModuleType(source.module)
    module.__file__ = source.path
    sys.modules[source.module] = module
    exec(compile(source.text, source.path, "exec"), module.__dict__)


def _package(point: Any) -> str:
    return str(point.dist.name) if point.dist is not None else str(point.value)


def _reason(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    told = lines[0].rstrip(".") if lines else ""
    if isinstance(error, InputError):
        return told
    return f"{type(error).__name__}: {told}" if told else type(error).__name__
