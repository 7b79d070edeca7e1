"""The terminal: what is typed is parsed by the records of options, and errors speak of them; what is found is printed.

Findings, and tables for people, as csv or as json.
"""

from __future__ import annotations

import builtins
import codecs
import difflib
import inspect
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from steadyset.foundation import text as wording
from steadyset.foundation.display import Bar, Display, Figure, Table, Words
from steadyset.foundation.errors import Argument, SteadysetError
from steadyset.foundation.job import doing
from steadyset.foundation.text import shown_name
from steadyset.options import REQUIRED, Given, Option, job_of, options_of

if TYPE_CHECKING:
    from steadyset.findings import Findings

Function = Callable[[Given], None]
WRITTEN_OUT = "steadyset.written_out"  # how what cannot be encoded is printed
# Calls that a sentence sends the reader to, and the subcommand or the options that do the same.
CALLS = {
    "list_measures()": "`steadyset measures`",
    "list_selectors()": "`steadyset selectors`",
    "tune(..., execution={'resume': True})": "`steadyset tune ... --resume`",
    **{
        f"{function}(..., execution={{'resume': True}})": f"`steadyset {command} ... --resume`"
        for function, command in (("shortlist", "shortlist"), ("replication", "replicate"), ("variance_split", "why"))
    },
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
        case tuple(values) if not option.many:
            return f"{option.flag} {quoted(','.join(values))}"
        case tuple(values):
            return " ".join(f"{option.flag} {quoted(value)}" for value in values)
        case value:
            return f"{option.flag} {quoted(value)}"


# Names that other tools give to an option, and the option that does the same.
OTHER_NAMES = {
    "strata": "block COLUMN",
    "stratify": "resampling bootstrap:stratified=True",
    "stratified": "resampling bootstrap:stratified=True",
    "cv": "resampling kfold:n_splits=5",
    "folds": "resampling kfold:n_splits=5",
    "n-splits": "resampling kfold:n_splits=5",
    "runs": "resampling bootstrap:n_runs=50",
    "selector": "space SPACE",
    "selectors": "selector NAME",
    "method": "selector NAME",
    "scoring": "score NAME",
    "metric": "score NAME",
    "outcome": "target COLUMN",
    "label": "target COLUMN",
    "class": "target COLUMN",
    "y": "target COLUMN",
    "covariates": "force COLUMN",
    "adjust": "force COLUMN",
    "batch": "block COLUMN",
    "output": "out FOLDER",
    "n-jobs": "jobs N",
    "threads": "jobs N",
    "random-state": "seed N",
    "random-seed": "seed N",
}


def instead_of(unknown: str, command: str, commands: Iterable[str]) -> str:
    """Return sentences on what to use instead of an option that a command does not have; "" if nothing is known."""
    name = unknown.lstrip("-").replace("_", "-")
    flags = _flags_of(command)
    sentences = []
    elsewhere = [other for other in commands if f"--{name}" in _flags_of(other)]
    if elsewhere:
        sentences.append(f"It is an option of {', '.join(f'`steadyset {other}`' for other in elsewhere)}.")
    same = OTHER_NAMES.get(name, "")
    near = difflib.get_close_matches(f"--{name}", flags, n=1, cutoff=0.75)
    if f"--{same.partition(' ')[0]}" in flags:
        sentences.append(f"For `steadyset {command}` use --{same}.")
    elif near:
        sentences.append(f"The closest option of `steadyset {command}` is {near[0]}.")
    elif elsewhere:
        sentences.append(f"`steadyset {command} --help` lists the options of this command.")
    return " ".join(sentences)


def _flags_of(command: str) -> list[str]:
    return [one.flag for one in options_of(command).values() if not one.positional]


def print_rows(
    rows: Sequence[Mapping[str, Any]],
    form: str,
    *,
    title: str = "",
    wide: Sequence[str] = (),
    optional: Sequence[str] = (),
    safe: bool = False,
) -> None:
    """Print rows that share their keys.

    `wide` columns of a table may wrap; `optional` ones are left out where no row has anything there; `safe`: see
    csv_text.
    """
    empty = [key for key in optional if not any(row[key] for row in rows)]
    rows = [{key: value for key, value in row.items() if key not in empty} for row in rows]
    if form == "json":
        from steadyset.findings.parts import plain

        print(json.dumps(plain(list(rows)), indent=2, allow_nan=False))
    elif form == "csv":
        from steadyset.io.formats.spreadsheet import csv_text

        sys.stdout.write(csv_text(rows, safe=safe))
        if not safe:
            warn_of_formulas((value for row in rows for value in row.values()), "The csv output")
    else:
        marked = [{key: Words(str(value)) if key in wide else value for key, value in row.items()} for row in rows]
        print_table(Table.of(marked, title))


def render(found: Findings, form: str, *, safe: bool = False) -> None:
    """For people: everything; as csv: the table; as json: the findings."""
    if form == "json":
        print(found.to_json())
    elif form == "csv":
        from steadyset.findings.other_tables import main_rows

        print_rows(main_rows(found), form, safe=safe)
    else:
        from steadyset.findings.sections import display_of

        print_display(display_of(found, most=None))


def print_display(shown: Display, hint: str = ".") -> None:
    """What is shown of a result; `hint` ends the sentence on rows that a table leaves out."""
    for sentence in shown.answer:
        typer.echo(sentence)
    for table in shown.tables:
        print_table(table)
        if table.more:
            typer.echo(table.more.removesuffix(".") + hint)
    for line in shown.notes:
        typer.echo(line)
    for title, lines in shown.sections.items():
        typer.echo(f"\n{title}" if title.endswith("?") else f"\n{title}:")
        for line in lines:
            typer.echo(f"  {line}")


def complain(sentence: str) -> None:
    """What went wrong, on standard error, each line without what would move the cursor."""
    for line in f"steadyset: {sentence}".splitlines():
        print(" ".join(line.split()), file=sys.stderr)


def warn_of_formulas(values: Iterable[Any], where: str) -> None:
    """Say on standard error which names a spreadsheet would run as formulas; they stay as they are in the file."""
    from steadyset.io.formats.spreadsheet import formulas_told

    told = formulas_told(values, where, "--spreadsheet-safe writes such names with an apostrophe in front.")
    if told is not None:
        print(told, file=sys.stderr)


def speak_any_alphabet() -> None:
    """Write out what the encoding of the terminal has no sign for, instead of failing over it."""
    codecs.register_error(WRITTEN_OUT, _written_out)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=WRITTEN_OUT)


