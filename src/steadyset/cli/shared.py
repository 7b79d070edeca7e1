"""Options that subcommands share: those of the data for `assess` and `tune`, of measuring for `measure` and `compare`.

The aliases are read by typer; what they become is read by the functions below them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steadyset.arguments import wrong_argument
from steadyset.cli.output import Format

if TYPE_CHECKING:
    from steadyset.io.data_table import Data

RUN = "run"  # the column of --data that names its rows

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
Samples = Annotated[
    Path | None,
    typer.Option(
        "--samples",
        metavar="FILE",
        help="A file with the target and what else is known of the samples, joined to the data by their names.",
    ),
]
GenesInRows = Annotated[
    bool | None,
    typer.Option(
        "--transpose/--no-transpose",
        help="The data has one row per feature and one column per sample. Default: found out with --samples, else no.",
        show_default=False,
    ),
]
SamplesSheet = Annotated[
    str | None, typer.Option("--samples-sheet", metavar="NAME", help="The same for a workbook given as --samples.")
]
Layer = Annotated[
    str | None,
    typer.Option("--layer", metavar="NAME", help="Other values of an .h5ad file than X: a layer, or raw for raw/X."),
]
Drop = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out; may be repeated.")]
Keep = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Use a column that looks like an identifier.")]
Impute = Annotated[
    str | None,
    typer.Option(metavar="median", help="Fill missing values within each run, by the medians of its training rows."),
]
OnWarning = Annotated[
    str,
    typer.Option(
        "--on-warning",
        metavar="record|fail",
        help="What happens when a selector warns: record it beside the result, or fail the run.",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="C", help="What separates the columns of a text file, such as ';' or tab. Default: found."),
]
Sheet = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The sheet of a workbook, or its number. Default: the only one with cells."),
]
MaxGb = Annotated[float, typer.Option("--max-gb", metavar="GB", help="Refuse files that need more memory than this.")]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Rows with the same value, such as one patient's, stay together when runs are drawn."
    ),
]
TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task", metavar="classes|number", help="What the target is. Default: decided by its values, and printed."
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue what is in the folder.")]
RunSeed = Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same result.", min=0)]
CoreShare = Annotated[
    float, typer.Option("--core", metavar="SHARE", help="Share of the runs a feature needs to be in the steady core.")
]
Level = Annotated[float, typer.Option("--level", metavar="L", help="Confidence level of intervals and tests.")]
Form = Annotated[Format, typer.Option("--format", help="Output for people, or for programs.")]
SpreadsheetSafe = Annotated[
    bool,
    typer.Option(
        "--spreadsheet-safe",
        help="In csv, put an apostrophe before names that a spreadsheet would run as formulas (= + - @).",
    ),
]


def _load(names: list[str] | None) -> list[str] | None:
    if names:
        from steadyset.plugins import load

        for name in names:
            load(name)
    return names


Load = Annotated[
    list[str] | None,
    typer.Option(
        "--load",
        metavar="FILE|MODULE",
        callback=_load,
        help="A Python file, or an installed module, that registers your own measures, filters, resamplings, "
        "selectors, rules or pictures; may be repeated.",
    ),
]

Policy = Annotated[
    str,
    typer.Option(
        "--undefined",
        metavar="POLICY",
        help="How undefined pairs of runs are treated: nan (reported), raise (stop), or a number to use.",
    ),
]
Expected = Annotated[
    str,
    typer.Option(
        "--expectation",
        metavar="HOW",
        help="Correction for chance of measures without one: exact, monte_carlo (simulate where no exact form exists), "
        "none, or auto (each measure as published).",
    ),
]
Draws = Annotated[int, typer.Option("--draws", metavar="N", help="Number of random draws in a simulation.", min=2)]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the simulation.", min=0)]
DataFile = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FILE",
        help="The data the features were selected from (csv, tsv, parquet, feather): the adjusted measures then "
        "count similar features as alike.",
    ),
]
Target = Annotated[
    str | None, typer.Option("--target", metavar="COLUMN", help="A column of --data that is not a feature.")
]
SimilarityFile = Annotated[
    Path | None,
    typer.Option(
        "--similarity",
        metavar="FILE",
        help="Similarities of the features, instead of --data: a square or a long table.",
    ),
]
Method = Annotated[
    str, typer.Option("--similarity-method", metavar="NAME", help="With --data: pearson, spearman or mutual_info.")
]
Threshold = Annotated[
    float, typer.Option("--threshold", metavar="T", help="Similarity from which two features count as alike.")
]


def read_data(
    file: Path,
    target: str | None,
    *,
    samples: Path | None,
    transpose: bool | None,
    sheet: str | None,
    samples_sheet: str | None,
    layer: str | None,
    drop: list[str] | None,
    keep: list[str] | None,
    impute: str | None,
    delimiter: str | None,
    groups: str | None,
    people: bool,
    task: str | None = None,
    max_gb: float = 8.0,
) -> Data:
    """The data of `assess` and `tune`; people are told what was read, and what the target is taken for."""
    from steadyset.io.data_table import load_data

    data = load_data(
        file,
        target,
        samples=samples,
        transpose=transpose,
        sheet=sheet,
        samples_sheet=samples_sheet,
        layer=layer,
        drop=drop or (),
        keep=keep or (),
        impute=impute,
        delimiter=delimiter,
        groups=groups,
        max_gb=max_gb,
    )
    if people:
        typer.echo(f"{file}: {data.understood}")
        for note in data.notes:
            typer.echo(note)
        typer.echo(f"outcome: {_outcome(data.y, task)}")
    return data


def named_target(y: Any, name: str | None) -> Any:
    """The target with its name, which the methods paragraph tells."""
    import pandas as pd

    return pd.Series(y, name=name)


def _outcome(y: Any, task: str | None) -> str:
    """What the target is taken for, and how to take it otherwise where that is possible."""
    from steadyset.task import NUMBER, has_fractions, target_in_words, task_of

    kind = task_of(y, task)
    words = target_in_words(y, kind)
    if task is not None or y.dtype.kind not in "fiu" or has_fractions(y):
        return words
    if kind == NUMBER:
        return f"{words}; --task classes treats them as classes"
    return f"{words}; --task number treats them as a number" if len(set(y.tolist())) > 2 else words


def undefined_policy(text: str) -> Any:
    """The policy that --undefined names."""
    if text in ("nan", "raise"):
        return text
    try:
        return float(text)
    except ValueError:
        raise wrong_argument("undefined", "nan, raise or a number", text) from None
