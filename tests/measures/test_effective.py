"""sechidis, the effective stability: reference values, identities, and what is undefined."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as hyp

import steadyset as st
from steadyset.measures import adjusted

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "sechidis.json").read_text(encoding="utf-8"))


def similarity_of(case: dict) -> st.FeatureSimilarity:
    C = np.zeros((case["n_features"],) * 2)
    C[np.triu_indices(len(C), 1)] = case["similarity"]
    return st.FeatureSimilarity.from_matrix(C + C.T + np.eye(len(C)))


def traces(Z: np.ndarray, C: np.ndarray) -> tuple[float, float]:
    """tr(C S) and tr(C T) with dense covariances."""
    d = Z.shape[1]
    k = Z.sum(axis=1)
    T = np.full((d, d), (np.mean(k**2) - k.mean()) / (d**2 - d) - k.mean() ** 2 / d**2)
    np.fill_diagonal(T, k.mean() / d * (1 - k.mean() / d))
    return np.trace(C @ np.cov(Z, rowvar=False)), np.trace(C @ T)


@pytest.mark.parametrize("case", ORACLES["cases"], ids=lambda case: case["id"])
def test_sechidis_agrees_with_the_reference_implementations(case):
    selections = st.Selections.from_sets(case["features"], n_features=case["n_features"])
    similarity = similarity_of(case)
    for result in case["results"]:
        thresholded = result["threshold"] is not None
        found = st.stability(
            selections,
            "sechidis",
            similarity=similarity.with_threshold(result["threshold"] if thresholded else 0.9),
            thresholded=thresholded,
        )
        wanted = np.nan if result["value"] is None else result["value"]
        assert found == pytest.approx(wanted, abs=1e-10, nan_ok=True)


def seven_features() -> st.FeatureSimilarity:
    case = ORACLES["seven_features"]
    C = np.full((7, 7), case["between"])
    for block in case["blocks"]:
        C[np.ix_(block, block)] = case["within"]
    return st.FeatureSimilarity.from_matrix(C, threshold=case["threshold"], diagonal="one")


def test_sechidis_gives_the_published_rows_of_seven_features():
    for row in ORACLES["seven_features"]["published_rows"]:
        selections = st.Selections.from_sets(row["features"], n_features=7)
        found = st.stability(selections, "SMES", similarity=seven_features())
        assert found == pytest.approx(row["value"], abs=1e-12)
        assert round(found, 4) == row["published"]


def test_sechidis_over_all_pairs_of_subsets_of_seven_features_has_the_published_missing_values():
    similarity = seven_features()
    subsets = ((np.arange(128)[:, None] >> np.arange(7)) & 1).astype(bool)
    values = np.full((128, 128), np.nan)
    for i in range(128):
        for j in range(i + 1):  # the measure is symmetric in the runs
            pair = st.Selections.from_matrix(subsets[[i, j]])
            values[i, j] = values[j, i] = st.stability(pair, "SMES", similarity=similarity)
    wanted = ORACLES["seven_features"]
    defined = values[~np.isnan(values)]
    assert values.size - defined.size == wanted["published_missing"]
    found = {"mean": defined.mean(), "min": defined.min(), "max": defined.max(), "sum": defined.sum()}
    assert found == pytest.approx({key: wanted[key] for key in found}, abs=1e-8)
    assert defined @ defined == pytest.approx(wanted["sum_of_squares"], abs=1e-8)


@hyp.composite
def runs_and_similarities(draw, *, similar=True):
    d, M = draw(hyp.integers(2, 9)), draw(hyp.integers(2, 6))
    bits = draw(hyp.lists(hyp.booleans(), min_size=M * d, max_size=M * d))
    Z = np.array(bits, dtype=np.int64).reshape(M, d)
    levels = [0.0, 0.2, 0.5, 0.9, 0.95, 1.0] if similar else [0.0, 0.2, 0.5]
    n = d * (d - 1) // 2
    C = np.zeros((d, d))
    C[np.triu_indices(d, 1)] = draw(hyp.lists(hyp.sampled_from(levels), min_size=n, max_size=n))
    return Z, C + C.T + np.eye(d)


@given(runs_and_similarities(), hyp.booleans(), hyp.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_sechidis_is_the_ratio_of_traces(runs, thresholded, threshold):
    Z, C = runs
    similarity = st.FeatureSimilarity.from_matrix(C, threshold=threshold)
    found = st.stability(Z, "sechidis", similarity=similarity, thresholded=thresholded)
    seen, by_chance = traces(Z, np.where(threshold <= C, C, 0) if thresholded else C)
    if by_chance > 1e-9:
        assert found == pytest.approx(1 - seen / by_chance, abs=1e-9)
    else:
        assert np.isnan(found)
    named = st.stability(Z, "sechidis_thresholded" if thresholded else "phi_S", similarity=similarity)
    assert named == pytest.approx(found, nan_ok=True)


@given(runs_and_similarities(similar=False))
def test_thresholded_sechidis_is_nogueira_when_no_two_features_are_similar(runs):
    Z, C = runs
    found = st.stability(Z, "sechidis_thresholded", similarity=st.FeatureSimilarity.from_matrix(C))
    assert found == pytest.approx(st.stability(Z, "nogueira"), abs=1e-12, nan_ok=True)


@given(hyp.integers(2, 40), hyp.integers(1, 39), hyp.integers(2, 6))
def test_sechidis_is_undefined_when_all_features_are_alike_and_sizes_are_equal(d, k, M):
    rng = np.random.default_rng(d * k)
    sets = [rng.choice(d, min(k, d), replace=False) for _ in range(M)]
    selections = st.Selections.from_sets(sets, n_features=d)
    alike = np.full((d, d), 0.95)
    for C, thresholded in [(np.ones((d, d)), True), (np.ones((d, d)), False)]:
        similarity = st.FeatureSimilarity.from_matrix(C)
        assert np.isnan(st.stability(selections, "sechidis", similarity=similarity, thresholded=thresholded))
    assert np.isnan(st.stability(selections, "sechidis", similarity=st.FeatureSimilarity.from_groups([0] * d)))
    slightly_less = st.FeatureSimilarity.from_matrix(alike, diagonal="one")
    assert np.isnan(st.stability(selections, "sechidis", similarity=slightly_less)) == (k >= d)


def test_sechidis_of_one_feature_is_undefined():
    similarity = st.FeatureSimilarity.from_matrix([[1.0]])
    selections = st.Selections.from_sets([[0], []], n_features=1)
    assert np.isnan(st.stability(selections, "sechidis", similarity=similarity))
    with pytest.raises(st.UndefinedError, match="d = 1"):
        st.stability(selections, "sechidis", similarity=similarity, undefined="raise")
    assert st.stability(selections, "sechidis", similarity=similarity, undefined=0.0) == 0.0


@pytest.mark.parametrize("sizes", [(2, 2), (1, 3), (2, 4)])
def test_random_sets_have_expectation_zero_only_if_their_sizes_are_equal(sizes):
    d, similarity = 5, st.FeatureSimilarity.from_groups([0, 0, 0, 1, 1])
    values = [
        st.stability(st.Selections.from_sets([a, b], n_features=d), "sechidis", similarity=similarity)
        for a in combinations(range(d), sizes[0])
        for b in combinations(range(d), sizes[1])
    ]
    k, total = np.array(sizes), d + similarity.total()
    off = (np.mean(k**2) - k.mean()) / (d**2 - d) - k.mean() ** 2 / d**2
    spread = d * (k.mean() / d) * (1 - k.mean() / d) + similarity.total() * off
    assert np.mean(values) == pytest.approx(-k.var() * total / (d**2 * spread), abs=1e-12)


def test_sechidis_of_halves_that_are_alike_across_grows_with_the_number_of_features():
    values = []
    for half in (2, 5, 20):
        C = np.kron([[0, 0.95], [0.95, 0]], np.ones((half, half))) + np.eye(2 * half)
        selections = st.Selections.from_sets([range(half), range(half, 2 * half)], n_features=2 * half)
        values.append(st.stability(selections, "sechidis", similarity=st.FeatureSimilarity.from_matrix(C)))
    assert 1 < values[0] < values[1] < values[2]


def test_stand_ins_of_one_group_count_as_the_same_choice():
    similarity = st.FeatureSimilarity.from_groups([[3, 4, 5, 6]], n_features=7)
    apart = st.Selections.from_sets([[3, 4], [5, 6]], n_features=7)
    assert st.stability(apart, "sechidis", similarity=similarity) == 1.0
    shared = st.Selections.from_sets([[0, 1], [0, 2]], n_features=7)
    assert st.stability(shared, "sechidis", similarity=similarity) == pytest.approx(0.02)


def test_the_size_of_the_blocks_does_not_matter(monkeypatch):
    rng = np.random.default_rng(8)
    Z = rng.random((5, 40)) < 0.4
    similarity = st.FeatureSimilarity.from_data(rng.normal(size=(12, 40)))
    at_once = st.stability(Z, "sechidis", similarity=similarity, thresholded=False)
    monkeypatch.setattr(adjusted, "CELLS_A_BLOCK", 100)
    in_blocks = st.stability(Z, "sechidis", similarity=similarity, thresholded=False)
    assert in_blocks == pytest.approx(at_once, abs=1e-12)


def test_every_kind_of_similarity_gives_the_same_sechidis():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30, 8)).repeat(3, axis=1)
    X += 0.2 * rng.normal(size=X.shape)
    Z = rng.random((6, 24)) < 0.3
    computed = st.FeatureSimilarity.from_data(X)
    matrix = st.FeatureSimilarity.from_matrix(computed.block(range(24), range(24)))
    for thresholded in (True, False):
        values = [st.stability(Z, "sechidis", similarity=s, thresholded=thresholded) for s in (computed, matrix)]
        assert values[0] == pytest.approx(values[1], abs=1e-12)
