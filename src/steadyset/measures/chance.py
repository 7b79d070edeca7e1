"""What a measure is worth under random selection of the given sizes, and scores corrected for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.evaluate import NullExpectation, Options, estimates
from steadyset.measures.record import Measure, get_family, get_measure
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.similarity import FeatureSimilarity

TERMS_A_CHUNK = 1 << 22
NO_ROOM = 1e-12  # the largest value and the expectation are equal, up to rounding


def expected_scores(measure: Measure, size_i: Ints, size_j: Ints, d: int) -> Floats:
    """E[score] of two independent uniform sets of these sizes: the exact sum over the hypergeometric law of r."""
    from steadyset.kernels.overlap.chance import intersection_laws

    kinds, place = np.unique(size_i * (d + 1) + size_j, return_inverse=True)
    pairs = np.stack(np.divmod(kinds, d + 1))
    spread = np.sqrt(pairs[0] / d * pairs[1])  # at least the standard deviation of r
    terms = np.cumsum(np.minimum(np.minimum(pairs[0], pairs[1]) + 1, 60 + 30 * spread))
    expected = np.empty(len(kinds))
    begin = 0
    while begin < len(expected):
        used = terms[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(terms, used + TERMS_A_CHUNK, side="right")))
        a, b = np.ascontiguousarray(pairs[:, begin:end])
        start, shared, probability = intersection_laws(a, b, d)
        n = np.diff(start)
        scores = measure.score(shared, np.repeat(a, n), np.repeat(b, n), d, **measure.params)
        expected[begin:end] = np.add.reduceat(scores * probability, start[:-1])
        begin = end
    return np.asarray(expected[place.ravel()])


def expected_mean(measure: Measure, ki: Ints, kj: Ints, n_pairs: Ints, d: int) -> float:
    """E[measure] of a pairwise measure: the exact mean over pairs of sets, so many of each pair of sizes."""
    scores = expected_scores(measure, ki, kj, d)
    if not measure.symmetric:
        scores = (scores + expected_scores(measure, kj, ki, d)) / 2
    return float(scores @ n_pairs / n_pairs.sum())


def size_pairs(sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """The distinct pairs of sizes k_i <= k_j of two different runs, and how many pairs of runs have them."""
    k, n = np.unique(sizes, return_counts=True)
    a, b = np.triu_indices(len(k))
    n_pairs = np.where(a == b, n[a] * (n[a] - 1) // 2, n[a] * n[b])
    occurs = n_pairs > 0
    return k[a[occurs]], k[b[occurs]], n_pairs[occurs]


def expected_of_frequencies(measure: Measure, sizes: Ints, d: int) -> float | None:
    """E[measure] of a frequency measure, exactly where it is linear or there are two runs; else None."""
    if measure.linear:
        return float(measure.score(expected_levels(sizes, d), sizes, d, **measure.params))
    return expected_of_two(measure, sizes, d) if len(sizes) == 2 else None


def expected_levels(sizes: Ints, d: int) -> Floats:
    """E[levels] of independent uniform sets: d times the law of a sum of M coins that fall k_i/d of the time."""
    law = np.ones(1)
    for share in np.sort(sizes) / d:  # so that the order of runs changes nothing, not even the last bit
        # One more run: a feature stays at its level, or goes up by one.
        law = np.append(law * (1 - share), 0.0) + np.append(0.0, law * share)
    return d * law


def at_least(sizes: Ints, d: int) -> Floats:
    """How many features at least h of independent random sets of these sizes hold, in the mean."""
    return np.asarray(np.cumsum(expected_levels(sizes, d)[::-1])[::-1])


def expected_of_two(measure: Measure, sizes: Ints, d: int) -> float:
    """E[measure] of two independent uniform sets, exactly, for a frequency measure."""
    from steadyset.kernels.overlap.chance import intersection_laws

    _, shared, probability = intersection_laws(np.array(sizes[:1]), np.array(sizes[1:]), d)  # writable: one signature
    alone = int(sizes.sum()) - 2 * shared
    levels = np.stack([d - shared - alone, alone, shared], axis=1)
    return float(np.asarray(measure.score(levels, sizes, d, **measure.params)) @ probability)


def simulated_expectation(measure: Measure, sizes: Ints, d: int, n_draws: int, seed: int) -> tuple[float, float]:
    """E[measure] of whole random collections with these sizes, by simulation: (estimate, its standard error)."""
    values = simulated_values(measure, sizes, d, n_draws, seed)
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(n_draws))


def simulated_values(measure: Measure, sizes: Ints, d: int, n_draws: int, seed: int) -> Floats:
    """A frequency measure of random collections with these sizes, one value per draw."""
    from steadyset.kernels.overlap.chance import random_levels

    sizes = np.sort(sizes)
    rows = max(1, TERMS_A_CHUNK // (len(sizes) + 1))
    return np.concatenate(
        [
            np.asarray(
                measure.score(
                    random_levels(sizes, d, first, min(rows, n_draws - first), seed), sizes, d, **measure.params
                )
            )
            for first in range(0, n_draws, rows)
        ]
    )


def scaled(value: Floats | float, expected: Floats | float, largest: float) -> Floats:
    """(value - E) / (largest - E): 0 for what chance gives, 1 for the largest value; undefined when they coincide."""
    room = np.asarray(largest - np.asarray(expected))
    has_room = room > NO_ROOM * max(1.0, abs(largest))
    return np.where(has_room, (value - expected) / np.where(has_room, room, 1.0), np.nan)


MOST_EXACT = 2_000  # features of a run: as many values are computed one by one
ROUNDING = 1e-12  # equal values may come out a rounding error apart


def null_expectation(
    selections: RunsLike,
    measure: str | Measure = "nogueira",
    *,
    similarity: FeatureSimilarity | None = None,
    n_draws: int = 10_000,
    random_state: int | None = None,
    **measure_params: Any,
) -> NullExpectation:
    """The mean of a measure when every run selects uniformly at random as many features as it did.

    Exact for every pairwise measure (the hypergeometric law of the intersections, averaged over the pairs of runs), for
    the frequency measures that are linear in the frequencies of selection (nogueira, somol, novovicova, goh, guzman,
    lausser, and sechidis), for two runs of any frequency measure, and for adjusted measures whose pairs can be
    enumerated; else the mean of `n_draws` random collections.

    For nogueira it is -var(k_i) / ((M-1) d² (k̄/d)(1 - k̄/d)), var the population variance of the sizes: 0 for equal
    sizes only.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    measure : str or Measure, default="nogueira"
        Name or alias of a measure; `list_measures` shows them.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    n_draws : int, default=10000
        How many random collections are drawn where nothing exact is known.
    random_state : int or None, default=None
        Seed of what is simulated. None is a fixed seed: the same call gives the same number.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    NullExpectation
        The value, its standard error and how it was found. The value is nan where the measure is undefined for some of
        the collections that chance can give.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0], [1, 2, 3, 4, 5, 6]], n_features=7)
    >>> result = st.null_expectation(sel, "nogueira")
    >>> round(result.value, 4), result.method
    (-0.5102, 'exact')
    """
    runs = as_selections(selections)
    record = get_measure(measure).with_params(measure_params)
    options = Options(n_draws=n_draws, random_state=random_state, similarity=similarity)
    value = estimates(runs, [record], options)[0].value  # refuses what the measure cannot be asked for
    known = get_family(record).expectation(runs, record, options, value)
    if known is not None:
        return known
    values = _drawn(runs, record, options)
    return NullExpectation(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))), "monte_carlo")


@dataclass(frozen=True, eq=False)
class NullDistribution:
    """The values that random selection of the same sizes gives, each with its probability, and how they were found.

    An undefined value is nan. "exact" holds every value that chance can give, "monte_carlo" one value per draw.
    """

    values: Floats
    probabilities: Floats
    method: Literal["exact", "monte_carlo"]

    def at_least(self, value: float) -> float:
        """The probability of this value or a larger one; of n draws never less than 1 / (n + 1)."""
        return self._p_value(self.values >= value - ROUNDING * max(1.0, abs(value)))

    def at_most(self, value: float) -> float:
        """The probability of this value or a smaller one; of n draws never less than 1 / (n + 1)."""
        return self._p_value(self.values <= value + ROUNDING * max(1.0, abs(value)))

    def _p_value(self, reached: Bools) -> float:
        if self.method == "exact":
            return float(min(1.0, self.probabilities[reached].sum()))
        return float((reached.sum() + 1) / (len(self.values) + 1))


def chance_distribution(runs: Selections, measure: Measure, options: Options) -> NullDistribution:
    """What a measure is worth when every run selects uniformly at random as many features as it did.

    Exact for two runs whose features have neither weights nor ranks: the hypergeometric law of what they share. Else
    the values of `options.n_draws` random collections.
    """
    plain = runs.weights is None and runs.rankings is None and options.similarity is None
    if plain and runs.n_runs == 2 and runs.sizes.min() < MOST_EXACT:
        return _of_two(runs, measure, options)
    values = _drawn(runs, measure, options)
    return NullDistribution(values, np.full(len(values), 1 / len(values)), "monte_carlo")


def _of_two(runs: Selections, measure: Measure, options: Options) -> NullDistribution:
    from steadyset.kernels.overlap.chance import intersection_laws

    sizes, d = runs.sizes, runs.n_features
    _, shared, probability = intersection_laws(np.array(sizes[:1]), np.array(sizes[1:]), d)
    values = []
    for r in shared:
        # Without weights and ranks only r matters, so any two sets that share r features stand for all of them.
        second = np.arange(sizes[0] - r, sizes[0] - r + sizes[1])
        pair = Selections.from_sets([np.arange(sizes[0]), second], features=runs.features)
        values.append(estimates(pair, [measure], options)[0].value)
    return NullDistribution(np.array(values), probability, "exact")


def _drawn(runs: Selections, measure: Measure, options: Options) -> Floats:
    known = get_family(measure).drawn_by_chance(runs, measure, options)
    if known is not None:
        return known
    seed = options.seed()
    draws = (random_selections(runs, draw, seed) for draw in range(options.n_draws))
    return np.array([estimates(drawn, [measure], options)[0].value for drawn in draws])


def random_selections(runs: Selections, draw: int, seed: int) -> Selections:
    """Selections of the same sizes in which every run has its features, weights and ranks dealt out anew."""
    if runs.weights is None and runs.rankings is None:
        from steadyset.kernels.overlap.chance import random_sets

        members = random_sets(runs.sizes, runs.n_features, draw, seed)
        return Selections.from_sets(np.split(members, runs.indptr[1:-1]), features=runs.features)
    # Weights and ranks belong to places: a permutation of the features takes them along.
    generator = np.random.default_rng([seed, draw])
    dealt = [generator.permutation(runs.n_features) for _ in range(runs.n_runs)]
    sets = [deal[runs.selected(i)] for i, deal in enumerate(dealt)]
    chosen = Selections.from_sets(sets, features=runs.features)
    if runs.weights is not None:
        weights = np.split(runs.weights, runs.indptr[1:-1])
        chosen = chosen.with_weights([w[np.argsort(s)].tolist() for w, s in zip(weights, sets, strict=True)])
    if runs.rankings is not None:
        chosen = chosen.with_rankings(
            [ranks[np.argsort(deal)] for ranks, deal in zip(runs.rankings, dealt, strict=True)]
        )
    return chosen
