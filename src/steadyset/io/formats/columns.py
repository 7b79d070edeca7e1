"""Tables as numbers in one array and the few other columns apart: of text with many columns, of Parquet and Feather.

Files in Arrow's own formats are checked before, and validated in full after they are read.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.io.files import (
    BYTES_A_CELL,
    SMALL,
    File,
    first_line,
    lacks_memory,
    read_limited,
    refuse_claim,
    refuse_size,
    too_little_memory,
)
from steadyset.io.labels import told_of_blanks, trimmed_name
from steadyset.kernels.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

RUN, FEATURE = "run", "feature"  # the columns that label runs and name features
THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+\s*")
WIDE = 1_000  # columns from which Arrow's own reader costs more than splitting lines
MOST_OTHERS = 200  # more columns of text than that are no table of numbers
BYTES_AT_ONCE = 1 << 21
ERRORS = frozenset(["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"])  # of formulas
NULLS = ERRORS.union(  # what stands for no number
    ["", "-", "?", ".", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "-NaN", "-nan", "#NA", "#N/A N/A"],
    ["-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN"],
)


@dataclass
class Columns:
    """The names of all columns, those with numbers as one array, and the others as Arrow columns by their place."""

    names: list[str]
    n_rows: int
    numeric: Ints
    X: Floats
    others: dict[int, pa.ChunkedArray]
    whole: Bools  # which of the numeric columns hold whole numbers, none missing
    notes: tuple[str, ...] = ()  # what was understood to read the file so
    alike: tuple[str, ...] = ()  # names that are equal once blanks at their ends are removed
    decimal: str | None = None  # the sign in the numbers of a text; None where the file itself says what is a number
    again: Callable[[Collection[str]], Columns] | None = None  # read anew with more columns kept apart


def from_arrow(table: pa.Table, apart: Collection[str] = ()) -> Columns:
    """The columns of an Arrow table; those called `apart` are kept as they are, also where they hold numbers."""
    return from_parts(table.schema, table.num_rows, [(0, table)], apart)


def from_parts(
    schema: pa.Schema, n_rows: int, parts: Iterable[tuple[int, pa.Table]], apart: Collection[str] = ()
) -> Columns:
    """The same for a table that comes in parts: some columns each, after the place of the first of them."""
    kinds = kinds_of(schema)
    names = [trimmed_name(name) for name in schema.names]
    notes, alike = told_of_blanks(schema.names)
    examples = {int(kinds[f]): schema.field(int(f)).type for f in np.unique(kinds, return_index=True)[1]}
    numbers = np.isin(kinds, [kind for kind, example in examples.items() if is_numeric(example)])
    numbers &= np.fromiter((name not in apart for name in names), np.bool_, len(names))
    places = np.flatnonzero(numbers)
    X, whole = np.empty((n_rows, len(places))), np.zeros(len(places), dtype=np.bool_)
    others: dict[int, pa.ChunkedArray] = {}
    for start, part in parts:
        own = slice(start, start + part.num_columns)
        for kind in np.unique(kinds[own][numbers[own]]).tolist():
            some = np.flatnonzero(numbers[own] & (kinds[own] == kind))
            columns = np.searchsorted(places, some + start)
            whole[columns] = _filled(X, columns, part.select(some.tolist()), examples[kind])
        others |= {start + f: part.column(f) for f in np.flatnonzero(~numbers[own]).tolist()}
    return Columns(names, n_rows, places, X, others, whole, notes, alike)


def kinds_of(schema: pa.Schema) -> Ints:
    """The kind of every column as a number, which many columns are compared by sooner than by their types."""
    return np.fromiter((field.type.id for field in schema), np.int64, len(schema))


def _filled(X: Floats, columns: Ints, table: pa.Table, kind: pa.DataType) -> bool | Bools:
    """Put the numbers of a table of one type into some columns of X; which of them are whole and all known.

    Many columns are moved at once, because one by one they cost more than reading the file.
    """
    import pyarrow as pa

    integers = bool(pa.types.is_integer(kind))
    contiguous = len(columns) and columns[-1] - columns[0] == len(columns) - 1
    target: Any = slice(columns[0], columns[-1] + 1) if contiguous else columns
    if integers or pa.types.is_float32(kind) or pa.types.is_float64(kind):
        try:
            start = 0
            for batch in table.to_batches():
                X[start : start + len(batch), target] = batch.to_tensor(null_to_nan=not integers).to_numpy()
                start += len(batch)
            return integers
        except pa.ArrowTypeError:  # missing values, which whole numbers have no sign for
            pass
    for column, values in zip(columns, table.columns, strict=True):
        X[:, column] = values.cast("float64", safe=False).to_numpy()
    return np.array([integers and not values.null_count for values in table.columns])


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a column of this type is one of numbers (bools and columns without any value among them)."""
    import pyarrow as pa

    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal, pa.types.is_null)
    return any(is_kind(kind) for is_kind in kinds)


