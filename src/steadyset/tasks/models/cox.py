"""Cox's model of few features, and the model without any: what predicts times to events."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from steadyset.foundation.arguments import Column, TableLike, check_choice, check_number, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.kernels.arrays import Floats
from steadyset.kernels.hazards import (
    CLOSE,
    FOUND,
    MOST_HALVINGS,
    MOST_STEPS,
    Followed,
    Likelihood,
    ordered_pairs,
    partial_likelihood,
)
from steadyset.tasks.record import columns_of
from steadyset.tasks.survival import read_survival


def times_and_events(y: Any) -> tuple[Floats, Floats]:
    """Times and events of a target in any of its forms."""
    columns = columns_of(y)
    if columns is None or len(columns) != 2:
        raise InputError("y must hold a time and an event for each row; st.Survival(time, event) makes one.")
    times, events = read_survival(columns).T
    return times, events


def concordance(y: Any, risks: Floats, sample_weight: Any = None) -> float:
    """Harrell's concordance: the share of pairs that the risks order as the times; nan without a pair to compare."""
    times, events = times_and_events(y)
    weights = _weights(sample_weight, len(times))
    higher, lower, same = ordered_pairs(times, events, risks, weights, np.ones(len(times)))
    total = higher + lower + same
    return float((higher + same / 2) / total) if total > 0 else float("nan")


class _Hazards(BaseEstimator):  # type: ignore[misc]
    """What both models share: a baseline hazard, on which the risk of a row acts as a factor."""

    def _baseline(self, times: Floats, hazards: Floats) -> None:
        order = np.argsort(times, kind="stable")
        self.baseline_times_, place = np.unique(times[order], return_inverse=True)
        self.baseline_hazard_ = np.cumsum(np.bincount(place, hazards[order], len(self.baseline_times_)))

    def predict(self, X: TableLike) -> Floats:
        """The logarithm of each row's hazard beside that of a row of zeros: the higher, the shorter the time.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of float of shape (n_samples,)
            The risks.
        """
        check_is_fitted(self)
        return np.asarray(_checked(self, X, reset=False) @ self.coef_)

    def predict_survival(self, X: TableLike, times: ArrayLike) -> Floats:
        """The probability of no event up to some times.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        times : array-like of float of shape (n_times,)
            The times.

        Returns
        -------
        array of float of shape (n_samples, n_times)
            The probabilities exp(-H(t) exp(x b)), with the cumulated baseline hazard H.
        """
        risks = self.predict(X)
        until = np.searchsorted(self.baseline_times_, np.asarray(times, dtype=np.float64), side="right")
        hazard = np.concatenate([[0.0], self.baseline_hazard_])[until]
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-np.exp(risks)[:, None] * hazard[None, :]))

    def score(self, X: TableLike, y: TableLike, sample_weight: Column = None) -> float:
        """Harrell's concordance: the share of pairs that the risks order as the times.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        y : Survival or array-like of shape (n_samples, 2)
            Their times and events.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each row counts.

        Returns
        -------
        float
            The concordance; nan without a pair to compare.
        """
        return concordance(y, self.predict(X), sample_weight)


