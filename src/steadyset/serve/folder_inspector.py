"""What the files of a run folder say, read in a process of its own: a stranger's folder ends it, never the server.

One process looks at one folder after the other; it is ended and started again where a folder takes it too long, too
much memory or its life. It is asked and answers in lines of JSON.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from steadyset.io import beneath
from steadyset.io.disk import CELLS, DATABASE, SETTINGS, refuse_odd_tables

SECONDS = 5.0  # that one folder may take, and as long again where the process has to be started
MAX_BYTES, SPARE_BYTES = 256 << 20, 2 << 30  # of a file, and of memory
MAX_ANSWER = 8 << 20
COUNT = "select count(*) from trials where state in ('COMPLETE', 'PRUNED')"
JOB_QUERY = "select value_json from study_user_attributes where key = 'job'"
NO_ANSWER = "reading it takes too much time or memory"
EVERY = 1_000_000  # steps of a query between two looks at the clock


class FolderFacts(NamedTuple):
    """What a run folder says.

    Attributes
    ----------
    selectors : their number
    n_runs : how many runs of each were asked for; 0: unknown
    until : width of the intervals at which an assessment ends, and its most runs; None where it has a number of runs
    packed : finished runs in the packed file, without fits on all rows
    tried : finished configurations of a tuning
    job : the command and the options that began it
    damaged : what is wrong with the folder, "" where nothing is
    """

    selectors: tuple[str, ...] = ()
    n_runs: int = 0
    until: tuple[float, int] | None = None
    packed: int = 0
    tried: int = 0
    job: dict[str, Any] | None = None
    damaged: str = ""


class Inspector:
    """Asks the process that looks; what a folder said is known until one of its files changes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._known: dict[Path, tuple[tuple[int, ...], FolderFacts]] = {}
        atexit.register(self.close)

    def inspect(self, folder: Path) -> FolderFacts:
        """What the files of a folder say."""
        stamp = tuple(beneath.modified(folder, name) for name in (SETTINGS, CELLS, DATABASE))
        with self._lock:
            if folder not in self._known or self._known[folder][0] != stamp:
                self._known[folder] = stamp, self._asked(folder)
            return self._known[folder][1]

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()

    def _asked(self, folder: Path) -> FolderFacts:
        if not any(os.path.lexists(folder / name) for name in (SETTINGS, CELLS, DATABASE)):
            return FolderFacts()
        for _ in range(2):  # a process that was ended from outside is no fault of the folder
            if self._process is None or self._process.poll() is not None:
                self.close()
                self._process = _started()
            answer = self._answer(os.fsencode(folder))
            if answer is not None:
                return answer
            self.close()
        return FolderFacts(damaged=NO_ANSWER)

    def _answer(self, path: bytes) -> FolderFacts | None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        found, end = b"", time.monotonic() + 2 * SECONDS
        try:
            process.stdin.write(json.dumps(os.fsdecode(path)).encode() + b"\n")
            process.stdin.flush()
            while not found.endswith(b"\n") and len(found) < MAX_ANSWER:
                if not select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
                    return None
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    return None
                found += part
            content = json.loads(found)
        except (OSError, ValueError, RecursionError):
            return None
        until = content["until"]
        return FolderFacts(
            **{**content, "selectors": tuple(content["selectors"]), "until": until and (until[0], until[1])}
        )


def facts_in(folder: Path) -> FolderFacts:
    """In the other process: what the files of a folder say."""
    try:
        settings = _settings(folder)
        packed = _packed(folder)
        tried, job = _tuning(folder)
    except FileNotFoundError as error:
        return FolderFacts(damaged=f"{Path(str(error.filename)).name} is gone")
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        text = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return FolderFacts(damaged=text.splitlines()[0][:200].rstrip("."))
    return FolderFacts(*settings[:3], packed, tried, job or settings[3])


def _settings(folder: Path) -> tuple[tuple[str, ...], int, tuple[float, int] | None, dict[str, Any] | None]:
    if not os.path.lexists(folder / SETTINGS):
        return (), 0, None, None
    content = json.loads(beneath.read(folder, SETTINGS, MAX_BYTES))
    selectors = _entry(content, "selectors", dict)
    details = _entry(content, "details", dict)
    rule = _entry(details, "automatic", dict)
    until = (float(_entry(rule, "width", (int, float))), int(_entry(rule, "max_runs", int))) if rule else None
    if not all(isinstance(text, str) for text in selectors.values()):
        raise ValueError(f"{SETTINGS} has selectors that are no texts")
    return tuple(selectors), _entry(details, "n_runs", int), until, _entry(details, "job", dict) or None


def _entry(content: Any, name: str, kind: Any) -> Any:
    """An entry of the settings; the empty one of its kind where there is none."""
    if not isinstance(content, dict):
        raise ValueError(f"{SETTINGS} holds no object")
    found = content.get(name)
    if found is None:
        return kind[0]() if isinstance(kind, tuple) else kind()
    if not isinstance(found, kind) or isinstance(found, bool):
        raise ValueError(f"{SETTINGS} has {name} of another kind")
    return found


def _packed(folder: Path) -> int:
    """The packed runs; fits on all rows are none."""
    if not os.path.lexists(folder / CELLS):
        return 0
    import pyarrow as pa
    from pyarrow import parquet

    try:
        runs = parquet.read_table(pa.BufferReader(beneath.read(folder, CELLS, MAX_BYTES)), columns=["run"])
        return int((runs.column("run").to_numpy() >= 0).sum())
    except (pa.ArrowException, KeyError, TypeError) as error:
        raise ValueError(f"{CELLS}: {error}") from None


def _tuning(folder: Path) -> tuple[int, dict[str, Any] | None]:
    """How many configurations a tuning has finished, and its job.

    The database is read into memory: its file is opened without following a link, and nobody waits for its lock.
    """
    if not os.path.lexists(folder / DATABASE):
        return 0, None
    content = beneath.read(folder, DATABASE, MAX_BYTES)
    if not content:  # a tuning is about to make it
        return 0, None
    end = time.monotonic() + SECONDS
    with closing(sqlite3.connect(":memory:")) as database:
        database.set_progress_handler(lambda: time.monotonic() > end, EVERY)
        try:
            database.deserialize(content)
            refuse_odd_tables(database, DATABASE)
            job = json.loads(_first(database, JOB_QUERY) or "null")
            return int(_first(database, COUNT) or 0), job if isinstance(job, dict) else None
        except (sqlite3.Error, OverflowError):  # it is being made, or written at this moment
            return 0, None


def _first(database: sqlite3.Connection, query: str) -> Any:
    found = database.execute(query).fetchone()
    return None if found is None else found[0]


def _started() -> subprocess.Popen[bytes]:
    """The process that looks; it ends with the server, whose end closes its input."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "steadyset.serve.folder_inspector"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is the server's
    )


def _main() -> None:
    from steadyset.serve.sandbox import limit_memory

    limit_memory(SPARE_BYTES)
    for line in sys.stdin.buffer:
        found = facts_in(Path(json.loads(line)))
        sys.stdout.write(json.dumps(found._asdict()) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _main()
