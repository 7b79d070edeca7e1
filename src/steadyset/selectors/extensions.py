"""What was loaded and registered in this process, made known to a worker process by sending it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steadyset.plugins import Loaded
from steadyset.selectors.filters.registry import Filter, added_filters, register_filter


class Extensions:
    """Loaded modules and registered filters, the only registered things that fitting a selector looks up by name.

    It has to be unpickled before what refers to it, so it stands first in whatever is sent.
    """

    def __reduce__(self) -> tuple[Callable[..., Extensions], tuple[Any, ...]]:
        return _arrive, (Loaded(), added_filters())


def _arrive(loaded: Loaded, filters: list[Filter]) -> Extensions:
    for record in filters:
        register_filter(record, replace=True)
    return Extensions()
