"""Coverage and mean width of each method, cell by cell."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.coverage.generator import Design, Draws, draw
from benchmarks.coverage.methods import METHODS, Ends, Statistics, intervals
from steadyset.kernels.arrays import Bools

RUNS = (5, 10, 20, 30, 100)
OTHER_RUNS = (3, 4, 6, 8, 15, 50)
STABILITIES = (0.3, 0.5, 0.8, 0.95)
FEATURES = (20, 100, 10_000)
DEPENDENCES: tuple[str | float, ...] = ("independent", "swaps", 0.5, 0.8)


@dataclass(frozen=True)
class Cell:
    """One population and one M: for each method the coverage, how often it lies too high or too low, and its width."""

    population: str
    n_features: int
    stability: float
    n_runs: int
    alike: float
    coverage: dict[str, float]
    above: dict[str, float]
    width: dict[str, float]
    auto_at: dict[float, float]


def grid(n_draws: int, runs: Sequence[int] = RUNS, seed: int = 20_240_601) -> Iterator[Cell]:
    """The simulated cells: dependence x d x stability x M."""
    for place, (dependence, d, stability, M) in enumerate(itertools.product(DEPENDENCES, FEATURES, STABILITIES, runs)):
        draws = draw(Design(d, stability, dependence), M, n_draws, seed + place)
        yield cell(describe(dependence), stability, draws)


def limits(n_draws: int, seed: int = 5) -> Iterator[Cell]:
    """Rare events that most draws of few runs do not show at all."""
    for d, stability, M in itertools.product(FEATURES, (0.8, 0.95), RUNS):
        yield cell("switches", stability, draw(Design(d, stability, "switches"), M, n_draws, seed))


def pool_cells(
    name: str, pool: np.typing.NDArray[np.int8], n_draws: int, runs: Sequence[int] = RUNS, seed: int = 7
) -> Iterator[Cell]:
    """Real selections: a pool of runs is the population, M are drawn from it with replacement."""
    p = pool.mean(axis=0)
    truth = float(1 - np.mean(p * (1 - p)) / (p.mean() * (1 - p.mean())))
    for M in runs:
        rng = np.random.default_rng(seed + M)
        chosen = pool[rng.integers(0, len(pool), (n_draws, M))].astype(np.int64)
        overlaps = np.einsum("tmf,tf->tm", chosen, chosen.sum(axis=1))
        yield cell(name, truth, Draws(chosen.sum(axis=2), overlaps, pool.shape[1]))


def cell(population: str, truth: float, draws: Draws, level: float = 0.95) -> Cell:
    statistics = Statistics(draws)
    kept = statistics.defined()
    found = intervals(statistics, level)
    within, above, width = {}, {}, {}
    for name in METHODS:
        low, high = found[name][0][kept], found[name][1][kept]
        above[name] = float(np.mean(low > truth + 1e-12))
        within[name] = _coverage(found[name], kept, truth)
        width[name] = float(np.mean(high - low))
    alike = float(np.mean(np.ptp(statistics.without[kept], axis=1) <= 1e-9))
    auto_at = {other: _coverage(intervals(statistics, other)["auto"], kept, truth) for other in (0.9, 0.99)}
    return Cell(population, draws.n_features, truth, statistics.n_runs, alike, within, above, width, auto_at)


def _coverage(ends: Ends, kept: Bools, truth: float) -> float:
    return float(np.mean((ends[0][kept] <= truth + 1e-12) & (ends[1][kept] >= truth - 1e-12)))


def describe(dependence: str | float) -> str:
    return dependence if isinstance(dependence, str) else f"blocks, correlation {dependence:g}"
