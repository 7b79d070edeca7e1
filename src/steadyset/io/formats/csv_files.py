"""Text tables: their form, found in the first lines; from there to streams of clean csv, and to columns.

The form is the encoding, what separates the cells, and where the table begins. Of a column is then said whether it
holds numbers, and which of its cells mean none.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from textwrap import shorten
from typing import IO, TYPE_CHECKING, Any

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.memory import memory_limit
from steadyset.io.files import (
    BYTES_A_CELL,
    GZIP,
    OLE,
    ZIP,
    File,
    first_line,
    lacks_memory,
    refuse_size,
    too_little_memory,
)
from steadyset.io.formats.columns import ERRORS, FEATURE, NULLS, RUN, THOUSANDS, WIDE, Columns, read_wide_csv
from steadyset.io.formats.headings import (
    COMMENT,
    REGULAR,
    TOP,
    Heading,
    find_heading,
    is_comment,
    is_number,
    usual_width,
)
from steadyset.io.formats.record import PACKED
from steadyset.io.labels import BLANKS, several, some_names, told_of_blanks, trimmed_name

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Buffer

TAB = "\t"
DELIMITERS = {TAB: "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "spaces"}  # in the order of trust
SAMPLE, SAMPLE_LINES, LEAST_LINES = 1 << 16, 60, 4
LONGEST_PREAMBLE = 1 << 26  # bytes of comments above a table
ENOUGH_CELLS = 500
LINE_SHOWN = 40  # letters of a line
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
ESCAPED = '\\"'
WITHIN_WORD = re.compile(r'\\"[^,;\t| "\r\n]')
BEFORE_BLANK = re.compile(r'\\"[ "]')
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
    escaped: bool = False  # a quote within quotes has a backslash before it, as R's write.table has it
    has_blanks: bool = False  # some names in the header begin or end with blanks
    lists_left_out: tuple[str, ...] = ()  # rows above the header that begin with # and have as many cells as it
    marked: str = ""  # a first name that is more than a word behind the sign of a comment, such as #1
    heading: Heading = TOP

    @property
    def plain(self) -> bool:
        """Whether readers of csv files take the file as it is."""
        changed = self.runs or self.padded or self.sep_line or self.old_mac or self.escaped
        return self.encoding in PLAIN and not changed and self.heading == TOP

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
        if self.lists_left_out:
            count = several(len(self.lists_left_out), "row")
            found.append(f"{count} beginning with # left out ({some_names(self.lists_left_out)})")
        if self.escaped:
            found.append("backslashes before quotes removed")
        if self.marked:
            found.append(f"the first name {self.marked!r} without its mark #")
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
    heading = find_heading(_narrowed(lines, separator, runs), list(map(_is_comment_line, lines)))
    names = lines[heading.above].split(separator)
    if heading.commented and len(names) > 1 and any(name.startswith(COMMENT) for name in names[1:]):
        heading = heading._replace(commented=False)  # the mark is part of the names #1, #2, ...
    if heading.commented and not WORD.search(names[0]):
        form = replace(form, marked=names[0].strip())
    rows = [
        line for line in lines[: heading.above] if _is_comment_line(line) and line.count(separator) == len(names) - 1
    ]
    if not heading.commented and len(names) > 1:
        form = replace(form, lists_left_out=tuple(shorten(row, LINE_SHOWN, placeholder=" ...") for row in rows))
    has_blanks = _has_outer_blanks(lines[heading.above], separator)
    form = replace(form, has_blanks=has_blanks, heading=heading._replace(above=heading.above + preamble))
    if delimiter is None:
        _refuse_ambiguous(path, lines[heading.above :], form)
    return form


def _has_outer_blanks(header: str, delimiter: str) -> bool:
    """Return whether a name in a header may begin or end with a blank; a delimiter within quotes may mislead it."""
    blank, between = f"[{re.escape(BLANKS.replace(delimiter, ''))}]", re.escape(delimiter)
    return re.search(f'(^|{between})"?{blank}|{blank}"?({between}|$)', header) is not None


def _first_lines(path: File, max_gb: float) -> tuple[TextForm, list[str]]:
    """The first lines of a text file, with its encoding and its ends of lines."""
    content = _first_bytes(path, max_gb)
    encoding = _encoding(path, content)
    text = content.decode(encoding, errors="ignore")  # the last character may be cut
    old_mac = "\n" not in text and "\r" in text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    escaped = any(map(_has_escaped_quote, text.split("\n")))
    lines = _whole_lines(_with_doubled_quotes(text) if escaped else text, len(content) < SAMPLE)
    if not any(line.strip() for line in lines):
        raise InputError(f"{path} is empty.")
    if MARKUP.match(text):
        raise InputError(f"{path} is a web page or XML rather than a table; save it as .csv or .xlsx.")
    return TextForm(encoding, ",", old_mac=old_mac, escaped=escaped), lines


def _has_escaped_quote(line: str) -> bool:
    r"""Return whether a line has a quote that a backslash escapes, as in "a\"b"; "C:\" ends with a backslash."""
    if ESCAPED not in line or not QUOTED_CELL.search(line):
        return False
    if WITHIN_WORD.search(line):
        return True
    # Before a blank or a quote it is one if quotes have a partner only then.
    doubled = _with_doubled_quotes(line)
    return BEFORE_BLANK.search(line) is not None and line.count('"') % 2 == 1 and doubled.count('"') % 2 == 0


