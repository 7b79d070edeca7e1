"""`steadyset measure`: how steady the selections in a file are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from steadyset.cli.output import Format, number, print_rows
from steadyset.errors import InputError


def measure(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Selections as csv, tsv (also .gz), parquet or json: wide (a row a run, a column a feature, 0 or 1) "
            "or long (columns run, feature and, where known, weight).",
            metavar="FILE...",
            show_default=False,
        ),
    ],
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", "-m", metavar="NAME", help="A measure by name or alias; may be repeated. Without it: all."
        ),
    ] = None,
    features: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many features there were to choose from, where a long table does not say."),
    ] = None,
    undefined: Annotated[
        str,
        typer.Option(
            metavar="POLICY",
            help="What a pair of runs without a value counts: nan (say so), raise (stop), or a number.",
        ),
    ] = "nan",
    expectation: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="Correct for chance what is not corrected already: exact, monte_carlo (simulate where no exact form "
            "exists), none, or auto (what each measure needs).",
        ),
    ] = "auto",
    draws: Annotated[int, typer.Option(metavar="N", help="Random collections of a simulation.", min=2)] = 10_000,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the simulation.")] = None,
    form: Annotated[Format, typer.Option("--format", help="For people, or for programs.")] = Format.table,
) -> None:
    """Measure how steady recorded selections are.

    Each FILE holds the features that one procedure selected in several runs; each gets a table of its own.
    """
    from steadyset.measures.evaluate import chosen_measures, estimates, usable_measures
    from steadyset.measures.options import Options
    from steadyset.selections import Selections

    options = Options(_policy(undefined), expectation, draws, seed)  # type: ignore[arg-type]
    wanted = "all" if not names or "all" in names else chosen_measures(names)
    rows: list[dict[str, Any]] = []
    for file in files:
        selections = Selections.read(file, n_features=features)
        try:
            records = usable_measures(wanted, selections, options)
            values = estimates(selections, records, options)
        except InputError as error:
            raise InputError(f"{file}: {error}") from None
        found = [
            {"measure": m.name, "estimate": e.value, "mc_error": e.mc_error, "note": e.note}
            for m, e in zip(records, values, strict=True)
        ]
        if form is Format.table:
            _show(file, selections, found)
        else:
            rows += [{"file": str(file), **row} for row in found]
    if form is not Format.table:
        print_rows(rows, form)


def _show(file: Path, selections: Any, rows: list[dict[str, Any]]) -> None:
    told = [key for key in rows[0] if key in ("measure", "estimate") or any(row[key] for row in rows)]
    shown = [{key: row[key] for key in told} for row in rows]
    low, high = int(selections.sizes.min()), int(selections.sizes.max())
    size = f"{low}" if low == high else f"{low} to {high}"
    print_rows(
        shown,
        Format.table,
        title=f"{file}: {selections.n_runs} runs, {size} of {selections.n_features} features selected",
        wide=["note"],
    )
    default = next((row["estimate"] for row in rows if row["measure"] == "nogueira"), float("nan"))
    if default == default:
        typer.echo(f"nogueira {number(default)}: {scale(default)} (poor below 0.40, excellent above 0.75)")


def scale(value: float) -> str:
    """The words for a value of the default measure (Fleiss' scale, as Nogueira et al. use it)."""
    if value < 0.40:
        return "poor"
    return "intermediate to good" if value <= 0.75 else "excellent"


def _policy(text: str) -> Any:
    if text in ("nan", "raise"):
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--undefined is {text!r}; wanted is nan, raise or a number.") from None
