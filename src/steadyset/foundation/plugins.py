"""Plug-ins: measures, filters, rules, resamplings, selectors, pictures, papers of others, found when a name is wanted.

A package announces what it adds as entry points, in the groups steadyset.measures, steadyset.filters, steadyset.rules,
steadyset.resamplings, steadyset.selectors, steadyset.pictures and steadyset.papers. Without a package, load a file or a
module that registers its things when it is imported. Nothing is searched before a name or a list is asked for.
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
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyset.foundation.arguments import check_flag, wrong_argument
from steadyset.foundation.errors import Argument, InputError


def import_modules(package: str, path: Iterable[str]) -> None:
    """Import every module of a package of steadyset: what stands in a file of its own registers itself."""
    for module in pkgutil.iter_modules(path):
        importlib.import_module(f"{package}.{module.name}")


CLOSE = 0.75  # share of the letters from which a name is one that was typed wrongly
LONG_WORD = 4  # letters from which a word says something


class PluginWarning(UserWarning):
    """A plug-in could not be loaded; everything else works without it."""


class PlugIns:
    """The plug-ins of one kind, such as "measure". `adopt(name, thing)` registers what an entry point stands for.

    An entry point that stands for a module needs no adopting: the module registers its things when it is imported.
    `named` says what has a name where that is more than one kind.
    """

    def __init__(self, kind: str, adopt: Callable[[str, Any], object], *, named: str = "") -> None:
        self.kind = kind
        self.named = named or kind
        self.group = f"steadyset.{kind}s"
        self._adopt = adopt
        self._lock = threading.RLock()
        self._searched = False
        self._failed: dict[str, str] = {}

    def load(self) -> None:
        """Adopt the entry points of all installed packages, once; one that fails is left out with a PluginWarning."""
        with self._lock:
            searched, self._searched = self._searched, True  # a plug-in may look up names while it is loaded
            if searched:
                return
            from importlib.metadata import entry_points

            found = entry_points(group=self.group)
            for point in sorted(found, key=lambda point: (_package(point), point.name)):
                try:
                    thing = point.load()
                    if not isinstance(thing, types.ModuleType):
                        self._adopt(point.name, thing)
                except (Exception, SystemExit) as error:
                    what = f"The {self.kind} {point.name!r} of the package {_package(point)} cannot be loaded"
                    self._failed[point.name] = f"{what}: {_reason(error)}."
                    warnings.warn(self._failed[point.name], PluginWarning, stacklevel=3)

    def unknown(
        self, name: Any, known: Iterable[str], listing: str = "", described: Mapping[str, str] | None = None
    ) -> InputError:
        """The error for a name that nobody registered: why its plug-in failed, or what was perhaps meant.

        `listing` is the function that lists many names, instead of naming them all; `described` says what names stand
        for, so that a word for the same thing finds them where no spelling does.
        """
        if str(name) in self._failed:
            return InputError(self._failed[str(name)])
        names = list(known)
        near = difflib.get_close_matches(str(name).lower(), names, n=1, cutoff=CLOSE)
        near = near or _that_mention(str(name), described or {})
        near = near or difflib.get_close_matches(str(name).lower(), names, n=1)
        unknown = f"There is no {self.named} called {name!r}; "
        if listing and not near:
            return InputError(unknown, Argument(listing), " lists them.")
        return InputError(unknown, f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names)}.")


def _that_mention(name: str, described: Mapping[str, str]) -> list[str]:
    """The name that is described by the words of another, where just one is."""
    words = {word for word in _words(name) if len(word) >= LONG_WORD}
    found = [known for known, text in described.items() if words and words <= _words(text)]
    return found if len(found) == 1 else []


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))


def check_new_name(kind: str, name: Any, known: Iterable[str], *, replace: bool) -> None:
    """A name for something new of a kind: a text that can be typed, and free unless it replaces."""
    if not isinstance(name, str) or not name or set(name) & set(":,= \t\n"):
        raise wrong_argument("name", "a text without spaces, colons, commas and equals signs", name)
    check_flag("replace", replace)
    if name in known and not replace:
        raise InputError(f"A {kind} called {name!r} exists already; choose another name, or pass replace=True.")


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
    """What `load` has loaded here. Where it arrives in another process, it is loaded there too.

    It has to be unpickled before what refers to it, so it stands first in whatever is sent.
    """

    def __reduce__(self) -> tuple[Callable[..., Loaded], tuple[list[_Source]]]:
        return _arrive, (list(_loaded.values()),)


def _arrive(sources: list[_Source]) -> Loaded:
    for source in sources:
        _import(source)
    return Loaded()


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
        beside = f"; to load the file beside, write {source.module}.py" if _is_file_beside(source) else ""
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


def _is_file_beside(source: _Source) -> bool:
    return source.module.isidentifier() and Path(f"{source.module}.py").exists()


def _package(point: Any) -> str:
    return str(point.dist.name) if point.dist is not None else str(point.value)


def _reason(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    told = lines[0].rstrip(".") if lines else ""
    if isinstance(error, InputError):
        return told
    return f"{type(error).__name__}: {told}" if told else type(error).__name__
