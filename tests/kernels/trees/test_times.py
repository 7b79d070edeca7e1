"""Trees of times to an event: their cuts are those of the log-rank test, their leaves hold the mortality."""

import json
from pathlib import Path

import numpy as np
import pytest
from test_growth import grown, only, out_of_bag

import steadyset as st
from steadyset.kernels.trees.growth import DECREASE, PERMUTATION, predict
from steadyset.selectors.models.trees import ForestData, Growth, forest_importances

KNOWN = json.loads((Path(__file__).parents[2] / "oracles" / "survival_models.json").read_text(encoding="utf-8"))[
    "forest"
]
FOLLOWED = 0


def example(seed, n=70, d=4, ties=8):
    """Rows in the order of their times, events first, and these as signed ranks."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(1)
    time = np.ceil(ties * rng.exponential(np.exp(X[:, 1] - X[:, 0])))
    event = rng.random(n) < 0.7
    order = np.lexsort((~event, time))
    X, time, event = X[order], time[order], event[order]
    ranks = np.unique(time, return_inverse=True)[1] + 1.0
    return X, time, event, np.where(event, ranks, -ranks)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("least", [1, 5])
def test_the_first_cut_has_the_largest_log_rank_statistic_of_all(seed, least):
    X, time, event, numbers = example(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(X))
    statistics = {}
    for feature in range(X.shape[1]):
        for cut in np.unique(X[:, feature])[:-1]:
            below = X[:, feature] <= cut
            if min(weight[below].sum(), weight[~below].sum()) >= least:
                statistics[feature, cut] = st.scores.logrank(time, event, below.astype(int), weight)[0]
    trees, gains, _ = grown(X, numbers, FOLLOWED, weight, importance=DECREASE, max_depth=1, least_leaf=least)
    (feature, cut), best = max(statistics.items(), key=lambda item: item[1])
    assert trees.feature[0] == feature
    assert gains[feature] * weight.sum() == pytest.approx(best, rel=1e-9)
    assert ((X[:, feature] <= trees.threshold[0]) == (X[:, feature] <= cut)).all()


def test_every_later_cut_is_that_of_the_rows_in_its_node():
    X, _, _, numbers = example(9, n=120)
    trees, _, _ = grown(X, numbers, FOLLOWED, max_depth=2, least_leaf=5)
    left = X[:, trees.feature[0]] <= trees.threshold[0]
    for node, rows in ((1, left), (trees.right[0], ~left)):
        again, _, _ = grown(X[rows], numbers[rows], FOLLOWED, max_depth=1, least_leaf=5)
        assert (again.feature[0], again.threshold[0]) == (trees.feature[node], trees.threshold[node])


def test_a_leaf_holds_the_cumulated_hazard_summed_over_the_times_of_events():
    X, time, event, numbers = example(3)
    trees, _, _ = grown(X, numbers, FOLLOWED, least_leaf=8)
    found = predict(trees, X)[:, 0]
    moments = np.unique(time[event])
    for value in np.unique(found):
        own = found == value
        hazards = [(event & own & (time == t)).sum() / max(1, (own & (time >= t)).sum()) for t in moments]
        assert value == pytest.approx(np.cumsum(hazards).sum())


def test_permutation_importance_is_the_loss_of_concordance_on_out_of_bag_rows():
    X, time, event, numbers = example(5, n=60)
    options = {"bootstrap": True, "n_candidates": 2, "least_leaf": 3, "importance": PERMUTATION}
    trees, importances, n_counted = grown(X, numbers, FOLLOWED, n_trees=40, **options)
    rng = np.random.default_rng(0)
    loss = np.zeros((40, 4))
    for tree in range(40):
        rows = out_of_bag(tree, 60)
        for feature, _ in np.ndindex(4, 6):
            shuffled = X[rows]
            shuffled[:, feature] = rng.permutation(shuffled[:, feature])
            intact, lost = (
                st.scores.harrell(time[rows], event[rows], predict(only(trees, tree), values)[:, 0])
                for values in (X[rows], shuffled)
            )
            loss[tree, feature] += (intact - lost) / 6
    assert n_counted == 40
    assert (np.abs(importances / 40 - loss.mean(axis=0)) < 2.5 * loss.std(axis=0) / np.sqrt(40)).all()
    assert loss.mean(axis=0)[1] > 0.04


def test_without_variation_of_risk_there_is_no_cut():
    X, _, _, _ = example(1)
    for numbers in (-np.arange(1.0, 71), np.ones(70)):  # all censored; all at one time
        trees, gains, _ = grown(X, numbers, FOLLOWED, importance=DECREASE)
        assert (len(trees.feature), gains.sum()) == (1, 0)


def test_both_ways_to_sort_codes_give_the_same_forest():
    X, _, _, numbers = example(2, n=200)
    options = {"n_trees": 5, "bootstrap": True, "n_candidates": 2, "importance": PERMUTATION, "least_leaf": 3}
    (one, few, _), (other, many, _) = (grown(X, numbers, FOLLOWED, few=few, **options) for few in (0, 10**6))
    np.testing.assert_array_equal(few, many)
    np.testing.assert_array_equal(one.threshold, other.threshold)


def known():
    from steadyset.selectors.model_input import Training

    y = np.column_stack([KNOWN["time"], KNOWN["event"]]).astype(float)
    return Training(np.array(KNOWN["X"]), y, np.ones(len(y)), np.empty(0))


def test_importances_are_near_those_of_ranger():
    growth = Growth(2000, 2, least_leaf=3)
    found = forest_importances(ForestData.of(known()), growth, np.random.SeedSequence(0), "permutation")
    np.testing.assert_allclose(found, KNOWN["importance"], atol=0.01)
    assert np.argsort(found)[-3:].tolist() == np.argsort(KNOWN["importance"])[-3:].tolist() == [5, 1, 0]
