"""What a fitted estimator selected, and how much weight it gives to each feature: the one stated rule.

1. A selector (get_support) selected its support: a mask, or column numbers.
2. Coefficients (coef_): the non-zero ones, those above 1e-5 of the largest where none is exactly zero.
3. Importances (feature_importances_): those above their mean.
4. A pipeline selected what its last step of these kinds selected, among what the selectors before it let through; the
   other steps before must keep the features as they are.
5. A search such as GridSearchCV selected what its best estimator selected, TransformedTargetRegressor what its own did.

The weights are the first of importances_, coef_, feature_importances_ and scores_ that the estimator has, without their
signs; those are told apart from them where coef_ has one coefficient for each feature. Features that
only the order of the columns preferred are counted: n_tied_ where the selector says so, else those of its scores_ that
equal the best score left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from steadyset.errors import InputError
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.runner.function import read_support

MARKS = ("get_support", "coef_", "feature_importances_")
WEIGHTS = ("importances_", "coef_", "feature_importances_", "scores_")


@dataclass(frozen=True)
class Chosen:
    """The selected feature indices, ascending, a weight for each, or None, and how many of them ties decided.

    `signs` are those of the coefficients, or None.
    """

    features: Ints
    weights: Floats | None
    tied: int = 0
    signs: Ints | None = None


def chosen(estimator: Any, n_features: int) -> Chosen:
    """Apply the rule to a fitted estimator."""
    fitted = within(estimator)
    if hasattr(fitted, "steps"):
        return _chosen_by_steps([within(step) for _, step in fitted.steps], n_features)
    return _chosen_by_one(fitted, n_features)


def can_choose(estimator: Any) -> bool:
    """Whether an unfitted estimator looks like something that selects: a first check, the fit has the last word."""
    if hasattr(estimator, "steps"):
        return any(can_choose(step) for _, step in estimator.steps)
    return hasattr(estimator, "fit") and not isinstance(estimator, type)


def selects_by_itself(model: Any) -> bool:
    """Whether the rule finds a selection in a fitted model; others use every feature that they get."""
    fitted = within(model)
    steps = [within(step) for _, step in fitted.steps] if hasattr(fitted, "steps") else [fitted]
    return any(hasattr(step, mark) for step in steps for mark in MARKS)


def within(fitted: Any) -> Any:
    """What a search found best, and what a model of a transformed target has fitted; anything else as it is.

    Whoever says what it selects is asked itself.
    """
    if hasattr(fitted, "get_support"):
        return fitted
    for inner in ("best_estimator_", "regressor_"):
        if hasattr(fitted, inner):
            return within(getattr(fitted, inner))
    if hasattr(fitted, "best_index_"):
        raise InputError(f"{type(fitted).__name__} keeps no fitted estimator; search with refit=True.")
    return fitted


def refuse_new_columns(name: str, estimator: Any) -> None:
    """Tell before any run that a step such as PCA makes columns that are not the features any more."""
    for _, step in getattr(estimator, "steps", [])[:-1]:
        if isinstance(step, ClassNamePrefixFeaturesOutMixin):
            raise InputError(f"The selector {name!r} cannot run: {new_columns(step)}")


def new_columns(step: Any) -> str:
    """Why what is selected behind such a step cannot be told."""
    return (
        f"the columns after the step {type(step).__name__} are not the features any more; steps before the selecting "
        "one must keep the features as they are."
    )


def _chosen_by_steps(steps: Sequence[Any], n_features: int) -> Chosen:
    deciding = [i for i, step in enumerate(steps) if hasattr(step, "steps") or any(hasattr(step, m) for m in MARKS)]
    if not deciding:
        raise InputError(
            "The pipeline has no step that selects; expected one with get_support(), coef_ or feature_importances_."
        )
    passed = np.arange(n_features)
    for step in steps[: deciding[-1]]:
        passed = passed[_kept_by(step, len(passed))]
    last = chosen(steps[deciding[-1]], len(passed))
    order = np.argsort(passed[last.features], kind="stable")
    return Chosen(
        passed[last.features][order],
        None if last.weights is None else last.weights[order],
        last.tied,
        None if last.signs is None else last.signs[order],
    )


def _kept_by(step: Any, n_features: int) -> Ints:
    """Which of its columns a fitted step hands on, in their order."""
    if hasattr(step, "get_support"):
        return chosen(step, n_features).features
    if not hasattr(step, "get_feature_names_out"):
        return np.arange(n_features)  # nothing tells otherwise; a different number of columns is seen at the next step
    names = [f"x{f}" for f in range(n_features)]
    place = {name: f for f, name in enumerate(names)}
    given = [str(name) for name in step.get_feature_names_out(names)]
    if not all(name in place for name in given):
        raise InputError(f"{new_columns(step)[0].upper()}{new_columns(step)[1:]}")
    return np.array([place[name] for name in given], dtype=np.int64)


def _chosen_by_one(fitted: Any, n_features: int) -> Chosen:
    who, weights = type(fitted).__name__, _feature_weights(fitted, n_features)
    if hasattr(fitted, "get_support"):
        support = read_support(fitted.get_support(), n_features, who)
    elif hasattr(fitted, "coef_"):
        support = not_zero(_deciding(fitted.coef_, "coef_", who, n_features))
    elif hasattr(fitted, "feature_importances_"):
        importances = _deciding(fitted.feature_importances_, "feature_importances_", who, n_features)
        support = importances > importances.mean()
    else:
        raise InputError(f"{who} selects nothing; expected get_support(), coef_ or feature_importances_.")
    features = np.flatnonzero(support)
    known = weights is not None and bool(np.all(np.isfinite(weights[features])))
    signs = _feature_signs(fitted, n_features)
    return Chosen(
        features,
        weights[features] if weights is not None and known else None,
        _tied(fitted, support),
        None if signs is None else signs[features],
    )


def not_zero(magnitudes: Floats) -> Bools:
    """Which coefficients count: those that are not 0, or above 1e-5 of the largest where a solver leaves none at 0."""
    least = 0.0 if np.any(magnitudes == 0) else 1e-5 * magnitudes.max(initial=0.0)
    return np.asarray(magnitudes > least)


def _deciding(raw: Any, attribute: str, who: str, n_features: int) -> Floats:
    """Numbers that decide what was selected, one per feature."""
    magnitudes = _magnitudes(raw, attribute)
    if len(magnitudes) != n_features:
        raise InputError(
            f"{who} decides on {len(magnitudes)} columns, but the data has {n_features} features; "
            "steps before the selecting one must keep the features as they are."
        )
    if np.isnan(magnitudes).any():
        raise InputError(f"{attribute} of {who} holds nan, so nothing can be said of what it selects.")
    return magnitudes


def _tied(fitted: Any, support: Bools) -> int:
    """How many selected features have no better score than one that was left out."""
    if getattr(fitted, "all_tied_", False) and not support.all():
        raise InputError("all features have the same score, so there is nothing to select by.")
    told = getattr(fitted, "n_tied_", None)
    if told is not None:
        return int(told)
    scores = getattr(fitted, "scores_", None)
    if scores is None or np.shape(scores) != support.shape or support.all() or not support.any():
        return 0
    values = numbers(scores, "scores_")
    if np.isnan(values).any():
        return 0
    best_left_out = values[~support].max()
    if values[support].min() < best_left_out:  # these scores are not what it selects by
        return 0
    return int((values[support] == best_left_out).sum())


def _feature_weights(fitted: Any, n_features: int) -> Floats | None:
    """Absolute weights of all features; several rows of coefficients (classes) are averaged."""
    for name in WEIGHTS:
        raw = getattr(fitted, name, None)
        if raw is None or callable(raw):
            continue
        values = _magnitudes(raw, name)
        if len(values) == n_features:
            return values
    return None


def _feature_signs(fitted: Any, n_features: int) -> Ints | None:
    """The signs of the coefficients; a feature with several of them (one per class) has no sign."""
    raw = getattr(fitted, "coef_", None)
    if raw is None or callable(raw):
        return None
    try:
        values = _rows(raw, "coef_")
    except ValueError:  # what is no table of numbers has no sign; whether it decides is told elsewhere
        return None
    if values.shape != (1, n_features) or not np.isfinite(values).all():
        return None
    signs: Ints = np.sign(values[0]).astype(np.int64)
    return signs


def _magnitudes(raw: Any, attribute: str) -> Floats:
    found: Floats = np.abs(_rows(raw, attribute)).mean(axis=0)
    return found


def _rows(raw: Any, attribute: str) -> Floats:
    return np.atleast_2d(numbers(raw.toarray() if hasattr(raw, "toarray") else raw, attribute))
