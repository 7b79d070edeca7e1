"""Size and power of the tests of a difference: published, independent and paired, on the same simulated runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from benchmarks.coverage.generator import Design, Draws
from benchmarks.coverage.methods import Statistics


@dataclass(frozen=True)
class Power:
    """How often each test rejects at the 5% level."""

    first: float
    second: float
    common: float
    n_runs: int
    published: float
    independent: float
    paired: float


def power_cells(n_draws: int, n_features: int = 100, seed: int = 11) -> Iterator[Power]:
    """Equal stabilities (the size) and different ones (the power); `common` is how much a resample moves both."""
    pairs = ((0.5, 0.5), (0.8, 0.8), (0.5, 0.55), (0.8, 0.83))
    for place, ((first, second), common, M) in enumerate(itertools.product(pairs, (0.0, 0.5, 0.9), (20, 50, 100))):
        rng = np.random.default_rng([seed, place])
        rejected = np.zeros((n_draws, 3), dtype=bool)
        step = max(1, 2_000_000 // (M * n_features))
        for start in range(0, n_draws, step):
            n = min(step, n_draws - start)
            a, b = paired_draws(rng, Design(n_features, first), Design(n_features, second), common, M, n)
            rejected[start : start + n] = np.stack(decisions(Statistics(a), Statistics(b)), axis=1)
        yield Power(first, second, common, M, *(float(x) for x in rejected.mean(axis=0)))


def paired_draws(
    rng: np.random.Generator, first: Design, second: Design, common: float, n_runs: int, n_draws: int
) -> tuple[Draws, Draws]:
    """Two procedures on the same resamples: their latent normals have the correlation `common`, run by run."""
    shape = (n_draws, n_runs, first.n_features)
    shared = rng.standard_normal(shape, dtype=np.float32)
    found = []
    for design in (first, second):
        a, b = design.probabilities()
        p = np.where(np.arange(design.n_features) < design.relevant, a, b)
        own = rng.standard_normal(shape, dtype=np.float32)
        chosen = np.sqrt(common) * shared + np.sqrt(1 - common) * own < special.ndtri(p).astype(np.float32)
        counts = chosen.sum(axis=1).astype(np.float32)
        overlaps = np.rint(np.einsum("tmf,tf->tm", chosen.astype(np.float32), counts, optimize=True)).astype(np.int64)
        found.append(Draws(chosen.sum(axis=2).astype(np.int64), overlaps, design.n_features))
    return found[0], found[1]


def decisions(a: Statistics, b: Statistics, alpha: float = 0.05) -> list[npt.NDArray[np.bool_]]:
    """Rejections by the published test, by Welch's t on jackknife variances, and by the paired t."""
    M, difference = a.n_runs, b.value - a.value
    va, vb = (4 / M**2 * np.sum((x.influence - x.influence.mean(axis=1, keepdims=True)) ** 2, axis=1) for x in (a, b))
    published = np.abs(difference) >= special.ndtri(1 - alpha / 2) * np.sqrt(va + vb)
    ua, ub = (x.without.mean(axis=1, keepdims=True) - x.without for x in (a, b))
    ja, jb = ((M - 1) / M * np.sum(u**2, axis=1) for u in (ua, ub))
    df = (ja + jb) ** 2 / ((ja**2 + jb**2) / (M - 1))
    independent = np.abs(difference) >= special.stdtrit(df, 1 - alpha / 2) * np.sqrt(ja + jb)
    jd = (M - 1) / M * np.sum((ub - ua) ** 2, axis=1)
    paired = np.abs(difference) >= special.stdtrit(M - 1, 1 - alpha / 2) * np.sqrt(jd)
    return [published, independent, paired]
