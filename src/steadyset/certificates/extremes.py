"""Properties of values: where there are some, what bounds them, what reaches the largest, and what chance gives."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from steadyset.certificates.certificate import Verdict
from steadyset.certificates.evidence import TIE, Case, Evidence, masks_of, nothing_found, number, shrink, table_of
from steadyset.certificates.spaces import Space
from steadyset.kernels.arrays import Bools, Floats, Ints

SHRINKING = 0.99  # steps that shrink less than this from doubling to doubling grow for ever


def fully_defined(evidence: Evidence) -> Verdict:
    """Every collection of sets that are neither empty nor full has a value, whatever the sizes."""
    return _defined(evidence, (*evidence.exhaustive, *evidence.random))


def defined_at_limits(evidence: Evidence) -> Verdict:
    """Empty and full sets have a value too, and so have features that are all alike."""
    return _defined(evidence, evidence.limits)


def bounded(evidence: Evidence) -> Verdict:
    """The values stay between constants that depend on neither d, M nor the sizes."""
    for which, sign in (("smallest", -1), ("largest", 1)):
        tops = [_top(evidence, step, sign) for step in evidence.probes]
        if all(top is not None for top in tops):
            found = [top for top in tops if top is not None]
            values = [float(evidence.values.of(space)[at]) for space, at in found]
            if _grows_for_ever(sign * np.array(values)):
                told = ", ".join(
                    f"{number(v)} for {space.n_features}" for v, (space, _) in zip(values, found, strict=True)
                )
                sentence = f"The {which} values go on with the number of features, without bound: {told}."
                return evidence.fails(sentence.replace("{", "{{").replace("}", "}}"), *found)
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
    tops = [_top(evidence, step, evidence.sign) for step in evidence.probes]
    reached = _top(evidence, evidence.exhaustive, evidence.sign)
    if reached is not None and all(top is not None for top in tops):
        found_tops = [top for top in tops if top is not None]
        most = np.array([evidence.steadiness(space)[at] for space, at in found_tops])
        if (np.diff(most) > TIE).all() and most[-1] > evidence.steadiness(reached[0])[reached[1]] + TIE:
            told = ", ".join(f"{{v[{i}]}} for {space.n_features}" for i, (space, _) in enumerate(found_tops))
            return evidence.fails(f"No largest value is reached: it grows with the features, {told}.", *found_tops)
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


def _defined(evidence: Evidence, spaces: tuple[Space, ...]) -> Verdict:
    for space in spaces:
        missing = np.flatnonzero(np.isnan(evidence.values.of(space)))
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
        return bool(is_outside(evidence.values.of_masks(masks_of(case[0])[None, :], case[0].shape[1]))[0])

    for space in spaces:
        outside = np.flatnonzero(is_outside(evidence.values.of(space)))
        if len(outside) and (space.complete or space.like is not None):
            return evidence.fails(words, (space, int(outside[0])))
        if len(outside):
            (table,) = shrink((table_of(space, int(outside[0])),), breaks)
            row, d = masks_of(table), table.shape[1]
            return evidence.fails_on(words, evidence.values.of_masks(row[None, :], d).tolist(), (row, d, None))
    return nothing_found(*spaces)


def _top(evidence: Evidence, spaces: tuple[Space, ...] | list[Space], sign: int) -> tuple[Space, int] | None:
    """Where the largest value (the smallest for sign -1) of some spaces is."""
    best: tuple[Space, int] | None = None
    most = -np.inf
    for space in spaces:
        values = np.nan_to_num(sign * evidence.values.of(space), nan=-np.inf)
        at = int(np.argmax(values))
        if values[at] > most + TIE:
            best, most = (space, at), float(values[at])
    return best


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
        values = evidence.values.of(space)
        for places in space.same_sizes:
            mean = float(np.average(values[places], weights=space.n_alike[places]))
            if not np.isnan(mean):
                found.append(Mean(space, tuple(space.sizes[places[0]].tolist()), mean))
    return found


def _any_sets(sizes: tuple[int, ...]) -> Ints:
    return np.array([(1 << k) - 1 for k in sizes], dtype=np.int64)


def _sizes(mean: Mean) -> str:
    return f"sizes {' '.join(map(str, mean.sizes))} (d={mean.space.n_features})"
