"""Reading and writing Selections as csv, tsv, parquet and json; files are written beside their place and renamed."""

from __future__ import annotations

import codecs
import csv
import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.errors import InputError
from steadyset.io.columns import WIDE, Columns, from_arrow, read_wide_csv
from steadyset.longtable import (
    FEATURE,
    RUN,
    Wide,
    from_long_columns,
    long_columns,
    oriented,
    wide_columns,
    wide_numbers,
)
from steadyset.matrix import read_matrix
from steadyset.reordering import reordered
from steadyset.selections import Selections

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "steadyset.selections"
SCHEMA_VERSION = 1
ENDINGS = ".csv, .tsv (also with .gz), .parquet or .json"
TAB = "\t"
TABLE_ENDINGS = ".csv, .tsv (also with .gz), .parquet or .feather"
OTHER_SEPARATORS = {";": "semicolons", TAB: "tabs", ",": "commas", "|": "bars", " ": "spaces"}
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")
WIDE_CELLS, WIDE_COLUMNS = 5_000_000, 10_000
MAX_GB = 8.0  # of memory that a file may take
HEADER_SHARE = 64  # a name takes about so many times more memory than a byte of the header
BYTES_A_CELL = 8
JSON_SHARE = 8  # what is read from json takes about so many times its size
UNFOLDED_TEXTS = 1_000_000
IPC_MAGIC = b"ARROW1"
MOST_CLAIMED = 10_000_000  # features that a file may claim without naming them
UNCHECKED_CELLS, CELLS_PER_BYTE = 10_000_000, 1_000


def read_selections(
    path: Path,
    *,
    features: Sequence[str] | None,
    n_features: int | None,
    transpose: bool | None = None,
    max_gb: float = MAX_GB,
) -> Selections:
    """See Selections.read."""
    if _kind(path) == "json":
        with _readable(path):
            _refuse_size(path, JSON_SHARE * path.stat().st_size, max_gb)
            return _from_json(path, features, n_features)
    found = _read_many_columns(path, (), True, None, max_gb)
    try:
        if found is not None:
            return _from_wide(wide_numbers(found), features, n_features, transpose)
    except InputError as error:
        raise type(error)(f"{path}: {error}") from None
    table = read_table(path, max_gb=max_gb)
    try:
        if RUN in table.column_names and FEATURE in table.column_names:
            return from_long_columns(table, features=features, n_features=n_features, labels=None)
        return _from_wide(table, features, n_features, transpose)
    except InputError as error:
        raise type(error)(f"{path}: {error}") from None


def read_table(path: Path, *, labels: bool = True, delimiter: str | None = None, max_gb: float = MAX_GB) -> pa.Table:
    """A csv, tsv, parquet or feather file.

    With `labels`, a first column without a name is called run, and the columns run and feature stay text. A
    `delimiter` is a character, or tab; numbers may then have decimal commas. A file that would take more than `max_gb`
    gigabytes is refused.
    """
    if delimiter is not None:
        return _read_delimited(path, delimiter, labels, max_gb)
    if path.suffix.lower() in (".feather", ".arrow"):
        return _read_feather(path, max_gb)
    kind = _kind(path, TABLE_ENDINGS)
    if kind == "json":
        raise InputError(f"{path} is a json file; wanted is {TABLE_ENDINGS}.")
    with _readable(path):
        if kind == "parquet":
            return _read_parquet(path, max_gb)
        return _read_csv(path, TAB if kind == "tsv" else ",", labels, max_gb)


def read_columns(
    path: Path, *, apart: Sequence[str] = (), delimiter: str | None = None, max_gb: float = MAX_GB
) -> Columns:
    """The data of a file as one array of numbers and the other columns; `apart` are never among the numbers."""
    found = _read_many_columns(path, apart, False, delimiter, max_gb)
    if found is not None:
        return found
    return from_arrow(read_table(path, labels=False, delimiter=delimiter, max_gb=max_gb), apart)


def _read_many_columns(
    path: Path, apart: Sequence[str], labels: bool, delimiter: str | None, max_gb: float
) -> Columns | None:
    """A csv or tsv file with many columns; None where it has few, or is not as regular as that."""
    if path.suffix.lower() in (".feather", ".arrow", ".parquet", ".json"):
        return None
    separator = TAB if delimiter is None and _kind(path, TABLE_ENDINGS) == "tsv" else _separator(delimiter or ",")
    with _readable(path):
        header = _check_text(path, max_gb)
        if header.count(separator) < WIDE:
            return None
        names = next(csv.reader([header], delimiter=separator))
        nameless = _is_data(names)
        if nameless and not labels:
            return None
        if nameless:
            names = [f"x{f}" for f in range(len(names))]
        row_names = ("",) if names[0] == "" else ()
        if labels and row_names and RUN not in names:
            names[0] = RUN
        apart = (*apart, *row_names, *((RUN,) if labels else ()))
        for decimal in (".", ",") if delimiter is not None and separator != "," else (".",):
            found = read_wide_csv(path, names, separator, apart=apart, has_header=not nameless, decimal=decimal)
            if found is not None and not (labels and {RUN, FEATURE} <= set(names)):
                return found
    return None


