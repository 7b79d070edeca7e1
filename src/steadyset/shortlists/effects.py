"""Effects of listed features, corrected for their having been listed.

A feature is listed because its effect came out large, so that the effect seen is too large on average; rows left out do
not help, because over many halves they are all rows. What helps is to ask how large the effect would come out among
listed features. Let z be the standardised effect on all rows, about normal with mean theta and variance 1, and p(|z|)
the chance that a feature with that effect is listed. Among listed features z has the density phi(z - theta) p(|z|) /
c(theta); the estimate is the theta for which z is the median, and the interval holds those for which it is within the
central 95%.

p is a logistic curve: its slope from permuted targets, where everything listed is known to be false; its place so that
as many features as were listed are expected to be. Such a curve describes the filter, which ranks by |z| itself. It
does not describe a feature that the lasso adds because of the other features, so only features that the filter lists
are corrected (see `steadyset.shortlists.result`).

The curve is an approximation: features also compete for the places. The interval is therefore `widened` to contain the
uncorrected one, so that it covers at least as often as each of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.shortlists.exchange import cleared, of_size_1
from steadyset.tasks import TASKS

REACH = 9.0  # standard errors around z in which theta is looked for
POINTS = 801
HALVINGS = 50
BINS, LARGEST = 2000, 20.0  # of |z| under permuted targets


@dataclass(frozen=True)
class Effects:
    """Per feature: z, and what turns a z into an effect: standard deviations between classes, or a correlation."""

    z: Floats
    unit: Floats | None  # of classes: the standard error of a difference of 0, in standard deviations
    freedom: int  # degrees that are left of the rows

    def shown(self, theta: Floats, features: Ints) -> Floats:
        """Means of z of some features as effects."""
        if self.unit is None:
            return np.asarray(np.tanh(theta / np.sqrt(max(1, self.freedom - 1))))
        root = np.sqrt(2.0 * max(1, self.freedom))
        return np.asarray(self.unit[features] * root * np.sinh(theta / root))


def effects(
    X: Floats,
    y: NDArray[Any],
    task: str,
    codes: Ints | None = None,
    within: Ints | None = None,
    beside: Floats | None = None,
) -> Effects:
    """Effects on all rows of each feature: a correlation with a number, or how far a class is from the others.

    ``codes`` say which class stands out, as `Directions` does, and without them the one with the largest z; of two
    classes it is the second against the first. Rows are compared ``within`` the parts that they belong to, ``beside``
    orthonormal columns of covariates.
    """
    record = TASKS[task]
    within = np.zeros(len(X), np.int64) if within is None else within
    labels, where = np.unique(y, return_inverse=True) if record.has_classes else (np.empty(0), np.empty(0, np.int64))
    along = where[:, None] == np.arange(len(labels))[1 if len(labels) == 2 else 0 :]
    if not record.has_classes:
        along = of_size_1(record.amounts(y))[:, None]
    X, T = (cleared(one, within, beside) for one in (X, along.astype(np.float64)))
    freedom = len(X) - int(within.max()) - 2 - (0 if beside is None else beside.shape[1])
    products, of_x, of_t = T.T @ X, np.einsum("ij,ij->j", X, X), np.einsum("ij,ij->j", T, T)[:, None]
    if not record.has_classes:
        lengths = np.sqrt(of_x * of_t)
        r = np.clip(products / np.where(lengths > 0, lengths, 1.0), -1 + 1e-12, 1 - 1e-12)
        return Effects(np.arctanh(r[0]) * np.sqrt(max(1, freedom - 1)), None, freedom)
    of_t = np.maximum(of_t, np.finfo(np.float64).tiny)
    difference = products / of_t
    spread = np.sqrt(np.maximum(of_x - difference * products, 0.0) / max(1, freedom))
    # Classes that a feature separates without any spread within them have the largest z that there is.
    d = difference / np.maximum(spread, np.abs(difference) / 1e6 + np.finfo(np.float64).tiny)
    # The variance of a difference d grows with it, unit^2 + d^2 / 2 freedom; that of this z is 1 for all of them.
    root, units = np.sqrt(2.0 * max(1, freedom)), 1 / np.sqrt(of_t)
    z = root * np.arcsinh(d / (units * root))
    best = np.abs(z).argmax(axis=0) if codes is None or len(z) == 1 else np.maximum(np.abs(codes) - 1, 0)
    return Effects(z[best, np.arange(X.shape[1])], units[best, 0], freedom)


@dataclass(frozen=True)
class ListedChance:
    """The chance of being listed by |z|: 1 / (1 + exp(-slope (|z| - centre)))."""

    slope: float
    centre: float

    def __call__(self, z: Floats) -> Floats:
        return expit(self.slope * (np.abs(z) - self.centre))

    @classmethod
    def fitted(cls, null: Iterable[tuple[Floats, Bools]], z: Floats, n_listed: int) -> ListedChance:
        """The slope from z and who is listed of each permuted target, the centre from the number that was listed."""
        total, hits = np.zeros((2, BINS))
        for null_z, listed in null:
            place = np.minimum(np.abs(null_z) * (BINS / LARGEST), BINS - 1).astype(np.int64)
            total += np.bincount(place, minlength=BINS)
            hits += np.bincount(place, listed, minlength=BINS)
        # The slope says how noisy the ranking is, which permuted targets show; where the line lies they do not, because
        # true effects move it. So the centre is set to list as many as were.
        slope = _logistic_slope(total, hits)
        low, high = 0.0, float(np.abs(z).max()) + 20.0
        for _ in range(HALVINGS):  # the number expected to be listed falls with the centre
            centre = (low + high) / 2
            low, high = (centre, high) if cls(slope, centre)(z).sum() > n_listed else (low, centre)
        return cls(slope, centre)


def _logistic_slope(total: Floats, hits: Floats) -> float:
    """Return the slope of a logistic regression on binned values, by Newton's steps."""
    if not 0 < hits.sum() < total.sum():
        return 4.0  # nothing to fit; as steep as seen on arrays
    x = (np.arange(BINS) + 0.5) * (LARGEST / BINS)
    design = np.stack([np.ones_like(x), x])
    median = x[np.searchsorted(np.cumsum(hits), hits.sum() / 2)]
    beta = np.array([-4.0 * median, 4.0])
    for _ in range(50):
        chance = expit(beta @ design)
        # A little ridge and short steps: where |z| separates the listed from the others without error the slope has no
        # end.
        hessian = (design * (total * chance * (1 - chance))) @ design.T + 1e-6 * np.eye(2)
        step = np.linalg.solve(hessian, design @ (hits - total * chance))
        beta = beta + np.clip(step, -20, 20) * min(1.0, 5 / max(1e-12, np.abs(step).max()))
        if np.abs(step).max() < 1e-8:
            break
    return float(np.clip(beta[1], 0.5, 50.0))


