"""Other rules on the halves of a shortlist, against other implementations and cases worked by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from steadyset.selectors.ensembles.rules import error_control
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.procedure import read_procedure
from steadyset.shortlists.rules import (
    LIST_RULES,
    Halves,
    compare_rules,
    conditional,
    counts_by_size,
    expected_false,
    knockoffs,
    permuted,
    smallest_fdp,
)
from steadyset.tasks import CLASSES

KNOCKOFFS = json.loads((Path(__file__).parent / "knockoffs.json").read_text(encoding="utf-8"))["cases"]
PLANTED = 6


@pytest.fixture(scope="module")
def judged():
    random = np.random.default_rng(2)
    X = random.normal(size=(80, 300))
    y = np.arange(80) % 2
    X[:, :PLANTED] += 1.5 * y[:, None]
    procedure = read_procedure(1.0, None, ("filter", "lasso"), 20, 25, 1)
    return procedure.run(X, CLASSES, exchange_of(y, CLASSES), 0)


def found_by(judged, name, base="filter"):
    rule = next(rule for rule in LIST_RULES if rule.name == name)
    return rule.find(Halves(judged, base))


@pytest.mark.parametrize("case", KNOCKOFFS)
def test_knockoffs_have_the_mean_and_covariance_of_the_r_package(case):
    mean, directions, along, across = conditional(np.array(case["X"]))
    assert mean == pytest.approx(np.array(case["mean"]), abs=1e-9)
    root = across * np.eye(mean.shape[1]) + (directions.T * (along - across)) @ directions
    assert root @ root == pytest.approx(np.array(case["covariance"]), abs=1e-9)


def test_knockoffs_are_correlated_with_others_as_the_features_are():
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 5)) + 1.2 * random.normal(size=(4000, 1))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    copies = knockoffs(X, random)
    real, both = np.corrcoef(X.T), np.corrcoef(X.T, copies.T)
    others = ~np.eye(5, dtype=bool)
    assert both[5:, 5:] == pytest.approx(real, abs=0.06)
    assert both[:5, 5:][others] == pytest.approx(real[others], abs=0.06)
    assert (np.diag(both[:5, 5:]) < np.diag(real) - 0.3).all()


def test_permuted_features_keep_their_values_and_nothing_else():
    random = np.random.default_rng(0)
    X = np.repeat(random.normal(size=(500, 1)), 3, axis=1)
    moved = permuted(X, random)
    assert (np.sort(moved, axis=0) == np.sort(X, axis=0)).all()
    assert np.abs(np.corrcoef(moved.T)[0, 1:]).max() < 0.15


def test_the_threshold_has_the_smallest_share_of_artificial_features():
    """Above 0.3 there are 1 artificial and 4 real features: 2 / 4; above 0.5 none and 3: 1 / 3; above 0.7: 1 / 2."""
    listed, share = smallest_fdp(np.array([0.95, 0.8, 0.6, 0.45, 0.2]), np.array([0.5, 0.3, 0.25, 0.1, 0.0]))
    assert listed.tolist() == [True, True, True, False, False]
    assert share == pytest.approx(1 / 3)
    listed, share = smallest_fdp(np.array([0.4, 0.3]), np.array([0.9, 0.8]))
    assert not listed.any()  # above 0.9 there is nothing of either kind
    assert share == 1


def test_every_rule_finds_strong_effects_and_little_else(judged):
    names = [f"x{f}" for f in range(300)]
    found = compare_rules(judged, names)
    assert [one.rule for one in found] == [rule.name for rule in LIST_RULES]
    strong = set(names[:PLANTED])
    for one in found:
        assert len(strong & set(one.features)) >= PLANTED - 1, one.rule
        assert len(set(one.features) - strong) <= 6, one.rule
        assert one.promises
        assert one.held
        assert one.reference
    assert set(found[0].features) == {names[f] for f in np.flatnonzero(judged.features.listed)}


@pytest.mark.parametrize("base", ["filter", "lasso"])
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("Meinshausen-Bühlmann", "meinshausen_buhlmann"),
        ("unimodal", "shah_samworth_unimodal"),
        ("r-concave", "shah_samworth_r_concave"),
    ],
)
def test_bounds_list_what_reaches_their_threshold(judged, base, name, rule):
    found = found_by(judged, name, base)
    size = int(found.nominal.split("among ")[1].split(" ")[0])
    control = error_control(300, q=size, pfer=1.0, rule=rule, n_runs=50)
    frequencies = judged.standing.chosen(base, size).mean(axis=0)
    assert (found.listed == (frequencies >= control.threshold - 1e-9)).all()


def test_the_halves_of_a_rule_are_those_of_the_list(judged):
    halves = Halves(judged, "filter")
    assert (halves.ranked_again(judged.data.X) == judged.standing.orders[0]["filter"]).all()
    best = np.argsort(-halves.importances, axis=1)[:, :10]
    assert (best == judged.standing.orders[0]["filter"][:, :10]).all()
    by_penalty = Halves(judged, "lasso").importances
    first = judged.standing.orders[0]["lasso"][:, 0]
    assert (by_penalty[np.arange(len(first)), first] == by_penalty.max(axis=1)).all()
    assert ((by_penalty > 0).sum(axis=1) >= (judged.standing.orders[0]["lasso"] >= 0).sum(axis=1)).all()
    expected = expected_false(halves.importances, 3)
    assert (found_by(judged, "integrated path, cubic").listed == (expected <= 1)).all()


def test_counts_by_size_are_those_of_the_first_places():
    orders = np.array([[2, 0, 1], [2, 1, -1]])
    assert counts_by_size(orders, 4, 5).tolist() == [[0, 0, 2, 0], [1, 1, 2, 0], [1, 2, 2, 0]]


def test_a_bound_that_can_promise_nothing_lists_nothing():
    random = np.random.default_rng(0)
    y = np.arange(40) % 2
    procedure = read_procedure(0.4, None, ("filter",), 25, 10, 1)
    judged = procedure.run(random.normal(size=(40, 2)) + y[:, None], CLASSES, exchange_of(y, CLASSES), 0)
    found = found_by(judged, "Meinshausen-Bühlmann")
    assert found.nominal == "no threshold promises at most 0.4 false"
    assert not found.listed.any()