def write_selections(selections: Selections, path: Path, *, layout: str | None) -> None:
    """See Selections.write."""
    kind = _kind(path)
    if layout not in (None, "wide", "long"):
        raise InputError(f'layout is {layout!r}; wanted is "wide" or "long".')
    try:
        if kind == "json":
            content = json.dumps(_as_json(selections), ensure_ascii=False, allow_nan=False).encode() + b"\n"
            with written_beside(path) as beside:
                beside.write_bytes(content)
        else:
            table = _as_table(selections, layout)
            with written_beside(path) as beside:
                _write_table(table, beside, kind, compressed=path.suffix.lower() == ".gz")
    except UnicodeEncodeError:
        raise InputError(f"{path} cannot be written: a name holds characters that UTF-8 does not have.") from None


def _as_table(selections: Selections, layout: str | None) -> pa.Table:
    import pyarrow as pa

    plain = selections.weights is None and selections.rankings is None
    if layout == "wide" and not plain:
        raise InputError("The wide layout holds 0/1 only; write weights or rankings as long, or as json.")
    taken = {RUN, FEATURE}.intersection(selections.features)
    if layout == "wide" and taken:
        raise InputError(
            f"A feature is called {min(taken)!r}, which wide files reserve; write the long layout instead."
        )
    small = selections.n_runs * selections.n_features <= WIDE_CELLS and selections.n_features <= WIDE_COLUMNS
    wide = layout == "wide" or (layout is None and plain and small and not taken)
    return pa.table(wide_columns(selections) if wide else long_columns(selections, declare=True))


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A path to write to; it takes the place of `path` when the block ends well and vanishes when it does not."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield beside
        os.replace(beside, path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            beside.unlink()


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what the file system has to say into a sentence."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; wanted is a file.")
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty.")
        yield
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except (EOFError, zlib.error):
        raise InputError(f"{path} is not a well-formed gzip file.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or _first_line(error)}.") from None


def _kind(path: Path, endings: str = ENDINGS) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = suffixes[-1][1:] if suffixes else ""
    if kind not in ("csv", "tsv", "parquet", "json") or (path.suffix.lower() == ".gz" and kind in ("parquet", "json")):
        if path.is_dir():
            raise InputError(f"{path} is a folder; wanted is a file.")
        raise InputError(f"{path} has an unknown ending; wanted is {endings}.")
    return kind


def _separator(delimiter: str) -> str:
    character = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise InputError(f"delimiter is {delimiter!r}; wanted is one character, such as ; or |, or tab.")
    return character


def _read_delimited(path: Path, delimiter: str, labels: bool, max_gb: float) -> pa.Table:
    character = _separator(delimiter)
    if path.suffix.lower() in (".feather", ".arrow", ".parquet", ".json"):
        raise InputError(f"{path} is no table of text; a delimiter goes with .csv, .tsv and .txt.")
    with _readable(path):
        table = _read_csv(path, character, labels, max_gb)
        return _read_csv(path, character, labels, max_gb, decimal=",") if _has_decimal_commas(table) else table


def _has_decimal_commas(table: pa.Table) -> bool:
    firsts = (column.drop_null()[:1].to_pylist() for column in table.columns if str(column.type) == "string")
    return any(value and DECIMAL_COMMA.fullmatch(value[0]) for value in firsts)


def _read_csv(path: Path, delimiter: str, labels: bool, max_gb: float, *, decimal: str = ".") -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    header = _check_text(path, max_gb)
    nameless = _is_data(header.split(delimiter))
    block = (1 << 20) + 8 * len(header)  # a row has to fit into a block

    def read(texts: Sequence[str]) -> pa.Table:
        return arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(block_size=block, autogenerate_column_names=nameless),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(texts, pa.string()), decimal_point=decimal
            ),
        )

    try:
        row_names = [""] if header.startswith((delimiter, f'""{delimiter}')) else []
        # Names and labels stay as they are written, 01 is not 1.
        table = read([*row_names, RUN, FEATURE] if labels else row_names)
        names = table.column_names
        if FEATURE in names and RUN not in names:
            table = read([*row_names, RUN])  # then it is the name of a column of 0/1
    except pa.ArrowException as error:
        _refuse_separator(path, header, delimiter, labels)
        raise InputError(f"{path} is not a well-formed table: {_first_line(error)}.") from None
    if len(names) == 1 and pa.types.is_string(table.schema.field(0).type):
        _refuse_separator(path, header, delimiter, labels)
    if not labels:
        return table
    if nameless:
        return table.rename_columns([f"x{f}" for f in range(len(names))])
    if names[0] == "":  # the row names of a frame
        return table.drop_columns("") if RUN in names else table.rename_columns([RUN, *names[1:]])
    return table


