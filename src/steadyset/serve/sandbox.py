"""Computations in processes of their own: a hostile or huge file ends such a process, never the server.

A computation is a function of `sandboxed` in a process that is forked for it; the one that has parsed a table waits
for further questions about it, so that a table is parsed once. What a run folder says, which is asked
often, comes from one process that looks at one folder after the other; it is ended and started again where a folder
takes it too long, too much memory or its life.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import hashlib
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from steadyset.foundation.errors import Argument, InputError, SteadysetError
from steadyset.io import beneath
from steadyset.io.disk import CELLS, DATABASE, LEFT_OUT, REPLICATION, SETTINGS, refuse_odd_tables, study_folders

SECONDS = 120.0
KEPT_SECONDS = 900.0  # that a process waits for the next task
MAX_GB = 8.0  # of memory for one computation; less where the machine has not as much for all of them
SPARE_GB = 4.0  # of addresses that libraries take beside the data
# The library that draws takes far more addresses than memory; what it draws has been read within the limit before.
DRAWING = ("selections_page", "write_report", "write_paragraphs", "compared")
FOLDER_SECONDS = 5.0  # that one folder may take, and as long again where the process has to be started
MAX_BYTES, SPARE_BYTES = 256 << 20, 2 << 30  # of a file in a folder, and of memory to look at it
MAX_ANSWER = 8 << 20
COUNT = "select count(*) from trials where state in ('COMPLETE', 'PRUNED')"
JOB_QUERY = "select value_json from study_user_attributes where key = 'job'"
NO_ANSWER = "reading it takes too much time or memory"
EVERY = 1_000_000  # steps of a query between two looks at the clock


class RefusedError(InputError):
    """What a computation refused; `ways` are the arguments with values that its sentence proposes."""

    ways: tuple[Argument, ...] = ()


class TooLongError(InputError):
    """A computation took longer than it may here."""


class Worker(NamedTuple):
    """A process that computes, and the pipe to it."""

    process: Any
    pipe: Connection

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()


class Sandbox:
    """Computes in other processes, a few at a time, each with limits of time and memory."""

    def __init__(self, at_once: int = 2, max_gb: float | None = None) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["steadyset.serve.sandboxed"])
        self._turns = asyncio.Semaphore(at_once)
        self._max_gb = min(MAX_GB, _memory_gb() / (at_once + 1)) if max_gb is None else max_gb
        self._kept: dict[str, Worker] = {}
        self._keeping = threading.Lock()

    def begin(self) -> None:
        """Load what the tasks need, so that the first of them does not wait for it."""
        process = self._context.Process(target=_loaded, daemon=True)
        process.start()
        process.join()

    async def call(self, task: str, *arguments: Any, seconds: float = SECONDS, keep: str = "") -> Any:
        """What a function of steadyset.serve.sandboxed returns; an InputError with one sentence where it cannot.

        Tasks are called by name, so that the server itself never imports what they need. With `keep`, such as the name
        of a table, the process waits for the next task of that name, and knows what it has read.
        """
        async with self._turns:
            loop, used = asyncio.get_running_loop(), list[Worker]()
            called = functools.partial(self._call, task, arguments, seconds, keep, used)
            try:
                return await loop.run_in_executor(None, called)
            except asyncio.CancelledError:  # nobody waits for it any more
                for worker in used:
                    worker.process.kill()
                raise

    def _call(self, task: str, arguments: tuple[Any, ...], seconds: float, keep: str, used: list[Worker]) -> Any:
        worker = self._take(keep) or self._start(is_limited=task not in DRAWING)
        used.append(worker)
        answered = False
        try:
            worker.pipe.send((task, arguments))
            if not worker.pipe.poll(seconds):
                raise TooLongError(f"This took longer than {seconds:.0f} s and was stopped; use the command instead.")
            kind, content, ways = worker.pipe.recv()
            answered = True
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise InputError("The file cannot be read: it is damaged, or too large for the memory.") from None
        finally:
            if answered and keep:
                self.keep_only({keep: worker})
            else:
                worker.end()
        if kind == "refused":
            refused = RefusedError(content)
            refused.ways = ways
            raise refused
        return content

    def _start(self, *, is_limited: bool) -> Worker:
        ours, theirs = self._context.Pipe()
        max_gb = self._max_gb if is_limited else None
        process = self._context.Process(target=_answer, args=(theirs, max_gb), daemon=True)
        process.start()
        theirs.close()
        return Worker(process, ours)

    def _take(self, name: str) -> Worker | None:
        """The process that was kept under this name, if it still lives."""
        with self._keeping:
            worker = self._kept.pop(name, None)
        if worker is not None and not worker.process.is_alive():
            worker.end()
            return None
        return worker

    def keep_only(self, kept: dict[str, Worker]) -> None:
        """Keep the process of the last table alone, since each holds its table in memory; or none, at the end."""
        with self._keeping:
            others, self._kept = self._kept, kept
        for other in others.values():
            other.end()


def _memory_gb() -> float:
    """The memory of the machine; where it is not told, as if it were enough."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError):
        return float("inf")


