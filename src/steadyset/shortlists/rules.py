"""Other rules on the halves of a shortlist: what each lists, the error it promises, and what held in our study.

All see the same halves; those with artificial features rank them once more. The integrated path reads the lasso's, as
its package does, the others the filter's, where the list rests on these. The figures under ``held`` are those of
docs/shortlist.md, written by benchmarks/shortlist.py; a test compares them.

**Artificial features** beside the real ones: as many of each kind pass a threshold by chance.
Each real feature gets an artificial one that has nothing to do with the target, and both are ranked together on the
same halves. A feature's frequency is its largest over the sizes of the base. FDP+(t) is (1 + artificial features above
t) / (real features above t), and the threshold with the smallest FDP+ is taken; nothing is listed where it is above 1.

Artificial features are real ones with their rows permuted, each on its own, which breaks the correlations; or Gaussian
knockoffs, which have the means and covariances of the real ones. For columns X with covariance S a knockoff is drawn
from a normal distribution with mean X - s X S^-1 and covariance 2 s I - s^2 S^-1, s = min(1, 2 x the least eigenvalue
of S). With more features than rows S is shrunk towards its diagonal, and s is small: knockoffs are close to the
features.

**Integrated paths**: the area under a feature's stability path against what chance allows.
For a grid of levels a_1 > ... > a_n let p_j(a) be the share of 2B complementary halves that choose feature j at level
a, and q(a) the mean number of features chosen. With h_m(p) = (2p - 1)^m above p = 1/2 and 0 below, m = 2 (quadratic) or
3 (cubic), and the measure mu(da) proportional to a^-delta da, a feature's score is S_j = integral of h_m(p_j(a))
mu(da). Where false features are chosen no more often than at random, the expected number of them with S_j >= t is at
most I / t, where I integrates

    m = 2: q^2 / (d B) + (B - 1) q^4 / (B d^3)
    m = 3: q^2 / (d B^2) + 3 (B - 1) q^4 / (B^2 d^3) + (B - 1)(B - 2) q^6 / (B^2 d^5).

The path ends where I would pass a cut-off: beyond it everything is chosen and nothing can be told. A feature's own
number of expected false ones is I / S_j, at most d.

References: Hédou et al. (2024), Discovery of sparse, reliable omic biomarkers with Stabl, Nature Biotechnology; Candès,
Fan, Janson and Lv (2018), Panning for gold: model-X knockoffs for high dimensional controlled variable selection, JRSS
B; Ledoit and Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices, Journal of
Multivariate Analysis; Melikechi and Miller (2025), Integrated path stability selection, JASA; Melikechi, Dunson and
Miller (2025), Nonparametric IPSS, Bioinformatics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Bools, Floats, Ints, Places
from steadyset.selectors.ensembles.rules import ROUNDING, THRESHOLDS, calibrate, error_control
from steadyset.shortlists.bases import BASES, Features, filter_shares, lasso_levels
from steadyset.shortlists.listed import RuleListing
from steadyset.shortlists.procedure import Judged

SIZES = (20, 10, 5, 2, 1)  # the first for which a bound can promise what is allowed
MOST = 100  # places that are calibrated
ARTIFICIAL_THRESHOLDS = np.arange(10, 100) / 100
CUT_OFF = 0.05
LEVELS = 100
LOWEST = 1e-8  # the last level of a grid, as a part of the first
SETTLED = 0.01  # a path that no longer changes ends, once this share is chosen on average
LASSO_LEVELS = 30
MEASURE = {"lasso": 1.0, "filter": 1.25}  # delta by base: the package's for its lasso and for its importances


@dataclass(frozen=True)
class Found:
    """Who is listed, and the error that the rule promises or estimates for it, in words."""

    listed: Bools
    nominal: str


@dataclass(frozen=True)
class ListRule:
    """A rule by name: how it lists, what held in docs/shortlist.md's study, where it comes from, and its usual base."""

    name: str
    find: Callable[[Halves], Found]
    held: str
    reference: str
    base: str = "filter"


