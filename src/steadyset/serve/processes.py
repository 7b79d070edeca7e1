"""Which process is meant, before it is asked to end: a number proves nothing, and the system gives it out again."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from steadyset.io import beneath

SYSTEM = Path("/proc")


def born(pid: int) -> str:
    """When a process began, as the system tells it; "" where there is none. It and the number are one process."""
    try:
        return (SYSTEM / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "" if (SYSTEM / "self").exists() else _told("ps", "-o", "lstart=", "-p", str(pid))


def end(pid: int, birth: str, folder: Path, lock: str) -> bool:
    """Ask a process to end, if it is the one that began then and has the lock of this folder open."""
    if not birth or pid <= 1:
        return False
    with suppress(OSError):  # it has ended
        if not hasattr(os, "pidfd_open"):
            if born(pid) == birth and _holds(pid, folder, lock):
                os.kill(pid, signal.SIGTERM)
                return True
            return False
        handle = os.pidfd_open(pid)  # which stays the process that is looked at, whatever happens to its number
        try:
            if born(pid) == birth and _holds(pid, folder, lock):
                signal.pidfd_send_signal(handle, signal.SIGTERM)
                return True
        finally:
            os.close(handle)
    return False


def _holds(pid: int, folder: Path, name: str) -> bool:
    """Whether a process has a file open."""
    with beneath.opened(folder, name) as file:
        wanted = os.fstat(file)
    open_files = SYSTEM / str(pid) / "fd"
    if not (SYSTEM / "self").exists():
        return str(pid) in _told("lsof", "-t", os.path.abspath(folder / name)).split()
    for one in open_files.iterdir():
        with suppress(OSError):
            if os.path.samestat(one.stat(), wanted):
                return True
    return False


def _told(*command: str) -> str:
    """What a program of the system prints; "" where there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
