"""How much probability an r-concave distribution with a small mean can put on large values."""

from functools import lru_cache

import numpy as np
from scipy.optimize import minimize_scalar

from steadyset.kernels.arrays import Floats

GRID = 400  # slopes on either side of the uniform distribution from which the search for the extremal one starts


@lru_cache(maxsize=4096)
def largest_tail(mean: float, least: int, n: int, r: float) -> float:
    """max P(X >= least) over the r-concave distributions on {0, ..., n} whose mean is at most `mean`, for r < 0.

    A distribution is r-concave for r < 0 when f^r is convex on its support, an interval; r = 0 is log-concave, and
    unimodal is the limit r to minus infinity. The maximum is reached where f^r is linear, f(i) ~ (1 + slope i)^(1/r)
    for i = 0, ..., k, except that f(k + 1) may lie below that curve. The mean fixes k and f(k + 1) for each slope, so
    that the slope is the only unknown: positive for tails far beyond the mean, negative for those next to it.

    Reference: Shah and Samworth (2013), Variable selection with error control: another look at stability selection,
    section 3.3; this is their D(mean / n, least / n, n, r).
    """
    if least <= mean:
        return 1.0
    if least > n or mean <= 0:
        return 0.0
    falling = np.logspace(-6, 8, GRID)
    rising = -1.0 / (mean + np.logspace(-4, np.log10(1e6 * n), GRID))
    slopes = np.concatenate([rising, falling])
    tails = _tails(slopes, mean, least, n, r)
    best = int(np.argmax(tails))
    refined = minimize_scalar(
        lambda slope: -_tails(np.array([slope]), mean, least, n, r)[0],
        bounds=(slopes[max(best - 1, 0)], slopes[min(best + 1, len(slopes) - 1)]),
        method="bounded",
        options={"xatol": 1e-9 * abs(slopes[best])},
    )
    return float(max(tails[best], -refined.fun))


def _tails(slopes: Floats, mean: float, least: int, n: int, r: float) -> Floats:
    """P(X >= least) under f(i) ~ (1 + slope i)^(1/r), cut where the mean is reached, one for each slope."""
    i = np.arange(n + 1)
    base = 1.0 + slopes[:, None] * i
    f = np.where(base > 0, np.maximum(base, 1e-12), np.inf) ** (1.0 / r)
    mass, moment = np.cumsum(f, axis=1), np.cumsum(i * f, axis=1)
    k = ((moment <= mean * mass) & (base > 0)).sum(axis=1) - 1
    every = np.arange(len(slopes))
    mass_k, moment_k = mass[every, k], moment[every, k]
    # f(k + 1) lifts the mean of what is on 0..k to the mean wanted; where k = n the whole curve is in already.
    last = np.where(k < n, (mean * mass_k - moment_k) / np.maximum(k + 1 - mean, 1e-9), 0.0)
    below = np.minimum(mass[:, least - 1], mass_k) + np.where(k + 1 < least, last, 0.0)
    return np.asarray(1.0 - below / (mass_k + last))
