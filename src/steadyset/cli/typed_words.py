"""A call of a subcommand as the words that are typed, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from steadyset.foundation.errors import InputError


def typed_words(subcommand: str, options: Mapping[str, Any]) -> list[str]:
    """The words after `steadyset`; options are named as the parameters of the subcommand."""
    known = {parameter.name: parameter for parameter in _parameters(subcommand)}
    words = [subcommand]
    for name, value in options.items():
        if value is None:
            continue
        if name not in known:
            raise InputError(f"steadyset {subcommand} has no option {name!r}; order the run anew.")
        parameter = known[name]
        if parameter.param_type_name == "argument":
            words.append(_file(str(value)))
        elif isinstance(value, bool):
            words += [] if not (value or parameter.secondary_opts) else [_flag(parameter, value)]
        else:
            for one in value if isinstance(value, (list, tuple)) else (value,):
                words += _given(max(parameter.opts, key=len), str(one))
    return words


def given_options(words: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The subcommand and the options that such words give, as they were typed; nothing is run, checked or loaded."""
    subcommand, *rest = words
    command = _command().commands[subcommand]
    try:
        given, _, _ = command.make_parser(command.context_class(command)).parse_args(rest)
    except _usage_error() as error:
        raise InputError(error.format_message()) from None
    known = {parameter.name for parameter in command.params}
    return subcommand, {name: value for name, value in given.items() if name in known and value is not None}


def _file(name: str) -> str:
    """The name of a file; one that begins with a dash, as a stranger may have written it, is no option."""
    return f"./{name}" if name.startswith("-") else name


def _given(option: str, value: str) -> list[str]:
    """An option with its value; one that begins with a dash would be taken for an option itself."""
    return [f"{option}={value}"] if value.startswith("-") or not value else [option, value]


def _flag(parameter: Any, value: bool) -> str:
    return str(parameter.opts[0] if value else parameter.secondary_opts[0])


@cache
def _parameters(subcommand: str) -> tuple[Any, ...]:
    return tuple(_command().commands[subcommand].params)


def _usage_error() -> Any:
    from steadyset.cli import USAGE_ERROR

    return USAGE_ERROR


@cache
def _command() -> Any:
    import typer

    from steadyset.cli import app

    return typer.main.get_command(app)
