"""Examples in docstrings leave the registries as they found them."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

import steadyset.plots  # noqa: F401  (with it, every registry is there)
from steadyset.foundation.registry import Registry

collect_ignore = ["conftest.py"]  # it has no examples, and another one has its name


@pytest.fixture(autouse=True)
def registries_as_before() -> Iterator[None]:
    with ExitStack() as kept:
        for registry in Registry.kinds.values():
            kept.enter_context(registry.unchanged())
        yield
