"""Size and power of the tests of a difference: published, independent and paired, on the same simulated runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from benchmarks.coverage.generator import Design, Draws, draw
from benchmarks.coverage.methods import Statistics, intervals
from steadyset.kernels.arrays import Bools, Floats

ROUNDING = 1e-9


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
            sides = paired_draws(rng, Design(n_features, first), Design(n_features, second), common, M, n)
            rejected[start : start + n] = np.stack(decisions(*map(Statistics, sides)), axis=1)
        yield Power(first, second, common, M, *(float(x) for x in rejected.mean(axis=0)))


def paired_draws(
    rng: np.random.Generator, first: Design, second: Design, common: float, n_runs: int, n_draws: int
) -> tuple[Draws, Draws, Draws]:
    """Two procedures on the same resamples: their latent normals have the correlation `common`, run by run."""
    shape = (n_draws, n_runs, first.n_features)
    shared = rng.standard_normal(shape, dtype=np.float32)
    found = []
    for design in (first, second):
        a, b = design.probabilities()
        p = np.where(np.arange(design.n_features) < design.relevant, a, b)
        own = rng.standard_normal(shape, dtype=np.float32)
        found.append(np.sqrt(common) * shared + np.sqrt(1 - common) * own < special.ndtri(p).astype(np.float32))
    return _sides(*found)


def _sides(first: Bools, second: Bools) -> tuple[Draws, Draws, Draws]:
    """What draws x runs x features select: of both procedures, and of their runs together."""
    return _drawn(first), _drawn(second), _drawn(np.concatenate([first, second], axis=1))


def _drawn(chosen: Bools) -> Draws:
    counts = chosen.sum(axis=1).astype(np.float32)
    overlaps = np.rint(np.einsum("tmf,tf->tm", chosen.astype(np.float32), counts, optimize=True)).astype(np.int64)
    return Draws(chosen.sum(axis=2).astype(np.int64), overlaps, chosen.shape[2])


def decisions(a: Statistics, b: Statistics, both: Statistics | None = None, alpha: float = 0.05) -> list[Bools]:
    """Rejections by the published test, and by those of the library: independent, and paired.

    `both` are the runs of both sides together; None where they are not on the same resamples.
    """
    difference = b.value - a.value
    va, vb = (
        4 / x.n_runs**2 * np.sum((x.influence - x.influence.mean(axis=1, keepdims=True)) ** 2, axis=1) for x in (a, b)
    )
    published = np.abs(difference) >= special.ndtri(1 - alpha / 2) * np.sqrt(va + vb)
    ua, ub = (x.without.mean(axis=1, keepdims=True) - x.without for x in (a, b))
    ja, jb = ((x.n_runs - 1) / x.n_runs * np.sum(u**2, axis=1) for x, u in ((a, ua), (b, ub)))
    alike = (np.ptp(a.without, axis=1) <= ROUNDING) | (np.ptp(b.without, axis=1) <= ROUNDING)
    joint = joint_decisions(a, b, alpha)
    with np.errstate(invalid="ignore", divide="ignore"):
        df = (ja + jb) ** 2 / (ja**2 / (a.n_runs - 1) + jb**2 / (b.n_runs - 1))
        welch = np.abs(difference) >= special.stdtrit(df, 1 - alpha / 2) * np.sqrt(ja + jb)
    found = [published, np.where(alike, joint, welch)]
    if both is not None:
        M = a.n_runs
        own = (M - 1) / M * np.sum((ub - ua) ** 2, axis=1)
        contrasts = (2 * M - 1) * (both.without[:, :M] - both.without[:, M:])
        same = np.abs(ub - ua).max(axis=1) <= ROUNDING
        se = np.sqrt(np.maximum(own, contrasts.var(axis=1, ddof=1) / M))
        t = np.abs(difference) >= special.stdtrit(M - 1, 1 - alpha / 2) * se
        found.append(np.where(alike | same, joint, t))
    return found


def joint_decisions(a: Statistics, b: Statistics, alpha: float) -> Bools:
    """Whether the interval of the difference, made of the intervals of both sides, leaves out 0."""
    (low_a, high_a), (low_b, high_b) = (intervals(x, 1 - alpha)["auto"] for x in (a, b))
    difference = b.value - a.value
    below = difference - np.hypot(b.value - low_b, high_a - a.value) > 0
    above = difference + np.hypot(high_b - b.value, a.value - low_a) < 0
    return np.asarray(below | above)


UNEQUAL = ((20, 0.95, 5, 100), (20, 0.95, 10, 100), (20, 0.95, 20, 200), (100, 0.95, 5, 100), (20, 0.8, 5, 100))


def unequal_cells(n_draws: int, seed: int = 12) -> Iterator[tuple[int, float, int, int, float, float]]:
    """The size of the tests of independent runs, few against many: d, stability, both numbers of runs, both sizes."""
    for d, stability, few, many in (*UNEQUAL, (100, 0.8, 10, 100), (100, 0.5, 20, 100)):
        design = Design(d, stability)
        a, b = (Statistics(draw(design, M, n_draws, seed + M)) for M in (few, many))
        kept = a.defined() & b.defined()
        published, ours = (float(x[kept].mean()) for x in decisions(a, b)[:2])
        yield d, stability, few, many, published, ours


def ranked_cells(n_draws: int, seed: int = 13) -> Iterator[tuple[float, int, float]]:
    """The size of the paired test for the best 8 of 40 features by noisy scores: stability, runs, size."""
    for noise, M in itertools.product((0.2, 0.5, 1.0), (20, 50)):
        rng = np.random.default_rng([seed, round(10 * noise), M])
        rejected, values = [], []
        for _ in range(0, n_draws, 500):
            shared = rng.standard_normal((500, M, 40))
            own = (0.3 * rng.standard_normal(shared.shape) for _ in range(2))
            sides = _sides(*(_best(np.linspace(2, 0, 40) + noise * (shared + one), 8) for one in own))
            a, b, both = map(Statistics, sides)
            rejected.append(decisions(a, b, both)[2])
            values.append(a.value)
        yield float(np.mean(values)), M, float(np.mean(rejected))


TURNS_RUNS = (5, 7, 10, 20, 50)
TURNS = ((4, 8, 0.02), (4, 8, 0.5), (4, 20, 0.02), (4, 20, 0.1), (4, 20, 0.5))  # sizes, and the noise of the scores


def turns_cells(n_draws: int, seed: int = 14) -> Iterator[tuple[int, int, float, float, list[float]]]:
    """The size of the paired test where two procedures take turns at selecting few or many of 40 features.

    Yields both sizes, the noise, the stability, and the share of rejections for each number of runs.
    """
    for few, many, noise in TURNS:
        shares, values = [], []
        for M in TURNS_RUNS:
            rng = np.random.default_rng([seed, many, round(100 * noise), M])
            rejected = []
            for _ in range(0, n_draws, 500):
                shared = rng.standard_normal((500, M, 40))
                first = np.where(rng.random((500, M)) < 0.5, few, many)
                sides = _sides(
                    *(
                        _best(np.linspace(1, 0, 40) + noise * (shared + rng.standard_normal(shared.shape)) / 2**0.5, k)
                        for k in (first, few + many - first)
                    )
                )
                a, b, both = map(Statistics, sides)
                rejected.append(decisions(a, b, both)[2])
                values.append(a.value.mean())
            shares.append(float(np.mean(rejected)))
        yield few, many, noise, float(np.mean(values)), shares


def _best(scores: Floats, size: Any) -> Bools:
    """The `size` features with the largest scores: one size, or one for each run."""
    ranks = np.argsort(np.argsort(-scores, axis=2), axis=2)
    return np.asarray(ranks < np.asarray(size)[..., None])
