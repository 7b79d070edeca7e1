"""Reading and writing Selections as csv, tsv, parquet and json; files are written beside their place and renamed."""

from __future__ import annotations

import codecs
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
from steadyset.longtable import FEATURE, RUN, from_long_columns, long_columns, wide_columns
from steadyset.matrix import read_matrix
from steadyset.selections import Selections, reordered

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
# A table that claims more cells than this must have a file of plausible size behind it.
MOST_CLAIMED = 10_000_000  # features that a file may claim without naming them
UNCHECKED_CELLS, CELLS_PER_BYTE = 10_000_000, 1_000


def read_selections(
    path: Path, *, features: Sequence[str] | None, n_features: int | None, transpose: bool | None = None
) -> Selections:
    """See Selections.read."""
    if _kind(path) == "json":
        with _readable(path):
            return _from_json(path, features, n_features)
    table = read_table(path)
    try:
        if RUN in table.column_names and FEATURE in table.column_names:
            return from_long_columns(table, features=features, n_features=n_features, labels=None)
        return _from_wide(table, features, n_features, transpose)
    except InputError as error:
        raise type(error)(f"{path}: {error}") from None


def read_table(path: Path, *, labels: bool = True, delimiter: str | None = None) -> pa.Table:
    """A csv, tsv, parquet or feather file.

    With `labels`, a first column without a name is called run, and the columns run and feature stay text. A
    `delimiter` is a character, or tab; numbers may then have decimal commas.
    """
    if delimiter is not None:
        return _read_delimited(path, delimiter, labels)
    if path.suffix.lower() in (".feather", ".arrow"):
        return _read_feather(path)
    kind = _kind(path, TABLE_ENDINGS)
    if kind == "json":
        raise InputError(f"{path} is a json file; wanted is {TABLE_ENDINGS}.")
    with _readable(path):
        return _read_parquet(path) if kind == "parquet" else _read_csv(path, "\t" if kind == "tsv" else ",", labels)


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


def _read_delimited(path: Path, delimiter: str, labels: bool) -> pa.Table:
    character = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise InputError(f"delimiter is {delimiter!r}; wanted is one character, such as ; or |, or tab.")
    if path.suffix.lower() in (".feather", ".arrow", ".parquet", ".json"):
        raise InputError(f"{path} is no table of text; a delimiter goes with .csv, .tsv and .txt.")
    with _readable(path):
        table = _read_csv(path, character, labels)
        return _read_csv(path, character, labels, decimal=",") if _has_decimal_commas(table) else table


def _has_decimal_commas(table: pa.Table) -> bool:
    firsts = (column.drop_null()[:1].to_pylist() for column in table.columns if str(column.type) == "string")
    return any(value and DECIMAL_COMMA.fullmatch(value[0]) for value in firsts)


def _read_csv(path: Path, delimiter: str, labels: bool, *, decimal: str = ".") -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv

    header = _check_text(path)
    nameless = _is_data(header.split(delimiter))
    block = (1 << 20) + 8 * len(header)  # a row has to fit into a block

    def read(texts: Sequence[str]) -> pa.Table:
        return csv.read_csv(
            path,
            read_options=csv.ReadOptions(block_size=block, autogenerate_column_names=nameless),
            parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(texts, pa.string()), decimal_point=decimal),
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


def _check_text(path: Path) -> str:
    """The first line; a sentence where the file is not UTF-8 text or has no line at all."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    first = ""
    with opener(path, "rb") as source:
        while chunk := source.read(1 << 20):
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError:
                raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
            if "\n" not in first:
                first += text
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    if not first.strip():
        raise InputError(f"{path} is empty.")
    return first.split("\n", 1)[0].rstrip("\r")


def _read_parquet(path: Path) -> pa.Table:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            cells = file.metadata.num_rows * max(1, file.metadata.num_columns)
            if cells > UNCHECKED_CELLS and cells > CELLS_PER_BYTE * path.stat().st_size:
                claim = f"{file.metadata.num_rows:,} rows in {path.stat().st_size:,} bytes"
                raise InputError(f"{path} claims {claim}; it is damaged or forged.")
            return file.read()
    except (pa.ArrowException, OverflowError, MemoryError) as error:
        raise InputError(f"{path} is not a readable Parquet file: {_first_line(error)}.") from None


def _read_feather(path: Path) -> pa.Table:
    import pyarrow as pa
    from pyarrow import feather

    with _readable(path):
        try:
            return feather.read_table(path)
        except pa.ArrowException as error:
            raise InputError(f"{path} is not a readable Feather file: {_first_line(error)}.") from None


def _from_wide(
    table: pa.Table, features: Sequence[str] | None, n_features: int | None, transpose: bool | None
) -> Selections:
    matrix = read_matrix(table, "The table", features, None, transpose=transpose)
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
    from pyarrow import csv, parquet

    if kind == "parquet":
        parquet.write_table(table, path, compression="zstd")
        return
    options = csv.WriteOptions(delimiter="\t" if kind == "tsv" else ",", quoting_style="needed")
    with pa.output_stream(str(path), compression="gzip" if compressed else None) as sink:
        csv.write_csv(table, sink, options)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
