"""Measures that count similar features as alike: reference values, published tables, identities, what is undefined."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hyp

import steadyset as st
from steadyset.measures.evaluate import Options
from steadyset.measures.random_overlaps import RandomOverlaps
from steadyset.measures.record import get_family

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "adjusted.json").read_text(encoding="utf-8"))
SEVEN = ORACLES["seven_features"]
INTERSECTIONS = ["intersection_mbm", "intersection_greedy", "intersection_count", "intersection_mean"]
ADJUSTED = ["zucknick", "yu", *INTERSECTIONS, "pogr", "npogr"]
EXPECTATION = {"none": "none", "exact": "exact", "estimate": "monte_carlo"}


def similarity_of(case: dict, threshold: float = 0.9) -> st.FeatureSimilarity:
    C = np.eye(case["n_features"])
    for x, y, c in case["similar"]:
        C[x, y] = C[y, x] = c
    return st.FeatureSimilarity.from_matrix(C, threshold=threshold)


def selections_of(case: dict) -> st.Selections:
    return st.Selections.from_sets(case["features"], n_features=case["n_features"])


def seven_features() -> st.FeatureSimilarity:
    C = np.full((7, 7), SEVEN["between"])
    for block in SEVEN["blocks"]:
        C[np.ix_(block, block)] = SEVEN["within"]
    np.fill_diagonal(C, 1)
    return st.FeatureSimilarity.from_matrix(C, threshold=SEVEN["threshold"])


@hyp.composite
def runs_and_similarities(draw, low=2, high=12):
    d = draw(hyp.integers(low, high))
    rng = np.random.default_rng(draw(hyp.integers(0, 2**32 - 1)))
    Z = rng.random((draw(hyp.integers(2, 5)), d)) < draw(hyp.sampled_from([0.2, 0.5, 0.8]))
    C = np.where(rng.random((d, d)) < draw(hyp.sampled_from([0.1, 0.3, 1.0])), rng.uniform(0.9, 1, (d, d)), 0.5)
    C = np.triu(C, 1)
    return st.Selections.from_matrix(Z), st.FeatureSimilarity.from_matrix(C + C.T + np.eye(d))


@pytest.mark.parametrize("case", ORACLES["cases"], ids=lambda case: case["id"])
def test_adjusted_measures_agree_with_the_reference_implementation(case):
    runs = selections_of(case)
    thresholds = {threshold: similarity_of(case, threshold) for _, threshold, *_ in case["results"]}
    for name, threshold, correction, value, *more in case["results"]:
        similarity = thresholds[threshold]
        if name == "yu" and not len(similarity.neighbours.values):
            continue  # the reference computes `unadjusted` here; the formula gives kappa, tested below
        found = st.stability(
            runs, name, similarity=similarity, expectation=EXPECTATION[correction], n_draws=5000, random_state=0
        )
        tolerance = 4 * more[-1] if correction == "estimate" else 1e-10
        assert found == pytest.approx(np.nan if value is None else value, abs=tolerance, nan_ok=True), name
        if value is None:
            zero = st.stability(
                runs, name, similarity=similarity, expectation=EXPECTATION[correction], undefined=0, random_state=0
            )
            assert zero == pytest.approx(more[0], abs=1e-10), name


@pytest.mark.parametrize("case", ORACLES["pogr"], ids=lambda case: case["id"])
def test_pogr_agrees_with_the_reference_implementation(case):
    for threshold, value in case["values"].items():
        found = st.stability(selections_of(case), "pogr", similarity=similarity_of(case, float(threshold)))
        assert found == pytest.approx(np.nan if value is None else value, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", sorted(SEVEN["measures"]))
def test_all_pairs_of_subsets_of_seven_features_have_the_published_missing_values(name):
    subsets = ((np.arange(128)[:, None] >> np.arange(7)) & 1).astype(bool)
    runs = st.Selections.from_matrix(np.concatenate([subsets, subsets]))
    table = get_family("adjusted").pair_scores(runs, st.get_measure(name), Options(similarity=seven_features()))
    defined = table[:128, 128:][~np.isnan(table[:128, 128:])]
    wanted = SEVEN["measures"][name]
    assert 128 * 128 - defined.size == wanted["published_missing"]
    found = {"mean": defined.mean(), "min": defined.min(), "max": defined.max(), "sum": defined.sum()}
    assert found == pytest.approx({key: wanted[key] for key in found}, abs=1e-8)
    assert defined @ defined == pytest.approx(wanted["sum_of_squares"], abs=1e-8)


@pytest.mark.parametrize("row", SEVEN["published_rows"], ids=str)
def test_two_published_pairs_of_seven_features(row):
    runs = st.Selections.from_sets(row["features"], n_features=7)
    found = st.stability_table(runs, list(row["values"]), similarity=seven_features())["estimate"]
    assert found.to_dict() == pytest.approx(row["values"], abs=1e-12)
    assert {name: round(found[name], 4) for name in row["published"]} == row["published"]


@pytest.mark.parametrize("name", sorted(SEVEN["expectations"]))
def test_expectations_of_seven_features_by_size(name):
    chance = RandomOverlaps(seven_features())
    a, b = (grid.ravel() for grid in np.meshgrid(np.arange(1, 8), np.arange(1, 8), indexing="ij"))
    wanted = np.array(SEVEN["expectations"][name], dtype=float)[1:, 1:].ravel()
    np.testing.assert_allclose(chance.exact(st.get_measure(name), a, b), wanted, atol=1e-12)


# ---- identities ------------------------------------------------------------------------------------------------------

TWINS = [("yu", "kappa"), ("zucknick", "jaccard"), ("pogr", "pog"), ("npogr", "npog")] + [
    (name, "unadjusted") for name in INTERSECTIONS
]


@pytest.mark.parametrize(("name", "twin"), TWINS)
@settings(max_examples=25)
@given(hyp.integers(0, 2**32 - 1), hyp.integers(1, 40))
def test_without_similar_features_an_adjusted_measure_is_its_unadjusted_twin(name, twin, seed, d):
    rng = np.random.default_rng(seed)
    runs = st.Selections.from_matrix(rng.random((4, d)) < rng.random((4, 1)))
    similarity = st.FeatureSimilarity.from_matrix(np.eye(d))
    for undefined in ("nan", 0.0):
        found = st.stability_table(runs, [name], similarity=similarity, undefined=undefined)
        wanted = st.stability(runs, twin, undefined=undefined)
        assert found["estimate"][name] == pytest.approx(wanted, abs=1e-12, nan_ok=True)
        assert found["mc_error"][name] == 0


@given(runs_and_similarities())
def test_greedy_never_beats_the_maximum_matching_which_never_beats_count(both):
    runs, similarity = both
    raw = st.stability_table(runs, INTERSECTIONS, similarity=similarity, expectation="none")["estimate"]
    assert raw["intersection_greedy"] <= raw["intersection_mbm"] <= raw["intersection_count"]
    assert raw["intersection_mean"] <= raw["intersection_count"] + 1e-12


@settings(max_examples=50)
@given(runs_and_similarities(high=7))
def test_identical_sets_score_one_where_defined(both):
    runs, similarity = both
    same = st.Selections.from_sets([runs.selected(0)] * 3, n_features=runs.n_features)
    for name in ADJUSTED:
        value = st.stability(same, name, similarity=similarity)
        k, alone = same.sizes[0], not len(similarity.neighbours.values)
        if k > 0 and (name in ("zucknick", "pogr") or (alone and k < same.n_features)):
            assert value == pytest.approx(1, abs=1e-9), name
        else:  # undefined where random sets reach the maximum too
            assert np.isnan(value) or value == pytest.approx(1, abs=1e-9), name


@settings(max_examples=50)
@given(runs_and_similarities(high=8))
def test_measures_are_the_means_of_their_pair_scores(both):
    runs, similarity = both
    for name in ADJUSTED:
        measure = st.get_measure(name)
        table = get_family("adjusted").pair_scores(runs, measure, Options(similarity=similarity))
        i, j = np.nonzero(~np.eye(runs.n_runs, dtype=bool))
        wanted = table[i, j].mean()
        assert st.stability(runs, name, similarity=similarity) == pytest.approx(wanted, abs=1e-9, nan_ok=True)
        if measure.symmetric:
            np.testing.assert_array_equal(table, table.T)


@settings(max_examples=50)
@given(runs_and_similarities(high=9), hyp.randoms(use_true_random=False))
def test_relabelling_the_features_changes_nothing_when_similarities_differ(both, random):
    runs, similarity = both
    d = runs.n_features
    order = list(range(d))
    random.shuffle(order)
    moved = st.FeatureSimilarity.from_matrix(similarity.block(order, order))
    place = np.argsort(order)
    moved_runs = st.Selections.from_sets([place[runs.selected(i)] for i in range(runs.n_runs)], n_features=d)
    found = st.stability_table(moved_runs, ADJUSTED, similarity=moved)["estimate"]
    wanted = st.stability_table(runs, ADJUSTED, similarity=similarity)["estimate"]
    np.testing.assert_allclose(found, wanted, atol=1e-9)


@given(runs_and_similarities(high=8))
def test_corrected_pogr_is_npogr(both):
    runs, similarity = both
    found = st.stability(runs, "pogr", similarity=similarity, expectation="exact")
    assert found == pytest.approx(st.stability(runs, "npogr", similarity=similarity), abs=1e-9, nan_ok=True)


@settings(max_examples=50)
@given(runs_and_similarities(high=8))
def test_one_measure_has_the_value_that_it_has_in_a_table(both):
    runs, similarity = both
    table = st.stability_table(runs, ADJUSTED, similarity=similarity)["estimate"]
    for name in ADJUSTED:
        assert st.stability(runs, name, similarity=similarity) == pytest.approx(table[name], abs=1e-12, nan_ok=True)


# ---- undefined, and what is refused ----------------------------------------------------------------------------------


def test_all_features_similar_leaves_nothing_to_measure_for_sets_of_one_size():
    """Random sets of one size always reach the maximum: undefined, not a residue of rounding."""
    for d in (4, 5, 6, 9, 300):
        similarity = st.FeatureSimilarity.from_matrix(np.ones((d, d)))
        runs = st.Selections.from_sets([[0, 1], [2, 3], [0, 3]], n_features=d)
        for name in ("yu", *INTERSECTIONS, "npogr"):
            assert np.isnan(st.stability(runs, name, similarity=similarity, random_state=0)), (name, d)


def test_the_note_says_which_run_is_to_blame():
    runs = st.Selections.from_sets({"a": [0, 1], "b": [], "c": [1, 2, 3]}, n_features=5)
    similarity = st.FeatureSimilarity.from_matrix(np.eye(5))
    table = st.stability_table(runs, ["intersection_mbm", "yu"], similarity=similarity)
    assert table["note"]["intersection_mbm"].startswith("undefined for 2 of 3 pairs")
    assert table["note"]["intersection_mbm"].endswith("run b")
    assert table["note"]["yu"] == ""
    with pytest.raises(st.UndefinedError, match="intersection_mbm is undefined for 2 of 3 pairs"):
        st.stability(runs, "intersection_mbm", similarity=similarity, undefined="raise")


def test_an_impossible_exact_expectation_is_refused_in_one_sentence():
    rng = np.random.default_rng(0)
    C = np.triu(np.where(rng.random((60, 60)) < 0.1, 0.95, 0.0), 1)
    similarity = st.FeatureSimilarity.from_matrix(C + C.T + np.eye(60))
    runs = st.Selections.from_matrix(rng.random((3, 60)) < 0.3)
    for name in INTERSECTIONS:
        with pytest.raises(st.InputError, match=f"^{name} is not corrected: sets of .* too many to enumerate"):
            st.stability(runs, name, similarity=similarity, expectation="exact")
    table = st.stability_table(runs, INTERSECTIONS, similarity=similarity, expectation="exact")
    assert table["estimate"].isna().all()
    assert table["note"].str.startswith("not corrected").all()
    assert np.isfinite(st.stability(runs, "yu", similarity=similarity, expectation="exact"))


def test_a_measure_of_ones_own_gets_its_expectation_too():
    def overlap(pairs):
        return (pairs.shared + np.sqrt(pairs.covered_i * pairs.covered_j)) / np.maximum(pairs.size_i, pairs.size_j)

    st.register_measure("own", overlap, family="adjusted", bounds=(0, 1), needs=("similarity",))
    try:
        C = np.eye(8)
        C[0, 1] = C[1, 0] = C[2, 1] = C[1, 2] = 0.95
        similarity = st.FeatureSimilarity.from_matrix(C)
        runs = st.Selections.from_sets([[0, 3], [1, 3], [2, 4]], n_features=8)
        exact = st.stability(runs, "own", similarity=similarity, expectation="exact")
        table = st.stability_table(
            runs, ["own"], similarity=similarity, expectation="monte_carlo", n_draws=20_000, random_state=0
        )
        assert 0 < table["mc_error"]["own"] < 0.01
        assert table["estimate"]["own"] == pytest.approx(exact, abs=4 * table["mc_error"]["own"])
        assert exact < st.stability(runs, "own", similarity=similarity)
    finally:
        st.unregister_measure("own")


def test_a_quantity_that_was_not_asked_for_is_undefined_and_not_zero():
    st.register_measure("careless", lambda pairs: pairs.matched, family="adjusted", needs=("similarity",))
    try:
        runs = st.Selections.from_sets([[0, 1], [1, 2]], n_features=4)
        similarity = st.FeatureSimilarity.from_matrix(np.eye(4))
        assert np.isnan(st.stability(runs, "careless", similarity=similarity))
        st.unregister_measure("careless")
        st.register_measure(
            "careless", lambda pairs: pairs.matched, family="adjusted", needs=("similarity",), uses=("matched",)
        )
        assert st.stability(runs, "careless", similarity=similarity) == 0
        with pytest.raises(st.InputError, match="careless has no largest value to scale to"):
            st.stability(runs, "careless", similarity=similarity, expectation="exact")
    finally:
        st.unregister_measure("careless")


def test_a_draw_of_random_runs_has_mean_zero():
    """Corrected for chance: over all pairs of subsets of two sizes the mean is 0."""
    subsets = np.array([s for s in np.ndindex(*(2,) * 7) if sum(s) == 3], dtype=bool)
    runs = st.Selections.from_matrix(np.concatenate([subsets, subsets]))
    n = len(subsets)
    for name in ("yu", *INTERSECTIONS, "npogr"):
        table = get_family("adjusted").pair_scores(runs, st.get_measure(name), Options(similarity=seven_features()))
        assert table[:n, n:].mean() == pytest.approx(0, abs=1e-12), name
