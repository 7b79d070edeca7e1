"""`steadyset measure`: how steady the selections in a file are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steadyset.cli import recorded, shared
from steadyset.cli.option_records import with_records
from steadyset.cli.output import Format, print_rows
from steadyset.cli.similar_features import NO_SIMILARITY, Alike
from steadyset.foundation.conventions import LEVEL
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted
from steadyset.io.labels import UnionOfNames

if TYPE_CHECKING:
    from steadyset.findings import Findings, Measured
    from steadyset.selections import Selections

    Tables = list[tuple[str, list[dict[str, Any]]]]


@with_records
def measure(
    files: recorded.Files,
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
    asked: recorded.Asked = recorded.AS_RECOGNISED,
    undefined: shared.Policy = "nan",
    expectation: shared.Expected = "auto",
    source: Alike = NO_SIMILARITY,
    draws: shared.Draws = 10_000,
    mc_error: Annotated[
        float | None,
        typer.Option(
            metavar="E",
            help="Simulate until the Monte Carlo error is below this.",
            rich_help_panel=shared.CHANCE,
        ),
    ] = None,
    seed: shared.Seed = 0,
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """Measure how steady recorded selections are.

    Each FILE holds the features that one procedure selected in several runs; each gets its own table. Files with one
    list each are the runs of one procedure; a run folder has a table for each of its selectors.
    """
    from steadyset.findings import of_measures
    from steadyset.inference.table import table_rows
    from steadyset.measures.evaluate import chosen_measures
    from steadyset.measures.options import Options

    policy = shared.undefined_policy(undefined)
    wanted = None if not names or "all" in names else chosen_measures(names)
    options = Options(policy, expectation, draws, seed, None, mc_error)  # type: ignore[arg-type]
    read, alike = recorded.read_recorded(files, asked, source, lists=True)
    if alike is not None:
        options = Options(policy, expectation, draws, seed, alike, mc_error)  # type: ignore[arg-type]
    tables = []
    for one in read:
        recorded.refuse_full_sets(one, wanted or ())
        chosen = wanted or recorded.telling(one, options)
        try:
            tables.append((one.name, table_rows(one.selections, chosen, options, level)))
        except InputError as error:
            raise error.after(f"{one.name}: ") from None
    notes = [f"similarity: {note}" for note in alike.notes] if alike is not None else []
    notes += recorded.chance_notes(read)
    recorded.tell(read, people=form is Format.table)
    no_universe = [one.name for one in read if isinstance(one.selections.features, UnionOfNames)]
    ties = {one.name: one.selections.tied_share for one in read}
    found = of_measures(tables, level, notes, no_universe=no_universe, tied=ties)
    _tell(found, tables, [one.selections for one in read], form, safe=spreadsheet_safe)
    if any(row.mc_error for row in found.measures):
        typer.echo(f"Simulated with seed {seed} (--seed N sets another).", err=form is not Format.table)
    for note in found.notes:
        typer.echo(note, err=form is not Format.table)


def _tell(found: Findings, tables: Tables, runs: Sequence[Selections], form: Format, *, safe: bool) -> None:
    if form is Format.json:
        print(found.to_json())
    elif form is Format.csv:
        print_rows([{"file": file, **row} for file, rows in tables for row in rows], form, safe=safe)
    else:
        rest = iter(found.measures)
        for (file, rows), selections in zip(tables, runs, strict=True):
            _show(file, selections, list(islice(rest, len(rows))), found.level)


def _show(file: str, selections: Selections, measures: list[Measured], level: float) -> None:
    from steadyset.findings import verdict_words
    from steadyset.inference.caution import cautions, without_cautions

    left_out = {"name", *(() if level == level else ("se", "low", "high"))}
    rows = [{key: value for key, value in vars(row).items() if key not in left_out} for row in measures]
    rows = [{**row, "note": without_cautions(row["note"])} for row in rows]
    told = [key for key in rows[0] if key not in ("mc_error", "note") or any(row[key] for row in rows)]
    if all(row["steadier"] == "higher" for row in rows):
        told.remove("steadier")
    low, high = int(selections.sizes.min()), int(selections.sizes.max())
    size = f"{low}" if low == high else f"{low} to {high}"
    read = f"{counted(selections.n_runs, 'run')}, {counted(selections.n_features, 'feature')}"
    print_rows(
        [{key: row[key] for key in told} for row in rows],
        Format.table,
        title=f"{file}: {read}, {size} selected",
        wide=["note"],
    )
    for sentence in cautions(row.note for row in measures):
        typer.echo(sentence)
    known = not isinstance(selections.features, UnionOfNames)
    for words in filter(None, (verdict_words(row, selections.tied_share, known=known) for row in measures)):
        typer.echo(words if level == level or not known else f"{words}; --level {LEVEL} shows how certain that is")