def _with_doubled_quotes(text: str) -> str:
    """Return a text whose quotes within quotes are written twice, as readers of csv expect them."""
    return text.replace(ESCAPED, '""')


def text_lines(path: File, max_gb: float) -> Generator[str, None, None]:
    """Yield the lines of a text file as they stand, without their ends."""
    form, first = _first_lines(path, max_gb)
    n_skipped = int(SEP_LINE.fullmatch(first[0]) is not None)
    n_read = 0
    try:
        for line in islice(_decoded_lines(path, form.encoding), n_skipped, None):
            n_read += 1
            yield line
    except UnicodeDecodeError:
        # What begins like UTF-8 may be of another encoding further down; lines end at the same bytes in both.
        encoding = _other_encoding(path, form.encoding, max_gb)
        yield from islice(_decoded_lines(path, encoding), n_skipped + n_read, None)


def _decoded_lines(path: File, encoding: str) -> Iterator[str]:
    with io.TextIOWrapper(opened(path), encoding=encoding, newline=None) as lines:
        for line in lines:
            yield line.rstrip("\n")


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


def text_rows(path: File, form: TextForm, *, comments: bool = False) -> Iterator[list[str]]:
    """The rows of the table as cells, from its header on; `comments` keeps rows that look like such below it."""
    with table_lines(path, form) as (_, rows):
        header = repaired_header(next(rows), form)
        yield header
        for row in rows:
            if comments or not (row and is_comment(row[0]) and 1 < len(header) != len(row)):
                yield row


@contextmanager
def table_lines(path: File, form: TextForm) -> Iterator[tuple[Iterator[str], Iterator[list[str]]]]:
    """The lines of a table from its header on, and the same as rows of cells; who takes a row takes its lines."""
    with io.TextIOWrapper(opened(path), encoding=form.encoding, newline=None) as lines:
        if form.sep_line:
            next(lines)
        lines_read: Iterator[str] = map(_with_doubled_quotes, lines) if form.escaped else lines
        source = (line.rstrip() + "\n" for line in lines_read) if form.runs else lines_read
        rows = csv.reader(source, delimiter=form.delimiter, skipinitialspace=form.runs or form.padded)
        try:
            for _ in range(form.heading.above):
                next(rows)
            yield lines_read, rows
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


def _is_comment_line(line: str) -> bool:
    """Whether a line begins with # and not with the error of a formula, such as #N/A."""
    return line.startswith(COMMENT) and not line.startswith(tuple(error for error in ERRORS if error))


