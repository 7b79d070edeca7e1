"""Tables as streams of clean csv: a file as it is where it is that, and otherwise what it means, line by line."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from steadyset.foundation.errors import InputError
from steadyset.io.limits import BYTES_A_CELL, refuse_size
from steadyset.io.text_forms import (
    SINGLE_BYTE,
    TAB,
    TextForm,
    opened,
    read_as,
    repaired_header,
    single_byte_encoding,
    text_form,
    text_rows,
)

CHUNK = 1 << 20


@dataclass(frozen=True)
class TextTable:
    """A table to be read as csv in UTF-8 from its header on, as often as needed."""

    path: Path
    delimiter: str
    words: tuple[str, ...]  # what was understood
    open: Callable[[], IO[bytes]]
    as_it_is: bool = False  # the file itself is the stream
    row_names: bool = False  # the first column has none, as R writes it
    told: tuple[str, ...] = ()  # what is to be said besides

    def notes(self, *more: str) -> tuple[str, ...]:
        """What was understood, and more that was found in the cells; then what is to be said besides."""
        return (*read_as((*self.words, *more)), *self.told)

    def header(self) -> str:
        """The first line."""
        with self.open() as lines:
            return lines.readline().decode("utf-8-sig").rstrip("\r\n")


def text_table(path: Path, delimiter: str | None, max_gb: float, *, bytes_a_cell: int = BYTES_A_CELL) -> TextTable:
    """A text file; a sentence where it is no text, or takes more memory than allowed."""
    form = checked_form(path, delimiter, max_gb, bytes_a_cell=bytes_a_cell)
    if form.plain:
        return TextTable(path, form.delimiter, form.words, lambda: opened(path), as_it_is=True)
    pieces = _rewritten if form.runs or form.padded else _repaired
    separator = TAB if form.runs else form.delimiter
    return TextTable(path, separator, form.words, lambda: _stream(pieces(path, form)), row_names=form.heading.short)


def rows_table(path: Path, rows: Iterable[list[str]], told: tuple[str, ...]) -> TextTable:
    """The cells of a workbook."""
    content = b"".join(_written(rows, ","))
    return TextTable(path, ",", (), lambda: io.BytesIO(content), told=told)


def checked_form(path: Path, delimiter: str | None, max_gb: float, *, bytes_a_cell: int) -> TextForm:
    """The form of a text file, once all of it is known to be of that encoding and of bearable size.

    Numbers of one digit take four times more memory than text, so that cells count too.
    """
    form = text_form(path, delimiter, max_gb)
    if form.encoding in SINGLE_BYTE:
        form = replace(form, encoding=_other_encoding(path, form.encoding, max_gb))
    separator = form.delimiter.encode()
    decoder = codecs.getincrementaldecoder(form.encoding)()
    size = cells = 0
    try:
        with opened(path) as source:
            while chunk := source.read(CHUNK):
                size += len(chunk)
                cells += chunk.count(separator) + chunk.count(b"\n")
                refuse_size(path, max(size, bytes_a_cell * cells), max_gb)
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return replace(form, encoding=_other_encoding(path, form.encoding, max_gb))
    return form


def _other_encoding(path: Path, encoding: str, max_gb: float) -> str:
    """What a file is that began like one of UTF-8; a sentence where it is damaged rather than of another encoding."""
    if encoding.startswith("utf-16") or encoding == "utf-8-sig":
        name = "UTF-16" if encoding.startswith("utf-16") else "UTF-8"
        raise InputError(f"{path} begins as {name} text, but is damaged further down; save it again as UTF-8.")
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    wrong = right = size = 0
    kinds = set()
    with opened(path) as source:
        while chunk := source.read(CHUNK):
            size += len(chunk)
            refuse_size(path, size, max_gb)
            text = decoder.decode(chunk)
            found = text.count("\ufffd")
            wrong, right = wrong + found, right + sum(map(text.count, {*text} - ASCII)) - found
            kinds.add(single_byte_encoding(path, chunk))
    text = decoder.decode(b"", final=True)
    wrong += len(text)
    if right >= wrong:
        damaged = "1 damaged character" if wrong == 1 else f"{wrong} damaged characters"
        raise InputError(f"{path} is UTF-8 text with {damaged}; save it again as UTF-8.")
    return max(kinds)  # latin-1 has all the bytes that cp1252 lacks


ASCII = frozenset(map(chr, range(128)))


def _repaired(path: Path, form: TextForm) -> Iterator[bytes]:
    """The lines of a table in UTF-8, from a whole header on."""
    with io.TextIOWrapper(opened(path), encoding=form.encoding, newline=None) as lines:
        if form.sep_line:
            next(lines)
        rows = csv.reader(lines, delimiter=form.delimiter)
        try:
            for _ in range(form.heading.above):
                next(rows)
            yield from _written([repaired_header(next(rows), form)], form.delimiter)
        except csv.Error as error:
            raise InputError(f"{path} is not a well-formed table: {error} in line {rows.line_num}.") from None
        except StopIteration:  # from a header that is not there
            raise InputError(f"{path} has no rows below its titles; expected a table.") from None
        yield from (line.encode() for line in lines)


def _rewritten(path: Path, form: TextForm) -> Iterator[bytes]:
    """The rows of a table between whose cells there are spaces, without these."""
    yield from _written(text_rows(path, form), TAB if form.runs else form.delimiter)


def _written(rows: Iterable[list[str]], delimiter: str) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        if text.tell() > CHUNK:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def _stream(pieces: Iterator[bytes]) -> IO[bytes]:
    return io.BufferedReader(_Pieces(pieces), CHUNK)


class _Pieces(io.RawIOBase):
    """A file of what an iterator gives."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces, self.left = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        filled = 0
        while filled < len(buffer):
            if not self.left:
                piece = next(self.pieces, None)
                if piece is None:
                    break
                self.left = memoryview(piece)
            count = min(len(self.left), len(buffer) - filled)
            buffer[filled : filled + count] = self.left[:count]
            self.left = self.left[count:]
            filled += count
        return filled
