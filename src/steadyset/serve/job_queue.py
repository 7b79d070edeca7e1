"""The queue: every order is `steadyset run`, in a process of its own that goes on without the server.

A process inherits a lock on the file `held` in its run folder: any server, also one that is started later, sees whether
it lives, and waits for its end without asking again and again. Only orders with the seal of this user's pages are
started or ended: a run folder may be a stranger's.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from steadyset.foundation.errors import InputError
from steadyset.io import beneath
from steadyset.io.disk import explained, is_locked
from steadyset.serve import run_store

# Without the folder of the page among the places of modules: its files are strangers'.
PROGRAM = (sys.executable, "-P", "-m", "steadyset", "run", "-")
SYSTEM = Path("/proc")


class Queue:
    """Starts orders in their sequence, as many at once as the cores allow."""

    def __init__(self, store: run_store.RunStore, cores: int | None = None, program: Sequence[str] = PROGRAM) -> None:
        self.store, self.program = store, program
        self.cores = cores or os.cpu_count() or 1
        self.ended: Callable[[str], None] = lambda name: None  # is told who has
        self._running: dict[str, int] = {}  # cores by name
        self._lock = threading.RLock()

    def begin(self) -> None:
        """Find what runs already, and start what waits."""
        with self._lock:
            for run in self.store.runs():
                if run.order is not None and is_held(run.path):
                    self._watch(run.name, run.order.cores, None)
            self._start_waiting()

    def submit(self, name: str, order: run_store.Order) -> None:
        """Put an order at the end of the queue; a person gives it."""
        path = self.store.place(name)
        self.store.refuse_data_elsewhere(order.job)
        with self._lock:
            if is_held(path):
                raise InputError(f"{name} is running; pause it first.")
            last = max((run.order.number for run in self.store.runs() if run.order is not None), default=0)
            run_store.write_order(path, order.but(state=run_store.WAITING, number=last + 1))
            self._start_waiting()

    def ahead(self, run: run_store.Run) -> list[str]:
        """What a waiting run waits for: what runs, and what was ordered before it."""
        number = run.order.number if run.order is not None else 0
        runs = [(one, one.order) for one in self.store.runs() if one.order is not None]
        before = [one for one, order in runs if order.state == run_store.WAITING and order.number < number]
        return [one.name for one, _ in runs if one in before or is_held(one.path)]

    def moved(self, run: run_store.Run, order: run_store.Order) -> None:
        """Put down the order of a run folder that got another name."""
        with self._lock:
            run_store.write_order(run.path, order)

    def end(self, run: run_store.Run, state: str) -> None:
        """End the process after its current runs, which are kept: PAUSED until it is resumed, or STOPPED for good."""
        with self._lock:
            order = run_store.read_order(run.path)  # it may have been started since the run was looked at
            if order is None:
                raise InputError(f"{run.name} was not started from this page; stop it where it was started.")
            held = is_held(run.path)
            run_store.write_order(run.path, order.but(state=state))
            if held and not end(order.pid, order.born, run.path, run_store.HELD):
                raise InputError(f"{run.name} is held by a process that this page did not start; stop it there.")

    def _start_waiting(self) -> None:
        waiting = [run for run in self.store.runs() if run.order is not None and run.order.state == run_store.WAITING]
        for run in sorted(waiting, key=lambda run: run.order.number if run.order else 0):
            assert run.order is not None
            needed = min(run.order.cores, self.cores)
            if sum(self._running.values()) + needed > self.cores:
                return
            if not is_held(run.path):
                try:
                    self._start(run, run.order, needed)
                except InputError as error:  # an order that cannot be started is in the way of no other
                    self._refused(run, run.order, error)

    def _start(self, run: run_store.Run, order: run_store.Order, cores: int) -> None:
        # The folder may have another name than when it was ordered.
        options = {**order.options, "out": run.name}
        if beneath.modified(run.path, run.kind.mark) > 0:
            options["resume"] = True
        job = json.dumps({"command": order.command, "options": options})
        with explained(run.path), beneath.opened(run.path, run_store.HELD, os.O_RDWR | os.O_CREAT, 0o600) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            beneath.remove(run.path, run_store.SAID)
            with (
                tempfile.TemporaryFile() as given,  # what was checked, whatever becomes of the file in the folder
                beneath.opened(run.path, run_store.SAID, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600) as said,
            ):
                given.write(job.encode())
                given.seek(0)
                process = subprocess.Popen(
                    self.program,
                    cwd=self.store.path,
                    stdin=given,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                    pass_fds=[lock],
                    start_new_session=True,  # Ctrl-C ends the server alone
                )
            run_store.write_order(run.path, order.but(state=run_store.STARTED, pid=process.pid, born=born(process.pid)))
        self._watch(run.name, cores, process)

    def _refused(self, run: run_store.Run, order: run_store.Order, error: InputError) -> None:
        """Keep why an order was not started where its run shows it."""
        with suppress(OSError, InputError):  # the folder may be what cannot be written
            beneath.write(run.path, run_store.SAID, f"{run_store.COMPLAINT}{error}\n".encode())
            run_store.write_order(run.path, order.but(state=run_store.STARTED, pid=0, born=""))

    def _watch(self, name: str, cores: int, process: subprocess.Popen[bytes] | None) -> None:
        self._running[name] = cores
        threading.Thread(target=self._wait, args=(name, process), daemon=True).start()

    def _wait(self, name: str, process: subprocess.Popen[bytes] | None) -> None:
        """Sleep until a process has ended; then there is room for the next one."""
        if process is not None:
            process.wait()
        else:
            with suppress(OSError), beneath.opened(self.store.path / name, run_store.HELD) as lock:
                fcntl.flock(lock, fcntl.LOCK_SH)
        with self._lock:
            self._running.pop(name, None)
            with suppress(OSError, InputError):  # the folder may be gone
                self._start_waiting()
        self.ended(name)


def is_held(folder: Path) -> bool:
    """Whether the process of an order lives."""
    return is_locked(folder, run_store.HELD)


# ---- which process is meant: a number proves nothing, and the system gives it out again -----------------------------


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
        # Where the system has such handles, one stays the process that is looked at, whatever becomes of its number.
        handle = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
        try:
            if born(pid) == birth and _holds(pid, folder, lock):
                if handle is None:
                    os.kill(pid, signal.SIGTERM)
                else:
                    signal.pidfd_send_signal(handle, signal.SIGTERM)
                return True
        finally:
            if handle is not None:
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