def _preamble(lines: Sequence[str]) -> int:
    """How many comments and empty lines come first, but for the last of them, which may be the header."""
    blank = takewhile(lambda line: _is_comment_line(line) or not line.strip(), lines)
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
        if waiting or (not _is_comment_line(line) and QUOTED_CELL.search(line)):
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
    table = [line for line in lines if line.strip() and not _is_comment_line(line)]
    best, least = None, (len(table), 0, False)
    for delimiter in candidates:
        for runs in (True, False) if delimiter == " " else (False,):
            flaws = _flaws(_widths(table, delimiter, runs))
            if flaws is not None and flaws < least and (delimiter != " " or _holds_numbers(table, runs)):
                best, least = (delimiter, runs), flaws
    if len(candidates) == 1:
        return best or (candidates[0], candidates[0] == " ")
    marks = (TAB, ",", ";", "|")
    if best is not None and best[0] == " " and any(_has_spaces_in_names(table, one) for one in marks):
        best = None
    if best is None:
        counts = {one: sum(width > 1 for width in _widths(table, one)) for one in candidates if one != " "}
        most = max(counts, key=lambda one: counts[one])
        best = (most if counts[most] else ","), False
    if best[0] == ",":
        within = (mark for mark in (TAB, ";", "|") if _has_commas_in_names(table, mark))
        return next(within, ","), False
    if best[0] in (";", "|"):
        before = (mark for mark in (TAB, ",") if _is_after_labels(table, mark, best[0]))
        return next(before, best[0]), False
    return best


def _has_spaces_in_names(lines: Sequence[str], mark: str) -> bool:
    """Return whether all lines with a mark or a space have more than twice as many marks."""
    parted = [line for line in lines if mark in line or " " in line]
    return all(line.count(mark) > 2 * line.count(" ") for line in parted)


def _has_commas_in_names(lines: Sequence[str], mark: str) -> bool:
    """Return whether a mark separates names, some of which hold a comma, as in "B cells;T cells, activated;age".

    A label before names, as in "run 1, A;B;C", has its comma before the first semicolon of each line.
    """
    known = {cell for line in lines if mark in line for cell in line.split(mark)}
    # A list of one name has no mark, and its name recurs in other lists.
    with_comma = [line for line in lines if "," in line and line not in known]
    if not with_comma or any(line.count(",") != line.count(", ") or mark not in line for line in with_comma):
        return False
    if mark == TAB:  # no name has one
        return True
    labels = [line.partition(",")[0] for line in with_comma if line.find(",") < line.find(mark)]
    if len(set(labels)) == len(with_comma):
        return False
    n_commas = sum(line.count(",") for line in with_comma)
    n_marks = sum(line.count(mark) - line.count(f"{mark} ") for line in with_comma)
    return n_marks >= 2 * n_commas


def _is_after_labels(lines: Sequence[str], mark: str, between: str) -> bool:
    """Return whether a mark stands once in each line, behind a label and before names, as in "Golub,CD33;ZYX".

    Numbers after names are cells of a data table ("Doe, Jane;40;70"), unless all names are identifiers such as 1053.
    """
    if len(lines) > 1 and len({line.partition(mark)[0] for line in lines}) == 1:
        return False  # one name in all lists, such as T cells, CD4+
    n_numbers = n_identified = 0
    for line in lines:
        label, _, names = line.partition(mark)
        if line.count(mark) != 1 or between in label or '"' in line:
            return False
        if not names.strip() or DECIMAL_COMMA.fullmatch(line.partition(between)[0]):
            return False
        cells = [cell.strip() for cell in names.split(between)]
        n_numbers += any(map(is_number, cells[1:]))
        n_identified += all(map(str.isdecimal, cells))
    if n_numbers and n_identified < len(lines):
        return False
    return sum(between in line for line in lines) > 1


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


CHUNK = 1 << 20
WORD = re.compile(r"[^\W\d_]{2,}")
MIN_WORDS = 4  # of a sentence
FEW_COLUMNS = 2  # into which delimiters may cut sentences
DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?\s*")
DECIMAL_COMMAS = "decimal commas"