class CoxModel(_Hazards):
    """Cox's proportional hazards model of few features, with a small ridge penalty that keeps it finite.

    Minimised is -log L(b) + penalty / 2 sum_j b_j² with Cox's partial likelihood L. Where an event separates rows
    without error the likelihood rises for ever, and the penalty alone holds the coefficients.

    Parameters
    ----------
    penalty : float, default=1.0
        The ridge penalty; 0 for none. Features are penalised in their own units, so standardise them before.
    ties : str, default="breslow"
        How events at one time are treated: "breslow", where weights equal copies of rows, or "efron".

    Attributes
    ----------
    coef_ : array of float of shape (n_features,)
        The logarithms of the hazard ratios.
    covariance_ : array of float of shape (n_features, n_features)
        The inverse of the information.
    log_likelihood_ : float
        The log partial likelihood at the maximum.
    null_likelihood_ : float
        The log partial likelihood without features.
    baseline_times_ : array of float
        The times of events.
    baseline_hazard_ : array of float
        The cumulated hazard of a row of zeros at these times.
    n_features_in_ : int
        How many features X had.
    feature_names_in_ : array of str
        Their names, where X had some.

    Notes
    -----
    Cox 1972; Breslow 1974; Efron 1977

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 2))
    >>> y = st.Survival(random.exponential(np.exp(-X[:, 0])), np.ones(200))
    >>> st.CoxModel().fit(X, y).coef_.round(1).tolist()
    [1.0, -0.0]
    """

    coef_: Floats

    def __init__(self, penalty: float = 1.0, *, ties: str = "breslow") -> None:
        self.penalty = penalty
        self.ties = ties

    @with_one_arithmetic_thread
    def fit(self, X: TableLike, y: TableLike, sample_weight: Column = None, strata: Column = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The features.
        y : Survival or array-like of shape (n_samples, 2)
            The times and events.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each row counts.
        strata : array-like of shape (n_samples,) or None, default=None
            Rows of different strata have baseline hazards of their own; predictions of survival then have none.

        Returns
        -------
        Self
            The fitted model.
        """
        check_number("penalty", self.penalty, or_equal=True)
        check_choice("ties", self.ties, ("breslow", "efron"))
        values = _checked(self, X)
        times, events = times_and_events(y)
        if len(times) != len(values):
            raise InputError(f"y has {len(times)} rows and X has {len(values)}; expected as many.")
        weights = _weights(sample_weight, len(times))
        if not (weights * events).any():
            raise InputError("y has no event; Cox's model needs at least one.")
        used = weights > 0
        layers = np.zeros(len(times)) if strata is None else np.asarray(strata)
        if layers.shape != times.shape:
            raise wrong_argument("strata", f"one value for each of the {len(times)} rows", strata)
        # Only differences of features count in the likelihood; around their means exp(x b) neither overflows nor loses
        # digits.
        centre = np.average(values, axis=0, weights=weights)
        parts = [used & (layers == one) for one in np.unique(layers[used])]
        rows = [Followed(values[part] - centre, times[part], events[part], weights[part]) for part in parts]
        start = _together(rows, np.zeros(values.shape[1]), self.ties)
        self.null_likelihood_ = start.value
        self.coef_, found = _newton(rows, start, self.penalty, self.ties)
        self.log_likelihood_ = found.value
        self.covariance_ = np.linalg.pinv(found.information + self.penalty * np.eye(len(self.coef_)))
        self._baseline(found.times, found.hazards * np.exp(-centre @ self.coef_))
        return self


class NoHazards(_Hazards):
    """The model without features: one hazard for all rows, whose survival is that of Nelson and Aalen."""

    def fit(self, X: TableLike, y: Any) -> Self:
        """Learn the hazard."""
        values = _checked(self, X)
        times, events = times_and_events(y)
        self.coef_ = np.zeros(values.shape[1])
        rows = Followed(np.zeros((len(times), 1)), times, events, np.ones(len(times)))
        found = partial_likelihood(rows, np.zeros(1), efron=False)
        self._baseline(found.times, found.hazards)
        return self


def _checked(model: Any, X: Any, *, reset: bool = True) -> Floats:
    try:
        return np.asarray(validate_data(model, X, dtype=np.float64, reset=reset))
    except (ValueError, TypeError) as error:
        raise InputError(f"{str(error).splitlines()[0].rstrip('.:')}.") from None


def _weights(given: Any, n_rows: int) -> Floats:
    try:
        weights = np.ones(n_rows) if given is None else np.asarray(given, dtype=np.float64)
    except (ValueError, TypeError):
        weights = np.empty(0)
    if weights.shape != (n_rows,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise wrong_argument("sample_weight", f"{n_rows} finite numbers of at least 0", given)
    return weights


def _together(rows: list[Followed], beta: Floats, ties: str) -> Likelihood:
    """The likelihood over all strata."""
    found = [partial_likelihood(part, beta, efron=ties == "efron") for part in rows]
    return Likelihood(
        sum(one.value for one in found),
        np.sum([one.gradient for one in found], axis=0),
        np.sum([one.information for one in found], axis=0),
        np.concatenate([one.times for one in found]),
        np.concatenate([one.hazards for one in found]),
    )


def _newton(rows: list[Followed], now: Likelihood, penalty: float, ties: str) -> tuple[Floats, Likelihood]:
    """The maximum by Newton's method with halved steps; without a penalty it may lie infinitely far away."""
    beta = np.zeros(len(now.gradient))
    ridge = penalty * np.eye(len(beta))
    for _ in range(MOST_STEPS):
        gradient = now.gradient - penalty * beta
        if penalty:
            step = np.linalg.solve(now.information + ridge, gradient)
        else:
            # Copies of features make the information singular; the shortest of all steps shares the effect among them.
            step = np.linalg.lstsq(now.information, gradient)[0]
        gain, size = gradient @ step, 1 + abs(now.value)
        if gain <= FOUND * size:
            break
        before = now.value - penalty / 2 * beta @ beta
        for _ in range(MOST_HALVINGS):
            trial = _together(rows, beta + step, ties)
            # Near the maximum rounding hides whether a step helps, and Newton's step is better than the comparison.
            if gain <= CLOSE * size or trial.value - penalty / 2 * (beta + step) @ (beta + step) >= before:
                break
            step = step / 2
        beta, now = beta + step, trial
    return beta, now
