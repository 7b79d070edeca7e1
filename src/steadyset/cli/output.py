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
from steadyset.foundation.display import Bar, Display, Figure, Table, Words
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
        from steadyset.findings.tables import main_rows

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
        drawn.add_row(*(Text(_plain(cell)) for cell in row))  # not markup: names are data from strangers
    console = Console(file=sys.stdout)
    roomy = Console(file=sys.stdout, width=200)
    # A cell that is cut says something else than was found: a line too long for the terminal is the lesser evil.
    if not console.is_terminal or (not wide and roomy.measure(drawn).maximum > console.width):
        console = roomy
    if table.title:
        console.print(Text(table.title, style="bold"))
    console.print(drawn)


def _plain(cell: Any) -> str:
    if isinstance(cell, float):
        return wording.number(cell, 4)
    return shown_name(cell.text if isinstance(cell, Words | Figure) else str(cell))
