"""Maximal shared importance and its relatives: original values, the figures of the paper, and what must hold."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.optimize import linear_sum_assignment

import steadyset as st
from steadyset.measures import weights
from steadyset.measures.evaluate import Options
from steadyset.measures.record import get_family

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "ecml21.json").read_text(encoding="utf-8"))["cases"]
WITH_MSI = [case for case in CASES if "phi_msi" in case["values"]]
WORKED = [case for case in CASES if case["id"].startswith("worked_example")]


def runs_of(case):
    return st.Selections.from_sets(case["selected"], n_features=case["d"]).with_weights(case["importances"])


def similarity_of(case, threshold=0.9):
    C = np.zeros((case["d"], case["d"]))
    C[np.tril_indices(case["d"])] = case["similarity_lower_triangle"]
    C = np.maximum(C, C.T)
    return st.FeatureSimilarity.from_matrix(C, threshold=threshold, diagonal="keep")


def table(sel, measure="msi", **options):
    record = st.get_measure(measure)
    return get_family(record).pair_scores(sel, record, Options(**options))


@some.composite
def weighted_runs(draw, equal=False):
    rng = np.random.default_rng(draw(some.integers(0, 2**32 - 1)))
    M, d = draw(some.integers(2, 5)), draw(some.integers(2, 12))
    k = draw(some.integers(1, d))
    W = np.zeros((M, d))
    for row in W:
        size = k if equal else rng.integers(0, d + 1)
        row[rng.choice(d, size, replace=False)] = 1.0 if equal else rng.normal(size=size)
    C = np.maximum(upper := np.triu(rng.random((d, d)), 1), upper.T) + np.eye(d)
    return W, C


# ---- original values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", WITH_MSI, ids=lambda case: case["id"])
def test_values_of_the_original_implementation(case):
    sel, similarity, values = runs_of(case), similarity_of(case), case["values"]
    assert st.stability(sel, "msi", similarity=similarity) == pytest.approx(values["phi_msi"], abs=1e-10)
    optima = table(sel, similarity=similarity)[np.triu_indices(sel.n_runs, 1)] * sel.sizes.mean()
    assert optima == pytest.approx(np.array(case["pair_optima"]), abs=1e-10)
    if "phi_pears" in values:
        assert st.stability(sel, "pearson") == pytest.approx(values["phi_pears"], abs=1e-10)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_other_values_that_the_original_implementation_compares_with(case):
    sel, values = runs_of(case), case["values"]
    for name, measure, params, threshold in (
        ("phi", "nogueira", {}, 0.9),
        ("phi_S", "sechidis", {"thresholded": False}, 0.9),
        ("POGR", "pogr", {}, 0.5),
        ("POGR_threshold_0.8", "pogr", {}, 0.8),
    ):
        if name in values:
            value = st.stability(sel, measure, similarity=similarity_of(case, threshold), **params)
            assert value == pytest.approx(values[name], abs=1e-10), name


@pytest.mark.parametrize("case", WORKED, ids=lambda case: case["id"])
def test_the_worked_example_of_figure_3(case):
    sel, similarity = runs_of(case), similarity_of(case)
    assert st.stability(sel, "phi_msi", similarity=similarity) == pytest.approx(0.48, abs=1e-14)
    plan = st.shared_importance(sel, 0, 1, similarity)
    shared = plan[plan.similarity > 0].set_index(["feature_i", "feature_j"])
    published = {("x1", "x1"): (0.7, 1.0), ("x0", "x5"): (0.6, 0.8), ("x0", "x4"): (0.7, 0.6), ("x2", "x5"): (0.8, 0.4)}
    assert {pair: (row.amount, row.similarity) for pair, row in shared.iterrows()} == {
        pair: pytest.approx(values, abs=1e-12) for pair, values in published.items()
    }


# ---- the scenarios of section 4: a group of q features that stand for each other, half of the information shared -----

D_MANY = 100_000
GREEN, OTHERS = 100, np.array([[101, 102], [103, 104]])


def scenario(number, q, shares=None):
    """Two runs with the group (one feature of it in run 1 of scenario 2), a common feature and two of their own."""
    sets, weights = [], []
    for run in (0, 1):
        size = 1 if number == 2 and run == 0 else q
        inside = np.full(size, 1 / size) if shares is None or size == 1 else shares[run]
        sets.append([*range(size), GREEN, *OTHERS[run]])
        weights.append([*inside, 1.0, 1.0, 1.0])
    return st.Selections.from_sets(sets, n_features=D_MANY).with_weights(weights)


TABLE_1 = {
    1: {
        "sechidis": lambda q: (q + 1) / (q + 3),
        "nogueira": lambda q: (q + 1) / (q + 3),
        "pearson": lambda q: (q + 1) / (3 * q + 1),
        "pogr": lambda q: (q + 1) / (q + 3),
    },
    2: {
        "sechidis": lambda q: 1 - (q**2 - 2 * q + 5) / (q + 7),
        "nogueira": lambda q: 1 - (q + 3) / (q + 7),
        "pearson": lambda q: (1 / (4 * q) + 1 / 4) / np.sqrt(1 / (4 * q) + 3 / 4),
        "pogr": lambda q: (1 / 2 + (q + 1) / (q + 3)) / 2,
    },
}


@pytest.fixture(scope="module")
def fifty_alike():
    """The first 50 features can stand for each other, no others; only the selected ones matter to the measures."""
    return st.FeatureSimilarity.from_groups([range(50)], n_features=D_MANY)


@pytest.mark.parametrize("number", [1, 2])
def test_with_many_features_the_other_measures_follow_table_1_and_msi_stays_one_half(number, fifty_alike):
    for q in range(1, 51):
        sel = scenario(number, q)
        assert st.stability(sel, "msi", similarity=fifty_alike) == pytest.approx(1 / 2, abs=1e-12)
        for measure, formula in TABLE_1[number].items():
            value = st.stability(sel, measure, similarity=fifty_alike)
            assert value == pytest.approx(formula(q), rel=1e-3, abs=1e-3), (measure, q)


@pytest.mark.parametrize("number", [1, 2])
def test_msi_stays_one_half_however_importance_is_spread_within_the_group(number, fifty_alike):
    rng = np.random.default_rng(number)
    for q in (2, 5, 50):
        sel = scenario(number, q, shares=rng.dirichlet(np.ones(q), size=2))
        assert st.stability(sel, "msi", similarity=fifty_alike) == pytest.approx(1 / 2, abs=1e-12)


# ---- what must hold --------------------------------------------------------------------------------------------------


@given(weighted_runs(equal=True))
def test_equal_importances_without_similar_features_share_r_over_k(drawn):
    W, _ = drawn
    sel = st.Selections.from_weights(W)
    r, k = sel.intersections(), sel.sizes[0]
    off = ~np.eye(len(W), dtype=bool)
    for measure in ("msi", "yu_ding_loscalzo"):
        scores = table(sel, measure, similarity=st.FeatureSimilarity.from_matrix(np.eye(sel.n_features)))
        assert scores[off] == pytest.approx((r / k)[off], abs=1e-12)


@given(weighted_runs(equal=True))
def test_equal_importances_and_sizes_make_msi_the_matching_of_yu_ding_and_loscalzo(drawn):
    W, C = drawn
    sel, similarity = st.Selections.from_weights(W), st.FeatureSimilarity.from_matrix(C)
    matched = table(sel, "yu_ding_loscalzo", similarity=similarity)
    assert table(sel, similarity=similarity) == pytest.approx(matched, abs=1e-12, nan_ok=True)
    c = C[np.ix_(sel.selected(0), sel.selected(1))]
    assert matched[0, 1] == pytest.approx(c[linear_sum_assignment(-c)].mean(), abs=1e-12)


@given(weighted_runs(), some.randoms(use_true_random=False))
def test_msi_depends_neither_on_order_nor_on_scale_nor_on_sign(drawn, random):
    W, C = drawn
    value = st.stability(st.Selections.from_weights(W), "msi", similarity=st.FeatureSimilarity.from_matrix(C))
    features = np.array(random.sample(range(len(C)), len(C)))
    runs = np.array(random.sample(range(len(W)), len(W)))
    other = (W * np.linspace(0.1, 10, len(W))[:, None] * random.choice([-1, 1]))[np.ix_(runs, features)]
    similarity = st.FeatureSimilarity.from_matrix(C[np.ix_(features, features)])
    assert st.stability(st.Selections.from_weights(other), "msi", similarity=similarity) == pytest.approx(
        value, abs=1e-12
    )
    assert 0 <= value <= 1


@given(weighted_runs())
def test_more_similar_features_share_at_least_as_much(drawn):
    W, C = drawn
    sel = st.Selections.from_weights(W)
    less, more = (st.FeatureSimilarity.from_matrix(np.maximum(c, np.eye(len(C)))) for c in (C, np.sqrt(C)))
    assert st.stability(sel, "msi", similarity=less) <= st.stability(sel, "msi", similarity=more) + 1e-12


@given(weighted_runs())
def test_runs_share_everything_when_all_features_are_alike_and_only_an_empty_run_shares_nothing(drawn):
    W, C = drawn
    sel = st.Selections.from_weights(W)
    empty = sel.sizes == 0
    expected = np.where(empty[:, None] == empty[None, :], 1.0, 0.0)
    np.fill_diagonal(expected, np.nan)
    scores = table(sel, similarity=st.FeatureSimilarity.from_matrix(np.ones_like(C)))
    assert scores == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(weighted_runs())
def test_the_shared_importance_adds_up_to_msi_and_exhausts_both_runs(drawn):
    W, C = drawn
    sel, similarity = st.Selections.from_weights(W), st.FeatureSimilarity.from_matrix(C)
    mean_size, score = sel.sizes.mean(), table(sel, similarity=similarity)[0, 1]
    plan = st.shared_importance(sel, 0, 1, similarity)
    if sel.sizes[:2].min() == 0:
        assert plan.empty
        return
    assert (plan.amount * plan.similarity).sum() / mean_size == pytest.approx(score, abs=1e-12)
    for run, column in ((0, "feature_i"), (1, "feature_j")):
        given_away = plan.groupby(column).amount.sum().reindex(sel.features, fill_value=0.0)
        importance = np.abs(W[run]) / np.abs(W[run]).sum() * mean_size
        assert given_away.to_numpy() == pytest.approx(importance, abs=1e-12)


def test_without_weights_the_selected_features_count_as_equally_important_and_the_note_says_so():
    sel = st.Selections.from_sets([[0, 1], [1, 2, 3]], n_features=4)
    similarity = st.FeatureSimilarity.from_matrix(np.eye(4))
    row = st.stability_table(sel, ["msi"], similarity=similarity).loc["msi"]
    assert row.estimate == pytest.approx(1 / 3)
    assert "equally important" in row.note
    weighted = sel.with_weights([[2, 2], [5, 5, 5]])
    row = st.stability_table(weighted, ["msi"], level=None, similarity=similarity).loc["msi"]
    assert (row.estimate, row.note) == (pytest.approx(1 / 3), "")


def test_thresholded_similarities_count_from_the_threshold_on():
    sel = st.Selections.from_sets([[0, 1], [2, 3]], n_features=4)
    C = np.eye(4)
    C[0, 2] = C[2, 0] = 0.9
    C[1, 3] = C[3, 1] = 0.6
    similarity = st.FeatureSimilarity.from_matrix(C, threshold=0.9)
    assert st.stability(sel, "msi", similarity=similarity) == pytest.approx(0.75)
    assert st.stability(sel, "msi", similarity=similarity, thresholded=True) == pytest.approx(0.45)


def test_blocks_of_similarities_give_the_same_scores(monkeypatch):
    rng = np.random.default_rng(5)
    W = rng.exponential(size=(12, 40)) * (rng.random((12, 40)) < 0.2)
    W[4] = 0
    sel, similarity = st.Selections.from_weights(W), st.FeatureSimilarity.from_data(rng.normal(size=(30, 40)))
    whole = table(sel, similarity=similarity)
    monkeypatch.setattr(weights, "CELLS_A_BLOCK", 500)
    assert len(list(weights._groups(weights.weight_rows(sel)))) > 3
    assert np.array_equal(table(sel, similarity=similarity), whole, equal_nan=True)


def test_yu_ding_loscalzo_is_undefined_for_different_sizes_and_names_the_odd_run():
    similarity = st.FeatureSimilarity.from_matrix(np.eye(5))
    sel = st.Selections.from_sets([[0, 1], [1, 2], [1, 2, 3]], n_features=5)
    row = st.stability_table(sel, ["yu_ding_loscalzo"], similarity=similarity).loc["yu_ding_loscalzo"]
    assert np.isnan(row.estimate)
    assert row.note.endswith("undefined for 2 of 3 pairs (the sizes differ, or k is 0): run 3")
    assert st.stability(sel, "yu_ding_loscalzo", similarity=similarity, undefined=0) == pytest.approx(1 / 6)


def test_two_empty_sets_match_nothing():
    sel = st.Selections.from_sets([[], []], n_features=3)
    similarity = st.FeatureSimilarity.from_matrix(np.eye(3))
    assert np.isnan(st.stability(sel, "yu_ding_loscalzo", similarity=similarity))
    assert st.stability(sel, "msi", similarity=similarity) == 1


def test_missing_similarities_weights_and_runs_are_named():
    sel = st.Selections.from_sets([[0], [1]], n_features=3)
    similarity = st.FeatureSimilarity.from_matrix(np.eye(3))
    with pytest.raises(st.InputError, match="msi needs the similarity"):
        st.stability(sel, "msi")
    with pytest.raises(st.InputError, match="pearson needs weights"):
        st.stability(sel, "pearson")
    with pytest.raises(st.InputError, match=r"j must be a run from 0 to 1 \(got 2\)"):
        st.shared_importance(sel, 0, 2, similarity)
    with pytest.raises(st.InputError, match='expectation must be "auto" or "none"'):
        st.stability(sel, "msi", similarity=similarity, expectation="exact")


# ---- pearson ---------------------------------------------------------------------------------------------------------


@given(weighted_runs())
def test_pearson_is_the_mean_correlation_of_the_absolute_weights(drawn):
    W, _ = drawn
    sel = st.Selections.from_weights(W)
    if (np.ptp(np.abs(W), axis=1) == 0).any():
        assert np.isnan(st.stability(sel, "pearson"))
        return
    correlations = np.corrcoef(np.abs(W))
    assert st.stability(sel, "pearson") == pytest.approx(correlations[np.triu_indices(len(W), 1)].mean(), abs=1e-12)
    np.fill_diagonal(correlations, np.nan)
    assert table(sel, "pearson") == pytest.approx(correlations, abs=1e-12, nan_ok=True)


def test_pearson_of_zeros_and_ones_is_phi():
    Z = np.random.default_rng(3).random((6, 30)) < 0.3
    weighted = st.Selections.from_weights(Z.astype(float))
    assert st.stability(weighted, "phi_pears") == pytest.approx(st.stability(Z, "phi"), abs=1e-12)


def test_pearson_keeps_its_digits_when_all_weights_are_large_and_alike():
    W = 1e6 + np.random.default_rng(4).random((3, 20))
    expected = np.corrcoef(W - 1e6)[np.triu_indices(3, 1)].mean()
    assert st.stability(st.Selections.from_weights(W), "pearson") == pytest.approx(expected, abs=1e-8)


def test_a_run_of_equal_weights_has_no_correlation_and_is_named():
    W = np.array([[0.1, 0.1, 0.1], [1.0, 2.0, 0.0], [3.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    row = st.stability_table(st.Selections.from_weights(W), ["pearson"]).loc["pearson"]
    assert np.isnan(row.estimate)
    assert row.note.startswith("undefined for 5 of 6 pairs")
    assert row.note.endswith(": runs 1, 4")
    defined = st.stability(st.Selections.from_weights(W[1:3]), "pearson")
    assert st.stability(st.Selections.from_weights(W), "pearson", undefined=0) == pytest.approx(defined / 6)
    with pytest.raises(st.UndefinedError, match="pearson is undefined for 5 of 6 pairs"):
        st.stability(st.Selections.from_weights(W), "pearson", undefined="raise")
