"""Filters that are functions of means and variances: anova, t_test, limma, sam, variance.

For classes they compare means; where the target is a number they test the slope of a feature in it. A task brings its
mean squares (`MeanSquares`), and anova, t_test and limma are functions of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma, polygamma

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.scores import WIDTH, class_moments, group_rows, mean_squares, slope_moments
from steadyset.selectors.covariates import Design, adjusted_design
from steadyset.selectors.filters.hazards import COX, constant_is_zero, cox_score, cox_slopes_of, cox_z
from steadyset.selectors.filters.registry import Filter, Variant, register_filter
from steadyset.selectors.validation import all_finite, dense_columns, powers_of_two
from steadyset.tasks import CLASSES, NUMBER, SURVIVAL

NOTHING_LEFT = 1e-24  # of a sum of squares
COLLINEAR = 1e-10  # of the largest sum of squares of a column of a design
TINY = 1e-100  # features smaller than this, or larger than its inverse, are measured in units of their own


def anova(
    mean_squares_of: MeanSquaresOf, X: Floats, y: Any, weights: Floats, *, covariates: Floats | None = None
) -> Floats:
    """F, the mean square between over the one within; |t| is its root.

    For classes F = [sum_c n_c (m_c - m)^2 / (K - 1)] / [sum_c sum_i (x_i - m_c)^2 / (n - K)]; for a number
    F = b^2 / se(b)^2 of the slope b of the regression on the target: r^2 (n - 2) / (1 - r^2). A feature that is
    constant scores 0, one that varies with the target only infinity. Given covariates, F compares the linear models of
    the feature with and without the target beside them; for a number that is the F of their partial correlation.
    """
    parts = mean_squares_of(X, y, weights, covariates)
    return ratio(parts.between, parts.within)


def absolute_t(
    mean_squares_of: MeanSquaresOf, X: Floats, y: Any, weights: Floats, *, covariates: Floats | None = None
) -> Floats:
    """|t|, the root of F."""
    squared = anova(mean_squares_of, X, y, weights, covariates=covariates)
    return np.sqrt(squared, out=squared)


def t_test(X: Floats, y: Ints, weights: Floats, *, equal_var: bool = True, covariates: Floats | None = None) -> Floats:
    """|t| of two classes: |m_1 - m_0| / se, se^2 = s^2 (1/n_0 + 1/n_1) with the pooled variance s^2.

    ``equal_var=False``: Welch's se^2 = s_0^2 / n_0 + s_1^2 / n_1. A constant feature scores 0.
    """
    if equal_var:
        return absolute_t(_class_squares, X, y, weights, covariates=covariates)
    if covariates is not None:
        raise InputError("equal_var=False takes no covariates; leave it out, or use limma.")
    scores = np.empty((len(weights), X.shape[1]))
    totals = class_totals(y, weights)
    if (totals <= 1).any():
        raise InputError("y has a class with one row only in a resample; equal_var=False needs two rows of each class.")
    divisors = (totals * (totals - 1))[:, :, None]
    for features, _, means, scatters in _moments(X, y, weights):
        error = np.sqrt((scatters / divisors).sum(axis=1))
        scores[:, features] = ratio(np.abs(means[:, 1] - means[:, 0]), error)
    return scores


def limma(
    mean_squares_of: MeanSquaresOf,
    X: Floats,
    y: Any,
    weights: Floats,
    *,
    covariates: Floats | None = None,
    precisions: Floats | None = None,
) -> Floats:
    """Moderated F = between / s~^2 with s~^2 = (d_0 s_0^2 + d_g s^2) / (d_0 + d_g), d_g the degrees of freedom within.

    The prior d_0, s_0^2 comes from the mean and the variance of log s^2 over the features (Smyth 2004, section 6.2);
    features that do not vary within are left out of it. A constant feature scores 0. Covariates, such as a batch, are
    columns of the design beside the target. Missing values are left out of the fit of their feature, and so are values
    of precision 0; a feature whose values cannot tell the effect scores nan.
    """
    shares = None
    if precisions is not None or not all_finite(X):
        X = dense_columns(X, slice(None))
        shares = np.where(np.isnan(X), 0.0, 1.0 if precisions is None else precisions)
    parts = mean_squares_of(X, y, weights, covariates, shares)
    scores = np.empty_like(parts.within)
    for run, within in enumerate(parts.within):
        degrees, varies = parts.degrees[run], within > 0
        own = degrees[varies] if np.ndim(degrees) else degrees
        prior_degrees, prior_variance = variance_prior(within[varies], own, parts.units[varies])
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            prior = prior_variance / parts.units / parts.units  # in the units of each feature
            if np.isinf(prior_degrees):
                moderated = prior
            else:
                moderated = (prior_degrees * prior + degrees * within) / (prior_degrees + degrees)
            ratio(parts.between[run], moderated, out=scores[run])
    return _kept_apart(scores, parts.between)


def sam(X: Floats, y: Ints, weights: Floats) -> Floats:
    """|d| = |r| / (s + s_0): r^2 = (n / prod n_c) sum_c n_c (m_c - m)^2, s^2 = (sum_c 1 / n_c) within variance.

    With two classes r = m_1 - m_0, with its sign, and s is its standard error; r of more classes has no sign. s_0: see
    `fudge` (Tusher, Tibshirani and Chu 2001; Chu et al., SAM users' guide and technical document).
    """
    totals = class_totals(y, weights)
    _check_degrees(totals)
    effects, errors = np.empty((2, len(weights), X.shape[1]))
    degrees = totals.sum(axis=1) - (totals > 0).sum(axis=1)
    for features, units, means, scatters in _moments(X, y, weights):
        within = scatters.sum(axis=1) / degrees[:, None]
        for run, sizes in enumerate(totals):
            present = np.flatnonzero(sizes > 0)
            effects[run, features] = units * _sam_effect(means[run, present], sizes[present])
            errors[run, features] = units * np.sqrt((1 / sizes[present]).sum() * within[run])
    return _sam_scores(effects, errors)


def _sam_effect(means: Floats, sizes: Floats) -> Floats:
    if sizes.size == 2:
        return np.asarray(means[1] - means[0])
    # The product of class sizes overflows with many classes, and its logarithm does not.
    factor = np.exp(np.log(sizes.sum()) - np.log(sizes).sum())
    centre = sizes @ means / sizes.sum()
    return np.asarray(np.sqrt(factor * (sizes @ (means - centre) ** 2)))


def _sam_scores(effects: Floats, errors: Floats) -> Floats:
    rows = zip(effects, errors, strict=True)
    return np.stack([ratio(np.abs(effect), error + fudge(effect, error)) for effect, error in rows])


def slope_sam(X: Floats, y: Floats, weights: Floats) -> Floats:
    """|b| / (s + s_0) with the slope b of the regression on the target and its standard error s; s_0: see `fudge`."""
    parts = _slope_squares(X, y, weights)
    effects, errors = np.sqrt(parts.between / parts.spreads), np.sqrt(parts.within / parts.spreads)
    return _sam_scores(parts.units * parts.signs * effects, parts.units * errors)


def cox_sam(X: Floats, y: Floats, weights: Floats) -> Floats:
    """|U| / (s + s_0) with the slope U of Cox's likelihood at 0 and the root s of its information; s_0: see `fudge`."""
    slopes, bends, units = cox_slopes_of(X, y, weights)
    return np.where(bends > 0, _sam_scores(slopes * units, np.sqrt(bends) * units), np.nan)


def variance(X: Floats, y: None, weights: Floats) -> Floats:
    """sum_i (x_i - m)^2 / (n - 1); the target is ignored. A constant feature scores 0."""
    scores = np.empty((len(weights), X.shape[1]))
    together = np.zeros(X.shape[0], np.int64)
    totals = class_totals(together, weights)
    _check_degrees(totals)
    for features, units, _, scatters in _moments(X, together, weights):
        with np.errstate(over="ignore", under="ignore"):
            found = scatters[:, 0] / (totals - 1) * units * units
        scores[:, features] = _kept_apart(found, scatters[:, 0])
    return scores


def _kept_apart(scores: Floats, parts: Floats) -> Floats:
    """Scores too small for a number, of features that vary, as the least number above the 0 of a constant one."""
    np.copyto(scores, np.nextafter(0.0, 1.0), where=(scores == 0) & (parts > 0))
    return scores


def ratio(numerator: Floats, denominator: Floats, out: Floats | None = None) -> Floats:
    """Quotient that is 0 where both are 0 and infinite where only the denominator is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Floats = np.divide(numerator, denominator, out=out)
    np.copyto(quotient, 0.0, where=numerator == 0)
    return quotient


def variance_prior(variances: Floats, degrees: Floats | float, units: Floats | float = 1.0) -> tuple[float, float]:
    """Degrees of freedom d_0 and variance s_0^2 of the prior of limma; (0, 0) where fewer than two features vary.

    e = log s^2 - digamma(d/2) + log(d/2); trigamma(d_0/2) = var(e) - mean(trigamma(d/2)), d_0 infinite where that is
    not positive; s_0^2 = exp(mean(e) + digamma(d_0/2) - log(d_0/2)). The variances are those of features in ``units``.
    """
    if variances.size < 2:
        return 0.0, 0.0
    logs = np.log(variances) + 2 * np.log(units) - digamma(degrees / 2) + np.log(degrees / 2)
    excess = logs.var(ddof=1) - float(np.mean(polygamma(1, degrees / 2)))
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
    """s_0 of SAM: among the 0, 5, ..., 100 % quantiles of s, the one whose d = r / (s + s_0) has the steadiest spread.

    The spread is the median absolute deviation of d, with its sign, in windows of features between two percentiles of
    s; its unsteadiness is the coefficient of variation over the windows. The 0 % quantile stands for s_0 = 0 in that
    comparison. Features without error are left out; of fewer than 500 the 5 % quantile is taken.
    """
    varies = np.flatnonzero(error > 0)
    if varies.size == 0:
        return 0.0
    errors, effects = error[varies], effect[varies]
    candidates = np.quantile(errors, np.arange(21) / 20)
    if varies.size < 500:
        return float(candidates[1])
    # np.quantile rounds here and there, so that an edge can pass the value that it stands for by the last bit.
    edges = np.unique(np.quantile(errors, np.arange(1, n_windows) / n_windows))
    windows = _Windows.of(np.searchsorted(edges, errors, side="left"))
    variations = []
    for place, candidate in enumerate(candidates):
        spreads = windows.deviations(effects / (errors + (candidate if place else 0.0)))
        variations.append(spreads.std(ddof=1) / spreads.mean() if spreads.any() else np.inf)
    return float(candidates[np.argmin(variations)])


class _Windows(NamedTuple):
    """Features by window, padded to one length; ``sizes`` tells how many of each are there."""

    members: Ints
    sizes: Ints

    @classmethod
    def of(cls, labels: Ints) -> _Windows:
        order = np.argsort(labels, kind="stable")
        sizes = np.bincount(labels)
        sizes = sizes[sizes > 0]
        members = np.full((sizes.size, sizes.max()), -1)
        members[np.arange(sizes.max()) < sizes[:, None]] = order
        return cls(members, sizes)

    def deviations(self, values: Floats) -> Floats:
        """The median absolute deviation in each window."""
        cells = np.where(self.members < 0, np.inf, values[self.members])
        return self._medians(np.abs(cells - self._medians(cells)[:, None]))

    def _medians(self, cells: Floats) -> Floats:
        ordered, windows = np.sort(cells, axis=1), np.arange(self.sizes.size)
        return (ordered[windows, (self.sizes - 1) // 2] + ordered[windows, self.sizes // 2]) / 2


class MeanSquares(NamedTuple):
    """Mean squares between and within (M, d) in units (d) squared, and degrees of freedom within (M), or (M, d).

    Each task has its own: between and within classes, or of the line through a number and around it. Of a line there
    are the signs of the slopes (M, d) and the scatter of the target (M, 1) too.
    """

    between: Floats
    within: Floats
    degrees: Floats
    units: Floats
    signs: Floats | int = 1
    spreads: Floats | int = 1


MeanSquaresOf = Callable[..., MeanSquares]


def _adjusted_squares(
    X: Floats, effects: Floats, weights: Floats, covariates: Floats | None, shares: Floats | None
) -> MeanSquares:
    """Mean squares of the effects beside the covariates, and around the linear model of both.

    The columns of sqrt(w) effects, less their projection on those of sqrt(w) [1, covariates], span what the effects
    add: with an orthonormal basis Q of that and the feature x less the same projection, between is |Q'x|^2 / rank(Q)
    and within the rest of |x|^2 over the degrees of freedom that are left.
    """
    designs, degrees = _designs(effects, weights, covariates)
    if shares is not None:
        return _squares_of_own_rows(X, designs, weights, shares)

    def squares(tile: Floats, *_: Any) -> tuple[Floats, Floats]:
        between, within = np.empty((2, len(weights), tile.shape[1]))
        for run, (weight, design) in enumerate(zip(weights, designs, strict=True)):
            root = np.sqrt(weight)[:, None]
            values = root * (tile - weight @ tile / weight.sum())
            rest = values - design.beside @ (design.beside.T @ values)
            explained, total = ((design.added.T @ rest) ** 2).sum(axis=0), (rest**2).sum(axis=0)
            # What rounding leaves of a constant, or of a combination of the covariates, is nothing.
            nothing = total <= NOTHING_LEFT * ((values**2).sum(axis=0) + weight @ tile**2)
            between[run] = np.where(nothing, 0.0, explained / design.added.shape[1])
            within[run] = np.where(nothing, 0.0, np.maximum(total - explained, 0.0) / degrees[run])
        return between, within

    units, between, within = _over_tiles(squares, X, np.zeros(X.shape[0], np.int64), weights)
    return MeanSquares(between, within, degrees, units)


def _designs(effects: Floats, weights: Floats, covariates: Floats | None) -> tuple[list[Design], Floats]:
    """The design of each resample, and the degrees of freedom that it leaves."""
    beside = np.empty((len(effects), 0)) if covariates is None else covariates
    designs = [adjusted_design(effects, beside, weight) for weight in weights]
    degrees = weights.sum(axis=1) - [one.beside.shape[1] + one.added.shape[1] for one in designs]
    if (degrees <= 0).any():
        what = "so many classes" if covariates is None else "so many covariates; leave some of them out"
        raise InputError(f"X has too few rows in a resample for {what}.")
    return designs, degrees


def _squares_of_own_rows(X: Floats, designs: list[Design], weights: Floats, shares: Floats) -> MeanSquares:
    """Mean squares where each value has a share (n, d) of its own, 0 where it is missing: a fit for each feature.

    With the orthonormal columns D of the design of a resample, a feature z less its mean and its weights times shares a
    the sums D'aD and D'az of all features are matrix products. The mean square within is that of z - D c, with the
    coefficients c of `_eliminated`.
    """
    between, within, degrees = np.empty((3, len(weights), X.shape[1]))
    known = shares > 0
    values = np.where(known, X, 0.0)
    units = _units(values)
    values /= units
    for run, (weight, design) in enumerate(zip(weights, designs, strict=True)):
        rows, beside = np.flatnonzero(weight > 0), design.beside.shape[1]
        basis = np.column_stack(design)[rows] / np.sqrt(weight[rows, None])
        products = basis[:, :, None] * basis[:, None, :]
        for start in range(0, X.shape[1], WIDTH):
            block = slice(start, start + WIDTH)
            x, a = values[rows, block], weight[rows, None] * shares[rows, block]
            sums = a.sum(axis=0)
            z = x - (a * x).sum(axis=0) / np.where(sums > 0, sums, 1.0)
            table = np.concatenate([np.tensordot(products, a, (0, 0)), (basis.T @ (a * z))[:, None]], axis=1)
            coefs, rank, explained = _eliminated(table, beside)
            left = (a * (z - basis @ coefs) ** 2).sum(axis=0)
            own = np.maximum(weight[rows] @ known[rows, block] - rank, 0.0)
            nothing = explained + left <= NOTHING_LEFT * (a * (z**2 + x**2)).sum(axis=0)
            between[run, block] = np.where(nothing, 0.0, explained / design.added.shape[1])
            within[run, block] = np.where(nothing | (own == 0), 0.0, left / np.where(own > 0, own, 1.0))
            degrees[run, block] = own
    return MeanSquares(between, within, degrees, units)


def _eliminated(table: Floats, beside: int) -> tuple[Floats, Floats, Floats]:
    """Coefficients, ranks, and what the columns after the first ones add to the explained sum of squares.

    Gauss-Jordan elimination of the p x (p + 1) normal equations of all features at once. A column that the values of a
    feature do not tell from those before it is skipped there; what it adds is then not known (nan).
    """
    columns = range(len(table))
    least = COLLINEAR * table[columns, columns].max(axis=0)
    rank, explained = np.zeros((2, table.shape[2]))
    for column in columns:
        pivot = table[column, column]
        told = pivot > least
        row = table[column] * np.divide(1.0, pivot, out=np.zeros_like(pivot), where=told)
        rank += told
        if column >= beside:
            explained += np.where(told, row[-1] * table[column, -1], np.nan)
        table -= table[:, column, None] * row
        table[column] = row
    return table[:, -1], rank, explained


def _class_squares(
    X: Floats, y: Ints, weights: Floats, covariates: Floats | None = None, shares: Floats | None = None
) -> MeanSquares:
    """Mean squares between and within classes."""
    if shares is not None or covariates is not None:
        return _adjusted_squares(X, np.eye(int(y.max()) + 1)[y], weights, covariates, shares)
    totals = class_totals(y, weights)
    _check_degrees(totals)
    units, between, within = _over_tiles(partial(mean_squares, totals), X, y, weights)
    return MeanSquares(between, within, totals.sum(axis=1) - (totals > 0).sum(axis=1), units)


def _slope_squares(
    X: Floats, y: Floats, weights: Floats, covariates: Floats | None = None, shares: Floats | None = None
) -> MeanSquares:
    """Mean squares of the regression of each feature on the target, and around it."""
    scale = 2.0 ** np.frexp(np.abs(y).max())[1]  # a power of two changes no digit, and squares do not overflow
    if shares is not None or covariates is not None:
        return _adjusted_squares(X, y[:, None] / scale, weights, covariates, shares)
    totals = weights.sum(axis=1, keepdims=True)
    if (totals <= 2).any():
        raise InputError(
            f"X has n_samples = {totals.min():g} (total weight)"
            f"{' in a resample' if len(totals) > 1 else ''}; the variance around a line needs more than 2."
        )
    # One resample at a time: BLAS sums in an order that depends on how many there are.
    sums = np.stack([row[None, :] @ (y / scale) for row in weights])
    targets = y / scale - sums / totals
    spreads = (weights * targets**2).sum(axis=1, keepdims=True)
    if not (spreads > 0).all():
        raise InputError("y has one value only in a resample; the slope needs a target that varies.")
    moments = partial(slope_moments, np.ascontiguousarray(totals[:, 0]), targets)
    units, scatters, products = _over_tiles(moments, X, np.zeros(X.shape[0], np.int64), weights)
    signs, between = np.sign(products), np.square(products, out=products)
    between /= spreads
    within = np.maximum(scatters - between, 0, out=scatters)
    within /= totals - 2
    return MeanSquares(between, within, totals[:, 0] - 2, units, signs, spreads)


def _moments(X: Floats, y: Ints, weights: Floats) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
    """Class means and scatters of each slice of the features."""
    return _tiles(partial(class_moments, class_totals(y, weights)), X, y, weights)


def _over_tiles(moments: Callable[..., Any], X: Floats, y: Ints, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """The units of all features (d), and what a kernel makes of them in these: two numbers of each (M, d)."""
    units, (first, second) = np.empty(X.shape[1]), np.empty((2, len(weights), X.shape[1]))
    for features, *parts in _tiles(moments, X, y, weights):
        units[features], first[:, features], second[:, features] = parts
    return units, first, second


def _tiles(
    moments: Callable[[Floats, Ints, Ints, Floats], tuple[Floats, Floats]], X: Floats, y: Ints, weights: Floats
) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
    """What a kernel makes of each slice of the features in units, with the rows grouped by resample and class."""
    groups = group_rows(y, weights, int(y.max()) + 1)
    tile = np.zeros((X.shape[0], WIDTH))
    for start in range(0, X.shape[1], WIDTH):
        features = slice(start, min(start + WIDTH, X.shape[1]))
        width = features.stop - start
        tile[:, :width] = dense_columns(X, features)
        units = _units(tile)
        if (units != 1).any():
            tile /= units
        first, second = moments(tile, *groups)
        yield features, units[:width], first[..., :width], second[..., :width]


def _units(values: Floats) -> Floats:
    """1, or a power of two, which changes no digit, for a feature whose squares would overflow or vanish."""
    sizes = np.abs(values).max(axis=0)
    extreme = (sizes > 0) & ((sizes < TINY) | (sizes > 1 / TINY))
    units = np.ones(len(sizes))
    units[extreme] = powers_of_two(sizes[extreme])
    return units


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


BOTH: tuple[str, ...] = (CLASSES, NUMBER)
_OF_TIMES = {
    "anova": Variant(constant_is_zero(cox_score), "score statistic of Cox's model", "U(0)² / I(0)", COX),
    "sam": Variant(
        constant_is_zero(cox_sam),
        "slope of Cox's likelihood over its standard error plus a constant",
        "|U(0)| / (s + s₀)",
        f"{COX}; Tusher, Tibshirani and Chu 2001",
    ),
    "t_test": Variant(
        constant_is_zero(cox_z), "root of the score statistic of Cox's model", "|U(0)| / sqrt(I(0))", COX
    ),
}
_SHRUNK = "v = (d₀ s₀² + d_g s²) / (d₀ + d_g)"
# For classes, and where the target is a number: b is the slope of the feature in it, r their correlation.
_FORMULAS = {
    "anova": (
        "[sum_c n_c (m_c - m)² / (K - 1)] / [sum_c sum_i (x_i - m_c)² / (n - K)]",
        "r² (n - 2) / (1 - r²)",
    ),
    "limma": (f"[sum_c n_c (m_c - m)² / (K - 1)] / v, {_SHRUNK}", f"b² [sum_i (y_i - ȳ)²] / v, {_SHRUNK}"),
    "sam": (
        "|r| / (s + s₀), r² = (n / [prod_c n_c]) sum_c n_c (m_c - m)², "
        "s² = (sum_c 1/n_c) sum_c sum_i (x_i - m_c)² / (n - K)",
        "|b| / (s + s₀)",
    ),
    "t_test": ("|m₁ - m₀| / sqrt(s² (1/n₀ + 1/n₁))", "sqrt(r² (n - 2) / (1 - r²))"),
}


def _by_task(score: Callable[..., Floats]) -> tuple[Any, Any]:
    """A score of mean squares, with those between classes and with those of a slope."""
    return partial(score, _class_squares), partial(score, _slope_squares)


for _name, _score, _slope, _multiclass, _summary, _summary_number, _reference in [
    (
        *("anova", *_by_task(anova), True, "F statistic of an analysis of variance", "F statistic of the slope"),
        "Rasch, Kubinger and Yanagida 2011, p. 241; Bommert 2020, 3.1.1",
    ),
    (
        *("limma", *_by_task(limma), True, "F statistic with variances shrunk to a common prior"),
        *("squared t statistic of the slope with variances shrunk to a common prior", "Smyth 2004"),
    ),
    (
        *("sam", sam, slope_sam, True, "difference of means over its standard error plus a constant"),
        *("slope over its standard error plus a constant", "Tusher, Tibshirani and Chu 2001"),
    ),
    (
        *(
            "t_test",
            t_test,
            partial(absolute_t, _slope_squares),
            False,
            "absolute t statistic of two means",
            "absolute t statistic of the slope",
        ),
        "Student 1908; Welch 1947",
    ),
]:
    register_filter(
        Filter(
            name=_name,
            score=_score,
            variants={NUMBER: Variant(_slope, _summary_number, _FORMULAS[_name][1])}
            | ({SURVIVAL: _OF_TIMES[_name]} if _name in _OF_TIMES else {}),
            target=(*BOTH, *((SURVIVAL,) if _name in _OF_TIMES else ())),
            multiclass=_multiclass,
            batched=True,
            constant=0.0,
            missing=_name == "limma",
            reference=_reference,
            summary=_summary,
            formula=_FORMULAS[_name][0],
        )
    )
register_filter(
    Filter(
        name="variance",
        constant=0.0,
        score=variance,
        batched=True,
        target=(),
        reference="Bommert 2020, 3.1.3",
        summary="variance of the feature, which ignores the target",
        formula="sum_i (x_i - m)² / (n - 1)",
    )
)
