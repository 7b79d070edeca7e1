"""What a report on paper says, block by block: Markdown and PDF write the same blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from steadyset._version import __version__
from steadyset.findings import Findings
from steadyset.findings.cores import named
from steadyset.foundation.text import counted, percent, shown_name
from steadyset.plots import pictures_for
from steadyset.plots.catalogue import RegisteredPicture
from steadyset.reports.report_tables import MOST_FEATURES, ReportTable, all_tables
from steadyset.reports.settings_told import settings_told

TITLE = "How steady is the selection?"


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Rows:
    """A table, of which a long one shows its first rows."""

    table: ReportTable

    @property
    def most(self) -> int | None:
        """How many rows are shown; None: all."""
        long = self.table.selected or self.table.name in ("consensus", "trials")
        return MOST_FEATURES if long else None

    @property
    def left_out(self) -> str:
        """What is said of rows that are not shown."""
        shown = len(self.table.rows[: self.most])
        more = len(self.table.rows) + self.table.left_out - shown
        return f"{counted(more, f'more {self.table.of}')} in the findings." if more else ""


@dataclass(frozen=True)
class Drawings:
    """A kind of picture, which is drawn only where there is room for pictures."""

    record: RegisteredPicture


Block = Heading | Words | Bullets | Rows | Drawings


def document_of(found: Findings) -> Iterator[Block]:
    """Everything that findings say, in the order of the page. Names are as they are shown."""
    tables = all_tables(found)
    yield Heading(TITLE, 1)
    yield from map(_words, (found.about, *found.answer))
    yield Heading("Stability")
    yield Rows(tables.pop("summary"))
    if found.cores:
        yield Heading("The steady core")
        yield Words(f"Features selected in at least {percent(found.core)} of the runs:")
        yield _bullets(map(named, found.cores))
    if found.notes:
        yield Heading("Notes")
        yield _bullets(iter(found.notes))
    if found.differences:
        yield Heading("What differs")
        yield from (_words(one.words) for one in found.differences)
    yield from map(Drawings, pictures_for(found))
    for table in tables.values():
        yield Heading(shown_name(table.caption))
        yield Rows(table)
    for title, reasons in (("Runs without a selection or a score", found.failures), ("Warnings", found.warnings)):
        if reasons:
            yield Heading(title)
            yield _bullets(f"{one.name}: {counted(one.runs, 'run')}: {one.text}" for one in reasons)
    if found.methods is not None:
        yield Heading("Methods")
        yield from map(_words, found.methods.texts())
        if found.methods.results:
            yield Heading("Results in words", 3)
            yield _words(found.methods.results_text())
        yield Heading("References", 3)
        yield _bullets(one.text for one in found.methods.references)
    yield Heading("Settings")
    yield _bullets(f"{term}: {words}" for term, words in settings_told(found).items())
    yield Words(f"Made by steadyset {__version__}.")


def _words(text: str) -> Words:
    return Words(shown_name(text))


def _bullets(items: Iterator[str]) -> Bullets:
    return Bullets(tuple(map(shown_name, items)))
