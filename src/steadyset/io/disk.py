"""Where files and folders are, and the one way to write them: whole or not at all, and on the disk when it is said."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.io import beneath
from steadyset.io.beneath import PART


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
    """A new file beside `path` to write to; flushed to the disk, it takes the place of `path` when the block ends well.

    When it does not, what was there before stays and the new file vanishes. Whoever can write into the folder cannot
    lead it elsewhere: the new file has a name that nobody knows, and a link at `path` is replaced, not followed.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        yield beside
        with beside.open("r+b") as handle:  # Windows flushes only what may be written to
            os.fsync(handle.fileno())
        beneath.take_place(path.parent, beside.name, path.name)
    finally:
        with suppress(OSError):
            beside.unlink()


def write_durably(path: Path, content: bytes) -> None:
    """Put a file in its place, whole."""
    beneath.write(path.parent, path.name, content)


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
