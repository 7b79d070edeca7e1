"""How settings and cells are written and read back: as JSON and Parquet with digests, and within their ranges.

What was altered since it was written, by a failing disk or by hand, is refused: no other content is ever accepted.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from steadyset.io.files import bounded_memory
from steadyset.io.formats.columns import arrow_array, arrow_table
from steadyset.kernels.arrays import Floats, Ints
from steadyset.runner.run import EVERY_ROW, Cell
from steadyset.similarity.alike import Alike
from steadyset.tasks import TASKS

SCHEMA, SCHEMA_VERSION = "steadyset.assessment", 4
READABLE = (3, 4)  # 3 has neither signs nor fits on all rows
DIGEST = "sha256"
SCORES = ("scores", "blind", "random")
SIGNS = {-1, 0, 1}
NEWER = ("signs", "rule", "curves")  # of a cell
SMALL_TABLE, TIMES_TABLE = 1 << 28, 200  # bytes that a table may take, and how many for each in its file


class DamagedError(ValueError):
    """What was read is not what was written, or says what cannot be."""


def write_json(content: Mapping[str, Any]) -> bytes:
    """Strict JSON with a digest of everything else in it."""
    return json.dumps({**content, DIGEST: _digest(content)}, indent=1, allow_nan=False).encode()


def read_json(text: bytes) -> dict[str, Any]:
    """What `write_json` wrote."""
    content = json.loads(text, parse_constant=_no_json, object_pairs_hook=_distinct)
    if not isinstance(content, dict):
        raise DamagedError("it holds no object")
    if content.pop(DIGEST, None) != _digest(content):
        raise DamagedError(f"its content does not have the {DIGEST} that was written with it")
    return content


def cell_json(cell: Cell) -> bytes:
    """A cell as strict JSON, which has no NaN: a number that is not known is null."""
    content = _as_written(cell)
    for key in SCORES:
        content[key] = {name: _known(value) for name, value in content[key].items()}
    content["fit_seconds"], content["score_seconds"] = _known(cell.fit_seconds), _known(cell.score_seconds)
    return write_json(content)


def read_cell(text: bytes) -> Cell:
    """The cell of `cell_json`."""
    return _cell(read_json(text))


def cells_parquet(cells: Sequence[Cell]) -> bytes:
    """Cells as a Parquet file, with checksums of its pages and a digest of the cells."""
    rows = [{**(row := asdict(cell)), **{key: list(row[key].items()) for key in SCORES}} for cell in cells]
    return _folded(arrow_table(rows, _parquet_schema(_cells_digest(cells))))


def read_cells(content: bytes) -> list[Cell]:
    """The cells of `cells_parquet`."""
    with _damage_found():
        table = _unfolded(content)
        found = (table.schema.metadata or {}).get(DIGEST.encode(), b"")
        cells = [_cell(row) for row in table.to_pylist()]
    if found != _cells_digest(cells).encode():
        raise DamagedError(f"its cells do not have the {DIGEST} that was written with them")
    return cells


def alike_parquet(alike: Alike, settings: Mapping[str, Any]) -> bytes:
    """Pairs of alike features as a Parquet file; what was compared, and on which data, is in its metadata."""
    import pyarrow as pa

    about = {
        "data_sha256": settings["data_sha256"],
        "compared": alike.compared.tolist(),
        "alike": alike.counts.tolist(),
        "threshold": alike.threshold,
        "method": alike.method,
        "note": alike.note,
    }
    pairs = zip(("feature", "other"), alike.pairs.T, strict=True)
    columns = {name: arrow_array(features, pa.int32()) for name, features in pairs}
    table = pa.table({**columns, "similarity": arrow_array(alike.values, pa.float64())}).replace_schema_metadata(
        {"about": json.dumps(about), DIGEST: _alike_digest(about, alike.pairs, alike.values)}
    )
    return _folded(table)


def read_alike(content: bytes, settings: Mapping[str, Any]) -> Alike:
    """What `alike_parquet` wrote for an assessment with these settings."""
    with _damage_found():
        table = _unfolded(content)
        metadata = table.schema.metadata or {}
        about = json.loads(metadata[b"about"])
        pairs = np.column_stack([table["feature"].to_numpy(), table["other"].to_numpy()]).astype(np.int64)
        values = table["similarity"].to_numpy().astype(np.float64)
    if metadata.get(DIGEST.encode()) != _alike_digest(about, pairs, values).encode():
        raise DamagedError(f"its pairs do not have the {DIGEST} that was written with them")
    compared = np.array(about["compared"], dtype=np.int64)
    if about["data_sha256"] != settings["data_sha256"] or (len(compared) and compared[-1] >= settings["n_features"]):
        raise DamagedError("it belongs to other data")
    counts = np.array(about["alike"], dtype=np.int64)
    return Alike(compared, pairs, about["threshold"], about["method"], about["note"], values, counts)


@contextmanager
def _damage_found() -> Iterator[None]:
    """Whatever a file that was written otherwise raises is damage, in the words of its first line."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise DamagedError(str(error).splitlines()[0] if str(error) else type(error).__name__) from None


