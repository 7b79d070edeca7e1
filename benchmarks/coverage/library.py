"""Coverage of what has no fast form here, by calling the library: the bootstrap, and measures other than nogueira."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

import steadyset as st
from steadyset.inference.interval import interval_of, jackknives
from steadyset.measures.evaluate import Options
from steadyset.measures.record import get_measure

MEASURES = ("jaccard", "dice", "ochiai", "hamming", "kappa", "phi", "unadjusted", "lustgarten", "pog")
Pool = npt.NDArray[np.int8]


def bootstrap_coverage(pool: Pool, n_runs: int, n_draws: int, seed: int = 3) -> tuple[float, float]:
    """Coverage and mean width of the bootstrap for nogueira."""
    p = pool.mean(axis=0)
    truth = 1 - np.mean(p * (1 - p)) / (p.mean() * (1 - p.mean()))
    found = [
        st.confidence_interval(sel, method="bootstrap", n_resamples=1000, random_state=seed)
        for sel in _samples(pool, n_runs, n_draws, seed)
    ]
    return float(np.mean([truth in one for one in found])), float(np.mean([one.width for one in found]))


def measure_coverage(pool: Pool, n_runs: int, n_draws: int, seed: int = 4) -> Iterator[tuple[str, float, float, float]]:
    """Coverage and mean width of "auto" for means over pairs, whose population value is the mean over all pairs."""
    records, options = [get_measure(name) for name in MEASURES], Options()
    truths = dict(zip(MEASURES, _population_values(pool), strict=True))
    found: dict[str, list[st.Interval]] = {name: [] for name in MEASURES}
    for sel in _samples(pool, n_runs, n_draws, seed):
        for one in jackknives(sel, records, options):
            found[one.measure.name].append(interval_of(one, options, 0.95))
    for name in MEASURES:
        within = np.mean([one.low - 1e-12 <= truths[name] <= one.high + 1e-12 for one in found[name]])
        yield name, truths[name], float(within), float(np.mean([one.width for one in found[name]]))


def _population_values(pool: Pool) -> list[float]:
    rows = pool.astype(np.int64)
    shared, k = (rows.astype(np.float32) @ rows.T.astype(np.float32)).astype(np.int64), rows.sum(axis=1)
    ki, kj = (x.ravel() for x in np.broadcast_arrays(k[:, None], k[None, :]))
    return [float(np.mean(get_measure(name).score(shared.ravel(), ki, kj, rows.shape[1]))) for name in MEASURES]


def _samples(pool: Pool, n_runs: int, n_draws: int, seed: int) -> Iterator[st.Selections]:
    rng = np.random.default_rng([seed, n_runs])
    for _ in range(n_draws):
        yield st.Selections.from_matrix(pool[rng.integers(0, len(pool), n_runs)])
