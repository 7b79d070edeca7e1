"""`steadyset selectors`: what there is to select features with."""

from __future__ import annotations

from typing import Annotated

import typer

from steadyset.cli import shared
from steadyset.cli.catalogues import print_catalogue
from steadyset.cli.lean_start import import_scikit_learn
from steadyset.cli.output import Format


def selectors(
    name: Annotated[str | None, typer.Argument(help="Show only this selector, with all its details.")] = None,
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """List the selectors: what each does, the target it takes, its parameters and its reference."""
    import_scikit_learn()
    from steadyset.selectors.catalogue import selector_entry, selector_names

    entries = [selector_entry(one) for one in ([name] if name is not None else selector_names())]
    print_catalogue(
        entries,
        form,
        alone=name is not None,
        safe=spreadsheet_safe,
        shown=("target",),
        example=("assess DATA --target COLUMN --selector lasso:k=20", "steadyset selectors NAME"),
    )
