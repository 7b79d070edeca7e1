"""Series matrix files of GEO: the samples and what is known of them in the header, one row per probe or gene below."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING

import numpy as np

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.data.sources import GENES_IN_ROWS, Source, distinct_names
from steadyset.io.files import BYTES_A_CELL, File, first_line, lacks_memory, readable, refuse_size, too_little_memory
from steadyset.io.formats.columns import NULLS, from_arrow
from steadyset.io.formats.csv_files import TAB, opened, single_byte_encoding

if TYPE_CHECKING:
    import pyarrow as pa

SERIES, SAMPLE, CHARACTERISTICS = "!Series_", "!Sample_", "characteristics_ch"
BEGIN, END = "!series_matrix_table_begin", "!series_matrix_table_end"
ACCESSION = "geo_accession"
LONGEST_LINE = 1 << 26
SOFT = (b"^DATABASE", b"^SERIES", b"^SAMPLE", b"^PLATFORM", b"^DATASET")


# What a header says of the samples: a column per field and per characteristic; that of ACCESSION names them.
SeriesHeader = Mapping[str, list[str]]


def is_series_matrix(path: File) -> bool:
    """Whether a text file begins as a series matrix does; a SOFT file, which is another form, is refused."""
    if not path.path.is_file():
        return False
    with readable(path), opened(path) as source:
        start = source.read(64).lstrip(b'\xef\xbb\xbf\r\n \t"')
    if start.startswith(SOFT):
        raise InputError(f"{path} is a SOFT file of GEO; download the series matrix file of the series in its place.")
    return start.startswith((SERIES.encode(), SAMPLE.encode()))


def read_series_matrix(path: File, max_gb: float) -> tuple[Source, SeriesHeader]:
    """Samples x probes, and the header; a file without values is refused."""
    with readable(path), opened(path) as source:
        lines = _lines(path, source, max_gb)
        header, at_table = _header(path, lines)
        if not at_table:
            raise InputError(f"{path} has no line {BEGIN}; it is cut off: download it again.")
        table = _table(path, lines)
    names = [] if table is None else [str(name) for name in table.column_names[1:]]
    if table is None or not table.num_rows or not names:
        series = path.name.split("_", 1)[0]
        told = (
            f"{path} says what the samples are and holds no values, as usual for sequencing data; download the counts "
        )
        told += f"or expression values from the supplementary files of {series} at GEO, and give this file with "
        raise InputError(told, Argument("samples", path.name), ".")
    if len(set(names)) < len(names):
        raise InputError(f"{path} has two columns of one sample; it is damaged.")
    if n_others := len(set(names) ^ set(header[ACCESSION])):
        raise InputError(f"{path} names {n_others} samples in its header or its table only; it is damaged.")
    read = from_arrow(table, [table.column_names[0]])
    if len(read.numeric) != len(names):
        text = read.names[next(place for place in read.others if place > 0)]
        raise InputError(f"{path} has values that are no numbers in the column {text!r}; it is damaged.")
    features, notes = distinct_names([str(name) for name in read.others[0].to_pylist()])
    X = np.ascontiguousarray(read.X.T)
    return Source(X, features, {}, names, notes, layout=GENES_IN_ROWS), header


def read_series_header(path: File, max_gb: float) -> SeriesHeader:
    """What the header says of the samples."""
    with readable(path), opened(path) as source:
        return _header(path, _lines(path, source, max_gb))[0]


def _lines(path: File, source: IO[bytes], max_gb: float) -> Iterator[bytes]:
    """The lines one by one; no more of them than memory is allowed for."""
    size = 0
    while line := source.readline(LONGEST_LINE):
        size += len(line) + BYTES_A_CELL * max(1, line.count(b"\t"))
        refuse_size(path, size, max_gb)
        yield line


def _header(path: File, lines: Iterator[bytes]) -> tuple[SeriesHeader, bool]:
    """The header, whose lines are taken, and whether the table follows."""
    fields: dict[str, list[list[str]]] = {}
    at_table = False
    for raw in lines:
        line = _decoded(path, raw)
        if line.startswith(BEGIN):
            at_table = True
            break
        if line.startswith((SAMPLE, f'"{SAMPLE}')):
            field, *values = _cells(path, line)
            fields.setdefault(field.removeprefix(SAMPLE), []).append(values)
    samples = fields.get(ACCESSION, [[]])[0]
    if not samples:
        raise InputError(f"{path} has no line {SAMPLE}{ACCESSION}, which names the samples; download it again.")
    for field, rows in fields.items():
        if any(len(row) != len(samples) for row in rows):
            raise InputError(f"{path} has {len(samples)} samples and another number of values in {SAMPLE}{field}.")
    if len(set(samples)) < len(samples):
        raise InputError(f"{path} has samples of the same name; it is damaged.")
    return _columns(fields), at_table


def _table(path: File, lines: Iterator[bytes]) -> pa.Table | None:
    """The table of values: an Arrow table with the names of the rows first; None where it has no rows."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    kept = []
    for line in lines:
        if line.startswith(END.encode()):
            break
        kept.append(line)
    else:
        raise InputError(f"{path} ends before its table does; download it again.")
    if len(kept) < 2:
        return None
    names = _cells(path, _decoded(path, kept[0]))
    types = {name: pa.float64() if place else pa.string() for place, name in enumerate(names)}
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(b"".join(kept[1:])),
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=(1 << 20) + 8 * len(kept[0])),
            parse_options=arrow_csv.ParseOptions(delimiter=TAB),
            convert_options=arrow_csv.ConvertOptions(column_types=types, null_values=sorted(NULLS)),
        )
    except (pa.ArrowException, UnicodeDecodeError) as error:
        if lacks_memory(error):
            raise too_little_memory(path) from None
        raise InputError(f"{path} is not a well-formed series matrix: {first_line(error)}.") from None


def _columns(fields: Mapping[str, list[list[str]]]) -> dict[str, list[str]]:
    """Characteristics by their keys, which may stand in other lines for other samples; then the fields themselves."""
    columns: dict[str, list[str]] = {}
    spelled: dict[tuple[str, str], str] = {}
    told = [field for field in fields if field.startswith(CHARACTERISTICS)]
    for field in told:
        channel = field.removeprefix(CHARACTERISTICS)
        for row in fields[field]:
            for sample, cell in enumerate(row):
                key, colon, value = (part.strip() for part in cell.partition(":"))
                if not cell.strip():
                    continue
                if not colon or not key:
                    key, value = field, cell.strip()
                own = key if channel == "1" else f"{key}:ch{channel}"
                name = spelled.setdefault((channel, key.casefold()), own)
                column = columns.setdefault(name, [""] * len(row))
                column[sample] = f"{column[sample]}; {value}" if column[sample] else value
    for field, rows in fields.items():
        if field not in told:
            for i, row in enumerate(rows):
                columns.setdefault(field if i == 0 else f"{field}.{i}", row)
    return columns


def _cells(path: File, line: str) -> list[str]:
    try:
        return next(csv.reader([line.rstrip("\r\n")], delimiter=TAB))
    except (csv.Error, StopIteration):
        raise InputError(f"{path} has a line in its header that cannot be read; download it again.") from None


def _decoded(path: File, line: bytes) -> str:
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return line.decode(single_byte_encoding(path, line))
