"""The statistics of the default measure as Nogueira published them, and their form for every other measure.

Large-sample statistics: the normal interval needs about 100 runs, see docs/coverage.md.
"""

from __future__ import annotations

import numpy as np

from steadyset.inference.jackknife import Jackknife
from steadyset.kernels.arrays import Floats
from steadyset.selections import Selections


def nogueira_influence(selections: Selections, value: float) -> Floats:
    """phi_(i) of each run.

    Formula: phi_(i) = [(1/d) sum_f z_if p_f - k_i k̄/d² + (Phi/2)(2 k_i k̄/d² - k_i/d - k̄/d + 1)] / [(k̄/d)(1 - k̄/d)]
    Reference: Nogueira 2018, theorem 6; Gwet 2008
    """
    d, M = selections.n_features, selections.n_runs
    runs = np.repeat(np.arange(M), selections.sizes)
    shared = np.bincount(runs, weights=selections.frequencies[selections.indices], minlength=M) / d
    k = selections.sizes / d
    mean = float(k.mean())
    return np.asarray((shared - k * mean + value / 2 * (2 * k * mean - k - mean + 1)) / (mean * (1 - mean)))


def published_variance(selections: Selections, values: Jackknife) -> float:
    """4/M² sum (phi_(i) - mean)².

    A mean over pairs has g_i, the mean score of run i against the others, in place of phi_(i). As leave-one-out values
    deviate by 2 (g_i - mean)/(M - 2), every measure has the form (M - 2)²/M² sum (deviation_i)².
    """
    M = selections.n_runs
    if values.measure.name == "nogueira" and not np.isnan(values.value):
        influence = nogueira_influence(selections, values.value)
        return float(4 / M**2 * np.sum((influence - influence.mean()) ** 2))
    if not values.defined:
        return float("nan")
    return float((M - 2) ** 2 / M**2 * np.sum(values.deviations**2))
