"""How settings and cells are written and read back: as JSON with digests, and within their ranges.

What was altered since it was written, by a failing disk or by hand, is refused: no other content is ever accepted.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.inference.features import Extract
from steadyset.io.disk import SETTINGS
from steadyset.io.files import first_line
from steadyset.kernels.arrays import Ints
from steadyset.runner.model_importances import WORDS, Importances
from steadyset.runner.plan import BASELINES, FIXED_RUNS, PREDICTOR
from steadyset.runner.run import EVERY_ROW, Cell, Kept
from steadyset.similarity.alike import Alike
from steadyset.tasks import TASKS
from steadyset.tasks.record import N_TENTHS

SCHEMA, SCHEMA_VERSION = "steadyset.assessment", 5
DIGEST = "sha256"
SCORES = ("scores", "blind", "random")
SIGNS = {-1, 0, 1}
KEPT, PREDICTED, IN_MODEL = "kept", "predictions", "importances"
REQUEST, N_CELLS = "request", "n_cells"
UNDECIDING = ("selectors", "details", "steadyset_version", "schema", "schema_version")
CELL_KEYS = ("selector", "run")
IF_ASKED = (
    "prepare",
    "force",
    "block",
    "sample_weight",
    "importance",
)  # settings that are there only where they were asked for


class DamagedError(ValueError):
    """What was read is not what was written, or says what cannot be."""


def write_json(content: Mapping[str, Any], indent: int | None = 1) -> bytes:
    """Strict JSON with a digest of everything else in it."""
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    return json.dumps({**content, DIGEST: digest}, indent=indent, allow_nan=False).encode()


def read_json(text: bytes) -> dict[str, Any]:
    """What `write_json` wrote."""
    content = json.loads(text, parse_constant=_no_json, object_pairs_hook=_distinct)
    if not isinstance(content, dict):
        raise DamagedError("it holds no object")
    if content.pop(DIGEST, None) != hashlib.sha256(json.dumps(content).encode()).hexdigest():
        raise DamagedError(f"its content does not have the {DIGEST} that was written with it")
    return content


def requests_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return a digest of each selector with all that decides its runs: equal digests, equal runs."""
    shared = {key: value for key, value in settings.items() if key not in UNDECIDING}
    found = {}
    for name, described in settings["selectors"].items():
        text = json.dumps({**shared, "selector": [name, described]}, sort_keys=True)
        found[name] = hashlib.sha256(text.encode()).hexdigest()
    return found


def check_request(content: dict[str, Any], settings: Mapping[str, Any], selector: int | None = None) -> None:
    """Raise DamagedError if a file was written for other runs than those of the settings; drop what tells it.

    The file is of one selector, or of the first selectors of the settings.
    """
    stamp = content.pop(REQUEST, None)
    known = list(requests_of(settings).values()) if stamp is not None else []
    if selector is not None:
        fits = stamp is None or known[selector : selector + 1] == [stamp]
    else:
        fits = stamp is None or known[: len(stamp)] == stamp
    if not fits:
        raise DamagedError(f"it was written for another assessment than {SETTINGS} describes")


def cell_json(cell: Cell, request: str = "") -> bytes:
    """A cell as strict JSON; `request` is the digest of its selector among `requests_of`."""
    return write_json({**_plain(cell), **({REQUEST: request} if request else {})})


def extract_json(extract: Extract, settings: Mapping[str, Any], n_cells: int = 0) -> bytes:
    """An extract as strict JSON, with the digest of the data that it is of, and the number of cells by then."""
    values = [[value if math.isfinite(value) else None for value in column] for column in extract.values]
    return write_json({**asdict(extract), "values": values, **_stamp(settings, n_cells)})


def _stamp(settings: Mapping[str, Any], n_cells: int) -> dict[str, Any]:
    requests = list(requests_of(settings).values())
    return {"data_sha256": settings["data_sha256"], REQUEST: requests, N_CELLS: n_cells}


