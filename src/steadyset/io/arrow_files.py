"""Tables in Arrow's own formats, Parquet and Feather: checked before, and validated in full after they are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from steadyset.errors import InputError
from steadyset.io.limits import first_line, refuse_claim, refuse_size

if TYPE_CHECKING:
    import pyarrow as pa

BYTES_A_CELL = 8
UNFOLDED_TEXTS = 1_000_000
IPC_MAGIC = b"ARROW1"


def read_parquet(path: Path, max_gb: float) -> pa.Table:
    """A Parquet file; the caller says what the file system has to say."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            meta = file.metadata
            cells = meta.num_rows * max(1, meta.num_columns)
            refuse_claim(path, meta.num_rows, meta.num_columns)
            unpacked = sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups))
            refuse_size(path, max(BYTES_A_CELL * cells, unpacked), max_gb)
            texts = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        # Text that repeats is kept once: unfolded, a small file may fill the memory.
        many = meta.num_rows * len(texts) > UNFOLDED_TEXTS
        with parquet.ParquetFile(path, read_dictionary=texts if many else None) as file:
            return _validated(path, file.read())
    except (pa.ArrowException, OverflowError, MemoryError) as error:
        raise InputError(f"{path} is not a readable Parquet file: {first_line(error)}.") from None


def read_feather(path: Path, max_gb: float) -> pa.Table:
    """A Feather file of version 2, which is the Arrow IPC format."""
    import pyarrow as pa
    from pyarrow import ipc

    refuse_size(path, path.stat().st_size, max_gb)
    content = path.read_bytes()
    if not content.startswith(IPC_MAGIC):  # the first version of the format has no checks to rely on
        raise InputError(f"{path} is not a Feather file of version 2; save it again, or as Parquet.")
    try:
        reader = ipc.open_file(pa.BufferReader(content))
        batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
        for batch in batches:
            batch.validate(full=True)
            refuse_claim(path, batch.num_rows, batch.num_columns)
        return _validated(path, pa.Table.from_batches(batches, reader.schema))
    except (pa.ArrowException, OverflowError, MemoryError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a readable Feather file: {first_line(error)}.") from None


def _validated(path: Path, table: pa.Table) -> pa.Table:
    """The table, once offsets, indices and texts are known to stay within its buffers."""
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowException as error:
        raise InputError(f"{path} is damaged or forged: {first_line(error)}.") from None
    return table
