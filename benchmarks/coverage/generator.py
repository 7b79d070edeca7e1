"""Runs with a known stability: correlated Bernoulli selections whose population value of nogueira is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import kernel

RELEVANT = {20: 5, 100: 20, 10_000: 50}
BLOCK = {20: 5, 100: 10, 10_000: 10}
SUBSTITUTES = {20: 4, 100: 5, 10_000: 20}


@dataclass(frozen=True)
class Design:
    """A population of runs.

    `dependence` is

    - "independent": k relevant features are selected with probability a, the others with probability b;
    - a number: the same, in blocks of features whose selection has this latent (Gaussian) correlation;
    - "switches": in blocks of which four in five are selected or left as a whole, the others feature by feature;
    - "swaps": k groups of features, and each run takes one of each group, the first with probability a.

    The probabilities make the mean size k and the population stability `stability`:
    1 - mean p_f (1-p_f) / (p̄ (1-p̄)) = (a - b)² with p̄ = k/d.
    """

    n_features: int
    stability: float
    dependence: str | float = "independent"

    @property
    def relevant(self) -> int:
        return RELEVANT[self.n_features]

    def probabilities(self) -> tuple[float, float]:
        share = self.relevant / self.n_features
        b = share * (1 - np.sqrt(self.stability))
        return float(b + np.sqrt(self.stability)), float(b)

    def first_of_group(self) -> float:
        """The probability of a group's first feature that gives the stability ("swaps")."""
        d, k, s = self.n_features, self.relevant, SUBSTITUTES[self.n_features]

        def excess(a: float) -> float:
            rest = (1 - a) / (s - 1)
            return 1 - (a * (1 - a) + (s - 1) * rest * (1 - rest)) / (1 - k / d) - self.stability

        return float(optimize.brentq(excess, 1 / s, 1.0))


@dataclass(frozen=True)
class Draws:
    """What nogueira and its leave-one-out values need of R draws of M runs: sizes k_i and overlaps sum_f z_if h_f."""

    sizes: Ints
    overlaps: Ints
    n_features: int


def draw(design: Design, n_runs: int, n_draws: int, seed: int) -> Draws:
    """R draws of M runs each."""
    rng = np.random.default_rng(seed)
    d, k = design.n_features, design.relevant
    sizes = np.zeros((n_draws, n_runs), dtype=np.int64)
    overlaps = np.zeros((n_draws, n_runs), dtype=np.int64)
    if design.dependence == "swaps":
        _draw_swaps(rng, k, SUBSTITUTES[d], design.first_of_group(), sizes, overlaps)
        return Draws(sizes, overlaps, d)
    block = 1 if design.dependence == "independent" else BLOCK[d]
    laws = np.stack([block_law(p, block, design.dependence) for p in design.probabilities()])
    _draw_blocks(rng, d // block, k // block, block, laws, sizes, overlaps)
    return Draws(sizes, overlaps, d)


def block_law(p: float, size: int, dependence: str | float) -> Floats:
    """P(n of the features of a block are selected), n = 0..size, where each is selected with probability p."""
    n = np.arange(size + 1)
    if isinstance(dependence, str):
        alone = stats.binom.pmf(n, size, p)
        together = np.where(n == 0, 1 - p, np.where(n == size, p, 0.0))
        return np.asarray(0.8 * together + 0.2 * alone if dependence == "switches" else alone)
    correlation = float(dependence)
    u = np.linspace(-8, 8, 4001)
    weight = stats.norm.pdf(u) / stats.norm.pdf(u).sum()
    given = stats.norm.cdf((stats.norm.ppf(p) + np.sqrt(correlation) * u) / np.sqrt(1 - correlation))
    return np.asarray(stats.binom.pmf(n[:, None], size, given[None, :]) @ weight)


@kernel
def _draw_blocks(
    rng: np.random.Generator,
    n_blocks: int,
    relevant: int,
    block: int,
    laws: Floats,
    sizes: Ints,
    overlaps: Ints,
) -> None:
    """Empty blocks are jumped over, so the cost is that of what is selected."""
    n_draws, M = sizes.shape
    counts = np.zeros(n_blocks * block, dtype=np.int64)
    chosen = np.empty((M, n_blocks * block), dtype=np.int32)
    for t in range(n_draws):
        for i in range(M):
            n = 0
            for part in range(2):
                law = laws[part]
                jump = np.log(law[0])
                end = relevant if part == 0 else n_blocks
                at = -1 if part == 0 else relevant - 1
                while True:
                    at += 1 + int(np.log(1.0 - rng.random()) / jump)
                    if at >= end:
                        break
                    point = rng.random() * (1.0 - law[0])
                    left = 1
                    while left < block and point >= law[left]:
                        point -= law[left]
                        left += 1
                    for f in range(block):
                        if rng.random() * (block - f) < left:
                            chosen[i, n] = at * block + f
                            n += 1
                            left -= 1
            sizes[t, i] = n
            for e in range(n):
                counts[chosen[i, e]] += 1
        _add_overlaps(chosen, counts, sizes[t], overlaps[t])


@kernel
def _draw_swaps(rng: np.random.Generator, groups: int, members: int, first: float, sizes: Ints, overlaps: Ints) -> None:
    n_draws, M = sizes.shape
    counts = np.zeros(groups * members, dtype=np.int64)
    chosen = np.empty((M, groups), dtype=np.int32)
    for t in range(n_draws):
        for i in range(M):
            for g in range(groups):
                other = 0 if rng.random() < first else 1 + int(rng.random() * (members - 1))
                chosen[i, g] = g * members + other
                counts[chosen[i, g]] += 1
            sizes[t, i] = groups
        _add_overlaps(chosen, counts, sizes[t], overlaps[t])


@kernel
def _add_overlaps(chosen: npt.NDArray[np.int32], counts: Ints, sizes: Ints, overlaps: Ints) -> None:
    for i in range(len(sizes)):
        for e in range(sizes[i]):
            overlaps[i] += counts[chosen[i, e]]
    for i in range(len(sizes)):
        for e in range(sizes[i]):
            counts[chosen[i, e]] = 0
