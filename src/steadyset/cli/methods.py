"""`steadyset methods`: what was done and what came of it, in paragraphs for a paper, with references."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from steadyset.cli import recorded, shared
from steadyset.cli.option_records import with_records


class MethodsFormat(StrEnum):
    """What --format takes."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    json = "json"


@with_records
def methods(
    source: Annotated[
        Path,
        typer.Argument(
            help="The run folder of an assessment or a tuning, or a file or folder with selections in any layout that "
            "`steadyset measure` reads.",
            metavar="DIR|FILE",
        ),
    ],
    form: Annotated[
        MethodsFormat, typer.Option("--format", help="How the paragraphs are written.")
    ] = MethodsFormat.text,
    bibtex: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the references as BibTeX; Markdown and LaTeX then cite its keys."),
    ] = None,
    csl: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the references as CSL-JSON (Zotero, Pandoc); keys as with --bibtex."),
    ] = None,
    core: shared.OwnCoreShare = None,
    level: shared.OwnLevel = None,
    asked: recorded.Asked = recorded.AS_RECOGNISED,
    load: shared.Load = None,
) -> None:
    """Tell what was done and what came of it in paragraphs for a paper, with the references of what was used."""
    from steadyset.findings import methods_of
    from steadyset.io.disk import explained, write_durably

    read = recorded.recorded_in(source, asked)
    found = methods_of(source if read is None else recorded.by_name(read), core=core, level=level)
    recorded.tell(read or (), people=False)
    for path, text in ((bibtex, found.bibtex), (csl, found.csl_json)):
        if path is not None:
            with explained(path):
                write_durably(path, text().encode())
    sys.stdout.write(found.written(form.value, keys=bibtex is not None or csl is not None))
