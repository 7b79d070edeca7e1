"""Runs with both features of a pair, and with a feature or a neighbour, are counted without features x features."""

import tracemalloc

import numpy as np
import pytest

import steadyset as st
from steadyset.inference import runs
from steadyset.inference.features import AlikeGraph
from steadyset.similarity.alike import Alike


def graph_of(pairs):
    pairs = np.unique(np.sort(np.asarray(pairs), axis=1), axis=0)
    return AlikeGraph.of(Alike(np.unique(pairs), pairs, values=np.ones(len(pairs))))


@pytest.mark.parametrize("n_runs", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("entries_a_block", [1, 700, 1 << 20])
def test_counts_are_those_of_the_dense_table(n_runs, entries_a_block, monkeypatch):
    monkeypatch.setattr(runs, "ENTRIES_A_BLOCK", entries_a_block)
    rng = np.random.default_rng(n_runs)
    chosen = rng.random((n_runs, 30)) < rng.random(30)
    pairs = rng.choice(30, size=(60, 2))
    graph = graph_of(pairs[pairs[:, 0] != pairs[:, 1]])
    sel = st.Selections.from_matrix(chosen)
    both = chosen.T.astype(int) @ chosen.astype(int)
    first = graph.features[np.repeat(np.arange(len(graph.features)), np.diff(graph.indptr))]
    assert graph.together(sel).tolist() == both[first, graph.features[graph.indices]].tolist()
    for place, f in enumerate(graph.features):
        near = [f, *graph.features[graph.neighbours(f)[0]]]
        assert graph.covered(sel)[place] == chosen[:, near].any(axis=1).sum()


def test_no_pairs_are_no_counts():
    sel = st.Selections.from_sets([[0], []], n_features=3)
    none = np.empty(0, np.int64)
    assert runs.runs_with_both(sel, none, none).tolist() == []
    assert graph_of(np.empty((0, 2), np.int64)).covered(sel).tolist() == []


def test_memory_grows_with_the_pairs_and_not_with_the_square_of_the_features():
    d = 20_000  # a dense table of these in single precision is 1.6 GB
    ring = graph_of(np.column_stack([np.arange(d), (np.arange(d) + 1) % d]))
    sel = st.Selections.from_sets([np.arange(run % 2, d, 2) for run in range(70)], n_features=d)
    tracemalloc.start()
    together, covered = ring.together(sel), ring.covered(sel)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not together.any()  # neighbours are never in one run
    assert (covered == 70).all()  # and one of them is in every run
    assert peak < 100e6
