"""Times to events: Cox's partial likelihood, product-limit estimates, the log-rank test, and pairs in order.

Rows have a time t, an event e (1, or 0 where censored) and a weight w; a weight of 0 leaves a row out, and with
Breslow's treatment of ties whole weights equal copies of rows. A censoring counts as later than an event at the same
time, so the rows at risk at t are R(t) = {j: t_j >= t}. Only the order of times enters, so their unit does not matter.

The log partial likelihood is sum_i w_i x_i b - sum_k m_k log S_k over the events. Every event k at time t has a term of
its own, with the mean weight m of the D events at t and S_k = S_R - f_k S_D, where S_R and S_D sum w exp(x b) over the
rows at risk and over the events at t: f = 0 is Breslow's likelihood, f = 0, 1/D, ..., (D - 1)/D Efron's.
"""

from typing import NamedTuple

import numpy as np

from steadyset.foundation.display import in_brief
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel

MOST_STEPS, MOST_HALVINGS = 50, 30
# The gain that a step of Newton's method promises, beside the size of the likelihood: below the first it is taken
# unseen, as rounding hides whether it helps, and below the second the maximum is found.
CLOSE, FOUND = 1e-9, 1e-26
ROUNDING = 1e-13
LARGEST = 500.0  # of a linear predictor away from its mean


class Followed(NamedTuple):
    """Rows of one stratum: features, times, events and weights."""

    X: Floats
    time: Floats
    event: Floats
    weights: Floats


class Likelihood(NamedTuple):
    """The log partial likelihood with its gradient and its information; and each term's time and hazard m_k / S_k."""

    value: float
    gradient: Floats
    information: Floats
    times: Floats
    hazards: Floats


def partial_likelihood(rows: Followed, beta: Floats, *, efron: bool) -> Likelihood:
    """Cox's likelihood at some coefficients, in one stratum."""
    order = np.argsort(rows.time, kind="stable")
    X, time, event, weights = (part[order] for part in rows)
    scores = X @ beta
    shift = scores.max(initial=-np.inf) if len(scores) else 0.0
    risks = weights * np.exp(np.maximum(scores - shift, -LARGEST))  # else those at risk last may sum to 0
    deaths = np.flatnonzero(event > 0)
    distinct, first, place, tied = np.unique(time[deaths], return_index=True, return_inverse=True, return_counts=True)
    at_risk = np.searchsorted(time, distinct, side="left")  # the first row of each risk set
    rank = np.arange(len(deaths)) - first[place]
    share = rank / tied[place] if efron else np.zeros(len(deaths))
    mean_weight = (np.bincount(place, weights[deaths], len(distinct)) / tied)[place]
    own = np.bincount(place, risks[deaths], len(distinct))
    sums = np.cumsum(risks[::-1])[::-1][at_risk][place] - share * own[place]
    hazards = mean_weight / sums
    # What each row adds: its part in every term up to its time, less the share that its own ties take away.
    until = np.concatenate([[0.0], np.cumsum(hazards)])
    parts = until[np.searchsorted(time[deaths], time, side="right")]
    parts[deaths] -= np.bincount(place, hazards * share, len(distinct))[place]
    weighted = X * risks[:, None]
    moments = np.cumsum(weighted[::-1], axis=0)[::-1][at_risk][place]
    if efron:
        dying = np.zeros((len(distinct), X.shape[1]))
        np.add.at(dying, place, weighted[deaths])
        moments = moments - share[:, None] * dying[place]
    means = moments / sums[:, None]
    value = weights[deaths] @ (scores[deaths] - shift) - mean_weight @ np.log(sums)
    gradient = weights[deaths] @ X[deaths] - mean_weight @ means
    # Sums over terms of (second moment) - (mean)²; the second moments are regrouped by row, so that no risk set is
    # visited twice: row i is in every term up to its time.
    information = X.T @ (X * (risks * parts)[:, None]) - (means * mean_weight[:, None]).T @ means
    return Likelihood(float(value), gradient, information, time[deaths], hazards * np.exp(-shift))


