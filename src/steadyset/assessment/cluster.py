"""Cells on a dask cluster: one of our own on this machine, or the scheduler at an address."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from logging import CRITICAL
from typing import Any

from steadyset.assessment.workers import RESTARTS, Key
from steadyset.errors import InputError, MissingExtraError, SteadysetError
from steadyset.runner.cell import Cell, compute_cell
from steadyset.runner.plan import Plan
from steadyset.selectors.extensions import Extensions


class WorkersLostError(SteadysetError, RuntimeError):
    """Workers kept dying, or the scheduler is gone; the finished cells are kept."""


def on_cluster(
    plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, address: str | None
) -> Iterator[Cell]:
    """The cells as they are finished."""
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
        work = client.scatter(_Work(Extensions(), plan, selectors), broadcast=True, hash=False)
        futures = [client.submit(_compute_there, work, s, run, pure=False, retries=RESTARTS) for s, run in left]
        for future in as_completed(futures):
            yield future.result()
            future.release()

    try:
        yield from _despite_losses(attempt, keys, (KilledWorker, FutureCancelledError))
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


@dataclass(frozen=True)
class _Work:
    """What every worker holds."""

    extensions: Extensions
    plan: Plan
    selectors: Sequence[Any]


def _compute_there(work: _Work, index: int, run: int) -> Cell:
    return compute_cell(work.plan, work.selectors[index], index, run)


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
