"""Where files and folders are, and the one way to write them: whole or not at all, and on the disk when it is said."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from steadyset.arguments import wrong_argument
from steadyset.errors import InputError

WINDOWS = os.name == "nt"
PAUSES = (0.01, 0.05, 0.2, 0.5)  # seconds between tries to replace a file that somebody reads


def file_path(path: Any) -> Path:
    """The path of a file; a sentence for what is none."""
    if not isinstance(path, (str, os.PathLike)) or _breaks_lines(os.fspath(path)):
        raise wrong_argument("path", "the name of a file", path)
    found = Path(path)
    try:
        os.fsencode(found)
        found.exists()
    except (OSError, UnicodeError) as error:  # a name that is too long, or that no disk can hold
        why = getattr(error, "strerror", error)
        raise InputError(f"path cannot be the name of a file: {why} ({str(path)!r}).") from None
    return found


def _breaks_lines(path: str) -> bool:
    """Whether no sentence could name the path in one line."""
    return any(character in path for character in "\0\n\r")


def folder_path(out: Any) -> Path:
    """Where a folder is to be; what cannot be the name of one is refused."""
    if not isinstance(out, (str, os.PathLike)) or _breaks_lines(os.fspath(out)) or not os.fspath(out):
        raise wrong_argument("out", "the path of a folder", out)
    return Path(out)


@contextmanager
def written_durably(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to; flushed to the disk, it takes the place of `path` when the block ends well.

    When it does not, what was there before stays and the new file vanishes.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield beside
        _flush(beside)
        _take_place(beside, path)
        _flush_name(path)
    finally:
        with suppress(OSError):
            beside.unlink()


def write_durably(path: Path, content: bytes) -> None:
    """Put a file in its place, whole."""
    with written_durably(path) as beside:
        beside.write_bytes(content)


@contextmanager
def explained(path: Path, *, resumable: bool = False) -> Iterator[None]:
    """Say what the system refuses: a full disk, a read-only folder; `resumable` work goes on where there is room."""
    try:
        yield
    except OSError as error:
        if resumable and error.errno == errno.ENOSPC:
            raise InputError(
                f"The disk with {path} is full; what was finished is kept, so make room and resume."
            ) from None
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None


def _take_place(new: Path, path: Path) -> None:
    """Windows refuses while somebody reads what is there, such as the reader of a run folder or a virus scanner."""
    for pause in PAUSES if WINDOWS else ():
        with suppress(PermissionError):
            os.replace(new, path)
            return
        time.sleep(pause)
    os.replace(new, path)


def _flush(path: Path) -> None:
    with path.open("r+b") as handle:  # Windows flushes only what may be written to
        os.fsync(handle.fileno())


def _flush_name(path: Path) -> None:
    """A name is on the disk when its folder is; Windows opens no folders, and keeps names by itself."""
    if WINDOWS:
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
