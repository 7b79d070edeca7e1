"""Bias-corrected and accelerated bootstrap of the runs.

A resample holds copies of the same run, and a run agrees with its copy entirely: the value of a resample is too high by
about (1 - value)/M, an error of the order that matters. So pairs of copies do not count: a mean over pairs weighs the
pair (i, j), i != j, by w_i w_j, and nogueira, a ratio of a mean over pairs and a function of the mean size, likewise.
For other measures runs are drawn without replacement, half of them at a time, and deviations are multiplied by
sqrt(m/(M-m)), which gives the bootstrap's variance without copies.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from steadyset.foundation.errors import InputError
from steadyset.inference.jackknife import Jackknife
from steadyset.kernels.arrays import Floats
from steadyset.measures.evaluate import estimates
from steadyset.measures.options import Options
from steadyset.measures.record import Measure, get_family
from steadyset.selections import Selections

RESAMPLES_A_BLOCK = 512


def bca_ends(
    selections: Selections, values: Jackknife, options: Options, level: float, n_resamples: int
) -> tuple[float, float]:
    """The quantiles of the resampled values at the levels that bias z0 and acceleration a call for.

    Formula: Phi(z0 + (z0 + z)/(1 - a (z0 + z))), a = sum u_i³ / (6 (sum u_i²)^1.5), u_i the jackknife deviations
    Reference: Efron 1987
    """
    resampled = resampled_values(selections, values, options, n_resamples)
    u = values.deviations
    acceleration = float(np.sum(u**3) / (6 * np.sum(u**2) ** 1.5))
    below = np.mean(resampled < values.value) + np.mean(resampled == values.value) / 2
    z0 = float(special.ndtri(np.clip(below, 1 / n_resamples, 1 - 1 / n_resamples)))
    z = z0 + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    ends = np.quantile(resampled, np.asarray(special.ndtr(z0 + z / (1 - acceleration * z))))
    return float(ends[0]), float(ends[1])


def resampled_values(selections: Selections, values: Jackknife, options: Options, n_resamples: int) -> Floats:
    """The measure on resampled runs, copies of a run never compared with each other."""
    rng = np.random.default_rng(options.given_seed)
    measure, M = values.measure, selections.n_runs
    family, nogueira = get_family(measure), measure.name == "nogueira"
    if not (nogueira or family.over_pairs):
        return _half_samples(selections, values, options, n_resamples, rng)
    table = _differences(selections) if nogueira else family.settled_scores(selections, measure, options)
    found = []
    for start in range(0, n_resamples, RESAMPLES_A_BLOCK):
        n = min(RESAMPLES_A_BLOCK, n_resamples - start)
        weights = rng.multinomial(M, np.full(M, 1 / M), size=n).astype(np.float64)
        n_pairs = M * M - np.sum(weights**2, axis=1)
        weights, n_pairs = weights[n_pairs > 0], n_pairs[n_pairs > 0]
        mean = np.sum(weights @ table * weights, axis=1) / n_pairs
        if nogueira:
            share = weights @ selections.sizes / (M * selections.n_features)
            ok = (share > 0) & (share < 1)
            mean = 1 - mean[ok] / (2 * selections.n_features) / (share[ok] * (1 - share[ok]))
        found.append(mean)
    return np.concatenate(found)


def _differences(selections: Selections) -> Floats:
    """How many features one of the two runs selects and the other does not."""
    k = selections.sizes
    return (k[:, None] + k[None, :] - 2 * selections.intersections()).astype(np.float64)


def _half_samples(
    selections: Selections, values: Jackknife, options: Options, n_resamples: int, rng: np.random.Generator
) -> Floats:
    measure: Measure = values.measure
    M = selections.n_runs
    m = M // 2
    if m < 2:
        raise InputError(f"The bootstrap of {measure.name} needs at least 4 runs, found {M}.")
    quiet = replace(options, undefined="nan") if options.undefined == "raise" else options
    drawn = np.array(
        [
            estimates(selections.take(rng.choice(M, size=m, replace=False)), [measure], quiet)[0].value
            for _ in range(n_resamples)
        ]
    )
    drawn = drawn[np.isfinite(drawn)]
    if drawn.size == 0:
        raise InputError(f"{measure.name} is undefined on every half of the runs; choose another method.")
    return np.asarray(values.value + (drawn - drawn.mean()) * np.sqrt(m / (M - m)))
