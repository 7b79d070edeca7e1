"""Properties of random selection: is the mean of a measure the same whatever the sizes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from steadyset.certificates.certificate import Verdict
from steadyset.certificates.evidence import TIE, Evidence, nothing_found
from steadyset.certificates.spaces import Space
from steadyset.kernels.arrays import Ints


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
