"""How far a run folder is, seen from outside: nothing is asked of the process that works on it."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyset.io import beneath
from steadyset.io.run_files import CELLS, DATABASE, FINISHED, SETTINGS, TABLE, TRIALS, is_locked
from steadyset.serve.looking import Looker, Seen
from steadyset.serve.orders import ASKED, COMPLAINT, HELD, PAUSED, SAID, STOPPED, WAITING
from steadyset.serve.queueing import is_held
from steadyset.serve.shelf import Run

RUNNING, FINISHED_STATE, FAILED, INTERRUPTED = "running", "finished", "failed", "interrupted"
FOUND, DAMAGED = "found", "damaged"
LONGEST_SAID = 1 << 16
QUIET = 15.0  # seconds without a word from a tuning, which writes at least every five
ON_ALL_ROWS = "--1.json"
_looker = Looker()


@dataclass(frozen=True)
class Progress:
    """A state in a word, how many of how many are finished (0: unknown), and what the command complained of.

    Runs that are added until intervals are narrow have no total; `until` says when they end.
    """

    state: str
    done: int
    total: int
    complaint: str = ""
    until: str = ""

    @property
    def lives(self) -> bool:
        """Whether it may still change by itself."""
        return self.state in (RUNNING, WAITING)


def seen(folder: Path) -> Seen:
    """What the files of a run folder say, as another process read them."""
    return _looker.look(folder)


def progress_of(run: Run) -> Progress:
    """What the files of a run folder say."""
    found = seen(run.path)
    if found.damaged:
        return Progress(DAMAGED, 0, 0, f"This folder is damaged, or was not made by steadyset: {found.damaged}.")
    done, total = _of_tuning(run, found) if run.kind == "tuning" else _of_assessment(run, found)
    state, complaint = _state(run, done, total), _complaint(run.path)
    until = _until(found)
    if state == FINISHED_STATE and (until or not total):
        return Progress(state, done, done)
    return Progress(state, done, 0 if until else total, complaint if state == FAILED else "", until)


def _state(run: Run, done: int, total: int) -> str:
    asked = None if run.order is None else run.order.state
    if is_held(run.path) or is_locked(run.path) or (asked is None and _beats(run.path)):
        return RUNNING
    if asked in (WAITING, PAUSED, STOPPED):
        return str(asked)
    if _complaint(run.path):
        return FAILED
    if beneath.modified(run.path, TRIALS if run.kind == "tuning" else TABLE) and done >= total:
        return FINISHED_STATE
    return FOUND if run.found is not None else INTERRUPTED


def _until(found: Seen) -> str:
    """When an assessment ends that goes by the width of its intervals; "" for others."""
    if found.until is None:
        return ""
    width, most = found.until
    each = " of each selector" if len(found.selectors) > 1 else ""
    return f"it stops when every interval is narrower than {width:g}, after at most {most:,} runs{each}"


def stamps(folder: Path) -> tuple[int, ...]:
    """What changes when anything happens in a run folder; reading it costs a few calls of the system."""
    files = (FINISHED, CELLS, SETTINGS, TABLE, DATABASE, ASKED, HELD, TRIALS)
    return (
        int(is_held(folder)),
        int(is_locked(folder)),
        int(_beats(folder)),
        *(beneath.modified(folder, name) for name in files),
    )


def said(folder: Path) -> str:
    """What the command printed, its end where it is long."""
    with suppress(OSError), beneath.opened(folder, SAID) as file:
        os.lseek(file, max(0, os.fstat(file).st_size - LONGEST_SAID), os.SEEK_SET)
        return os.read(file, LONGEST_SAID).decode("utf-8", "replace")
    return ""


def _of_assessment(run: Run, found: Seen) -> tuple[int, int]:
    if not found.selectors:
        return 0, 0
    names: list[str] = []
    with suppress(OSError):
        names = beneath.names(run.path, FINISHED)
    single = sum(name.endswith(".json") and not name.endswith(ON_ALL_ROWS) for name in names)
    done, total = single + found.packed, len(found.selectors) * found.n_runs
    return (done, total) if total else (done, done)


def _of_tuning(run: Run, found: Seen) -> tuple[int, int]:
    return found.tried, _whole(run.order.options.get("trials")) if run.order is not None else 0


def _beats(folder: Path) -> bool:
    """Whether a tuning in a terminal, which holds no lock, has lately written, and not its last words."""
    last = beneath.modified(folder, DATABASE)
    return last > beneath.modified(folder, TRIALS) and 0 <= time.time() - last / 1e9 < QUIET


def _complaint(folder: Path) -> str:
    """The last sentence with which the command refused to work."""
    lines = [line for line in said(folder).splitlines() if line.startswith(COMPLAINT)]
    return lines[-1].removeprefix(COMPLAINT) if lines else ""


def _whole(value: Any) -> int:
    """A number that a file holds; 0 where a damaged one holds something else."""
    return value if isinstance(value, int) else 0
