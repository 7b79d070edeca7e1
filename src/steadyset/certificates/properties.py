"""The properties of a certificate by name (the docstring of each defines it), and certificates as lines of Markdown."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.certificates.certificate import Certificate, Verdict
from steadyset.certificates.evidence import (
    TIE,
    Case,
    Evidence,
    Likeness,
    Space,
    masks_of,
    nothing_found,
    selections_of,
    shrink,
    table_of,
)
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.measures.evaluate import stated_where_undefined
from steadyset.measures.frequency import bits, pairwise_shared
from steadyset.measures.record import Measure, get_family

SHRINKING = 0.99  # steps that shrink less than this from doubling to doubling grow for ever


def fully_defined(evidence: Evidence) -> Verdict:
    """Every collection of sets that are neither empty nor full has a value, whatever the sizes."""
    return _defined(evidence, (*evidence.exhaustive, *evidence.random))


def defined_at_limits(evidence: Evidence) -> Verdict:
    """Empty and full sets have a value too, and so have features that are all alike."""
    return _defined(evidence, evidence.limits)


def defined_by_convention(evidence: Evidence) -> Verdict:
    """Empty and full sets have a value at least by the convention that the source of the measure states."""
    if evidence.measure.by_convention is None:
        return Verdict(None, None, "the source of the measure states no convention")
    return _defined(Evidence(replace(evidence.measure, score=_stated_score(evidence.measure))), evidence.limits)


def bounded(evidence: Evidence) -> Verdict:
    """The values stay between constants that depend on neither d, M nor the sizes."""
    for which, sign in (("smallest", -1), ("largest", 1)):
        found = _tops(evidence, sign)
        if found and _grows_for_ever(sign * np.array([evidence.of(space)[at] for space, at in found])):
            sentence = f"The {which} values go on with the number of features, without bound: {_told(found)}."
            return evidence.fails(sentence, *found)
    return _within_declared(evidence)


def identical_is_maximal(evidence: Evidence) -> Verdict:
    """Identical sets have the largest value that there is (the smallest where lower is steadier)."""
    words = "All sets of {0} are identical, but the value is {v[0]}, and {v[1]} for {1}."
    for space in evidence.exhaustive:
        steadiness = np.nan_to_num(evidence.steadiness(space), nan=-np.inf)
        best = int(np.argmax(steadiness))
        low = np.flatnonzero(space.identical & np.isfinite(steadiness) & (steadiness < steadiness[best] - TIE))
        if len(low):
            return evidence.fails(words, (space, int(low[0])), (space, best))
    highest = _top(evidence, [*evidence.exhaustive, *(s for step in evidence.probes for s in step)], evidence.sign)
    if highest is not None:
        most = evidence.steadiness(highest[0])[highest[1]]
        for space in evidence.exhaustive:
            low = np.flatnonzero(space.identical & (evidence.steadiness(space) < most - TIE))
            if len(low):
                return evidence.fails(words, (space, int(low[0])), highest)
    return nothing_found(*evidence.exhaustive)


def maximal_is_identical(evidence: Evidence) -> Verdict:
    """Among all collections of as many runs and features only identical sets reach the largest value."""
    words = (
        "{0} has the value {v[0]}, the largest of all collections with as many runs and features, but the sets differ."
    )
    for space, at_top in _at_top(evidence):
        found = np.flatnonzero(at_top & ~space.identical)
        if len(found):
            return evidence.fails(words, (space, int(found[0])))
    return nothing_found(*evidence.exhaustive)


def maximum(evidence: Evidence) -> Verdict:
    """The largest value is reached if and only if all sets are identical."""
    verdict = evidence.decide(identical_is_maximal)
    return verdict if verdict.holds is False else evidence.decide(maximal_is_identical)


def maximum_for_equal_sizes(evidence: Evidence) -> Verdict:
    """The largest value is reached, and only by sets of equal sizes."""
    for space, at_top in _at_top(evidence):
        sizes = space.sizes
        found = np.flatnonzero(at_top & (sizes != sizes[:, :1]).any(axis=1))
        if len(found):
            words = "{0} has the value {v[0]}, the largest of all with as many runs and features, but the sizes differ."
            return evidence.fails(words, (space, int(found[0])))
    tops, reached = _tops(evidence, evidence.sign), _top(evidence, evidence.exhaustive, evidence.sign)
    if reached is not None and tops:
        most = np.array([evidence.steadiness(space)[at] for space, at in tops])
        if (np.diff(most) > TIE).all() and most[-1] > evidence.steadiness(reached[0])[reached[1]] + TIE:
            return evidence.fails(f"No largest value is reached: it grows with the features, {_told(tops)}.", *tops)
    return nothing_found(*evidence.exhaustive)


def extremes(evidence: Evidence) -> Verdict:
    """Identical sets have the largest value, and sets without a common feature the smallest."""
    verdict = evidence.decide(identical_is_maximal)
    if verdict.holds is False:
        return verdict
    for space in evidence.exhaustive:
        steadiness = np.nan_to_num(evidence.steadiness(space), nan=np.inf)
        worst = int(np.argmin(steadiness))
        apart = (space.shared == 0).all(axis=1) & np.isfinite(steadiness) & (steadiness > steadiness[worst] + TIE)
        if apart.any():
            words = "The sets of {0} have nothing in common, but the value is {v[0]}, and {v[1]} for {1}."
            return evidence.fails(words, (space, int(np.argmax(apart))), (space, worst))
    return nothing_found(*evidence.exhaustive)


def _stated_score(measure: Measure) -> Callable[..., Floats]:
    """Return the score of pairs of sets with the values that its source states where it is undefined."""

    def score(r: Ints, ki: Ints, kj: Ints, d: int, **params: Any) -> Floats:
        return stated_where_undefined(measure, np.asarray(measure.score(r, ki, kj, d, **params)), r, ki, kj, d)

    return score


def _defined(evidence: Evidence, spaces: tuple[Space, ...]) -> Verdict:
    for space in spaces:
        missing = np.flatnonzero(np.isnan(evidence.of(space)))
        if len(missing):
            return evidence.fails("{0} has no value.", (space, int(missing[0])))
    return nothing_found(*spaces)


def _within_declared(evidence: Evidence) -> Verdict:
    low, high = evidence.measure.bounds
    spaces = (*evidence.exhaustive, *evidence.random, *(space for step in evidence.probes for space in step))
    words = f"{{0}} has the value {{v[0]}}, outside of the declared bounds {low:g} and {high:g}."

    def is_outside(values: Floats) -> Bools:
        return (values < low - TIE) | (values > high + TIE)

    def breaks(case: Case) -> bool:
        return bool(is_outside(evidence.of_masks(masks_of(case[0])[None, :], case[0].shape[1]))[0])

    for space in spaces:
        outside = np.flatnonzero(is_outside(evidence.of(space)))
        if len(outside) and (space.complete or space.like is not None):
            return evidence.fails(words, (space, int(outside[0])))
        if len(outside):
            (table,) = shrink((table_of(space, int(outside[0])),), breaks)
            row, d = masks_of(table), table.shape[1]
            return evidence.fails_on(words, evidence.of_masks(row[None, :], d).tolist(), (row, d, None))
    return nothing_found(*spaces)


def _top(evidence: Evidence, spaces: tuple[Space, ...] | list[Space], sign: int) -> tuple[Space, int] | None:
    """Where the largest value (the smallest for sign -1) of some spaces is."""
    best: tuple[Space, int] | None = None
    most = -np.inf
    for space in spaces:
        values = np.nan_to_num(sign * evidence.of(space), nan=-np.inf)
        at = int(np.argmax(values))
        if values[at] > most + TIE:
            best, most = (space, at), float(values[at])
    return best


def _tops(evidence: Evidence, sign: int) -> list[tuple[Space, int]]:
    """Where that is for each number of features that was probed; nothing where one of them has no value."""
    tops = [top for step in evidence.probes if (top := _top(evidence, step, sign)) is not None]
    return tops if len(tops) == len(evidence.probes) else []


def _told(tops: list[tuple[Space, int]]) -> str:
    """The values of collections and their numbers of features, for `Evidence.fails` to fill in."""
    return ", ".join(f"{{v[{i}]}} for {space.n_features}" for i, (space, _) in enumerate(tops))


def _at_top(evidence: Evidence) -> list[tuple[Space, Bools]]:
    """For each complete space which collections reach its largest value."""
    found = []
    for space in evidence.exhaustive:
        steadiness = evidence.steadiness(space)
        if not np.isnan(steadiness).all():
            found.append((space, steadiness >= np.nanmax(steadiness) - TIE))
    return found


def _grows_for_ever(values: Floats) -> bool:
    """Doubling d adds as much as the doubling before: linear or logarithmic growth, not an approach to a limit."""
    steps = np.diff(values)
    return bool((steps > TIE).all() and (steps[1:] >= SHRINKING * steps[:-1]).all())


@dataclass(frozen=True)
class Mean:
    """The mean of a measure over every collection with these sizes, each as likely as the other."""

    space: Space
    sizes: tuple[int, ...]
    value: float


def corrected(evidence: Evidence) -> Verdict:
    """Random sets of given sizes have the same mean value, whatever the sizes, d and M."""
    return _constant(evidence, _means(evidence))


def corrected_for_equal_sizes(evidence: Evidence) -> Verdict:
    """Random sets of one size have the same mean value, whatever the size, d and M."""
    return _constant(evidence, [mean for mean in _means(evidence) if len(set(mean.sizes)) == 1])


def _constant(evidence: Evidence, means: list[Mean]) -> Verdict:
    for other in _with_company_first(means):
        base = next((m for m in means if m.space is other.space and abs(m.value - other.value) > TIE), None)
        if base is None and abs(means[0].value - other.value) > TIE:
            base = means[0]
        if base is not None:
            pair = (base, other)
            rows = [(_any_sets(mean.sizes), mean.space.n_features, mean.space.like) for mean in pair]
            words = f"Random sets of {_sizes(base)} have the mean value {{v[0]}}, those of {_sizes(other)} {{v[1]}}."
            return evidence.fails_on(words, [mean.value for mean in pair], *rows)
    return nothing_found(*evidence.exhaustive, more=f" ({len(means)} vectors of sizes)")


def _with_company_first(means: list[Mean]) -> list[Mean]:
    """Vectors of sizes that share their d and M with another one come first: they make the plainer comparison."""
    n_in = Counter(mean.space for mean in means)
    return sorted(means, key=lambda mean: n_in[mean.space] == 1)


def _means(evidence: Evidence) -> list[Mean]:
    """The means of all vectors of sizes for which every collection has a value."""
    found = []
    for space in evidence.exhaustive:
        values = evidence.of(space)
        for places in space.same_sizes:
            mean = float(np.average(values[places], weights=space.n_alike[places]))
            if not np.isnan(mean):
                found.append(Mean(space, tuple(space.sizes[places[0]].tolist()), mean))
    return found


def _any_sets(sizes: tuple[int, ...]) -> Ints:
    return np.array([(1 << k) - 1 for k in sizes], dtype=np.int64)


def _sizes(mean: Mean) -> str:
    return f"sizes {' '.join(map(str, mean.sizes))} (d={mean.space.n_features})"


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
        return evidence.fails_on(words, evidence.of_masks(masks, d).tolist(), *((row, d, None) for row in masks))
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
    steadiness = evidence.sign * evidence.of_masks(masks, case[0].shape[1])
    return not np.isnan(steadiness).any() and find(pairwise_shared(masks), steadiness) == (0, 1)


def _reordered(evidence: Evidence, space: Space, rows: Ints, runs: Ints, features: Ints) -> Verdict | None:
    """A collection whose value changes when run i is called runs[i] and feature f is called features[f]."""
    d, like = space.n_features, space.like
    renamed = bits(rows[:, runs], d) @ (1 << features)
    other_like = None if like is None else like.reordered(features)
    values = evidence.of_masks(rows, d, like)
    other_values = evidence.of_masks(renamed, d, other_like)
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
            value = float(evidence.of_masks(masks[:1], d)[0])
            return evidence.fails_on(words, [value, value], *[(masks[0], d, None)] * 2)
        values = [evidence.of_masks(masks, d, like) for like in (alike, unlike)]
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


PROPERTIES: dict[str, Callable[[Evidence], Verdict]] = {
    check.__name__: check
    for check in (
        fully_defined,
        defined_at_limits,
        defined_by_convention,
        monotone,
        monotone_in_total,
        bounded,
        maximum,
        identical_is_maximal,
        maximal_is_identical,
        maximum_for_equal_sizes,
        extremes,
        corrected,
        corrected_for_equal_sizes,
        adjusted,
        adjusted_monotone,
        symmetric,
    )
}


def definition(name: str) -> str:
    """What a property says, as it is computed."""
    return " ".join((inspect.getdoc(PROPERTIES[name]) or "").split())


SIGNS = {True: "yes", False: "no", None: "–"}
AGAINST = " ≠"


def markdown_disagreements(certificate: Certificate) -> list[str]:
    """What each paper says otherwise, with the reason."""
    return [
        f"- **{certificate.measure}, {name.replace('_', ' ')}**: {' and '.join(papers)} "
        f"{'say' if len(papers) > 1 else 'says'} {SIGNS[not certificate.properties[name].holds]}. "
        f"{reason[0].upper()}{reason[1:].removesuffix('.')}."
        for name, papers in certificate.disagreements().items()
        for reason in [str(certificate.properties[name])]
    ]