def _loaded() -> None:
    """The process that is forked for each task has loaded everything by now."""


def _answer(pipe: Connection, max_gb: float | None) -> None:
    """In the other process: for each task the result, or the sentence of an error."""
    from steadyset.serve import sandboxed
    from steadyset.serve.forms import as_field

    if max_gb is not None:
        limit_memory(int((max_gb + SPARE_GB) * 2**30))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what native libraries print is no answer
    with suppress(EOFError):  # the server has ended
        while pipe.poll(KEPT_SECONDS):
            task, arguments = pipe.recv()
            try:
                pipe.send(("done", getattr(sandboxed, task)(*arguments), ()))
            except SteadysetError as error:
                ways = tuple(
                    part for part in error.args if isinstance(part, Argument) and part.value not in (None, ...)
                )
                pipe.send(("refused", error.told(as_field), ways))
            except MemoryError:
                pipe.send(("refused", "This needs more memory than is allowed here; use the command instead.", ()))


def limit_memory(n_bytes: int) -> None:
    """Let this process take no more than so many bytes beyond what it has, where the system can hold it to that."""
    with suppress(ImportError, OSError, ValueError):  # not everywhere
        import resource

        with open("/proc/self/statm", encoding="ascii") as sizes:
            taken = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + n_bytes, taken + n_bytes))


# ---- what a run folder says -----------------------------------------------------------------------------------------


class FolderFacts(NamedTuple):
    """What a run folder says.

    Attributes
    ----------
    selectors : their names
    n_runs : how many runs of each were asked for; 0: unknown
    until : width of the intervals at which an assessment ends, and its most runs; None where it has a number of runs
    packed : finished runs in the packed file, without fits on all rows
    parts : of a replication: by the folder of each part the name of its study, its runs, and those packed of them
    tried : finished configurations of a tuning
    job : the command and the options that began it
    target : what is predicted
    fits : the same for all folders with the same features, which can be compared; "" where nothing can
    damaged : what is wrong with the folder, "" where nothing is
    """

    selectors: Sequence[str] = ()
    n_runs: int = 0
    until: Sequence[float] | None = None
    packed: int = 0
    parts: Mapping[str, tuple[str, int, int]] = {}
    tried: int = 0
    job: dict[str, Any] | None = None
    target: str = ""
    fits: str = ""
    damaged: str = ""


