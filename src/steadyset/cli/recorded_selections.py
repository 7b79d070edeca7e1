"""`steadyset measure`, `compare` and `consensus` of recorded selections; `report` and `methods` also of run folders."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from steadyset.cli import recorded
from steadyset.cli.output import print_display, print_rows
from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.conventions import LEVEL
from steadyset.foundation.display import Figure
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, p_value, percent
from steadyset.io.labels import UnionOfNames
from steadyset.options import Given

if TYPE_CHECKING:
    from steadyset.findings.parts import Findings, Measured
    from steadyset.selections import Selections


def measure(given: Given) -> None:
    """Measure how steady recorded selections are.

    Each FILE holds the features that one procedure selected in several runs; each gets its own table. Files with one
    list each are the runs of one procedure; a run folder has a table for each of its selectors.
    """
    from steadyset.findings import of_measures
    from steadyset.inference.table import table_rows
    from steadyset.measures.evaluate import chosen_measures
    from steadyset.measures.options import Options

    wanted = None if not given.measure or "all" in given.measure else chosen_measures(given.measure)
    options = Options(_undefined(given.undefined), **given.arguments("chance"))
    read, alike = recorded.read_recorded(given.files, given, lists=True)
    if alike is not None:
        options = replace(options, similarity=alike)
    tables = []
    for one in read:
        recorded.refuse_full_sets(one, wanted or ())
        chosen = wanted or recorded.informative_measures(one, options)
        try:
            tables.append((one.name, table_rows(one.selections, chosen, options, given.level)))
        except InputError as error:
            raise error.after(f"{one.name}: ") from None
    notes = [f"similarity: {note}" for note in alike.notes] if alike is not None else []
    notes += recorded.chance_notes(read)
    programs = given.format != "table"
    recorded.echo_notes(read, err=programs)
    no_universe = [one.name for one in read if isinstance(one.selections.features, UnionOfNames)]
    ties = {one.name: one.selections.tied_share for one in read}
    found = of_measures(tables, given.level, notes, no_universe=no_universe, tied=ties)
    if given.format == "json":
        print(found.to_json())
    elif given.format == "csv":
        rows = [{"file": file, **row} for file, rows in tables for row in rows]
        print_rows(rows, "csv", safe=given.spreadsheet_safe)
    else:
        rest = iter(found.measures)
        for one, (file, rows) in zip(read, tables, strict=True):
            _show_measures(file, one.selections, list(islice(rest, len(rows))), found.level)
    if any(row.mc_error for row in found.measures):
        typer.echo(f"Simulated with seed {given.seed} (--seed N sets another).", err=programs)
    for note in found.notes:
        typer.echo(note, err=programs)


def _show_measures(file: str, selections: Selections, measures: list[Measured], level: float) -> None:
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
        "table",
        title=f"{file}: {read}, {size} selected",
        wide=["note"],
    )
    for sentence in cautions(row.note for row in measures):
        typer.echo(sentence)
    known = not isinstance(selections.features, UnionOfNames)
    for words in filter(None, (verdict_words(row, selections.tied_share, known=known) for row in measures)):
        typer.echo(words if level == level or not known else f"{words}; --level {LEVEL} shows how certain that is")


def compare(given: Given) -> None:
    """Test which procedures differ in stability, and group those without a significant difference.

    Each FILE holds the features that one procedure selected in several runs; each selector of a run folder is a
    procedure.
    """
    from steadyset.findings.of_selections import of_comparison
    from steadyset.inference.comparison import compare as run_comparison
    from steadyset.measures import get_measure

    if len(set(given.files)) < len(given.files):
        raise InputError("The same file is given twice; give one file per procedure.")
    read, alike = recorded.read_recorded(given.files, given)
    for one in read:
        recorded.refuse_full_sets(one, [get_measure(given.measure)])
    read = recorded.side_by_side(read, given.features)
    procedures = recorded.by_name(read)
    found = run_comparison(
        procedures,
        given.measure,
        paired=given.paired,
        adjust=None if given.adjust == "none" else given.adjust,
        level=given.level,
        similarity=alike,
        undefined=_undefined(given.undefined),
        **given.arguments("chance"),
    )
    programs = given.format != "table"
    recorded.echo_notes(read, err=programs)
    if given.format == "markdown":
        typer.echo(found.to_markdown())
    elif given.format == "latex":
        typer.echo(found.to_latex())
    elif given.format == "csv":
        print_rows(_without_empty_notes(_records(found.tests)), "csv", safe=given.spreadsheet_safe)
    else:
        findings = of_comparison(found, procedures, at_chance=recorded.at_chance(read, given.level))
        if given.format == "json":
            print(findings.to_json())
        else:
            _show_comparison(findings)
    for note in recorded.chance_notes(read):
        typer.echo(note, err=programs)


def _show_comparison(found: Findings) -> None:
    from steadyset.inference.caution import cautions, without_cautions
    from steadyset.inference.comparison import shared_letters

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
    print_rows(_without_empty_notes(procedures), "table", title=title, wide=["note"])
    for sentence in found.answer:
        typer.echo(sentence)
    typer.echo(f"{shared_letters('Procedures', found.level)}.")
    tests = [
        {
            **{key: getattr(test, key) for key in ("first", "second", "difference", "low", "high")},
            **{key: Figure(p_value(getattr(test, key))) for key in ("p_value", "p_adjusted")},
            "paired": test.paired,
            "note": without_cautions(test.note),
        }
        for test in tested.tests
    ]
    print_rows(_without_empty_notes(tests), "table", title="Differences (second minus first)", wide=["note"])
    for sentence in cautions(row.note for row in found.summary):
        typer.echo(sentence)
    if not all(test.paired for test in tested.tests):
        typer.echo("Not paired: these runs count as independent. Runs on the same resamples need the same labels.")
    for note in found.notes:
        if not any(row.note and row.note in note for row in found.summary):  # the table has those
            typer.echo(note)


def _records(table: Any) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _without_empty_notes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    told = [key for key in (rows[0] if rows else {}) if key != "note" or any(row["note"] for row in rows)]
    return [{key: row[key] for key in told} for row in rows]


def consensus(given: Given) -> None:
    """Find the features that several methods back, and how far the methods agree.

    Each FILE holds the features that one method selected, in one run or several; each selector of a run folder is a
    method; with --each-list, each list is. Beside every number stands what random sets of the same sizes would give.
    """
    from steadyset.findings.of_selections import of_consensus
    from steadyset.findings.sections import display_of
    from steadyset.inference.agreement import consensus as find_consensus

    if len(set(given.files)) < len(given.files):
        raise InputError("The same file is given twice; give one file per method.")
    files_read, _ = recorded.read_recorded(given.files, given)
    methods = recorded.each_list(files_read) if given.each_list else files_read
    if len(methods) < 2:
        raise InputError(_only_one(methods[0]))
    read = recorded.side_by_side(methods, given.features)
    found = find_consensus(
        recorded.by_name(read),
        aggregate=given.aggregate,
        backing=given.backing,
        measure=given.measure,
        directions=recorded.directions_of(read),
        undefined=_undefined(given.undefined),
        **given.arguments("findings"),
        **given.arguments("chance"),
    )
    programs = given.format != "table"
    recorded.echo_notes(files_read if given.each_list else read, err=programs)
    told = of_consensus(found)
    if given.format == "json":
        print(told.to_json())
    elif given.format == "csv":
        print_rows(_records(found.features), "csv", safe=given.spreadsheet_safe)
    else:
        shown = display_of(replace(told, ranking=told.ranking[: given.show]), most=None)
        print_display(replace(shown, sections={}), "; --format csv has all.")
    for note in (*(() if given.format == "json" else told.notes), *recorded.chance_notes(read)):
        typer.echo(note, err=programs)
    if any(one.mc_error for one in told.backed):
        typer.echo(f"Simulated with seed {given.seed} (--seed N sets another).", err=programs)


def _only_one(method: recorded.Recorded) -> str:
    lists = method.selections.n_runs
    each = f"give --each-list if each of its {lists} lists is that of a method, or else " if lists > 1 else "give "
    others = "the files of two methods or more, or a run folder with several selectors"
    return f"{method.name} is the only method; {each}{others}."


def _undefined(text: str) -> Any:
    """The policy that --undefined names."""
    if text in ("nan", "raise"):
        return text
    try:
        return float(text)
    except ValueError:
        raise wrong_argument("undefined", "nan, raise or a number", text) from None


def report(given: Given) -> None:
    """Write the report of an assessment, a tuning or recorded selections: one self-contained page, or for a paper."""
    from steadyset.reports import report as write_report

    out = given.out
    if out is None:
        out = Path("report" if given.format == "folder" else f"report.{given.format or 'html'}")
    read = recorded.recorded_in(given.source, given)
    source = given.source if read is None else recorded.by_name(read)
    page = write_report(source, out, format=given.format, **given.arguments("findings"))
    recorded.echo_notes(read or (), err=False)
    for note in recorded.chance_notes(read or ()):
        typer.echo(note)
    typer.echo(f"The report is in {page}.")


def methods(given: Given) -> None:
    """Tell what was done and what came of it in paragraphs for a paper, with the references of what was used."""
    from steadyset.findings import methods_of
    from steadyset.io.disk import explained, write_durably

    read = recorded.recorded_in(given.source, given)
    source = given.source if read is None else recorded.by_name(read)
    found = methods_of(source, **given.arguments("findings"))
    recorded.echo_notes(read or (), err=True)
    for path, text in ((given.bibtex, found.bibtex), (given.csl, found.csl_json)):
        if path is not None:
            with explained(path):
                write_durably(path, text().encode())
    sys.stdout.write(found.written(given.format, keys=given.bibtex is not None or given.csl is not None))
