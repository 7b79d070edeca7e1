"""How something public is retired: until a stated version it still works, and warns with what to use instead.

FutureWarning, which Python shows to everybody, is for what users type: functions, classes, arguments, names.
DeprecationWarning, which Python shows to authors alone, is for what plug-ins call. CONTRIBUTING.md states the policy.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, cast

from steadyset.foundation.errors import Argument, InputError

DEPRECATED = "deprecated"  # the default of an estimator's parameter that has another name now

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Thing = TypeVar("Thing", bound=Callable[..., Any])
_known: list[Retirement] = []


@dataclass(frozen=True)
class Retirement:
    """What is retired, what to use instead, the version that starts to warn, and the one that no longer has it."""

    name: str
    instead: str
    since: str
    removed_in: str
    kind: type[Warning] = FutureWarning
    told: str = "{name} is deprecated, use {instead}; it will be removed in version {removed_in}."

    def __post_init__(self) -> None:
        _known.append(self)

    def __str__(self) -> str:
        return self.told.format(name=self.name, instead=self.instead, removed_in=self.removed_in)

    def warn(self, stacklevel: int = 1) -> None:
        """Warn; with stacklevel 1 the warning points to the caller of the function that calls this."""
        warnings.warn(str(self), self.kind, stacklevel=stacklevel + 2)


def retirements() -> list[Retirement]:
    """Everything that the modules imported so far retire."""
    return list(_known)


def renamed(old: str, new: str, *, since: str, removed_in: str, kind: type[Warning] = FutureWarning) -> Retirement:
    """Something that has another name now; whoever still understands the old one calls `warn`."""
    told = "{name} is now called {instead}; the old name will be removed in version {removed_in}."
    return Retirement(old, new, since, removed_in, kind, told)


def is_deprecated(value: Any) -> bool:
    """Whether the value of a parameter says that another one has taken its place."""
    return isinstance(value, str) and value == DEPRECATED


def deprecated(
    *, instead: str, since: str, removed_in: str, kind: type[Warning] = FutureWarning
) -> Callable[[Thing], Thing]:
    """A decorator for a function or a class that goes: calling it warns, its docstring says so.

    ::

        @deprecated(instead="stability", since="0.3", removed_in="0.5")
        def steadiness(sets): ...
    """

    def retire(thing: Thing) -> Thing:
        name = thing.__name__
        retirement = Retirement(name, instead, since, removed_in, kind)
        call: Callable[..., Any] = thing.__init__ if isinstance(thing, type) else thing  # type: ignore[misc]

        @functools.wraps(call)
        def warning(*args: Any, **kwargs: Any) -> Any:
            retirement.warn()
            return call(*args, **kwargs)

        retired: Any = thing if isinstance(thing, type) else warning
        if isinstance(thing, type):
            retired.__init__ = warning
        retired.__doc__ = f"{inspect.getdoc(thing) or name}\n\n.. deprecated:: {since}\n   {retirement}"
        return cast(Thing, retired)

    return retire


def renamed_argument(
    old: str, new: str, *, since: str, removed_in: str
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """A decorator for a function whose keyword argument has another name now: the old one still works, and warns.

    ::

        @renamed_argument("top", "k", since="0.3", removed_in="0.5")
        def first(values, k=1): ...
    """
    retirement = renamed(old, new, since=since, removed_in=removed_in)

    def accept(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def translating(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            if old in kwargs:
                if new in kwargs or new in signature.bind_partial(*args).arguments:
                    raise InputError(Argument(old), " is the old name of ", Argument(new), "; give only the new one.")
                retirement.warn()
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return translating

    return accept


def old_names(module: str, *renamings: Retirement) -> Callable[[str], Any]:
    """The `__getattr__` of a module that still understands names which it had before.

    ::

        __getattr__ = old_names(__name__, renamed("steadiness", "stability", since="0.3", removed_in="0.5"))
    """
    by_name = {renaming.name: renaming for renaming in renamings}

    def look_up(name: str) -> Any:
        if name not in by_name:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        by_name[name].warn()
        return getattr(importlib.import_module(module), by_name[name].instead)

    return look_up
