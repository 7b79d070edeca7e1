"""`steadyset resamplings`: how the runs of an assessment can be drawn."""

from __future__ import annotations

from typing import Annotated

import typer

from steadyset.cli import shared
from steadyset.cli.catalogues import print_catalogue
from steadyset.cli.output import Format


def resamplings(
    name: Annotated[str | None, typer.Argument(help="Show only this resampling, with all its details.")] = None,
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """List the resamplings: how each draws the runs, its parameters and its reference."""
    from steadyset.resampling import RESAMPLINGS, resampling_entry

    entries = [resampling_entry(one) for one in ([name] if name is not None else RESAMPLINGS.names())]
    print_catalogue(
        entries,
        form,
        alone=name is not None,
        safe=spreadsheet_safe,
        shown=(),
        example=("assess DATA --target COLUMN --resampling subsample:fraction=0.8", "steadyset resamplings NAME"),
    )
