"""How far a run folder is, seen from outside: nothing is asked of the process that works on it."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from steadyset.io.run_files import CELLS, DATABASE, FINISHED, SETTINGS, TABLE, TRIALS, is_locked
from steadyset.serve.orders import ASKED, COMPLAINT, HELD, PAUSED, SAID, STOPPED, WAITING
from steadyset.serve.queueing import is_held
from steadyset.serve.shelf import Run

RUNNING, FINISHED_STATE, FAILED, INTERRUPTED = "running", "finished", "failed", "interrupted"
LONGEST_SAID = 1 << 16
COUNT = "select count(*) from trials where state in ('COMPLETE', 'PRUNED')"
QUIET = 15.0  # seconds without a word from a tuning, which writes at least every five
ON_ALL_ROWS = "--1.json"


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


def progress_of(run: Run) -> Progress:
    """What the files of a run folder say."""
    done, total = _of_tuning(run) if run.kind == "tuning" else _of_assessment(run)
    state, complaint = _state(run, done, total), _complaint(run.path)
    until = _until(settings_of(run.path))
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
    table = run.path / (TRIALS if run.kind == "tuning" else TABLE)
    return FINISHED_STATE if table.exists() and done >= total else INTERRUPTED


def _until(settings: dict[str, Any]) -> str:
    """When an assessment ends that goes by the width of its intervals; "" for others."""
    rule = settings.get("details", {}).get("automatic")
    if not isinstance(rule, dict):
        return ""
    width, most = rule.get("width", 0.0), rule.get("max_runs", 0)
    each = " of each selector" if len(settings.get("selectors", ())) > 1 else ""
    return f"it stops when every interval is narrower than {width:g}, after at most {most:,} runs{each}"


def stamps(folder: Path) -> tuple[int, ...]:
    """What changes when anything happens in a run folder; reading it costs a few calls of the system."""
    files = (FINISHED, CELLS, SETTINGS, TABLE, DATABASE, ASKED, HELD, TRIALS)
    return (
        int(is_held(folder)),
        int(is_locked(folder)),
        int(_beats(folder)),
        *(_stamp(folder / name) for name in files),
    )


def said(folder: Path) -> str:
    """What the command printed, its end where it is long."""
    with suppress(OSError), (folder / SAID).open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - LONGEST_SAID))
        return file.read().decode("utf-8", "replace")
    return ""


def settings_of(folder: Path) -> dict[str, Any]:
    """The settings of an assessment; empty before it has written them."""
    stamp = _stamp(folder / SETTINGS)
    return _settings(folder, stamp) if stamp else {}


def _of_assessment(run: Run) -> tuple[int, int]:
    settings = settings_of(run.path)
    if not settings:
        return 0, 0
    single = 0
    with suppress(OSError):
        names = os.listdir(run.path / FINISHED)
        single = sum(name.endswith(".json") and not name.endswith(ON_ALL_ROWS) for name in names)
    packed = _packed(run.path / CELLS, _stamp(run.path / CELLS))
    total = len(settings.get("selectors", ())) * _whole(settings.get("details", {}).get("n_runs"))
    done = single + packed
    return (done, total) if total else (done, done)


def _of_tuning(run: Run) -> tuple[int, int]:
    total = _whole(run.order.options.get("trials")) if run.order is not None else 0
    return int(recorded(run.path / DATABASE, COUNT) or 0), total


def _beats(folder: Path) -> bool:
    """Whether a tuning in a terminal, which holds no lock, has lately written, and not its last words."""
    last = _stamp(folder / DATABASE)
    return last > _stamp(folder / TRIALS) and time.time() - last / 1e9 < QUIET


def recorded(path: Path, query: str) -> Any:
    """The first value of a query to the database of a tuning; None where there is none."""
    with suppress(sqlite3.Error):
        if path.exists():
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=1)) as database:
                found = database.execute(query).fetchone()
                return None if found is None else found[0]
    return None


def _complaint(folder: Path) -> str:
    """The last sentence with which the command refused to work."""
    lines = [line for line in said(folder).splitlines() if line.startswith(COMPLAINT)]
    return lines[-1].removeprefix(COMPLAINT) if lines else ""


@lru_cache(maxsize=256)
def _settings(folder: Path, stamp: int) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        content = json.loads((folder / SETTINGS).read_bytes())
        if isinstance(content, dict):
            return {key: content[key] for key in ("selectors", "details") if isinstance(content.get(key), dict)}
    return {}


@lru_cache(maxsize=256)
def _packed(path: Path, stamp: int) -> int:
    """The packed runs; fits on all rows are none."""
    if not stamp:
        return 0
    import pyarrow as pa
    from pyarrow import parquet

    with suppress(OSError, pa.ArrowException):
        runs = parquet.read_table(path, columns=["run"]).column("run").to_numpy()
        return int((runs >= 0).sum())
    return 0


def _whole(value: Any) -> int:
    """A number that a file holds; 0 where a damaged one holds something else."""
    return value if isinstance(value, int) else 0


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