class Inspector:
    """Asks the process that looks, in JSON; what a folder said is known until one of its files changes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._known: dict[Path, tuple[tuple[int, ...], FolderFacts]] = {}
        atexit.register(self.close)

    def inspect(self, folder: Path) -> FolderFacts:
        """What the files of a folder say."""
        stamp = tuple(beneath.modified(folder, name) for name in _said_by(folder))
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
        if self._pipe is not None:
            self._pipe.close()

    def _asked(self, folder: Path) -> FolderFacts:
        if not any(os.path.lexists(folder / name) for name in _said_by(folder)):
            return FolderFacts()
        for _ in range(2):  # a process that was ended from outside is no fault of the folder
            with suppress(OSError, EOFError, ValueError, RecursionError):
                pipe = self._running()
                pipe.send_bytes(json.dumps(str(folder)).encode())
                if pipe.poll(2 * FOLDER_SECONDS):
                    return FolderFacts(**json.loads(pipe.recv_bytes(MAX_ANSWER)))
            self.close()
        return FolderFacts(damaged=NO_ANSWER)

    def _running(self) -> Connection:
        """The pipe to the process, which is started where none lives; it ends with the server, whose end closes it."""
        if self._process is None or self._process.poll() is not None or self._pipe is None:
            self.close()
            self._pipe, theirs = multiprocessing.Pipe()
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "steadyset.serve.sandbox", str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is the server's
                )
        return self._pipe


def facts_in(folder: Path) -> FolderFacts:
    """In the other process: what the files of a folder say."""
    try:
        settings, target, fits = _settings(folder)
        packed, parts = _packed(folder), _parts(folder)
        tried, job = _tuning(folder)
    except FileNotFoundError as error:
        return FolderFacts(damaged=f"{Path(str(error.filename)).name} is gone")
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        text = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return FolderFacts(damaged=text.splitlines()[0][:200].rstrip("."))
    return FolderFacts(*settings[:3], packed, parts, tried, job or settings[3], target, fits)


Settings = tuple[Sequence[str], int, Sequence[float] | None, dict[str, Any] | None]


def _settings(folder: Path) -> tuple[Settings, str, str]:
    """What the settings say of the runs, the target, and a digest of the features."""
    file = next((name for name in (SETTINGS, f"{LEFT_OUT}/{SETTINGS}") if os.path.lexists(folder / name)), None)
    if file is None:
        return ((), 0, None, None), "", ""
    content = json.loads(beneath.read(folder, file, MAX_BYTES))
    selectors = _entry(content, "selectors", dict)
    details = _entry(content, "details", dict)
    rule = _entry(details, "automatic", dict)
    until = (float(_entry(rule, "width", (int, float))), int(_entry(rule, "max_runs", int))) if rule else None
    if not all(isinstance(text, str) for text in selectors.values()):
        raise ValueError(f"{SETTINGS} has selectors that are no texts")
    features = hashlib.sha256(json.dumps(_entry(content, "features", list)).encode()).hexdigest()[:16]
    runs = tuple(selectors), _entry(details, "n_runs", int), until, _entry(details, "job", dict) or None
    return runs, _entry(details, "target", str), features


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


def _packed(folder: Path, file: str = CELLS) -> int:
    """The packed runs; fits on all rows are none."""
    if not os.path.lexists(folder / file):
        return 0
    try:
        return sum(cell["run"] >= 0 for cell in json.loads(beneath.read(folder, file, MAX_BYTES))["cells"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{file}: {error}") from None


def _parts(folder: Path) -> dict[str, tuple[str, int, int]]:
    """The parts of a replication; none of what is none."""
    if not os.path.lexists(folder / REPLICATION):
        return {}
    try:
        content = json.loads(beneath.read(folder, REPLICATION, MAX_BYTES))
        said = {part: (str(name), int(runs)) for part, (name, runs) in content.items()}
    except (AttributeError, TypeError) as error:
        raise ValueError(f"{REPLICATION}: {error}") from None
    known = ("", *study_folders(folder))
    return {
        part: (*both, _packed(folder, f"{part}/{CELLS}" if part else CELLS) if part in known else 0)
        for part, both in said.items()
    }


def _said_by(folder: Path) -> list[str]:
    """The files that say what a folder is."""
    places = ["", *(f"{part}/" for part in study_folders(folder))]
    return [REPLICATION, DATABASE, *(f"{place}{name}" for place in places for name in (SETTINGS, CELLS))]


def _tuning(folder: Path) -> tuple[int, dict[str, Any] | None]:
    """How many configurations a tuning has finished, and its job.

    The database is read into memory: its file is opened without following a link, and nobody waits for its lock.
    """
    if not os.path.lexists(folder / DATABASE):
        return 0, None
    content = beneath.read(folder, DATABASE, MAX_BYTES)
    if not content:  # a tuning is about to make it
        return 0, None
    end = time.monotonic() + FOLDER_SECONDS
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


def _look() -> None:
    """In the process that looks: one folder after the other, until the server ends."""
    limit_memory(SPARE_BYTES)
    pipe = Connection(int(sys.argv[1]))
    with suppress(EOFError):
        while True:
            found = facts_in(Path(json.loads(pipe.recv_bytes())))
            pipe.send_bytes(json.dumps(found._asdict()).encode())


if __name__ == "__main__":
    _look()
