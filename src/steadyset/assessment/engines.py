"""Where cells are computed: in this process, in threads, in worker processes, or on a dask cluster.

An engine takes cells in any order and hands each back as it is finished; what a cell contains never depends on it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyset.assessment.cluster import on_cluster
from steadyset.assessment.folder import Saving
from steadyset.assessment.workers import fetched, in_processes
from steadyset.foundation.arguments import check_flag, job_count, wrong_argument
from steadyset.foundation.progress import Progress, check_progress
from steadyset.runner.conditions import RECORD, check_on_warning
from steadyset.runner.plan import Plan
from steadyset.runner.run import Cell, Group, compute_group, grouped

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
    progress : bool, Callable or None, default=None
        None shows a bar in notebooks and in terminals, False none, and True one even where standard error goes to a
        file; a function is called with the numbers of finished and of all runs, or configurations.

    Examples
    --------
    >>> import steadyset as st
    >>> quiet = st.Execution(engine="threads", progress=False)
    """

    engine: str = "auto"
    resume: bool = True
    on_warning: str = RECORD
    all_rows: bool = True
    progress: Progress = None

    def __post_init__(self) -> None:
        check_engine(self.engine)
        check_flag("resume", self.resume)
        check_on_warning(self.on_warning)
        check_flag("all_rows", self.all_rows)
        check_progress(self.progress)


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
        yield from _auto(plan, selectors, keys, jobs, saving)
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
    if n_jobs == 1:
        yield from _serial(plan, selectors, keys, n_jobs, saving)
        return
    left = deque(grouped(plan, selectors, keys, n_jobs))
    if plan.X.nbytes <= SMALL_BYTES and all(_known(selector) for selector in (*selectors, plan.predictor)):
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
        yield from ENGINES[_sharing(plan)](plan, selectors, rest, n_jobs, saving)


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


def _sharing(plan: Plan) -> str:
    """Large data in memory goes to threads: mapping it into processes would hold it a second time."""
    mapped = isinstance(plan.X, np.memmap)
    return "processes" if mapped or plan.X.nbytes < LARGE_BYTES else "threads"


def _serial(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, saving: Saving) -> Iterator[Cell]:
    for selector, runs in grouped(plan, selectors, keys, 1):
        yield from saving.each(compute_group(plan, selectors[selector], selector, runs))


def _threads(plan: Plan, selectors: Sequence[Any], keys: Sequence[Key], n_jobs: int, saving: Saving) -> Iterator[Cell]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, backend="threading", batch_size=1, return_as="generator_unordered")
    groups = grouped(plan, selectors, keys, n_jobs)
    for cells in fetched(parallel(delayed(_group)(saving, plan, selectors[s], s, runs) for s, runs in groups)):
        yield from cells


def _group(saving: Saving, plan: Plan, selector: Any, index: int, runs: Sequence[int]) -> list[Cell]:
    return list(saving.each(compute_group(plan, selector, index, runs)))


ENGINES: dict[str, Engine] = {"serial": _serial, "threads": _threads, "processes": in_processes}
