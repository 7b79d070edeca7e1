"""Lower ends of intervals for many means at once, so that they also hold for a mean that was chosen because it is high.

The scores of m configurations on the same J resamples give J differences from a baseline each. The mean of those with
the best of many configurations is high because it was chosen. Bounds that hold for all m means at the same time hold
for the chosen one too, whatever the rule of choice.

The bound is mean_j - c se_j, with se_j corrected for overlapping training rows (Nadeau and Bengio). That correction is
not for the part of the differences that the scores of the baseline explain: they depend only on which rows are left out
(a test set with many rows of the larger class is easy to guess), and not on training rows. This part averages out over
the runs, and entirely if every row is left out equally often. Without this distinction, 71 of 72 right predictions are
not significantly better than 47 of 72, because the classes of 10 unstratified test sets differ.

The critical value c is the quantile of the largest of m t statistics whose runs have the correlations of the observed
differences and means of 0, simulated with normal weights of the observed runs (a multiplier bootstrap; Chernozhukov,
Chetverikov and Kato 2013). Configurations that are alike cost nothing, and a single one has Student's t.
"""

from __future__ import annotations

import numpy as np

from steadyset.foundation.arguments import LEVEL
from steadyset.kernels.arrays import Bools, Floats

N_DRAWS = 5_000
MAX_NUMBERS = 20_000_000  # draws times means times runs: beyond that there are fewer draws
MIN_DRAWS = 1_000
MAX_RUNS_DRAWN = 50  # a t statistic of more runs is nearly normal
SMALLEST = 1e-300
MIN_EQUAL = 4  # runs with the same difference, such as those of a predictor without errors
MIN_ADJUSTED = 5  # runs from which on a slope on the baseline costs less than it gains


def least_means(
    differences: Floats,
    test_ratio: float,
    *,
    baseline: Floats | None = None,
    is_balanced: bool = False,
    n_units: float = np.inf,
    level: float = LEVEL,
    random_state: int | None = 0,
) -> Floats:
    """Return the lower end of each row's interval for its mean, of intervals that together hold with `level`.

    `differences` has one row per configuration and one column per run; nan where a run has none. `baseline` has the
    scores of the runs that were subtracted, if these depend on the left-out rows only; `is_balanced` tells whether
    every row is left out equally often. `n_units` is the number of rows that decide the scores if these are few, such
    as those of a rare class: the spread of the runs has fewer degrees of freedom than these. The end is nan for rows
    with fewer than two values. A row whose values have no spread beyond that of the baseline does not show how sure it
    is: the end is its mean from `MIN_EQUAL` runs on, which noise hardly ever has, else nan. Rows with values in fewer
    than half as many runs as the most have no end either: they would lower the ends of all others.
    """
    known = np.isfinite(differences)
    n_known = known.sum(axis=1)
    is_compared = 2 * n_known >= n_known.max(initial=0)
    filled = np.where(known, differences, 0.0)
    means = filled.sum(axis=1) / np.maximum(n_known, 1)
    centered = np.where(known, differences - means[:, None], 0.0)
    freedom = np.maximum(n_known - 1, 1)
    if baseline is not None and test_ratio > 0:
        explained = _explained(centered, known, baseline)
        shares = 0.0 if is_balanced else 1 / (1 + test_ratio * n_known[:, None])
        centered = centered - (1 - np.sqrt(shares)) * explained
        freedom = freedom - explained.any(axis=1)
    squares = (centered**2).sum(axis=1)
    errors = np.sqrt((1 / np.maximum(n_known, 1) + test_ratio) * squares / freedom)
    largest = np.abs(filled).max(axis=1, initial=0.0)
    constant = errors <= 1e-12 * np.maximum(largest, 1e-300)
    bounds = np.full(len(differences), np.nan)
    sure = constant & is_compared & (np.minimum(n_known, n_units) >= MIN_EQUAL)
    bounds[sure] = means[sure]
    varying = np.flatnonzero((n_known > 1) & is_compared & ~constant)
    if len(varying):
        shapes = centered[varying] / np.sqrt(squares[varying])[:, None]
        least_freedom = int(max(1, min(freedom[varying].min(), n_units - 1)))
        critical = _critical_value(shapes, least_freedom, (1 + level) / 2, random_state)
        bounds[varying] = means[varying] - critical * errors[varying]
    return bounds


def _explained(centered: Floats, known: Bools, baseline: Floats) -> Floats:
    """Return the part of each row that is linear in the baseline; 0 if the baseline or the row has too few values."""
    counts = known.sum(axis=1, keepdims=True)
    scores = np.where(known & np.isfinite(baseline), baseline, 0.0)
    deviations = np.where(known, scores - scores.sum(axis=1, keepdims=True) / np.maximum(counts, 1), 0.0)
    squares = (deviations**2).sum(axis=1, keepdims=True)
    largest = np.abs(scores).max(axis=1, initial=0.0, keepdims=True)
    has_slope = (counts >= MIN_ADJUSTED) & (squares > 1e-20 * largest**2)
    products = (centered * deviations).sum(axis=1, keepdims=True)
    slopes = np.divide(products, squares, out=np.zeros_like(products), where=has_slope)
    return np.asarray(slopes * deviations)


def _critical_value(shapes: Floats, freedom: int, quantile: float, random_state: int | None) -> float:
    """Return the quantile of the largest t statistic of means of 0, of runs with the correlations of the differences.

    Each draw is a new set of runs: normal weights of the observed ones, of which every mean has its own spread.
    """
    random = np.random.default_rng(random_state)
    n_means, n_runs = shapes.shape
    n_drawn = min(freedom + 1, MAX_RUNS_DRAWN)
    n_draws = int(np.clip(MAX_NUMBERS // (n_means * n_drawn), MIN_DRAWS, N_DRAWS))
    largest = np.empty(n_draws)
    for draw in range(n_draws):
        runs = shapes @ random.standard_normal((n_runs, n_drawn))
        mean = runs.mean(axis=1)
        squares = np.einsum("ij,ij->i", runs, runs) - n_drawn * mean**2
        largest[draw] = (mean / np.sqrt(np.maximum(squares, SMALLEST))).max()
    return float(np.quantile(largest, quantile) * np.sqrt(n_drawn * (n_drawn - 1)))
