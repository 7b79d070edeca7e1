"""Paths of Cox, Poisson and multinomial models: values of glmnet, optimality written out, and invariances."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.selectors import ElasticNetSelector, elastic_net_path, elastic_net_paths
from steadyset.selectors.catalogue import selector_by_name

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "path_families.json").read_text(encoding="utf-8"))
FAMILIES = ["cox", "poisson", "multinomial", "grouped"]


def target_of(case):
    return st.Survival(case["time"], case["event"]) if "time" in case else np.array(case["y"])


def drawn(family, n=60, d=90, seed=0, effect=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.linspace(0.5, 4, d)
    eta = effect * (X[:, 0] - X[:, 1] + X[:, 2])
    if family == "cox":  # in days, with many ties, also of events with censored times
        time = np.ceil(400 * rng.exponential(np.exp(-eta)))
        return X, st.Survival(np.minimum(time, 900), (time < 900) & (rng.random(n) < 0.8))
    if family == "poisson":
        return X, rng.poisson(np.exp(0.5 * eta))
    return X, np.array(["low", "mid", "top"])[np.digitize(eta + rng.logistic(size=n), [-1, 1])]


def options_of(family):
    return {"family": "multinomial", "grouped": True} if family == "grouped" else {"family": family}


def residuals(family, y, w, eta):
    """Minus the derivative of the mean loss for each row, and class; no code of the library."""
    if family == "poisson":
        return w * (y - np.exp(eta))
    if family == "cox":
        time, event, theta = y["time"], y["event"], w * np.exp(eta)
        hazard = np.zeros(len(w))
        for i in np.flatnonzero(event & (w > 0)):
            hazard += (time >= time[i]) * w[i] / theta[time >= time[i]].sum()
        return w * event - theta * hazard
    shares = np.exp(eta - eta.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return w[:, None] * ((y[:, None] == np.unique(y)) - shares)


def violation(family, X, y, w, path, l1_ratio=1.0, factors=None):
    """The largest deviation from optimality over all levels and features, on the standardised scale."""
    w = w / w.sum()
    centre = w @ X
    sd = np.sqrt(w @ (X - centre) ** 2)
    factors = np.ones(X.shape[1]) if factors is None else factors
    worst = 0.0
    for penalty, coefs, intercept in zip(path.lambdas, path.coefs, path.intercepts, strict=True):
        r = residuals(family, y, w, intercept + X @ coefs.T)
        b = (coefs * sd).T
        descent = ((X - centre) / sd).T @ r - (penalty * (1 - l1_ratio) * factors * b.T).T
        bound = penalty * l1_ratio * factors
        if family == "grouped":
            size = np.linalg.norm(b, axis=1)
            inside = np.maximum(np.linalg.norm(descent, axis=1) - bound, 0)
            unit = b / np.where(size > 0, size, 1)[:, None]
            broken = np.where(size > 0, np.linalg.norm(descent - bound[:, None] * unit, axis=1), inside)
        else:
            bound = bound[:, None] if b.ndim == 2 else bound
            broken = np.where(b != 0, abs(descent - bound * np.sign(b)), np.maximum(abs(descent) - bound, 0))
        worst = max(worst, broken.max(), abs(r.sum(axis=0)).max())
    return worst


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda case: case["name"])
def test_paths_are_those_of_glmnet_polished(case):
    X, y = np.array(case["X"]), target_of(case)
    keys = ("family", "l1_ratio", "grouped", "penalty_factors", "standardise")
    options = {key: case[key] for key in keys}
    path = elastic_net_path(X, y, case["weights"], lambdas=case["lambdas"], **options)
    theirs = np.moveaxis(np.array(case["coefs"]), 1, -1)
    w = np.ones(len(X)) if case["weights"] is None else np.array(case["weights"])
    sd = np.sqrt(w @ (X - w @ X / w.sum()) ** 2 / w.sum())
    free = np.array(case["penalty_factors"]) == 0
    if theirs.ndim == 3:  # free up to a constant over the classes
        theirs[:, :, free] -= theirs[:, :, free].mean(axis=1, keepdims=True)
    for level, feature in case["not_unique"]:
        assert path.coefs[level, :, feature].any() == theirs[level, :, feature].any()
        theirs[level, :, feature] = path.coefs[level, :, feature]
    np.testing.assert_allclose(path.coefs * sd, theirs * sd, atol=1e-8)
    np.testing.assert_array_equal(path.coefs != 0, theirs != 0)
    if "intercepts" in case:
        ours, own = path.intercepts, np.array(case["intercepts"])
        if ours.ndim == 2:
            ours, own = (each - each.mean(axis=1, keepdims=True) for each in (ours, own))
        np.testing.assert_allclose(ours, own, atol=1e-8)
    if "lambda_max" in case:
        first = elastic_net_path(X, y, case["weights"], n_lambdas=1, **options).lambdas[0]
        assert first == pytest.approx(case["lambda_max"], rel=1e-6 if free.any() else 1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_every_model_of_every_resample_is_optimal(family, l1_ratio):
    X, y = drawn(family)
    factors = np.random.default_rng(1).uniform(0.3, 3, 90)
    factors[[4, 80]] = 0
    factors /= factors.mean()
    W = np.random.default_rng(2).multinomial(60, np.full(60, 1 / 60), size=3).astype(float)
    options = {**options_of(family), "l1_ratio": l1_ratio, "n_lambdas": 12, "lambda_min_ratio": 0.02}
    together = elastic_net_paths(X, y, W, penalty_factors=factors, **options)
    assert max(v.max() for v in together.violations) <= 1e-10
    for m, w in enumerate(W):
        path = elastic_net_path(X, y, w, penalty_factors=factors, **options)
        assert violation(family, X, y, w, path, l1_ratio, factors) < 1e-9
        assert (path.coefs[..., 4] != 0).all()
        own = together.coefs[m]
        rows = own.toarray() if path.coefs.ndim == 2 else np.stack([each.toarray() for each in own], axis=1)
        np.testing.assert_array_equal(rows, path.coefs)


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_weights_are_copies_of_rows(family):
    X, y = drawn(family, d=20)
    w = np.random.default_rng(3).integers(0, 4, 60)
    options = {**options_of(family), "lambdas": [0.3, 0.1, 0.03]}
    rows = np.repeat(np.arange(60), w)
    weighted, copied = elastic_net_path(X, y, w, **options), elastic_net_path(X[rows], y[rows], **options)
    np.testing.assert_allclose(weighted.coefs, copied.coefs, atol=1e-8)
    np.testing.assert_array_equal(weighted.coefs != 0, copied.coefs != 0)


def test_neither_the_unit_of_time_nor_the_order_of_rows_changes_a_cox_path():
    X, y = drawn("cox")
    days = elastic_net_path(X, y, family="cox", n_lambdas=30)
    years = elastic_net_path(X, st.Survival(y["time"] / 365.25, y["event"]), family="cox", n_lambdas=30)
    np.testing.assert_array_equal(days.coefs, years.coefs)
    order = np.random.default_rng(0).permutation(len(X))
    mixed = elastic_net_path(X[order], y[order], family="cox", n_lambdas=30)
    np.testing.assert_array_equal(days.coefs != 0, mixed.coefs != 0)
    np.testing.assert_allclose(days.coefs, mixed.coefs, atol=1e-8)


@pytest.mark.parametrize("family", FAMILIES)
def test_separated_rows_and_copied_features_are_solved_all_the_way_down(family):
    X, y = drawn(family, n=24, d=60, seed=5)
    X = np.column_stack([X, -X[:, :4], X[:, 0] + X[:, 1], np.ones(24)])
    path = elastic_net_path(X, y, **options_of(family), lambda_min_ratio=1e-3)
    assert len(path.lambdas) == 100
    assert path.violations.max() < 1e-8


def test_what_has_no_path_gets_a_sentence():
    X, y = drawn("cox")
    with pytest.raises(InputError, match="no event among the rows of positive weight"):
        elastic_net_path(X, y, (~y["event"]).astype(float), family="cox")
    with pytest.raises(InputError, match="No event of y has others at risk"):
        elastic_net_path(X, st.Survival(np.full(60, 5.0), np.ones(60)), family="cox")
    with pytest.raises(InputError, match="times to an event have two, so give"):
        elastic_net_path(X, np.arange(60.0), family="cox")
    with pytest.raises(InputError, match="counts are numbers from 0"):
        elastic_net_path(X, np.arange(60.0) - 1, family="poisson")
    X, y = drawn("multinomial")
    with pytest.raises(InputError, match="Class mid has no rows of positive weight in resample 1"):
        elastic_net_paths(X, y, np.array([np.ones(60), y != "mid"]), family="multinomial")


@pytest.mark.parametrize("name", ["lasso", "elastic_net"])
@pytest.mark.parametrize(("family", "task"), [("cox", "survival"), ("poisson", "count"), ("multinomial", "classes")])
def test_one_name_serves_every_task(name, family, task):
    X, y = drawn(family, n=120, d=30, effect=2.0)
    selector = selector_by_name(f"{name}:k=4", task).fit(X, y)
    path = elastic_net_path(X, y, family=family, lambdas=[selector.penalty_], l1_ratio=selector.l1_ratio)
    np.testing.assert_allclose(path.coefs[0], selector.coef_, atol=1e-9)
    assert selector.task_ == task
    assert selector.get_support().sum() == 4
    assert {0, 1, 2} <= set(selector.get_support(indices=True))
    assert selector.score(X, y) > {"cox": 0.6, "poisson": 0.1, "multinomial": 0.5}[family]
    weights = np.array([np.ones(120), np.r_[np.ones(80), np.zeros(40)]])
    alone = clone(selector).fit(X[:80], y[:80])
    again = [fitted() for fitted in selector.fit_many(X, y, weights)]
    np.testing.assert_array_equal(again[0].coef_, selector.coef_)
    np.testing.assert_allclose(again[1].coef_, alone.coef_, atol=1e-8)


def test_several_classes_have_their_probabilities_and_grouped_selects_for_all_of_them():
    X, y = drawn("multinomial", n=120, d=30, effect=2.0)
    plain, grouped = (ElasticNetSelector(k=5, grouped=grouped).fit(X, y) for grouped in (False, True))
    shares = plain.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(plain.classes_[shares.argmax(axis=1)], plain.predict(X))
    assert (plain.coef_[:, plain.support_] == 0).any()
    assert (grouped.coef_[:, grouped.support_] != 0).all()


@pytest.mark.parametrize("family", ["cox", "multinomial"])
def test_stability_selection_follows_the_lasso_of_the_task(family):
    X, y = drawn(family, n=120, d=30, effect=2.0)
    fitted = st.StabilitySelection(q=4, threshold=0.7, n_runs=20, random_state=0).fit(X, y)
    found = set(fitted.get_support(indices=True))
    assert found
    assert found <= {0, 1, 2}
