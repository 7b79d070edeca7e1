"""The run folder: every cell is on disk as soon as it finishes, and an interrupted assessment can be continued.

    assessment.json    what was asked for: data fingerprint, features, selectors, resampling, scores, seed, versions
    cells.json         the finished cells
    alike.json         which of the selected features are alike
    features.csv       the table of features, for people: nothing reads it back
    values.json        the values of the features that are selected most often, for pictures
    predictions.parquet  what the models of the runs predict for all rows, where that is kept
    finished/          cells that are not in cells.json yet, one small file each
    lock               held while a process works on the folder

Files are written beside their place, flushed to the disk and renamed: at any moment a file is whole or absent.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any, TypeVar

from steadyset.assessment import written
from steadyset.foundation.errors import Argument, InputError
from steadyset.inference.features import Extract
from steadyset.io import beneath, disk
from steadyset.runner.run import Cell
from steadyset.similarity.alike import Alike

T = TypeVar("T")


class RunFolder:
    """A folder with the settings and the finished cells of one assessment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known_rows: written.KnownRows | None = None  # for the file of predictions
        self._requests: list[str] | None = None  # of the selectors, while nobody else changes the settings

    @property
    def exists(self) -> bool:
        return (self.path / disk.SETTINGS).exists()

    def create(self, settings: Mapping[str, Any]) -> None:
        """Start a folder with these settings."""
        if self._single() or beneath.modified(self.path, disk.CELLS):
            raise InputError(
                f"{self.path} holds finished runs, but {disk.SETTINGS}, which describes them, is missing; restore it, "
                "or choose another folder."
            )
        self.write_settings(settings)

    def write_settings(self, settings: Mapping[str, Any]) -> None:
        """Put down what is asked for, in place of what was."""
        content = {"schema": written.SCHEMA, "schema_version": written.SCHEMA_VERSION, **settings}
        with disk.explained(self.path, resumable=True):
            self.path.mkdir(parents=True, exist_ok=True)
            beneath.make_folder(self.path, disk.FINISHED)
            beneath.write(self.path, disk.SETTINGS, written.write_json(content))
        self._requests = list(written.requests_of(settings).values())

    def settings(self) -> dict[str, Any]:
        """What the assessment was asked for."""
        path, text = self.path / disk.SETTINGS, self._content(disk.SETTINGS)
        if text is None:
            raise InputError(f"{self.path} is not a run folder: it has no {disk.SETTINGS}.")
        with _damage_told(path):
            _refuse_other_schemas(path, text)
            content = written.read_json(text)
            written.check_settings(content)
        return content

    def add(self, cell: Cell) -> None:
        """Put a finished cell on disk."""
        if self._requests is None:
            self._requests = list(written.requests_of(self.settings()).values())
        request = self._requests[cell.selector] if 0 <= cell.selector < len(self._requests) else ""
        self.write(_file_name(cell.selector, cell.run), written.cell_json(cell, request))

    def finished(self, selector: int, run: int) -> Cell | None:
        """A cell that was added since the others were packed."""
        name = _file_name(selector, run)
        return self._read_single(name, self.settings()) if beneath.modified(self.path, name) else None

    def cells(self, *, whole: bool = False) -> dict[tuple[int, int], Cell]:
        """Every finished cell, by selector and run; with `whole` an InputError if a file with some of them is lost."""
        settings = self.settings()
        # A file that vanishes meanwhile is in cells.json by then, which has to be read last.
        single = [self._read_single(name, settings) for name in self._single()]
        packed = self._packed(settings, whole=whole)
        found = {(cell.selector, cell.run): cell for cell in (*packed, *single) if cell is not None}
        if whole:
            self._refuse_lost_files(len(found))
        return found

    def pack(self, n_selectors: int | None = None) -> None:
        """Move the finished cells into cells.json; with `n_selectors` those of the first so many alone."""
        single = self._single()
        if not single and n_selectors is None:
            return
        cells = self.cells()
        kept = [cells[key] for key in sorted(cells) if n_selectors is None or key[0] < n_selectors]
        requests = list(written.requests_of(self.settings()).values())[:n_selectors]
        predictions = written.predictions_parquet(kept, self.known_rows) if any(cell.kept for cell in kept) else None
        with disk.explained(self.path, resumable=True):
            if predictions is not None:
                beneath.write(self.path, disk.PREDICTIONS, predictions)
            beneath.write(self.path, disk.CELLS, written.cells_json(kept, predictions, requests))
            for name in single:
                with suppress(PermissionError):  # Windows keeps what somebody reads; it is removed the next time
                    beneath.remove(self.path, name)

    def _refuse_lost_files(self, n_found: int) -> None:
        """Raise InputError if a file, or some of the cells, were there when a later file was written, and are not."""
        later = (disk.ALIKE_FEATURES, disk.VALUES, disk.TABLE)  # in the order in which they are written
        there = [self._has(name) for name in later]
        lost = next((name for place, name in enumerate(later) if not there[place] and any(there[place:])), None)
        if lost is not None:
            raise self._lost(lost)
        n_cells = max(self._read(name, written.n_cells_of) or 0 for name in later[:2])
        if n_found < n_cells:
            if not self._has(disk.CELLS):
                raise self._lost(disk.CELLS)
            raise InputError(
                f"{self.path / disk.CELLS} holds {n_found} of the {n_cells} results that were finished, so it is an "
                "older file or that of another assessment. Restore it, or continue the assessment with ",
                Argument("resume", True, of="Execution"),
                " to compute the runs again.",
            )

    def _has(self, name: str) -> bool:
        """Whether a file is there; a link is, and whoever reads it refuses it."""
        return os.path.lexists(self.path / name)

    def _lost(self, name: str) -> InputError:
        return InputError(
            f"{self.path / name} is missing. Restore it, or continue the assessment with ",
            Argument("resume", True, of="Execution"),
            " to make it again.",
        )

    def alike(self) -> Alike | None:
        """Which features are alike; None where the folder does not say."""
        return self._read(disk.ALIKE_FEATURES, lambda content: written.read_alike(content, self.settings()))

    def extract(self) -> Extract | None:
        """The values that pictures show; None where the folder has none."""
        return self._read(disk.VALUES, lambda content: written.read_extract(content, self.settings()))

    def write_table(self, text: str) -> None:
        """Put the table of features where people find it."""
        self.write(disk.TABLE, text.encode("utf-8", "backslashreplace"))  # UTF-8 has no halves of characters

    def discard(self) -> None:
        """Remove what `create` and `add` wrote, and the folder if nothing else is in it."""
        for name in (*self._single(), *self._unfinished(), disk.SETTINGS, disk.REPLICATION):
            beneath.remove(self.path, name)
        with suppress(PermissionError):  # Windows keeps a file that is open, as the lock is here
            beneath.remove(self.path, disk.LOCK)
        for folder in (self.path / disk.FINISHED, self.path):
            with suppress(OSError):  # what others put there stays
                folder.rmdir()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out; the system lets go of the lock when this process ends, however it ends."""
        with disk.locked(self.path):
            for name in self._unfinished():
                beneath.remove(self.path, name)
            yield

    def write(self, name: str, content: bytes) -> None:
        """Put down a file, in place of what was."""
        with disk.explained(self.path, resumable=True):
            beneath.write(self.path, name, content)

    def _single(self) -> list[str]:
        return [f"{disk.FINISHED}/{name}" for name in self._names(disk.FINISHED) if name.endswith(".json")]

    def _unfinished(self) -> list[str]:
        """What processes that were ended in the middle of writing left."""
        return [
            str(PurePath(place, name))
            for place in ("", disk.FINISHED)
            for name in self._names(place)
            if name.startswith(".") and name.endswith(beneath.PART)
        ]

    def _names(self, place: str) -> list[str]:
        try:
            return beneath.names(self.path, place)
        except OSError as error:
            raise InputError(f"{self.path / place} cannot be read: {error.strerror or error}.") from None

    def _content(self, name: str) -> bytes | None:
        """What is in a file of the folder; None where there is no such file."""
        try:
            return beneath.read(self.path, name)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self.path / name} cannot be read: {error.strerror or error}.") from None

    def _read(self, name: str, read: Callable[[bytes], T]) -> T | None:
        """What `read` makes of a file of the folder; None where there is no such file."""
        content = self._content(name)
        if content is None:
            return None
        with _damage_told(self.path / name):
            return read(content)

    def _packed(self, settings: Mapping[str, Any], *, whole: bool = False) -> list[Cell]:
        content = self._content(disk.CELLS)
        if content is None:
            return []
        with _damage_told(self.path / disk.CELLS):
            cells, digest = written.read_cells(content, settings)
        predicted: dict[tuple[int, int], bytes] | None = None
        try:
            with _damage_told(self.path / disk.PREDICTIONS):
                if digest and (held := self._content(disk.PREDICTIONS)) is not None:
                    predicted = written.read_predictions(held, digest)
        except InputError:
            if self._content(disk.CELLS) != content:  # both were written anew meanwhile
                return self._packed(settings, whole=whole)
            if not self._single():  # else packing was interrupted between the two, and the file is the newer one
                raise
        if whole and digest and not self._has(disk.PREDICTIONS):
            raise self._lost(disk.PREDICTIONS)
        with _damage_told(self.path / disk.CELLS):
            cells = [written.with_predictions(cell, predicted) for cell in cells]
            for cell in cells:
                written.check_cell(cell, settings)
        return cells

    def _read_single(self, name: str, settings: Mapping[str, Any]) -> Cell | None:
        def read(content: bytes) -> Cell:
            cell = written.read_cell(content, settings)
            written.check_cell(cell, settings)
            own = _file_name(cell.selector, cell.run)
            if own != name:
                raise written.DamagedError(f"it is the cell of {PurePath(own).name}")
            return cell

        return self._read(name, read)


def _file_name(selector: int, run: int) -> str:
    return f"{disk.FINISHED}/{selector}-{run}.json"


def _refuse_other_schemas(path: Path, text: bytes) -> None:
    """Another version is no damage, though its digests may be missing or others."""
    content = json.loads(text)
    if not isinstance(content, dict) or content.get("schema") != written.SCHEMA:
        raise written.DamagedError(f"it does not follow the schema {written.SCHEMA}")
    version = content.get("schema_version")
    if version != written.SCHEMA_VERSION or isinstance(version, (bool, float)):
        raise InputError(
            f"{path} has schema version {version!r}; this version of steadyset reads {written.SCHEMA_VERSION}."
        )


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = str(error) if isinstance(error, written.DamagedError) else f"{type(error).__name__}: {error}"
        raise InputError(f"{path} is damaged: {what}; restore it, or choose another folder.") from None


class Saving:
    """Saves cells that have a selection, in whichever thread or process of this machine; without a folder nothing.

    Others are left to whoever asked for them: a first run that fails may end the assessment. After `close` nothing is
    saved any more, so that a thread that is still at work does not write into a folder that others have by then.
    """

    def __init__(self, folder: RunFolder | None = None) -> None:
        # Worker processes stay, and keep the folder that they were started in.
        self.folder = None if folder is None else RunFolder(folder.path.absolute())
        self._open = True
        self._lock = threading.Lock()

    def __reduce__(self) -> Any:
        return Saving, (self.folder,)

    def each(self, cells: Iterable[Cell]) -> Iterator[Cell]:
        """Hand on every cell, saved."""
        for cell in cells:
            with self._lock:
                if self.folder is not None and self._open and is_saved(cell):
                    self.folder.add(cell)
            yield cell

    def found(self, selector: int, run: int) -> Cell | None:
        """What a worker saved before it was lost."""
        cell = None if self.folder is None else self.folder.finished(selector, run)
        return cell if cell is not None and not cell.failure else None

    def close(self) -> None:
        """Save nothing from here on; what is being saved is waited for."""
        with self._lock:
            self._open = False


def is_saved(cell: Cell) -> bool:
    """Whether a cell is saved where it is computed."""
    return cell.selected is not None
