"""A fit on all rows: what an estimator makes of the whole data, under the conditions of every other run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.resampling import Resample
from steadyset.runner.cell import EVERY_ROW, Cell, Fitted, compute_cell, compute_cells
from steadyset.runner.chosen import chosen
from steadyset.runner.conditions import same_conditions
from steadyset.runner.plan import Plan
from steadyset.runner.seeds import ready
from steadyset.runner.training import Training

ALL_ROWS = "all rows"  # the label of the run, and with it the key of its seeds


def compute_run(plan: Plan, selector: Any, index: int, run: int) -> Cell:
    """A selector on a run, or on all rows where EVERY_ROW stands for the number of a run."""
    if run != EVERY_ROW:
        return compute_cell(plan, selector, index, run)
    return replace(fit_on_all_rows(plan, selector), selector=index, run=EVERY_ROW)


def run_label(plan: Plan, run: int) -> str:
    """What a run is called, whether or not it can be computed."""
    return ALL_ROWS if run == EVERY_ROW else plan.draw(run).label


def fit_on_all_rows(plan: Plan, selector: Any) -> Cell:
    """What a selector selects from all rows, each once: a cell with the label "all rows" and without scores.

    `selector` is unfitted and stays so. `selected` and `weights` are those of every other cell, seeds come from the
    plan, gaps are filled as the plan says, warnings are in `warnings`. Nothing is raised: `selected` is None where
    the fit fails, and `failure` says why; where it selects nothing `selected` is empty and `failure` says that.

        cell = fit_on_all_rows(plan, selector)
        chosen = set(cell.selected or ())
    """

    def fit(training: Training) -> list[Fitted]:
        return [Fitted(chosen(training.fitted(ready(selector, plan, ALL_ROWS)), plan.X.shape[1], plan.cut))]

    (cell,) = compute_cells(plan, all_rows(plan), fit)
    return cell


def model_on_all_rows(plan: Plan, fit: Callable[[Training], Fitted]) -> tuple[Fitted, Cell]:
    """The final model of a choice, and the cell that tells of its fit; where that fails there is nothing to give."""
    models: list[Fitted] = []

    def fit_once(training: Training) -> list[Fitted]:
        models.append(fit(training))
        return models

    (cell,) = compute_cells(plan, all_rows(plan), fit_once)
    if cell.selected is None:
        raise InputError(failed_on_all_rows(cell))
    return models[0], cell


def error_on_all_rows(plan: Plan, selector: Any) -> Exception | None:
    """What a selector raises when it is fitted to the whole data, if anything."""
    with same_conditions():
        try:
            model = Training.of(plan, all_rows(plan)).fitted(ready(selector, plan, ALL_ROWS))
            chosen(model, plan.X.shape[1], plan.cut)
        except Exception as error:
            return error
    return None


def failed_on_all_rows(cell: Cell) -> str:
    """The sentence for a result that cannot be had without the fit on all rows."""
    return f"The fit on all rows failed: {cell.failure}"


def all_rows(plan: Plan) -> Resample:
    """Every row once, none left out."""
    return Resample(ALL_ROWS, np.arange(len(plan.y)), np.empty(0, np.int64))
