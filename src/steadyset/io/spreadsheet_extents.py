"""How much a sheet unfolds to: two cells far apart span a rectangle, and a cell may be repeated a million times.

The reader of workbooks keeps every cell of the rectangle and a copy of every text, so that a few bytes of XML can fill
the memory. What is found here is never less than what it would keep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

BYTES_A_CELL = 32  # as the reader of workbooks keeps it
PIECE = 1 << 22
ATTRIBUTES = rb"(?:[^>\"']|\"[^\"]*\"|'[^']*')*"
CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")
ROW = re.compile(rb"<(?:\w+:)?row[\s/>]")
REFERENCE = re.compile(rb"r\s*=\s*[\"']\s*([A-Za-z]{1,9})([0-9]{1,9})")
ROW_NUMBER = re.compile(rb"r\s*=\s*[\"']\s*([0-9]{1,9})")
FILLED_CELL = re.compile(rb"<(?:\w+:)?c\s" + ATTRIBUTES + rb"(?<!/)>")
SHARED_TEXT = re.compile(rb"<(?:\w+:)?si[\s>]")
TEXT_CELL = re.compile(rb"t\s*=\s*[\"']s[\"']")
VALUE = re.compile(rb"<(?:\w+:)?v[^>]*>\s*([0-9]{1,9})\s*<")
ODS_TAG = re.compile(rb"<(/?)(?:\w+:)?(table|table-row|table-cell|covered-table-cell)([\s/]" + ATTRIBUTES + rb")?>")
ODS_REPEATED = re.compile(rb"number-(?:rows|columns)-repeated\s*=\s*[\"']\s*([0-9]{1,12})")


class Extent(NamedTuple):
    """A rectangle of cells, and the bytes of their texts."""

    n_rows: int
    n_columns: int
    text: int = 0

    @property
    def n_bytes(self) -> int:
        return BYTES_A_CELL * self.n_rows * self.n_columns + self.text


def xlsx_extent(sheet: bytes, texts: list[int], bearable: float) -> Extent:
    """The extent of a worksheet of Excel whose cells refer to texts of these lengths.

    Formatted cells without a value count only where the sheet is of `bearable` size with them.
    """
    n_rows, n_columns, without_reference = 0, 0, 0
    for piece in _pieces(sheet):
        references = REFERENCE.findall(piece)
        rows, columns = _corner(references)
        n_rows, n_columns = max(n_rows, rows), max(n_columns, columns)
        without_reference += len(CELL.findall(piece)) - len(references)
    if without_reference > 0:  # these cells follow each other
        n_rows = max(n_rows, max(map(int, ROW_NUMBER.findall(sheet)), default=0)) + len(ROW.findall(sheet))
        n_columns += max(len(CELL.findall(row)) for row in ROW.split(sheet))
    elif BYTES_A_CELL * n_rows * n_columns > bearable:
        filled = [reference for tag in FILLED_CELL.finditer(sheet) for reference in REFERENCE.findall(tag[0])]
        n_rows, n_columns = _corner(filled)
    return Extent(n_rows, n_columns, _text(sheet, texts, bearable))


def shared_texts(strings: bytes) -> list[int]:
    """The lengths of the texts that cells refer to, at most."""
    starts = [match.start() for match in SHARED_TEXT.finditer(strings)]
    return [end - start for start, end in pairwise([*starts, len(strings)])]


def ods_extent(content: bytes) -> Extent:
    """The largest extent of the tables of an OpenDocument workbook, whose rows and cells may be repeated."""
    largest = current = Extent(0, 0)
    rows = columns = row_times = cell_times = start = 0
    for tag in ODS_TAG.finditer(content):
        closing, name, attributes = tag[1], tag[2], tag[3] or b""
        times = max(map(int, ODS_REPEATED.findall(attributes)), default=1)
        if name == b"table":
            largest = max(largest, current, key=lambda extent: extent.n_bytes)
            current, rows = Extent(0, 0), 0
        elif name == b"table-row":
            if not closing:
                rows, columns, row_times = rows + times, 0, times
        elif closing:
            current = current._replace(text=current.text + row_times * cell_times * (tag.start() - start))
        else:
            columns, cell_times, start = columns + times, times, tag.start()
            if not attributes.endswith(b"/") or b"value" in attributes:
                text = current.text + row_times * cell_times * len(attributes)
                current = Extent(rows, max(current.n_columns, columns), text)
    return max(largest, current, key=lambda extent: extent.n_bytes)


def _pieces(xml: bytes) -> Iterator[bytes]:
    """Parts that end before a tag."""
    start = 0
    while start < len(xml):
        end = xml.rfind(b"<", start + 1, start + PIECE) if len(xml) - start > PIECE else len(xml)
        end = end if end > start else len(xml)
        yield xml[start:end]
        start = end


def _corner(references: Sequence[tuple[bytes, bytes]]) -> tuple[int, int]:
    """The last row and column that references such as B12 name."""
    letters, digits = (set(parts) for parts in zip(*references, strict=True)) if references else (set(), set())
    columns = [
        sum((ord(c) - 64) * 26**place for place, c in enumerate(reversed(word.decode().upper()))) for word in letters
    ]
    return max(map(int, digits), default=0), max(columns, default=0)


def _text(sheet: bytes, texts: list[int], bearable: float) -> int:
    """The bytes of the texts that cells refer to; counted one by one where the longest for each would be too much."""
    cells = sum(len(TEXT_CELL.findall(piece)) for piece in _pieces(sheet))
    longest = max(texts, default=0)
    if cells * longest <= bearable:
        return 0
    numbers = [int(number) for number in VALUE.findall(sheet)]
    known = sum(texts[number] for number in numbers if number < len(texts))
    return known + max(0, cells - len(numbers)) * longest
