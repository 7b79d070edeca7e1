"""The plain algorithm of the benchmark computes what the measures compute."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import adjusted

import steadyset as st


@pytest.mark.parametrize("name", sorted(adjusted.OVERLAPS))
def test_the_plain_overlaps_are_those_of_the_measures(name):
    _, C = adjusted._case(2, 60, 20)
    near = [{y: C[x, y] for y in np.flatnonzero(row >= 0.9).tolist() if y != x} for x, row in enumerate(C.toarray())]
    rng = np.random.default_rng(0)
    for _ in range(5):
        sets = [rng.choice(60, size, replace=False) for size in (20, 15)]
        wanted = adjusted.OVERLAPS[name](*(set(one.tolist()) for one in sets), near)
        runs = st.Selections.from_sets(sets, n_features=60)
        similarity = st.FeatureSimilarity.from_matrix(C, threshold=0.9)
        if name == "npogr":  # one-sided: the stability is the mean of both directions
            wanted = (wanted + adjusted.OVERLAPS[name](*(set(one.tolist()) for one in sets[::-1]), near)) / 2
        assert st.stability(runs, name, similarity=similarity, expectation="none") == pytest.approx(wanted)
