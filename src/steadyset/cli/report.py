"""`steadyset report`: the HTML page of a recorded assessment or of recorded selections."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steadyset.cli import shared
from steadyset.conventions import CORE, LEVEL


def report(
    source: Annotated[
        Path, typer.Argument(help="The run folder of an assessment, or a file with selections.", metavar="DIR|FILE")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = Path("report.html"),
    core: shared.CoreShare = CORE,
    level: shared.Level = LEVEL,
    load: shared.Load = None,
) -> None:
    """Write the report of an assessment as one self-contained HTML page."""
    from steadyset.reports import report as write_report

    typer.echo(f"The report is in {write_report(source, out, core=core, level=level)}.")