def n_cells_of(text: bytes) -> int:
    """Return the number of cells that there were when an extract or the alike features were written."""
    return int(read_json(text).get(N_CELLS, 0))


def read_extract(text: bytes, settings: Mapping[str, Any]) -> Extract:
    """What `extract_json` wrote for an assessment with these settings."""
    content = read_json(text)
    if content.pop("data_sha256") != settings["data_sha256"]:
        raise DamagedError("it is the extract of other data")
    check_request(content, settings)
    known = set(settings["features"])
    if not all(isinstance(name, str) and name in known for name in content["features"]):
        raise DamagedError("it names features that the assessment does not have")
    values = tuple(tuple(math.nan if one is None else float(one) for one in column) for column in content["values"])
    labels, numbers = tuple(map(str, content["labels"])), tuple(map(float, content["numbers"]))
    return Extract(tuple(content["features"]), values, labels, numbers, int(content["n_rows"]))


def read_cell(text: bytes, settings: Mapping[str, Any] | None = None) -> Cell:
    """The cell of `cell_json`; with settings it has to be one of these."""
    content = read_json(text)
    cell = _cell(content)
    if settings is not None:
        check_request(content, settings, cell.selector)
    return cell


def cells_json(cells: Iterable[Cell], predictions: bytes | None = None, requests: Sequence[str] | None = None) -> bytes:
    """Many cells as strict JSON; `predictions` is the file that holds theirs, `requests` are those of the selectors."""
    rows = [_plain(cell) for cell in cells]
    stamp: dict[str, Any] = {} if requests is None else {REQUEST: list(requests)}
    if predictions is None:
        return write_json({"cells": rows, **stamp}, indent=None)
    for row in rows:
        row.get(KEPT, {}).pop(PREDICTED, None)
    stamp[PREDICTED] = hashlib.sha256(predictions).hexdigest()
    return write_json({"cells": rows, **stamp}, indent=None)


def read_cells(text: bytes, settings: Mapping[str, Any] | None = None) -> tuple[list[Cell], str]:
    """The cells of `cells_json`, and the digest of the file with their predictions, if there is one.

    With settings they have to be of these.
    """
    content = read_json(text)
    if settings is not None:
        check_request(content, settings)
    return [_cell(row) for row in content["cells"]], str(content.get(PREDICTED, ""))


@dataclass(frozen=True)
class KnownRows:
    """Names and observed targets of the rows of the data, for the file of predictions.

    `observed` has one array per column of the file. `classes` are the labels of the outputs if a row has several.
    `left_out` returns the numbers of the rows that a run does not train on.
    """

    names: tuple[str, ...]
    observed: Mapping[str, npt.NDArray[Any]]
    classes: tuple[str, ...]
    left_out: Callable[[int], Ints]


def predictions_parquet(cells: Iterable[Cell], known: KnownRows | None = None) -> bytes:
    """Return the predictions of models for all rows as Parquet: selector, run and a 32-bit float, in order of the rows.

    With `known` the name of each row, whether the run left it out and its observed target stand beside.
    """
    import pyarrow as pa
    from pyarrow import parquet

    rows = [(cell.selector, cell.run, np.frombuffer(cell.kept.predictions, "<f4")) for cell in cells if cell.kept]
    counts = [len(values) for *_, values in rows]
    keys = {name: np.repeat(np.array([row[k] for row in rows], np.int32), counts) for k, name in enumerate(CELL_KEYS)}
    beside = {} if known is None else _columns_of_rows(known, [run for _, run, values in rows if len(values)], counts)
    table = pa.table({**keys, **beside, PREDICTED: np.concatenate([values for *_, values in rows])})
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="none", use_dictionary=list(CELL_KEYS))
    return bytes(sink.getvalue())


