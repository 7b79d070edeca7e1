"""The files of run folders by their names, and whether a folder is in use: for its writers, and for those who look."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from inspect import signature
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from steadyset.foundation.errors import InputError
from steadyset.io import beneath

# Of an assessment.
SETTINGS = "assessment.json"  # the file that makes a folder the run folder of an assessment
CELLS, FINISHED, LOCK = "cells.parquet", "finished", "lock"
ALIKE_FEATURES, TABLE = "alike.parquet", "features.csv"
# Of a tuning.
DATABASE, TRIALS, CHOSEN, RANKINGS = "trials.db", "trials.csv", "chosen.csv", "rankings"
RECORDED_METHODS, RECORDED_FINDINGS = "methods.json", "findings.json"
MOMENT = 0.2  # seconds: who only asks whether the lock is taken holds it for less


def lock_at(path: Path) -> FileLock:
    """A lock that ends with its process. Where a disk has none, taking it fails.

    Newer versions of filelock would use a file in its place, which stays when a process is killed.
    """
    strict: dict[str, Any] = {"fallback_to_soft": False} if "fallback_to_soft" in signature(FileLock).parameters else {}
    return FileLock(path, **strict)


def database_of(folder: Path) -> Path:
    """The database of a tuning, which may not be there yet; a sentence where it is not one that a tuning made.

    Tunings make neither views nor triggers; a stranger's may never end.
    """
    path = folder / DATABASE
    try:
        with beneath.opened(folder, DATABASE):
            pass
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1)) as database:
            odd = database.execute("select name from sqlite_master where type in ('view', 'trigger')").fetchone()
    except FileNotFoundError:
        return path
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
    except sqlite3.Error:  # whoever opens it says what is wrong with it
        return path
    if odd is not None:
        raise InputError(f"{path} was not made by a tuning: it holds views or triggers.")
    return path


def is_locked(folder: Path) -> bool:
    """Whether a process works on the run folder of an assessment."""
    return _is_taken(folder / LOCK)


def _is_taken(path: Path) -> bool:
    """Whether a lock is held; those who ask at the same time do not take each other for its holder."""
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
    lock = lock_at(path)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return True
    except (OSError, NotImplementedError):  # it cannot be locked, or its disk has no locks
        return False
    lock.release()
    return False