@dataclass(frozen=True)
class TextTable:
    """A table to be read as csv in UTF-8 from its header on, as often as needed."""

    path: File
    delimiter: str
    words: tuple[str, ...]  # what was understood
    open: Callable[[], IO[bytes]]
    as_it_is: bool = False  # the file itself is the stream
    row_names: bool = False  # the first column has none, as R writes it
    told: tuple[str, ...] = ()  # what is to be said besides
    given: bool = False  # somebody named the delimiter
    alike: tuple[str, ...] = ()  # names that are equal once blanks at their ends are removed

    def notes(self, *more: str) -> tuple[str, ...]:
        """What was understood, and more that was found in the cells; then what is to be said besides."""
        return (*read_as((*self.words, *more)), *self.told)

    def header(self) -> str:
        """The first line."""
        with self.open() as lines:
            return lines.readline().decode("utf-8-sig").rstrip("\r\n")

    def may_have_labels(self) -> bool:
        """Whether readers of runs and of data read the table differently: by names in its first line."""
        header = self.header()
        if header.count('"') % 2:  # a name goes on in the next line
            return True
        try:
            names = next(csv.reader([header], delimiter=self.delimiter), [""])
        except csv.Error:  # a very long cell
            return True
        return _is_data(names) or "" in names or not {RUN, FEATURE}.isdisjoint(names)


def text_table(
    path: File, delimiter: str | None, max_gb: float, *, trimmed: bool, bytes_a_cell: int = BYTES_A_CELL
) -> TextTable:
    """A text file; a sentence where it is no text, or takes more memory than allowed.

    If `trimmed`, names of columns have no blanks at their ends.
    """
    form, given = checked_form(path, delimiter, max_gb, bytes_a_cell=bytes_a_cell), delimiter is not None
    trimmed = trimmed and form.has_blanks
    if form.plain and not trimmed:
        return TextTable(path, form.delimiter, form.words, lambda: opened(path), as_it_is=True, given=given)
    told, alike = told_of_blanks(_written_header(path, form)) if trimmed else ((), ())
    rewritten = form.runs or form.padded
    separator = TAB if form.runs else form.delimiter

    def named(header: list[str]) -> list[str]:
        return [trimmed_name(name) for name in header] if trimmed else header

    def pieces() -> Iterator[bytes]:
        if rewritten:
            rows = text_rows(path, form)
            yield from _written(chain([named(next(rows))], rows), separator)
            return
        with table_lines(path, form) as (lines, rows):  # as they are, from a whole header on
            yield from _written([named(repaired_header(next(rows), form))], form.delimiter)
            yield from (line.encode() for line in lines)

    def stream() -> IO[bytes]:
        return io.BufferedReader(_Pieces(pieces()), CHUNK)

    short = form.heading.short
    return TextTable(path, separator, form.words, stream, row_names=short, told=told, given=given, alike=alike)


def _written_header(path: File, form: TextForm) -> list[str]:
    """Return the names of the columns as they are written."""
    with table_lines(path, form) as (_, rows):
        return next(rows)


def rows_table(path: File, rows: list[list[str]], told: tuple[str, ...], *, trimmed: bool) -> TextTable:
    """The cells of a workbook; if `trimmed`, names of columns have no blanks at their ends."""
    header = rows[:1]
    alike: tuple[str, ...] = ()
    if trimmed:
        blanks, alike = told_of_blanks(*header)
        header, told = [[trimmed_name(name) for name in row] for row in header], (*told, *blanks)
    content = b"".join(_written([*header, *rows[1:]], ","))
    return TextTable(path, ",", (), lambda: io.BytesIO(content), told=told, alike=alike)


def checked_form(path: File, delimiter: str | None, max_gb: float, *, bytes_a_cell: int) -> TextForm:
    """The form of a text file, once all of it is known to be of that encoding and of bearable size.

    Numbers of one digit take four times more memory than text, so that cells count too.
    """
    form, n_bytes, n_cells = path.known(
        (checked_form, delimiter), lambda: _checked(path, delimiter, max_gb, bytes_a_cell=bytes_a_cell)
    )
    refuse_size(path, max(n_bytes, bytes_a_cell * n_cells), max_gb)  # another reader may need more for a cell
    return form


