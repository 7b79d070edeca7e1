"""What a fitted estimator selected, and how much weight it gives to each feature: the one stated rule.

1. A selector (get_support) selected its support.
2. Coefficients (coef_): the non-zero ones, those above 1e-5 of the largest where none is exactly zero.
3. Importances (feature_importances_): those above their mean.
4. A pipeline selected what its last step of these kinds selected, among what the selectors before it let through; the
   other steps before must keep the features as they are.

The weights are the first of importances_, coef_, feature_importances_ and scores_ that the estimator has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.errors import InputError

MARKS = ("get_support", "coef_", "feature_importances_")
WEIGHTS = ("importances_", "coef_", "feature_importances_", "scores_")


@dataclass(frozen=True)
class Chosen:
    """The selected feature indices, ascending, and a weight for each, or None."""

    features: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64] | None


def chosen(estimator: Any, n_features: int) -> Chosen:
    """Apply the rule to a fitted estimator."""
    if hasattr(estimator, "steps"):
        return _chosen_by_steps([step for _, step in estimator.steps], n_features)
    return _chosen_by_one(estimator, n_features)


def can_choose(estimator: Any) -> bool:
    """Whether an unfitted estimator looks like something that selects: a first check, the fit has the last word."""
    if hasattr(estimator, "steps"):
        return any(can_choose(step) for _, step in estimator.steps)
    return hasattr(estimator, "fit") and not isinstance(estimator, type)


def _chosen_by_steps(steps: Sequence[Any], n_features: int) -> Chosen:
    deciding = [i for i, step in enumerate(steps) if hasattr(step, "steps") or any(hasattr(step, m) for m in MARKS)]
    if not deciding:
        raise InputError(
            "The pipeline has no step that selects: wanted is get_support(), coef_ or feature_importances_."
        )
    passed = np.arange(n_features)
    for step in steps[: deciding[-1]]:
        if hasattr(step, "get_support"):
            passed = passed[chosen(step, len(passed)).features]
    last = chosen(steps[deciding[-1]], len(passed))
    return Chosen(passed[last.features], last.weights)


def _chosen_by_one(fitted: Any, n_features: int) -> Chosen:
    weights = _feature_weights(fitted, n_features)
    if hasattr(fitted, "get_support"):
        support = np.asarray(fitted.get_support(), dtype=bool)
    elif hasattr(fitted, "coef_") and weights is not None:
        least = 0.0 if np.any(weights == 0) else 1e-5 * weights.max(initial=0.0)
        support = weights > least
    elif hasattr(fitted, "feature_importances_") and weights is not None:
        support = weights > weights.mean()
    else:
        raise InputError(
            f"{type(fitted).__name__} selects nothing: wanted is get_support(), coef_ or feature_importances_."
        )
    if len(support) != n_features:
        raise InputError(
            f"{type(fitted).__name__} decides on {len(support)} columns, but the data has {n_features} features; "
            "steps before the selecting one must keep the features as they are."
        )
    features = np.flatnonzero(support)
    if weights is None or not np.all(np.isfinite(weights[features])):
        return Chosen(features, None)
    return Chosen(features, weights[features])


def _feature_weights(fitted: Any, n_features: int) -> npt.NDArray[np.float64] | None:
    """Absolute weights of all features; several rows of coefficients (classes) are averaged."""
    for name in WEIGHTS:
        raw = getattr(fitted, name, None)
        if raw is None or callable(raw):
            continue
        values: npt.NDArray[np.float64] = np.abs(np.atleast_2d(np.asarray(raw, dtype=np.float64))).mean(axis=0)
        if len(values) == n_features:
            return values
    return None
