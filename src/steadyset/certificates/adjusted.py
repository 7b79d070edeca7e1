"""Properties of measures that count similar features as alike."""

from __future__ import annotations

import numpy as np

from steadyset.certificates.certificate import Verdict
from steadyset.certificates.evidence import TIE, Evidence, nothing_found
from steadyset.certificates.likeness import Likeness
from steadyset.certificates.order import dominating, misordered, monotone
from steadyset.certificates.spaces import Space
from steadyset.certificates.values import selections_of
from steadyset.kernels.arrays import Floats
from steadyset.measures.record import Measure, get_family

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
