"""Cells in worker processes, which share the data through a memory map and may die.

When a worker is lost, the cells that may have been its work are tried again in ever smaller groups, until the one that
ends it is alone: that cell is recorded as failed, and the others go on.
"""

from __future__ import annotations

import errno
import faulthandler
import os
import re
import signal
import tempfile
import warnings
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from steadyset.assessment.folder import Saving
from steadyset.foundation.errors import Argument, InputError
from steadyset.runner.conditions import end_with, reason
from steadyset.runner.plan import Plan
from steadyset.runner.run import Cell, Group, compute_group, grouped, run_label
from steadyset.selectors.known import Extensions

Key = tuple[int, int]
RESTARTS = 3
AHEAD = 2  # cells that are handed to each worker before they are finished
CRASHES = 3  # after which the other cells of a selector that has never been sound are not tried
CRASHED = "the process that ran it ended without an answer"
KILLED = "the process that ran it was ended from outside, perhaps for lack of memory"
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")


def in_processes(
    plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, saving: Saving
) -> Iterator[Cell]:
    """The cells as they are finished; those whose process crashed come last, as failed."""
    try:
        yield from _Workers(plan, selectors, n_jobs, saving).cells(keys)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise InputError(
            f"The disk with {tempfile.gettempdir()} has no room to share the data with worker processes; "
            "make room, set TMPDIR, or use ",
            Argument("engine", "threads", of="Execution"),
            ".",
        ) from None


def refuse_what_cannot_travel(plan: Plan, selectors: Mapping[str, Any]) -> None:
    """Refuse what cannot be sent to another process, before any work is done; functions without a name can."""
    from joblib.externals.loky.backend.reduction import dumps

    parts = {f"The selector {name!r}": selector for name, selector in selectors.items()}
    parts |= {f"The score {score.name!r}": score.scorer for score in plan.scoring}
    for name, part in {**parts, "The predictor": plan.predictor, "The resampling": plan.resampling}.items():
        try:
            dumps(part)
        except Exception as error:
            raise InputError(
                f"{name} cannot be sent to worker processes: {reason(error).rstrip('.')}. Use ",
                Argument("engine", "threads", of="Execution"),
                ", or remove what cannot be sent.",
            ) from None


