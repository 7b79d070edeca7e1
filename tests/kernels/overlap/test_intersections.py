"""Intersections of all pairs: every way to count gives the same, in bounded memory."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import steadyset as st
from steadyset.kernels.overlap import intersections
from steadyset.measures import pairwise

ALWAYS_BITS, ALWAYS_POSTINGS = np.inf, 0.0


def random_selections(M, d, most, seed=0):
    """Sizes from 0 to `most`; the first features are selected more often."""
    random = np.random.default_rng(seed)
    rows = [np.unique((d * random.random(random.integers(0, most + 1)) ** 2).astype(np.int64)) for _ in range(M)]
    return st.Selections.from_sets(rows, n_features=d)


@pytest.mark.parametrize("way", [ALWAYS_BITS, ALWAYS_POSTINGS])
@pytest.mark.parametrize(("M", "d", "most"), [(2, 1, 1), (7, 64, 20), (60, 65, 60), (40, 1000, 90), (3, 5, 0)])
def test_bits_and_postings_count_what_a_matrix_product_counts(monkeypatch, way, M, d, most):
    monkeypatch.setattr(intersections, "WORDS_A_POSTING", way)
    selections = random_selections(M, d, most)
    Z = selections.to_matrix().toarray().astype(np.int64)
    np.testing.assert_array_equal(selections.intersections(), Z @ Z.T)


def kinds(selections):
    """How many pairs there are of each (r, smaller size, larger size)."""
    found = {}
    for batch in pairwise.pair_batches(selections):
        low, high = np.minimum(batch.size_i, batch.size_j), np.maximum(batch.size_i, batch.size_j)
        for r, a, b, n in zip(batch.shared, low, high, batch.n_pairs, strict=True):
            found[int(r), int(a), int(b)] = found.get((int(r), int(a), int(b)), 0) + int(n)
    return found


@settings(max_examples=30)
@given(some.integers(2, 30), some.integers(1, 90), some.integers(0, 30), some.integers(0, 99))
def test_counted_kinds_and_blocks_of_single_pairs_hold_the_same_pairs(M, d, most, seed):
    selections = random_selections(M, d, min(d, most), seed)
    sets = [set(selections.selected(i).tolist()) for i in range(M)]
    wanted = {}
    for a, b in itertools.combinations(sets, 2):
        kind = (len(a & b), *sorted((len(a), len(b))))
        wanted[kind] = wanted.get(kind, 0) + 1
    with pytest.MonkeyPatch.context() as patch:
        for way in (ALWAYS_BITS, ALWAYS_POSTINGS):
            patch.setattr(intersections, "WORDS_A_POSTING", way)
            patch.setattr(pairwise, "MOST_CELLS", 1 << 24)
            assert kinds(selections) == wanted
            patch.setattr(pairwise, "MOST_CELLS", 0)
            for block in (1, 3 * M, 1 << 20):
                patch.setattr(pairwise, "PAIRS_A_BLOCK", block)
                assert kinds(selections) == wanted


def test_all_ways_give_the_same_table(monkeypatch):
    selections = random_selections(80, 300, 40)
    names = ["jaccard", "npog", "phi", "corrected_lustgarten", "kuncheva"]
    table = st.stability_table(selections, names, undefined=0)["estimate"]
    for way, cells in itertools.product((ALWAYS_BITS, ALWAYS_POSTINGS), (0, 1 << 24)):
        monkeypatch.setattr(intersections, "WORDS_A_POSTING", way)
        monkeypatch.setattr(pairwise, "MOST_CELLS", cells)
        monkeypatch.setattr(pairwise, "PAIRS_A_BLOCK", 1000)
        np.testing.assert_allclose(st.stability_table(selections, names, undefined=0)["estimate"], table, rtol=1e-12)


@pytest.mark.parametrize("path", ["counted", "single"])
def test_twenty_thousand_runs_stay_within_bounded_memory(monkeypatch, path):
    """200 million pairs: counted in one array of kinds, or handed out in blocks of about a million."""
    random = np.random.default_rng(1)
    rows = np.split(random.integers(0, 100_000, 60_000), np.sort(random.integers(0, 60_000, 19_999)))
    selections = st.Selections.from_sets([np.unique(row) for row in rows], n_features=100_000)
    monkeypatch.setattr(intersections, "WORDS_A_POSTING", ALWAYS_POSTINGS)
    if path == "single":
        monkeypatch.setattr(pairwise, "MOST_CELLS", 0)
    next(pairwise.pair_batches(st.Selections.from_sets([[0], [1]], n_features=9)))  # compiled before memory is watched
    tracemalloc.start()
    batches = list(itertools.islice((len(batch.shared) for batch in pairwise.pair_batches(selections)), 4))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(batches) <= 1.1 * pairwise.PAIRS_A_BLOCK
    assert peak < 200e6


def test_the_matrix_of_all_pairs_is_held_once():
    rng = np.random.default_rng(4)
    runs = st.Selections.from_matrix(rng.random((5000, 30)) < 0.2)
    tracemalloc.start()
    found = runs.intersections()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * found.nbytes
    Z = runs.to_matrix().toarray()[:50].astype(int)
    np.testing.assert_array_equal(found[:50, :50], Z @ Z.T)
    np.testing.assert_array_equal(found, found.T)
