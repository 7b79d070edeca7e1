"""The document that every format of a report writes, section by section; as Markdown, and as a folder for a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from steadyset._version import __version__
from steadyset.findings import Findings, sections
from steadyset.findings.sections import Block, Bullets, Heading, Section, TableBlock, Terms, Text
from steadyset.findings.tables import ReportTable
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import shown_name
from steadyset.inference.table import MARKDOWN, markdown_table
from steadyset.io.disk import explained, write_durably
from steadyset.io.formats.spreadsheet import csv_text
from steadyset.plots import pictures_for
from steadyset.plots.catalogue import RegisteredPicture

TITLE = "How steady is the selection?"
PICTURES = (".svg", ".pdf")
LONGEST = 60  # characters of a procedure's name in the name of a file


@dataclass(frozen=True)
class Drawings:
    """A kind of picture, which is drawn only where there is room for pictures."""

    record: RegisteredPicture


@dataclass(frozen=True)
class Part:
    """A section or a kind of picture with its blocks; the one without a title is the answer."""

    name: str
    title: str
    blocks: Sequence[Block | Drawings]

    @property
    def is_drawn(self) -> bool:
        """Whether it is a kind of picture."""
        return isinstance(self.blocks[-1], Drawings)


def document_of(found: Findings) -> list[Part]:
    """Everything that findings say, in the order in which every format writes it."""
    records: list[Section | RegisteredPicture] = [*sections.SECTIONS, *pictures_for(found)]
    return [part for record in sorted(records, key=lambda one: one.place) if (part := _part(record, found)).blocks]


def _part(record: Section | RegisteredPicture, found: Findings) -> Part:
    if isinstance(record, Section):
        return Part(record.name, record.heading(found), record.blocks(found))
    caption = [Text((record.caption,), small=True)] if record.caption else []
    return Part(record.name, record.title, [*caption, Drawings(record)])


def tables_in(document: Sequence[Part]) -> dict[str, ReportTable]:
    """The tables of a document, by name."""
    tables = [block.table for part in document for block in part.blocks if isinstance(block, TableBlock)]
    return {table.name: table for table in tables}


def markdown_of(found: Findings) -> str:
    """The document as Markdown, for a notebook, a wiki or a supplement; pictures are left to the other formats."""
    written = [f"# {TITLE}", _escaped(found.about)]
    for part in document_of(found):
        if part.is_drawn:
            continue
        if part.title:
            written.append(f"## {_escaped(part.title)}")
        written += [text for block in part.blocks for text in _markdown(block)]
    return "\n\n".join([*written, f"Made by steadyset {__version__}."]) + "\n"


def _markdown(block: Block | Drawings) -> Iterator[str]:
    match block:
        case Heading(text):
            yield f"### {_escaped(text)}"
        case Text():
            yield _escaped(str(block))
        case Bullets(items) | Terms(items):
            yield "\n".join(f"- {_escaped(str(item))}" for item in items)
        case TableBlock(table):
            if block.heading:
                yield f"### {_escaped(table.caption)}"
            yield markdown_table([shown_name(column.title) for column in table.columns], table.texts(block.most))
            if block.more:
                yield block.more


def _escaped(text: str) -> str:
    return shown_name(text).translate(MARKDOWN)


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
        for table in tables_in(document_of(found)).values():
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
