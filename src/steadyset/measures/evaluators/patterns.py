"""Measures of the distribution of the distinct selected sets."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from steadyset.measures.options import Estimate, Options, settle
from steadyset.measures.record import Measure
from steadyset.selections import Selections

IntArray = npt.NDArray[np.int64]


def evaluate(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    times, sizes, d = np.bincount(distinct_sets(selections)), selections.sizes, selections.n_features
    return [settle(m, pattern_score(m, times, sizes, d), 0.0, "", options, sizes) for m in measures]


def distinct_sets(selections: Selections) -> IntArray:
    """The number of the set that each run selected, counted by first appearance."""
    seen: dict[bytes, int] = {}
    members = selections.indices.tobytes()
    bounds = (selections.indptr * selections.indices.itemsize).tolist()
    rows = (members[start:end] for start, end in itertools.pairwise(bounds))
    return np.array([seen.setdefault(row, len(seen)) for row in rows], dtype=np.int64)


def pattern_score(measure: Measure, times: IntArray, sizes: IntArray, d: int) -> float:
    """The score of sets that occur this often; sorted, so that the order of runs changes nothing."""
    return float(measure.score(np.sort(times[times > 0]), sizes, d, **measure.params))
