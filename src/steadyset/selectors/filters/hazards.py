"""Filters of times to events: statistics of Cox's model of one feature, alone or beside covariates, under many
resamples at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.hazards import cox_fits, cox_slopes, risk_ranks
from steadyset.selectors.filters.registry import Filter, register_filter
from steadyset.selectors.validation import dense_columns, powers_of_two
from steadyset.tasks import SURVIVAL

COX = "Cox 1972; Breslow 1974"
BLOCK_CELLS = 1 << 20  # values that are laid out at once
MAX_STEPS, ENOUGH = 50, 1e-10  # Newton steps, and the change of the linear predictor that ends them
TILE = 256  # features at once
LEFT = 1e-12  # of a feature's information: less is rounding of what the covariates make up
Kernel = Callable[[Floats, Floats, Ints, Floats], tuple[Floats, Floats]]


def constant_is_zero(score: Callable[..., Floats]) -> Callable[..., Floats]:
    """A statistic that is 0 instead of undefined for a feature without information, where others have some."""

    @wraps(score)
    def scored(*data: Floats, **options: Any) -> Floats:
        found = score(*data, **options)
        found[np.isnan(found) & ~np.isnan(found).all(axis=1, keepdims=True)] = 0.0
        return found

    return scored


def cox_score(X: Floats, y: Floats, weights: Floats, *, covariates: Floats | None = None) -> Floats:
    """U(0)² / I(0): the score statistic of Cox's model, which needs no fit and stays finite; given covariates, beside
    them."""
    if covariates is not None:
        return cox_score_beside(X, y, weights, covariates)
    slopes, bends, _ = cox_slopes_of(X, y, weights)
    return _ratio(slopes**2, bends)


def cox_z(X: Floats, y: Floats, weights: Floats, *, covariates: Floats | None = None) -> Floats:
    """|U(0)| / sqrt(I(0)), the root of the score statistic."""
    return np.sqrt(cox_score(X, y, weights, covariates=covariates))


def cox_wald(X: Floats, y: Floats, weights: Floats) -> Floats:
    """(b / se)²; it tends to 0 where the likelihood rises for ever, so the best features may come last."""
    return _each(cox_fits, X, y, weights)[0]


def cox_lr(X: Floats, y: Floats, weights: Floats) -> Floats:
    """2 (l(b) - l(0)): the likelihood ratio statistic; where the likelihood rises for ever, its limit."""
    return _each(cox_fits, X, y, weights)[1]


def cox_ranks(X: Floats, y: Floats, weights: Floats) -> Floats:
    """The score statistic of the feature's ranks, which no single value dominates."""
    order, events, last = _from_the_latest(y)
    weights = np.ascontiguousarray(weights[:, order])
    scores = np.empty((len(weights), X.shape[1]))
    for features, columns, _ in _columns(X, order):
        sorted_rows = np.argsort(columns, axis=1, kind="stable")
        for run, weight in enumerate(weights):
            ranks = risk_ranks(columns, sorted_rows, weight)
            slopes, bends = cox_slopes(ranks, events, last, weight[None, :])
            scores[run, features] = _ratio(slopes[0] ** 2, bends[0])
    return scores