def _columns_of_rows(known: KnownRows, runs: Sequence[int], counts: Sequence[int]) -> dict[str, Any]:
    """Return the columns on the rows of the data, repeated for every cell that has predictions."""
    import pyarrow as pa

    n = len(known.names)
    n_outputs = max(counts, default=0) // n
    numbers = np.tile(np.repeat(np.arange(n, dtype=np.int32), n_outputs), len(runs))
    left_out = np.zeros((len(runs), n), dtype=np.bool_)
    for place, run in enumerate(runs):
        left_out[place, known.left_out(run)] = True
    columns: dict[str, Any] = {
        "row": pa.DictionaryArray.from_arrays(numbers, list(known.names)),
        "left_out": np.repeat(left_out.ravel(), n_outputs),
    }
    for name, values in known.observed.items():
        columns[name] = pa.array(values[numbers])
    if n_outputs > 1:
        outputs = np.tile(np.arange(n_outputs, dtype=np.int32), n * len(runs))
        columns["class"] = pa.DictionaryArray.from_arrays(outputs, list(known.classes))
    return columns


def with_predictions(cell: Cell, predicted: Mapping[tuple[int, int], bytes] | None) -> Cell:
    """A cell with what its model predicted; without all that is kept where that is gone, so that it is made again."""
    if cell.kept is None:
        return cell
    if predicted is None:
        return replace(cell, kept=None)
    return replace(cell, kept=replace(cell.kept, predictions=predicted.get((cell.selector, cell.run), b"")))


def read_predictions(content: bytes, digest: str) -> dict[tuple[int, int], bytes]:
    """What `predictions_parquet` wrote, by selector and run; a file that could take more memory is not looked into."""
    import pyarrow as pa
    from pyarrow import parquet

    if hashlib.sha256(content).hexdigest() != digest:
        raise DamagedError(f"its content does not have the {DIGEST} that was written with the cells")
    try:
        with parquet.ParquetFile(pa.BufferReader(content)) as file:
            meta, schema = file.metadata, file.schema_arrow
            # The columns on the rows of the data are for people and other programs, and not read back.
            wanted = {**dict.fromkeys(CELL_KEYS, pa.int32()), PREDICTED: pa.float32()}
            found = {name: schema.field(name).type for name in wanted if schema.get_field_index(name) >= 0}
            groups = map(meta.row_group, range(meta.num_row_groups))
            packed = {group.column(f).compression for group in groups for f in range(meta.num_columns)}
            if found != wanted or packed - {"UNCOMPRESSED"} or 4 * meta.num_rows > len(content):
                raise DamagedError("it does not hold predictions")
            table = file.read(columns=list(wanted))
            columns = [table.column(name).to_numpy() for name in wanted]
    except (pa.ArrowException, OSError) as error:
        raise DamagedError(f"it cannot be read: {first_line(error)}") from None
    selector, run, values = columns
    # Every selector is 0 or more, so that the first row begins a cell.
    starts = np.flatnonzero((np.diff(selector, prepend=-1) != 0) | (np.diff(run, prepend=-1) != 0))
    ends = [*starts[1:], len(values)]
    return {
        (int(selector[start]), int(run[start])): values[start:end].astype("<f4").tobytes()
        for start, end in zip(starts, ends, strict=False)
    }


def alike_json(alike: Alike, settings: Mapping[str, Any], n_cells: int = 0) -> bytes:
    """Pairs of alike features, what was compared, on which data, and the number of cells by then."""
    content = {name: np.asarray(value).tolist() for name, value in vars(alike).items()}
    return write_json({**_stamp(settings, n_cells), **content}, indent=None)


def read_alike(text: bytes, settings: Mapping[str, Any]) -> Alike:
    """What `alike_json` wrote for an assessment with these settings."""
    found = read_json(text)
    compared, counts = (np.array(found[name], dtype=np.int64) for name in ("compared", "counts"))
    if found["data_sha256"] != settings["data_sha256"] or (len(compared) and compared[-1] >= settings["n_features"]):
        raise DamagedError("it belongs to other data")
    check_request(found, settings)
    pairs, values = np.array(found["pairs"], dtype=np.int64).reshape(-1, 2), np.array(found["values"], dtype=np.float64)
    return Alike(compared, pairs, found["threshold"], found["method"], found["note"], values, counts)