def _refuse_separator(path: Path, header: str, delimiter: str, labels: bool) -> None:
    for found, word in OTHER_SEPARATORS.items():
        if delimiter not in header and found in header:
            wanted = f"save it with {'tabs' if delimiter == TAB else 'commas'} (and a point in decimal numbers)"
            if not labels:  # the data of a command, which has the option
                wanted = f"say so with --delimiter {'tab' if found == TAB else repr(found)}, or {wanted}"
            raise InputError(f"{path} seems to be separated by {word}; {wanted}.")


def _is_data(cells: list[str]) -> bool:
    """A first line of nothing but 0 and 1 is a run, not a header (0,1 alone may be the header of two columns)."""
    return set(cells) <= {"0", "1"} and cells != ["0", "1"]


def _check_text(path: Path, max_gb: float) -> str:
    """The first line; a sentence where the file is not UTF-8 text, has no line at all, or is too large unpacked."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    first: list[str] = []
    size = 0
    with opener(path, "rb") as source:
        while chunk := source.read(1 << 20):
            size += len(chunk)
            _refuse_size(path, size, max_gb)
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError:
                raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
            if not first or "\n" not in first[-1]:
                _refuse_size(path, HEADER_SHARE * (sum(map(len, first)) + len(text.split("\n", 1)[0])), max_gb)
                first.append(text)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    line = "".join(first).split("\n", 1)[0].rstrip("\r")
    if not "".join(first).strip():
        raise InputError(f"{path} is empty.")
    return line


def _refuse_size(path: Path, n_bytes: int, max_gb: float) -> None:
    """Refuse what would take more memory than allowed, before it is read."""
    if isinstance(max_gb, bool) or not isinstance(max_gb, (int, float)) or not max_gb > 0:
        raise InputError(f"max_gb must be a positive number (got {max_gb!r}).")
    if n_bytes > max_gb * 2**30:
        raise InputError(
            f"{path} would take more than {max_gb:g} GB of memory; raise the limit with max_gb= if the file is to be "
            "trusted."
        )


def _read_parquet(path: Path, max_gb: float) -> pa.Table:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            meta = file.metadata
            cells = meta.num_rows * max(1, meta.num_columns)
            _refuse_claim(path, meta.num_rows, meta.num_columns)
            unpacked = sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups))
            _refuse_size(path, max(BYTES_A_CELL * cells, unpacked), max_gb)
            texts = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        # Text that repeats is kept once: unfolded, a small file may fill the memory.
        many = meta.num_rows * len(texts) > UNFOLDED_TEXTS
        with parquet.ParquetFile(path, read_dictionary=texts if many else None) as file:
            return _validated(path, file.read())
    except (pa.ArrowException, OverflowError, MemoryError) as error:
        raise InputError(f"{path} is not a readable Parquet file: {_first_line(error)}.") from None


def _read_feather(path: Path, max_gb: float) -> pa.Table:
    import pyarrow as pa
    from pyarrow import ipc

    with _readable(path):
        _refuse_size(path, path.stat().st_size, max_gb)
        content = path.read_bytes()
        if not content.startswith(IPC_MAGIC):  # the first version of the format has no checks to rely on
            raise InputError(f"{path} is not a Feather file of version 2; save it anew, or as Parquet.")
        try:
            reader = ipc.open_file(pa.BufferReader(content))
            batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
            for batch in batches:
                batch.validate(full=True)
                _refuse_claim(path, batch.num_rows, batch.num_columns)
            return _validated(path, pa.Table.from_batches(batches, reader.schema))
        except (pa.ArrowException, OverflowError, MemoryError, UnicodeDecodeError) as error:
            raise InputError(f"{path} is not a readable Feather file: {_first_line(error)}.") from None


def _refuse_claim(path: Path, n_rows: int, n_columns: int) -> None:
    """A table that claims many cells must have a file of plausible size behind it."""
    cells, size = n_rows * max(1, n_columns), path.stat().st_size
    if cells > UNCHECKED_CELLS and cells > CELLS_PER_BYTE * size:
        raise InputError(f"{path} claims {n_rows:,} rows in {size:,} bytes; it is damaged or forged.")


def _validated(path: Path, table: pa.Table) -> pa.Table:
    """The table, once offsets, indices and texts are known to stay within its buffers."""
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowException as error:
        raise InputError(f"{path} is damaged or forged: {_first_line(error)}.") from None
    return table


def _from_wide(
    table: pa.Table | Wide, features: Sequence[str] | None, n_features: int | None, transpose: bool | None
) -> Selections:
    labels = None
    if isinstance(table, Wide):
        table, features, labels = oriented(table, "The table", features, None, transpose=transpose)
        transpose = False
    matrix = read_matrix(table, "The table", features, labels, transpose=transpose)
    if n_features is not None and n_features != matrix.d:
        raise InputError(f"The table has {matrix.d} feature columns, but {n_features} features were announced.")
    return Selections._from_zeros_and_ones(matrix)


def _from_json(path: Path, features: Sequence[str] | None, n_features: int | None) -> Selections:
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=_distinct_keys)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    except InputError as error:
        raise type(error)(f"{path}: {error}") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not well-formed JSON: {error}.") from None
    except ValueError:  # Python reads whole numbers of at most some 4,300 digits
        raise InputError(f"{path} holds a whole number with thousands of digits, which no selection needs.") from None
    try:
        if isinstance(content, dict) and content.get("schema") == SCHEMA:
            return _from_schema(content, features, n_features)
        if isinstance(content, (list, dict)):
            return Selections.from_sets(content, features, n_features=n_features)
    except InputError as error:
        raise type(error)(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} does not follow the {SCHEMA} schema: {_first_line(error)}.") from None
    raise InputError(f"{path} holds a {type(content).__name__}; wanted is a list of runs, each a list of features.")


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"The key {key!r} occurs twice; wanted are distinct labels.")
        found[key] = value
    return found


def _from_schema(content: dict[str, Any], features: Sequence[str] | None, n_features: int | None) -> Selections:
    if content["schema_version"] != SCHEMA_VERSION:
        raise InputError(f"schema_version is {content['schema_version']!r}; this version reads {SCHEMA_VERSION}.")
    count, names, labels, runs = content["n_features"], content["features"], content["labels"], content["runs"]
    if n_features not in (None, count):
        raise InputError(f"The file has {count} features, but {n_features} were announced.")
    if n_features is None and names is None and isinstance(count, int) and count > MOST_CLAIMED:
        raise InputError(f"The file claims {count:,} features; give n_features={count} if that is so.")
    names = features if names is None else names
    sets = Selections.from_sets(runs, names, n_features=count, labels=labels)
    if content.get("weights") is not None:
        sets = _with_weights_as_listed(sets, runs, content["weights"])
    if content.get("rankings") is not None:
        sets = sets.with_rankings(content["rankings"])
    return sets if features is None else reordered(sets, features, "The file")


def _with_weights_as_listed(sets: Selections, runs: Sequence[Any], weights: Sequence[Any]) -> Selections:
    """The weights of a file, which stand in the order in which the file lists the features of each run."""
    if len(weights) != len(runs) or any(len(w) != len(run) for w, run in zip(weights, runs, strict=True)):
        raise InputError("weights must hold one list per run with one weight for each feature that the run selected.")
    place = {name: f for f, name in enumerate(sets.features)}
    orders = [sorted(range(len(run)), key=[place.get(f, f) for f in run].__getitem__) for run in runs]
    return sets.with_weights([[w[i] for i in order] for w, order in zip(weights, orders, strict=True)])


def _as_json(selections: Selections) -> dict[str, Any]:
    split = selections.indptr
    rows = range(selections.n_runs)
    weights = selections.weights
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "n_features": selections.n_features,
        "features": None if selections._names is None else list(selections._names),
        "labels": None if selections.labels is None else list(selections.labels),
        "runs": [selections.selected(i).tolist() for i in rows],
        "weights": None if weights is None else [weights[split[i] : split[i + 1]].tolist() for i in rows],
        "rankings": None if selections.rankings is None else selections.rankings.tolist(),
    }


def _write_table(table: pa.Table, path: Path, kind: str, *, compressed: bool) -> None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet

    if kind == "parquet":
        parquet.write_table(table, path, compression="zstd")
        return
    options = arrow_csv.WriteOptions(delimiter="\t" if kind == "tsv" else ",", quoting_style="needed")
    with pa.output_stream(str(path), compression="gzip" if compressed else None) as sink:
        arrow_csv.write_csv(table, sink, options)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
