"""Artificial features beside the real ones: as many of each kind pass a threshold by chance.

Each real feature gets an artificial one that has nothing to do with the target, and both are ranked together on the
same halves. A feature's frequency is its largest over the sizes of the base. FDP+(t) is (1 + artificial features above
t) / (real features above t), and the threshold with the smallest FDP+ is taken; nothing is listed where it is above 1.

Artificial features are real ones with their rows permuted, each on its own, which breaks the correlations; or Gaussian
knockoffs, which have the means and covariances of the real ones. For columns X with covariance S a knockoff is drawn
from a normal distribution with mean X - s X S^-1 and covariance 2 s I - s^2 S^-1, s = min(1, 2 x the least eigenvalue
of S). With more features than rows S is shrunk towards its diagonal, and s is small: knockoffs are close to the
features.

References: Hédou et al. (2024), Discovery of sparse, reliable omic biomarkers with Stabl, Nature Biotechnology; Candès,
Fan, Janson and Lv (2018), Panning for gold: model-X knockoffs for high dimensional controlled variable selection, JRSS
B; Ledoit and Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices, Journal of
Multivariate Analysis.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steadyset.kernels.arrays import Bools, Floats
from steadyset.shortlists.bases import BASES
from steadyset.shortlists.rules.halves import Found, Halves, counts_by_size

THRESHOLDS = np.arange(10, 100) / 100


def with_artificial(halves: Halves, make: Callable[[Floats, np.random.Generator], Floats]) -> Found:
    """The real features above the threshold of the smallest FDP+."""
    real = halves.judged.data.X
    d = real.shape[1]
    random = np.random.default_rng([halves.judged.seed, d])
    orders = halves.ranked_again(np.concatenate([real, make(real, random)], axis=1))
    sizes = [size for size in BASES[halves.base][1] if size <= max(1, d // 3)] or [max(1, d // 3)]
    counts = counts_by_size(orders, 2 * d, max(sizes))
    frequencies = counts[[min(size, len(counts)) - 1 for size in sizes]].max(axis=0) / len(orders)
    listed, smallest = smallest_fdp(frequencies[:d], frequencies[d:])
    return Found(listed, f"estimates that {100 * min(1.0, smallest):.0f}% are false (FDP+)")


def smallest_fdp(real: Floats, artificial: Floats) -> tuple[Bools, float]:
    """Who is above the threshold of the smallest (1 + artificial above) / (real above), and that value."""
    above = np.array([(real > t).sum() for t in THRESHOLDS])
    shares = (1 + np.array([(artificial > t).sum() for t in THRESHOLDS])) / np.maximum(1, above)
    best = int(np.argmin(shares))
    listed = real > THRESHOLDS[best] if shares[best] <= 1 else np.zeros(len(real), np.bool_)
    return listed, float(shares[best])


def permuted(X: Floats, random: np.random.Generator) -> Floats:
    """Each column with its rows in another order."""
    return random.permuted(X, axis=0)


def knockoffs(X: Floats, random: np.random.Generator) -> Floats:
    """A Gaussian knockoff of each column; columns are centred."""
    mean, directions, along, across = conditional(X)
    noise = random.normal(size=X.shape)
    return mean + across * noise + ((noise @ directions.T) * (along - across)) @ directions


def conditional(X: Floats) -> tuple[Floats, Floats, Floats, float]:
    """Of knockoffs given X: their mean, and the standard deviations along the rows' directions and across them.

    Everything is read off the singular values, so that no matrix of features by features is ever made.
    """
    n, d = X.shape
    shrinkage, level = shrunk(X)
    left, singular, directions = np.linalg.svd(X, full_matrices=False)
    eigenvalues = (1 - shrinkage) * singular**2 / n + shrinkage * level
    lowest = eigenvalues.min() if len(eigenvalues) == d else min(eigenvalues.min(), shrinkage * level)
    s = min(1.0, 2 * float(lowest))
    mean = X - s * (left * (singular / eigenvalues)) @ directions
    along = np.sqrt(np.maximum(0.0, 2 * s - s**2 / eigenvalues))
    across = float(np.sqrt(max(0.0, 2 * s - s**2 / (shrinkage * level)))) if len(eigenvalues) < d else 0.0
    return mean, directions, along, across


def shrunk(X: Floats) -> tuple[float, float]:
    """Ledoit and Wolf's weight of the mean variance against the covariances of centred columns, and that variance."""
    n, d = X.shape
    inner = X @ X.T / n
    level = float(np.trace(inner)) / d
    distance = (inner**2).sum() / d - level**2
    spread = ((np.einsum("ij,ij->i", X, X) ** 2).sum() / n - (inner**2).sum()) / (n * d)
    return (float(np.clip(spread / distance, 1e-6, 1.0)) if distance > 0 else 1.0), level
