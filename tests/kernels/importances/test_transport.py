"""The transport kernel against linear programs and against what any optimum must satisfy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import sparse
from scipy.optimize import linear_sum_assignment, linprog

from steadyset.kernels.importances import transport_plan


def best_by_linear_program(supply, demand, similarity):
    n, m = similarity.shape
    rows = sparse.kron(sparse.eye_array(n), np.ones((1, m)))
    columns = sparse.kron(np.ones((1, n)), sparse.eye_array(m))
    bounds = np.concatenate([supply, demand])
    return -linprog(-similarity.ravel(), A_ub=sparse.vstack([rows, columns]).tocsr(), b_ub=bounds).fun


@some.composite
def problems(draw, most=9, steep=False):
    n, m = draw(some.integers(1, most)), draw(some.integers(1, most))
    rng = np.random.default_rng(draw(some.integers(0, 2**32 - 1)))
    masses = draw(some.sampled_from(["continuous", "equal", "few values", *["steep"] * steep]))
    supply, demand = (
        {
            "continuous": rng.random(size) + 1e-3,
            "equal": np.ones(size),
            "few values": rng.integers(1, 4, size).astype(float),
            "steep": 10.0 ** -rng.integers(0, 12, size),
        }[masses]
        for size in (n, m)
    )
    similarity = rng.random((n, m))
    kind = draw(some.sampled_from(["any", "rounded", "0 or 1", "all 0", "all 1"]))
    similarity = {
        "any": similarity,
        "rounded": np.round(similarity, 1),
        "0 or 1": (similarity > 0.6).astype(float),
        "all 0": np.zeros((n, m)),
        "all 1": np.ones((n, m)),
    }[kind]
    return supply / supply.sum(), demand / demand.sum(), similarity


def shared(supply, demand, similarity):
    block = np.ascontiguousarray(similarity)
    source, sink, moved = transport_plan(np.ascontiguousarray(supply), np.ascontiguousarray(demand), block)
    return moved @ block[source, sink]


def as_matrix(plan, shape):
    source, sink, moved = plan
    full = np.zeros(shape)
    np.add.at(full, (source, sink), moved)
    return full


@given(problems())
@settings(max_examples=80)
def test_no_linear_program_finds_a_better_exchange(problem):
    assert shared(*problem) == pytest.approx(best_by_linear_program(*problem), abs=1e-10)


@given(problems(most=40, steep=True))
@settings(max_examples=150)
def test_the_optimum_does_not_depend_on_the_order(problem):
    supply, demand, similarity = problem
    best = shared(*problem)
    assert shared(supply[::-1], demand[::-1], similarity[::-1, ::-1]) == pytest.approx(best, abs=1e-13)
    assert shared(demand, supply, similarity.T) == pytest.approx(best, abs=1e-13)


@given(problems(most=40, steep=True))
@settings(max_examples=150)
def test_all_mass_moves_and_none_is_made(problem):
    supply, demand, similarity = problem
    source, _, moved = transport_plan(*problem)
    plan = as_matrix(transport_plan(*problem), similarity.shape)
    assert moved.min() > 0
    assert len(source) <= sum(similarity.shape) - 1
    assert plan.sum(axis=1) == pytest.approx(supply, abs=1e-14)
    assert plan.sum(axis=0) == pytest.approx(demand, abs=1e-14)


@pytest.mark.parametrize("k", [1, 2, 7, 40, 120])
def test_equal_masses_of_equal_number_are_an_assignment_problem(k):
    rng = np.random.default_rng(k)
    for similarity in (rng.random((k, k)), np.round(rng.random((k, k)), 1)):
        equal = np.full(k, 1 / k)
        plan = as_matrix(transport_plan(equal, equal, similarity), (k, k))
        rows, columns = linear_sum_assignment(-similarity)
        assert np.sum(plan * similarity) == pytest.approx(similarity[rows, columns].mean(), abs=1e-13)
        assert set(np.round(plan.ravel() * k, 9)) <= {0.0, 1.0}


def test_every_pattern_of_ties_ends_at_the_optimum():
    """All 0/1 similarities of 3 x 3 equal masses: every basis on the way is degenerate."""
    third = np.full(3, 1 / 3)
    for bits in itertools.product([0.0, 1.0], repeat=9):
        similarity = np.array(bits).reshape(3, 3)
        rows, columns = linear_sum_assignment(-similarity)
        source, sink, moved = transport_plan(third, third, similarity)
        assert moved @ similarity[source, sink] == pytest.approx(similarity[rows, columns].mean(), abs=1e-14)