def check_settings(settings: Mapping[str, Any]) -> None:
    """Whether settings have every entry, of its kind and within its range."""
    for key, (fits, wanted) in _SETTINGS.items():
        if key not in settings and key not in IF_ASKED:
            raise DamagedError(f"it has no {key}")
        if key in settings and not fits(settings[key]):
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
    if cell.importances is not None:
        _check_importances(cell.importances, -1 if chosen is None else len(chosen))
    for key in SCORES:
        if set(getattr(cell, key)) - scoring:
            raise DamagedError(f"{key} has other names than {', '.join(sorted(scoring)) or 'none'}")
    if cell.kept is not None:
        _check_kept(cell.kept, -1 if chosen is None else len(chosen), settings["n_rows"])


def _check_importances(importances: Importances, n_selected: int) -> None:
    values = importances.values
    if len(values) != n_selected or not all(math.isfinite(value) and value >= 0 for value in values):
        raise DamagedError("there is not one importance of at least 0 for each selected feature")
    if importances.by not in (WORDS if values else ("",)):
        raise DamagedError(f"there are no importances by {importances.by!r}")


def _check_kept(kept: Kept, n_selected: int, n_rows: int) -> None:
    n_outputs, odd = divmod(len(kept.predictions), 4 * n_rows)
    if odd or not np.isfinite(np.frombuffer(kept.predictions, "<f4")).all():
        raise DamagedError("its predictions are not some numbers for each row")
    if len(kept.calibration) not in (0, n_outputs * N_TENTHS * 2):
        raise DamagedError("its calibration is not that of its predictions")
    if kept.coefficients is not None and len(kept.coefficients) != n_selected:
        raise DamagedError("there is not one coefficient for each selected feature")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value) and len(set(value)) == len(value)


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


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
    "data_sha256": (lambda value: _is_digest(value), "64 digits"),
    "sample_weight": (lambda value: _is_digest(value), "64 digits"),
    "features": (_is_texts, "a list of distinct names"),
    "steadyset_version": (_is_text, "a text"),
    "prepare": (_is_text, "a text"),
    "force": (_is_texts, "a list of distinct names"),
    "block": (_is_text, "a text"),
    "importance": (lambda value: value == PREDICTOR, PREDICTOR),
}
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


def _is_digest(value: Any) -> bool:
    return _is_text(value) and bool(re.fullmatch("[0-9a-f]{64}", value))


def _is_mapping_of_texts(value: Any, keys: Collection[str] = ()) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values())) and set(keys) <= set(value)


def _is_selector(value: Any) -> bool:
    texts = {key: text for key, text in value.items() if key != "parameters"} if isinstance(value, dict) else None
    wanted = {"summary", "reference", "package"}
    return _is_mapping_of_texts(texts, wanted) and _is_mapping_of_texts(value.get("parameters"))


def _are_directions(codes: Any, n_classes: int, n_features: int) -> bool:
    """Whether codes name a class, or the sign of a number, for each feature."""
    most = max(1, n_classes)
    named = isinstance(codes, list) and all(_is_count(code, -most) and code <= most for code in codes)
    return named and len(codes) == n_features


def _is_global_model(value: Any, n_features: int) -> bool:
    if not isinstance(value, dict) or not _is_text(value.get("note")):
        return False
    told: list[Any] = [value[key] for key in ("coefficients", "errors") if key in value]
    fits = all(isinstance(one, list) and len(one) == n_features for one in told)
    return fits and len(told) in (0, 2) and all(isinstance(one, int | float) for row in told for one in row)


