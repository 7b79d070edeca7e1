"""The command `steadyset`: one page per subcommand, from the application itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import typer

from reference_pages.markdown import code, plain, toctree
from steadyset.cli import app
from steadyset.foundation.job import PROGRAM

REMARK = re.compile(r"\s*\[([^\[\]]*(?:default|required|x[<>]|[<>]=?x)[^\[\]]*)\]$")
PIECE = re.compile(r"[{]([^.}]*)(?:[.]{3})?[}]([.]{3})?|\[(.*)\][.]{3}")  # of a usage: {FILE...}... is FILE...
OF_TYPE = re.compile(r" <[A-Za-z\[\]]+>$")  # a type of Python, which says nothing beside FILE
ARGUMENTS, OPTIONS = "Arguments", "Options"


def pages() -> Iterator[tuple[str, str]]:
    command: Any = typer.main.get_command(app)
    yield "commands/index.md", _overview(command)
    for name, subcommand in command.commands.items():
        yield f"commands/{name}.md", _page(name, subcommand)


def _overview(command: Any) -> str:
    rows = [
        f"| [`{PROGRAM} {name}`]({name}.md) | {plain(_paragraphs(subcommand)[0])} |"
        for name, subcommand in command.commands.items()
    ]
    lines = [f"# The command {PROGRAM}", "", *_told(command), "| command | what it does |", "|---|---|", *rows, ""]
    context = typer.Context(command, info_name=PROGRAM)
    return "\n".join([*lines, *_parameters(context, PROGRAM, 2), toctree(command.commands)])


def _page(name: str, subcommand: Any) -> str:
    subcommand.describe()
    context = typer.Context(subcommand, info_name=f"{PROGRAM} {name}")
    usage = " ".join([PROGRAM, name, *(PIECE.sub(r"\1\2\3", one) for one in subcommand.collect_usage_pieces(context))])
    lines = [f"# {PROGRAM} {name}", "", *_told(subcommand), code(usage, "text"), ""]
    return "\n".join([*lines, *_parameters(context, f"{PROGRAM} {name}", 2)])


def _told(command: Any) -> Iterator[str]:
    for paragraph in _paragraphs(command):
        yield from (plain(paragraph), "")


def _paragraphs(command: Any) -> list[str]:
    return [" ".join(text.split()) for text in (command.help or "").split("\n\n")]


def _parameters(context: Any, program: str, level: int) -> Iterator[str]:
    """What may follow the command, under the headings that its help has."""
    yield from ("```{program} " + program, "```", "")
    for heading, parameters in groupby(sorted(_shown(context), key=_place), key=_heading):
        yield from ("#" * level + f" {heading}", "")
        for parameter in parameters:
            yield from _parameter(*parameter.get_help_record(context))


def _shown(context: Any) -> list[Any]:
    return [one for one in context.command.get_params(context) if one.get_help_record(context) is not None]


def _heading(parameter: Any) -> str:
    is_option = parameter.opts[0].startswith("-")
    return getattr(parameter, "rich_help_panel", None) or (OPTIONS if is_option else ARGUMENTS)


def _place(parameter: Any) -> tuple[int, str]:
    heading = _heading(parameter)
    return (0 if heading == ARGUMENTS else 1 if heading == OPTIONS else 2), heading


def _parameter(typed: str, told: str) -> Iterator[str]:
    found = REMARK.search(told)
    words = plain(REMARK.sub("", told))
    remark = f" *{plain(found[1])}*" if found else ""
    yield from ("```{option} " + OF_TYPE.sub("", typed).replace(" / ", ", "), f"{words}{remark}", "```", "")
