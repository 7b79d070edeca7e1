"""How important each feature is in a fitted model, on the scale that measures of shared importance expect."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import Estimator, TableLike, check_choice, is_number, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.io.numbers import number_array
from steadyset.kernels.arrays import Bools, Floats, Ints

__all__ = ["decision_flip", "linear"]

AsGiven = Callable[[Floats], Any]
Method = Literal["auto", "closed_form", "search"]
ROWS_A_CALL = 1 << 16
FINEST = 1e-6  # changes below this many standard deviations are found to an absolute precision only
ON_THE_BOUNDARY = 1e-200  # stands for a margin of 0, so that the features still compare by their weights


def linear(coefs: npt.ArrayLike, sd: npt.ArrayLike | None = None) -> Floats:
    """Importances in linear models, from their weights.

    The importance of feature f in model i is k_i abs(w_f) / sum_f abs(w_f), k_i the number of weights that are not 0. A
    model whose weights are all 0 has importances 0.

    Parameters
    ----------
    coefs : array-like of shape (n_features,) or (n_models, n_features)
        The weights of one model, or of several.
    sd : array-like of the shape of coefs or of one row, or None, default=None
        The standard deviations of the features, or of each model's training features, where the models were not fitted
        on features of unit variance; each weight is multiplied by it. None leaves the weights as they are.

    Returns
    -------
    array of float of the shape of coefs
        The importances.

    References
    ----------
    Hamer and Dupont (2021), Robust selection stability estimation in correlated spaces, ECML PKDD, equation 7.

    Examples
    --------
    >>> import steadyset as st
    >>> st.importances.linear([[2.0, 0.0, -6.0], [0.0, 0.0, 0.0]])
    array([[0.5, 0. , 1.5],
           [0. , 0. , 0. ]])
    """
    weights = np.abs(_finite(coefs, "coefs"))
    if weights.ndim not in (1, 2):
        raise InputError(f"coefs has {weights.ndim} dimensions; expected (features,) or (models, features).")
    if sd is not None:
        weights = weights * _deviations(sd, weights.shape)
    return _shares(weights) * np.count_nonzero(weights, axis=-1, keepdims=True)


def decision_flip(
    model: Estimator,
    X: TableLike,
    *,
    sd: npt.ArrayLike | None = None,
    method: Method = "auto",
    step: float = 0.05,
    largest: float = 1000.0,
    tol: float = 1e-8,
    unflippable: Literal["leave_out", "equal"] = "leave_out",
    sample_weight: npt.ArrayLike | None = None,
) -> Floats:
    """Importances in any classifier, by the smallest change of one feature alone that flips the decision.

    The importance of feature f is the mean over the points of k g_f / sum_f g_f, where g_f = sd_f / (that change), 0
    when no change flips the decision, and k is the number of features that flip the decision of some point. Points
    whose decision no single feature can flip say nothing and are left out of the mean; without any other point all
    importances are 0.

    Parameters
    ----------
    model : classifier
        Fitted, with `predict`.
    X : array-like or frame of shape (n_samples, n_features)
        The points, usually the training data of the model.
    sd : array-like of shape (n_features,) or None, default=None
        Standard deviations of the features; None takes those of X. A constant feature has importance 0.
    method : {"auto", "closed_form", "search"}, default="auto"
        "closed_form" for classifiers that take the class with the largest linear score (coef_, intercept_), where the
        change is the margin over the difference of two weights; "search" for any model; "auto" takes the closed form
        where there is one.
    step : float, default=0.05
        The search walks away from each point in steps of so many standard deviations, up to 5, then doubles. A decision
        that flips and flips back within one step is not seen.
    largest : float, default=1000.0
        How many standard deviations the search goes at most.
    tol : float, default=1e-08
        The relative precision to which the first step that flips is bisected.
    unflippable : {"leave_out", "equal"}, default="leave_out"
        What happens to points whose decision no single feature can flip: they are left out, or all features count as
        equally important there.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        How much each point counts in the mean, at least 0; None counts all alike.

    Returns
    -------
    array of float of shape (n_features,)
        The importances.

    References
    ----------
    Hamer and Dupont (2021), Robust selection stability estimation in correlated spaces, ECML PKDD, equation 6.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X[:100], y[:100])
    >>> st.importances.decision_flip(model, X[:100]).round(2)
    array([0.24, 0.38, 2.91, 0.47])
    """
    points = _finite(X, "X")
    if points.ndim != 2 or 0 in points.shape:
        raise InputError(f"X has the shape {points.shape}; expected (points, features).")
    deviations = points.std(axis=0) if sd is None else _deviations(sd, points.shape[1:])
    check_choice("method", method, ("auto", "closed_form", "search"))
    check_choice("unflippable", unflippable, ("leave_out", "equal"))
    if not hasattr(model, "predict"):
        raise wrong_argument("model", "a fitted classifier with predict", model)
    if not (all(is_number(value) for value in (step, largest, tol)) and 0 < step <= largest and 0 < tol < 1):
        raise InputError(
            f"step, largest and tol are {step}, {largest}, {tol}; expected 0 < step <= largest, 0 < tol < 1."
        )
    counts = _counts(sample_weight, len(points))
    as_given = partial(_framed, getattr(X, "columns", None))
    found = None if method == "search" else _linear_scores(model, points, as_given)
    if found is None and method == "closed_form":
        raise InputError(f'{type(model).__name__} does not decide by linear scores; use method="search".')
    if found is not None:
        sensitivity = _linear_sensitivity(*found, deviations)
    else:
        sensitivity = 1 / _smallest_changes(model, points, as_given, deviations, _walk(step, largest), tol)
    if unflippable == "equal":
        sensitivity[~sensitivity.any(axis=1)] = deviations > 0
    tells = sensitivity.any(axis=1) & (counts > 0)
    if not tells.any():
        return np.zeros(points.shape[1])
    mean_shares: Floats = np.average(_shares(sensitivity[tells]), axis=0, weights=counts[tells])
    return mean_shares * np.count_nonzero(sensitivity[tells].any(axis=0))


def _counts(sample_weight: Any, n: int) -> Floats:
    """How much each point counts; all alike where nothing is given."""
    if sample_weight is None:
        return np.ones(n)
    counts = _finite(sample_weight, "sample_weight")
    if counts.shape != (n,) or np.any(counts < 0):
        raise InputError(f"sample_weight has the shape {counts.shape}; expected {n} numbers of at least 0.")
    return counts


def _linear_scores(model: Any, points: Floats, as_given: AsGiven) -> tuple[Floats, Floats] | None:
    """(weights, scores) of the classes when the decision is the class with the largest linear score, else None."""
    weights, classes = getattr(model, "coef_", None), getattr(model, "classes_", None)
    if not isinstance(weights, np.ndarray) or classes is None or not hasattr(model, "decision_function"):
        return None
    weights = np.atleast_2d(weights)
    scores = points @ weights.T + np.ravel(model.intercept_)
    decision = np.asarray(model.decision_function(as_given(points))).reshape(len(points), -1)
    if decision.shape != scores.shape or not np.allclose(decision, scores):
        return None
    if len(weights) == 1:
        weights, scores = np.vstack([0 * weights, weights]), np.hstack([0 * scores, scores])
    return (weights, scores) if len(classes) == len(weights) else None


def _linear_sensitivity(weights: Floats, scores: Floats, deviations: Floats) -> Floats:
    """sd_f / (smallest change): the decision leaves its class c for c' when f changes by margin / |w_cf - w_c'f|."""
    own = scores.argmax(axis=1)
    best = scores.max(axis=1)
    sensitivity = np.zeros((len(scores), weights.shape[1]))
    for other in range(len(weights)):
        margin = np.maximum(best - scores[:, other], ON_THE_BOUNDARY)[:, None]
        np.maximum(sensitivity, np.abs(weights[own] - weights[other]) * deviations / margin, out=sensitivity)
    return sensitivity


def _walk(step: float, largest: float) -> Floats:
    """The changes to try, in standard deviations: even steps through where data lie, then doubling."""
    near = np.arange(step, min(5.0, largest) + step / 2, step)
    far = near[-1] * 2.0 ** np.arange(1, 1 + max(0, np.ceil(np.log2(largest / near[-1]))))
    return np.concatenate([near, np.minimum(far, largest)])


def _smallest_changes(
    model: Any, points: Floats, as_given: AsGiven, deviations: Floats, walk: Floats, tol: float
) -> Floats:
    """For each point and feature the smallest change that flips, in standard deviations; inf where none does."""
    n, d = points.shape
    decisions = np.asarray(model.predict(as_given(points)))

    def flips(point: Ints, feature: Ints, change: Floats) -> Bools:
        flipped = np.empty(len(point), dtype=np.bool_)
        for start in range(0, len(point), ROWS_A_CALL):
            part = slice(start, start + ROWS_A_CALL)
            moved = points[point[part]]
            moved[np.arange(len(moved)), feature[part]] += change[part] * deviations[feature[part]]
            flipped[part] = np.asarray(model.predict(as_given(moved))) != decisions[point[part]]
        return flipped

    varying = np.flatnonzero(deviations > 0)
    point, feature, sign, low, high = _brackets(flips, np.repeat(np.arange(n), len(varying)), np.tile(varying, n), walk)
    while np.any(high - low > tol * np.maximum(high, FINEST)):
        middle = (low + high) / 2
        hit = flips(point, feature, sign * middle)
        low, high = np.where(hit, low, middle), np.where(hit, middle, high)
    smallest = np.full((n, d), np.inf)
    np.minimum.at(smallest, (point, feature), high)
    return smallest


def _brackets(
    flips: Callable[[Ints, Ints, Floats], Bools], point: Ints, feature: Ints, walk: Floats
) -> tuple[Ints, Ints, Floats, Floats, Floats]:
    """(point, feature, sign, low, high) of the first steps that flip; both signs where both flip at the same step."""
    found, before = [], 0.0
    for change in walk:
        n = len(point)
        sign = np.repeat([1.0, -1.0], n)
        both = np.tile(point, 2), np.tile(feature, 2)
        hit = flips(*both, sign * change)
        sizes = np.full((2, int(hit.sum())), [[before], [change]])
        found.append((both[0][hit], both[1][hit], sign[hit], *sizes))
        still = ~(hit[:n] | hit[n:])
        point, feature, before = point[still], feature[still], float(change)
        if len(point) == 0:
            break
    columns = [np.concatenate(column) for column in zip(*found, strict=True)]
    return columns[0], columns[1], columns[2], columns[3], columns[4]


def _framed(columns: Any, points: Floats) -> Any:
    """The points as the model knows them: a frame where X is one, so that models which check names find them."""
    if columns is None:
        return points
    import pandas as pd

    return pd.DataFrame(points, columns=list(columns))


def _shares(values: Floats) -> Floats:
    """Each row divided by its sum; rows of zeros stay."""
    totals = values.sum(axis=-1, keepdims=True)
    return values / np.where(totals > 0, totals, 1.0)


def _deviations(sd: Any, shape: tuple[int, ...]) -> Floats:
    deviations = _finite(sd, "sd")
    if deviations.shape not in (shape, shape[-1:]) or np.any(deviations < 0):
        given = f"sd has the shape {deviations.shape} and the smallest value {deviations.min(initial=np.inf):g}"
        raise InputError(f"{given}; expected numbers >= 0, one for each of the {shape[-1]} features.")
    return deviations


def _finite(values: Any, name: str) -> Floats:
    array = number_array(values, name).astype(np.float64, copy=False)
    if not np.all(np.isfinite(array)):
        raise InputError(f"{name} holds a value that is not finite.")
    return array
