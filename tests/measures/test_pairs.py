"""The pairs of runs, counted by kind: small and large inputs take different ways to the same counts."""

import numpy as np
import pytest

from steadyset.measures import pairwise
from steadyset.selections import Selections


@pytest.mark.parametrize(("n_runs", "d"), [(2, 1), (3, 5), (40, 30), (60, 1000)])
def test_small_inputs_are_counted_as_the_kernels_count(n_runs, d, monkeypatch):
    random = np.random.default_rng(n_runs)
    sizes = random.integers(0, min(d, 20) + 1, n_runs)
    sel = Selections.from_sets([random.choice(d, k, replace=False) for k in sizes], n_features=d)
    plain = list(pairwise.pair_batches(sel))
    monkeypatch.setattr(pairwise, "SMALL", 0)
    compiled = list(pairwise.pair_batches(sel))
    assert len(plain) == len(compiled) == 1
    for name in ("shared", "size_i", "size_j", "n_pairs"):
        np.testing.assert_array_equal(getattr(plain[0], name), getattr(compiled[0], name))
    assert plain[0].n_pairs.sum() == n_runs * (n_runs - 1) // 2
