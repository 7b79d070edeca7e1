"""The intervals of the library for nogueira, for thousands of draws at once; a test holds both to the same numbers."""

from __future__ import annotations

import numpy as np
from scipy import special

from benchmarks.coverage.generator import Draws
from steadyset.inference.interval import FEWEST_RUNS, SKEW_SHIFT, SKEW_SHRINK
from steadyset.kernels.arrays import Bools, Floats, Ints

Ends = tuple[Floats, Floats]
METHODS = ("auto", "normal", "t", "jackknife", "logit")


class Statistics:
    """nogueira of each draw, without each run, and the published influence values."""

    def __init__(self, draws: Draws) -> None:
        d, k, overlap = draws.n_features, draws.sizes, draws.overlaps
        self.n_runs = k.shape[1]
        squares, total = overlap.sum(axis=1), k.sum(axis=1)
        self.value = _nogueira(squares, total, self.n_runs, d)
        self.without = _nogueira(squares[:, None] - 2 * overlap + k, total[:, None] - k, self.n_runs - 1, d)
        share, mean = k / d, k.mean(axis=1, keepdims=True) / d
        with np.errstate(invalid="ignore", divide="ignore"):
            self.influence = (
                overlap / (self.n_runs * d)
                - share * mean
                + self.value[:, None] / 2 * (2 * share * mean - share - mean + 1)
            ) / (mean * (1 - mean))

    def defined(self) -> Bools:
        return np.isfinite(self.value) & np.isfinite(self.without).all(axis=1)


def intervals(statistics: Statistics, level: float = 0.95) -> dict[str, Ends]:
    """The ends of each method's interval, one pair for each draw."""
    M, value = statistics.n_runs, statistics.value
    away = statistics.without - statistics.without.mean(axis=1, keepdims=True)
    second = np.mean(away**2, axis=1)
    alike = np.ptp(statistics.without, axis=1) <= 1e-9
    se = np.where(alike, 0.0, np.sqrt((M - 1) * second))
    z, t = special.ndtri((1 + level) / 2), special.stdtrit(M - 1, (1 + level) / 2)
    published = (
        2 / M * np.sqrt(np.sum((statistics.influence - statistics.influence.mean(axis=1, keepdims=True)) ** 2, 1))
    )
    safe = np.where(alike, 1.0, second)
    skewness = np.maximum(0.0, np.mean(away**3, axis=1) / safe**1.5) * np.sqrt(M * (M - 1)) / (M - 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        fisher, unit = np.arctanh(value), se / (1 - value**2)
        shrink = 1 - SKEW_SHRINK * skewness / max(M, FEWEST_RUNS) ** 2
        auto = (
            np.tanh(fisher - (t + SKEW_SHIFT * skewness / np.sqrt(M)) * unit),
            np.tanh(fisher + t * shrink * unit),
        )
        centre, slope = np.log((1 + value) / (1 - value)), se * (1 / (1 + value) + 1 / (1 - value))
        logit = (2 * special.expit(centre - t * slope) - 1, 2 * special.expit(centre + t * slope) - 1)
    p = 1 - (1 - level) ** (1 / M)
    bound = (np.minimum(value, (1 - p) * value), (1 - p) * value + p)
    floor = np.minimum(0.0, value)
    found = {
        "auto": auto,
        "jackknife": (value - t * se, value + t * se),
        "logit": logit,
    }
    ends = {
        name: (np.clip(np.where(alike, bound[0], low), floor, 1), np.clip(np.where(alike, bound[1], high), floor, 1))
        for name, (low, high) in found.items()
    }
    factor = np.sqrt(M / (M - 1))
    for name, margin in (("normal", z * published), ("t", t * factor * published)):
        ends[name] = (np.maximum(value - margin, -1.0), np.minimum(value + margin, 1.0))
    return ends


def _nogueira(squares: Ints, total: Ints, M: int, d: int) -> Floats:
    room = (M - 1) * total * (M * d - total)
    return np.where(room > 0, 1 - (M * total - squares) * (M * d) / np.where(room > 0, room, 1), np.nan)
