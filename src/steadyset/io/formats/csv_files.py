"""Text tables as streams of clean csv, and from there to columns: what is a number, which cells mean none."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.files import BYTES_A_CELL, File, first_line, refuse_size
from steadyset.io.formats.columns import FEATURE, NULLS, RUN, THOUSANDS, WIDE, Columns, read_wide_csv
from steadyset.io.formats.headings import COMMENT
from steadyset.io.formats.record import PACKED
from steadyset.io.formats.text import (
    DELIMITERS,
    SINGLE_BYTE,
    TAB,
    TextForm,
    is_packed,
    opened,
    read_as,
    repaired_header,
    single_byte_encoding,
    table_lines,
    text_form,
    text_rows,
)

if TYPE_CHECKING:
    import pyarrow as pa

CHUNK = 1 << 20
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


def text_table(path: File, delimiter: str | None, max_gb: float, *, bytes_a_cell: int = BYTES_A_CELL) -> TextTable:
    """A text file; a sentence where it is no text, or takes more memory than allowed."""
    form, given = checked_form(path, delimiter, max_gb, bytes_a_cell=bytes_a_cell), delimiter is not None
    if form.plain:
        return TextTable(path, form.delimiter, form.words, lambda: opened(path), as_it_is=True, given=given)
    rewritten = form.runs or form.padded
    separator = TAB if form.runs else form.delimiter

    def pieces() -> Iterator[bytes]:
        if rewritten:
            yield from _written(text_rows(path, form), separator)
            return
        with table_lines(path, form) as (lines, rows):  # as they are, from a whole header on
            yield from _written([repaired_header(next(rows), form)], form.delimiter)
            yield from (line.encode() for line in lines)

    def stream() -> IO[bytes]:
        return io.BufferedReader(_Pieces(pieces()), CHUNK)

    return TextTable(path, separator, form.words, stream, row_names=form.heading.short, given=given)


def rows_table(path: File, rows: Iterable[list[str]], told: tuple[str, ...]) -> TextTable:
    """The cells of a workbook."""
    content = b"".join(_written(rows, ","))
    return TextTable(path, ",", (), lambda: io.BytesIO(content), told=told)


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
    try:
        with opened(path) as source:
            while chunk := source.read(CHUNK):
                size += len(chunk)
                cells += chunk.count(separator) + chunk.count(b"\n")
                refuse_size(path, max(size, bytes_a_cell * cells), max_gb)
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        form = replace(form, encoding=_other_encoding(path, form.encoding, max_gb))
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
        return replace(found, notes=notes)
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
            read_options=arrow_csv.ReadOptions(block_size=block, autogenerate_column_names=nameless),
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
        _refuse_separator(text, header)
        raise InputError(
            f"{text.path} is not a well-formed table: {first_line(error)}; each row needs a cell for each column."
        ) from None
    if table.num_columns == 1 and pa.types.is_string(table.schema.field(0).type):
        _refuse_separator(text, header)
    return table, nameless


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
