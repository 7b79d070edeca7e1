"""Pieces of work that do not depend on each other: in this process, in several, or on a dask cluster, each kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from papers.framework.results_folder import ResultsFolder
from papers.framework.run import Run

Task = tuple[Any, ...]


def spread(
    run: Run, function: Callable[..., Any], tasks: Mapping[str, Task], *, folder: ResultsFolder | None = None
) -> dict[str, Any]:
    """`function(*task)` of every task by name, as JSON holds it, with the jobs and the engine of the run.

    What is finished is kept in the folder of the run, or in the one given, and is not computed again there.
    """
    keep = run.kept_in if folder is None else folder
    left = {name: task for name, task in tasks.items() if not keep.has_piece(name)}
    for done, (name, value) in enumerate(_computed(run, function, left), 1):
        keep.piece(name, lambda value=value: value)  # type: ignore[misc]
        if run.progress is not None:
            run.progress(len(tasks) - len(left) + done, len(tasks))
    return {name: keep.piece(name, dict) for name in tasks}


def _computed(run: Run, function: Callable[..., Any], tasks: Mapping[str, Task]) -> Iterator[tuple[str, Any]]:
    """The results as they are finished."""
    if not tasks:
        return
    if run.engine == "dask" or "://" in run.engine:
        yield from _on_cluster(run, function, tasks)
    elif run.jobs == 1 or run.engine == "serial" or len(tasks) == 1:
        for name, task in tasks.items():
            yield name, function(*task)
    else:
        from joblib import Parallel, delayed

        backend = "threading" if run.engine == "threads" else "loky"
        work = (delayed(_named)(function, name, task) for name, task in tasks.items())
        yield from Parallel(n_jobs=run.jobs, backend=backend, return_as="generator_unordered", pre_dispatch="2*n_jobs")(
            work
        )


def _on_cluster(run: Run, function: Callable[..., Any], tasks: Mapping[str, Task]) -> Iterator[tuple[str, Any]]:
    from distributed import Client, as_completed

    own: dict[str, Any] = {
        "n_workers": run.jobs,
        "threads_per_worker": 1,
        "host": "127.0.0.1",
        "dashboard_address": None,
    }
    with Client(**own) if run.engine == "dask" else Client(run.engine) as client:
        futures = [client.submit(_named, function, name, task, pure=False) for name, task in tasks.items()]
        for future in as_completed(futures):
            yield future.result()
            future.release()


def _named(function: Callable[..., Any], name: str, task: Task) -> tuple[str, Any]:
    return name, function(*task)
