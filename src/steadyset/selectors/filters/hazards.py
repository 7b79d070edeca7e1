"""Filters of times to events: statistics of Cox's model of one feature, under many resamples at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.hazards import cox_fits, cox_slopes, risk_ranks
from steadyset.selectors.filters.hazards_beside import cox_score_beside
from steadyset.selectors.filters.registry import Filter, register_filter
from steadyset.selectors.model_input import powers_of_two
from steadyset.selectors.validation import dense_columns
from steadyset.tasks import SURVIVAL

COX = "Cox 1972; Breslow 1974"
BLOCK_CELLS = 1 << 20  # values that are laid out at once
Kernel = Callable[[Floats, Floats, Ints, Floats], tuple[Floats, Floats]]


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


def _constant_is_zero(score: Callable[..., Floats]) -> Callable[..., Floats]:
    """A statistic that is 0 instead of undefined for a feature without information, where others have some."""

    @wraps(score)
    def scored(*data: Floats, **options: Any) -> Floats:
        found = score(*data, **options)
        found[np.isnan(found) & ~np.isnan(found).all(axis=1, keepdims=True)] = 0.0
        return found

    return scored


_COX = {
    "cox_score": (cox_score, "score statistic of Cox's model of the feature alone", "U(0)² / I(0)"),
    "cox_wald": (cox_wald, "Wald's statistic of Cox's model of the feature alone", "(b / se)²"),
    "cox_lr": (cox_lr, "likelihood ratio statistic of Cox's model of the feature alone", "2 [l(b) - l(0)]"),
}
for _name, (_score, _summary, _formula) in _COX.items():
    register_filter(
        Filter(
            name=_name,
            score=_constant_is_zero(_score),
            target=(SURVIVAL,),
            batched=True,
            constant=0.0,
            reference=COX,
            summary=_summary,
            formula=_formula,
        )
    )
