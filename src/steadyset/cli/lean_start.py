"""scikit-learn for a command, without what takes as long to import as everything else in it.

scikit-learn imports pandas because it may be given frames, and scipy.stats for functions that a command does not call;
SciPy looks up whatever NumPy has, and so imports its helpers for tests and for Fortran. Here none of them is imported
with it. All can be imported afterwards as ever, and scikit-learn knows them then: it looks for frames only where pandas
has been imported, and what was taken from the others imports them when it is used. SciPy also takes the descriptions of
its functions apart, to add a note on other kinds of arrays: here they stay as they are written. A version of
scikit-learn that needs one of all these while it is imported is imported with them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy

NOT_YET = ("scipy.stats", "numpy.f2py", "numpy.testing")
NOTES = ("scipy._lib._array_api", "FunctionDoc")  # what adds notes to descriptions


def import_scikit_learn() -> None:
    """Import the parts of scikit-learn that an assessment needs, if nobody has imported it yet."""
    if "sklearn" in sys.modules:
        return
    try:
        with ExitStack() as stack:
            stack.enter_context(_in_place_of("pandas", None))
            for name in NOT_YET:
                stack.enter_context(_in_place_of(name, _Module(name)))
            stack.enter_context(_without_notes())
            _import_parts()
        fixes = sys.modules["sklearn.utils.fixes"]
        if getattr(fixes, "pd", fixes) is None:  # versions up to 1.6 note for ever that there is no pandas
            fixes.pd = _Module("pandas")  # type: ignore[attr-defined]
    except Exception:  # a version that computes with them, or derives from them, while it is imported
        for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
            del sys.modules[name]  # what came of it has parts that miss each other
        _import_parts()


def _import_parts() -> None:
    for part in ("dummy", "feature_selection", "impute", "linear_model", "metrics", "pipeline"):
        import_module(f"sklearn.{part}")


@contextmanager
def _in_place_of(name: str, substitute: ModuleType | None) -> Iterator[None]:
    """`import name` finds the substitute, or fails where it is None, unless the module has been imported before."""
    if name in sys.modules:
        yield
        return
    home, _, last = name.rpartition(".")
    sys.modules[name] = substitute  # type: ignore[assignment]  # None is how Python itself marks what is not to be had
    if home == "numpy":  # which looks there for what it imports late
        setattr(numpy, last, substitute)
    try:
        yield
    finally:
        del sys.modules[name]
        if home == "numpy":
            delattr(numpy, last)


class _Module(ModuleType):
    """Gives away names of a module while it stands in its place, and what is really in it afterwards."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            return _Member(self, name)
        return _in_module(self.__name__, name)


class _Member:
    """Something in a module that is imported when it is called, looked into or asked for its instances."""

    def __init__(self, home: _Module, name: str) -> None:
        self._home, self._name = home, name

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._itself()(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._itself(), name)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._itself())

    def __reduce__(self) -> Any:
        return _in_module, (self._home.__name__, self._name)

    def _itself(self) -> Any:
        found = getattr(self._home, self._name)
        if isinstance(found, _Member):  # the module is not to be had yet
            raise ImportError(f"{self._home.__name__}.{self._name} is needed before it is imported")
        return found


def _in_module(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


@contextmanager
def _without_notes() -> Iterator[None]:
    """SciPy's functions keep their descriptions as they are written."""
    module, name = NOTES
    home: Any = import_module(module)
    before = getattr(home, name, None)
    if before is None:  # versions that add none
        yield
        return
    setattr(home, name, _Description)
    try:
        yield
    finally:
        setattr(home, name, before)


class _Description:
    """What a function says of itself, after an empty line where its signature would be; nothing is added to it."""

    def __init__(self, function: Any) -> None:
        self._text = function.__doc__ or ""

    def __getitem__(self, section: str) -> list[str]:
        return []

    def __str__(self) -> str:
        return f"\n{self._text}"
