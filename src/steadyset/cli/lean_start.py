"""scikit-learn for a command, without the two packages that take as long to import as everything else in it.

scikit-learn imports pandas because it may be given frames, and scipy.stats for functions that a command does not call.
Here neither is imported with it. Both can be imported afterwards as ever, and scikit-learn knows them then: it looks
for frames only where pandas has been imported, and what it took from scipy.stats imports it when it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

NOT_YET = "scipy.stats"


def import_scikit_learn() -> None:
    """Import the parts of scikit-learn that an assessment needs, if nobody has imported it yet."""
    if "sklearn" in sys.modules:
        return
    with _in_place_of("pandas", None), _in_place_of(NOT_YET, _Module(NOT_YET)):
        for part in ("dummy", "feature_selection", "impute", "linear_model", "metrics", "pipeline"):
            import_module(f"sklearn.{part}")


@contextmanager
def _in_place_of(name: str, substitute: ModuleType | None) -> Iterator[None]:
    """`import name` finds the substitute, or fails where it is None, unless the module has been imported before."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = substitute  # type: ignore[assignment]  # None is how Python itself marks what is not to be had
    try:
        yield
    finally:
        del sys.modules[name]


class _Module(ModuleType):
    """Gives away names of a module while it stands in its place, and what is really in it afterwards."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            return _Member(self, name)
        return getattr(import_module(self.__name__), name)


class _Member:
    """Something in a module that is imported when it is called or looked into."""

    def __init__(self, home: _Module, name: str) -> None:
        self._home, self._name = home, name

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return getattr(self._home, self._name)(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(self._home, self._name), name)