@dataclass(frozen=True)
class Halves:
    """The M halves that a shortlist rests on; two in succession make a pair."""

    judged: Judged
    base: str

    @property
    def false(self) -> float:
        """How many false features are allowed; rules that know no rate allow one where a rate was asked for."""
        return self.judged.procedure.false or 1.0

    @property
    def n_pairs(self) -> int:
        return self.judged.procedure.n_splits

    @property
    def n_features(self) -> int:
        return int(self.judged.data.X.shape[1])

    @property
    def orders(self) -> Places:
        """M x L: the best features of each half, best first."""
        return self.judged.standing.orders[0][self.base]

    @cached_property
    def rows(self) -> Bools:
        """The first half of each pair, as it was drawn for the observed target."""
        y, random = self.judged.exchange.target(0, self.judged.seed)
        return self.judged.exchange.halves(y, self.n_pairs, random)

    @cached_property
    def importances(self) -> Floats:
        """M x d, none below 0: explained shares of the filter, or penalties at which the lasso takes features in."""
        judged = self.judged
        found = filter_shares if self.base == "filter" else lasso_levels
        return np.maximum(found(judged.data.X, *judged.exchange.ranked(judged.exchange.y), self.rows), 0.0)

    def ranked_again(self, X: Floats) -> Places:
        """The orders of other columns on the same halves."""
        columns = Features(X, np.arange(X.shape[1]), X.shape[1], np.empty((len(X), 0)))
        exchange = self.judged.exchange
        return BASES[self.base][0](columns, *exchange.ranked(exchange.y), self.rows).features


def counts_by_size(orders: Places, n_features: int, most: int) -> Ints:
    """L x d: in how many halves each feature is among the first 1, 2, ... of them."""
    counts = np.zeros((min(most, orders.shape[1]), n_features), np.int64)
    for place, row in enumerate(counts):
        found = orders[:, place]
        row[:] = np.bincount(found[found >= 0], minlength=n_features)
    return np.cumsum(counts, axis=0)


def bounded(halves: Halves, rule: str) -> Found:
    """The features whose frequency reaches what the bound needs for the number of false ones that is allowed."""
    n_halves = 2 * halves.n_pairs
    for size in SIZES:
        try:
            control = error_control(halves.n_features, q=size, pfer=halves.false, rule=rule, n_runs=n_halves)
        except InputError:  # no threshold keeps the promise with so many features per half
            continue
        counts = counts_by_size(halves.orders, halves.n_features, size)[-1]
        nominal = f"at most {halves.false:g} false: among {size} in {100 * control.threshold:.0f}% of the halves"
        return Found(counts >= control.threshold * n_halves - ROUNDING, nominal)
    return Found(np.zeros(halves.n_features, np.bool_), f"no threshold promises at most {halves.false:g} false")


def calibrated(halves: Halves) -> Found:
    """The size and the threshold of the highest stability score whose bound keeps what is allowed."""
    n_halves = 2 * halves.n_pairs
    counts = counts_by_size(halves.orders, halves.n_features, MOST)
    try:
        best = calibrate(counts, n_halves, THRESHOLDS, pfer=halves.false)
    except InputError:
        return Found(np.zeros(halves.n_features, np.bool_), f"no threshold promises at most {halves.false:g} false")
    nominal = f"at most {halves.false:g} false: among {best.place + 1} in {100 * best.threshold:.0f}% of the halves"
    return Found(counts[best.place] >= best.threshold * n_halves - ROUNDING, nominal)


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
    above = np.array([(real > t).sum() for t in ARTIFICIAL_THRESHOLDS])
    shares = (1 + np.array([(artificial > t).sum() for t in ARTIFICIAL_THRESHOLDS])) / np.maximum(1, above)
    best = int(np.argmin(shares))
    listed = real > ARTIFICIAL_THRESHOLDS[best] if shares[best] <= 1 else np.zeros(len(real), np.bool_)
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
    # The largest s for which 2 s I - s^2 S^-1 is still a covariance: the more of it, the less knockoffs resemble
    # features.
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


