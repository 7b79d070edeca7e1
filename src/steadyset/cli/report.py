"""`steadyset report`: the HTML page of a recorded assessment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(help="The run folder of an assessment.", metavar="DIR")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = Path("report.html"),
) -> None:
    """Write the report of an assessment: one HTML page that stands alone."""
    from steadyset.reports import report as write_report

    typer.echo(f"The report is in {write_report(folder, out)}.")