def _check_details(details: Any, selectors: Collection[str], n_features: int) -> None:
    for key, fits in _DETAILS.items():
        if not isinstance(details, dict) or key not in details or not fits(details[key]):
            raise DamagedError(f"its details have no {key}, or none that can be told")
    if not _are_directions(details.get("directions"), len(details["classes"]), n_features):
        raise DamagedError("its directions are not those of its features and classes")
    counts = [details.get(key, {}) for key in ("counted", "fewest")]  # older folders have none
    if not all(map(_DETAILS["classes"], counts)) or not set(counts[1]) <= set(counts[0]):
        raise DamagedError("what it counts are no counts")
    doubtful = [details.get(key, []) for key in ("giving_away", "places", "times")]
    if not _is_count(details.get("repeated_rows", 0)) or not all(map(_is_texts, doubtful)):
        raise DamagedError("what looks wrong with its data cannot be told")
    points = details.get("points", [])
    if not isinstance(points, list) or not all(isinstance(one, int | float) for one in points):
        raise DamagedError("its points are no numbers")
    if not all(_is_text(details.get(key, "")) for key in ("preparation", "blocks")):
        raise DamagedError("its details tell of a preparation, or of blocks, in something other than words")
    if not _is_count(details.get("incomplete_rows", 0)):
        raise DamagedError("its number of rows without covariates is none")
    if not _is_global_model(details.get("global_model", {"note": ""}), n_features):
        raise DamagedError("its model with all features is none")
    if not _is_share(details.get("shared_rows", 0)):
        raise DamagedError("the rows that its runs share are no share")
    if not isinstance(details.get(FIXED_RUNS, False), bool):
        raise DamagedError("its details do not say whether further runs can follow")
    compared = details.get(BASELINES, [1, 1])
    if not isinstance(compared, list) or len(compared) != 2 or not all(map(_is_count, compared)):
        raise DamagedError("its details do not say which runs draw random features")
    if not _is_text(details.get("purpose", "")):
        raise DamagedError("its purpose is no text")
    if not isinstance(details.get("job", {}), dict):
        raise DamagedError("its job is no object")
    if set(details["selectors"]) != set(selectors):
        raise DamagedError("its details are those of other selectors")


def _plain(cell: Cell) -> dict[str, Any]:
    """A cell as JSON has it, where a number that is not known is null."""
    content = asdict(cell)
    for key in SCORES:
        content[key] = {name: _known(value) for name, value in content[key].items()}
    if cell.importances is None:
        del content[IN_MODEL]
    if cell.kept is None:
        del content[KEPT]
    else:
        content[KEPT][PREDICTED] = base64.b64encode(cell.kept.predictions).decode()
    return content | {key: _known(content[key]) for key in ("fit_seconds", "score_seconds")}


def _cell(row: Mapping[str, Any]) -> Cell:
    kept = None
    if (told := row.get(KEPT)) is not None:
        coefficients, calibration = told["coefficients"], told["calibration"]
        kept = Kept(
            base64.b64decode(told.get(PREDICTED, ""), validate=True),
            tuple(None if one is None else float(one) for one in calibration),
            None if coefficients is None else tuple(map(float, coefficients)),
        )
    importances = None
    if (given := row.get(IN_MODEL)) is not None:
        importances = Importances(tuple(map(float, given["values"])), str(given["by"]))
    return Cell(**{name: read(row[name]) for name, read in _FIELDS.items()}, kept=kept, importances=importances)


def _scores(values: Any) -> dict[str, float]:
    return {str(name): _number(value) for name, value in dict(values).items()}


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


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


# The fields of a cell, and what reads their values.
_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("selector", "run", "tied"), int),
    **dict.fromkeys(("label", "failure", "rule"), str),
    **dict.fromkeys(("selected", "signs"), _or_none(int)),
    "weights": _or_none(float),
    "curves": _or_none(lambda share: None if share is None else float(share)),
    **dict.fromkeys(SCORES, _scores),
    **dict.fromkeys(("fit_seconds", "score_seconds"), _number),
    "warnings": lambda texts: tuple(map(str, texts)),
}