@kernel
def cox_slopes(columns: Floats, events: Floats, last: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Slope U(0) and information I(0) of each feature alone under each resample (M, d), by Breslow.

    `columns` holds one centred feature per row, with the rows of the data from the latest time to the earliest; `last`
    is 1 for the last of each time in that order. The information is 0 where there is none, such as without events, or
    where the feature does not vary among the rows at risk.
    """
    slopes, bends = np.zeros((2, len(weights), len(columns)))
    for run in range(len(weights)):
        for f in range(len(columns)):
            _, slope, bend = _likelihood(columns[f], events, last, weights[run], 0.0)
            if bend > ROUNDING * _spread(columns[f], events, weights[run]):
                slopes[run, f], bends[run, f] = slope, bend
    return slopes, bends


@kernel
def cox_fits(columns: Floats, events: Floats, last: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Wald's and the likelihood ratio statistic of each feature alone under each resample, as `cox_slopes` takes them.

    nan where there is no information.
    """
    walds, ratios = np.full((2, len(weights), len(columns)), np.nan)
    for run in range(len(weights)):
        for f in range(len(columns)):
            value, slope, bend = _likelihood(columns[f], events, last, weights[run], 0.0)
            if bend > ROUNDING * _spread(columns[f], events, weights[run]):
                walds[run, f], ratios[run, f] = _fitted(columns[f], events, last, weights[run], value, slope, bend)
    return walds, ratios


@kernel
def _spread(x: Floats, events: Floats, weights: Floats) -> float:
    """The largest squared value times the events: the size of an information that is not rounding."""
    most = total = 0.0
    for i in range(len(x)):
        if weights[i] > 0:
            most = max(most, x[i] * x[i])
            total += weights[i] * events[i]
    return most * total


@kernel
def risk_ranks(columns: Floats, order: Ints, weights: Floats) -> Floats:
    """Weighted mid-ranks of each feature in one resample, less their mean; `order` sorts the rows of each column."""
    ranks = np.zeros(columns.shape)
    total = weights.sum()
    for f in range(len(columns)):
        below = 0.0
        begin = 0
        for end in range(1, columns.shape[1] + 1):
            if end < columns.shape[1] and columns[f, order[f, end]] == columns[f, order[f, begin]]:
                continue
            tied = 0.0
            for k in range(begin, end):
                tied += weights[order[f, k]]
            for k in range(begin, end):
                ranks[f, order[f, k]] = below + tied / 2 - total / 2
            below += tied
            begin = end
    return ranks


@kernel
def _likelihood(x: Floats, events: Floats, last: Ints, weights: Floats, beta: float) -> tuple[float, float, float]:
    """The log partial likelihood of one feature with its slope and its information."""
    value = slope = bend = 0.0
    total = first = second = dying = 0.0
    for i in range(len(x)):
        weight = weights[i]
        if weight > 0:
            risk = weight * np.exp(x[i] * beta) if beta != 0 else weight
            total += risk
            first += risk * x[i]
            second += risk * x[i] * x[i]
            if events[i] > 0:
                dying += weight
                value += weight * x[i] * beta
                slope += weight * x[i]
        if last[i] and dying > 0:
            mean = first / total
            value -= dying * np.log(total)
            slope -= dying * mean
            bend += dying * (second / total - mean * mean)
            dying = 0.0
    return value, slope, bend


@kernel
def _fitted(
    x: Floats, events: Floats, last: Ints, weights: Floats, null: float, slope: float, bend: float
) -> tuple[float, float]:
    """Wald's and the likelihood ratio statistic at the maximum, by Newton's method with halved steps.

    Where the likelihood rises for ever the steps end when they gain nothing any more: the ratio has its limit then, and
    Wald's statistic tends to 0.
    """
    beta, value = 0.0, null
    reach = LARGEST / max(np.abs(x).max(), 1e-300)
    for _ in range(MOST_STEPS):
        # slope² / bend is twice what Newton's step promises to gain.
        if not bend > 0 or slope * slope / bend <= FOUND * (1 + np.abs(value)):
            break
        step, close = slope / bend, slope * slope / bend <= CLOSE * (1 + np.abs(value))
        for _ in range(MOST_HALVINGS):
            trial = min(max(beta + step, -reach), reach)
            better, new_slope, new_bend = _likelihood(x, events, last, weights, trial)
            if better >= value or close:
                break
            step /= 2
        if trial == beta:
            break
        beta, value, slope, bend = trial, better, new_slope, new_bend
    return beta * beta * bend, max(0.0, 2 * (value - null))


class Curve(NamedTuple):
    """A product-limit estimate: its value from each of these times on, and Greenwood's standard error."""

    times: Floats
    values: Floats
    errors: Floats

    def __repr__(self) -> str:
        return in_brief("Curve", self._asdict())

    def __str__(self) -> str:
        return f"Curve(times={self.times!r}, values={self.values!r}, errors={self.errors!r})"

    def at(self, times: Floats, *, before: bool = False) -> Floats:
        """The values at some times, or just before them; 1 before the first."""
        places = np.searchsorted(self.times, times, side="left" if before else "right")
        return np.concatenate([[1.0], self.values])[places]


def product_limit(time: Floats, event: Floats, weights: Floats, *, censoring: bool = False) -> Curve:
    """Kaplan and Meier's estimate; of `censoring` the share that is not yet censored, where events leave first."""
    times, place = np.unique(time, return_inverse=True)
    size = len(times)
    deaths = np.bincount(place, weights * (event > 0), size)
    leaving = np.bincount(place, weights, size)
    at_risk = np.cumsum(leaving[::-1])[::-1]
    counted = leaving - deaths if censoring else deaths
    # Censorings come after the events of the same time, so these are no longer at risk of being censored.
    at_risk = at_risk - deaths if censoring else at_risk
    share = np.divide(counted, at_risk, out=np.zeros(size), where=at_risk > 0)
    values = np.cumprod(1 - share)
    left = at_risk - counted
    terms = np.divide(share, left, out=np.zeros(size), where=left > 0)
    return Curve(times, values, values * np.sqrt(np.cumsum(terms)))


def log_rank(time: Floats, event: Floats, groups: Ints, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Observed and expected events of each group, and the hypergeometric covariance of their differences."""
    times, place = np.unique(time, return_inverse=True)
    n_groups = int(groups.max()) + 1
    leaving, deaths = np.zeros((2, len(times), n_groups))
    np.add.at(leaving, (place, groups), weights)
    np.add.at(deaths, (place, groups), weights * (event > 0))
    at_risk = np.cumsum(leaving[::-1], axis=0)[::-1]
    total, dying = at_risk.sum(axis=1), deaths.sum(axis=1)
    shares = at_risk / total[:, None]
    spread = np.divide(dying * (total - dying), total - 1, out=np.zeros(len(times)), where=total > 1)
    covariance = np.diag(spread @ shares) - (shares * spread[:, None]).T @ shares
    return deaths.sum(axis=0), dying @ shares, covariance


@kernel
def ordered_pairs(
    time: Floats, event: Floats, risk: Floats, weights: Floats, factor: Floats
) -> tuple[float, float, float]:
    """Weights of the pairs whose earlier row has the higher risk, the lower, and the same.

    A pair counts where the earlier time is that of an event, or where one of two equal times is: w_i w_j times the
    factor of the earlier row. Of two events at one time nothing is known.
    """
    higher = lower = same = 0.0
    for i in range(len(time)):
        if event[i] > 0 and factor[i] > 0 and weights[i] > 0:
            for j in range(len(time)):
                if time[i] < time[j] or (time[i] == time[j] and event[j] == 0):
                    pair = weights[i] * weights[j] * factor[i]
                    if risk[i] > risk[j]:
                        higher += pair
                    elif risk[i] < risk[j]:
                        lower += pair
                    else:
                        same += pair
    return higher, lower, same
