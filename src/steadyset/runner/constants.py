"""The baseline "no features": the best prediction that is the same for every row, and its scores on left-out rows.

Such a prediction must not learn from the training rows of a run. In k-fold cross-validation of balanced classes the
larger class of the training rows is the smaller class of the left-out rows, so that a constant learned from training
rows has an accuracy below 0.5 even in expectation, and selectors on noise beat it. The constant is therefore chosen
by its score on all rows: of predictions that do not depend on the features, none has a higher expected score.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.runner.conditions import listening
from steadyset.runner.plan import Plan
from steadyset.runner.scoring import Score, Scored, lower_is_better, scores
from steadyset.runner.weighting import blind_with
from steadyset.tasks import TASKS

TIED = 1e-12  # scores on all rows that differ by no more differ by rounding only


def constant_scores(plan: Plan, rows: Ints) -> Scored:
    """Score the best constant predictions on some rows.

    Constants that are equally good on all rows, such as either of two balanced classes, count with their mean score.
    """
    nothing = np.zeros((len(rows), 1))
    y = plan.y[rows]
    weights = None if plan.sample_weight is None else plan.sample_weight[rows]
    values: dict[str, float] = {}
    notes: list[str] = []
    failure = ""
    for score in plan.scoring:
        each = [scores(model, nothing, y, [score], plan.task, weights) for model in _best_constants(plan, score)]
        values[score.name] = float(np.mean([one.values[score.name] for one in each]))
        notes += each[0].notes
        failure = failure or each[0].failure
    return Scored(values, tuple(dict.fromkeys(notes)), failure)


def _best_constants(plan: Plan, score: Score) -> Sequence[Any]:
    known = _known_constants(plan.key)
    if score.name not in known:
        counting = plan.counting(np.arange(len(plan.y)))
        weights = None if plan.sample_weight is None else plan.sample_weight[counting]
        known[score.name] = best_constants(plan.y[counting], score, plan.task, weights)
    return known[score.name]


@lru_cache(maxsize=8)
def _known_constants(plan_key: str) -> dict[str, Sequence[Any]]:
    """Return the constants of a plan that were chosen before, by the score."""
    return {}


def best_constants(y: Any, score: Score, task: str, weights: Floats | None = None) -> list[Any]:
    """Return the fitted models with the best score on all rows, of those that predict the same for every row."""
    nothing = np.zeros((len(y), 1))
    usual = blind_with(TASKS[task].blind(), nothing, y, weights)
    models = [usual, *(model.fit(nothing, y) for model in TASKS[task].constants(y))]
    with listening():
        values = np.array([scores(model, nothing, y, [score], task, weights).values[score.name] for model in models])
    if not np.isfinite(values).any():
        return [usual]
    values = -values if lower_is_better(score.name) else values
    best = np.flatnonzero(values >= np.nanmax(values) - TIED * max(1.0, abs(np.nanmax(values))))
    # The usual constant is one of the others, or better than they are: of equals it would count twice.
    chosen = best[best > 0] if len(best) > 1 else best
    return [models[place] for place in chosen]
