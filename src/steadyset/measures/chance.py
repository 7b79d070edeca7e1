"""What a measure is worth under random selection of the given sizes, and scores corrected for it."""

from __future__ import annotations

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.record import Measure

TERMS_A_CHUNK = 1 << 22
NO_ROOM = 1e-12  # the largest value and the expectation are equal, up to rounding


def expected_scores(measure: Measure, size_i: Ints, size_j: Ints, d: int) -> Floats:
    """E[score] of two independent uniform sets of these sizes: the exact sum over the hypergeometric law of r."""
    from steadyset.kernels.overlap.hypergeometric import intersection_laws

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
    by_pair: Floats = expected[place.ravel()]
    return by_pair


def expected_over_pairs(measure: Measure, sizes: Ints, d: int) -> float:
    """E[measure] of a pairwise measure for runs of these sizes: the exact mean over the pairs of runs."""
    ki, kj, n_pairs = size_pairs(sizes)
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
        law = np.append(law * (1 - share), 0.0) + np.append(0.0, law * share)
    return d * law


def expected_of_two(measure: Measure, sizes: Ints, d: int) -> float:
    """E[measure] of two independent uniform sets, exactly, for a frequency measure."""
    from steadyset.kernels.overlap.hypergeometric import intersection_laws

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
    from steadyset.kernels.overlap.random_sets import random_levels

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
