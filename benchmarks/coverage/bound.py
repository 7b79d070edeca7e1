"""Runs that are not independent draws: what the interval of nogueira covers for folds, halves and such schemes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import steadyset as st
from benchmarks.coverage.generator import Draws
from benchmarks.coverage.methods import Statistics, intervals
from steadyset.kernels.arrays import Floats
from steadyset.resampling import Resampling, Rows

ROWS, FEATURES, SELECTED = 100, 50, 8
SCHEMES: dict[str, Resampling] = {
    "bootstrap": st.Bootstrap(10),
    "subsamples of half": st.Subsample(10),
    "balanced bootstrap": st.Bootstrap(10, balanced=True),
    "5-fold": st.KFold(5),
    "10-fold": st.KFold(10),
    "5-fold, 4 times": st.KFold(5, repeats=4),
    "leave 10 out": st.LeaveOut(10),
    "complementary pairs": st.ComplementaryPairs(10),
    "fixed overlap of half": st.FixedOverlap(10),
    "5 chunks": st.Chunks(5),
}


def bound_cells(n_draws: int) -> Iterator[tuple[str, int, float, float, float]]:
    """On one data set, the 8 of 50 features that correlate most with a number.

    Yields the scheme, M, the mean stability over the seeds of the scheme, how often the interval holds it, and the
    standard error over the standard deviation of the stability.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, FEATURES))
    y = X[:, :12] @ np.linspace(0.8, 0.1, 12) + 1.5 * rng.standard_normal(ROWS)
    rows = Rows(ROWS)
    for name, scheme in SCHEMES.items():
        M = scheme.n_runs_for(rows)
        chosen = np.stack(
            [
                _selected(X, y, np.stack([scheme.draw(run, rows, seed).weights(ROWS) for run in range(M)]))
                for seed in range(n_draws)
            ]
        )
        counts = np.einsum("tmf,tf->tm", chosen, chosen.sum(axis=1))
        found = Statistics(Draws(chosen.sum(axis=2), counts, FEATURES))
        low, high = intervals(found)["auto"]
        truth = float(found.value.mean())
        variances = (M - 1) * np.var(found.without, axis=1)
        ratio = float(np.sqrt(variances.mean()) / found.value.std())
        yield name, M, truth, float(np.mean((low <= truth) & (truth <= high))), ratio


def _selected(X: Floats, y: Floats, weights: Floats) -> Floats:
    """1 for the features with the largest absolute correlation with y, by the weights of each run."""
    w = weights / weights.sum(axis=1, keepdims=True)
    means, level = w @ X, (w @ y)[:, None]
    covariance = w @ (X * y[:, None]) - means * level
    scores = np.abs(covariance) / np.sqrt(w @ X**2 - means**2)
    chosen = np.zeros(scores.shape, dtype=np.int64)
    np.put_along_axis(chosen, np.argsort(-scores, axis=1)[:, :SELECTED], 1, axis=1)
    return chosen
