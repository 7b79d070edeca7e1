"""Where cells are computed: in this process, in threads, in worker processes, or on a dask cluster.

An engine takes cells in any order and hands each back as it is finished; what a cell contains never depends on it.
"""

from __future__ import annotations

import errno
import signal
import tempfile
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from logging import CRITICAL
from typing import Any

import numpy as np

from steadyset.errors import InputError, MissingExtraError, SteadysetError
from steadyset.runner.cell import Cell, compute_cell
from steadyset.runner.plan import Plan

Key = tuple[int, int]
Engine = Callable[[Plan, Sequence[Any], Sequence[Key], int], Iterator[Cell]]
RESTARTS = 3
LARGE_BYTES = 200_000_000


class WorkersLostError(SteadysetError, RuntimeError):
    """Worker processes kept dying; the finished cells are kept."""


def compute(
    engine: str, plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int | None
) -> Generator[Cell]:
    """Compute the cells `keys` = (selector, run); an address such as tcp://host:8786 is a dask scheduler."""
    jobs = _job_count(n_jobs)
    if engine == "auto":
        engine = "serial" if jobs == 1 else _sharing(plan)
    if "://" in engine or engine == "dask":
        yield from _dask(plan, selectors, keys, jobs, None if engine == "dask" else engine)
    elif engine in ENGINES:
        yield from ENGINES[engine](plan, selectors, keys, jobs)
    else:
        raise InputError(f"engine is {engine!r}; wanted is auto, {', '.join(ENGINES)}, dask or a scheduler's address.")


def _sharing(plan: Plan) -> str:
    """Large data in memory goes to threads: mapping it into processes would hold it a second time."""
    mapped = isinstance(plan.X, np.memmap)
    return "processes" if mapped or plan.X.nbytes < LARGE_BYTES else "threads"


def _serial(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int) -> Iterator[Cell]:
    for selector, run in keys:
        yield compute_cell(plan, selectors[selector], selector, run)


def _threads(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int) -> Iterator[Cell]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, backend="threading", batch_size=1, return_as="generator_unordered")
    yield from _quiet_when_closed(parallel(delayed(compute_cell)(plan, selectors[s], s, run) for s, run in keys))


def _processes(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int) -> Iterator[Cell]:
    """Worker processes share the data through a memory map."""
    from joblib.externals.loky.process_executor import BrokenProcessPool

    try:
        yield from _despite_losses(lambda left: _once(plan, selectors, left, n_jobs), keys, (BrokenProcessPool,))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise InputError(
            f"The disk with {tempfile.gettempdir()} has no room to share the data with worker processes; "
            "make room, set TMPDIR, or use engine serial or threads."
        ) from None


def _despite_losses(
    attempt: Callable[[list[Key]], Iterable[Cell]], keys: Sequence[Key], losses: tuple[type[BaseException], ...]
) -> Iterator[Cell]:
    """When workers are lost, what they had in hand is done again, a few times."""
    remaining = dict.fromkeys(keys)
    for _ in range(RESTARTS + 1):
        try:
            for cell in attempt(list(remaining)):
                del remaining[cell.selector, cell.run]
                yield cell
        except losses:
            continue
        return
    raise WorkersLostError(
        f"Workers were lost {RESTARTS + 1} times before their work was done, perhaps for want of memory; "
        f"{len(remaining)} cells are missing, the finished ones are kept: resume with fewer jobs or more memory."
    )


def _once(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int) -> Iterable[Cell]:
    from joblib import Parallel, delayed

    # joblib maps arrays into its workers when they are arguments by themselves, not inside a Plan.
    rest = (plan.groups, plan.resampling, plan.predictor, plan.scoring, plan.task, plan.seed)
    parallel = Parallel(
        n_jobs=n_jobs,
        backend="loky",
        batch_size=1,
        pre_dispatch="2*n_jobs",
        max_nbytes="1M",
        temp_folder=tempfile.gettempdir(),
        return_as="generator_unordered",
    )
    return _quiet_when_closed(
        parallel(delayed(_compute_apart)(plan.X, plan.y, rest, selectors[s], s, run) for s, run in keys)
    )


def _quiet_when_closed(results: Any) -> Iterator[Cell]:
    """joblib warns when not all of its results are fetched; who closes an engine knows that."""
    try:
        for cell in results:  # noqa: UP028 - `yield from` would close the results before they are made quiet
            yield cell
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.close()


def _compute_apart(X: Any, y: Any, rest: tuple[Any, ...], selector: Any, index: int, run: int) -> Cell:
    # Ctrl-C reaches every process of a terminal; the parent ends its workers, so they need not complain themselves.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return compute_cell(Plan(X, y, *rest), selector, index, run)


def _dask(
    plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, address: str | None
) -> Iterator[Cell]:
    """A dask cluster: one of our own on this machine, or the scheduler at an address."""
    try:
        from distributed import Client, KilledWorker, LocalCluster, as_completed
        from distributed.client import FutureCancelledError
    except ImportError:
        raise MissingExtraError('engine="dask" needs dask: pip install "steadyset[dask]".') from None
    cluster = None
    try:
        if address is None:
            with _deaf_to_ctrl_c():
                cluster = LocalCluster(
                    n_workers=n_jobs, threads_per_worker=1, dashboard_address=":0", silence_logs=CRITICAL
                )
        client = Client(cluster if cluster is not None else address, timeout=10)
    except OSError as error:
        raise InputError(f"No dask scheduler answers at {address}: {error}.") from None

    def attempt(left: list[Key]) -> Iterator[Cell]:
        data = client.scatter(plan, broadcast=True, hash=False)
        futures = [
            client.submit(compute_cell, data, selectors[s], s, run, pure=False, retries=RESTARTS) for s, run in left
        ]
        for future in as_completed(futures):
            yield future.result()
            future.release()

    try:
        yield from _despite_losses(attempt, keys, (KilledWorker, FutureCancelledError))
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


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


def _job_count(n_jobs: int | None) -> int:
    from joblib import cpu_count

    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise InputError("n_jobs is 0; wanted is a number of processes, or -1 for all cores.")
    return n_jobs if n_jobs > 0 else max(1, int(cpu_count()) + 1 + n_jobs)


ENGINES: dict[str, Engine] = {"serial": _serial, "threads": _threads, "processes": _processes}
