"""The runner: one estimator on one resample. What it gives depends on nothing but its arguments."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from steadyset.kernels.arrays import Ints
from steadyset.measures.adjusted.remembered import Remembered
from steadyset.resampling import Resample
from steadyset.runner.chosen import Chosen, chosen
from steadyset.runner.conditions import FAIL, listening, reason, same_conditions
from steadyset.runner.label_codes import fitted_predictor
from steadyset.runner.plan import Plan
from steadyset.runner.scoring import Scored, scores
from steadyset.runner.seeds import RANDOM_FEATURES, ready, run_key
from steadyset.runner.training import Training
from steadyset.tasks import TASKS

ONE_CLASS = "the resample holds one class only; a resampling with stratified=True keeps all of them"
NOTHING = "nothing was selected"
# Draws of random features per run, whose scores are averaged. Those of one draw vary so much from run to run that a
# test against them would hardly ever find a selector that is better.
RANDOM_DRAWS = 3
EVERY_ROW = -1  # stands for the number of a run where a cell is that of a fit on all rows

_known_baselines = Remembered(2_000)


@dataclass(frozen=True)
class Cell:
    """What one selector did on one resample. `failure` says why there is no selection, or no score.

    `warnings` are short, distinct, and begin with "predictor" where not the selector warned. `tied` counts the selected
    features that only the order of the columns preferred to others with the same score. `blind` and `random` are the
    scores of predicting without features (the largest class, the mean) and from as many features drawn at random, the
    mean of several draws. `signs` are those of the coefficients of the selected features (1, -1, 0), where the selector
    has one for each.
    `rule` says which coefficients or importances of a model counted as selected; "" where a selector selected.
    """

    selector: int
    run: int
    label: str
    selected: tuple[int, ...] | None
    weights: tuple[float, ...] | None
    scores: dict[str, float] = field(default_factory=dict)
    fit_seconds: float = float("nan")
    score_seconds: float = float("nan")
    failure: str = ""
    warnings: tuple[str, ...] = ()
    tied: int = 0
    blind: dict[str, float] = field(default_factory=dict)
    random: dict[str, float] = field(default_factory=dict)
    signs: tuple[int, ...] | None = None
    rule: str = ""


@dataclass(frozen=True)
class Fitted:
    """What an estimator chose, and the model that predicts from all columns.

    Without one, the predictor of the plan is fitted to the chosen columns.
    """

    chosen: Chosen
    model: Any = None


def compute_cell(plan: Plan, selector: Any, index: int, run: int) -> Cell:
    """A selector on a run: fit, look at what was selected, let the plan's predictor predict the left-out rows."""

    def fit(training: Training) -> list[Fitted]:
        model = training.fitted(ready(selector, plan, run))
        return [Fitted(chosen(model, plan.X.shape[1], plan.cut))]

    (cell,) = compute_cells(plan, plan.draw(run), fit)
    return replace(cell, selector=index, run=run)


def compute_cells(plan: Plan, resample: Resample, fit: Callable[[Training], Sequence[Fitted]]) -> list[Cell]:
    """Fit once on a resample, and score everything that came of it; every failure is told, none is raised.

    Where the fit fails there is one cell, without a selection.
    """
    blank = Cell(0, 0, resample.label, None, None)
    training = Training.of(plan, resample)
    if training.has_one_class:
        return [replace(blank, failure=ONE_CLASS)]
    begin = time.perf_counter()
    with same_conditions() as heard:
        try:
            found = fit(training)
        except Exception as error:  # whatever an estimator raises is the answer of this run, not of the assessment
            return [replace(blank, failure=reason(error), warnings=tuple(heard))]
        seconds = time.perf_counter() - begin
        if heard and plan.on_warning == FAIL:
            return [replace(blank, failure=heard[0], warnings=tuple(heard))]
        blank = replace(blank, fit_seconds=seconds, warnings=tuple(heard))
        return [_scored(plan, training, one, blank) for one in found]


def _scored(plan: Plan, training: Training, one: Fitted, blank: Cell) -> Cell:
    begin = time.perf_counter()
    picked = one.chosen
    with listening() as heard:
        scored = _scores(plan, training, one)
    if heard and plan.on_warning == FAIL and not scored.failure:
        scored = Scored({}, failure=f"no score: {heard[0]}")
    seconds = time.perf_counter() - begin
    nothing = NOTHING if one.model is None and not len(picked.features) else ""
    judged = one.model is None and scored.values
    blind, drawn = _baselines(plan, training, picked.features, scored.values) if judged else ({}, {})
    return replace(
        blank,
        selected=tuple(picked.features.tolist()),
        weights=None if picked.weights is None else tuple(picked.weights.tolist()),
        scores=scored.values,
        score_seconds=seconds,
        failure=scored.failure or nothing,
        warnings=(*blank.warnings, *(f"predictor: {text}" for text in heard), *scored.notes),
        tied=picked.tied,
        blind=blind,
        random=drawn,
        signs=None if picked.signs is None else tuple(picked.signs.tolist()),
        rule=picked.rule,
    )


def _scores(plan: Plan, training: Training, one: Fitted) -> Scored:
    if not len(training.resample.test) or not plan.scoring:
        return Scored({})
    try:
        if one.model is not None:
            return scores(one.model, training.test(), training.test_y, plan.scoring, plan.task)
        return _predicted(plan, training, one.chosen.features)
    except Exception as error:
        return Scored({}, failure=f"no score: {reason(error)}")


def _predicted(plan: Plan, training: Training, columns: Ints) -> Scored:
    """The scores of the plan's predictor on some of the columns; without any it is blind."""
    if len(columns):
        model = ready(plan.predictor, plan, training.resample.label)
        train, test = (training.framed(model, X, columns) for X in (training.train(columns), training.test(columns)))
    else:
        model = TASKS[plan.task].blind()
        train, test = np.zeros((len(training.target), 1)), np.zeros((len(training.resample.test), 1))
    model = fitted_predictor(model, train, training.y, plan.task)
    return scores(model, test, training.test_y, plan.scoring, plan.task)


def _baselines(
    plan: Plan, training: Training, selected: Ints, found: dict[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    """The scores without features, and of as many random ones: a resample has one random order for all selectors."""
    size, d = len(selected), plan.X.shape[1]
    random = np.random.default_rng(
        np.random.SeedSequence(plan.seed, spawn_key=(run_key(training.resample.label), RANDOM_FEATURES))
    )
    draws = [np.sort(random.permutation(d)[:size]) for _ in range(RANDOM_DRAWS)]
    with listening():
        blind = _shared(plan, training, [draws[0][:0]])
        if size in (0, d):
            return blind, dict(blind if size == 0 else found)
        return blind, _shared(plan, training, draws)


def _shared(plan: Plan, training: Training, draws: Sequence[Ints]) -> dict[str, float]:
    """The mean scores of a baseline: selectors that choose as many features on a resample have the same one."""

    def means() -> dict[str, float]:
        each = [_without_error(plan, training, columns) for columns in draws]
        return {name: float(np.mean([one[name] for one in each if name in one])) for one in each for name in one}

    key = (plan.key, training.resample.label, training.resample.digest, len(draws[0]))
    return dict(_known_baselines.get(key, means))


def _without_error(plan: Plan, training: Training, columns: Ints) -> dict[str, float]:
    try:
        return _predicted(plan, training, columns).values
    except Exception:  # the predictor's own failure is told with the selected features
        return {}
