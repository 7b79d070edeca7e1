"""Where files and folders are, and the one way to write them: whole or not at all, and on the disk when it is said.

The files of run folders are here by their names, with what tells whether a folder is in use: for its writers, and for
those who look.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.io import beneath

if TYPE_CHECKING:
    import sqlite3

    from filelock import FileLock


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
    beside = path.with_name(beneath.part_name(path.name))
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


# Of an assessment.
SETTINGS = "assessment.json"  # the file that makes a folder the run folder of an assessment
CELLS, FINISHED, LOCK = "cells.json", "finished", "lock"
ALIKE_FEATURES, TABLE, VALUES = "alike.json", "features.csv", "values.json"
PREDICTIONS = "predictions.parquet"
# Of a shortlist.
LIST, TARGETS = "shortlist.json", "targets"
LIST_TABLE, LIST_SHEET, LIST_NAMES = "shortlist.csv", "shortlist.xlsx", "shortlist.txt"
CERTAIN_LIST = "findings-of-list.json"  # while prediction, repeats and what would help are computed
# Of a tuning.
DATABASE, TRIALS, CHOSEN, RANKINGS = "trials.db", "trials.csv", "chosen.csv", "rankings"
RECORDED_FINDINGS = "findings.json"
# Of a replication, and of studies that are compared: what its parts are called, and how many runs each makes.
REPLICATION, LEFT_OUT, STUDY = "replication.json", "left-out", "study-"
SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")  # the end of a journal that names a further one
ODD_TABLES = {
    "views or triggers": "select 1 from sqlite_master where type in ('view', 'trigger')",
    "virtual tables": "select 1 from sqlite_master where sql like 'create virtual%'",
    "computed columns": "select 1 from sqlite_master as made join pragma_table_xinfo(made.name) where hidden > 0",
}
MOMENT = 0.2  # seconds: who only asks whether the lock is taken holds it for less


def lock_at(path: Path) -> FileLock:
    """A lock that ends with its process. Where a disk has none, taking it fails.

    Newer versions of filelock would use a file in its place, which stays when a process is killed.
    """
    from filelock import FileLock

    strict: dict[str, Any] = {"fallback_to_soft": False} if "fallback_to_soft" in signature(FileLock).parameters else {}
    return FileLock(path, **strict)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out; the system lets go of the lock when this process ends, however it ends."""
    from filelock import Timeout

    with explained(folder, resumable=True):
        folder.mkdir(parents=True, exist_ok=True)
        lock = lock_at(folder / LOCK)
        try:
            lock.acquire(timeout=MOMENT)
        except Timeout:
            raise InputError(f"{folder} is in use by another process; wait for it or choose another folder.") from None
        except (NotImplementedError, OSError) as error:  # what versions of filelock raise there
            if isinstance(error, OSError) and error.errno != errno.ENOSYS:
                raise
            raise InputError(f"{folder} is on a disk without locks; choose a folder on another disk.") from None
    try:
        yield
    finally:
        lock.release()


def connect_to_database(folder: Path) -> sqlite3.Connection:
    """A connection to the database of a tuning, made if it is not there; a sentence where a stranger prepared it.

    SQLite opens files by name. It resolves links when it connects, keeps the name that it ended at, opens the last part
    without following a link, and neither reads nor writes before the first statement about a table. So a link that took
    the place of the file after any check shows in the name that the connection itself reports, on systems without /proc
    too (a path through /proc/self/fd would be resolved to a name again). Every connection is checked, not only one.
    """
    import sqlite3

    expected = Path(os.path.realpath(folder)) / DATABASE
    try:
        _refuse_prepared_journal(folder)
        flags = os.O_RDONLY if os.path.lexists(expected) else os.O_RDWR | os.O_CREAT
        with beneath.opened(folder, DATABASE, flags):  # SQLite itself would make the file where a link leads to nothing
            pass
    except OSError as error:
        raise InputError(f"{folder / DATABASE} cannot be read: {error.strerror or error}.") from None
    # Writers make each other wait; on a slow disk longer than the five seconds of SQLite.
    connection = sqlite3.connect(f"{expected.as_uri()}?mode=rw", uri=True, timeout=60, check_same_thread=False)
    try:
        opened = connection.execute("pragma database_list").fetchone()[2]
        if os.path.normcase(opened) != os.path.normcase(expected):
            raise InputError(f"{folder / DATABASE} cannot be read: it is a link, which is not followed.")
        refuse_odd_tables(connection, str(folder / DATABASE))
    except BaseException as error:
        connection.close()
        if type(error) is sqlite3.DatabaseError:  # a locked database and a full disk have classes of their own
            raise InputError(f"{folder / DATABASE} cannot be read: {error}.") from None
        raise
    return connection


def refuse_odd_tables(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a database with what no tuning makes: reading a stranger's views and computed columns may never end."""
    connection.execute("pragma trusted_schema = off")
    for what, query in ODD_TABLES.items():
        if connection.execute(query).fetchone() is not None:
            raise InputError(f"{name} was not made by a tuning: it holds {what}.")


def _refuse_prepared_journal(folder: Path) -> None:
    """Refuse a database that has another name elsewhere, and a journal beside it that names a further file.

    The journal of a transaction that was cut off is rolled back by whoever opens the database next. One that ends with
    the name of a super-journal makes SQLite delete that file, which may be any file of the user. Only transactions over
    several databases have one, and a tuning has a single database. SQLite writes to all of these files in place, so
    a second name of one, a hard link, would be changed along with it.
    """
    for ending in ("", "-journal", "-wal", "-shm"):
        with suppress(FileNotFoundError), beneath.opened(folder, f"{DATABASE}{ending}") as file:
            if os.fstat(file).st_nlink > 1:
                raise InputError(f"{folder / DATABASE}{ending} has a second name (a hard link); use a copy of it.")
            os.lseek(file, -min(len(SUPER_JOURNAL), os.fstat(file).st_size), os.SEEK_END)
            if os.read(file, len(SUPER_JOURNAL)) == SUPER_JOURNAL:
                raise InputError(f"{folder / DATABASE}{ending} was not made by a tuning: it names another file.")


def study_folders(folder: Path) -> list[str]:
    """The folders of its parts in the run folder of studies that are compared; none in any other."""
    with suppress(OSError):
        found = beneath.names(folder, ".")
        return [name for name in found if name == LEFT_OUT or name.removeprefix(STUDY).isdecimal()]
    return []


def is_locked(folder: Path, lock: str = LOCK) -> bool:
    """Whether a process works on the run folder of an assessment, or holds another lock in it.

    Those who ask at the same time do not take each other for its holder.
    """
    path = folder / lock
    try:
        import fcntl
    except ImportError:  # on Windows
        return path.exists() and _cannot_be_taken(path)
    try:
        with beneath.opened(path.parent, path.name) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # nobody has worked there yet, or it cannot be locked
        return False
    return False


def _cannot_be_taken(path: Path) -> bool:
    from filelock import Timeout

    lock = lock_at(path)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return True
    except (OSError, NotImplementedError):  # it cannot be locked, or its disk has no locks
        return False
    lock.release()
    return False
