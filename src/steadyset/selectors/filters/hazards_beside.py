"""The score test of a feature in Cox's model that holds covariates already."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.validation import dense_columns

MAX_STEPS, ENOUGH = 50, 1e-10  # Newton steps, and the change of the linear predictor that ends them
TILE = 256  # features at once
LEFT = 1e-12  # of a feature's information: less is rounding of what the covariates make up


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