class _Workers:
    """Computes cells apart and learns which selectors crash."""

    def __init__(self, plan: Plan, selectors: Sequence[Any], n_jobs: int, saving: Saving) -> None:
        self.plan = plan
        self.selectors = selectors
        self.n_jobs = n_jobs
        self.saving = saving
        self.crashes: Counter[int] = Counter()
        self.last: dict[int, str] = {}
        self.sound: set[int] = set()

    def cells(self, keys: Sequence[Key]) -> Iterator[Cell]:
        left = list(keys)
        while left:
            done = set()
            # A selector that crashed once has its cells alone from then on, after those of the others.
            together = [key for key in left if not self.crashes[key[0]]]
            for cell in self._careful(together, self.n_jobs) if together else self._alone(left[0]):
                done.add((cell.selector, cell.run))
                yield cell
            left = [key for key in left if key not in done]

    def _careful(self, keys: Sequence[Key], n_jobs: int) -> Iterator[Cell]:
        """The cells of `keys` up to the first loss, and those that may have caused it."""
        groups = self._grouped(keys, n_jobs)
        keys = [(selector, run) for selector, runs in groups for run in runs]
        in_hand = AHEAD * n_jobs * max(len(runs) for _, runs in groups)
        done = set()
        try:
            for cell in self._apart(keys, n_jobs):
                done.add((cell.selector, cell.run))
                yield cell
        except _losses():
            suspects = [key for key in keys[: len(done) + in_hand] if key not in done]
            saved = {key: found for key in suspects if (found := self.saving.found(*key)) is not None}
            yield from saved.values()
            yield from self._divided([key for key in suspects if key not in saved])

    def _divided(self, suspects: Sequence[Key]) -> Iterator[Cell]:
        if len(suspects) < 2:
            for key in suspects:
                yield from self._alone(key)
            return
        for half in (suspects[: len(suspects) // 2], suspects[len(suspects) // 2 :]):
            done = set()
            try:
                for cell in self._apart(half, self.n_jobs):
                    done.add((cell.selector, cell.run))
                    yield cell
            except _losses():
                yield from self._divided([key for key in half if key not in done])

    def _alone(self, key: Key) -> Iterator[Cell]:
        """One cell, with nothing beside it that could be to blame."""
        selector = key[0]
        if self.crashes[selector] >= CRASHES and selector not in self.sound:
            yield self._failed(key, f"not tried, because in {CRASHES} runs before {self.last[selector]}")
            return
        for _ in range(RESTARTS + 1):
            try:
                yield from self._apart([key], 1)
                self.sound.add(selector)
                return
            except _losses() as loss:
                how = _exit_codes(loss)
                what = KILLED if any(name in how for name in FROM_OUTSIDE) else CRASHED
                if what == CRASHED:
                    break
        self.crashes[selector] += 1
        self.last[selector] = f"{what} ({how})" if how else what
        yield self._failed(key, self.last[selector])

    def _failed(self, key: Key, why: str) -> Cell:
        selector, run = key
        return Cell(selector, run, run_label(self.plan, run), None, None, failure=why)

    def _apart(self, keys: Sequence[Key], n_jobs: int) -> Iterator[Cell]:
        from joblib import Parallel, delayed

        plan = self.plan
        # joblib maps arrays into its workers when they are arguments by themselves, not inside a Plan.
        rest = replace(plan, X=np.empty((0, 0)), y=np.empty(0))
        parallel = Parallel(
            n_jobs=max(2, n_jobs),  # one job would be computed in this process
            backend="loky",
            batch_size=1,
            pre_dispatch=AHEAD * n_jobs,
            max_nbytes="1M",
            temp_folder=tempfile.gettempdir(),
            return_as="generator_unordered",
            initializer=end_with,
            initargs=(os.getpid(),),
        )
        extensions = Extensions()
        with _deaf_children():
            results = parallel(
                delayed(_compute_apart)(self.saving, extensions, plan.X, plan.y, rest, self.selectors[s], s, runs)
                for s, runs in self._grouped(keys, n_jobs)
            )
        for cells in fetched(results):
            yield from cells

    def _grouped(self, keys: Sequence[Key], n_jobs: int) -> list[Group]:
        return grouped(self.plan, self.selectors, keys, n_jobs)


def fetched(results: Generator[list[Cell]]) -> Iterator[list[Cell]]:
    """The results of joblib as they come; those that nobody fetches are left without a word."""
    try:
        for cells in results:  # noqa: UP028 - `yield from` would close the results before they are made quiet
            yield cells
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib warns of them
            results.close()


def _losses() -> type[BaseException]:
    from joblib.externals.loky.process_executor import BrokenProcessPool

    found: type[BaseException] = BrokenProcessPool
    return found


def _exit_codes(loss: BaseException) -> str:
    """How the workers ended, such as SIGSEGV(-11) or EXIT(3)."""
    found = re.search(r"exit codes of the workers are \{(.*?)\}", str(loss))
    return found[1] if found else ""


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started here ignore Ctrl-C, which reaches every process of a terminal: their parent ends them.

    And the one that tidies up after a parent that was ended does not warn of what it finds.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker as pythons

    from joblib.externals.loky.backend import resource_tracker as lokys

    warned = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join([*filter(None, [warned]), "ignore:resource_tracker:UserWarning"])
    for tracker in (lokys, pythons):
        tracker.ensure_running()  # it would let Ctrl-C through again if it were started below
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if warned is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = warned


def _compute_apart(
    saving: Saving, extensions: Extensions, X: Any, y: Any, rest: Plan, selector: Any, index: int, runs: Sequence[int]
) -> list[Cell]:
    faulthandler.disable()  # a crash is told by its parent, in a sentence
    return list(saving.each(compute_group(replace(rest, X=X, y=y), selector, index, runs)))
