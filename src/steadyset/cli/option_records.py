"""Options that several subcommands share as one record, whose fields are the options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

EMPTY = inspect.Parameter.empty


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """The subcommand with the options of each record that it takes, in the place of the record."""
    hints = get_type_hints(command, include_extras=True)
    records = {name: hints[name] for name in inspect.signature(command).parameters if _is_record(hints[name])}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        options = _options(records[name]) if name in records else [parameter.replace(annotation=hints[name])]
        parameters += [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]

    @functools.wraps(command)
    def called(**given: Any) -> None:
        taken = {name: record(*map(given.pop, record._fields)) for name, record in records.items()}
        command(**given, **taken)

    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


def _options(record: Any) -> list[inspect.Parameter]:
    hints, defaults = get_type_hints(record, include_extras=True), record._field_defaults
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name, EMPTY), annotation=hint)
        for name, hint in hints.items()
    ]