def _written_out(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError) and error.object[error.start] == wording.DASH:
        return "-", error.start + 1
    return codecs.backslashreplace_errors(error)


def print_table(table: Table) -> None:
    """A table without its bars: Words may wrap, other cells stay whole."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    columns = {
        title: [row[place] for row in table.rows]
        for place, title in enumerate(table.header)
        if not any(isinstance(row[place], Bar) for row in table.rows)
    }
    wide = False
    for title, cells in columns.items():
        wraps = any(isinstance(cell, Words) for cell in cells)
        numeric = any(isinstance(cell, int | float | Figure) and not isinstance(cell, bool) for cell in cells)
        drawn.add_column(title, justify="right" if numeric else "left", no_wrap=not wraps, overflow="fold")
        wide = wide or wraps
    for row in zip(*columns.values(), strict=True):
        drawn.add_row(*(Text(_cell_text(cell)) for cell in row))  # not markup: names are data from strangers
    console = Console(file=sys.stdout)
    roomy = Console(file=sys.stdout, width=200)
    # A cell that is cut says something else than was found: a line too long for the terminal is the lesser evil.
    if not console.is_terminal or (not wide and roomy.measure(drawn).maximum > console.width):
        console = roomy
    if table.title:
        console.print(Text(table.title, style="bold"))
    console.print(drawn)


def _cell_text(cell: Any) -> str:
    if isinstance(cell, float):
        return wording.number(cell, 4)
    return shown_name(cell.text if isinstance(cell, Words | Figure) else str(cell))
