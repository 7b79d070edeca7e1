"""`steadyset report` and `steadyset methods`: what a result says as a page, as files and as paragraphs for a paper."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from steadyset.cli import recorded
from steadyset.options import Given


def report(given: Given) -> None:
    """Write the report of an assessment, a tuning or recorded selections: one self-contained page, or for a paper."""
    from steadyset.reports import report as write_report

    out = given.out
    if out is None:
        out = Path("report" if given.format == "folder" else f"report.{given.format or 'html'}")
    read = recorded.recorded_in(given.source, given)
    source = given.source if read is None else recorded.by_name(read)
    page = write_report(source, out, format=given.format, **given.arguments("findings"))
    recorded.echo_notes(read or (), err=False)
    for note in recorded.chance_notes(read or ()):
        typer.echo(note)
    typer.echo(f"The report is in {page}.")


def methods(given: Given) -> None:
    """Tell what was done and what came of it in paragraphs for a paper, with the references of what was used."""
    from steadyset.findings import methods_of
    from steadyset.io.disk import explained, write_durably

    read = recorded.recorded_in(given.source, given)
    source = given.source if read is None else recorded.by_name(read)
    found = methods_of(source, **given.arguments("findings"))
    recorded.echo_notes(read or (), err=True)
    for path, text in ((given.bibtex, found.bibtex), (given.csl, found.csl_json)):
        if path is not None:
            with explained(path):
                write_durably(path, text().encode())
    sys.stdout.write(found.written(given.format, keys=given.bibtex is not None or given.csl is not None))
