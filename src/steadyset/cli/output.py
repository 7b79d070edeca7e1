"""What the command prints: findings, and tables for people, as csv or as json."""

from __future__ import annotations

import codecs
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from steadyset.foundation import text as wording
from steadyset.foundation.text import shown_name

if TYPE_CHECKING:
    from steadyset.findings import Findings

WRITTEN_OUT = "steadyset.written_out"  # how what cannot be encoded is printed


def print_rows(
    rows: Sequence[Mapping[str, Any]],
    form: str,
    *,
    title: str = "",
    wide: Sequence[str] = (),
    right: Sequence[str] = (),
    safe: bool = False,
) -> None:
    """Print rows that share their keys.

    `wide` columns may wrap, the others stay whole; `right` ones hold numbers as text; `safe`: see csv_text.
    """
    if form == "json":
        from steadyset.findings.parts import plain

        print(json.dumps(plain(list(rows)), indent=2, allow_nan=False))
    elif form == "csv":
        from steadyset.io.formats.spreadsheet import csv_text

        sys.stdout.write(csv_text(rows, safe=safe))
        if not safe:
            warn_of_formulas((value for row in rows for value in row.values()), "The csv output")
    else:
        _print_table(rows, title, wide, right)


def render(found: Findings, form: str, *, safe: bool = False) -> None:
    """For people: everything; as csv: the table; as json: the findings."""
    if form == "json":
        print(found.to_json())
        return
    from steadyset.findings.display import front_cells, front_rows

    rows = front_rows(found) if found.front else summary_rows(found)
    if form == "csv":
        print_rows(rows, form, safe=safe)
        return
    if found.front:
        print_rows(front_cells(found), form, title="The Pareto front", wide=("parameters",))
    for sentence in found.answer:
        typer.echo(sentence)
    if not found.front:
        _render_summary(found)
    _render_sections(found)


def summary_rows(found: Findings) -> list[dict[str, Any]]:
    """The summary as flat rows."""
    return [
        {
            "selector": row.name,
            "runs": row.runs,
            "stability": row.stability,
            "low": row.low,
            "high": row.high,
            "verdict": row.verdict,
            **{
                key: value
                for name, score in row.scores.items()
                for key, value in (
                    (name, score.mean),
                    (f"{name}_se", score.se),
                    (f"{name}_blind", score.blind),
                    (f"{name}_random", score.random),
                )
            },
            "size": row.size,
            "failures": row.failures,
            "warnings": row.warned,
            "tied": row.tied,
            "note": row.note,
        }
        for row in found.summary
    ]


def _render_summary(found: Findings) -> None:
    from steadyset.findings.display import summary_cells
    from steadyset.findings.sections import legends

    print_rows([summary_cells(row, found) for row in found.summary], "table")
    for line in legends(found):
        typer.echo(line)


def _render_sections(found: Findings) -> None:
    from steadyset.findings.sections import brief_sections

    for title, lines in brief_sections(found).items():
        typer.echo(f"\n{title}:")
        for line in lines:
            typer.echo(f"  {line}")


def complain(sentence: str) -> None:
    """What went wrong, on standard error, each line without what would move the cursor."""
    for line in f"steadyset: {sentence}".splitlines():
        print(" ".join(line.split()), file=sys.stderr)


def number(value: float, decimals: int = 4) -> str:
    """A number for people, a dash for what is undefined."""
    return wording.number(value, decimals)


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


def _print_table(rows: Sequence[Mapping[str, Any]], title: str, wide: Sequence[str], right: Sequence[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for key in rows[0] if rows else ():
        numeric = any(isinstance(row[key], (int, float)) and not isinstance(row[key], bool) for row in rows)
        table.add_column(
            key, justify="right" if numeric or key in right else "left", no_wrap=key not in wide, overflow="fold"
        )
    for row in rows:
        # Text, not markup: feature and file names are data from strangers.
        table.add_row(
            *[Text(number(value) if isinstance(value, float) else shown_name(str(value))) for value in row.values()]
        )
    console = Console(file=sys.stdout)
    roomy = Console(file=sys.stdout, width=200)
    # A cell that is cut says something else than was found: a line too long for the terminal is the lesser evil.
    if not console.is_terminal or (not wide and roomy.measure(table).maximum > console.width):
        console = roomy
    if title:
        console.print(Text(title, style="bold"))
    console.print(table)
