"""Tables in Arrow's own formats, Parquet and Feather: checked before, and validated in full after they are read."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.io.files import BYTES_A_CELL, SMALL, File, first_line, read_limited, refuse_claim, refuse_size
from steadyset.io.formats.columns import WIDE, Columns, from_arrow, from_parts, kinds_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

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
        raise InputError(f"{path} is not a readable Parquet file: {first_line(error)}.") from None


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
    """A Feather file of version 2, which is the Arrow IPC format."""
    import pyarrow as pa
    from pyarrow import ipc

    refuse_size(path, path.stat().st_size, max_gb)
    content = path.open().read()
    if not content.startswith(IPC_MAGIC):  # the first version of the format has no checks to rely on
        raise InputError(f"{path} is not a Feather file of version 2; save it again, or as Parquet.")
    _refuse_unfolded(path, "from pyarrow import ipc", UNFOLD_FEATHER, max_gb)
    try:
        reader = ipc.open_file(pa.BufferReader(content))
        batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
        for batch in batches:
            batch.validate(full=True)
            refuse_claim(path, batch.num_rows, batch.num_columns)
        return _validated(path, pa.Table.from_batches(batches, reader.schema))
    except (pa.ArrowException, OverflowError, MemoryError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a readable Feather file: {first_line(error)}.") from None


def _refuse_unfolded(path: File, imports: str, script: str, max_gb: float) -> None:
    """Refuse a file that takes more memory or time than allowed, by reading it in a process with limits."""
    printed = read_limited(imports, script, path, max_gb=max_gb, instead="save it as .csv")
    if printed is None:
        raise InputError(
            f"{path} is damaged or forged, or takes far more memory or time than its size allows; "
            "save it again without compression, or as .csv."
        )
    refuse_size(path, int(printed), max_gb)


def _validated(path: File, table: pa.Table) -> pa.Table:
    """The table, once offsets, indices and texts are known to stay within its buffers."""
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowException as error:
        raise InputError(f"{path} is damaged or forged: {first_line(error)}.") from None
    return table