def is_text(kind: pa.DataType) -> bool:
    """Whether the cells of a column of this type are what somebody wrote."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(is_kind(kind) for is_kind in kinds)


def read_wide_csv(
    source: IO[bytes], names: list[str], delimiter: str, *, apart: Collection[str], has_header: bool, decimal: str = "."
) -> Columns | None:
    """A csv file with many columns, most of them numbers; None where it is not as regular as that.

    All numbers are parsed as one long column, which costs the same for many columns as for few. A line may be a large
    part of the file, so that nothing holds it longer than needed.
    """
    import pyarrow as pa

    separator, apart = delimiter.encode(), set(apart)
    other: list[int] | None = None  # the columns that are not numbers, by the first line of data
    rows: list[list[str]] = []  # their cells
    blocks: deque[Floats] = deque()
    waiting, n_waiting = io.BytesIO(), 0
    try:
        with source as lines:
            if has_header:
                lines.readline()
            while line := lines.readline():
                line = line.rstrip(b"\r\n")
                comment = line.startswith(b"#") and line.count(separator) + 1 < len(names)
                if comment or not line.strip(separator):  # or an empty row, perhaps of as many cells as the others
                    continue
                if b"\r" in line:
                    return None
                if b'"' in line:
                    line = "\n".join(next(csv.reader([line.decode()], delimiter=delimiter))).encode()
                else:
                    line = line.replace(separator, b"\n")
                if line.count(b"\n") + 1 != len(names):
                    return None
                if other is None:
                    cells = (line[before + 1 : end] for before, end in pairwise(chain([-1], _ends(line))))
                    other = [f for f, cell in enumerate(cells) if names[f] in apart or not _is_number(cell, decimal)]
                    if len(other) > MOST_OTHERS:
                        return None
                if other:
                    texts, line = _without_others(line, other)
                    rows.append(texts)
                waiting.write(line)
                waiting.write(b"\n")  # which a last cell that is empty needs
                n_waiting += 1
                del line
                if waiting.tell() > BYTES_AT_ONCE:
                    blocks.append(_parsed(waiting.getbuffer(), n_waiting, len(names) - len(other), decimal))
                    waiting, n_waiting = io.BytesIO(), 0
        if other is None:
            return None
        numeric = np.delete(np.arange(len(names)), other)
        if n_waiting:
            blocks.append(_parsed(waiting.getbuffer(), n_waiting, len(numeric), decimal))
    except (pa.ArrowException, csv.Error, UnicodeDecodeError):
        return None
    del waiting
    X = np.empty((sum(map(len, blocks)), len(numeric)))
    first = 0
    while blocks:  # each makes room for those that follow
        block = blocks.popleft()
        X[first : first + len(block)] = block
        first += len(block)
        del block
    whole = np.ones(X.shape[1], dtype=np.bool_)
    for row in X:
        whole &= row == np.rint(row)
    columns = zip(other, zip(*rows, strict=True), strict=True)  # as they are written: nobody knows yet what they mean
    others = {f: pa.chunked_array([pa.array(cells, pa.string())]) for f, cells in columns}
    return Columns(names, len(X), numeric, X, others, whole, decimal=decimal)


def _ends(line: bytes) -> Ints:
    """Where cells end that stand one below the other: a list of the cells would take several times the file."""
    return np.append(np.flatnonzero(np.frombuffer(line, np.uint8) == ord("\n")), len(line))


def _without_others(line: bytes, other: Sequence[int]) -> tuple[list[str], bytes]:
    """The cells of the other columns, and the cells that are left, one below the other."""
    ends = _ends(line)
    spans = [(0 if f == 0 else int(ends[f - 1]) + 1, int(ends[f])) for f in other]
    between = zip([0, *(end + 1 for _, end in spans)], [*(start for start, _ in spans), len(line) + 1], strict=True)
    left = b"".join(line[start:end] for start, end in between)
    texts = [line[start:end].decode() for start, end in spans]
    return texts, left[:-1] if spans[-1][1] == len(line) else left


def _is_number(cell: bytes, decimal: str) -> bool:
    text = cell.decode().strip()
    if text in NULLS:
        return True
    try:
        float(text.replace(decimal, "."))
    except ValueError:
        return False
    return "_" not in text  # which Python reads as a number, and nobody else does


def _parsed(cells: memoryview, n_lines: int, n_numeric: int, decimal: str) -> Floats:
    """Cells one below the other as rows of numbers; one that is none raises."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    if not n_numeric:
        return np.empty((n_lines, 0))
    found = arrow_csv.read_csv(
        pa.BufferReader(pa.py_buffer(cells)),
        read_options=arrow_csv.ReadOptions(column_names=["x"], use_threads=False),
        parse_options=arrow_csv.ParseOptions(ignore_empty_lines=False, quote_char=False, delimiter="\x01"),
        convert_options=arrow_csv.ConvertOptions(
            column_types={"x": pa.float64()}, decimal_point=decimal, null_values=NULLS
        ),
        memory_pool=pa.system_memory_pool(),  # which takes the room that lines have left
    )
    return np.asarray(found.column(0).to_numpy().reshape(n_lines, n_numeric))


