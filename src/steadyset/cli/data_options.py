"""The data of `assess` and `tune`: its options, and reading it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from steadyset.cli import shared
from steadyset.io.limits import MAX_GB

if TYPE_CHECKING:
    from steadyset.io.data_table import Data

PANEL = "The data"

DataArgument = Annotated[
    Path,
    typer.Argument(
        help="The data: text (csv, tsv, txt, also .gz), Excel, parquet, feather, .h5ad, GEO series matrix; one row "
        "per observation, or genes in rows.",
        metavar="FILE",
    ),
]
TargetColumn = Annotated[
    str | None, typer.Option("--target", "-t", metavar="COLUMN", help="What to predict. Without it: the candidates.")
]


class DataOptions(NamedTuple):
    """How the data is read."""

    samples: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file with the target and what else is known of the samples, joined to the data by their names.",
            rich_help_panel=PANEL,
        ),
    ] = None
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Rows with the same value, such as one patient's, stay together when runs are drawn.",
            rich_help_panel=PANEL,
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Leave a column out; may be repeated.", rich_help_panel=PANEL),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Use a column that looks like an identifier.", rich_help_panel=PANEL),
    ] = None
    impute: Annotated[
        str | None,
        typer.Option(
            metavar="median",
            help="Fill missing values within each run, by the medians of its training rows.",
            rich_help_panel=PANEL,
        ),
    ] = None
    transpose: Annotated[
        bool | None,
        typer.Option(
            "--transpose/--no-transpose",
            help="The data has one row per feature and one column per sample. Default: found out with --samples, else "
            "no.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The sheet of a workbook, or its number. Default: the only one with cells.",
            rich_help_panel=PANEL,
        ),
    ] = None
    samples_sheet: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The same for a workbook given as --samples.", rich_help_panel=PANEL),
    ] = None
    layer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Other values of an .h5ad file than X: a layer, or raw for raw/X.",
            rich_help_panel=PANEL,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            metavar="C",
            help="What separates the columns of a text file, such as ';' or tab. Default: found.",
            rich_help_panel=PANEL,
        ),
    ] = None
    max_gb: shared.MaxGb = MAX_GB


AS_RECOGNISED = DataOptions()


def read_data(file: Path, target: str | None, options: DataOptions, task: str | None, *, people: bool) -> Data:
    """The data; people are told what was read, and what the target is taken for."""
    from steadyset.io.data_table import load_data

    given = {name: value for name, value in options._asdict().items() if value is not None}
    data = load_data(file, target, **given)
    if people:
        typer.echo(f"{file}: {data.understood}")
        for note in data.notes:
            typer.echo(note)
        typer.echo(f"outcome: {_outcome(data.y, task)}")
    return data


def _outcome(y: Any, task: str | None) -> str:
    """What the target is taken for, and how to take it otherwise where that is possible."""
    from steadyset.tasks import TASKS, task_of

    kind = task_of(y, task)
    words, other = TASKS[kind].describe(y), None if task is not None else TASKS[kind].other(y)
    if other is None:
        return words
    return f"{words}; --task {other} treats them as {TASKS[other].words}"
