"""Where cells are computed: in this process, in threads, in worker processes, or on a dask cluster.

An engine takes cells in any order and hands each back as it is finished; what a cell contains never depends on it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from steadyset.arguments import job_count, wrong_argument
from steadyset.assessment.cluster import on_cluster
from steadyset.assessment.workers import fetched, in_processes
from steadyset.runner.all_rows import compute_run
from steadyset.runner.cell import Cell
from steadyset.runner.plan import Plan

Key = tuple[int, int]
Engine = Callable[[Plan, Sequence[Any], Sequence[Key], int], Iterator[Cell]]
LARGE_BYTES = 200_000_000
# Worker processes take seconds to start: small work begins in this one, which may well be done before they would be.
SMALL_BYTES, PATIENCE = 20_000_000, 3.0
LOADING = 15.0  # seconds in which the first run of a selector may load kernels and says nothing about the others
KNOWN = ("steadyset", "sklearn")


def compute(
    engine: str, plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int | None
) -> Generator[Cell]:
    """Compute the cells `keys` = (selector, run); an address such as tcp://host:8786 is a dask scheduler."""
    check_engine(engine)
    jobs = job_count(n_jobs)
    if engine == "auto":
        yield from _auto(plan, selectors, keys, jobs)
    elif engine in ENGINES:
        yield from ENGINES[engine](plan, selectors, keys, jobs)
    else:
        yield from on_cluster(plan, selectors, keys, jobs, None if engine == "dask" else engine)


def check_engine(engine: str) -> None:
    """Refuse what is no engine."""
    if not isinstance(engine, str) or not (engine in ("auto", "dask", *ENGINES) or "://" in engine):
        raise wrong_argument("engine", f"auto, {', '.join(ENGINES)}, dask or a scheduler's address", engine)


def _auto(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int) -> Iterator[Cell]:
    """Small work in this process; large work, and what would take some seconds more, in several."""
    if n_jobs == 1:
        yield from _serial(plan, selectors, keys, n_jobs)
        return
    left = deque(keys)
    if plan.X.nbytes <= SMALL_BYTES and all(_known(selector) for selector in (*selectors, plan.predictor)):
        latest: dict[int, float] = {}
        end = time.monotonic() + PATIENCE
        while left and (time.monotonic() < end or _seconds(left, latest) < PATIENCE):
            begin = time.monotonic()
            cell = next(_serial(plan, selectors, [left.popleft()], n_jobs))
            took = time.monotonic() - begin
            latest[cell.selector] = 0.0 if cell.selector not in latest and took < LOADING else took
            yield cell
    if left:
        yield from ENGINES[_sharing(plan)](plan, selectors, list(left), n_jobs)


def _seconds(left: Iterable[Key], latest: Mapping[int, float]) -> float:
    """How long cells should take, by the latest of each selector."""
    return sum(latest.get(selector, np.inf) for selector, _ in left)


def _known(estimator: Any) -> bool:
    """Whether an estimator is made of known parts: one of somebody else's might end the process that runs it."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return all(
        type(part).__module__.partition(".")[0] in KNOWN
        for part in parts
        if callable(part) or hasattr(part, "get_params")
    )


def _sharing(plan: Plan) -> str:
    """Large data in memory goes to threads: mapping it into processes would hold it a second time."""
    mapped = isinstance(plan.X, np.memmap)
    return "processes" if mapped or plan.X.nbytes < LARGE_BYTES else "threads"


def _serial(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int) -> Iterator[Cell]:
    for selector, run in keys:
        yield compute_run(plan, selectors[selector], selector, run)


def _threads(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int) -> Iterator[Cell]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, backend="threading", batch_size=1, return_as="generator_unordered")
    yield from fetched(parallel(delayed(compute_run)(plan, selectors[s], s, run) for s, run in keys))


ENGINES: dict[str, Engine] = {"serial": _serial, "threads": _threads, "processes": in_processes}
