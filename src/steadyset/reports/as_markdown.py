"""The report as Markdown: words and tables, for a notebook, a wiki or a supplement."""

from __future__ import annotations

from collections.abc import Iterable

from steadyset._version import __version__
from steadyset.findings import Findings
from steadyset.findings.cores import named
from steadyset.inference.typeset import MARKDOWN, markdown_table
from steadyset.io.labels import shown_name
from steadyset.reports.report_tables import MOST_FEATURES, ReportTable, all_tables
from steadyset.reports.settings_told import settings_told
from steadyset.wording import counted, percent


def markdown_of(found: Findings) -> str:
    """The same words and tables as in the page; pictures are left to it."""
    tables = all_tables(found)
    parts = [
        "# How steady is the selection?",
        _escaped(found.about),
        *map(_escaped, found.answer),
        "## Stability",
        *_table(tables.pop("summary")),
    ]
    if found.cores:
        parts += ["## The steady core", f"Features selected in at least {percent(found.core)} of the runs:"]
        parts.append(_bullets(map(named, found.cores)))
    if found.notes:
        parts += ["## To know", _bullets(found.notes)]
    if found.differences:
        parts += ["## What differs", *(_escaped(one.words) for one in found.differences)]
    for table in tables.values():
        parts += [f"## {_escaped(table.caption)}", *_table(table)]
    for title, reasons in (("Runs without a selection or a score", found.failures), ("Warnings", found.warnings)):
        if reasons:
            parts += [f"## {title}", _bullets(f"{one.name}: {counted(one.runs, 'run')}: {one.text}" for one in reasons)]
    if found.methods is not None:
        parts += ["## Methods", found.methods.markdown().rstrip("\n").replace("\n## ", "\n### ")]
    parts += ["## Settings", _bullets(f"{term}: {words}" for term, words in settings_told(found).items())]
    return "\n\n".join([*parts, f"Made by steadyset {__version__}."]) + "\n"


def _table(table: ReportTable) -> list[str]:
    shown = table.texts(MOST_FEATURES if table.selected or table.name in ("consensus", "trials") else None)
    more = len(table.rows) + table.left_out - len(shown)
    left_out = [f"{counted(more, f'more {table.of}')} in the findings."] if more else []
    return [markdown_table([shown_name(column.title) for column in table.columns], shown), *left_out]


def _bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {_escaped(sentence)}" for sentence in sentences)


def _escaped(text: str) -> str:
    return shown_name(text).translate(MARKDOWN)
