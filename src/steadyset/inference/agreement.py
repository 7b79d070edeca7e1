"""How far models agree in what they predict: the mean over pairs of models, with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from steadyset.foundation.arguments import LEVEL
from steadyset.kernels.arrays import Floats

FEWEST = 3  # models from which a variance can be estimated


@dataclass(frozen=True)
class PairMean:
    """Mean agreement of pairs of models, with the interval for infinitely many models like these."""

    value: float
    low: float
    high: float
    se: float


def mean_of_pairs(table: Floats, level: float = LEVEL) -> PairMean:
    """Return the mean over the pairs of a models x models table, with an interval.

    The interval is that of stability measures, from the means without each model: the jackknife on Fisher's scale.
    """
    # Imported here: it loads scipy, for which tables of runs without models do not wait.
    from steadyset.inference.interval import Range, Spread, rounding

    n_models = len(table)
    if n_models < 2:
        return PairMean(nan, nan, nan, nan)
    sums = table.sum(axis=1) - table.diagonal()
    total = float(sums.sum())
    value = total / (n_models * (n_models - 1))
    if n_models < FEWEST:
        return PairMean(value, -1.0, 1.0, nan)
    without = (total - 2 * sums) / ((n_models - 1) * (n_models - 2))
    has_spread = bool(np.ptp(without) > rounding(without))
    deviations = without.mean() - without
    skewness = 0.0
    if has_spread:
        third = float(np.mean(deviations**3) / np.mean(deviations**2) ** 1.5)
        skewness = max(0.0, -third * sqrt(n_models * (n_models - 1)) / (n_models - 2))
    se = sqrt((n_models - 1) / n_models * float(np.sum(deviations**2)))
    bounds = Range(-1.0, 1.0, best=1.0, worst=0.0, floor=-1.0, reached=1.0)
    spread = Spread(value, se, skewness, n_models, bounds, alike=not has_spread)
    return PairMean(value, *spread.ends(level), se)
