"""Properties of measures that count similar features as alike."""

from __future__ import annotations

import numpy as np

from steadyset.certificates.certificate import Verdict
from steadyset.certificates.evidence import TIE, Evidence
from steadyset.certificates.likeness import Likeness
from steadyset.certificates.order import monotone

N_FEATURES = (3, 4, 5)


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
    """Monotone in what the sets share when similar features count: for unadjusted measures the same as monotone."""
    return evidence.decide(monotone)
