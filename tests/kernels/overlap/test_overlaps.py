"""The overlap of sets with similar features against plain code with sets, and the draws of random sets."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hyp
from scipy import sparse

import steadyset as st
from steadyset.kernels.overlap.overlaps import COLUMNS, Graph, all_overlaps, edge_ranks, pair_overlaps, random_overlaps


def graph_of(C, threshold):
    neighbours = st.FeatureSimilarity.from_matrix(C, threshold=threshold).neighbours
    return Graph(*neighbours, edge_ranks(*neighbours))


def random_similarity(rng, d, density, steps=0):
    C = np.where(rng.random((d, d)) < density, rng.uniform(0.8, 1, (d, d)), rng.uniform(0, 0.7, (d, d)))
    C = np.round(C * steps) / steps if steps else C
    C = np.triu(C, 1)
    return C + C.T + np.eye(d)


def slow_overlap(s, t, C, threshold):
    """The definitions, word for word."""
    alike = {(x, y) for x in s | t for y in s | t if x != y and C[x, y] >= threshold}
    open_s, open_t = s - t, t - s

    def one_side(s, t):
        near = {x: [C[x, y] for y in t - s if (x, y) in alike] for x in s - t}
        covered = [values for values in near.values() if values]
        return (
            len(covered),
            sum(np.mean(values) for values in covered),
            sum(any((x, y) in alike for y in t) for x in s - t),
            sum(C[x, y] for x in s for y in t - s if (x, y) in alike),
        )

    edges = sorted(
        ((-C[x, y], min(x, y), max(x, y), x, y) for x in open_s for y in open_t if (x, y) in alike),
    )
    used: set[int] = set()
    greedy = 0
    for *_, x, y in edges:
        if not used & {x, y}:
            used |= {x, y}
            greedy += 1
    matched = 0
    if open_s and open_t:
        grid = np.array([[(x, y) in alike for y in sorted(open_t)] for x in sorted(open_s)])
        matched = np.sum(sparse.csgraph.maximum_bipartite_matching(sparse.csr_matrix(grid), "column") >= 0)
    one, other = one_side(s, t), one_side(t, s)
    sides = [value for both in zip(one, other, strict=True) for value in both]
    return dict(zip(COLUMNS, [len(s & t), *sides, greedy, matched], strict=True))


@settings(max_examples=150)
@given(
    hyp.integers(0, 2**32 - 1), hyp.integers(2, 15), hyp.sampled_from([0.05, 0.2, 0.5, 1.0]), hyp.sampled_from([0, 20])
)
def test_pairs_of_runs_overlap_as_the_definitions_say(seed, d, density, steps):
    rng = np.random.default_rng(seed)
    C = random_similarity(rng, d, density, steps)
    sets = [set(np.flatnonzero(rng.random(d) < p).tolist()) for p in (0.2, 0.5, 0.8, 0.5)]
    runs = st.Selections.from_sets(sets, n_features=d)
    table = pair_overlaps(runs.indptr, runs.indices, *np.triu_indices(4, 1), graph_of(C, 0.8), True, True)
    for row, (i, j) in zip(table, combinations(range(4), 2), strict=True):
        wanted = slow_overlap(sets[i], sets[j], C, 0.8)
        assert dict(zip(COLUMNS, row.tolist(), strict=True)) == pytest.approx(wanted, abs=1e-12)


def test_rows_of_a_block_are_the_rows_of_the_whole():
    rng = np.random.default_rng(1)
    runs = st.Selections.from_matrix(rng.random((7, 30)) < 0.3)
    graph = graph_of(random_similarity(rng, 30, 0.1), 0.8)
    first, second = np.triu_indices(7, 1)
    whole = pair_overlaps(runs.indptr, runs.indices, first, second, graph, True, True)
    blocks = (slice(0, 4), slice(4, 17), slice(17, None))
    parts = [pair_overlaps(runs.indptr, runs.indices, first[b], second[b], graph, True, True) for b in blocks]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_all_pairs_of_subsets_are_met_once():
    d, C = 6, random_similarity(np.random.default_rng(3), 6, 0.4)
    graph = graph_of(C, 0.8)
    for a, b in product(range(5), range(5)):
        table = all_overlaps(np.arange(d), a, b, graph, True, True)
        slow = [
            list(slow_overlap(set(s), set(t), C, 0.8).values())
            for s in combinations(range(d), a)
            for t in combinations(range(d), b)
        ]
        np.testing.assert_allclose(table, slow, atol=1e-12)


def test_a_draw_is_the_same_whatever_was_drawn_before_it():
    graph = graph_of(random_similarity(np.random.default_rng(5), 40, 0.1), 0.8)
    whole = random_overlaps(7, 12, graph, 0, 100, 11, True, True)
    np.testing.assert_array_equal(random_overlaps(7, 12, graph, 60, 40, 11, True, True), whole[60:])
    assert not np.array_equal(random_overlaps(7, 12, graph, 0, 100, 12, True, True), whole)


def test_random_sets_have_the_intersections_of_the_hypergeometric_law():
    graph = graph_of(np.eye(30), 0.8)
    shared = random_overlaps(10, 12, graph, 0, 40_000, 3, False, False)[:, 0]
    deviation = np.sqrt(10 * 12 * 18 * 20 / (30**2 * 29))
    assert shared.mean() == pytest.approx(4, abs=4 * deviation / 200)
    assert shared.std() == pytest.approx(deviation, rel=0.02)


def test_equal_similarities_are_taken_by_the_smaller_features():
    """A path 0 - 2 - 1 - 3 of equal edges: (0, 2) and (1, 3) are taken; relabelled, (0, 1) blocks both others."""
    for path, taken in (((0, 2, 1, 3), 2), ((2, 0, 1, 3), 1)):
        C = np.eye(4)
        for x, y in pairwise(path):
            C[x, y] = C[y, x] = 0.95
        runs = st.Selections.from_sets([{path[0], path[2]}, {path[1], path[3]}], n_features=4)
        table = pair_overlaps(runs.indptr, runs.indices, *np.triu_indices(2, 1), graph_of(C, 0.9), True, True)
        assert dict(zip(COLUMNS, table[0], strict=True))["greedy"] == taken
        assert dict(zip(COLUMNS, table[0], strict=True))["matched"] == 2
