"""Effects of listed features, corrected for their having been listed.

A feature is listed because its effect came out large, so that the effect seen is too large on average; rows left out do
not help, because over many halves they are all rows. What helps is to ask how large the effect would come out among
listed features. Let z be the standardised effect on all rows, about normal with mean theta and variance 1, and p(|z|)
the chance that a feature with that effect is listed. Among listed features z has the density phi(z - theta) p(|z|) /
c(theta); the estimate is the theta for which z is the median, and the interval holds those for which it is within the
central 95%.

p is a logistic curve: its slope from permuted targets, where everything listed is known to be false; its place so that
as many features as were listed are expected to be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.tasks import TASKS

REACH = 9.0  # standard errors around z in which theta is looked for
POINTS = 801
HALVINGS = 50


@dataclass(frozen=True)
class Effects:
    """Per feature: z, and what turns a z into an effect: standard deviations between classes, or a correlation."""

    z: Floats
    unit: Floats | None  # of classes: the standard error of a difference of 0, in standard deviations
    n_rows: int

    def shown(self, theta: Floats, features: Ints) -> Floats:
        """Means of z of some features as effects."""
        if self.unit is None:
            return np.asarray(np.tanh(theta / np.sqrt(max(1, self.n_rows - 3))))
        root = np.sqrt(2.0 * max(1, self.n_rows - 2))
        return np.asarray(self.unit[features] * root * np.sinh(theta / root))


def effects(X: Floats, y: NDArray[Any], task: str, codes: NDArray[np.int64]) -> Effects:
    """Effects on all rows of some features: a correlation with a number, or how far a class is from the others.

    ``codes`` say which class stands out, as `Directions` does; of two classes it is the second against the first.
    """
    n = len(X)
    if not TASKS[task].has_classes:
        t = TASKS[task].amounts(y)
        t = t / max(float(np.abs(t).max()), np.finfo(np.float64).tiny)
        t = t - t.mean()
        centred = X - X.mean(axis=0)
        lengths = np.sqrt(np.einsum("ij,ij->j", centred, centred) * (t @ t))
        r = np.clip((t @ centred) / np.where(lengths > 0, lengths, 1.0), -1 + 1e-12, 1 - 1e-12)
        return Effects(np.arctanh(r) * np.sqrt(max(1, n - 3)), None, n)
    labels, where = np.unique(y, return_inverse=True)
    stands_out = np.full(X.shape[1], 1) if len(labels) == 2 else np.maximum(np.abs(codes) - 1, 0)
    z, unit = np.empty(X.shape[1]), np.empty(X.shape[1])
    for c in np.unique(stands_out):
        columns = np.flatnonzero(stands_out == c)
        inside, outside = X[where == c][:, columns], X[where != c][:, columns]
        scatter = inside.var(axis=0) * len(inside) + outside.var(axis=0) * len(outside)
        spread = np.sqrt(scatter / max(1, n - 2))
        unit[columns] = np.sqrt(1 / len(inside) + 1 / len(outside))
        difference = inside.mean(axis=0) - outside.mean(axis=0)
        # Classes that a feature separates without any spread within them have the largest z that there is.
        d = difference / np.maximum(spread, np.abs(difference) / 1e6 + np.finfo(np.float64).tiny)
        # The variance of a difference d grows with it, unit^2 + d^2 / 2(n - 2); that of this z is 1 for all of them.
        root = np.sqrt(2.0 * max(1, n - 2))
        z[columns] = root * np.arcsinh(d / (unit[columns] * root))
    return Effects(z, unit, n)


@dataclass(frozen=True)
class ListedChance:
    """The chance of being listed by |z|: 1 / (1 + exp(-slope (|z| - centre)))."""

    slope: float
    centre: float

    def __call__(self, z: Floats) -> Floats:
        return expit(self.slope * (np.abs(z) - self.centre))

    @classmethod
    def fitted(cls, null_z: Floats, null_listed: Bools, z: Floats, n_listed: int) -> ListedChance:
        """The slope from permuted targets, the centre from the number that was listed."""
        size, hit = np.abs(null_z).ravel(), null_listed.ravel()
        slope = _logistic_slope(size, hit)
        low, high = 0.0, float(np.abs(z).max()) + 20.0
        for _ in range(HALVINGS):  # the number expected to be listed falls with the centre
            centre = (low + high) / 2
            low, high = (centre, high) if cls(slope, centre)(z).sum() > n_listed else (low, centre)
        return cls(slope, centre)


def _logistic_slope(size: Floats, hit: Bools) -> float:
    """The slope of a logistic regression on binned values, by Newton's steps."""
    if not hit.any() or hit.all():
        return 4.0  # nothing to fit; as steep as seen on arrays
    edges = np.linspace(0.0, size.max() + 1e-9, 400)
    bins = np.digitize(size, edges)
    total = np.bincount(bins, minlength=402).astype(np.float64)
    hits = np.bincount(bins, weights=hit.astype(np.float64), minlength=402)
    x = np.concatenate([[0.0], (edges[1:] + edges[:-1]) / 2, [edges[-1]], [edges[-1]]])[:402]
    design = np.stack([np.ones_like(x), x])
    beta = np.array([-4.0 * np.quantile(size[hit], 0.5), 4.0])
    for _ in range(50):
        chance = expit(beta @ design)
        hessian = (design * (total * chance * (1 - chance))) @ design.T + 1e-6 * np.eye(2)
        step = np.linalg.solve(hessian, design @ (hits - total * chance))
        beta = beta + np.clip(step, -20, 20) * min(1.0, 5 / max(1e-12, np.abs(step).max()))
        if np.abs(step).max() < 1e-8:
            break
    return float(np.clip(beta[1], 0.5, 50.0))


def corrected(z: Floats, chance: ListedChance, level: float) -> tuple[Floats, Floats, Floats]:
    """Estimate and interval of theta of each listed z."""
    tail = (1 - level) / 2
    found = [_theta(z, chance, probability) for probability in (0.5, 1 - tail, tail)]
    return found[0], found[1], found[2]


def _theta(z: Floats, chance: ListedChance, probability: float) -> Floats:
    """The theta for which P(Z <= z | listed) is the probability; that falls with theta."""
    low, high = z - REACH, z + REACH
    for _ in range(HALVINGS):
        theta = (low + high) / 2
        # Normal mass around theta and up to z, weighted by the chance of being listed.
        grid = theta[:, None] + np.linspace(-REACH, REACH, POINTS)
        weight = np.exp(-0.5 * (grid - theta[:, None]) ** 2) * chance(grid)
        below = np.clip((z[:, None] - grid) / (grid[:, 1] - grid[:, 0])[:, None] + 0.5, 0.0, 1.0)
        share = (weight * below).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-300)
        larger = share > probability  # z would come out too small: theta must grow
        low, high = np.where(larger, theta, low), np.where(larger, high, theta)
    return np.asarray((low + high) / 2)
