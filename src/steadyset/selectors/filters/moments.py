"""Filters that are functions of class means and variances: anova, t_test, limma, sam, variance."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, polygamma

from steadyset.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.moments import WIDTH, class_moments, group_rows, mean_squares
from steadyset.selectors.filters.registry import Filter, register_filter


def anova(X: Floats, y: Ints, weights: Floats) -> Floats:
    """F = [sum_c n_c (m_c - m)^2 / (K - 1)] / [sum_c sum_i (x_i - m_c)^2 / (n - K)].

    A feature that is constant scores 0, one that varies between classes only scores infinity.
    """
    scores = np.empty((len(weights), X.shape[1]))
    for features, between, within in _mean_squares(X, y, weights):
        ratio(between, within, out=scores[:, features])
    return scores


def t_test(X: Floats, y: Ints, weights: Floats, *, equal_var: bool = True) -> Floats:
    """|t| of two classes: |m_1 - m_0| / se, se^2 = s^2 (1/n_0 + 1/n_1) with the pooled variance s^2.

    ``equal_var=False``: Welch's se^2 = s_0^2 / n_0 + s_1^2 / n_1. A constant feature scores 0.
    """
    if equal_var:
        squared = anova(X, y, weights)
        return np.sqrt(squared, out=squared)
    scores = np.empty((len(weights), X.shape[1]))
    totals = class_totals(y, weights)
    _check_welch(totals)
    divisors = (totals * (totals - 1))[:, :, None]
    for features, means, scatters in _moments(X, y, weights):
        error = np.sqrt((scatters / divisors).sum(axis=1))
        scores[:, features] = ratio(np.abs(means[:, 1] - means[:, 0]), error)
    return scores


def limma(X: Floats, y: Ints, weights: Floats) -> Floats:
    """Moderated F = between / s~^2 with s~^2 = (d_0 s_0^2 + d_g s^2) / (d_0 + d_g) and d_g = n - K.

    The prior d_0, s_0^2 comes from the mean and the variance of log s^2 over the features (Smyth 2004, section 6.2);
    features that do not vary within classes are left out of it. A constant feature scores 0.
    """
    parts = _variances(X, y, weights)
    moderated = np.empty_like(parts.within)
    for run, within in enumerate(parts.within):
        degrees = parts.degrees[run]
        prior_degrees, prior_variance = variance_prior(within[within > 0], degrees)
        if np.isinf(prior_degrees):
            moderated[run] = prior_variance
        else:
            moderated[run] = (prior_degrees * prior_variance + degrees * within) / (prior_degrees + degrees)
    return ratio(parts.between, moderated)


def sam(X: Floats, y: Ints, weights: Floats) -> Floats:
    """d = r / (s + s_0): r^2 = (n / prod n_c) sum_c n_c (m_c - m)^2, s^2 = (sum_c 1 / n_c) within variance.

    With two classes r = |m_1 - m_0| and s is its standard error. s_0 is the quantile of the positive s for which the
    spread of d depends least on s, the 5 % quantile where there are fewer than 500 of them (Tusher, Tibshirani and Chu
    2001; Chu et al., SAM users' guide).
    """
    parts = _variances(X, y, weights)
    scores = np.empty_like(parts.within)
    for run, totals in enumerate(parts.totals):
        sizes = totals[totals > 0]
        # The product of class sizes overflows with many classes, and its logarithm does not.
        factor = np.exp(np.log(sizes.sum()) - np.log(sizes).sum())
        effect = np.sqrt(factor * parts.between[run] * (sizes.size - 1))
        error = np.sqrt((1 / sizes).sum() * parts.within[run])
        scores[run] = ratio(effect, error + fudge(effect, error))
    return scores


def variance(X: Floats, y: None, weights: Floats) -> Floats:
    """sum_i (x_i - m)^2 / (n - 1); the target is ignored. A constant feature scores 0."""
    scores = np.empty((len(weights), X.shape[1]))
    together = np.zeros(len(X), np.int64)
    totals = class_totals(together, weights)
    _check_degrees(totals)
    for features, _, scatters in _moments(X, together, weights):
        scores[:, features] = scatters[:, 0] / (totals - 1)
    return scores


def ratio(numerator: Floats, denominator: Floats, out: Floats | None = None) -> Floats:
    """Quotient that is 0 where both are 0 and infinite where only the denominator is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Floats = np.divide(numerator, denominator, out=out)
    np.copyto(quotient, 0.0, where=numerator == 0)
    return quotient


def variance_prior(variances: Floats, degrees: float) -> tuple[float, float]:
    """Degrees of freedom d_0 and variance s_0^2 of the prior of limma; (0, 0) where fewer than two features vary.

    e = log s^2 - digamma(d/2) + log(d/2); trigamma(d_0/2) = var(e) - trigamma(d/2), d_0 infinite where that is not
    positive; s_0^2 = exp(mean(e) + digamma(d_0/2) - log(d_0/2)).
    """
    if variances.size < 2:
        return 0.0, 0.0
    logs = np.log(variances) - digamma(degrees / 2) + np.log(degrees / 2)
    excess = logs.var(ddof=1) - float(polygamma(1, degrees / 2))
    if excess <= 0:
        return np.inf, float(np.exp(logs.mean()))
    half = trigamma_inverse(excess)
    return 2 * half, float(np.exp(logs.mean() + digamma(half) - np.log(half)))


def trigamma_inverse(value: float) -> float:
    """The x with trigamma(x) = value, by Newton's method on 1 / trigamma (Smyth 2004, appendix)."""
    if value > 1e7:
        return float(1 / np.sqrt(value))
    if value < 1e-6:
        return 1 / value
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, x))
        x += step
        if -step / x < 1e-12:
            break
    return x


