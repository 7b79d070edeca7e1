"""Expectations under random selection: closed forms, components and simulation against enumeration."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hyp

import steadyset as st
from steadyset.kernels.overlap.overlaps import COLUMNS, all_overlaps, random_overlaps
from steadyset.measures.random_overlaps import CONTROLS, RandomOverlaps

INTERSECTIONS = ["intersection_mbm", "intersection_greedy", "intersection_count", "intersection_mean"]
ALL = frozenset(("greedy", "matched"))


def similarity_of(seed, d, density, low=0.9):
    rng = np.random.default_rng(seed)
    C = np.triu(np.where(rng.random((d, d)) < density, rng.uniform(low, 1, (d, d)), 0.0), 1)
    return st.FeatureSimilarity.from_matrix(C + C.T + np.eye(d))


def in_groups(rng, sizes, d):
    """Features that are similar within groups (not all of them to all others) and alone elsewhere."""
    C = np.zeros((d, d))
    order = rng.permutation(d)
    start = 0
    for size in sizes:
        group = order[start : start + size]
        for x, y in combinations(group, 2):
            C[x, y] = C[y, x] = rng.uniform(0.9, 1) if rng.random() < 0.7 else 0.0
        start += size
    return st.FeatureSimilarity.from_matrix(C + np.eye(d))


def enumerated(chance, measure, a, b):
    table = all_overlaps(np.arange(chance.d), a, b, chance.graph(ALL), True, True)
    return float(np.mean(_scores(measure, table, a, b)))


def _scores(measure, table, a, b):
    from steadyset.measures.random_overlaps import SimilarPairs

    return measure.score(SimilarPairs.from_table(table, np.full(len(table), a), np.full(len(table), b)))


def exact(chance, measure, a, b):
    return float(chance.exact(measure, np.array([a]), np.array([b]))[0])


@settings(max_examples=40)
@given(hyp.integers(0, 2**32 - 1), hyp.integers(1, 7), hyp.sampled_from([0.1, 0.4, 1.0]), hyp.data())
def test_closed_forms_are_the_means_over_all_pairs_of_sets(seed, d, density, data):
    chance = RandomOverlaps(similarity_of(seed, d, density))
    a, b = data.draw(hyp.integers(0, d)), data.draw(hyp.integers(0, d))
    table = all_overlaps(np.arange(d), a, b, chance.graph(ALL), True, True)
    wanted = dict(zip(COLUMNS, table.mean(axis=0).tolist(), strict=True))
    means = chance.means(np.array([a]), np.array([b]))
    for name in CONTROLS:
        assert getattr(means, name)[0] == pytest.approx(wanted[name], abs=1e-12), name


@settings(max_examples=25)
@given(hyp.integers(0, 2**32 - 1), hyp.integers(2, 7), hyp.sampled_from([0.1, 0.4, 1.0]), hyp.data())
def test_exact_expectations_are_the_means_over_all_pairs_of_sets(seed, d, density, data):
    chance = RandomOverlaps(similarity_of(seed, d, density))
    a, b = data.draw(hyp.integers(1, d)), data.draw(hyp.integers(1, d))
    for name in ("zucknick", "yu", *INTERSECTIONS, "pogr", "npogr"):
        measure = st.get_measure(name)
        assert exact(chance, measure, a, b) == pytest.approx(enumerated(chance, measure, a, b), abs=1e-12), name


def test_closed_forms_are_what_simulation_finds_for_many_features():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 30)) @ rng.normal(size=(30, 400)) * 0.4 + rng.normal(size=(40, 400))
    similarity = st.FeatureSimilarity.from_data(X, threshold=0.55)
    degrees = np.diff(similarity.neighbours.indptr)
    assert len(np.unique(degrees)) > 5
    chance = RandomOverlaps(similarity)
    for a, b in ((30, 30), (10, 120), (200, 40)):
        table = random_overlaps(a, b, chance.graph(frozenset()), 0, 20_000, 5, False, False)
        means = chance.means(np.array([a]), np.array([b]))
        for name in CONTROLS:
            drawn = table[:, COLUMNS.index(name)]
            error = drawn.std() / np.sqrt(len(drawn))
            assert getattr(means, name)[0] == pytest.approx(drawn.mean(), abs=4.5 * error), (name, a, b)


def test_closed_forms_hold_their_precision_for_many_features_that_are_all_similar():
    """With c = 1 everywhere A_ij = k_i - r unless s_j is inside s_i, which for these sizes is next to impossible."""
    d = 2000
    similarity = st.FeatureSimilarity.from_groups(np.zeros(d, dtype=int))
    means = RandomOverlaps(similarity).means(np.array([40]), np.array([60]))
    assert means.covered_i[0] == pytest.approx(40 - 40 * 60 / d, rel=1e-13)
    assert means.reached_j[0] == pytest.approx(60 - 40 * 60 / d, rel=1e-13)


@pytest.mark.parametrize("name", ["intersection_mbm", "intersection_greedy"])
def test_matchings_add_up_over_components(name):
    """Groups that are cliques and groups that are not, too many features to enumerate at once: against simulation."""
    similarity = in_groups(np.random.default_rng(4), [5, 5, 4, 4, 4, 3, 3, 2, 2, 2] * 2, 90)
    chance, measure = RandomOverlaps(similarity), st.get_measure(name)
    for a, b in ((20, 20), (10, 45)):
        table = random_overlaps(a, b, chance.graph(ALL), 0, 40_000, 9, True, True)
        scores = _scores(measure, table, a, b)
        assert exact(chance, measure, a, b) == pytest.approx(
            scores.mean(), abs=4.5 * scores.std() / np.sqrt(len(scores))
        )


def test_one_large_component_is_simulated():
    """A chain of 800 features, each similar to the next, is neither a clique nor small."""
    C = np.eye(800) + 0.95 * (np.eye(800, k=1) + np.eye(800, k=-1))
    chance = RandomOverlaps(st.FeatureSimilarity.from_matrix(C))
    measure = st.get_measure("intersection_mbm")
    assert np.isnan(exact(chance, measure, 20, 30))
    found = chance.simulated([measure], 20, 30, 2000, 0)[0]
    assert 0 < found.error < 0.01
    assert found.value < exact(chance, st.get_measure("yu"), 20, 30)


@pytest.mark.parametrize("name", INTERSECTIONS)
def test_simulated_expectations_are_near_the_enumerated_ones_and_know_their_error(name):
    """200 seeds: the deviations in units of the reported standard error have mean 0 and spread 1."""
    measure = st.get_measure(name)
    chance = RandomOverlaps(similarity_of(8, 9, 0.25))
    wanted = enumerated(chance, measure, 3, 5)
    found = [chance.simulated([measure], 3, 5, 1000, seed)[0] for seed in range(200)]
    z = (np.array([one.value for one in found]) - wanted) / np.array([one.error for one in found])
    assert np.abs(z).max() < 5
    assert abs(z.mean()) < 0.25
    assert 0.8 < z.std() < 1.2


def test_regression_on_known_means_cuts_the_error_of_plain_simulation():
    similarity = st.FeatureSimilarity.from_groups(np.repeat(np.arange(100), 5))
    chance = RandomOverlaps(similarity)
    table = random_overlaps(40, 50, chance.graph(ALL), 0, 4000, 1, True, True)
    for name in INTERSECTIONS:
        measure = st.get_measure(name)
        plain = _scores(measure, table, 40, 50).std() / np.sqrt(4000)
        assert chance.simulated([measure], 40, 50, 4000, 1)[0].error < plain / 3, name


def test_what_no_draw_has_seen_is_still_expected():
    """Two similar features among 20,000: draws of small sets miss them, the closed form of E[A] does not."""
    d = 20_000
    groups = np.arange(d)
    groups[1] = 0
    similarity = st.FeatureSimilarity.from_groups(groups)
    chance, measure = RandomOverlaps(similarity), st.get_measure("intersection_count")
    truth = exact(chance, measure, 5, 5)
    found = chance.simulated([measure], 5, 5, 500, 0)[0]
    assert found.value == pytest.approx(truth, rel=1e-6)
    assert 0 < found.error < 2e-3


# ---- through the front door ------------------------------------------------------------------------------------------


def hard_case():
    rng = np.random.default_rng(0)
    return st.Selections.from_matrix(rng.random((6, 80)) < 0.25), similarity_of(1, 80, 0.05)


def test_same_seed_same_answer_whatever_was_computed_before():
    runs, used = hard_case()
    options = {"n_draws": 700, "random_state": 5}
    st.stability_table(runs, INTERSECTIONS, similarity=used, n_draws=300, random_state=5)
    together = st.stability_table(runs, INTERSECTIONS, similarity=used, **options)
    for name in INTERSECTIONS:
        fresh = st.stability_table(runs, [name], similarity=hard_case()[1], **options)
        assert fresh["estimate"][name] == pytest.approx(together["estimate"][name], abs=1e-13)
        assert fresh["mc_error"][name] == pytest.approx(together["mc_error"][name], rel=1e-9)
    other = st.stability(runs, "intersection_mbm", similarity=used, n_draws=700, random_state=6)
    assert other != together["estimate"]["intersection_mbm"]


def test_the_reported_error_of_a_stability_is_its_spread_over_seeds():
    runs, similarity = hard_case()
    for name in ("intersection_mbm", "intersection_mean"):
        tables = [
            st.stability_table(runs, [name], similarity=similarity, n_draws=300, random_state=seed)
            for seed in range(40)
        ]
        spread = np.std([table["estimate"][name] for table in tables], ddof=1)
        assert spread == pytest.approx(np.mean([table["mc_error"][name] for table in tables]), rel=0.35)


@pytest.mark.parametrize("wanted", [1e-2, 5e-4])
def test_mc_error_is_reached(wanted):
    runs, similarity = hard_case()
    table = st.stability_table(runs, INTERSECTIONS, similarity=similarity, mc_error=wanted, random_state=3)
    assert (table["mc_error"] <= wanted).all()
    long = st.stability_table(runs, INTERSECTIONS, similarity=similarity, n_draws=20_000, random_state=4)
    assert (abs(table["estimate"] - long["estimate"]) < 4 * np.hypot(table["mc_error"], long["mc_error"])).all()


def test_an_error_that_cannot_be_reached_is_refused():
    runs, similarity = hard_case()
    with pytest.raises(st.InputError, match="mc_error is 1e-12; that takes about"):
        st.stability(runs, "intersection_mbm", similarity=similarity, mc_error=1e-12)


def test_without_a_seed_the_draws_are_made_once_and_used_again():
    runs, similarity = hard_case()
    first = st.stability(runs, "intersection_count", similarity=similarity, n_draws=200)
    assert st.stability(runs, "intersection_count", similarity=similarity, n_draws=200) == first


def test_simulated_and_exact_stability_agree():
    rng = np.random.default_rng(7)
    runs, similarity = st.Selections.from_matrix(rng.random((5, 9)) < 0.4), similarity_of(3, 9, 0.3)
    for name in INTERSECTIONS:
        exactly = st.stability(runs, name, similarity=similarity, expectation="exact")
        table = st.stability_table(
            runs, [name], similarity=similarity, expectation="monte_carlo", n_draws=3000, random_state=0
        )
        assert 0 < table["mc_error"][name] < 0.02
        assert table["estimate"][name] == pytest.approx(exactly, abs=4 * table["mc_error"][name])


def test_all_of_many_similar_features_in_every_run_is_undefined_without_a_warning():
    d = 130
    alike = st.FeatureSimilarity.from_groups([f // 2 for f in range(d)])
    every = st.Selections.from_sets([range(d)] * 4, n_features=d)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(st.stability(every, "intersection_mean", similarity=alike, n_draws=50))
