"""Measures of the distribution of the distinct selected sets."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.family import Family
from steadyset.measures.masks import Collections
from steadyset.measures.options import Estimate, Options, settle
from steadyset.measures.record import Measure
from steadyset.selections import Selections


class Patterns(Family):
    """Functions of how often each distinct set occurs."""

    name = "patterns"

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        times, sizes, d = np.bincount(distinct_sets(selections)), selections.sizes, selections.n_features
        return [settle(m, pattern_score(m, times, sizes, d), 0.0, "", options, sizes) for m in measures]

    def without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """A set loses one occurrence. Runs of one size whose sets occur equally often have the same value."""
        sizes, kinds = selections.sizes, distinct_sets(selections)
        times = np.bincount(kinds)
        _, first, place = np.unique(sizes * (len(sizes) + 1) + times[kinds], return_index=True, return_inverse=True)
        values = np.empty((len(measures), len(first)))
        for a, run in enumerate(first):
            left, others = times.copy(), np.delete(sizes, run)
            left[kinds[run]] -= 1
            values[:, a] = [pattern_score(measure, left, others, selections.n_features) for measure in measures]
        return options.filled(values)[:, place]

    def values(self, measure: Measure, collections: Collections) -> Floats:
        """Collections whose sets occur equally often and have the same sizes share one call."""
        seen: dict[tuple[bytes, bytes], float] = {}
        keys = []
        for row, sizes in zip(collections.masks, collections.sizes, strict=True):
            multiplicities = np.sort(np.unique(row, return_counts=True)[1])
            keys.append((multiplicities.tobytes(), sizes.tobytes()))
            if keys[-1] not in seen:
                score = measure.score(multiplicities, sizes, collections.n_features, **measure.params)
                seen[keys[-1]] = float(score)
        return np.array([seen[key] for key in keys])


def distinct_sets(selections: Selections) -> Ints:
    """The number of the set that each run selected, counted by first appearance."""
    seen: dict[bytes, int] = {}
    members = selections.indices.tobytes()
    bounds = (selections.indptr * selections.indices.itemsize).tolist()
    rows = (members[start:end] for start, end in itertools.pairwise(bounds))
    return np.array([seen.setdefault(row, len(seen)) for row in rows], dtype=np.int64)


def pattern_score(measure: Measure, times: Ints, sizes: Ints, d: int) -> float:
    """The score of sets that occur this often; sorted, so that the order of runs changes nothing."""
    return float(measure.score(np.sort(times[times > 0]), sizes, d, **measure.params))