def _folded(table: Any) -> bytes:
    """A table as a Parquet file with checksums of its pages."""
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue().to_pybytes())


def _unfolded(content: bytes) -> Any:
    """The table of a Parquet file, within the memory that its size allows: a folder may be a stranger's."""
    import pyarrow as pa
    from pyarrow import parquet

    if any("dictionary" in str(column.type) for column in parquet.read_schema(pa.BufferReader(content))):
        raise DamagedError("it has columns of other kinds than are written")  # whose texts unfold when they are read
    with bounded_memory(SMALL_TABLE + TIMES_TABLE * len(content)):
        table = parquet.read_table(pa.BufferReader(content), page_checksum_verification=True, use_threads=False)
        table.validate(full=True)
    if table.nbytes > SMALL_TABLE + TIMES_TABLE * len(content):  # where the system does not hold to the limit
        raise DamagedError("it holds far more than its size allows")
    return table


def check_settings(settings: Mapping[str, Any]) -> None:
    """Whether settings have every entry, of its kind and within its range."""
    for key, (fits, wanted) in _SETTINGS.items():
        if key not in settings:
            raise DamagedError(f"it has no {key}")
        if not fits(settings[key]):
            raise DamagedError(f"{key} must be {wanted}")
    if len(settings["features"]) != settings["n_features"]:
        raise DamagedError(f"n_features is {settings['n_features']}, but {len(settings['features'])} are named")
    if "details" in settings:
        _check_details(settings["details"], settings["selectors"], settings["n_features"])


def check_cell(cell: Cell, settings: Mapping[str, Any]) -> None:
    """Whether a cell can belong to an assessment with these settings."""
    d, scoring = settings["n_features"], set(settings["scoring"])
    chosen = cell.selected
    if not 0 <= cell.selector < len(settings["selectors"]):
        raise DamagedError(f"there is no selector {cell.selector}")
    if cell.run < EVERY_ROW:
        raise DamagedError(f"there is no run {cell.run}")
    if chosen is not None:
        if any(not 0 <= f < d for f in chosen) or any(a >= b for a, b in pairwise(chosen)):
            raise DamagedError(f"the selected features are not ascending numbers below {d}")
        if not 0 <= cell.tied <= len(chosen):
            raise DamagedError(f"{cell.tied} of {len(chosen)} selected features are tied")
    elif not cell.failure:
        raise DamagedError("a run without a selection has no reason")
    if cell.weights is not None and (chosen is None or len(cell.weights) != len(chosen)):
        raise DamagedError("there is not one weight for each selected feature")
    if cell.signs is not None and (chosen is None or len(cell.signs) != len(chosen) or not set(cell.signs) <= SIGNS):
        raise DamagedError("there is not one sign for each selected feature")
    for key in SCORES:
        if set(getattr(cell, key)) - scoring:
            raise DamagedError(f"{key} has other names than {', '.join(sorted(scoring)) or 'none'}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value) and len(set(value)) == len(value)


def _is_count(value: Any, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


_SETTINGS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "selectors": (
        lambda value: isinstance(value, dict) and len(value) > 0 and all(map(_is_text, value.values())),
        "descriptions by name, at least one",
    ),
    "resampling": (_is_text, "a text"),
    "predictor": (_is_text, "a text"),
    "scoring": (_is_texts, "a list of distinct names"),
    "task": (lambda value: value in TASKS, " or ".join(TASKS)),
    "seed": (_is_count, "a whole number from 0"),
    "n_rows": (lambda value: _is_count(value, 1), "a whole number from 1"),
    "n_features": (lambda value: _is_count(value, 1), "a whole number from 1"),
    "data_sha256": (lambda value: _is_text(value) and bool(re.fullmatch("[0-9a-f]{64}", value)), "64 digits"),
    "features": (_is_texts, "a list of distinct names"),
    "steadyset_version": (_is_text, "a text"),
}
# Of the details, which older folders lack.
_DETAILS: dict[str, Callable[[Any], bool]] = {
    "target": _is_text,
    "classes": lambda value: isinstance(value, dict) and all(map(_is_count, value.values())),
    "missing_values": _is_count,
    "missing_features": _is_count,
    "n_groups": _is_count,
    "n_runs": _is_count,
    "resampling": lambda value: _is_mapping_of_texts(value, {"words", "reference"}),
    "predictor": _is_text,
    "versions": lambda value: _is_mapping_of_texts(value),
    "selectors": lambda value: isinstance(value, dict) and all(map(_is_selector, value.values())),
}


def _is_mapping_of_texts(value: Any, keys: Collection[str] = ()) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values())) and set(keys) <= set(value)


