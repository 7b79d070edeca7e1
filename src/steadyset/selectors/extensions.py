"""What was loaded and registered in this process, made known to a worker process by sending it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steadyset.foundation.plugins import Loaded
from steadyset.selectors.ensembles.rules import Rule, added_rules, register_rule
from steadyset.selectors.filters.registry import Filter, added_filters, register_filter


class Extensions:
    """Loaded modules and registered filters and rules, all that fitting a selector looks up by name.

    It has to be unpickled before what refers to it, so it stands first in whatever is sent.
    """

    def __reduce__(self) -> tuple[Callable[..., Extensions], tuple[Any, ...]]:
        return _arrive, (Loaded(), added_filters(), added_rules())


def _arrive(loaded: Loaded, filters: list[Filter], rules: list[Rule]) -> Extensions:
    for record in filters:
        register_filter(record, replace=True)
    for rule in rules:
        register_rule(rule, replace=True)
    return Extensions()
