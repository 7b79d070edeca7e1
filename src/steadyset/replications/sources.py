r"""Why reruns differ: the disagreement of runs in parts that come from the data, the selector itself, and the method.

A run is a vector z of zeros and ones over the features. Runs are made for every combination of a resample of the data,
a seed of the selector, and a method. With random effects of each factor and of their interplay, the mean inner product
of two runs that agree in the factors T and differ in all others is

    Q_T = |mu|^2 + sum of sigma_S over the non-empty subsets S of T,

so that sigma_S is the alternating sum of Q_T over the subsets T of S: unbiased, whatever the distribution. The sum
of all sigma_S is the mean number of features that one of two unrelated runs selects and the other does not. A seed
means nothing to another data set or method, so everything with the seed in it is the selector's own randomness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np

from steadyset.kernels.arrays import Bools, Floats, Ints

DATA, SEED, METHOD = "data", "seed", "method"
OWN, INTERPLAY = "the selector's own randomness", "data and method together"
WORDS = {DATA: "the data", METHOD: "the method"}
FEWEST_RESAMPLES = 10
HALF = 0.5
LOG_MOST = float(np.log(100))  # times as many trees, beyond which nothing is told
SHUFFLES = 500


@dataclass(frozen=True)
class Source:
    """A part of the disagreement: in features, as a share of all of it, with a 95% interval of the share."""

    name: str
    features: float
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class DrivingRow:
    """A row whose presence changes the selection: by how many features, and how often chance does as much."""

    row: int
    label: str
    features: float
    p_value: float


@dataclass(frozen=True)
class Remedy:
    """So many times as many trees, or seeds, leave the selector's own randomness half of the disagreement.

    With an interval, nan beyond 100 times, and how many trees there are: 0 where it has no such number. All are nan
    where features that are `alike` compete for places: their scores have the same mean, and no number decides.
    """

    times: float
    low: float
    high: float
    trees: int
    alike: bool = False


@dataclass(frozen=True)
class Sources:
    """Why reruns differ, as plain data.

    Attributes
    ----------
    disagreement : the mean number of features that one of two unrelated runs selects and the other does not
    size : how many features a run selects on average
    parts : the sources of it, the largest first
    rows : rows that drive it, the strongest first; p-values are adjusted for looking at all rows
    methods, n_resamples, n_seeds, n_rows : of the design
    random : the methods that have a randomness of their own
    remedy : what would steady the one method, where most of the disagreement is its own randomness
    """

    disagreement: float
    size: float
    parts: tuple[Source, ...]
    rows: tuple[DrivingRow, ...]
    methods: tuple[str, ...]
    n_resamples: int
    n_seeds: int
    n_rows: int
    random: tuple[str, ...]
    remedy: Remedy | None = None


def components(products: Floats, levels: Mapping[str, Ints]) -> dict[frozenset[str], float]:
    """sigma_S of every non-empty set of factors: from inner products of runs and the level of each factor in each run.

    Factors with one level cannot vary and are left out.
    """
    factors = [name for name, level in levels.items() if len(np.unique(level)) > 1]
    same = {name: levels[name][:, None] == levels[name] for name in factors}
    apart = ~np.eye(len(products), dtype=np.bool_)
    means = {}
    for size in range(len(factors) + 1):
        for agreeing in map(frozenset, combinations(factors, size)):
            # Runs that agree in every factor are the same run: its product with itself.
            mask = apart.copy() if size < len(factors) else ~apart
            for name in factors:
                mask &= same[name] if name in agreeing else ~same[name]
            means[agreeing] = float(products[mask].mean()) if mask.any() else nan
    return {
        # Moebius inversion: the mean product of runs that share exactly the factors S is the sum of sigma_T over all T
        # within S (and the mean selection), so each sigma is an alternating sum of these means.
        chosen: sum((-1) ** (len(chosen) - len(part)) * means[part] for part in means if part <= chosen)
        for chosen in means
        if chosen
    }


def parts_of(products: Floats, levels: Mapping[str, Ints], quantile: float) -> tuple[float, tuple[Source, ...]]:
    """The disagreement and its sources, with jackknife intervals over the resamples of the data."""

    def shares(kept: Bools) -> tuple[float, dict[str, float]]:
        found = components(products[np.ix_(kept, kept)], {name: level[kept] for name, level in levels.items()})
        grouped: dict[str, float] = {}
        for factors, value in found.items():
            name = OWN if SEED in factors else INTERPLAY if len(factors) > 1 else WORDS[next(iter(factors))]
            grouped[name] = grouped.get(name, 0.0) + value
        return sum(found.values()), grouped

    total, grouped = shares(np.ones(len(products), np.bool_))
    if total <= 1e-12:  # all runs select the same
        return 0.0, ()
    each = [shares(levels[DATA] != resample) for resample in np.unique(levels[DATA])]
    sources = []
    for name, value in grouped.items():
        left = np.array([one[name] / whole if whole > 1e-12 else 0.0 for whole, one in each])
        error = float(np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()))
        share = value / total
        low, high = (float(np.clip(share + side * quantile * error, 0, 1)) for side in (-1, 1))
        sources.append(Source(name, value, share, low, high))
    return total, tuple(sorted(sources, key=lambda one: -one.features))


def remedy_for(frequencies: Floats, own: Source, trees: int) -> Remedy:
    r"""How many times as many trees leave the own randomness of a selector half of the disagreement.

    A feature is selected where t + sqrt(rho) z + sqrt(1 - rho) e is positive: z is the draw of the data, e the noise
    of the selector, both standard normal, and with m times as many trees the variance of e is 1/m. In a resample it
    has the probability p = Phi(sqrt(m) (t + sqrt(rho) z) / sqrt(1 - rho)); the selector's own part is then the sum of
    E p (1 - p) over the features, the data's that of Var p. t follows from how often a feature is selected, rho, one
    for all features, from the share that was seen. Near ties decide, so that the own part falls as 1 / sqrt(m), and
    the data's grows, which noise had hidden.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    t = ndtri(frequencies[(frequencies > 0) & (frequencies < 1)])[:, None]

    def share(rho: float, log_times: float = 0.0) -> float:
        p = ndtr(np.exp(log_times / 2) * (t + np.sqrt(rho) * nodes) / np.sqrt(1 - rho))
        mine, mean = float((p * (1 - p) @ weights).sum()), p @ weights
        return mine / float((mean * (1 - mean)).sum())

    def times(seen: float) -> float:
        least, most = 1e-6, 1 - 1e-6
        if seen <= HALF:
            return 1.0
        rho = brentq(lambda one: share(one) - seen, least, most) if seen < share(least) else least
        if share(rho, LOG_MOST) > HALF:
            return nan
        return float(np.exp(brentq(lambda one: share(rho, one) - HALF, 0.0, LOG_MOST)))

    return Remedy(times(own.share), times(own.low), times(own.high), trees)


