"""The report as a folder for a paper: every picture as SVG and PDF, every table as csv, the page and the findings."""

from __future__ import annotations

import re
from pathlib import Path

from steadyset.findings import Findings
from steadyset.foundation.errors import InputError
from steadyset.io.disk import explained, write_durably
from steadyset.io.spreadsheet import csv_text
from steadyset.plots import pictures_for
from steadyset.reports.report_tables import all_tables

PICTURES = (".svg", ".pdf")
LONGEST = 60  # characters of a procedure's name in the name of a file


def check_paper_folder(folder: Path) -> None:
    """Refuse a place where something else is."""
    if folder.is_file():
        raise InputError(f"{folder} is a file; the format folder needs the name of a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"The folder {folder} is not empty; choose another one for the report.")


def write_paper_folder(found: Findings, folder: Path, page: str) -> None:
    """Write everything; names that a spreadsheet would run as formulas have an apostrophe in front."""
    figures, tables = folder / "figures", folder / "tables"
    with explained(folder):
        for one in (folder, figures, tables):
            one.mkdir(exist_ok=True)
        write_durably(folder / "report.html", page.encode())
        write_durably(folder / "findings.json", (found.to_json() + "\n").encode())
        if found.methods is not None:
            write_durably(folder / "methods.md", found.methods.markdown().encode("utf-8", "backslashreplace"))
        for table in all_tables(found).values():
            text = csv_text(table.records(), safe=True)
            write_durably(tables / f"{table.name}.csv", text.encode("utf-8", "backslashreplace"))
    for record in pictures_for(found):
        drawn = record.of(found)
        for place, (name, picture) in enumerate(drawn.items(), 1):
            stem = record.name if len(drawn) == 1 else f"{record.name}-{place}-{_file_name(name)}"
            for ending in PICTURES:
                picture.save(figures / f"{stem}{ending}")


def _file_name(name: str) -> str:
    """What every disk takes of a name."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", name)[:LONGEST].strip("._") or "unnamed"