def corrected(z: Floats, chance: Callable[[Floats], Floats], level: float) -> Floats:
    """Estimate and interval of theta of each listed z, (3, features)."""
    tail = (1 - level) / 2
    return np.array([_theta(z, chance, probability) for probability in (0.5, 1 - tail, tail)])


def widened(found: Floats, plain: Floats) -> Floats:
    """Return corrected effects at most halved, with intervals that contain the uncorrected ones.

    ``found`` and ``plain`` are estimates and ends of intervals, (3, features), on a scale where no effect is 0.
    """
    # The estimate falls towards 0 as z comes close to the cutoff, where it depends most on the curve.
    is_more_than_halved = np.abs(found[0]) < np.abs(plain[0]) / 2
    estimate = np.where(is_more_than_halved, plain[0] / 2, found[0])
    return np.stack([estimate, np.minimum(found[1], plain[1]), np.maximum(found[2], plain[2])])


def _theta(z: Floats, chance: Callable[[Floats], Floats], probability: float) -> Floats:
    """The theta for which P(Z <= z | listed) is the probability; that falls with theta."""
    low, high = z - REACH, z + REACH
    for _ in range(HALVINGS):
        theta = (low + high) / 2
        # Normal mass around theta and up to z, weighted by the chance of being listed.
        grid = theta[:, None] + np.linspace(-REACH, REACH, POINTS)
        weight = np.exp(-0.5 * (grid - theta[:, None]) ** 2) * chance(grid)
        # Points are cells of a histogram: the cell that z falls into counts by the part below z, or theta would jump.
        below = np.clip((z[:, None] - grid) / (grid[:, 1] - grid[:, 0])[:, None] + 0.5, 0.0, 1.0)
        share = (weight * below).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-300)
        larger = share > probability  # z would come out too small: theta must grow
        low, high = np.where(larger, theta, low), np.where(larger, high, theta)
    return np.asarray((low + high) / 2)
