"""`steadyset measures`: the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from steadyset.cli import shared
from steadyset.cli.output import Format, print_rows


def measures(
    name: Annotated[str | None, typer.Argument(help="Show only this measure, with all its details.")] = None,
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """List the measures: formula, range, properties and reference."""
    from steadyset.measures import all_measures, get_measure
    from steadyset.measures.record import catalogue_entry

    records = all_measures() if name is None else [get_measure(name)]
    rows = [catalogue_entry(record) for record in records]
    if form is not Format.table:
        print_rows(rows, form, safe=spreadsheet_safe)
    elif name is not None:
        for key, value in rows[0].items():
            typer.echo(f"{key.replace('_', ' ')}: {_words(value)}")
    else:
        shown = [
            {
                "name": row["name"],
                "aliases": _words(row["aliases"]),
                "family": row["family"],
                "range": _range(row["bounds"]),
                "corrected": _words(row["corrected"]),
                "adjusted": _words(row["adjusted"]),
                "formula": row["formula"],
                "reference": row["reference"],
            }
            for row in rows
        ]
        print_rows(shown, Format.table, wide=["formula", "reference"])
        typer.echo(
            "corrected: random selection has the same mean value whatever the sizes, or for equal sizes. "
            "adjusted: similar features count as alike. `steadyset measures NAME` shows more."
        )


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return _range(value) if value and not isinstance(value[0], str) else ", ".join(map(str, value))
    return str(value)


def _range(bounds: tuple[float, ...]) -> str:
    return " to ".join(f"{x:g}".replace("inf", "∞") for x in bounds)
