"""Properties of order: does more in common mean a steadier value, does the order of runs and features matter, and do
similar features count as alike.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.certificates.certificate import Verdict
from steadyset.certificates.evidence import (
    TIE,
    Case,
    Evidence,
    masks_of,
    nothing_found,
    selections_of,
    shrink,
    table_of,
)
from steadyset.certificates.spaces import Likeness, Space
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.patterns import bits, pairwise_shared
from steadyset.measures.record import Measure, get_family

MOST_REORDERED, N_REORDERED = 120, 30
N_ORDERS = 3
Profiles = npt.NDArray[Any]
Finder = Callable[[Profiles, Floats], "tuple[int, int] | None"]


def monotone(evidence: Evidence) -> Verdict:
    """Same sizes, no pair of runs shares less and some pair shares more: the value is steadier."""
    words = (
        "Pair by pair the sets of {0} share at least as much as those of {1}, and some pair shares more, "
        "but the values are {v[0]} and {v[1]}."
    )
    return _ordered(evidence, dominating, words)


def monotone_in_total(evidence: Evidence) -> Verdict:
    """Same sizes and a larger sum of the pairwise intersections (a smaller sum of v_f): the value is steadier."""
    words = (
        "Summed over the pairs the sets of {0} share more than those of {1} (the variances of selection sum to less), "
        "but the values are {v[0]} and {v[1]}."
    )
    return _ordered(evidence, _larger_total, words)


def symmetric(evidence: Evidence) -> Verdict:
    """Neither the order of the runs nor that of the features (with their similarities) changes the value."""
    generator = np.random.default_rng(0)
    n = 0
    for space in (*evidence.exhaustive, *evidence.random):
        rows = space.masks[space.first]
        if len(rows) > MOST_REORDERED:
            rows = rows[generator.choice(len(rows), N_REORDERED, replace=False)]
        n += len(rows)
        d = space.n_features
        for features in (np.roll(np.arange(d), 1), *(generator.permutation(d) for _ in range(N_ORDERS - 1))):
            verdict = _reordered(evidence, space, rows, generator.permutation(space.n_runs), features)
            if verdict is not None:
                return verdict
    return Verdict(True, None, f"no counter-example in {n:,} collections, each in {N_ORDERS} other orders")


def misordered(space: Space, steadiness: Floats, profiles: Profiles, find: Finder) -> tuple[int, int] | None:
    """The places of two collections of the same sizes whose values are in the wrong order, by what they share."""
    for places in space.same_sizes:
        members = places[~np.isnan(steadiness[places])]
        found = find(profiles[members], steadiness[members]) if len(members) > 1 else None
        if found is not None:
            return int(members[found[0]]), int(members[found[1]])
    return None


def dominating(shared: Profiles, steadiness: Floats) -> tuple[int, int] | None:
    """(a, b): a shares at least as much as b in each pair and more in some, and is no steadier; the worst such."""
    profiles, least, most = _extremes(shared, steadiness)
    at_least = np.asarray((profiles[:, None, :] >= profiles[None, :, :]).all(axis=2))
    np.fill_diagonal(at_least, False)
    excess = np.where(at_least, steadiness[most][None, :] - steadiness[least][:, None], -np.inf)
    return _worst(excess, least, most)


def _ordered(evidence: Evidence, find: Finder, words: str) -> Verdict:
    spaces = (*evidence.exhaustive, *evidence.random)
    for space in spaces:
        found = misordered(space, evidence.steadiness(space), space.shared, find)
        if found is None:
            continue
        if space.complete:
            return evidence.fails(words, *((space, at) for at in found))
        breaks = partial(_breaks_order, evidence, find)
        case = shrink(tuple(table_of(space, at) for at in found), breaks)
        masks, d = np.array([masks_of(table) for table in case]), case[0].shape[1]
        return evidence.fails_on(words, evidence.values.of_masks(masks, d).tolist(), *((row, d, None) for row in masks))
    return nothing_found(*spaces)


def _larger_total(shared: Profiles, steadiness: Floats) -> tuple[int, int] | None:
    totals, least, most = _extremes(shared.sum(axis=1, keepdims=True), steadiness)
    larger = totals > totals.T
    excess = np.where(larger, steadiness[most][None, :] - steadiness[least][:, None], -np.inf)
    return _worst(excess, least, most)


def _worst(excess: Floats, least: Ints, most: Ints) -> tuple[int, int] | None:
    a, b = np.unravel_index(int(np.argmax(excess)), excess.shape)
    return (int(least[a]), int(most[b])) if excess[a, b] > -TIE else None


def _extremes(profiles: Profiles, steadiness: Floats) -> tuple[Profiles, Ints, Ints]:
    """The distinct profiles, and for each where its least and its most steady collection is."""
    distinct, place = np.unique(profiles, axis=0, return_inverse=True)
    order = np.lexsort((steadiness, place.ravel()))
    starts = np.searchsorted(place.ravel()[order], np.arange(len(distinct) + 1))
    return distinct, order[starts[:-1]], order[starts[1:] - 1]


def _breaks_order(evidence: Evidence, find: Finder, case: Case) -> bool:
    if (case[0].sum(axis=1) != case[1].sum(axis=1)).any():
        return False
    masks = np.array([masks_of(table) for table in case])
    steadiness = evidence.sign * evidence.values.of_masks(masks, case[0].shape[1])
    return not np.isnan(steadiness).any() and find(pairwise_shared(masks), steadiness) == (0, 1)


def _reordered(evidence: Evidence, space: Space, rows: Ints, runs: Ints, features: Ints) -> Verdict | None:
    """A collection whose value changes when run i is called runs[i] and feature f is called features[f]."""
    d, like = space.n_features, space.like
    renamed = bits(rows[:, runs], d) @ (1 << features)
    other_like = None if like is None else like.reordered(features)
    values = evidence.values.of_masks(rows, d, like)
    other_values = evidence.values.of_masks(renamed, d, other_like)
    differ = np.flatnonzero(~np.isclose(values, other_values, rtol=0, atol=TIE, equal_nan=True))
    if len(differ) == 0:
        return None
    at = int(differ[np.argmax(np.abs(np.nan_to_num(values - other_values)[differ]))])
    return evidence.fails_on(
        "{0} and {1} differ by the order of runs and features only, but the values are {v[0]} and {v[1]}.",
        [float(values[at]), float(other_values[at])],
        (rows[at], d, like),
        (renamed[at], d, other_like),
    )


N_FEATURES = (3, 4, 5)
DIGITS = 9


def adjusted(evidence: Evidence) -> Verdict:
    """Two sets that differ by one feature are steadier when the two features are exactly alike than when not."""
    words = "{0} has the value {v[0]} when features 0 and 1 are exactly alike, and {v[1]} when they are not."
    n = 0
    for d in N_FEATURES:
        alike, unlike = Likeness(d, ((0, 1, 1.0),)), Likeness(d, ())
        common = np.arange(2 ** (d - 2), dtype=np.int64) << 2
        masks = np.stack([common | 1, common | 2], axis=1)
        if not evidence.with_likeness:
            value = float(evidence.values.of_masks(masks[:1], d)[0])
            return evidence.fails_on(words, [value, value], *[(masks[0], d, None)] * 2)
        values = [evidence.values.of_masks(masks, d, like) for like in (alike, unlike)]
        n += len(masks)
        lower = np.flatnonzero(~(evidence.sign * (values[0] - values[1]) > TIE))
        if len(lower):
            at = int(lower[0])
            rows = [(masks[at], d, like) for like in (alike, unlike)]
            return evidence.fails_on(words, [float(v[at]) for v in values], *rows)
    return Verdict(True, None, f"no counter-example in {n} pairs of sets that swap feature 0 for feature 1")


def adjusted_monotone(evidence: Evidence) -> Verdict:
    """Monotone in what each pair of sets shares when similar features count, as the measure counts them.

    For measures that take no similarity this is monotone.
    """
    if not evidence.with_likeness:
        return evidence.decide(monotone)
    words = (
        "Pair by pair, when similar features count, the sets of {{0}} share at least as much as those of {{1}} "
        "({} against {}), and some pair shares more, but the values are {{v[0]}} and {{v[1]}}."
    )
    for space in evidence.exhaustive:
        profiles = _profiles(evidence.measure, space)
        if profiles is None:
            return Verdict(None, None, "the measure does not tell what two sets share when similar features count")
        found = misordered(space, evidence.steadiness(space), profiles, dominating)
        if found is not None:
            told = words.format(*(" ".join(f"{x:g}" for x in profiles[at]) for at in found))
            return evidence.fails(told, *((space, at) for at in found))
    return nothing_found(*evidence.exhaustive)


def _profiles(measure: Measure, space: Space) -> Floats | None:
    """The adjusted intersections of the pairs of each collection, both ways where the measure is one-sided."""
    assert space.like is not None
    sets, place = np.unique(space.masks, return_inverse=True)
    place = place.reshape(space.masks.shape)
    twice = selections_of(np.concatenate([sets, sets]), space.n_features, measure)
    shared = get_family(measure).intersections(measure, twice, space.like.similarity)
    if shared is None:
        return None
    table = shared[: len(sets), len(sets) :].round(DIGITS)
    i, j = np.triu_indices(space.n_runs, 1)
    ways = [table[place[:, i], place[:, j]]] + ([] if measure.symmetric else [table[place[:, j], place[:, i]]])
    return np.concatenate(ways, axis=1)