def _checked(path: File, delimiter: str | None, max_gb: float, *, bytes_a_cell: int) -> tuple[TextForm, int, int]:
    """The form of a text file, its bytes, and about how many cells it has."""
    form = text_form(path, delimiter, max_gb)
    if form.encoding in SINGLE_BYTE:
        form = replace(form, encoding=_other_encoding(path, form.encoding, max_gb))
    separator = form.delimiter.encode()
    decoder = codecs.getincrementaldecoder(form.encoding)()
    size = cells = 0
    may_escape = False
    try:
        with opened(path) as source:
            while chunk := source.read(CHUNK):
                size += len(chunk)
                may_escape = may_escape or ESCAPED.encode() in chunk
                cells += chunk.count(separator) + chunk.count(b"\n")
                refuse_size(path, max(size, bytes_a_cell * cells), max_gb)
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        form = replace(form, encoding=_other_encoding(path, form.encoding, max_gb))
    if may_escape and not form.escaped:  # further down than the first lines
        with io.TextIOWrapper(opened(path), encoding=form.encoding, newline=None) as lines:
            form = replace(form, escaped=any(map(_has_escaped_quote, lines)))
    return form, size, cells


def _other_encoding(path: File, encoding: str, max_gb: float) -> str:
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


class _Pieces(io.RawIOBase):
    """A file of what an iterator gives, piece by piece."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces, self.left = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self.left:
            self.left = memoryview(next(filter(None, self.pieces), b""))
        count = min(len(self.left), len(buffer))
        buffer[:count], self.left = self.left[:count], self.left[count:]
        return count


def read_csv(text: TextTable, labels: bool, apart: Collection[str]) -> tuple[pa.Table, tuple[str, ...], str]:
    """A text table as Arrow reads it, what was understood, and the decimal sign.

    With `labels`, what names runs and features stays text, as do the columns called `apart`. Numbers may have decimal
    commas, unless commas separate the columns.
    """
    table, nameless = _read(text, labels, ".", apart)
    notes, decimal = text.notes(), "."
    if text.delimiter != "," and _has_commas(table.columns):
        with_commas, _ = _read(text, labels, ",", apart)
        if _use_commas(text, table, with_commas):
            table, notes, decimal = with_commas, text.notes(DECIMAL_COMMAS), ","
    table = _without_empty(table)
    if not labels and table.num_columns <= FEW_COLUMNS and all(str(one.type) == "string" for one in table.columns):
        refuse_prose(text)
    if not labels:
        _refuse_nameless(text, table)
    if text.row_names:
        _refuse_repeated_row_names(text, table.column(0).to_pylist())
    if labels and nameless:
        table = table.rename_columns([f"x{f}" for f in range(table.num_columns)])
    elif labels and table.column_names[0] == "":  # the row names of a frame
        names = table.column_names
        table = table.drop_columns("") if RUN in names else table.rename_columns([RUN, *names[1:]])
    return table, notes, decimal


def read_many_columns(text: TextTable, labels: bool, apart: Sequence[str]) -> Columns | None:
    """A table with many columns; None where it has few, or is not as regular as that."""
    header = text.header()
    if header.count(text.delimiter) < WIDE:
        return None
    names = next(csv.reader([header], delimiter=text.delimiter))
    nameless = _is_data(names)
    if (nameless and not labels) or "" in names[1:]:
        return None
    if nameless:
        names = [f"x{f}" for f in range(len(names))]
    row_names = ("",) if names[0] == "" else ()
    if labels and row_names and RUN not in names:
        names[0] = RUN
    if labels and {RUN, FEATURE} <= set(names):
        return None
    apart = (*apart, *row_names, *((RUN,) if labels else ()))
    for decimal in ".," if text.delimiter != "," else ".":
        if decimal == "," and _may_be_thousands(text):
            return None
        found = read_wide_csv(text.open(), names, text.delimiter, apart=apart, has_header=not nameless, decimal=decimal)
        if found is None:
            continue
        unasked = [column for f, column in found.others.items() if found.names[f] not in apart]
        if decimal == "." and text.delimiter != "," and _has_commas(unasked):
            continue
        if text.row_names:
            _refuse_repeated_row_names(text, found.others[0].to_pylist())
        notes = text.notes(DECIMAL_COMMAS) if decimal == "," else text.notes()
        return replace(found, notes=notes, alike=text.alike)
    return None


def _read(text: TextTable, labels: bool, decimal: str, apart: Collection[str]) -> tuple[pa.Table, bool]:
    """The table, and whether its first line is data rather than names."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    header = text.header()
    nameless = _is_data(header.split(text.delimiter))
    block = (1 << 20) + 8 * len(header)  # a row has to fit into a block

    def with_other_cells(row: Any) -> str:
        """What becomes of a row with more or fewer cells than others: a comment is none."""
        return "skip" if row.text.startswith(COMMENT) else "error"

    def read(texts: Sequence[str]) -> pa.Table:
        # Arrow reads a file with several threads, and a stream with one.
        content, packed = text.path.content, is_packed(text.path)
        source: Any = text.open()
        if text.as_it_is and content is not None and not packed:
            source = pa.BufferReader(content)
        elif text.as_it_is and content is None and (text.path.suffix == PACKED or not packed):
            source = text.path.path
        return arrow_csv.read_csv(
            source,
            read_options=arrow_csv.ReadOptions(
                # A thread of Arrow that gets no memory ends the whole process.
                use_threads=memory_limit() is None,
                block_size=block,
                autogenerate_column_names=nameless,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=text.delimiter, newlines_in_values=True, invalid_row_handler=with_other_cells
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(texts, pa.string()), decimal_point=decimal, null_values=NULLS
            ),
        )

    try:
        row_names = [""] if header.startswith((text.delimiter, f'""{text.delimiter}')) else []
        apart = [name for name in apart if name.isascii() or name.encode(errors="ignore").decode() == name]
        # Names and labels stay as they are written, 01 is not 1.
        table = read([*row_names, *apart, RUN, FEATURE] if labels else [*row_names, *apart])
        if labels and FEATURE in table.column_names and RUN not in table.column_names:
            table = read([*row_names, *apart, RUN])  # then it is the name of a column of 0/1
    except pa.ArrowException as error:
        if lacks_memory(error):
            raise too_little_memory(text.path) from None
        if not labels:
            refuse_prose(text)
        _refuse_separator(text, header)
        raise InputError(
            f"{text.path} is not a well-formed table: {first_line(error)}; each row needs a cell for each column."
        ) from None
    if table.num_columns == 1 and pa.types.is_string(table.schema.field(0).type):
        _refuse_separator(text, header)
    return table, nameless


