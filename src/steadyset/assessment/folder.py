"""The run folder: every finished cell is on disk at once, and an interrupted assessment goes on where it stopped.

    assessment.json    what was asked for: data fingerprint, features, selectors, resampling, scores, seed, versions
    cells.parquet      the finished cells, one row each
    finished/          cells that are not in cells.parquet yet, one small json file each
    lock               held while a process works on the folder

Files are written beside their place, flushed to the disk and renamed: at any moment a file is whole or absent.
"""

from __future__ import annotations

import errno
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from steadyset.errors import InputError
from steadyset.runner.cell import Cell

SCHEMA, SCHEMA_VERSION = "steadyset.assessment", 2
SCORES = ("scores", "blind", "random")
SETTINGS, CELLS, FINISHED, LOCK = "assessment.json", "cells.parquet", "finished", "lock"


class RunFolder:
    """A folder with the settings and the finished cells of one assessment."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def exists(self) -> bool:
        return (self.path / SETTINGS).exists()

    def create(self, settings: Mapping[str, Any]) -> None:
        """Start a folder with these settings."""
        content = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **settings}
        with _explained(self.path):
            (self.path / FINISHED).mkdir(parents=True, exist_ok=True)
            write_durably(self.path / SETTINGS, json.dumps(content, indent=1).encode())

    def settings(self) -> dict[str, Any]:
        """What the assessment was asked for."""
        path = self.path / SETTINGS
        try:
            content = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise InputError(f"{self.path} is not a run folder: it has no {SETTINGS}.") from None
        except (OSError, ValueError) as error:
            raise InputError(f"{path} is damaged: {error}.") from None
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise InputError(f"{path} is damaged: it does not follow the schema {SCHEMA}.")
        if content.get("schema_version") != SCHEMA_VERSION:
            raise InputError(
                f"{path} has schema version {content.get('schema_version')!r}, wanted is {SCHEMA_VERSION}."
            )
        return content

    def add(self, cell: Cell) -> None:
        """Put a finished cell on disk."""
        with _explained(self.path):
            write_durably(self.path / FINISHED / f"{cell.selector}-{cell.run}.json", _json(cell))

    def cells(self) -> dict[tuple[int, int], Cell]:
        """Every finished cell, by selector and run."""
        # A file that vanishes meanwhile is in cells.parquet by then, so the parquet file has to be read last.
        single = [_read_cell(path) for path in sorted((self.path / FINISHED).glob("*.json"))]
        return {(cell.selector, cell.run): cell for cell in (*self._packed(), *single) if cell is not None}

    def pack(self) -> None:
        """Move the finished cells into cells.parquet."""
        single = sorted((self.path / FINISHED).glob("*.json"))
        if not single:
            return
        cells = self.cells()
        with _explained(self.path):
            _write_cells(self.path / CELLS, [cells[key] for key in sorted(cells)])
            for path in single:
                path.unlink()

    def discard(self) -> None:
        """Remove what `create` and `add` wrote, and the folder if nothing else is in it."""
        for path in (*(self.path / FINISHED).glob("*.json"), self.path / SETTINGS, self.path / LOCK):
            path.unlink(missing_ok=True)
        for folder in (self.path / FINISHED, self.path):
            with suppress(OSError):  # what others put there stays
                folder.rmdir()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out; the system lets go of the lock when this process ends, however it ends."""
        import fcntl

        with _explained(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            handle = (self.path / LOCK).open("a")
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"{self.path} is in use by another process; wait for it or choose another folder."
                ) from None
            except OSError as error:
                raise InputError(f"{self.path} cannot be locked: {error.strerror or error}.") from None
            for unfinished in (*self.path.glob(".*.part"), *(self.path / FINISHED).glob(".*.part")):
                unfinished.unlink(missing_ok=True)
            yield

    def _packed(self) -> Iterable[Cell]:
        path = self.path / CELLS
        if not path.exists():
            return []
        import pyarrow as pa
        from pyarrow import parquet

        try:
            rows = parquet.read_table(path).to_pylist()
            return [_cell(row) for row in rows]
        except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"{path} is damaged: {reason}.") from None


def write_durably(path: Path, content: bytes) -> None:
    """Write beside, flush to the disk, rename, flush the name."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    finally:
        beside.unlink(missing_ok=True)


def _json(cell: Cell) -> bytes:
    """A cell as strict JSON, which has no NaN: a number that is not known is null."""
    content = asdict(cell)
    for key in SCORES:
        content[key] = {name: _known(value) for name, value in content[key].items()}
    content["fit_seconds"], content["score_seconds"] = _known(cell.fit_seconds), _known(cell.score_seconds)
    return json.dumps(content, allow_nan=False).encode()


def _read_cell(path: Path) -> Cell | None:
    try:
        return _cell(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is damaged: {type(error).__name__}: {error}.") from None


def _cell(row: Mapping[str, Any]) -> Cell:
    selected, weights = row["selected"], row["weights"]
    return Cell(
        int(row["selector"]),
        int(row["run"]),
        str(row["label"]),
        None if selected is None else tuple(int(f) for f in selected),
        None if weights is None else tuple(float(w) for w in weights),
        _scores(row["scores"]),
        _number(row["fit_seconds"]),
        _number(row["score_seconds"]),
        str(row["failure"]),
        tuple(str(text) for text in row["warnings"]),
        int(row["tied"]),
        _scores(row["blind"]),
        _scores(row["random"]),
    )


def _scores(values: Any) -> dict[str, float]:
    return {str(name): _number(value) for name, value in dict(values).items()}


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _write_cells(path: Path, cells: list[Cell]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema(
        [
            ("selector", pa.int32()),
            ("run", pa.int32()),
            ("label", pa.string()),
            ("selected", pa.list_(pa.int64())),
            ("weights", pa.list_(pa.float64())),
            ("scores", pa.map_(pa.string(), pa.float64())),
            ("fit_seconds", pa.float64()),
            ("score_seconds", pa.float64()),
            ("failure", pa.string()),
            ("warnings", pa.list_(pa.string())),
            ("tied", pa.int64()),
            ("blind", pa.map_(pa.string(), pa.float64())),
            ("random", pa.map_(pa.string(), pa.float64())),
        ],
        metadata={"schema": SCHEMA, "schema_version": str(SCHEMA_VERSION)},
    )
    rows = [{**(row := asdict(cell)), **{key: list(row[key].items()) for key in SCORES}} for cell in cells]
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), sink, compression="zstd")
    write_durably(path, sink.getvalue().to_pybytes())


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say what the system refuses: a full disk, a read-only folder."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise InputError(
                f"The disk with {path} is full; what was finished is kept, so make room and resume."
            ) from None
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None