def integrated(halves: Halves, order: int) -> Found:
    """The features with at most as many expected false ones, or as small an estimated share, as is allowed."""
    delta = MEASURE[halves.base]
    if halves.base == "lasso":
        expected = _expected_of_lasso(halves.importances, order, delta)
    else:
        expected = expected_false(halves.importances, order, delta)
    if (rate := halves.judged.procedure.fdr) is not None:
        return Found(q_values(expected) <= rate, f"at most {100 * rate:g}% false")
    return Found(expected <= halves.false, f"at most {halves.false:g} false")


def _expected_of_lasso(penalties: Floats, order: int, delta: float) -> Floats:
    """From the largest penalty at which each half takes a feature in, on a grid that ends where the paths do."""
    if not penalties.any():
        return np.full(penalties.shape[1], float(penalties.shape[1]))
    last = np.where(penalties > 0, penalties, np.inf).min(axis=1)
    levels = np.geomspace(1.01 * penalties.max(), np.median(last[np.isfinite(last)]), LASSO_LEVELS)
    frequencies = np.array([(penalties > level).mean(axis=0) for level in levels])
    return expected_false_on_path(frequencies, levels, len(penalties) // 2, order, delta)


def expected_false(importances: Floats, order: int = 3, delta: float = 1.25, cut_off: float = CUT_OFF) -> Floats:
    """Expected false features with a score as large, for each feature, from 2B x d importances on halves in pairs."""
    values = importances + abs(min(0.0, importances.min()))
    largest = values.max() + 0.01
    levels = np.logspace(np.log10(largest), np.log10(largest * LOWEST), LEVELS)
    frequencies = np.array([(values > level).mean(axis=0) for level in levels])
    return expected_false_on_path(frequencies, levels, len(values) // 2, order, delta, cut_off)


def expected_false_on_path(
    frequencies: Floats, levels: Floats, n_pairs: int, order: int, delta: float, cut_off: float = CUT_OFF
) -> Floats:
    """The same from the share of halves (levels x d) that choose each feature at each level."""
    end = _end_of_changes(frequencies)
    frequencies, levels = frequencies[:end], levels[:end]
    d = frequencies.shape[1]
    chosen = frequencies.sum(axis=1)
    weights = _weights(levels, delta)
    parts = weights * _bound(chosen, d, n_pairs, order)[:-1]
    # A sum that would pass the cut-off leaves out its last part, and the levels from there on.
    last = int(np.searchsorted(np.cumsum(parts), cut_off, side="right"))
    bound = float(parts[:last].sum())
    kept = levels[: last + 1] if last < len(parts) else levels
    heights = np.where(frequencies > 0.5, 2 * frequencies - 1, 0.0) ** order
    scores = _weights(kept, delta) @ heights[: len(kept) - 1] if len(kept) > 1 else np.zeros(d)
    # Rounded, so that features with the same path have the same number whatever the order of the sums.
    return np.round(bound / np.maximum(scores, bound / d), 8) if bound > 0 else np.full(d, float(d))


def q_values(expected: Floats) -> Floats:
    """The estimated share of false features among those with as few expected ones or fewer, made monotone."""
    ascending = np.sort(expected)
    share = ascending / np.searchsorted(ascending, ascending, side="right")
    least = np.minimum.accumulate(share[::-1])[::-1]
    return np.asarray(least[np.searchsorted(ascending, expected, side="left")])


def _bound(chosen: Floats, d: int, n_pairs: int, order: int) -> Floats:
    share, B = chosen / d, n_pairs
    if order == 2:
        return np.asarray(d * (share**2 / B + (B - 1) * share**4 / B))
    return np.asarray(d * (share**2 + 3 * (B - 1) * share**4 + (B - 1) * (B - 2) * share**6) / B**2)


def _weights(levels: Floats, delta: float) -> Floats:
    """Of the value at the left of each step of a grid that is even on the log scale."""
    if len(levels) < 2:
        return np.zeros(0)
    low, high = float(levels.min()), float(levels.max())
    step = 1 - (low / high) ** (1 / len(levels))
    if delta == 1:
        return np.full(len(levels) - 1, step / np.log(high / low))
    return np.asarray((1 - delta) * step / (high ** (1 - delta) - low ** (1 - delta)) * levels[1:] ** (1 - delta))


def _end_of_changes(frequencies: Floats) -> int:
    """Where the paths stop changing for two levels, once enough is chosen."""
    for i in range(2, len(frequencies)):
        still = np.isclose(frequencies[i], frequencies[i - 2]).all()
        if still and frequencies[i].mean() > SETTLED and not np.isclose(frequencies[i], 0).all():
            return i
    return len(frequencies)


_IPSS = "Melikechi and Miller 2025"
_SS = "Shah and Samworth 2013"


def _permuted_targets(halves: Halves) -> Found:
    procedure = halves.judged.procedure
    if procedure.false is None:
        return Found(halves.judged.features.listed, f"at most {100 * (procedure.fdr or 0):g}% false")
    return Found(halves.judged.features.listed, f"at most {procedure.false:g} false")


LIST_RULES = (
    ListRule(
        "permuted targets",
        _permuted_targets,
        "0.9 to 1.2 false without any effect on three arrays, where 1 is allowed; 14.1 of 20 weak effects found",
        "this list",
    ),
    ListRule(
        "integrated path, quadratic",
        partial(integrated, order=2),
        "0.1 to 0.2 false without any effect on three arrays, where 1 is allowed; 5.7 of 20 weak effects found",
        _IPSS,
        "lasso",
    ),
    ListRule(
        "integrated path, cubic",
        partial(integrated, order=3),
        "0.1 to 0.2 false without any effect on three arrays, where 1 is allowed; 5.9 of 20 weak effects found",
        _IPSS,
        "lasso",
    ),
    ListRule(
        "permuted features",
        partial(with_artificial, make=permuted),
        "6.0 to 13.7 false without any effect on three arrays, where 1 is allowed; 13.2 of 20 weak effects found",
        "Hédou et al. 2024",
    ),
    ListRule(
        "knockoffs",
        partial(with_artificial, make=knockoffs),
        "10.8 to 25.6 false without any effect on three arrays, where 1 is allowed; 11.8 of 20 weak effects found",
        "Candès et al. 2018",
    ),
    ListRule(
        "Meinshausen-Bühlmann",
        partial(bounded, rule="meinshausen_buhlmann"),
        "0.1 false without any effect on three arrays, where 1 is allowed; 11.0 of 20 weak effects found",
        "Meinshausen and Bühlmann 2010",
    ),
    ListRule(
        "unimodal",
        partial(bounded, rule="shah_samworth_unimodal"),
        "0.1 to 0.2 false without any effect on three arrays, where 1 is allowed; 11.3 of 20 weak effects found",
        _SS,
    ),
    ListRule(
        "r-concave",
        partial(bounded, rule="shah_samworth_r_concave"),
        "2.4 to 4.2 false without any effect on three arrays, where 1 is allowed; 14.5 of 20 weak effects found",
        _SS,
    ),
    ListRule(
        "calibrated",
        calibrated,
        "0.0 to 0.1 false without any effect on three arrays, where 1 is allowed; 10.3 of 20 weak effects found",
        "Bodinier et al. 2023",
    ),
)


def compare_rules(judged: Judged, names: Sequence[str]) -> tuple[RuleListing, ...]:
    """What every rule lists on the halves at hand, where its usual base ranked them: of others nothing is known."""
    halves = {base: Halves(judged, base) for base in judged.procedure.bases}
    best_first = np.full(len(names), len(names))
    best_first[judged.features.order] = np.arange(len(judged.features.order))
    found = []
    for rule in (one for one in LIST_RULES if one.base in halves):
        result = rule.find(halves[rule.base])
        listed = sorted(np.flatnonzero(result.listed).tolist(), key=lambda f: (best_first[f], f))
        found.append(RuleListing(rule.name, tuple(names[f] for f in listed), result.nominal, rule.held, rule.reference))
    return tuple(found)
