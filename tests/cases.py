"""One test for many cases: `@each` is written like `pytest.mark.parametrize`, but all cases are one item."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Case = tuple[str, dict[str, Any]]


def each(names: str, values: Iterable[Any] | Callable[[], Iterable[Any]], ids: Callable[[Any], str] = repr) -> Any:
    """The test is run for each value; all are tried, and a note names each that fails by its id.

    An item costs a report, a log line and a place in the queue of the workers, whatever it tests: where hundreds of
    values take a millisecond each, one item is enough. Values that are a function are made when the test runs, not when
    tests are collected. Several of these decorators multiply, as those of pytest do.
    """
    keys = [name.strip() for name in names.split(",")]

    def listed() -> list[Case]:
        found = values() if callable(values) else values
        return [(ids(value), dict(zip(keys, value if len(keys) > 1 else (value,), strict=True))) for value in found]

    def decorate(test: Any) -> Any:
        factors = [listed, *getattr(test, "factors", [])]
        once = getattr(test, "once", test)

        def looped(**fixtures: Any) -> None:
            cases: list[Case] = [("", {})]
            for factor in factors:
                cases = [(f"{title} {more}".strip(), given | new) for title, given in cases for more, new in factor()]
            assert cases, "there is no case"
            failed = []
            for title, given in cases:
                try:
                    once(**given, **fixtures)
                except (Exception, pytest.fail.Exception) as why:
                    why.add_note(f"The case: {title}")
                    failed.append(why)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases", failed)

        kept = [one for name, one in inspect.signature(test).parameters.items() if name not in keys]
        looped.__signature__ = inspect.Signature(kept)  # what pytest reads the fixtures from
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(looped, name, getattr(test, name))
        looped.pytestmark = list(getattr(test, "pytestmark", []))
        looped.factors, looped.once = factors, once
        return looped

    return decorate