def driving_rows(means: Floats, inside: Bools, labels: Sequence[str], seed: int) -> tuple[DrivingRow, ...]:
    """Rows whose presence in a resample changes the mean selection, by a test for all rows at once.

    `means` has the mean selection of each resample, `inside` which rows it holds. The change is the squared distance
    between the mean selections with and without the row, less what resamples that differ anyway give; shuffled
    resamples say what chance gives.
    """
    varying = np.flatnonzero((inside.sum(axis=0) >= 2) & ((~inside).sum(axis=0) >= 2))
    if not len(varying):
        return ()
    products = means @ means.T

    def changes(order: Ints) -> Floats:
        mine = inside[order][:, varying].astype(np.float64)
        other = 1 - mine
        n, m = mine.sum(axis=0), other.sum(axis=0)
        own = np.diag(products)
        # Squared distances of means would count each resample against itself, which only noise fills: pairs of
        # different resamples alone make the estimate unbiased, so it may be negative.
        both = ((products @ mine) * mine).sum(axis=0) - own @ mine
        none = ((products @ other) * other).sum(axis=0) - own @ other
        mixed = ((products @ mine) * other).sum(axis=0)
        return np.asarray(both / (n * (n - 1)) + none / (m * (m - 1)) - 2 * mixed / (n * m))

    random = np.random.default_rng(seed)
    seen = changes(np.arange(len(means)))
    # The largest over all rows of each shuffle: p-values that hold for all rows at once (Westfall and Young).
    largest = np.array([changes(random.permutation(len(means))).max() for _ in range(SHUFFLES)])
    p_values = (1 + (largest[:, None] >= seen).sum(axis=0)) / (SHUFFLES + 1)
    order = np.argsort(-seen, kind="stable")
    return tuple(
        DrivingRow(int(varying[i]), labels[varying[i]], float(seen[i]), float(p_values[i]))
        for i in order
        if p_values[i] <= 0.05
    )
