"""Matchings of bipartite graphs against scipy and against plain code."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as hyp
from scipy import sparse

from steadyset.kernels.overlap.matching import greedy_matching, maximum_matching


@hyp.composite
def bipartite_graphs(draw):
    n_left, n_right = draw(hyp.integers(1, 12)), draw(hyp.integers(1, 12))
    density = draw(hyp.sampled_from([0.1, 0.3, 0.6, 1.0]))
    seed = draw(hyp.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).random((n_left, n_right)) < density


def rows_of(edges):
    graph = sparse.csr_matrix(edges)
    return graph.indptr.astype(np.int64), graph.indices.astype(np.int64)


@settings(max_examples=300)
@given(bipartite_graphs())
def test_maximum_matching_has_the_size_that_scipy_finds(edges):
    wanted = sparse.csgraph.maximum_bipartite_matching(sparse.csr_matrix(edges), perm_type="column")
    assert maximum_matching(*rows_of(edges), edges.shape[1]) == np.sum(wanted >= 0)


def test_maximum_matching_of_a_large_sparse_graph_has_the_size_that_scipy_finds():
    edges = np.random.default_rng(0).random((400, 380)) < 0.005
    wanted = sparse.csgraph.maximum_bipartite_matching(sparse.csr_matrix(edges), perm_type="column")
    assert maximum_matching(*rows_of(edges), 380) == np.sum(wanted >= 0)


@given(bipartite_graphs(), hyp.randoms(use_true_random=False))
def test_greedy_matching_takes_edges_in_the_order_of_their_ranks(edges, random):
    start, ends = rows_of(edges)
    owners = np.repeat(np.arange(len(edges)), np.diff(start))
    rank = list(range(len(ends)))
    random.shuffle(rank)
    used: set[tuple[str, int]] = set()
    size = 0
    for e in np.argsort(rank):
        x, y = ("left", int(owners[e])), ("right", int(ends[e]))
        if x not in used and y not in used:
            used |= {x, y}
            size += 1
    assert greedy_matching(start, ends, np.array(rank, dtype=np.int64), edges.shape[1]) == size
