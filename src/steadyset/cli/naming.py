"""What the library says of its arguments, said of the options of the subcommand at hand."""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from steadyset.foundation.errors import Argument, SteadysetError

# Arguments whose option has another name; all others have their own, with dashes.
RENAMED = {
    "features": "--universe",
    "method": "--similarity-method",
    "n_draws": "--draws",
    "n_features": "--features",
    "n_jobs": "--jobs",
    "n_runs": "--runs",
    "n_trials": "--trials",
    "random_state": "--seed",
    "rule": "--choose",
    "scoring": "--score",
    "selectors": "--selector",
}
# Calls that a sentence sends the reader to, and the subcommand or the options that do the same.
CALLS = {
    "list_measures()": "`steadyset measures`",
    "list_selectors()": "`steadyset selectors`",
    "tune(..., resume=True)": "`steadyset tune ... --resume`",
    "similarity=FeatureSimilarity.from_data(X)": "--data, to compute it, or --similarity",
}


class Command(TyperGroup):
    """The command, with help that shows no type after an option that takes no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_alone(super().get_params(ctx))


class Subcommand(TyperCommand):
    """A subcommand whose errors speak of its options, and whose help breaks lines where the terminal ends."""

    def __init__(self, name: str | None, *, help: str | None = None, **more: Any) -> None:
        super().__init__(name, help=re.sub(r"(?<!\n)\n(?!\n)", " ", help or ""), **more)

    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_alone(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except SteadysetError as error:
            error.args = (error.told(lambda argument: as_option(argument, self.params)),)
            raise


def _flags_alone(options: list[Any]) -> list[Any]:
    for option in options:
        if getattr(option, "is_flag", False) and option.metavar is None:
            option.metavar = ""
    return options


def quoted(value: object) -> str:
    """A value as it is typed on a command line."""
    text = str(value)
    return f'"{text}"' if re.search(r"[^\w.-]", text) else text


def as_option(argument: Argument, options: Sequence[Any]) -> str:
    """The argument as it is typed on the command line; as in Python where these options do not hold it."""
    if argument.name in CALLS:
        return CALLS[argument.name]
    name = RENAMED.get(argument.name, f"--{argument.name.replace('_', '-')}")
    option = next((one for one in options if name in one.opts), None)
    if option is None:
        return str(argument)
    match argument.value:
        case None | builtins.Ellipsis | True:
            return name
        case False:
            return option.secondary_opts[0] if option.secondary_opts else str(argument)
        case tuple(values):
            return " ".join(f"{name} {quoted(value)}" for value in values)
        case value:
            return f"{name} {quoted(value)}"
