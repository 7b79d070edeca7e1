"""`steadyset compare`: which procedures differ in stability."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steadyset.cli import recorded, shared
from steadyset.cli.option_records import with_records
from steadyset.cli.output import Format, print_rows
from steadyset.cli.similar_features import NO_SIMILARITY, Alike
from steadyset.foundation.conventions import LEVEL
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import p_value, percent

if TYPE_CHECKING:
    from steadyset.findings import Findings


class ComparisonFormat(StrEnum):
    """What --format takes."""

    table = "table"
    csv = "csv"
    json = "json"
    markdown = "markdown"
    latex = "latex"


class Adjustment(StrEnum):
    """What --adjust takes."""

    holm = "holm"
    bh = "bh"
    none = "none"


@with_records
def compare(
    files: recorded.Files,
    name: Annotated[str, typer.Option("--measure", "-m", metavar="NAME", help="The measure to compare.")] = "nogueira",
    paired: Annotated[
        bool | None,
        typer.Option(
            "--paired/--independent",
            help="Whether the runs are on the same resamples, matched by label, or by order if there are no labels. "
            "Default: decided by the labels.",
        ),
    ] = None,
    adjust: Annotated[
        Adjustment, typer.Option(help="Adjustment for multiple tests: holm, bh (Benjamini-Hochberg), or none.")
    ] = Adjustment.holm,
    level: shared.Level = LEVEL,
    asked: recorded.Asked = recorded.AS_RECOGNISED,
    undefined: shared.Policy = "nan",
    expectation: shared.Expected = "auto",
    source: Alike = NO_SIMILARITY,
    draws: shared.Draws = 10_000,
    seed: shared.Seed = 0,
    load: shared.Load = None,
    form: Annotated[ComparisonFormat, typer.Option("--format", help="Output for people, programs or papers.")] = (
        ComparisonFormat.table
    ),
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """Test which procedures differ in stability, and group those without a significant difference.

    Each FILE holds the features that one procedure selected in several runs; each selector of a run folder is a
    procedure.
    """
    from steadyset.findings.of_selections import of_comparison
    from steadyset.inference import compare as run_comparison
    from steadyset.measures import get_measure

    if len(set(files)) < len(files):
        raise InputError("The same file is given twice; give one file per procedure.")
    read, alike = recorded.read_recorded(files, asked, source)
    for one in read:
        recorded.refuse_full_sets(one, [get_measure(name)])
    read = recorded.side_by_side(read, asked.features)
    procedures = recorded.by_name(read)
    found = run_comparison(
        procedures,
        name,
        paired=paired,
        adjust=None if adjust is Adjustment.none else adjust.value,  # type: ignore[arg-type]
        level=level,
        similarity=alike,
        undefined=shared.undefined_policy(undefined),
        expectation=expectation,  # type: ignore[arg-type]
        n_draws=draws,
        random_state=seed,
    )
    recorded.tell(read, people=form is ComparisonFormat.table)
    if form is ComparisonFormat.markdown:
        typer.echo(found.to_markdown())
    elif form is ComparisonFormat.latex:
        typer.echo(found.to_latex())
    elif form is ComparisonFormat.csv:
        print_rows(_records(found.tests), Format.csv, safe=spreadsheet_safe)
    else:
        findings = of_comparison(found, procedures, at_chance=recorded.at_chance(read, level))
        if form is ComparisonFormat.json:
            print(findings.to_json())
        else:
            _show(findings)
    for note in recorded.chance_notes(read):
        typer.echo(note, err=form is not ComparisonFormat.table)


def _show(found: Findings) -> None:
    from steadyset.inference.caution import cautions, without_cautions
    from steadyset.inference.multiple import shared_letters

    (tested,) = found.differences
    procedures = [
        {
            "procedure": row.name,
            "estimate": row.stability,
            "low": row.low,
            "high": row.high,
            **({"verdict": row.verdict} if any(one.verdict for one in found.summary) else {}),
            "runs": row.runs,
            "group": tested.groups.get(row.name, ""),
            "note": without_cautions(row.note),
        }
        for row in found.summary
    ]
    title = f"{found.measure}, {percent(found.level)} intervals"
    print_rows(_without_empty_notes(procedures), Format.table, title=title, wide=["note"])
    for sentence in found.answer:
        typer.echo(sentence)
    typer.echo(f"{shared_letters('Procedures', found.level)}.")
    tests = [
        {
            **{key: getattr(test, key) for key in ("first", "second", "difference", "low", "high")},
            **{key: p_value(getattr(test, key)) for key in ("p_value", "p_adjusted")},
            "paired": test.paired,
            "note": without_cautions(test.note),
        }
        for test in tested.tests
    ]
    print_rows(
        _without_empty_notes(tests),
        Format.table,
        title="Differences (second minus first)",
        wide=["note"],
        right=["p_value", "p_adjusted"],
    )
    for sentence in cautions(row.note for row in found.summary):
        typer.echo(sentence)
    if not all(test.paired for test in tested.tests):
        typer.echo("Not paired: these runs count as independent. Runs on the same resamples need the same labels.")
    for note in found.notes:
        if not any(row.note and row.note in note for row in found.summary):  # the table has those
            typer.echo(note)


def _records(table: Any) -> list[dict[str, Any]]:
    return _without_empty_notes([{str(key): value for key, value in row.items()} for row in table.to_dict("records")])


def _without_empty_notes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    told = [key for key in (rows[0] if rows else {}) if key != "note" or any(row["note"] for row in rows)]
    return [{key: row[key] for key in told} for row in rows]