def refuse_prose(text: TextTable) -> None:
    """Refuse a text for people: many of its first lines are sentences rather than cells."""
    with text.open() as lines:
        first = [line.decode(errors="replace") for line in islice(lines, SAMPLE_LINES)]
    filled = [line for line in first if line.strip()]
    sentences = [line for line in filled if len(WORD.findall(line)) >= MIN_WORDS]
    # A greeting and a name are no sentences, but most lines of a table are none either.
    if 3 * len(sentences) > len(filled):
        raise InputError(
            f"{text.path} seems to be text for people rather than a table ({filled[0].strip()[:60]!r}). Expected a row "
            "with the names of columns and below it one row per sample."
        )


def _refuse_separator(text: TextTable, header: str) -> None:
    """Say what separates the cells, where somebody said something else."""
    for found, word in DELIMITERS.items():
        if text.given and text.delimiter not in header and found in header:
            right = Argument("delimiter", "tab" if found == TAB else found)
            raise InputError(
                f"{text.path} seems to be separated by {word}; give ", right, ", or none to have it found."
            )


def _is_data(cells: list[str]) -> bool:
    """A first line of nothing but 0 and 1 is a run, not a header (0,1 alone may be the header of two columns)."""
    return all(cell in ("0", "1") for cell in cells) and cells != ["0", "1"]


