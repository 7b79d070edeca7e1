"""Measures of the distribution of the distinct selected sets."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from steadyset.measures.options import Estimate, Options, settle
from steadyset.measures.record import Measure
from steadyset.selections import Selections


def evaluate(selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
    seen: dict[bytes, int] = {}
    members = selections.indices.tobytes()
    bounds = (selections.indptr * selections.indices.itemsize).tolist()
    for start, end in itertools.pairwise(bounds):
        row = members[start:end]
        seen[row] = seen.get(row, 0) + 1
    multiplicities = np.sort(np.array(list(seen.values()), dtype=np.int64))
    return [
        settle(
            measure,
            float(measure.score(multiplicities, selections.sizes, selections.n_features, **measure.params)),
            0.0,
            "",
            options,
        )
        for measure in measures
    ]
