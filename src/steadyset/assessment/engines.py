"""Where cells are computed: in this process, in threads, in worker processes, or on a dask cluster.

The answer does not depend on it. Worker processes share the data through a memory map and may die: then the cells that
may have been their work are tried again one by one. The one that ends its process is recorded as failed, and the others
go on.
"""

from __future__ import annotations

import errno
import faulthandler
import logging
import os
import re
import signal
import tempfile
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from logging import CRITICAL
from queue import SimpleQueue
from typing import Any

import numpy as np

from steadyset.assessment.folder import Saving
from steadyset.assessment.written import cell_json, read_cell
from steadyset.foundation.arguments import check_flag, check_number, job_count, wrong_argument
from steadyset.foundation.display import Progress, check_progress
from steadyset.foundation.errors import Argument, InputError, MissingExtraError, SteadysetError
from steadyset.kernels.jit import FOLDER, nothing_compiled
from steadyset.runner.conditions import RECORD, check_on_warning, end_with, reason
from steadyset.runner.plan import Plan
from steadyset.runner.run import EVERY_ROW, Cell, Group, compute_group, grouped, run_label
from steadyset.selectors.known import Extensions

Key = tuple[int, int]
Engine = Callable[[Plan, Sequence[Any], Sequence[Key], int, Saving], Iterator[Cell]]
LARGE_BYTES = 200_000_000
# Worker processes take PATIENCE seconds to start: small work begins in this one, which may well be done before them.
SMALL_BYTES, PATIENCE = 20_000_000, 3.0
LOADING = 15.0  # seconds in which the first run of a selector may load kernels and says nothing about the others
KNOWN = ("steadyset", "sklearn")


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How the runs of `assess` and `tune` are executed.

    Parameters
    ----------
    engine : str, default="auto"
        "serial", "threads", "processes", "dask", or the address of a dask scheduler. "auto" is processes, once the
        first runs have shown that the rest is worth starting them, or threads where the data in memory is too large
        to be held twice. `tune` has threads only.
    resume : bool, default=True
        Whether what is in the folder `out` continues; otherwise a folder that holds something is refused.
    on_warning : str, default="record"
        "record" keeps the warnings of a run beside its result; with "fail" a run that warns has failed.
    all_rows : bool, default=True
        Whether `assess` fits each selector once more, to all rows, for the table of features.
    predictions : bool, default=False
        Whether `assess` keeps what the model of each run predicts for all rows, and its coefficients, for
        `Assessment.prediction_stability` and `Assessment.coefficient_stability`.
    progress : bool, Callable or None, default=None
        None shows a bar in notebooks and in terminals, False none, and True one even where standard error goes to a
        file; a function is called with the numbers of finished and of all runs, or configurations.
    minutes : float or None, default=None
        The time limit of `assess`. The first five runs are made in any case; those that do not fit are left out, and a
        folder `out` continues with them later. None sets no limit.

    Examples
    --------
    >>> import steadyset as st
    >>> quiet = st.Execution(engine="threads", progress=False)
    """

    engine: str = "auto"
    resume: bool = True
    on_warning: str = RECORD
    all_rows: bool = True
    predictions: bool = False
    progress: Progress = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        check_engine(self.engine)
        check_flag("resume", self.resume)
        check_on_warning(self.on_warning)
        check_flag("all_rows", self.all_rows)
        check_flag("predictions", self.predictions)
        check_progress(self.progress)
        if self.minutes is not None:
            check_number("minutes", self.minutes)

    def without_limit(self, function: str, instead: str | None = None) -> Execution:
        """Return this record; raise InputError if it limits the time of a function that has no limit of this kind.

        Parameters
        ----------
        function : str
            The name of the function.
        instead : str or None, default=None
            The argument of the function that limits its time, if it has one.

        Returns
        -------
        Execution
            This record.

        Raises
        ------
        InputError
            If there is a time limit.
        """
        if self.minutes is not None:
            limited = f"{function} has no time limit in its execution (got {self.minutes:g} minutes)."
            if instead is None:
                raise InputError(limited)
            raise InputError(f"{limited} Limit its time with ", Argument(instead, self.minutes), ".")
        return self


def compute(
    engine: str,
    plan: Plan,
    selectors: Sequence[Any],
    keys: Sequence[Key],
    n_jobs: int | None,
    saving: Saving | None = None,
) -> Generator[Cell]:
    """Compute the cells `keys` = (selector, run); an address such as tcp://host:8786 is a dask scheduler.

    Each cell with a selection is saved as soon as it is computed, however many are fitted together.
    """
    check_engine(engine)
    jobs, saving = job_count(n_jobs), saving or Saving()
    if engine == "auto":
        # One job that was asked for is one process, also where kernels have to be compiled.
        yield from (_serial if n_jobs == 1 else _auto)(plan, selectors, keys, jobs, saving)
    elif engine in ENGINES:
        yield from ENGINES[engine](plan, selectors, keys, jobs, saving)
    else:
        yield from saving.each(on_cluster(plan, selectors, keys, jobs, None if engine == "dask" else engine))


def check_engine(engine: str) -> None:
    """Refuse what is no engine."""
    if not isinstance(engine, str) or not (engine in ("auto", "dask", *ENGINES) or "://" in engine):
        raise wrong_argument("engine", f"auto, {', '.join(ENGINES)}, dask or a scheduler's address", engine)


def _auto(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, saving: Saving) -> Iterator[Cell]:
    """Small work in this process; large work, and what would take some seconds more, in several."""
    small = plan.X.nbytes <= SMALL_BYTES and all(_known(selector) for selector in (*selectors, plan.predictor))
    if small and nothing_compiled():
        # Workers would compile the same kernels side by side. All rows and two runs call what the others call.
        first = sorted({run for _, run in keys})[: None if n_jobs == 1 else 3]
        yield from _while_compiling(plan, selectors, [key for key in keys if key[1] in first], n_jobs, saving)
        keys = [key for key in keys if key[1] not in first]
    if n_jobs == 1:
        yield from _serial(plan, selectors, keys, n_jobs, saving)
        return
    left = deque(grouped(plan, selectors, keys, n_jobs))
    if small:
        latest: dict[int, float] = {}
        # Processor time, not the clock: where others keep the cores busy, workers would wait for them as well.
        end = time.process_time() + PATIENCE
        worth_it = PATIENCE * n_jobs / (n_jobs - 1)  # from which rest on workers that start late still end first
        while left and (time.process_time() < end or _seconds(left, latest) < worth_it):
            begin = time.process_time()
            selector, runs = left.popleft()
            yield from saving.each(compute_group(plan, selectors[selector], selector, runs))
            took = (time.process_time() - begin) / len(runs)
            latest[selector] = 0.0 if selector not in latest and took < LOADING else took
    if left:
        rest = [(selector, run) for selector, runs in left for run in runs]
        # Large data in memory goes to threads: mapping it into processes would hold it a second time.
        mapped = isinstance(plan.X, np.memmap) or plan.X.nbytes < LARGE_BYTES
        yield from ENGINES["processes" if mapped else "threads"](plan, selectors, rest, n_jobs, saving)


def _while_compiling(
    plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, saving: Saving
) -> Iterator[Cell]:
    """The cells here, while other processes compile for those that come last: numba compiles in one thread at a time.

    Selectors of one module share kernels. What a process compiles is on disk when its first cell is finished; the cell
    itself is computed here again, so that whatever goes wrong there changes nothing.
    """
    modules = [type(selector).__module__ for selector in selectors]
    cores = 1 if FOLDER is None else job_count(-1)
    apart = list(dict.fromkeys(modules))[: min(cores, len(set(modules))) - 1]
    with ExitStack() as stack:
        compiling: Iterator[list[Cell]] = iter(())
        if apart:
            with suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib tells where a process cannot start others
                workers = _Workers(plan, selectors, len(apart), Saving())
                compiling = workers.begin([(modules.index(module), 0) for module in apart], len(apart))
                stack.callback(_leave, compiling)
        yield from _serial(plan, selectors, [key for key in keys if modules[key[0]] not in apart], n_jobs, saving)
        with suppress(Exception):
            deque(compiling, maxlen=0)
    yield from _serial(plan, selectors, [key for key in keys if modules[key[0]] in apart], n_jobs, saving)


def _seconds(left: Iterable[Group], latest: Mapping[int, float]) -> float:
    """How long cells should take, by the latest of each selector."""
    return sum(latest.get(selector, np.inf) * len(runs) for selector, runs in left)


def _known(estimator: Any) -> bool:
    """Whether an estimator is made of known parts: one of somebody else's might end the process that runs it."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return all(
        type(part).__module__.partition(".")[0] in KNOWN
        for part in parts
        if callable(part) or hasattr(part, "get_params")
    )


