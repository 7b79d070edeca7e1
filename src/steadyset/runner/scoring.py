"""How well the selected features predict the left-out rows: a predictor and scores, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import metrics
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from steadyset.errors import InputError
from steadyset.task import CLASSES, NUMBER, Task


def _auc(y: Any, predicted: Any, probability: Any, classes: Any) -> float:
    if len(np.unique(y)) < 2:
        return float("nan")
    if len(classes) == 2:
        return float(metrics.roc_auc_score(y == classes[1], probability[:, 1]))
    present = np.isin(classes, y)
    if present.sum() < 2 or not present.all():
        return float("nan")
    return float(metrics.roc_auc_score(y, probability, multi_class="ovr", labels=classes))


def _log_likelihood(y: Any, predicted: Any, probability: Any, classes: Any) -> float:
    known = np.isin(y, classes)
    column = np.searchsorted(classes, np.where(known, y, classes[0]))
    share = np.where(known, probability[np.arange(len(y)), column], 0.0)
    return float(np.mean(np.log(np.clip(share, 1e-15, 1.0))))


CLASSIFICATION: dict[str, Callable[..., float]] = {
    "accuracy": lambda y, predicted, *_: float(np.mean(y == predicted)),
    "balanced_accuracy": lambda y, predicted, *_: _balanced_accuracy(y, predicted),
    "auc": _auc,
    "log_likelihood": _log_likelihood,
    "error": lambda y, predicted, *_: float(np.mean(y != predicted)),
}
REGRESSION: dict[str, Callable[..., float]] = {
    "r2": lambda y, predicted, *_: float(metrics.r2_score(y, predicted)) if len(y) > 1 else float("nan"),
    "rmse": lambda y, predicted, *_: float(np.sqrt(np.mean((y - predicted) ** 2))),
}
LOWER_IS_BETTER = frozenset({"error", "rmse"})


def default_predictor(task: Task) -> Any:
    """Logistic regression, or ridge regression, on standardised features."""
    model = LogisticRegression(max_iter=1000) if task == CLASSES else Ridge()
    return make_pipeline(StandardScaler(), model)


def blind_predictor(task: Task) -> Any:
    """What predicts when nothing was selected: the class shares, or the mean."""
    return DummyClassifier(strategy="prior") if task == CLASSES else DummyRegressor()


def check_scores(names: Sequence[str] | str | None, task: Task) -> tuple[str, ...]:
    """The names of the scores; the default is accuracy, or R²."""
    known = CLASSIFICATION if task == CLASSES else REGRESSION
    if names is None:
        return (next(iter(known)),)
    wanted = (names,) if isinstance(names, str) else tuple(names)
    for name in wanted:
        if name not in known:
            raise InputError(f"There is no score {name!r} for {task}; wanted is one of {', '.join(known)}.")
    return wanted


def scores(
    model: Any, X: npt.NDArray[np.float64], y: npt.NDArray[Any], names: Sequence[str], task: Task
) -> dict[str, float]:
    """Score a fitted model on left-out rows; nan where a score has no meaning there."""
    predicted = model.predict(X)
    if task == NUMBER:
        return {name: REGRESSION[name](y, predicted) for name in names}
    probability = _probability(model, X, names) if {"auc", "log_likelihood"} & set(names) else None
    return {name: CLASSIFICATION[name](y, predicted, probability, model.classes_) for name in names}


def _probability(model: Any, X: npt.NDArray[np.float64], names: Sequence[str]) -> npt.NDArray[np.float64]:
    """A column a class; the auc of two classes needs their order only, which a decision function gives too."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))
    if "log_likelihood" in names or not hasattr(model, "decision_function") or len(model.classes_) > 2:
        raise InputError("log_likelihood, and auc of more than two classes, need a predictor with predict_proba.")
    decision = np.asarray(model.decision_function(X))
    return np.column_stack([-decision, decision])


def _balanced_accuracy(y: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> float:
    return float(np.mean([np.mean(predicted[y == label] == label) for label in np.unique(y)]))
