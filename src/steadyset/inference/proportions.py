"""Intervals of a share of the runs: Wilson's score interval, and the posterior of Jeffreys' prior."""

from __future__ import annotations

from typing import Any

import numpy as np

from steadyset.kernels.arrays import Floats


def wilson(counts: Any, n: float, level: float) -> tuple[Floats, Floats]:
    """The shares that a score test of `counts` successes in n trials does not refuse (Wilson 1927)."""
    from scipy.special import ndtri

    share, z = np.asarray(counts, dtype=np.float64) / n, float(ndtri((1 + level) / 2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.where(share == 0, 0.0, centre - half), np.where(share == 1, 1.0, centre + half)


def jeffreys(counts: Any, n: float, level: float) -> tuple[Floats, Floats]:
    """The middle part of Beta(x + 1/2, n - x + 1/2); it reaches to 0 for x = 0 and to 1 for x = n.

    Reference: Brown, Cai and DasGupta (2001), Interval estimation for a binomial proportion, Statistical Science 16.
    """
    from scipy.special import betaincinv

    x, tail = np.asarray(counts, dtype=np.float64), (1 - level) / 2
    low, high = (betaincinv(x + 0.5, n - x + 0.5, q) for q in (tail, 1 - tail))
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)