def _serial(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, saving: Saving) -> Iterator[Cell]:
    for selector, runs in grouped(plan, selectors, keys, 1):
        yield from saving.each(compute_group(plan, selectors[selector], selector, runs))


def _threads(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, saving: Saving) -> Iterator[Cell]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, backend="threading", batch_size=1, return_as="generator_unordered")
    groups = grouped(plan, selectors, keys, n_jobs)
    yield from fetched(parallel(delayed(_group)(saving, plan, selectors[s], s, runs) for s, runs in groups))


def _group(saving: Saving, plan: Plan, selector: Any, index: int, runs: Sequence[int]) -> list[Cell]:
    return list(saving.each(compute_group(plan, selector, index, runs)))


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


def check_picklable(plan: Plan, selectors: Mapping[str, Any]) -> None:
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


@dataclass(eq=False)
class _Workers:
    """Computes cells apart and learns which selectors crash."""

    plan: Plan
    selectors: Sequence[Any]
    n_jobs: int
    saving: Saving

    def __post_init__(self) -> None:
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
        groups = grouped(self.plan, self.selectors, keys, n_jobs)
        keys = [(selector, run) for selector, runs in groups for run in runs]
        in_hand = AHEAD * n_jobs * max(len(runs) for _, runs in groups)
        done = set()
        try:
            for cell in fetched(self.begin(keys, n_jobs)):
                done.add((cell.selector, cell.run))
                yield cell
        except _process_losses():
            suspects = [key for key in keys[: len(done) + in_hand] if key not in done]
            for key in suspects:
                saved = self.saving.found(*key)
                yield from self._alone(key) if saved is None else [saved]

    def _alone(self, key: Key) -> Iterator[Cell]:
        """One cell, with nothing beside it that could be to blame."""
        selector = key[0]
        if self.crashes[selector] >= CRASHES and selector not in self.sound:
            yield self._failed(key, f"not tried, because in {CRASHES} runs before {self.last[selector]}")
            return
        for _ in range(RESTARTS + 1):
            try:
                yield from fetched(self.begin([key], 1))
                self.sound.add(selector)
                return
            except _process_losses() as loss:
                codes = re.search(r"exit codes of the workers are \{(.*?)\}", str(loss))  # as SIGSEGV(-11) or EXIT(3)
                how = codes[1] if codes else ""
                what = KILLED if any(name in how for name in FROM_OUTSIDE) else CRASHED
                if what == CRASHED:
                    break
        self.crashes[selector] += 1
        self.last[selector] = f"{what} ({how})" if how else what
        yield self._failed(key, self.last[selector])

    def _failed(self, key: Key, why: str) -> Cell:
        selector, run = key
        return Cell(selector, run, run_label(self.plan, run), None, None, failure=why)

    def begin(self, keys: Sequence[Key], n_jobs: int) -> Generator[list[Cell]]:
        """Start the processes; the cells come as they are finished, whoever fetches them."""
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
            results: Generator[list[Cell]] = parallel(
                delayed(_compute_apart)(self.saving, extensions, plan.X, plan.y, rest, self.selectors[s], s, runs)
                for s, runs in grouped(plan, self.selectors, keys, n_jobs)
            )
        return results


