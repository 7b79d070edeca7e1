"""Cells on a dask cluster: one of our own on this machine, or the scheduler at an address."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from logging import CRITICAL
from queue import SimpleQueue
from typing import Any

from steadyset.assessment.workers import RESTARTS, Key
from steadyset.assessment.written import cell_json, read_cell
from steadyset.foundation.errors import Argument, InputError, MissingExtraError, SteadysetError
from steadyset.runner.plan import Plan
from steadyset.runner.run import EVERY_ROW, Cell, compute_group, grouped
from steadyset.selectors.known import Extensions

OWN_MACHINE = "127.0.0.1"
TOPIC = "steadyset"  # of what workers tell before their task ends; the scheduler keeps the latest of each topic
PATIENCE = 20.0  # seconds in which lost workers may come back


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
            except _losses():  # what the lost workers had in hand is done again
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
            client = Client(target, timeout=10)
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


def _losses() -> tuple[type[BaseException], ...]:
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
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(*_losses()):
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
