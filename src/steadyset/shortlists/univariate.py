"""Effect, interval and p-value of each feature alone, without any correction for selection.

For classes and numbers, they are of the linear model of the feature by the target, with one mean per stratum (or per
group of rows that exchange targets) and the covariates: Student's t test with pooled variance for two classes, the
paired t test for pairs, one-way analysis of variance for several classes, the test of the (partial) correlation for a
number. For times to an event, they are of Cox's model of the feature with the covariates, with one baseline hazard per
stratum, ties by Efron, tested by Wald's statistic.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as f_distribution
from scipy.stats import norm

from steadyset.foundation.arguments import LEVEL
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import listed
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.covariates import orthonormal
from steadyset.shortlists.effects import effects
from steadyset.shortlists.exchange import Exchange, cleared, of_size_1
from steadyset.tasks import TASKS

CONSTANT = 1e-12  # of the largest value: a smaller spread is rounding


class Univariate(NamedTuple):
    """One value per feature: along the direction, except hazard ratios; nan if a model has none.

    ``difference`` is the difference of the means of two classes in the unit of the data, nan for other targets.
    """

    effect: Floats
    low: Floats
    high: Floats
    p_value: Floats
    difference: Floats


def univariate(
    X: Floats,
    y: NDArray[Any],
    task: str,
    codes: Ints,
    within: Ints,
    beside: Floats | None,
) -> Univariate:
    """Return effects of the columns of X, with intervals at 95%, p-values and differences of means.

    ``codes`` are the directions as `Directions` has them, ``within`` the part that each row is compared in, ``beside``
    orthonormal columns of covariates.
    """
    if TASKS[task].effect:
        return _of_hazards(X, y, within, beside)
    return _of_linear_models(X, y, task, codes, within, beside)


def test_words(exchange: Exchange) -> str:
    """Return the name of the test by which each feature alone is tested."""
    record = TASKS[exchange.task]
    beside = ["groups"] if exchange.within else []
    if not exchange.within and exchange.cells.any():
        beside.append("strata")
    beside += exchange.named
    is_f_test = record.n_classes(exchange.y) > 2
    if record.effect:
        test = "Wald test of Cox's model"
    elif beside:
        test = f"{'F' if is_f_test else 't'} test of the linear model"
    elif is_f_test:
        test = "F test (one-way analysis of variance)"
    elif record.has_classes:
        test = "t test with pooled variance"
    else:
        test = "test of Pearson's correlation"
    adjusted = f" with {listed(beside)}" if beside else ""
    return f"{test}{adjusted}{' on the means of groups' if exchange.has_means else ''}"


def _of_linear_models(
    X: Floats, y: NDArray[Any], task: str, codes: Ints, within: Ints, beside: Floats | None
) -> Univariate:
    record = TASKS[task]
    sizes = np.abs(X - X.mean(axis=0)).max(axis=0, initial=0.0)
    varies = sizes > CONSTANT * np.abs(X).max(axis=0, initial=0.0)
    scaled = (X - X.mean(axis=0)) / np.where(varies, sizes, 1.0)
    if record.has_classes:
        labels = np.unique(y)
        target = (y[:, None] == labels[1:]).astype(np.float64)
    else:
        target = of_size_1(record.amounts(y))[:, None]
    values = cleared(scaled, within, beside)
    left = cleared(target, within, beside)
    # Scaled by the target before, so that rounding does not make a direction of its own.
    basis = orthonormal(left, largest=float(np.linalg.norm(target - target.mean(axis=0))))
    n_covariates = 0 if beside is None else beside.shape[1]
    freedom = len(X) - int(within.max()) - 1 - n_covariates - basis.shape[1]
    explained = ((basis.T @ values) ** 2).sum(axis=0)
    residual = values - basis @ (basis.T @ values)
    unexplained = (residual**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (explained / basis.shape[1]) / (unexplained / max(1, freedom))
    p_values = f_distribution.sf(statistic, basis.shape[1], max(1, freedom))

    seen = effects(scaled, y, task, codes, within, beside)
    reach = norm.ppf((1 + LEVEL) / 2)
    every = np.arange(X.shape[1])
    shown = [seen.shown(seen.z + shift, every) for shift in (0.0, -reach, reach)]
    sign = _signs(codes, len(np.unique(y)) == 2 if record.has_classes else False)
    low, high = np.sort(np.stack([sign * shown[1], sign * shown[2]]), axis=0)
    difference = np.full(X.shape[1], np.nan)
    if record.n_classes(y) == 2:
        difference = sign * sizes * (left[:, 0] @ values) / max(left[:, 0] @ left[:, 0], np.finfo(np.float64).tiny)
    table = np.stack([sign * shown[0], low, high, p_values, difference])
    return Univariate(*np.where(varies, table, np.nan))


def _signs(codes: Ints, has_two_classes: bool) -> Floats:
    """Return 1 where the direction is that of the contrast, -1 where it is the opposite one."""
    positive = codes != 1 if has_two_classes else codes >= 0
    return np.where(positive, 1.0, -1.0)


def hazards_of(X: Floats, y: NDArray[Any], within: Ints, beside: Floats | None) -> tuple[Floats, Floats]:
    """Return log hazard ratios per standard deviation and their standard errors, nan where a model has none."""
    from steadyset.tasks.models.cox import CoxModel

    covariates = np.empty((len(X), 0)) if beside is None else beside * np.sqrt(len(X))
    found = np.full((2, X.shape[1]), np.nan)
    centered = X - X.mean(axis=0)
    sizes = np.abs(centered).max(axis=0, initial=0.0)
    for feature in np.flatnonzero(sizes > CONSTANT * np.abs(X).max(axis=0, initial=0.0)):
        column = centered[:, feature] / sizes[feature]  # squares of very large values are not finite
        column /= column.std(ddof=1)
        try:
            model = CoxModel(penalty=0.0, ties="efron").fit(np.column_stack([column, covariates]), y, strata=within)
        except InputError:
            continue
        error = np.sqrt(model.covariance_[0, 0])
        if 0 < error < np.inf:
            found[:, feature] = model.coef_[0], error
    return found[0], found[1]


def _of_hazards(X: Floats, y: NDArray[Any], within: Ints, beside: Floats | None) -> Univariate:
    logarithm, error = hazards_of(X, y, within, beside)
    reach = norm.ppf((1 + LEVEL) / 2) * error
    p_values = 2 * norm.sf(np.abs(logarithm / error))
    with np.errstate(over="ignore"):
        ends = [np.exp(logarithm + shift) for shift in (0.0, -reach, reach)]
    return Univariate(ends[0], ends[1], ends[2], p_values, np.full(X.shape[1], np.nan))
