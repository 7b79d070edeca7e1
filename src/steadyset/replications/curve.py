r"""From the agreement of small pairs of studies to that of larger ones, with intervals.

For k of d features the agreement of two studies is K = (share in common - k/d) / (1 - k/d), 1 for equal selections and
0 on average for random ones. Of studies of m rows it is measured for m up to n/2; at n/2 it is unbiased, without a
model.

**Noise.** Another data set of n rows would have given other values: sd(K_r) = phi sqrt(K (1 - K)) (2r)^0.77 at the
share r of the rows, correlated between shares as exp(-0.3 |ln r/s|). phi comes from two halves of the rows, which are
independent data sets: half the squared difference of their agreements estimates the variance, less its Monte Carlo
part; it is drawn towards 0.25, its usual value, as if two more data sets had shown that.

**Curve.** K(m) = top expit(a + b (x + 1) + c (x + 1)^2 / 2) with x = log2(m / n): a logistic curve with a bend and a
plateau. Curves are drawn from a wide prior that hardly lets them fall, and weighted by the likelihood of what was
measured; at n, 2n and 4n the weighted draws are an interval. Constants are those of a study of 31 cases; docs/
replication.md has its coverage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2

import numpy as np

from steadyset.kernels.arrays import Floats

USUAL_NOISE, ITS_WEIGHT = 0.25, 2
NOISE_WEIGHT = 5
GROWTH = 1.54  # of the variance with the share of the rows
DECAY = 0.3  # of the correlation between shares
FEWEST_DRAWS = 300  # that count, below which more are drawn
CHANCE = 0.02  # an agreement below it is told as chance
ENOUGH = 0.8  # the agreement that "at least so many rows" are for
LARGEST = 16  # times the rows, beyond which nothing is asked


def variance_scale(agreement: Floats | float) -> Floats:
    """K (1 - K), kept away from 0, where nothing varies and nothing is known."""
    return np.asarray(np.maximum(agreement, 0.03) * (1 - np.minimum(agreement, 0.97)))


def noise_of(
    differences: Mapping[float, Floats], means: Mapping[float, float], monte_carlo: Mapping[float, float]
) -> float:
    """phi, from the differences between halves at each share of them, their mean agreement and Monte Carlo variance."""
    weighted = total = 0.0
    for share, gaps in differences.items():
        # Two independent values differ by twice the variance of one; what finitely many draws add is not noise of the
        # data.
        variance = max(0.0, float(np.mean(gaps**2)) / 2 - monte_carlo[share])
        mean = min(max(means[share], 0.01), 0.99)
        weighted += share * variance / (mean * (1 - mean) * (2 * share) ** GROWTH)
        total += share
    own = weighted / total if total else USUAL_NOISE**2
    return float(np.sqrt((ITS_WEIGHT * USUAL_NOISE**2 + NOISE_WEIGHT * own) / (ITS_WEIGHT + NOISE_WEIGHT)))


def interval_at(share: float, agreement: float, noise: float, quantile: float) -> tuple[float, float]:
    """All agreements of studies of a share of the rows, up to 1/2, that the measured one does not contradict."""
    # The spread depends on the true agreement, so the interval is all truths that would not be surprised, found on a
    # grid.
    grid = np.linspace(0, 1, 2001)
    spread = noise * np.sqrt(variance_scale(grid) * (2 * share) ** GROWTH)
    holding = grid[np.abs(agreement - grid) <= quantile * spread]
    if not len(holding):  # beyond the ends, by chance
        return interval_at(share, float(np.clip(agreement, 0, 1)), noise, quantile)
    return float(holding[0]), float(holding[-1])


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves of the agreement over the number of rows, with their weights."""

    a: Floats
    b: Floats
    c: Floats
    top: Floats
    weights: Floats

    def at(self, multiple: float) -> Floats:
        """The agreement of two studies of `multiple` times the rows."""
        x = log2(multiple) + 1
        return np.asarray(self.top / (1 + np.exp(-(self.a + self.b * x + self.c / 2 * x**2))))

    @property
    def effective(self) -> float:
        """How many draws would say as much with equal weights."""
        return float(1 / (self.weights**2).sum())

    def mean(self, values: Floats) -> float:
        """The weighted mean."""
        return float(self.weights @ values)

    def quantiles(self, values: Floats, probabilities: tuple[float, ...]) -> tuple[float, ...]:
        """Weighted quantiles."""
        order = np.argsort(values)
        found = np.interp(probabilities, np.cumsum(self.weights[order]), values[order])
        return tuple(map(float, found))

    def enough_rows(self, probability: float) -> float:
        """The quantile of the first multiple of the rows with an agreement of ENOUGH; infinite where it is beyond."""
        multiples = 2.0 ** np.arange(-3, log2(LARGEST) + 1e-9, 1 / 8)
        reached = np.array([self.at(one) >= ENOUGH for one in multiples])
        first = np.where(reached.any(axis=0), multiples[reached.argmax(axis=0)], np.inf)
        order = np.argsort(first)
        place = int(np.searchsorted(np.cumsum(self.weights[order]), probability))
        return float(first[order][min(place, len(first) - 1)])


def fitted_curves(shares: Floats, agreements: Floats, monte_carlo: Floats, noise: float, seed: int) -> Curves:
    """Weighted curves through what was measured; where hardly any draw counts, four times as many are made."""
    draws = 100_000
    while True:
        curves = _weighted(shares, agreements, monte_carlo, noise, draws, seed)
        if curves.effective >= FEWEST_DRAWS or draws > 1_000_000:
            return curves
        draws *= 4


def _weighted(shares: Floats, agreements: Floats, monte_carlo: Floats, noise: float, draws: int, seed: int) -> Curves:
    random = np.random.default_rng(seed)
    wanted = 3 * draws
    a, b, c = random.uniform(-6, 5, wanted), np.abs(random.normal(0, 1.4, wanted)), random.normal(0, 0.45, wanted)
    # Most selectors agree fully with enough rows; three in ten curves may end below, at any height.
    top = np.where(random.random(wanted) < 0.3, random.random(wanted), 1.0)
    # Hardly any curve falls between n/8 and 4n, and none rises faster than data ever did.
    possible = (b - 2 * c >= -0.2) & (b + 3 * c >= -0.1) & (b < 3.5)
    a, b, c, top = (values[possible][:draws] for values in (a, b, c, top))
    curves = Curves(a, b, c, top, np.empty(0))
    means = np.array([curves.at(share) for share in shares])
    variances = noise**2 * variance_scale(means) * ((2 * shares) ** GROWTH)[:, None] + monte_carlo[:, None]
    correlation = np.exp(-DECAY * np.abs(np.log(shares[:, None] / shares))) + 1e-3 * np.eye(len(shares))
    # Agreements at neighbouring shares come from the same rows: with C = L L' the inverse correlation, L' makes their
    # errors independent. A little on the diagonal keeps C invertible where shares are close.
    residuals = np.linalg.cholesky(np.linalg.inv(correlation)).T @ ((agreements[:, None] - means) / np.sqrt(variances))
    likelihood = -0.5 * (residuals**2).sum(axis=0) - 0.5 * np.log(variances).sum(axis=0)
    # Less the largest: the likelihoods themselves would all be zero.
    weights = np.exp(likelihood - likelihood.max())
    return Curves(a, b, c, top, weights / weights.sum())
