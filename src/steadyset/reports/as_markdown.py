"""The report as Markdown: words and tables, for a notebook, a wiki or a supplement."""

from __future__ import annotations

from collections.abc import Iterator

from steadyset.findings import Findings
from steadyset.foundation.text import shown_name
from steadyset.inference.typeset import MARKDOWN, markdown_table
from steadyset.reports.document import Block, Bullets, Heading, Rows, Words, document_of


def markdown_of(found: Findings) -> str:
    """The same words and tables as in the page; pictures are left to it."""
    return "\n\n".join(part for block in document_of(found) for part in _written(block)) + "\n"


def _written(block: Block) -> Iterator[str]:
    match block:
        case Heading(text, level):
            yield f"{'#' * level} {text.translate(MARKDOWN)}"
        case Words(text):
            yield text.translate(MARKDOWN)
        case Bullets(items):
            yield "\n".join(f"- {item.translate(MARKDOWN)}" for item in items)
        case Rows(table):
            yield markdown_table([shown_name(column.title) for column in table.columns], table.texts(block.most))
            if block.left_out:
                yield block.left_out