UNFOLDED_TEXTS = 1_000_000
IPC_MAGIC = b"ARROW1"
# How many bytes one packed byte can become at most, by the way of packing; for others there is no useful bound.
RATIOS = {"UNCOMPRESSED": 1, "SNAPPY": 22, "LZ4": 255, "LZ4_RAW": 255, "GZIP": 1032, "ZSTD": 1 << 15}
FIXED_WIDTH = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE")
# How many bytes the tables of a file take in memory, part by part; a packed file of some kilobytes may hold gigabytes.
UNFOLD_PARQUET = """
with parquet.ParquetFile(sys.argv[1]) as file:
    print(sum(batch.nbytes for batch in file.iter_batches(batch_size=1024, use_threads=False)))
"""
UNFOLD_FEATHER = """
with open(sys.argv[1], "rb") as source:
    reader = ipc.open_file(source)
    print(sum(reader.get_batch(i).nbytes for i in range(reader.num_record_batches)))
"""
UNFOLD_STREAM = """
with open(sys.argv[1], "rb") as source:
    print(sum(batch.nbytes for batch in ipc.open_stream(source)))
"""
STREAM_START = b"\xff\xff\xff\xff"  # of the stream form of Arrow, which has no other mark


def read_parquet(path: File, max_gb: float) -> pa.Table:
    """A Parquet file; the caller says what the file system has to say."""
    with _opened(path, max_gb) as (file, _):
        return _validated(path, file.read(use_threads=file.metadata.num_rows > file.metadata.num_columns))


def read_parquet_columns(path: File, apart: Collection[str], max_gb: float) -> Columns:
    """The same as numbers in one array; many columns are read some at a time.

    For each column that it reads, Arrow keeps several kilobytes until the call ends. The columns of a part are named by
    their places, because Arrow takes "a" for all of "a", "a.1" and "a.2".
    """
    with _opened(path, max_gb) as (file, schema):
        n_columns = file.metadata.num_columns
        if n_columns < WIDE or n_columns != len(schema):  # columns within columns have other places
            return from_arrow(_validated(path, file.read()), apart)
        parts = (
            (start, _validated(path, file.reader.read_all(range(start, min(start + WIDE, n_columns)), False)))
            for start in range(0, n_columns, WIDE)
        )
        return from_parts(schema, file.metadata.num_rows, parts, apart)


