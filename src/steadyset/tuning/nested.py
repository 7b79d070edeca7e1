"""An honest score of a search with its choice: nested resampling, whose left-out rows play no part in the choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np

from steadyset.foundation.arguments import check_integer
from steadyset.foundation.errors import Argument, InputError
from steadyset.kernels.arrays import Ints
from steadyset.resampling import KFold
from steadyset.resampling.base import Rows, Splits
from steadyset.runner.plan import Plan
from steadyset.tasks import TASKS
from steadyset.tuning.evaluation import ELAPSED, direction

if TYPE_CHECKING:
    from steadyset.foundation.display import Tell
    from steadyset.tuning.result import Tuning

N_NESTED = 5  # outer folds that are proposed


@dataclass(frozen=True)
class NestedScore:
    """The score of a search and its choice on the rows of each outer fold, which took no part in either.

    Attributes
    ----------
    score : str
        The name of the score.
    values : tuple of float
        The score on each outer fold.
    mean : float
        Their mean.
    low : float
        The lower end of its 95% interval; nan if only one fold has a score.
    high : float
        The upper end.
    """

    score: str
    values: tuple[float, ...]
    mean: float
    low: float
    high: float


def nested_score(tuning: Tuning, n_folds: int, rule: str, progress: Tell | None = None) -> NestedScore:
    """Repeat the search of a tuning on the rows outside of each of `n_folds` folds, and score its choice on the fold.

    The configuration is chosen by `rule`. Folds keep the classes in proportion, unless groups stay together.
    """
    plan = tuning.evaluator.plan
    score, folds = outer_folds(plan, tuning.objectives, n_folds)
    values = []
    for fold in range(n_folds):
        outer = folds.draw(fold, plan.rows, plan.seed)
        values.append(_score_of_choice(tuning, outer.train, outer.test, rule, score))
        if progress is not None:
            progress(fold + 1, n_folds)
    known = np.array(values)[np.isfinite(values)]
    if not len(known):
        raise InputError("No outer fold has a score; its choice failed in each of them.")
    mean = float(known.mean())
    ratio = 1 / (n_folds - 1)
    low, high = tuning.evaluator.hidden_spread(score, ratio).interval(known, ratio)
    return NestedScore(score, tuple(values), mean, low, high)


def outer_folds(plan: Plan, objectives: Sequence[str], n_folds: int) -> tuple[str, KFold]:
    """Return the score of nested resampling and its outer folds. Raise InputError if the data cannot have them."""
    check_integer("nested", n_folds, least=2, most=len(plan.y))
    if isinstance(plan.resampling, Splits):
        raise InputError(
            "resampling holds given rows, which cannot be drawn again from a part of the data. For nested resampling "
            "give the name of a resampling, such as kfold."
        )
    score = next((name for name in objectives if name in plan.score_names), None)
    if score is None:
        raise InputError("The objectives hold no score. Nested resampling needs one, such as accuracy.")
    n_units = len(plan.y) if plan.groups is None else len(np.unique(plan.groups))
    if n_units < 2:
        raise InputError("All rows are in one group. Nested resampling needs rows of at least two groups.")
    if n_folds > n_units:
        raise InputError(
            f"The rows are in {n_units} groups, which cannot be divided into {n_folds} outer folds. Choose ",
            Argument("nested", n_units),
            " or less.",
        )
    stratified = TASKS[plan.task].has_classes and plan.groups is None
    folds = KFold(n_folds, stratified=stratified)
    _check_inner(plan, folds)
    return score, folds


def _check_inner(plan: Plan, folds: KFold) -> None:
    """Raise InputError if the resampling of a tuning cannot be drawn from the training rows of an outer fold."""
    every = plan.rows
    for fold in range(folds.n_splits):
        train = folds.draw(fold, every, plan.seed).train
        groups = None if every.groups is None else every.groups[train]
        y = plan.y[train]
        try:
            plan.resampling.check(Rows(len(train), y, groups, None, TASKS[plan.task].strata(y)))
        except InputError as error:
            raise InputError(
                f"Nested resampling repeats the search on the {len(train)} rows outside of an outer fold, and the "
                "resampling cannot be drawn from them. Choose another ",
                Argument("resampling", ...),
                ", such as one with fewer parts.",
            ) from error


def proposed_folds(tuning: Tuning) -> int:
    """Return the number of outer folds to propose; 0 if the data cannot have nested resampling."""
    plan = tuning.evaluator.plan
    for n_folds in range(N_NESTED, 1, -1):
        try:
            outer_folds(plan, tuning.objectives, n_folds)
        except InputError:
            continue
        return n_folds
    return 0


def _score_of_choice(tuning: Tuning, train: Ints, test: Ints, rule: str, score: str) -> float:
    """Search on the training rows alone, and return the score of the choice on the others."""
    from steadyset.tuning.result import Tuning
    from steadyset.tuning.search import Search

    evaluator = tuning.evaluator
    task = evaluator.plan.task
    inner = replace(evaluator, plan=_part(evaluator.plan, train), folder=None)
    study = Search(
        tuning.space,
        {name: direction(name, evaluator.measure) for name in tuning.objectives},
        settings={"sampler": tuning.sampler, "seed": evaluator.plan.seed},
        n_trials=len(tuning.trials),
        storage=None,
        folder=None,
    )
    study.run(lambda params: inner(tuning.space.estimator(params, len(train), task)))
    found = Tuning(tuning.space, tuning.objectives, study.finished(), evaluator=inner, sampler=tuning.sampler)
    inner.close()
    study.close()
    chosen = found.choose(rule)
    params = next(params for number, params, _ in found.trials if number == chosen)
    whole = replace(evaluator.plan, resampling=Splits(((train, test),)), key=uuid4().hex)
    outer = replace(evaluator, plan=whole, folder=None)
    (cell,) = outer.cells(tuning.space.estimator(dict(params), len(train), task))
    return float(cell.scores.get(score, np.nan))


def _part(plan: Plan, rows: Ints) -> Plan:
    """Return the plan of some of the rows."""
    groups = None if plan.groups is None else plan.groups[rows]
    forced = None if plan.forced is None else replace(plan.forced, values=plan.forced.values[rows])
    return replace(plan, X=plan.X[rows], y=plan.y[rows], groups=groups, forced=forced, key=uuid4().hex)


def nested_seconds(tuning: Tuning, n_folds: int) -> float:
    """Return about how long nested resampling takes, from the time of the search.

    Each of the outer folds repeats the search, with (n_folds - 1) / n_folds of the rows. The times of fits are not
    used: they count a ranking once per configuration, although configurations share it.
    """
    return (n_folds - 1) * sum(float(one.get(ELAPSED, "nan")) for one in tuning.of_runs)
