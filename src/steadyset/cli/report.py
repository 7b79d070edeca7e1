"""`steadyset report`: the HTML page of a recorded assessment or of recorded selections."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steadyset.cli import recorded, shared
from steadyset.cli.option_records import with_records
from steadyset.conventions import CORE, LEVEL


@with_records
def report(
    source: Annotated[
        Path,
        typer.Argument(
            help="The run folder of an assessment, or a file or folder with selections in any layout that "
            "`steadyset measure` reads.",
            metavar="DIR|FILE",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = Path("report.html"),
    core: shared.CoreShare = CORE,
    level: shared.Level = LEVEL,
    asked: recorded.Asked = recorded.AS_RECOGNISED,
    load: shared.Load = None,
) -> None:
    """Write the report of an assessment, or of recorded selections, as one self-contained HTML page."""
    from steadyset.reports import report as write_report

    read = recorded.recorded_in(source, asked)
    if read is None:
        typer.echo(f"The report is in {write_report(source, out, core=core, level=level)}.")
        return
    page = write_report(recorded.by_name(read), out, core=core, level=level)
    recorded.tell(read, people=True)
    for note in recorded.chance_notes(read):
        typer.echo(note)
    typer.echo(f"The report is in {page}.")
