"""`steadyset report`: the page of a recorded assessment or of recorded selections, or its parts for a paper."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from steadyset.cli import recorded, shared
from steadyset.cli.option_records import with_records


class ReportFormat(StrEnum):
    html = "html"
    md = "md"
    json = "json"
    folder = "folder"
    pdf = "pdf"


@with_records
def report(
    source: Annotated[
        Path,
        typer.Argument(
            help="The run folder of an assessment or a tuning, or a file or folder with selections in any layout that "
            "`steadyset measure` reads.",
            metavar="DIR|FILE",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="What to write: an .html, .pdf, .md or .json file, or a folder. Default: report.html.",
        ),
    ] = None,
    form: Annotated[
        ReportFormat | None,
        typer.Option(
            "--format",
            help="html, pdf, md and json, which the ending says as well; folder: every picture as SVG and PDF and "
            "every table as csv, for a paper.",
        ),
    ] = None,
    core: shared.OwnCoreShare = None,
    level: shared.OwnLevel = None,
    margin: shared.Margin = None,
    asked: recorded.Asked = recorded.AS_RECOGNISED,
    load: shared.Load = None,
) -> None:
    """Write the report of an assessment, a tuning or recorded selections: one self-contained page, or for a paper."""
    from steadyset.reports import report as write_report

    if out is None:
        out = Path("report" if form is ReportFormat.folder else f"report.{form or ReportFormat.html}")
    options: dict[str, Any] = {
        "core": core,
        "level": level,
        "margin": margin,
        "format": None if form is None else str(form),
    }
    read = recorded.recorded_in(source, asked)
    if read is None:
        typer.echo(f"The report is in {write_report(source, out, **options)}.")
        return
    page = write_report(recorded.by_name(read), out, **options)
    recorded.tell(read, people=True)
    for note in recorded.chance_notes(read):
        typer.echo(note)
    typer.echo(f"The report is in {page}.")