@contextmanager
def _opened(path: File, max_gb: float) -> Iterator[tuple[parquet.ParquetFile, pa.Schema]]:
    """A Parquet file whose claims are plausible and that takes no more memory than allowed, and its columns."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(path.path)
        meta, schema = file.metadata, file.schema_arrow
        refuse_claim(path, meta.num_rows, meta.num_columns)
        unpacked = sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups))
        claimed = max(BYTES_A_CELL * meta.num_rows * max(1, meta.num_columns), unpacked)
        refuse_size(path, claimed, max_gb)
        if max(claimed, _worst_case(meta, path.stat().st_size)) > SMALL:
            _refuse_unfolded(path, "from pyarrow import parquet", UNFOLD_PARQUET, max_gb)
        texts = np.flatnonzero(kinds_of(schema) == pa.string().id).tolist()
        if meta.num_rows * len(texts) > UNFOLDED_TEXTS:
            # Text that repeats is kept once: unfolded, a small file may fill the memory.
            file = parquet.ParquetFile(path.path, metadata=meta, read_dictionary=[schema.field(f).name for f in texts])
        with file:
            yield file, schema
    except (pa.ArrowException, OverflowError, MemoryError, UnicodeDecodeError) as error:
        raise _unreadable(path, "Parquet", error) from None


def _worst_case(meta: parquet.FileMetaData, size: int) -> float:
    """The bytes that a Parquet file can take at most, whatever its pages claim; inf where nothing bounds them.

    Starting a process that tries the file out takes as long as reading a small one, so files are read here if they
    cannot take more than that process might. Only what the reader itself relies on counts: where columns begin and end,
    how they are packed, and the number of rows. Each row of a text column may repeat the longest text, which the column
    holds once; lists within a row are as long as a page says.
    """
    if any(meta.schema.column(place).max_repetition_level for place in range(meta.num_columns)):
        return math.inf
    total, packed = 0, 0
    for group in map(meta.row_group, range(meta.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            packed += column.total_compressed_size
            if column.compression not in RATIOS or total > SMALL:
                return math.inf
            unpacked = RATIOS[column.compression] * column.total_compressed_size
            fixed = column.physical_type in FIXED_WIDTH
            total += unpacked + group.num_rows * (BYTES_A_CELL if fixed else unpacked)
    return total if packed <= size else math.inf  # columns that share bytes are unpacked again and again


def read_feather(path: File, max_gb: float) -> pa.Table:
    """Return the table of a Feather file of version 2, which is the file form of Arrow, or of its stream form."""
    import pyarrow as pa
    from pyarrow import ipc

    refuse_size(path, path.stat().st_size, max_gb)
    content = path.open().read()
    is_stream = content.startswith(STREAM_START)
    if not is_stream and not content.startswith(IPC_MAGIC):  # the first version of the format has no checks to rely on
        raise InputError(f"{path} is not a Feather file of version 2; save it again, or as Parquet.")
    _refuse_unfolded(path, "from pyarrow import ipc", UNFOLD_STREAM if is_stream else UNFOLD_FEATHER, max_gb)
    try:
        if is_stream:
            stream = ipc.open_stream(pa.BufferReader(content))
            schema, batches = stream.schema, list(stream)
        else:
            reader = ipc.open_file(pa.BufferReader(content))
            schema, batches = reader.schema, [reader.get_batch(i) for i in range(reader.num_record_batches)]
        for batch in batches:
            batch.validate(full=True)
            refuse_claim(path, batch.num_rows, batch.num_columns)
        return _validated(path, pa.Table.from_batches(batches, schema))
    except (pa.ArrowException, OverflowError, MemoryError, UnicodeDecodeError) as error:
        raise _unreadable(path, "Feather", error) from None


def _refuse_unfolded(path: File, imports: str, script: str, max_gb: float) -> None:
    """Refuse a file that takes more memory or time than allowed, by reading it in a process with limits."""
    printed = read_limited(imports, script, path, max_gb=max_gb, instead="save it as .csv")
    if printed is None:
        raise InputError(
            f"{path} is damaged or forged, or takes far more memory or time than its size allows; "
            "save it again without compression, or as .csv."
        )
    refuse_size(path, int(printed), max_gb)


def _unreadable(path: File, kind: str, error: BaseException) -> InputError:
    """Return the error for a file that a library does not read: it is damaged, or this process has no room for it."""
    if lacks_memory(error):
        return too_little_memory(path)
    return InputError(f"{path} is not a readable {kind} file: {first_line(error)}.")


def _validated(path: File, table: pa.Table) -> pa.Table:
    """The table, once offsets, indices and texts are known to stay within its buffers."""
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowException as error:
        raise InputError(f"{path} is damaged or forged: {first_line(error)}.") from None
    return table
