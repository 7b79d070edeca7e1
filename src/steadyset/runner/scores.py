"""How good predictions of times to events are: concordance, Brier scores, areas under curves over time, calibration.

Times are positive; an event is 1 where it took place and 0 where the row was censored. A risk is the higher, the
shorter the expected time; a survival curve holds the probabilities of no event up to some times. Censoring is weighed
by G, the product-limit estimate of not yet being censored, in which events leave first. What the rows do not tell is
nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadyset.foundation.arguments import check_integer, check_number, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.io.numbers import group_values, numbers
from steadyset.kernels.arrays import Floats
from steadyset.kernels.hazards import Curve, log_rank, ordered_pairs, product_limit
from steadyset.tasks import Survival

__all__ = ["brier", "calibration", "harrell", "integrated_brier", "kaplan_meier", "logrank", "time_auc", "uno"]

SINGULAR = 1e-10  # of the largest variance: less is rounding


def harrell(
    time: ArrayLike, event: ArrayLike, risk: ArrayLike, weights: ArrayLike | None = None, *, until: float | None = None
) -> float:
    """Harrell's concordance: the share of comparable pairs in which the shorter time has the higher risk.

    Two rows compare where the shorter time is that of an event; of two events at one time nothing is known. Equal risks
    count half.

    Parameters
    ----------
    time : array-like of float of shape (n_samples,)
        How long each row was followed.
    event : array-like of shape (n_samples,)
        Whether the event took place.
    risk : array-like of float of shape (n_samples,)
        The predicted risk, the higher the sooner.
    weights : array-like of float of shape (n_samples,) or None, default=None
        How much each row counts; a pair counts the product.
    until : float or None, default=None
        Only events up to this time are compared.

    Returns
    -------
    float
        From 0 to 1, and 0.5 by chance; nan without a pair to compare.

    Examples
    --------
    >>> import steadyset as st
    >>> st.scores.harrell([5, 8, 12, 20], [1, 1, 0, 1], [2.0, 0.5, 0.7, 0.1])
    0.8
    """
    times, events, values, own = _rows(time, event, weights, risk)
    return _concordance(times, events, values, own, (times <= _until(until)).astype(np.float64))


def uno(
    time: ArrayLike, event: ArrayLike, risk: ArrayLike, weights: ArrayLike | None = None, *, until: float | None = None
) -> float:
    """Uno's concordance: Harrell's with pairs weighed by 1 / G(t-)², so that it does not depend on the censoring.

    Parameters
    ----------
    time : array-like of float of shape (n_samples,)
        How long each row was followed.
    event : array-like of shape (n_samples,)
        Whether the event took place.
    risk : array-like of float of shape (n_samples,)
        The predicted risk, the higher the sooner.
    weights : array-like of float of shape (n_samples,) or None, default=None
        How much each row counts.
    until : float or None, default=None
        Only events up to this time are compared; late ones, of which few rows tell, weigh most.

    Returns
    -------
    float
        From 0 to 1, and 0.5 by chance; nan without a pair to compare.

    Examples
    --------
    >>> import steadyset as st
    >>> st.scores.uno([5, 8, 12, 20], [1, 1, 0, 1], [2.0, 0.5, 0.7, 0.1], until=12)
    0.8
    """
    times, events, values, own = _rows(time, event, weights, risk)
    free = product_limit(times, events, own, censoring=True).at(times, before=True)
    factor = np.divide((times <= _until(until)), free**2, out=np.zeros(len(times)), where=free > 0)
    return _concordance(times, events, values, own, factor)


def brier(
    time: ArrayLike, event: ArrayLike, survival: ArrayLike, at: ArrayLike, weights: ArrayLike | None = None
) -> Floats:
    """The Brier score at some times: the mean squared error of the predicted survival, weighed against censoring.

    mean of S(t)² / G(T-) over rows with an event up to t, (1 - S(t))² / G(t) over rows still at risk after t, 0 else.

    Parameters
    ----------
    time : array-like of float of shape (n_samples,)
        How long each row was followed.
    event : array-like of shape (n_samples,)
        Whether the event took place.
    survival : array-like of float of shape (n_samples, n_times)
        The predicted probabilities of no event up to these times.
    at : array-like of float of shape (n_times,)
        The times.
    weights : array-like of float of shape (n_samples,) or None, default=None
        How much each row counts.

    Returns
    -------
    array of float of shape (n_times,)
        The lower the better; nan where every row is censored before.

    Examples
    --------
    >>> import steadyset as st
    >>> curves = [[0.1, 0.0], [0.6, 0.3], [0.7, 0.4], [0.9, 0.6]]
    >>> st.scores.brier([5, 8, 12, 20], [1, 1, 0, 1], curves, at=[6, 10]).round(3).tolist()
    [0.068, 0.152]
    """
    times, events, own = _rows(time, event, weights)
    points = _points(at)
    curves = _curves(survival, len(times), len(points))
    free = product_limit(times, events, own, censoring=True)
    before, then = free.at(times, before=True)[:, None], free.at(points)[None, :]
    died, alive = (times[:, None] <= points) & (events[:, None] > 0), times[:, None] > points
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(died, curves**2 / before, 0.0) + np.where(alive, (1 - curves) ** 2 / then, 0.0)
    scores = own @ terms / own.sum()
    return np.where((then[0] > 0) & np.isfinite(scores), scores, np.nan)


def integrated_brier(
    time: ArrayLike, event: ArrayLike, survival: ArrayLike, at: ArrayLike, weights: ArrayLike | None = None
) -> float:
    """The mean of the Brier score over time, by the trapezoids between the given times.

    Parameters
    ----------
    time : array-like of float of shape (n_samples,)
        How long each row was followed.
    event : array-like of shape (n_samples,)
        Whether the event took place.
    survival : array-like of float of shape (n_samples, n_times)
        The predicted probabilities of no event up to these times.
    at : array-like of float of shape (n_times,)
        The times, ascending, at least two.
    weights : array-like of float of shape (n_samples,) or None, default=None
        How much each row counts.

    Returns
    -------
    float
        The lower the better.

    Examples
    --------
    >>> import steadyset as st
    >>> curves = [[0.1, 0.0], [0.6, 0.3], [0.7, 0.4], [0.9, 0.6]]
    >>> round(st.scores.integrated_brier([5, 8, 12, 20], [1, 1, 0, 1], curves, at=[6, 10]), 3)
    0.11
    """
    points = _points(at)
    if len(points) < 2 or not (np.diff(points) > 0).all():
        raise InputError("at must hold at least two times, ascending.")
    found = brier(time, event, survival, points, weights)
    return float(np.trapezoid(found, points) / (points[-1] - points[0]))


def time_auc(
    time: ArrayLike, event: ArrayLike, risk: ArrayLike, at: ArrayLike, weights: ArrayLike | None = None
) -> Floats:
    """The area under the ROC curve at some times: rows with an event up to t against rows still at risk after t.

    Rows with an event weigh 1 / G(T-), as Uno, Cai, Tian and Wei (2007) have it; equal risks count half.

    Parameters
    ----------
    time : array-like of float of shape (n_samples,)
        How long each row was followed.
    event : array-like of shape (n_samples,)
        Whether the event took place.
    risk : array-like of float of shape (n_samples,)
        The predicted risk, the higher the sooner.
    at : array-like of float of shape (n_times,)
        The times.
    weights : array-like of float of shape (n_samples,) or None, default=None
        How much each row counts.

    Returns
    -------
    array of float of shape (n_times,)
        From 0 to 1, and 0.5 by chance; nan where one of the two sides has no row.

    Examples
    --------
    >>> import steadyset as st
    >>> st.scores.time_auc([5, 8, 12, 20], [1, 1, 0, 1], [2.0, 0.5, 0.7, 0.1], at=[6, 10]).round(2).tolist()
    [1.0, 0.75]
    """
    times, events, values, own = _rows(time, event, weights, risk)
    free = product_limit(times, events, own, censoring=True).at(times, before=True)
    found = []
    for point in _points(at):
        died, alive = (times <= point) & (events > 0) & (free > 0), times > point
        cases, weight = values[died], own[died] / free[died]
        wins = (values[alive] < cases[:, None]) + 0.5 * (values[alive] == cases[:, None])
        total = weight.sum() * own[alive].sum()
        found.append(weight @ wins @ own[alive] / total if total > 0 else np.nan)
    return np.array(found)


def kaplan_meier(time: ArrayLike, event: ArrayLike, weights: ArrayLike | None = None) -> Curve:
    """Kaplan and Meier's estimate of the share without an event, with Greenwood's standard errors.

    Parameters
    ----------
    time : array-like of float of shape (n_samples,)
        How long each row was followed.
    event : array-like of shape (n_samples,)
        Whether the event took place.
    weights : array-like of float of shape (n_samples,) or None, default=None
        How much each row counts.

    Returns
    -------
    Curve
        `times`, `values` and `errors`; `at(times)` gives the share at any times.

    Examples
    --------
    >>> import steadyset as st
    >>> st.scores.kaplan_meier([5, 8, 12, 20], [1, 1, 0, 1]).values.tolist()
    [0.75, 0.5, 0.5, 0.0]
    """
    times, events, own = _rows(time, event, weights)
    return product_limit(times, events, own)


def logrank(
    time: ArrayLike,
    event: ArrayLike,
    groups: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    strata: ArrayLike | None = None,
) -> tuple[float, float]:
    """The log-rank test of equal hazards in groups, with the hypergeometric variance.

    Parameters
    ----------
    time : array-like of float of shape (n_samples,)
        How long each row was followed.
    event : array-like of shape (n_samples,)
        Whether the event took place.
    groups : array-like of shape (n_samples,)
        The group of each row.
    weights : array-like of float of shape (n_samples,) or None, default=None
        How often each row counts.
    strata : array-like of shape (n_samples,) or None, default=None
        Rows are compared within these.

    Returns
    -------
    tuple of float
        The statistic and its p-value; nan where no group can be told from another.

    Examples
    --------
    >>> import steadyset as st
    >>> statistic, p = st.scores.logrank([5, 8, 12, 20, 3, 4], [1, 1, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1])
    >>> round(statistic, 2), round(p, 3)
    (5.63, 0.018)
    """
    from scipy.stats import chi2

    times, events, own = _rows(time, event, weights)
    names, codes = np.unique(group_values(groups, len(times)), return_inverse=True)
    layers = np.zeros(len(times)) if strata is None else group_values(strata, len(times), what="strata")
    used = own > 0
    excess, covariance = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for layer in np.unique(layers[used]):
        rows = used & (layers == layer)
        present, own_codes = np.unique(codes[rows], return_inverse=True)
        observed, expected, spread = log_rank(times[rows], events[rows], own_codes, own[rows])
        excess[present] += observed - expected
        covariance[np.ix_(present, present)] += spread
    values, vectors = np.linalg.eigh(covariance)
    told = values > SINGULAR * values.max()  # differences sum to 0: one direction has no variance
    if not told.any():
        return float("nan"), float("nan")
    statistic = float(np.sum((excess @ vectors)[told] ** 2 / values[told]))
    return statistic, float(chi2.sf(statistic, told.sum()))


def calibration(time: ArrayLike, event: ArrayLike, survival: ArrayLike, at: float, *, n_groups: int = 5) -> Any:
    """Predicted against observed shares without an event at a time, in groups of rows of like predictions.

    Parameters
    ----------
    time : array-like of float of shape (n_samples,)
        How long each row was followed.
    event : array-like of shape (n_samples,)
        Whether the event took place.
    survival : array-like of float of shape (n_samples,)
        The predicted probability of no event up to that time.
    at : float
        The time.
    n_groups : int, default=5
        How many groups of about equal size.

    Returns
    -------
    DataFrame
        One row per group: rows, events up to that time, the mean prediction, Kaplan and Meier's share and its error.

    Examples
    --------
    >>> import steadyset as st
    >>> found = st.scores.calibration([5, 8, 12, 20], [1, 1, 0, 1], [0.2, 0.3, 0.7, 0.9], at=10, n_groups=2)
    >>> found["observed"].tolist()
    [0.0, 1.0]
    """
    import pandas as pd

    times, events, predicted, _ = _rows(time, event, None, survival)
    check_number("at", at)
    check_integer("n_groups", n_groups, least=1)
    edges = np.quantile(predicted, np.arange(1, n_groups) / n_groups)
    group = np.searchsorted(np.unique(edges), predicted, side="right")  # on an edge: with those of less risk, as R does
    rows = []
    for one in np.unique(group):
        own = group == one
        curve = product_limit(times[own], events[own], np.ones(own.sum()))
        place = np.searchsorted(curve.times, at, side="right")
        rows.append(
            {
                "rows": int(own.sum()),
                "events": int(events[own & (times <= at)].sum()),
                "predicted": float(predicted[own].mean()),
                "observed": float(curve.at(np.array([at]))[0]),
                "error": float(curve.errors[place - 1]) if place else 0.0,
            }
        )
    return pd.DataFrame(rows)


def _rows(time: ArrayLike, event: ArrayLike, weights: ArrayLike | None, *values: ArrayLike) -> tuple[Floats, ...]:
    """Checked times, events, further numbers of each row, and weights."""
    target = Survival(time, event)
    n = len(target)
    found = [numbers(one, "risk") for one in values]
    own = np.ones(n) if weights is None else numbers(weights, "weights")
    for one in (*found, own):
        if one.shape != (n,) or not np.isfinite(one).all():
            raise InputError(f"time has {n} rows; risks and weights must be as many finite numbers (got {one.shape}).")
    if (own < 0).any() or not own.sum() > 0:
        raise InputError("weights must be at least 0, and some of them more.")
    return np.asarray(target["time"]), np.asarray(target["event"], dtype=np.float64), *found, own


def _curves(survival: ArrayLike, n_rows: int, n_times: int) -> Floats:
    curves = numbers(survival, "survival")
    if curves.shape != (n_rows, n_times) or not ((curves >= 0) & (curves <= 1)).all():
        raise InputError(f"survival must hold probabilities, {n_rows} rows by {n_times} times (got {curves.shape}).")
    return curves


def _points(at: ArrayLike) -> Floats:
    points = np.atleast_1d(numbers(at, "at"))
    if points.ndim != 1 or not len(points) or not np.isfinite(points).all():
        raise wrong_argument("at", "a time, or several", at)
    return points


def _until(until: float | None) -> float:
    if until is None:
        return np.inf
    check_number("until", until)
    return float(until)


def _concordance(times: Floats, events: Floats, risk: Floats, weights: Floats, factor: Floats) -> float:
    higher, lower, same = ordered_pairs(times, events, risk, weights, factor)
    total = higher + lower + same
    return (higher + same / 2) / total if total > 0 else float("nan")
