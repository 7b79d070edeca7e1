"""How far a run folder is, seen from outside, and that as it happens: the process that works on it is never asked."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from steadyset.foundation.errors import InputError
from steadyset.foundation.pace import roughly
from steadyset.io import beneath
from steadyset.io.disk import (
    CELLS,
    CERTAIN_LIST,
    DATABASE,
    FINISHED,
    LEFT_OUT,
    RECORDED_FINDINGS,
    SETTINGS,
    TABLE,
    TARGETS,
    TRIALS,
    is_locked,
    study_folders,
)
from steadyset.options import with_files
from steadyset.serve.forms import in_page_words
from steadyset.serve.job_queue import Queue, is_held
from steadyset.serve.run_store import COMPLAINT, HELD, JOB, PAUSED, SAID, STOPPED, WAITING, Run, RunStore
from steadyset.serve.sandbox import FolderFacts, Inspector, Sandbox

RUNNING, FINISHED_STATE, FAILED, INTERRUPTED = "running", "finished", "failed", "interrupted"
FOUND, DAMAGED = "found", "damaged"
STATES = {
    WAITING: "Waiting",
    RUNNING: "Running",
    PAUSED: "Paused",
    STOPPED: "Stopped",
    FAILED: "It could not run",
    INTERRUPTED: "Interrupted",
    FINISHED_STATE: "Done",
    FOUND: "Found in this folder, not ordered on this page",
    DAMAGED: "Damaged",
}
LONGEST_SAID = 1 << 16
PREDICTED = "Each study predicted by the others, and by its own samples"
QUIET = 15.0  # seconds without a word from a tuning, which writes at least every five
ON_ALL_ROWS = "--1.json"
EVERY = 0.25  # seconds between two looks
ALIVE = 15.0  # seconds after which a silent stream says that it is there
LEAST_PAUSE, DUTY = 1.0, 20.0  # seconds between two interim results, and how many times as long as one takes
USUAL_REPEATS = 10
REPEAT, SMALLER_SAMPLES = 2.7, 22.5  # times as long as a target takes; the latter are computed before repeats
LONG_GAP, SHORT_GAP = 10.0, 5.0  # times most of the gaps between files, and seconds: a longer gap is a pause
LEAST_SEEN = 20.0  # seconds after which what was seen says more than when the order began
_inspector = Inspector()


class Step(NamedTuple):
    """A part of the work in words, how much of it is done and will be (0: unknown), and how long one takes in it."""

    words: str
    done: int
    total: int
    each: float = 1.0


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
    steps: tuple[Step, ...] = ()

    @property
    def share(self) -> float:
        """Which share of the work is done, where that is known; else 0."""
        total = sum(step.total * step.each for step in self.steps)
        if self.until or not total or not all(step.total for step in self.steps):
            return 0.0
        return min(1.0, sum(min(step.done, step.total) * step.each for step in self.steps) / total)

    @property
    def begun(self) -> bool:
        """Whether a part of the work is done."""
        return any(step.done for step in self.steps)

    @property
    def lives(self) -> bool:
        """Whether it may still change by itself."""
        return self.state in (RUNNING, WAITING)


def facts_of(folder: Path) -> FolderFacts:
    """What the files of a run folder say, as another process read them."""
    return _inspector.inspect(folder)


def progress_of(run: Run) -> Progress:
    """What the files of a run folder say."""
    found = facts_of(run.path)
    if found.damaged:
        return Progress(DAMAGED, 0, 0, f"This folder is damaged, or was not made by steadyset: {found.damaged}.")
    done, total = _counted(run, found)
    complaint, until = _complaint(run), _until(found)
    state = _state(run, complaint, finished=done >= total)
    steps = _steps(run, found, done, 0 if until else total)
    if state == FINISHED_STATE and (until or not total):
        return Progress(state, done, done, steps=steps)
    return Progress(state, done, 0 if until else total, complaint if state == FAILED else "", until, steps)


def _steps(run: Run, found: FolderFacts, done: int, total: int) -> tuple[Step, ...]:
    """The parts of the work: a shortlist has targets before its repeats, which are long; each study is one."""
    if found.parts:
        unit = run.kind.unit.capitalize()
        named = {part: f"{unit} in {name}" if name else unit for part, (name, _, _) in found.parts.items()}
        return tuple(
            Step(PREDICTED if part == LEFT_OUT else named[part], _runs_in(run, part, packed), n)
            for part, (_, n, packed) in found.parts.items()
        )
    asked = run.order.options if run.order is not None else (found.job or {}).get("options", {})
    if run.kind.interim != "provisional":
        return (Step(run.kind.unit.capitalize(), done, total),)
    targets, repeats = asked.get("permutations"), asked.get("outer", USUAL_REPEATS)
    n_targets = targets + 1 if isinstance(targets, int) else 0
    halves = Step("Halves of the samples, with the true and the shuffled targets", _names(run, TARGETS), n_targets)
    if not repeats:
        return (halves,)
    return halves, Step("Repeats on 80% of the samples", done, repeats if isinstance(repeats, int) else 0, REPEAT)


def _names(run: Run, folder: str, ending: str = "") -> int:
    with suppress(OSError):
        return sum(name.endswith(ending) and not name.startswith(".") for name in beneath.names(run.path, folder))
    return 0


def _runs_in(run: Run, part: str, packed: int) -> int:
    """The finished runs of a run folder, or of a part of it."""
    place = f"{part}/{FINISHED}" if part else FINISHED
    return _names(run, place, ".json") - _names(run, place, ON_ALL_ROWS) + packed


def _counted(run: Run, found: FolderFacts) -> tuple[int, int]:
    """How many runs or configurations are finished, and how many there will be; 0 where that is not known."""
    if found.parts:
        begun = {"", *study_folders(run.path)} if beneath.modified(run.path, run.kind.last) else found.parts
        runs = [(_runs_in(run, part, packed), n) for part, (_, n, packed) in found.parts.items() if part in begun]
        return sum(done for done, _ in runs), sum(n for _, n in runs)
    if found.selectors:
        done = _runs_in(run, "", found.packed)
        total = len(found.selectors) * found.n_runs or done
        # A repeat of a shortlist is one run beside which all features are tried.
        return (done, total) if run.kind.has_selectors else (done // len(found.selectors), found.n_runs or done)
    asked = None if run.order is None else run.order.options.get("trials")
    return found.tried, asked if isinstance(asked, int) else 0  # a damaged file may hold something else


def _state(run: Run, complaint: str, *, finished: bool) -> str:
    asked = None if run.order is None else run.order.state
    if is_held(run.path) or _is_locked(run.path) or (asked is None and _beats(run.path)):
        return RUNNING
    if asked in (WAITING, PAUSED, STOPPED):
        return str(asked)
    if complaint:
        return FAILED
    if beneath.modified(run.path, run.kind.last) and finished:
        return FINISHED_STATE
    return FOUND if run.found is not None else INTERRUPTED


def _until(found: FolderFacts) -> str:
    """When an assessment ends that goes by the width of its intervals; "" for others."""
    if found.until is None:
        return ""
    width, most = found.until
    each = " of each selector" if len(found.selectors) > 1 else ""
    return f"it stops when every interval is narrower than {width:g}, after at most {most:,} runs{each}"


def stamps(folder: Path) -> tuple[int, ...]:
    """What changes when anything happens in a run folder; reading it costs a few calls of the system."""
    files = [FINISHED, TARGETS, CELLS, SETTINGS, TABLE, DATABASE, JOB, HELD, TRIALS, RECORDED_FINDINGS, CERTAIN_LIST]
    files += [f"{part}/{name}" for part in study_folders(folder) for name in (FINISHED, CELLS)]
    return (
        int(is_held(folder)),
        int(_is_locked(folder)),
        int(_beats(folder)),
        *(beneath.modified(folder, name) for name in files),
    )


def _is_locked(folder: Path) -> bool:
    return any(is_locked(folder / part) for part in ("", *study_folders(folder)))


def said(folder: Path) -> str:
    """What the command printed, its end where it is long."""
    with suppress(OSError), beneath.opened(folder, SAID) as file:
        os.lseek(file, max(0, os.fstat(file).st_size - LONGEST_SAID), os.SEEK_SET)
        return os.read(file, LONGEST_SAID).decode("utf-8", "replace")
    return ""


def _beats(folder: Path) -> bool:
    """Whether a tuning in a terminal, which holds no lock, has lately written, and not its last words."""
    last = beneath.modified(folder, DATABASE)
    return last > beneath.modified(folder, TRIALS) and 0 <= time.time() - last / 1e9 < QUIET


def _complaint(run: Run) -> str:
    """The last sentence with which the command refused to work, its files by their names alone."""
    lines = [line for line in said(run.path).splitlines() if line.startswith(COMPLAINT)]
    if not lines:
        return ""
    sentence = in_page_words(lines[-1].removeprefix(COMPLAINT))

    def named(file: str) -> str:
        nonlocal sentence
        sentence = sentence.replace(str(Path(file)), Path(file).name)
        return file

    if run.order is not None:
        with_files(run.order.job, named)
    return sentence


# ---- as it happens: a folder is looked at while somebody listens, once for all listeners ----------------------------


class Display:
    """What is shown of runs as they go on; interim results come from the sandbox, rarely enough to cost nothing."""

    def __init__(self, render: Callable[..., str], sandbox: Sandbox, queue: Queue) -> None:
        self.render, self.sandbox, self.queue = render, sandbox, queue
        self._interim: dict[str, Any] = {}
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._next: dict[str, float] = {}
        self._first: dict[str, tuple[float, float]] = {}  # when a run was first seen, and what share was done

    def revision(self, name: str) -> int:
        """Changes with the interim result."""
        return id(self._interim.get(name))

    async def show(self, run: Run) -> tuple[str, bool]:
        """The state of a run as a part of a page, and whether it may still change."""
        progress = await asyncio.to_thread(progress_of, run)
        is_due = run.name not in self._busy and time.monotonic() >= self._next.get(run.name, 0.0)
        if progress.state == RUNNING and progress.begun and is_due:
            self._busy[run.name] = asyncio.create_task(self._compute(run))
        # What has a report says everything there; what ended without one keeps what it had found.
        unreported = not progress.lives and progress.begun and not beneath.modified(run.path, run.kind.reported)
        if unreported:
            await self._compute(run)
        left = self.left(run, progress)
        text = self.render(
            "progress.html.j2",
            run=run,
            progress=progress,
            unreported=unreported,
            interim=None if beneath.modified(run.path, run.kind.last) else self._interim.get(run.name),
            left="" if left is None else roughly(left),
            ends="" if left is None else f"{datetime.now() + timedelta(seconds=left):%H:%M}",
            ahead=self.queue.ahead(run) if progress.state == WAITING else [],
            cores=self.queue.cores,
        )
        if not progress.lives:
            self._interim.pop(run.name, None)
            self._first.pop(run.name, None)
        return text, progress.lives

    def left(self, run: Run, progress: Progress) -> float | None:
        """How many seconds a run will still take, by how fast it has been; None where nobody knows."""
        if progress.state != RUNNING or not 0 < progress.share < 1:
            return None
        now = time.time()
        if run.kind.interim == "provisional":
            return _left_of_shortlist(run, progress, now)
        since, before = self._first.setdefault(run.name, (now, progress.share))
        if now - since < LEAST_SEEN or progress.share <= before:
            since, before = beneath.modified(run.path, JOB) / 1e9, 0.0
        return (now - since) / (progress.share - before) * (1 - progress.share) if since else None

    async def _compute(self, run: Run) -> None:
        begin = time.monotonic()
        try:
            job = facts_of(run.path).job if run.order is None else run.order.job._asdict()
            self._interim[run.name] = await self.sandbox.call(run.kind.interim, str(run.path), job)
        except InputError:
            pass  # the next one may find more
        finally:
            now = time.monotonic()
            self._next[run.name] = now + max(LEAST_PAUSE, DUTY * (now - begin))
            self._busy.pop(run.name, None)


def _left_of_shortlist(run: Run, progress: Progress, now: float) -> float | None:
    """Return the seconds that a shortlist still takes; None before its first target is finished."""
    targets, *repeats = progress.steps
    ranked = _times(run, TARGETS)
    if not ranked:
        return None
    each = _seconds_between(ranked) or max(ranked) - beneath.modified(run.path, JOB) / 1e9
    left = (targets.total - targets.done) * each
    finished = _times(run, FINISHED)
    if not repeats:
        return max(0.0, left)
    n_left = repeats[0].total - repeats[0].done
    if not finished:
        since = now - max(ranked) if left <= 0 else 0.0
        return max(0.0, left) + max(each, (SMALLER_SAMPLES + REPEAT * n_left) * each - since)
    # Each repeat has two files: one of the list, one of all features.
    of_repeat = 2 * _seconds_between(finished) or REPEAT * each
    return max(0.0, n_left * of_repeat - min(now - max(finished), of_repeat))


def _times(run: Run, folder: str) -> list[float]:
    """Return when the files of a folder were written."""
    with suppress(OSError):
        names = [name for name in beneath.names(run.path, folder) if not name.startswith(".")]
        return [beneath.modified(run.path, f"{folder}/{name}") / 1e9 for name in names]
    return []


def _seconds_between(times: list[float]) -> float:
    """Return the mean seconds between files, without pauses; 0 for less than two files."""
    in_order = sorted(times)
    gaps = sorted(after - before for before, after in pairwise(in_order))
    if not gaps:
        return 0.0
    longest = LONG_GAP * gaps[int(0.9 * (len(gaps) - 1))] + SHORT_GAP
    usual = [gap for gap in gaps if gap <= longest]
    return sum(usual) / len(usual)


class Watches:
    """One watch for each run that somebody follows."""

    def __init__(self, store: RunStore, show: Display) -> None:
        self.store, self.show = store, show
        self._watches: dict[str, Watch] = {}

    async def follow(self, run: Run) -> AsyncIterator[str]:
        """The states of a run as server-sent events until it has ended; slow readers miss some, never the last."""
        watch = self._watches.setdefault(run.name, Watch(self.store, run, self.show))
        watch.listeners += 1
        if watch.task is None:
            watch.task = asyncio.create_task(watch.look())
        seen = 0
        try:
            while True:
                if not await watch.changed(seen):
                    yield ": alive\n\n"
                    continue
                seen, over = watch.version, watch.over  # which may change while a slow reader takes the content
                yield event("progress", watch.content)
                if over:
                    yield event("ended", "")
                    return
        finally:
            watch.listeners -= 1
            if not watch.listeners:
                watch.task.cancel()
                if self._watches.get(run.name) is watch:
                    del self._watches[run.name]


class Watch:
    """Looks at one run folder."""

    def __init__(self, store: RunStore, run: Run, show: Display) -> None:
        self.store, self.run, self.show = store, run, show
        self.content, self.version, self.over = "", 0, False
        self.listeners = 0
        self.task: asyncio.Task[None] | None = None
        self._told = asyncio.Condition()

    async def changed(self, seen: int) -> bool:
        """Wait for another state than the one that was seen; False after a while without any."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ALIVE), self._told:
                await self._told.wait_for(lambda: self.version != seen)
                return True
        return False

    async def look(self) -> None:
        before: tuple[int, ...] | None = None
        while not self.over:
            now = (self.show.revision(self.run.name), *stamps(self.run.path))
            content, lives = self.content, True
            if now != before:
                content, lives = await self._shown()
            before = now
            if not lives or content != self.content:
                async with self._told:
                    self.content, self.over = content, not lives
                    self.version += 1
                    self._told.notify_all()
            await asyncio.sleep(EVERY)

    async def _shown(self) -> tuple[str, bool]:
        try:
            return await self.show.show(self.store.run(self.run.name))
        except InputError:  # it was renamed or deleted
            return "", False


def event(name: str, content: str) -> str:
    """A server-sent event; each line of its content is a line of data."""
    lines = "".join(f"data: {line}\n" for line in content.splitlines() or [""])
    return f"event: {name}\n{lines}\n"
