"""One cell of an assessment: one selector on one resample. It depends on nothing but its arguments."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from steadyset.resampling import Resample
from steadyset.runner.chosen import Chosen, chosen
from steadyset.runner.plan import Plan
from steadyset.runner.scoring import blind_predictor, scores
from steadyset.task import CLASSES, NUMBER

ONE_CLASS = "the resample holds one class only"
NOTHING = "nothing was selected"


@dataclass(frozen=True)
class Cell:
    """What one selector did on one resample. `failure` says why there is no selection, or no score.

    `tied` counts the selected features that only the order of the columns preferred to others with the same score.
    `blind` and `random` are the scores of predicting without features (the largest class, the mean) and from as many
    features drawn at random.
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


def compute_cell(plan: Plan, selector: Any, index: int, run: int) -> Cell:
    """Fit, look at what was selected, score it on the left-out rows; every failure is told, none is raised."""
    resample = plan.resampling.draw(run, plan.rows, plan.seed)
    y = plan.y[resample.train] if resample.noise is None else _noisy(plan, resample)
    if plan.task == CLASSES and len(np.unique(y)) < 2:
        return Cell(index, run, resample.label, None, None, failure=ONE_CLASS)
    model = seeded(clone(selector), plan.seed, run)
    begin = time.perf_counter()
    with _same_conditions():
        try:
            _fit(model, plan, resample, y)
            picked = chosen(model, plan.X.shape[1])
        except Exception as error:  # whatever a selector raises is the answer of this cell, not of the assessment
            return Cell(index, run, resample.label, None, None, failure=reason(error))
        fitted = time.perf_counter()
        found, failure = _score(plan, resample, picked, y)
    return Cell(
        index,
        run,
        resample.label,
        tuple(picked.features.tolist()),
        None if picked.weights is None else tuple(picked.weights.tolist()),
        found,
        fitted - begin,
        time.perf_counter() - fitted,
        failure,
    )


def error_on_all_rows(plan: Plan, selector: Any) -> Exception | None:
    """What a selector raises when it is fitted to the whole data, if anything."""
    model = seeded(clone(selector), plan.seed, 0)
    with _same_conditions():
        try:
            model.fit(plan.X, plan.y)
            chosen(model, plan.X.shape[1])
        except Exception as error:
            return error
    return None


_condition_lock = threading.Lock()
_conditions = ExitStack()
_cells_at_work = 0


@contextmanager
def _same_conditions() -> Iterator[None]:
    """One thread for the arithmetic, and no convergence is an error.

    Sums in another order would change the last bits, and with them the selection. Both settings belong to the process,
    so threads that compute cells at the same time share them: the first to come sets them, the last to leave resets.
    """
    global _cells_at_work
    with _condition_lock:
        if _cells_at_work == 0:
            _conditions.enter_context(threadpool_limits(1))
            _conditions.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ConvergenceWarning)
        _cells_at_work += 1
    try:
        yield
    finally:
        with _condition_lock:
            _cells_at_work -= 1
            if _cells_at_work == 0:
                _conditions.close()


def _fit(model: Any, plan: Plan, resample: Resample, y: npt.NDArray[Any]) -> None:
    """Rows are copied only for selectors that cannot take a bootstrap as weights."""
    if (
        resample.noise is None
        and getattr(model, "weights_equal_copies", False)
        and has_fit_parameter(model, "sample_weight")
    ):
        model.fit(plan.X, plan.y, sample_weight=resample.weights(len(plan.y)))
        return
    X = np.asarray(plan.X[resample.train])
    model.fit(X if resample.noise is None else resample.noise.values(X), y)


def _noisy(plan: Plan, resample: Resample) -> npt.NDArray[Any]:
    assert resample.noise is not None
    return resample.noise.labels(plan.y[resample.train], continuous=plan.task == NUMBER)


def _score(plan: Plan, resample: Resample, picked: Chosen, y: npt.NDArray[Any]) -> tuple[dict[str, float], str]:
    if not len(resample.test) or not plan.scoring:
        return {}, "" if len(picked.features) else NOTHING
    columns = picked.features
    try:
        if len(columns):
            model = seeded(clone(plan.predictor), plan.seed, resample.label)
            train = np.asarray(plan.X[np.ix_(resample.train, columns)])
            test = np.asarray(plan.X[np.ix_(resample.test, columns)])
        else:
            model = blind_predictor(plan.task)
            train, test = np.zeros((len(y), 1)), np.zeros((len(resample.test), 1))
        model.fit(train, y)
        found = scores(model, test, plan.y[resample.test], plan.scoring, plan.task)
    except Exception as error:
        return {}, f"no score: {reason(error)}"
    return found, "" if len(columns) else NOTHING


def seeded(estimator: Any, seed: int, run: int | str) -> Any:
    """Give every random_state that is still open a seed of its own, drawn from the run's."""
    key = run if isinstance(run, int) else int.from_bytes(run.encode()[-8:], "big")
    open_states = sorted(
        name
        for name, value in estimator.get_params(deep=True).items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    )
    states = np.random.SeedSequence(seed, spawn_key=(key, 1)).generate_state(max(1, len(open_states)))
    return estimator.set_params(**{name: int(s % 2**31) for name, s in zip(open_states, states, strict=False)})


def reason(error: BaseException) -> str:
    """An error in one line."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