def _has_commas(columns: Iterable[pa.ChunkedArray]) -> bool:
    """Whether some column of text begins with a decimal comma."""
    firsts = (column.drop_null()[:1].to_pylist() for column in columns if str(column.type) == "string")
    return any(first and DECIMAL_COMMA.fullmatch(first[0]) for first in firsts)


def _may_be_thousands(text: TextTable) -> bool:
    """Whether all commas in the first rows may separate thousands."""
    with text.open() as lines:
        cells = [
            cell for line in list(islice(lines, 4))[1:] for cell in line.decode().split(text.delimiter) if "," in cell
        ]
    return bool(cells) and all(map(THOUSANDS.fullmatch, cells))


def _use_commas(text: TextTable, points: pa.Table, commas: pa.Table) -> bool:
    """Whether numbers have decimal commas; a sentence where some have these and some have points."""
    changed = [f for f, name in enumerate(points.schema) if name.type != commas.schema.field(f).type]
    lost = [f for f in changed if str(commas.schema.field(f).type) == "string"]
    gained = [f for f in changed if str(points.schema.field(f).type) == "string"]
    if gained and lost:
        comma, point = (
            f"{table.column(f).drop_null()[0].as_py()!r} in {table.column_names[f]!r}"
            for table, f in ((points, gained[0]), (commas, lost[0]))
        )
        raise InputError(f"{text.path} has decimal commas ({comma}) and points ({point}); save it with one of them.")
    numbers = [text for f in gained for text in points.column(f).drop_null().unique().to_pylist() if "," in text]
    if numbers and all(map(THOUSANDS.fullmatch, numbers)):
        raise InputError(
            f"{text.path} holds {numbers[0]!r} in {points.column_names[gained[0]]!r}, which may have a decimal comma "
            "or a separator of thousands; save it with decimal points and without such separators."
        )
    return bool(gained)


def _without_empty(table: pa.Table) -> pa.Table:
    """Without rows that hold nothing, and without columns that have neither a name nor a value."""
    nameless = [f for f, name in enumerate(table.column_names) if name == ""]
    full = any(column.null_count == 0 for column in table.columns if str(column.type) != "string")
    if full and not nameless:  # so no row is empty, and what takes long to import is not needed
        return table
    from pyarrow import compute

    empty = {f for f in nameless if compute.all(_empty_cells(table.column(f)), min_count=0).as_py()}
    if empty and len(empty) < table.num_columns:
        table = table.select([f for f in range(table.num_columns) if f not in empty])
    rows = None
    for column in table.columns:
        rows = _empty_cells(column) if rows is None else compute.and_(rows, _empty_cells(column))
        if not compute.any(rows, min_count=0).as_py():
            return table
    return table if rows is None else table.filter(compute.invert(rows))


def _empty_cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    from pyarrow import compute

    if str(column.type) != "string":
        return compute.is_null(column)
    return compute.equal(compute.fill_null(column, ""), "")


def _refuse_repeated_row_names(text: TextTable, names: Sequence[str]) -> None:
    """A header that is one name short is R's only where the first column tells the rows apart."""
    if len(set(names)) < len(names):
        repeated = Counter(names).most_common(1)[0][0]
        raise InputError(
            f"{text.path} has one name fewer in its header than cells in its rows, and its first column, which would "
            f"name the rows, holds {repeated!r} more than once; give each column a name."
        )


def _refuse_nameless(text: TextTable, table: pa.Table) -> None:
    """Row names have no name; any other column needs one."""
    for f, name in enumerate(table.column_names[1:], 1):
        if name == "":
            held = table.column(f).drop_null()[:1].to_pylist()
            if not held and table.num_rows == 0 and not any(table.column_names):
                raise InputError(f"{text.path} is empty.")
            which = f", which holds {held[0]!r}" if held else ""
            raise InputError(f"{text.path} has no name for column {f + 1}{which}; name each column, in one row.")