def _is_selector(value: Any) -> bool:
    texts = {key: text for key, text in value.items() if key != "parameters"} if isinstance(value, dict) else None
    wanted = {"summary", "reference", "package"}
    return _is_mapping_of_texts(texts, wanted) and _is_mapping_of_texts(value.get("parameters"))


def _are_directions(codes: Any, n_classes: int, n_features: int) -> bool:
    """Whether codes name a class, or the sign of a number, for each feature; older folders have none."""
    if codes is None:
        return True
    most = max(1, n_classes)
    named = isinstance(codes, list) and all(_is_count(code, -most) and code <= most for code in codes)
    return named and len(codes) == n_features


def _check_details(details: Any, selectors: Collection[str], n_features: int) -> None:
    for key, fits in _DETAILS.items():
        if not isinstance(details, dict) or key not in details or not fits(details[key]):
            raise DamagedError(f"its details have no {key}, or none that can be told")
    if not _are_directions(details.get("directions"), len(details["classes"]), n_features):
        raise DamagedError("its directions are not those of its features and classes")
    if not _DETAILS["classes"](details.get("counted", {})):  # older folders have none
        raise DamagedError("what it counts are no counts")
    points = details.get("points", [])
    if not isinstance(points, list) or not all(isinstance(one, int | float) for one in points):
        raise DamagedError("its points are no numbers")
    if not isinstance(details.get("job", {}), dict):
        raise DamagedError("its job is no object")
    if set(details["selectors"]) != set(selectors):
        raise DamagedError("its details are those of other selectors")


def _cell(row: Mapping[str, Any]) -> Cell:
    given = {name: row.get(name) if name in NEWER else row[name] for name in _COLUMNS}
    return Cell(**{name: read(given[name]) for name, (_, read) in _COLUMNS.items()})


def _as_written(cell: Cell) -> dict[str, Any]:
    """A cell without what it does not have and what older folders do not know, so that their digests hold."""
    content = asdict(cell)
    return {key: value for key, value in content.items() if key not in NEWER or value not in (None, "")}


def _scores(values: Any) -> dict[str, float]:
    return {str(name): _number(value) for name, value in dict(values).items()}


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _alike_digest(about: Mapping[str, Any], pairs: Ints, values: Floats) -> str:
    return _digest(
        [about, *(hashlib.sha256(np.ascontiguousarray(one).tobytes()).hexdigest() for one in (pairs, values))]
    )


def _cells_digest(cells: Iterable[Cell]) -> str:
    return _digest([_as_written(cell) for cell in cells])


def _no_json(name: str) -> None:
    raise DamagedError(f"{name} is not JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise DamagedError("it has an entry twice")
    return content


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What reads several values, or None where a cell has none."""
    return lambda values: None if values is None else tuple(map(read, values))


# The fields of a cell: the type of each in a Parquet file, and what reads its value there and in JSON.
_COLUMNS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "selector": ("int32", int),
    "run": ("int32", int),
    "label": ("string", str),
    "selected": ("list of int64", _or_none(int)),
    "weights": ("list of float64", _or_none(float)),
    "scores": ("map", _scores),
    "fit_seconds": ("float64", _number),
    "score_seconds": ("float64", _number),
    "failure": ("string", str),
    "warnings": ("list of string", lambda texts: tuple(map(str, texts))),
    "tied": ("int64", int),
    "blind": ("map", _scores),
    "random": ("map", _scores),
    "signs": ("list of int8", _or_none(int)),
    "rule": ("string", lambda text: str(text or "")),
    "curves": ("list of float64", _or_none(lambda share: None if share is None else float(share))),
}


def _parquet_schema(digest: str) -> Any:
    import pyarrow as pa

    def arrow_type(text: str) -> Any:
        if text == "map":
            return pa.map_(pa.string(), pa.float64())
        several, _, one = text.rpartition(" of ")
        return pa.list_(pa.type_for_alias(one)) if several else pa.type_for_alias(one)

    return pa.schema(
        [(name, arrow_type(text)) for name, (text, _) in _COLUMNS.items()],
        metadata={"schema": SCHEMA, "schema_version": str(SCHEMA_VERSION), DIGEST: digest},
    )
