"""From the table of options to commands: what is typed is parsed by its records, and errors speak of them."""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from steadyset.foundation.errors import Argument, SteadysetError
from steadyset.foundation.job import doing
from steadyset.options import REQUIRED, Given, Option, job_of, options_of

Function = Callable[[Given], None]
# Calls that a sentence sends the reader to, and the subcommand or the options that do the same.
CALLS = {
    "list_measures()": "`steadyset measures`",
    "list_selectors()": "`steadyset selectors`",
    "tune(..., execution={'resume': True})": "`steadyset tune ... --resume`",
    "similarity=FeatureSimilarity.from_data(X)": "--data, to compute it, or --similarity",
}


class Command(TyperGroup):
    """The command, with help that shows no type after an option that takes no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_alone(super().get_params(ctx))


class Subcommand(TyperCommand):
    """A subcommand whose help breaks lines where the terminal ends, and lists what is registered when it is shown."""

    def __init__(self, name: str | None, *, help: str | None = None, **more: Any) -> None:
        super().__init__(name, help=re.sub(r"(?<!\n)\n(?!\n)", " ", help or ""), **more)

    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_alone(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.describe()
        super().format_help(ctx, formatter)

    def describe(self) -> None:
        """Let every option say its whole sentence; some list what is registered, which takes time to import."""
        options = options_of(str(self.name))
        for parameter in self.params:
            if str(parameter.name) in options:
                parameter.help = options[str(parameter.name)].words  # type: ignore[attr-defined]


def _flags_alone(options: list[Any]) -> list[Any]:
    for option in options:
        if getattr(option, "is_flag", False) and option.metavar is None:
            option.metavar = ""
    return options


def parsed(command: str, function: Function) -> Callable[..., None]:
    """The function that typer calls: its parameters are the options of the command."""

    def called(**values: Any) -> None:
        perform(command, function, {name: _plain(value) for name, value in values.items()})

    options = options_of(command).values()
    called.__name__, called.__doc__ = command, function.__doc__
    called.__annotations__ = {option.name: _annotation(option) for option in options}
    called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                option.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if option.default is REQUIRED else option.default,
                annotation=called.__annotations__[option.name],
            )
            for option in options
        ]
    )
    return called


def perform(command: str, function: Function, values: Mapping[str, Any]) -> None:
    """Run a command with these values of its options; errors speak of its options, and what it makes records them."""
    try:
        for name in values.get("load") or ():
            from steadyset.foundation.registry import load

            load(name)
        with doing(job_of(command, values)):
            function(Given(command, values))
    except SteadysetError as error:
        error.args = (error.told(lambda argument: as_option(argument, command)),)
        raise


def _annotation(option: Option) -> Any:
    kind: Any = StrEnum(option.name, list(option.choices)) if option.choices else option.kind
    kind = list[kind] if option.many else kind
    kind = kind | None if option.default is None else kind
    told: dict[str, Any] = {
        "metavar": option.metavar,
        "help": option.sentence if isinstance(option.sentence, str) else "",
        "show_default": option.default is not None and not (option.many and option.positional),
    }
    if option.positional:
        return Annotated[kind, typer.Argument(**told)]
    flags = [f"{option.flag}/{option.no}" if option.no else option.flag, *([option.short] if option.short else [])]
    return Annotated[
        kind, typer.Option(*flags, **told, min=option.least, max=option.most, rich_help_panel=option.heading or None)
    ]


def _plain(value: Any) -> Any:
    """A value as jobs have it: a choice by its name, several values as a list."""
    if isinstance(value, tuple):  # as older versions of typer give several
        return list(value)
    return value.value if isinstance(value, StrEnum) else value


def quoted(value: object) -> str:
    """A value as it is typed on a command line."""
    text = str(value)
    return f'"{text}"' if re.search(r"[^\w.-]", text) else text


def as_option(argument: Argument, command: str) -> str:
    """The argument as it is typed on the command line; as in Python where the command has no option for it."""
    if argument.name in CALLS:
        return CALLS[argument.name]
    options = [one for one in options_of(command).values() if not one.positional]
    option = next((one for one in options if (one.argument or one.name) == argument.name), None)
    if option is None:
        return str(argument)
    match argument.value:
        case None | builtins.Ellipsis | True:
            return option.flag
        case False:
            return option.no or str(argument)
        case tuple(values):
            return " ".join(f"{option.flag} {quoted(value)}" for value in values)
        case value:
            return f"{option.flag} {quoted(value)}"
