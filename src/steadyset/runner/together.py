"""Cells of a selector on several runs, fitted together where the selector can do that: each cell stays what it was."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steadyset.resampling import Resample
from steadyset.runner.all_rows import compute_run
from steadyset.runner.cell import EVERY_ROW, Cell, Fitted, compute_cells
from steadyset.runner.chosen import chosen
from steadyset.runner.conditions import same_conditions
from steadyset.runner.plan import Plan
from steadyset.runner.seeds import is_ours, ready
from steadyset.runner.training import Training
from steadyset.selectors.protocols import fits_many

Group = tuple[int, list[int]]  # a selector and its runs
Fit = Callable[[], Any]  # gives a fitted selector
# Runs that are fitted together: more gain little, and none is scored and saved before all of its group are fitted.
MOST_TOGETHER = 10


def grouped(plan: Plan, selectors: Sequence[Any], keys: Sequence[tuple[int, int]], n_jobs: int) -> list[Group]:
    """The cells (selector, run) in groups of a selector, in the order of their first runs.

    Cells that cannot be fitted together are groups of one, and so are fits on all rows.
    """
    several = [can_fit_together(plan, selector) for selector in selectors]
    most = MOST_TOGETHER
    if n_jobs > 1:  # every job has several groups of each selector, so that none waits long for the last one
        most = max(1, min(most, len(keys) // (4 * n_jobs * len(selectors))))
    groups: list[Group] = []
    open_groups: dict[int, list[int]] = {}
    for selector, run in keys:
        group = open_groups.get(selector)
        if group is not None and len(group) < most and run != EVERY_ROW:
            group.append(run)
            continue
        group = [run]
        groups.append((selector, group))
        if several[selector] and run != EVERY_ROW:
            open_groups[selector] = group
    return groups


def compute_group(plan: Plan, selector: Any, index: int, runs: Sequence[int]) -> Iterator[Cell]:
    """The cells of a selector on some runs, one after the other."""
    if len(runs) == 1:
        yield compute_run(plan, selector, index, runs[0])
        return
    resamples = [plan.draw(run) for run in runs]
    begin = time.perf_counter()
    fits = _fitted_together(plan, selector, runs, resamples)
    spent = (time.perf_counter() - begin) / len(runs)
    for run, resample in zip(runs, resamples, strict=True):
        if run not in fits:
            yield compute_run(plan, selector, index, run)
            continue
        (cell,) = compute_cells(plan, resample, _chosen_by(fits[run], plan))
        yield replace(cell, selector=index, run=run, fit_seconds=cell.fit_seconds + spent)


def _chosen_by(fitted: Fit, plan: Plan) -> Callable[[Training], list[Fitted]]:
    return lambda training: [Fitted(chosen(fitted(), plan.X.shape[1], plan.cut))]


def can_fit_together(plan: Plan, selector: Any) -> bool:
    """Whether resamples of the plan are weights of its rows for this selector, and can be handed to it together."""
    if plan.impute is not None and len(plan.gaps):  # every run fills the gaps by medians of its own
        return False
    return fits_many(selector) and bool(getattr(selector, "weights_equal_copies", False))


def _fitted_together(plan: Plan, selector: Any, runs: Sequence[int], resamples: Sequence[Resample]) -> dict[int, Fit]:
    """For each run a call that gives the fitted selector; none where the fit of all fails, so that each tells why."""
    usable = [
        (run, resample)
        for run, resample in zip(runs, resamples, strict=True)
        if resample.noise is None and not Training.of(plan, resample).has_one_class
    ]
    if not usable:
        return {}
    template = ready(selector, plan, usable[0][0])  # it has no seeds, so that it is the same for every run
    fits = fit_together(plan, template.fit_many, [resample for _, resample in usable], trusted=is_ours(template))
    return {run: fit for (run, _), fit in zip(usable, fits, strict=True)} if fits is not None else {}


def fit_together(
    plan: Plan, fit_many: Callable[..., Iterable[Fit]], resamples: Sequence[Resample], *, trusted: bool
) -> list[Fit] | None:
    """What `fit_many` gives for resamples that draw rows; None where it fails: the fits one by one say why.

    Data that goes to somebody else's code cannot be written to.
    """
    weights, X = np.stack([resample.weights(len(plan.y)) for resample in resamples]), plan.X
    if not trusted:
        X = X.view()
        X.flags.writeable = False
    with same_conditions():
        try:
            return list(fit_many(X, plan.y.copy(), weights))
        except Exception:  # whatever it is, it concerns some of the runs, or all
            return None