def fudge(effect: Floats, error: Floats, n_windows: int = 100) -> float:
    """s_0 of SAM: among the 0, 5, ..., 100 % quantiles of s, the one whose d has the steadiest spread over s.

    The spread is the median absolute deviation of d in windows of equally many features with similar s, its
    unsteadiness the coefficient of variation over the windows.
    """
    varies = np.flatnonzero(error > 0)
    if varies.size == 0:
        return 0.0
    candidates = np.quantile(error[varies], np.arange(21) / 20)
    size = varies.size // n_windows
    if size < 5:
        return float(candidates[1])
    by_error = varies[np.argsort(error[varies], kind="stable")]
    windows = by_error[: varies.size - varies.size % size].reshape(-1, size)
    variations = []
    for candidate in candidates:
        statistic = effect[windows] / (error[windows] + candidate)
        deviations = np.abs(statistic - np.median(statistic, axis=1, keepdims=True))
        spreads = np.median(deviations, axis=1)
        variations.append(spreads.std(ddof=1) / spreads.mean() if spreads.any() else np.inf)
    return float(candidates[np.argmin(variations)])


class _Variances(NamedTuple):
    """Mean squares between and within classes (M, d), sizes of classes (M, K), degrees of freedom within (M)."""

    between: Floats
    within: Floats
    totals: Floats
    degrees: Floats


def _variances(X: Floats, y: Ints, weights: Floats) -> _Variances:
    between = np.empty((len(weights), X.shape[1]))
    within = np.empty_like(between)
    for features, *squares in _mean_squares(X, y, weights):
        between[:, features], within[:, features] = squares
    totals = class_totals(y, weights)
    return _Variances(between, within, totals, totals.sum(axis=1) - (totals > 0).sum(axis=1))


def _mean_squares(X: Floats, y: Ints, weights: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
    """Mean squares between and within classes of each slice of the features."""
    _check_degrees(class_totals(y, weights))
    return _tiles(mean_squares, X, y, weights)


def _moments(X: Floats, y: Ints, weights: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
    """Class means and scatters of each slice of the features."""
    return _tiles(class_moments, X, y, weights)


def _tiles(
    moments: Callable[[Floats, Ints, Ints, Floats, Floats], tuple[Floats, Floats]], X: Floats, y: Ints, weights: Floats
) -> Iterator[tuple[slice, Floats, Floats]]:
    totals = class_totals(y, weights)
    groups = group_rows(y, weights, totals.shape[1])
    tile = np.zeros((len(X), WIDTH))
    for start in range(0, X.shape[1], WIDTH):
        features = slice(start, min(start + WIDTH, X.shape[1]))
        width = features.stop - start
        tile[:, :width] = X[:, features]
        first, second = moments(tile, *groups, totals)
        yield features, first[..., :width], second[..., :width]


def class_totals(y: Ints, weights: Floats) -> Floats:
    """Total weight of each class in each resample (M, K)."""
    return np.stack([np.bincount(y, weight) for weight in weights])


def _check_degrees(totals: Floats) -> None:
    short = np.flatnonzero(totals.sum(axis=1) <= (totals > 0).sum(axis=1))
    if short.size:
        size, n_classes = totals[short[0]].sum(), (totals[short[0]] > 0).sum()
        group = "a variance" if totals.shape[1] == 1 else f"the variance within {n_classes} classes"
        where = " in a resample" if len(totals) > 1 else ""
        raise InputError(f"X has n_samples = {size:g} (total weight){where}; {group} needs more than {n_classes}.")


def _check_welch(totals: Floats) -> None:
    if (totals <= 1).any():
        raise InputError("y has a class with one row only in a resample; equal_var=False needs two rows of each class.")


register_filter(
    Filter(name="anova", score=anova, batched=True, reference="Rasch et al. 2011, p. 241; Bommert 2020, 3.1.1")
)
register_filter(Filter(name="limma", score=limma, batched=True, reference="Smyth 2004"))
register_filter(Filter(name="sam", score=sam, batched=True, reference="Tusher, Tibshirani and Chu 2001"))
register_filter(
    Filter(name="t_test", score=t_test, batched=True, multiclass=False, reference="Student 1908; Welch 1947")
)
register_filter(Filter(name="variance", score=variance, batched=True, target=(), reference="Bommert 2020, 3.1.3"))