def cox_slopes_of(X: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Slopes U(0) and information I(0) (M, d) of the features in their units (d)."""
    return _each(cox_slopes, X, y, weights)


def _each(kernel: Kernel, X: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """What a kernel makes of every feature under every resample (M, d), twice; and the units of the features (d)."""
    order, events, last = _from_the_latest(y)
    weights = np.ascontiguousarray(weights[:, order])
    first, second = np.empty((2, len(weights), X.shape[1]))
    units = np.empty(X.shape[1])
    for features, columns, own in _columns(X, order):
        units[features] = own
        first[:, features], second[:, features] = kernel(columns, events, last, weights)
    return first, second, units


def _from_the_latest(y: Floats) -> tuple[Ints, Floats, Ints]:
    """The rows from the latest time to the earliest, their events, and which are the last of their time."""
    order = np.argsort(-y[:, 0], kind="stable")
    times = y[order, 0]
    return order, np.ascontiguousarray(y[order, 1]), np.append(times[1:] != times[:-1], True).astype(np.int64)


def _columns(X: Floats, order: Ints) -> Iterator[tuple[slice, Floats, Floats]]:
    """Blocks of features as rows, centred, in units that are powers of two: these change no digit."""
    width = max(1, BLOCK_CELLS // max(1, len(order)))
    for start in range(0, X.shape[1], width):
        features = slice(start, min(start + width, X.shape[1]))
        columns = np.ascontiguousarray(dense_columns(X, features)[order].T)
        sizes = np.abs(columns).max(axis=1)
        units = np.where(sizes > 0, powers_of_two(np.where(sizes > 0, sizes, 1.0)), 1.0)
        columns /= units[:, None]
        columns -= columns.mean(axis=1, keepdims=True)
        yield features, columns, units


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.asarray(np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0))


class Risk(NamedTuple):
    """Cox's model (Breslow) at some coefficients, its rows from the latest time to the earliest.

    With w the weights, r = w exp(z b), S(t) the sum of r over the rows at risk at t and D(t) the weight of the events:
    `hazard` is A = sum of D(t) / S(t) over the event times up to that of the row, `residuals` are w e - r A. `ends` are
    the places of the last rows at risk at the event times, where S and D are.
    """

    r: Floats
    hazard: Floats
    residuals: Floats
    ends: Ints
    at_risk: Floats
    events: Floats

    def mean(self, columns: Floats) -> Floats:
        """The mean of columns over the rows at risk at each event time."""
        return np.cumsum(self.r[:, None] * columns, axis=0)[self.ends] / self.at_risk[:, None]

    def crossed(self, columns: Floats, means: Floats) -> Floats:
        """What the information of other columns x with these is a product of: x' r (A z - sum of D zbar / S)."""
        steps = np.zeros((len(self.r), columns.shape[1]))
        steps[self.ends] = self.events[:, None] / self.at_risk[:, None] * means
        behind = np.cumsum(steps[::-1], axis=0)[::-1]
        return self.r[:, None] * (self.hazard[:, None] * columns - behind)


def cox_score_beside(X: Floats, y: Floats, weights: Floats, covariates: Floats) -> Floats:
    """U² / (I_xx - I_xz I_zz⁻¹ I_zx) at (0, b): the score statistic of a feature given covariates with coefficients b.

    A constant feature, and one that covariates make up, scores 0.
    """
    order = np.argsort(-y[:, 0], kind="stable")
    times, events, Z = y[order, 0], y[order, 1], covariates[order] - covariates.mean(axis=0)
    spread = Z.std(axis=0)
    Z = Z / np.where(spread > 0, spread, 1.0)
    scores = np.empty((len(weights), X.shape[1]))
    for run, weight in enumerate(weights[:, order]):
        present = weight > 0
        risk, inverse = _fitted(times[present], events[present], weight[present], Z[present])
        beside = risk.crossed(Z[present], risk.mean(Z[present]))
        for start in range(0, X.shape[1], TILE):
            features = slice(start, min(start + TILE, X.shape[1]))
            scores[run, features] = _scores(dense_columns(X, features)[order][present], risk, beside, inverse)
    return scores


def _scores(values: Floats, risk: Risk, beside: Floats, inverse: Floats) -> Floats:
    columns = values - values.mean(axis=0)
    sizes = np.abs(columns).max(axis=0)
    varies = sizes > LEFT * np.abs(values).max(axis=0)  # what rounding leaves of a constant is none
    columns = np.where(varies, columns, 0.0) / np.where(varies, sizes, 1.0)
    own = (risk.r * risk.hazard) @ columns**2 - risk.events @ risk.mean(columns) ** 2
    shared = columns.T @ beside
    left = own - np.einsum("fq,qp,fp->f", shared, inverse, shared)
    found = left > LEFT * np.maximum(own, LEFT)
    return np.where(found, (risk.residuals @ columns) ** 2 / np.where(found, left, 1.0), 0.0)


def _fitted(times: Floats, events: Floats, weight: Floats, Z: Floats) -> tuple[Risk, Floats]:
    """The model of the covariates alone, by Newton's method, and the inverse of its information."""
    b, before = np.zeros(Z.shape[1]), -np.inf
    step = np.zeros_like(b)
    for _ in range(MAX_STEPS):
        risk, likelihood = _at(times, events, weight, Z @ b)
        if likelihood < before - 1e-9 * abs(before):  # the step was too long
            step /= 2
            b = b - step
            continue
        before = likelihood
        inverse = np.asarray(np.linalg.pinv(Z.T @ risk.crossed(Z, risk.mean(Z)), hermitian=True), np.float64)
        step = inverse @ (Z.T @ risk.residuals)
        if np.abs(Z @ step).max(initial=0.0) < ENOUGH:
            return risk, inverse
        b = b + step
    raise InputError("Cox's model of the covariates has no solution: one of them foretells who has the event first.")


def _at(times: Floats, events: Floats, weight: Floats, scores: Floats) -> tuple[Risk, float]:
    scores = np.clip(scores, -500, 500)
    r, dead = weight * np.exp(scores), weight * events
    last = np.append(times[1:] != times[:-1], True)
    place = np.cumsum(np.append(0, last[:-1])).astype(np.int64)
    died, total = np.asarray(np.bincount(place, dead), np.float64), np.cumsum(r)[last]
    counted = died > 0
    hazard = np.cumsum((died / total)[::-1])[::-1][place]
    risk = Risk(r, hazard, dead - r * hazard, np.flatnonzero(last)[counted], total[counted], died[counted])
    return risk, float(dead @ scores - died[counted] @ np.log(total[counted]))


_COX = {
    "cox_score": (cox_score, "score statistic of Cox's model of the feature alone", "U(0)² / I(0)"),
    "cox_wald": (cox_wald, "Wald's statistic of Cox's model of the feature alone", "(b / se)²"),
    "cox_lr": (cox_lr, "likelihood ratio statistic of Cox's model of the feature alone", "2 [l(b) - l(0)]"),
}
for _name, (_score, _summary, _formula) in _COX.items():
    register_filter(
        Filter(
            name=_name,
            score=constant_is_zero(_score),
            target=(SURVIVAL,),
            batched=True,
            constant=0.0,
            reference=COX,
            summary=_summary,
            formula=_formula,
        )
    )
