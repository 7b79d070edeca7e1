"""`steadyset report`: the HTML page of a recorded assessment or of recorded selections."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steadyset.cli import recorded, shared
from steadyset.conventions import CORE, LEVEL


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
    features: recorded.Features = None,
    universe: recorded.UniverseFile = None,
    layout: recorded.Layout = None,
    top: recorded.Top = None,
    transpose: recorded.Transpose = None,
    header: recorded.Header = None,
    runs: recorded.RunColumn = None,
    sheet: recorded.SheetName = None,
    max_gb: shared.MaxGb = 8.0,
    load: shared.Load = None,
) -> None:
    """Write the report of an assessment, or of recorded selections, as one self-contained HTML page."""
    from steadyset.assessment.folder import RunFolder
    from steadyset.io.disk import file_path
    from steadyset.reports import report as write_report

    source = file_path(source)
    lists = source.is_file() or (source.is_dir() and any(source.glob("*.txt")))
    if RunFolder(source).exists or not lists:
        typer.echo(f"The report is in {write_report(source, out, core=core, level=level)}.")
        return
    asked = recorded.Asked(features, universe, layout, top, transpose, header, runs, sheet, max_gb)
    read, _ = recorded.read_recorded([source], asked, recorded.NO_SIMILARITY)
    procedures = dict(zip(recorded.short_names(read), (one.selections for one in read), strict=True))
    page = write_report(procedures, out, core=core, level=level)
    recorded.tell(read, people=True)
    for note in recorded.chance_notes(read):
        typer.echo(note)
    typer.echo(f"The report is in {page}.")