def fetched(results: Generator[list[Cell]]) -> Iterator[Cell]:
    """The cells that joblib gives as they come; those that nobody fetches are left without a word."""
    try:
        for cells in results:
            yield from cells
    finally:
        _leave(results)


def _leave(results: Generator[list[Cell]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib warns of what nobody fetches
        results.close()


def _process_losses() -> type[BaseException]:
    from joblib.externals.loky.process_executor import BrokenProcessPool

    return BrokenProcessPool  # type: ignore[no-any-return]


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


OWN_MACHINE = "127.0.0.1"
TOPIC = "steadyset"  # of what workers tell before their task ends; the scheduler keeps the latest of each topic
CONNECTING = 10.0  # seconds in which a scheduler has to answer
CLUSTER_PATIENCE = 20.0  # seconds in which lost workers may come back


class WorkersLostError(SteadysetError, RuntimeError):
    """Workers kept dying, or the scheduler is gone; the finished cells are kept."""


def on_cluster(
    plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, address: str | None
) -> Iterator[Cell]:
    """The cells as they are finished."""
    with _quiet(), connected(n_jobs, address) as client:
        remaining = dict.fromkeys(keys)
        for _ in range(RESTARTS + 1):
            try:
                for cell in _attempt(client, plan, selectors, list(remaining)):
                    del remaining[cell.selector, cell.run]
                    yield cell
                return
            except _cluster_losses():  # what the lost workers had in hand is done again
                _wait_for_workers(client, address, _missing(remaining))
        raise WorkersLostError(
            f"Workers were lost {RESTARTS + 1} times before their work was done, perhaps for lack of memory; "
            f"{_missing(remaining)} are missing, the finished ones are kept: resume with fewer jobs or more memory."
        )


@contextmanager
def connected(n_jobs: int, address: str | None) -> Iterator[Any]:
    """A connection to the scheduler at an address, or to one of our own that this machine alone can reach."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingExtraError(
            Argument("engine", "dask", of="Execution"), ' needs dask: pip install "steadyset[dask]".'
        ) from None
    with ExitStack() as stack:
        target: Any = address
        try:
            if address is None:
                with _deaf_to_ctrl_c():
                    target = LocalCluster(
                        n_workers=n_jobs,
                        threads_per_worker=1,
                        host=OWN_MACHINE,
                        dashboard_address=f"{OWN_MACHINE}:0",  # another cluster may have dask's own port
                        scheduler_kwargs={"dashboard": False},
                        silence_logs=CRITICAL,
                    )
                stack.callback(_closed, target)
            client = Client(target, timeout=CONNECTING)
        except (OSError, ValueError) as error:
            raise InputError(f"No dask scheduler answers at {address or OWN_MACHINE}: {error}.") from None
        stack.callback(_closed, client)
        yield client


@dataclass(frozen=True)
class _Work:
    """What every worker holds."""

    extensions: Extensions
    plan: Plan
    selectors: Sequence[Any]


def _compute_there(work: _Work, index: int, runs: Sequence[int]) -> list[Cell]:
    """The cells of a group; each is told as soon as it is computed."""
    from distributed import get_worker

    cells = []
    for cell in compute_group(work.plan, work.selectors[index], index, runs):
        if len(runs) > 1:
            get_worker().log_event(TOPIC, {"key": work.plan.key, "cell": cell_json(cell)})
        cells.append(cell)
    return cells


def _attempt(client: Any, plan: Plan, selectors: Sequence[Any], keys: Sequence[Key]) -> Iterator[Cell]:
    from distributed import as_completed

    work = client.scatter(_Work(Extensions(), plan, selectors), broadcast=True, hash=False)
    groups = grouped(plan, selectors, keys, max(2, len(client.nthreads())))
    told, missing = SimpleQueue[bytes](), set(keys)

    def hear(event: tuple[float, Mapping[str, Any]]) -> None:
        if event[1]["key"] == plan.key:  # others may use the same cluster
            told.put(event[1]["cell"])

    client.subscribe_topic(TOPIC, hear)
    futures = [client.submit(_compute_there, work, s, runs, pure=False, retries=RESTARTS) for s, runs in groups]
    ready, alive = as_completed(futures), time.monotonic()
    while not ready.is_empty():
        cells: list[Cell] = []
        if not told.empty():
            cells = [read_cell(told.get())]
        elif ready.has_ready():
            future = ready.next()
            cells = future.result()
            future.release()
        for cell in cells:
            # A group tells of its cells one by one, and of all at its end; one of an attempt before may still do so.
            if (cell.selector, cell.run) in missing:
                missing.remove((cell.selector, cell.run))
                yield cell
        if cells:
            continue
        time.sleep(0.02)
        if time.monotonic() > alive + 1:  # a cluster without workers would be waited for without end
            if not client.nthreads():
                raise TimeoutError("no workers are left")
            alive = time.monotonic()


def _cluster_losses() -> tuple[type[BaseException], ...]:
    """What dask raises when workers or the scheduler are gone; a lost connection is an OSError."""
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    return KilledWorker, FutureCancelledError, OSError, TimeoutError


def _missing(keys: Iterable[Key]) -> str:
    """What is left to do, in words."""
    runs = sum(run != EVERY_ROW for _, run in keys)
    return f"{runs} runs" if runs else "fits on all rows"


def _wait_for_workers(client: Any, address: str | None, missing: str) -> None:
    """A nanny starts its worker anew; where nobody comes, there is nothing to go on with."""
    end = time.monotonic() + CLUSTER_PATIENCE
    while time.monotonic() < end:
        with suppress(*_cluster_losses()):
            if client.status == "running" and client.nthreads():
                return
        time.sleep(0.5)
    raise WorkersLostError(
        f"The dask cluster at {address or OWN_MACHINE} has lost its workers or its scheduler; {missing} are "
        "missing, the finished ones are kept: start the cluster again and resume."
    )


def _closed(part: Any) -> None:
    with suppress(Exception):  # what is gone cannot be closed
        part.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """What dask logs of lost connections is told in one sentence."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "asyncio", "tornado")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started here ignore Ctrl-C, and so does this one while it starts them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


ENGINES: dict[str, Engine] = {"serial": _serial, "threads": _threads, "processes": in_processes}
