"""`steadyset measure`: how steady the selections in a file are."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steadyset.cli import shared
from steadyset.cli.output import Format, number, print_rows
from steadyset.conventions import LEVEL
from steadyset.errors import InputError

if TYPE_CHECKING:
    from steadyset.selections import Selections


def measure(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Selections as csv, tsv (also .gz), parquet or json: wide (one row per run, one column per "
            "feature, 0 or 1) or long (columns run, feature and, where known, weight).",
            metavar="FILE...",
            show_default=False,
        ),
    ],
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="NAME",
            help="A measure by name or alias; may be repeated. Default: all that can be computed.",
        ),
    ] = None,
    level: Annotated[
        float | None, typer.Option(metavar="L", help=f"Show intervals at this confidence level, such as {LEVEL}.")
    ] = None,
    features: shared.Features = None,
    transpose: shared.Transpose = None,
    max_gb: shared.MaxGb = 8.0,
    undefined: shared.Policy = "nan",
    expectation: shared.Expected = "auto",
    data: shared.DataFile = None,
    target: shared.Target = None,
    similarity: shared.SimilarityFile = None,
    similarity_method: shared.Method = "pearson",
    threshold: shared.Threshold = 0.9,
    draws: shared.Draws = 10_000,
    mc_error: Annotated[
        float | None, typer.Option(metavar="E", help="Simulate until the Monte Carlo error is below this.")
    ] = None,
    seed: shared.Seed = 0,
    load: shared.Load = None,
    form: shared.Form = Format.table,
) -> None:
    """Measure how steady recorded selections are.

    Each FILE holds the features that one procedure selected in several runs; each gets its own table.
    """
    from steadyset.inference.table import table_rows
    from steadyset.measures.evaluate import chosen_measures
    from steadyset.measures.options import Options

    policy = shared.undefined_policy(undefined)
    wanted = "all" if not names or "all" in names else chosen_measures(names)
    options = Options(policy, expectation, draws, seed, None, mc_error)  # type: ignore[arg-type]
    recorded, alike = shared.read_recorded(
        files,
        features,
        data=data,
        target=target,
        similarity=similarity,
        method=similarity_method,
        threshold=threshold,
        transpose=transpose,
        max_gb=max_gb,
    )
    if alike is not None:
        options = Options(policy, expectation, draws, seed, alike, mc_error)  # type: ignore[arg-type]
    rows: list[dict[str, Any]] = []
    simulated = False
    for file, selections in zip(files, recorded, strict=True):
        try:
            found = table_rows(selections, wanted, options, level)
        except InputError as error:
            raise error.after(f"{file}: ") from None
        if form is Format.table:
            _show(file, selections, found)
        else:
            rows += [{"file": str(file), **row} for row in found]
        simulated = simulated or any(row.get("mc_error") for row in found)
    if form is not Format.table:
        print_rows(rows, form)
    if simulated:
        typer.echo(f"Simulated with seed {seed} (--seed N sets another).", err=form is not Format.table)
    for note in alike.notes if alike is not None else ():
        typer.echo(f"similarity: {note}", err=form is not Format.table)


def _show(file: Path, selections: Selections, rows: list[dict[str, Any]]) -> None:
    told = [key for key in rows[0] if key not in ("mc_error", "note") or any(row[key] for row in rows)]
    low, high = int(selections.sizes.min()), int(selections.sizes.max())
    size = f"{low}" if low == high else f"{low} to {high}"
    print_rows(
        [{key: row[key] for key in told} for row in rows],
        Format.table,
        title=f"{file}: {selections.n_runs} runs, {selections.n_features} features, {size} selected",
        wide=["note"],
    )
    default = next((row for row in rows if row["measure"] == "nogueira"), None)
    if default is not None and not math.isnan(default["estimate"]):
        typer.echo(_verdict(default))


def _verdict(row: dict[str, Any]) -> str:
    from steadyset.measures.scale import EXCELLENT, POOR, scale, verdict

    value = row["estimate"]
    ends = f"poor below {POOR:.2f}, excellent above {EXCELLENT:.2f}"
    if "low" in row:
        return f"nogueira {number(value)}: {verdict(value, row['low'], row['high'])} by its interval ({ends})"
    return f"nogueira {number(value)}: {scale(value)} ({ends}); --level {LEVEL} shows how sure that is"
