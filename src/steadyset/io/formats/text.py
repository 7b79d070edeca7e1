"""The form of a text table: its encoding, what separates its cells, and where it begins; found in its first lines."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import IO, TYPE_CHECKING

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.files import GZIP, OLE, ZIP, File, refuse_size
from steadyset.io.formats.headings import COMMENT, REGULAR, TOP, Heading, find_heading, is_number, usual_width
from steadyset.io.formats.record import PACKED
from steadyset.io.labels import several

if TYPE_CHECKING:
    from typing_extensions import Buffer

TAB = "\t"
DELIMITERS = {TAB: "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "spaces"}  # in the order of trust
SAMPLE, SAMPLE_LINES, LEAST_LINES = 1 << 16, 60, 4
LONGEST_PREAMBLE = 1 << 26  # bytes of comments above a table
ENOUGH_CELLS = 500
HEADER_SHARE = 64  # a name takes about so many times more memory than a byte of the header
LINE_SHARE = 8  # the same for the cells of another line
STEP = 1 << 25  # bytes that are read at once in search of the ends of lines
# Packed text is refused where more comes out of it than this, and than so many times the size of the file: what packs
# that well is forged, or says nothing. Tables of 0 and 1 reach some 200 times, and are smaller.
UNPACKED, UNPACKED_TIMES = 1 << 29, 100
MOST_DEFLATED = 1032  # times that deflating can make something smaller
BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
PLAIN = ("utf-8", "utf-8-sig")
CONTROLS = [bytes([code]) for code in (*range(7), *range(14, 27))]  # in no text
NOT_IN_1252 = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")
SINGLE_BYTE = ("cp1252", "latin-1")
ENCODINGS = {"utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}
ENCODINGS |= {"cp1252": "Windows-1252 (Latin-1)", "latin-1": "Latin-1"}
SEP_LINE = re.compile(r'"?sep=(.)"?[,;\t]*', re.IGNORECASE)
QUOTED_CELL = re.compile(r'(?:^|[,;\t| ])"')
MARKUP = re.compile(r"\s*<(!doctype|html|head|meta|table|\?xml)\b", re.IGNORECASE)
AMBIGUOUS = re.compile(r"[+-]?[0-9]+,[0-9]+")


@dataclass(frozen=True)
class TextForm:
    """How to read a text table."""

    encoding: str
    delimiter: str
    runs: bool = False  # several spaces count as one
    padded: bool = False  # a space follows each delimiter
    sep_line: bool = False  # the first line names the delimiter, as Excel writes it
    old_mac: bool = False  # lines end with a carriage return alone
    heading: Heading = TOP

    @property
    def plain(self) -> bool:
        """Whether readers of csv files take the file as it is."""
        changed = self.runs or self.padded or self.sep_line or self.old_mac or self.heading != TOP
        return self.encoding in PLAIN and not changed

    @property
    def words(self) -> tuple[str, ...]:
        """What was understood beyond commas and tabs in UTF-8."""
        found = []
        if self.encoding in ENCODINGS:
            found.append(ENCODINGS[self.encoding])
        if self.delimiter not in (",", TAB):
            found.append(DELIMITERS.get(self.delimiter, f"separated by {self.delimiter!r}"))
        if self.heading.titles:
            found.append(f"{several(self.heading.titles, 'title row')} skipped")
        comments = self.heading.above - self.heading.titles
        if comments:
            found.append(f"{several(comments, 'empty or comment row')} skipped")
        if self.heading.short:
            found.append("the first column, which has no name in the header, names the rows")
        return tuple(found)


def text_form(path: File, delimiter: str | None, max_gb: float) -> TextForm:
    """The form of a text file; a `delimiter` that is given is not questioned."""
    return path.known((TextForm, delimiter), lambda: _recognised(path, delimiter, max_gb))


def _recognised(path: File, delimiter: str | None, max_gb: float) -> TextForm:
    form, lines = _first_lines(path, max_gb)
    named = SEP_LINE.fullmatch(lines[0])
    if named is not None:
        form, lines = replace(form, sep_line=True), lines[1:]
    preamble = _preamble(lines)
    lines = lines[preamble : preamble + SAMPLE_LINES]
    given = separator_of(delimiter) if delimiter is not None else named[1] if named else None
    separator, runs = _delimiter(lines, (given,) if given is not None else tuple(DELIMITERS))
    form = replace(form, delimiter=separator, runs=runs, padded=_is_padded(lines, separator))
    heading = find_heading(_narrowed(lines, separator, runs), [line.startswith(COMMENT) for line in lines])
    form = replace(form, heading=heading._replace(above=heading.above + preamble))
    if delimiter is None:
        _refuse_ambiguous(path, lines[heading.above :], form)
    return form


def _first_lines(path: File, max_gb: float) -> tuple[TextForm, list[str]]:
    """The first lines of a text file, with its encoding and its ends of lines."""
    content = _first_bytes(path, max_gb)
    encoding = _encoding(path, content)
    text = content.decode(encoding, errors="ignore")  # the last character may be cut
    old_mac = "\n" not in text and "\r" in text
    lines = _whole_lines(text.replace("\r\n", "\n").replace("\r", "\n"), len(content) < SAMPLE)
    if not any(line.strip() for line in lines):
        raise InputError(f"{path} is empty.")
    if MARKUP.match(text):
        raise InputError(f"{path} is a web page or XML rather than a table; save it as .csv or .xlsx.")
    return TextForm(encoding, ",", old_mac=old_mac), lines


def read_as(words: Sequence[str]) -> tuple[str, ...]:
    """The note that says in which form a file was read, if that is worth saying."""
    return (f"read as: {', '.join(words)}",) if words else ()


def separator_of(delimiter: str) -> str:
    """The character that a delimiter means; tab may be written out."""
    character = {"tab": TAB, "\\t": TAB}.get(delimiter, delimiter)
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise wrong_argument("delimiter", "one character, such as ; or |, or tab", delimiter)
    return character


def opened(path: File) -> IO[bytes]:
    """The bytes of a file, unpacked where it is compressed with gzip."""
    return io.BufferedReader(_Unpacked(path)) if is_packed(path) else path.open()


class _Unpacked(io.RawIOBase):
    """What comes out of a packed file, until it is more than an honest one can hold."""

    def __init__(self, path: File) -> None:
        self._path, self._file, self._length = path, path.open(), 0
        self._most = max(UNPACKED, UNPACKED_TIMES * path.stat().st_size)
        # The last four bytes tell the length, but for multiples of 4 GB: most are refused before anything is unpacked.
        # More than deflating can reach is no length, but damage.
        if path.stat().st_size > 4:
            self._file.seek(-4, io.SEEK_END)
            told = int.from_bytes(self._file.read(4), "little")
            self._refuse(told if told <= MOST_DEFLATED * path.stat().st_size else 0)
            self._file.seek(0)
        self._source = gzip.GzipFile(fileobj=self._file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        n = self._source.readinto(buffer)
        self._length += n
        self._refuse(self._length)
        return n

    def close(self) -> None:
        self._file.close()
        super().close()

    def _refuse(self, length: int) -> None:
        if length > self._most:
            raise InputError(
                f"{self._path} has {self._path.stat().st_size:,} bytes and unpacks to at least {length / 2**30:.1f} GB "
                "of text; it is damaged or forged. If you trust it, unpack it."
            )


def is_packed(path: File) -> bool:
    """Whether a file is compressed with gzip, by its ending or its first bytes."""
    return path.suffix == PACKED or path.begins_with(GZIP)


def text_rows(path: File, form: TextForm) -> Iterator[list[str]]:
    """The rows of the table as cells, from its header on."""
    with table_lines(path, form) as (_, rows):
        header = repaired_header(next(rows), form)
        yield header
        for row in rows:
            if not (row and row[0].startswith(COMMENT) and 1 < len(header) != len(row)):
                yield row


@contextmanager
def table_lines(path: File, form: TextForm) -> Iterator[tuple[Iterator[str], Iterator[list[str]]]]:
    """The lines of a table from its header on, and the same as rows of cells; who takes a row takes its lines."""
    with io.TextIOWrapper(opened(path), encoding=form.encoding, newline=None) as lines:
        if form.sep_line:
            next(lines)
        source = (line.rstrip() + "\n" for line in lines) if form.runs else lines
        rows = csv.reader(source, delimiter=form.delimiter, skipinitialspace=form.runs or form.padded)
        try:
            for _ in range(form.heading.above):
                next(rows)
            yield lines, rows
        except csv.Error as error:
            raise InputError(f"{path} is not a well-formed table: {error} in line {rows.line_num}.") from None
        except StopIteration:  # from a header that is not there
            raise InputError(f"{path} has no rows below its titles; expected a table.") from None


def repaired_header(header: list[str], form: TextForm) -> list[str]:
    """A header with one name per column."""
    if form.heading.commented:
        header = [header[0].lstrip(COMMENT + " ") or header[0], *header[1:]]
    if form.heading.open_end:
        return [*header, ""]
    return ["", *header] if form.heading.short else header


def _first_bytes(path: File, max_gb: float) -> bytes:
    """The first lines: what SAMPLE holds, and more where lines are longer than that."""
    content = bytearray()
    with opened(path) as source:
        while more := source.read(min(max(SAMPLE, len(content)), STEP)):
            content += more
            if not _is_little(content):
                break
            # The first line names the columns; the last one is still going on.
            first = content.find(b"\n") if b"\n" in content else len(content)
            last = len(content) - content.rfind(b"\n")
            refuse_size(path, max(HEADER_SHARE * first, LINE_SHARE * last, len(content)), max_gb)
    return bytes(content)


def _is_little(content: bytes | bytearray) -> bool:
    """Whether the table may begin further down: few lines, or comments and empty lines to the end."""
    if content.count(b"\n") < LEAST_LINES:
        return True
    last = content.rsplit(b"\n", 2)[-2].strip()
    return len(content) < LONGEST_PREAMBLE and (not last or last.startswith(COMMENT.encode()))


def _preamble(lines: Sequence[str]) -> int:
    """How many comments and empty lines come first, but for the last of them, which may be the header."""
    blank = takewhile(lambda line: line.startswith(COMMENT) or not line.strip(), lines)
    return max(0, sum(1 for _ in blank) - 1)


def _encoding(path: File, content: bytes) -> str:
    if content.startswith((ZIP, OLE)):
        raise InputError(f"{path} is not text but perhaps a workbook; name it .xlsx, .xls or .ods, or save it as .csv.")
    for bom, encoding in BOMS.items():
        if content.startswith(bom):
            return encoding
    even, odd = content[0::2].count(0), content[1::2].count(0)
    if odd > len(content) // 8 and not even:
        return "utf-16-le"
    if even > len(content) // 8 and not odd:
        return "utf-16-be"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)
        return "utf-8"
    except UnicodeDecodeError:
        return single_byte_encoding(path, content)


def single_byte_encoding(path: File, content: bytes) -> str:
    """What remains for text that is not Unicode; a sentence where it is no text."""
    if any(byte in content for byte in CONTROLS):
        raise InputError(f"{path} is not a text file; expected one in UTF-8, UTF-16 or Latin-1.")
    return "latin-1" if any(byte in content for byte in NOT_IN_1252) else "cp1252"


def _whole_lines(text: str, complete: bool) -> list[str]:
    """Lines of the sample, with those joined that a quoted cell spans; the last one may be cut and is left out."""
    lines = text.split("\n")
    if not complete and len(lines) > 2:
        lines.pop()
    preamble = _preamble(lines)
    joined: list[str] = lines[:preamble]
    waiting = ""
    for line in lines[preamble : preamble + 4 * SAMPLE_LINES]:
        if waiting or (not line.startswith(COMMENT) and QUOTED_CELL.search(line)):
            waiting += line
            if waiting.count('"') % 2:
                waiting += "\n"
                continue
            line = waiting
        joined.append(line)
        waiting = ""
    return joined if len(joined) > preamble else lines[: preamble + SAMPLE_LINES]


def _delimiter(lines: Sequence[str], candidates: Sequence[str]) -> tuple[str, bool]:
    """The delimiter that gives the rows one width; in files of lists, which have many, the commonest."""
    table = [line for line in lines if line.strip() and not line.startswith(COMMENT)]
    best, least = None, (len(table), 0, False)
    for delimiter in candidates:
        for runs in (True, False) if delimiter == " " else (False,):
            flaws = _flaws(_widths(table, delimiter, runs))
            if flaws is not None and flaws < least and (delimiter != " " or _holds_numbers(table, runs)):
                best, least = (delimiter, runs), flaws
    if best is not None:
        return best
    if len(candidates) == 1:
        return candidates[0], candidates[0] == " "
    counts = {one: sum(width > 1 for width in _widths(table, one)) for one in candidates if one != " "}
    most = max(counts, key=lambda one: counts[one])
    return (most if counts[most] else ","), False


def _flaws(widths: Sequence[int]) -> tuple[int, int, bool] | None:
    """How many rows stand before those of one width, how many of these have another, and whether the header is short.

    None where rows have many widths, or one cell.
    """
    usual = usual_width([width for width in widths if width > 1])
    if not usual:
        return None
    first = widths.index(usual)
    short = bool(first) and widths[first - 1] == usual - 1  # R's header
    first -= short
    others = sum(width != usual for width in widths[first + 1 :])
    like_a_table = 2 * first <= len(widths) and others <= max(1, (1 - REGULAR) * (len(widths) - first))
    return (first, others, short) if like_a_table else None


def _widths(lines: Sequence[str], delimiter: str, runs: bool = False) -> list[int]:
    if runs or any('"' in line for line in lines):
        return [len(row) for line in lines for row in _cells([line], delimiter, runs)]
    return [line.count(delimiter) + 1 for line in lines]


def _cells(lines: Sequence[str], delimiter: str, runs: bool = False) -> list[list[str]]:
    try:
        source = (line.rstrip() if runs else line for line in lines)
        return list(csv.reader(source, delimiter=delimiter, skipinitialspace=runs))
    except csv.Error:  # a cell of more than 128 KB is no cell of a table with this delimiter
        return [line.split(delimiter) for line in lines]


def _is_padded(lines: Sequence[str], delimiter: str) -> bool:
    """Whether a space follows each delimiter, as people write; where names are quoted, a space is part of one."""
    counts = [(line.count(delimiter), line.count(f"{delimiter} ")) for line in lines if delimiter in line]
    return delimiter != " " and bool(counts) and all(spaces == often for often, spaces in counts)


def _narrowed(lines: Sequence[str], delimiter: str, runs: bool) -> list[list[str]]:
    """The cells of the lines; of a very wide table as many less for each line as leave enough to tell a header by."""
    surplus = usual_width(_widths(lines, delimiter, runs)) - ENOUGH_CELLS
    if surplus <= 0:
        return _cells(lines, delimiter, runs)
    narrowed = []
    for line in lines:
        if not runs and '"' not in line and line:  # the cells that are left out need not be made
            kept = max(0, line.count(delimiter) - surplus)
            narrowed.append([*line.split(delimiter, kept)[:kept], line.rpartition(delimiter)[2]])
        else:
            [row] = _cells([line], delimiter, runs) or [[]]
            narrowed.append([*row[: max(0, len(row) - surplus - 1)], *row[-1:]])
    return narrowed


def _holds_numbers(lines: Sequence[str], runs: bool) -> bool:
    """Spaces occur in names; they separate cells only where some column holds numbers."""
    rows = _cells(lines, " ", runs)[1:]
    usual = usual_width([len(row) for row in rows])
    columns = zip(*(row for row in rows if len(row) == usual), strict=True)
    return any(sum(map(is_number, column)) >= REGULAR * len(column) for column in columns)


def _refuse_ambiguous(path: File, lines: Sequence[str], form: TextForm) -> None:
    """One name above 0,5 and 1,7: two columns that R wrote, or decimal commas?"""
    table = [line for line in lines if line.strip()]
    if form.delimiter != "," or not form.heading.short or len(table) < 2 or "," in table[0]:
        return
    if all(AMBIGUOUS.fullmatch(line.strip()) for line in table[1:]):
        told = f"{path} has one name in its header and {table[1].strip()!r} below; if that is a decimal comma, give "
        other = "; if these are a row's name and its value, "
        raise InputError(told, Argument("delimiter", ";"), other, Argument("delimiter", ","), ".")
