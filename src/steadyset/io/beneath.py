"""Files beneath a folder that may come from a stranger: plain files alone, reached without following a link.

A link in an unpacked folder leads wherever its maker wanted, a FIFO never answers, and what a check saw may be another
file when it is opened. So every step below the folder is opened from the one above it and refuses links, and what was
opened is asked what it is. The folder itself is followed: its name was typed by the user. Windows opens no folders;
there every step is looked at before it is taken.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import secrets
import shutil
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any

ANCHORED = os.open in os.supports_dir_fd
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # who opens a FIFO would wait for its other end
FOLDER = getattr(os, "O_DIRECTORY", 0)
MAX_BYTES = 2 << 30
STEP = 1 << 20  # bytes that are read at once of a file whose size is not known
PART = ".part"  # the ending of what is not yet in its place
WRITER = re.compile(r"\.(?P<machine>[0-9a-f]{8})-(?P<process>\d+)-[0-9a-f]{8}" + re.escape(PART) + "$")
SECONDS_OF_A_DAY = 86_400
PAUSES = (0.01, 0.05, 0.2, 0.5)  # seconds between tries to replace a file that somebody reads, on Windows
Name = str | PurePath
Place = int | Path  # an open folder; its path where folders cannot be opened


class NotPlainError(OSError):
    """A link, a folder, a FIFO or a device, where a plain file is expected."""


@contextmanager
def opened(folder: Path, name: Name, flags: int = os.O_RDONLY, mode: int = 0o666) -> Iterator[int]:
    """The descriptor of a plain file beneath a folder; an OSError where there is none."""
    with _parent(folder, name) as (place, last):
        file = _opened(place, last, flags | NO_WAIT, mode)
    try:
        yield file
    finally:
        os.close(file)


def read(folder: Path, name: Name, most: int = MAX_BYTES) -> bytes:
    """The content of a plain file beneath a folder; an OSError where there is none, or it is too large."""
    with opened(folder, name) as file, open(file, "rb", closefd=False) as handle:
        size = os.fstat(file).st_size
        content = b"" if size > most else handle.read(size + 1)  # what is asked for is taken at once
        while size < len(content) <= most and (more := handle.read(STEP)):  # it grows meanwhile
            content += more
        if len(content) > most or os.fstat(file).st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
    return content


def write(folder: Path, name: Name, content: bytes) -> None:
    """Put a file beneath a folder, whole and on the disk when this returns; a link in its place is replaced."""
    with _parent(folder, name) as (place, last):
        beside = part_name(last)
        file = _opened(place, beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with open(file, "wb") as handle:
                handle.write(content)
                handle.flush()
                os.fsync(handle.fileno())
            _replaced(place, beside, last)
        finally:
            with suppress(OSError):
                os.unlink(**_at(place, beside))


def part_name(name: str) -> str:
    """Return a name for a file that is being written: hidden, unknown to others, and with the process that writes."""
    return f".{name}.{_machine()}-{os.getpid()}-{secrets.token_hex(4)}{PART}"


def remove_abandoned_parts(folder: Path, *places: Name) -> None:
    """Remove the files that processes were writing in these places beneath a folder when they were ended.

    Files of processes that live stay, and for a day those of other machines, whose processes nobody sees from here.
    """
    for place in places:
        with suppress(OSError):
            for name in names(folder, place):
                if name.startswith(".") and name.endswith(PART) and _is_abandoned(folder, PurePath(place, name)):
                    remove(folder, PurePath(place, name))


def _is_abandoned(folder: Path, part: PurePath) -> bool:
    writer = WRITER.search(part.name)
    if writer is None:
        return True
    if writer["machine"] == _machine() and os.name == "posix":
        try:
            os.kill(int(writer["process"]), 0)  # signal 0 only asks whether the process exists
        except (ProcessLookupError, OverflowError):
            return True
        except OSError:  # it exists, and belongs to somebody else
            return False
        return False
    return time.time() - modified(folder, part) / 1e9 > SECONDS_OF_A_DAY


def _machine() -> str:
    return f"{zlib.crc32(platform.node().encode()):08x}"


def take_place(folder: Path, new: str, name: str) -> None:
    """Let one file of a folder take the place of another, on the disk when this returns."""
    with _parent(folder, name) as (place, last):
        _replaced(place, new, last)


def modified(folder: Path, name: Name) -> int:
    """When a plain file or a folder was last changed, in nanoseconds; 0 where there is none, or a link."""
    try:
        with _parent(folder, name) as (place, last):
            found = os.stat(**_at(place, last), follow_symlinks=False)
    except OSError:
        return 0
    return found.st_mtime_ns if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode) else 0


def names(folder: Path, name: Name) -> list[str]:
    """The names in a folder beneath a folder, sorted; none where there is none. An OSError where it is a link."""
    try:
        with _parent(folder, PurePath(name, "any")) as (place, _):
            return sorted(os.listdir(place))
    except FileNotFoundError:
        return []


def remove(folder: Path, name: Name) -> None:
    """Remove a file or a link beneath a folder, if it is there."""
    with suppress(FileNotFoundError, NotADirectoryError, NotPlainError), _parent(folder, name) as (place, last):
        os.unlink(**_at(place, last))


def remove_folder(folder: Path, name: Name) -> None:
    """Remove a folder beneath a folder with all that is in it, if it is there; links are removed, not followed."""
    with suppress(FileNotFoundError, NotADirectoryError, NotPlainError), _parent(folder, name) as (place, last):
        if isinstance(place, int):
            _refuse(last, os.stat(last, dir_fd=place, follow_symlinks=False).st_mode, stat.S_ISDIR)
            shutil.rmtree(last, dir_fd=place)
        elif not (place / last).is_symlink():
            shutil.rmtree(place / last)


def make_folder(folder: Path, name: Name) -> None:
    """Make a folder beneath a folder, which may be there; a link in its place is refused."""
    with _parent(folder, name) as (place, last), suppress(FileExistsError):
        os.mkdir(**_at(place, last))
    with _parent(folder, PurePath(name, "any")):
        pass  # it can be opened, so it is one


@contextmanager
def _parent(folder: Path, name: Name) -> Iterator[tuple[Place, str]]:
    """The folder that holds a file, open, and the last part of its name."""
    *between, last = PurePath(name).parts or (".",)
    try:
        if b"\0" in os.fsencode(name):
            raise ValueError
    except ValueError:  # also where it holds half a character
        raise OSError(errno.EINVAL, "no disk can hold such a name") from None
    if not ANCHORED:
        for step in between:
            folder = folder / step
            if folder.is_symlink():
                raise NotPlainError(errno.ELOOP, f"{step} is a link, which is not followed")
        yield folder, last
        return
    place = os.open(folder, os.O_RDONLY | FOLDER)
    try:
        for step in between:
            place, above = _opened(place, step, os.O_RDONLY | FOLDER, 0, stat.S_ISDIR), place
            os.close(above)
        yield place, last
    finally:
        os.close(place)


def _opened(place: Place, name: str, flags: int, mode: int, is_wanted: Any = stat.S_ISREG) -> int:
    """A file in an open folder, of the wanted kind and no link."""
    with suppress(FileNotFoundError):  # opening a device may already do something, so it is looked at before
        _refuse(name, os.stat(**_at(place, name), follow_symlinks=False).st_mode, is_wanted)
    try:
        file = os.open(**_at(place, name), flags=flags | NO_LINK, mode=mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise NotPlainError(errno.ELOOP, "it is a link, which is not followed") from None
        raise
    try:
        _refuse(name, os.fstat(file).st_mode, is_wanted)
    except OSError:
        os.close(file)
        raise
    return file


def _refuse(name: str, mode: int, is_wanted: Any) -> None:
    if stat.S_ISLNK(mode):
        raise NotPlainError(errno.ELOOP, "it is a link, which is not followed")
    if not is_wanted(mode):
        raise NotPlainError(errno.EINVAL, f"{name} is not a plain {'file' if is_wanted is stat.S_ISREG else 'folder'}")


def _replaced(place: Place, new: str, name: str) -> None:
    """Windows refuses while somebody reads what is there, such as the reader of a run folder or a virus scanner."""
    if isinstance(place, int):
        os.replace(new, name, src_dir_fd=place, dst_dir_fd=place)
        os.fsync(place)  # a name is on the disk when its folder is
        return
    for pause in PAUSES:
        with suppress(PermissionError):
            os.replace(place / new, place / name)
            return
        time.sleep(pause)
    os.replace(place / new, place / name)


def _at(place: Place, name: str) -> dict[str, Any]:
    """The arguments with which functions of the system find a name in a folder."""
    return {"path": name, "dir_fd": place} if isinstance(place, int) else {"path": place / name}
