"""The files of run folders by their names, and whether a folder is in use: for its writers, and for those who look."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

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
        with path.open("rb") as file:
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
