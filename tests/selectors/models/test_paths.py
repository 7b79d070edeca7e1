"""Paths of many resamples at once are those of each alone, meet the optimality conditions, and agree with glmnet."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.earlier_paths import earlier_path
from scipy.special import expit

from steadyset.foundation.errors import InputError
from steadyset.selectors import (
    ElasticNetSelector,
    FilterSelector,
    elastic_net_path,
    elastic_net_paths,
)
from steadyset.selectors import (
    paths as solving_paths,
)

FAMILIES = ["logistic", "linear"]
ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "glmnet_paths.json").read_text(encoding="utf-8"))


def bootstraps(n, count, seed=0):
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=count).astype(float)


def kkt_violation(X, y, w, lambdas, coefs, intercepts, *, family, l1_ratio=1.0, factors=None, standardise=True):
    """The optimality conditions written out, in standard deviations of y; no code of the library."""
    w = w / w.sum()
    factors = np.ones(X.shape[1]) if factors is None else factors
    centre = w @ X
    sd = np.sqrt(w @ (X - centre) ** 2)
    varies = sd > 0
    Z = (X - centre)[:, varies] / sd[varies]
    units = 1.0 if standardise else sd[varies]
    y_sd = np.sqrt(w @ (y - w @ y) ** 2)
    worst = 0.0
    for penalty, coef, intercept in zip(lambdas, coefs, intercepts, strict=True):
        assert not coef[~varies].any()
        b = coef[varies] * sd[varies]
        eta = intercept + X @ coef
        residual = w * (y - (expit(eta) if family == "logistic" else eta))
        descent = Z.T @ residual - penalty * (1 - l1_ratio) * factors[varies] / units**2 * b
        bound = penalty * l1_ratio * factors[varies] / units
        inside = np.maximum(np.abs(descent) - bound, 0)
        broken = np.where(b != 0, np.abs(descent - bound * np.sign(b)), inside).max()
        worst = max(worst, broken, abs(residual.sum()))
    return worst / y_sd


def worst_violation(X, y, W, paths, **options):
    return max(
        kkt_violation(X, y, w, paths.lambdas[m], paths.coefs[m].toarray(), paths.intercepts[m], **options)
        for m, w in enumerate(W)
    )


def same(a, b):
    return all(
        np.array_equal(a.lambdas[m], b.lambdas[m])
        and np.array_equal(a.coefs[m].toarray(), b.coefs[m].toarray())
        and np.array_equal(a.intercepts[m], b.intercepts[m])
        for m in range(len(a))
    )


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize(("n", "d", "correlation"), [(60, 300, 0.5), (40, 120, 0.95), (150, 20, 0.8)])
def test_every_model_of_every_resample_is_optimal_and_has_the_support_of_the_earlier_kernel(
    draw, family, l1_ratio, n, d, correlation
):
    X, y = draw(n, n, d, correlation=correlation, classes=family == "logistic")
    W = bootstraps(n, 4)
    options = {"family": family, "l1_ratio": l1_ratio, "n_lambdas": 20, "lambda_min_ratio": 0.01}
    paths = elastic_net_paths(X, y, W, **options)
    assert worst_violation(X, y, W, paths, family=family, l1_ratio=l1_ratio) < 1e-10 + 1e-13
    assert max(v.max() for v in paths.violations) <= 1e-10
    for m, w in enumerate(W):
        lambdas, coefs, _ = earlier_path(X, y, w, **options)
        np.testing.assert_allclose(paths.lambdas[m], lambdas, rtol=1e-12)
        np.testing.assert_array_equal(paths.coefs[m].toarray() != 0, coefs != 0)
        np.testing.assert_allclose(paths.coefs[m].toarray(), coefs, atol=1e-6 * np.abs(coefs).max())


@pytest.mark.parametrize("family", FAMILIES)
def test_neither_batches_nor_threads_change_a_bit(draw, family, monkeypatch):
    X, y = draw(1, 50, 400, correlation=0.9, classes=family == "logistic")
    W = bootstraps(50, 7)
    options = {"family": family, "n_lambdas": 15, "lambda_min_ratio": 0.02}
    together = elastic_net_paths(X, y, W, **options)
    for at_once in (1, 3):
        monkeypatch.setattr(solving_paths, "MAX_AT_ONCE", at_once)
        assert same(elastic_net_paths(X, y, W, n_jobs=2, **options), together)


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_weights_are_copies_of_rows(draw, family):
    X, y = draw(2, 40, 80, classes=family == "logistic")
    w = bootstraps(40, 1, seed=3)[0]
    lambdas = elastic_net_path(X, y, w, family=family, n_lambdas=8).lambdas
    weighted = elastic_net_path(X, y, w, family=family, lambdas=lambdas)
    rows = np.repeat(np.arange(40), w.astype(int))
    copied = elastic_net_path(X[rows], y[rows], family=family, lambdas=lambdas)
    np.testing.assert_array_equal(weighted.coefs != 0, copied.coefs != 0)
    np.testing.assert_allclose(weighted.coefs, copied.coefs, atol=1e-8)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("standardise", [True, False])
def test_factors_of_the_penalty_scale_it_and_zero_keeps_a_feature_in(draw, family, standardise):
    X, y = draw(3, 60, 100, classes=family == "logistic")
    X = X * np.linspace(0.2, 5, 100)
    factors = np.random.default_rng(0).uniform(0.3, 3, 100)
    factors[[4, 90]] = 0.0
    factors /= factors.mean()
    W = bootstraps(60, 3)
    options = {"family": family, "l1_ratio": 0.7, "standardise": standardise}
    paths = elastic_net_paths(X, y, W, penalty_factors=factors, n_lambdas=10, lambda_min_ratio=0.05, **options)
    assert worst_violation(X, y, W, paths, factors=factors, **options) < 1e-10 + 1e-13
    for coefs in paths.coefs:
        assert np.flatnonzero(coefs[[0]].toarray()).tolist() == [4, 90]
        assert (coefs.toarray()[:, [4, 90]] != 0).all()


@pytest.mark.parametrize("theirs", ORACLE["paths"], ids=lambda path: "{family}, l1_ratio {l1_ratio}".format(**path))
def test_paths_of_weighted_rows_are_those_of_glmnet(theirs):
    X, y = (np.array(ORACLE[key]) for key in "Xy")
    y = (y > 0).astype(float) if theirs["family"] == "logistic" else y
    ours = elastic_net_paths(
        X,
        y,
        np.array(ORACLE["weights"]),
        family=theirs["family"],
        l1_ratio=theirs["l1_ratio"],
        lambdas=np.array(theirs["lambdas"]) * np.mean(ORACLE["penalty_factors"]),  # recorded for factors as they are
        penalty_factors=ORACLE["penalty_factors"],
    )
    for m, model in enumerate(theirs["models"]):
        np.testing.assert_allclose(ours.coefs[m].toarray(), np.array(model["coefs"]), atol=2e-7)
        np.testing.assert_allclose(ours.intercepts[m], model["intercepts"], atol=2e-7)


def test_what_is_constant_or_nearly_so_in_a_resample_is_no_obstacle():
    rng = np.random.default_rng(0)
    n, d = 50, 60
    X = rng.normal(size=(n, d))
    X[:, 0] = 0.0
    X[0, 0] = 1.0  # constant in every resample without the first row
    X[:, 1] = rng.normal(size=n) * 1e-6
    X[1, 1] = 1e6  # hardly varies without the second row
    X[:, 2] += 1e9
    X[:, 3] = 7.0
    X[:, 4:10] = rng.random(size=(n, 6)) < 0.05
    y = X[:, 10] + X[:, 2] - 1e9 + 1e6 * np.where(np.arange(n) == 1, 0, X[:, 1]) + rng.normal(size=n)
    W = bootstraps(n, 12, seed=1)
    assert (W[:, 0] == 0).any()
    assert (W[:, 1] == 0).any()
    paths = elastic_net_paths(X, y, W, family="linear", n_lambdas=20, lambda_min_ratio=0.02)
    assert worst_violation(X, y, W, paths, family="linear") < 1e-6  # X b at an offset of 1e9 has no more digits
    left_out = elastic_net_paths(np.delete(X, 2, axis=1), y, W, family="linear", n_lambdas=20, lambda_min_ratio=0.02)
    assert worst_violation(np.delete(X, 2, axis=1), y, W, left_out, family="linear") < 1e-10 + 1e-12
    used = [coefs.toarray()[-1, 1] != 0 for coefs in paths.coefs]
    assert any(used)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_elastic_net_with_more_features_than_rows_in_the_model_is_optimal(draw, family):
    X, y = draw(5, 30, 300, correlation=0.7, classes=family == "logistic")
    W = bootstraps(30, 3)
    paths = elastic_net_paths(X, y, W, family=family, l1_ratio=0.05, n_lambdas=12, lambda_min_ratio=0.01)
    assert max(coefs.toarray()[-1].astype(bool).sum() for coefs in paths.coefs) > 60
    assert worst_violation(X, y, W, paths, family=family, l1_ratio=0.05) < 1e-10 + 1e-13


@pytest.mark.parametrize("family", FAMILIES)
def test_models_that_get_more_places_on_the_way_are_the_same_to_the_last_bit(draw, family, monkeypatch):
    X, y = draw(6, 24, 400, correlation=0.5, classes=family == "logistic")
    W = bootstraps(24, 9)
    options = {"family": family, "l1_ratio": 0.05, "n_lambdas": 12, "lambda_min_ratio": 0.01}
    grown = []
    grow = solving_paths.State.grow
    monkeypatch.setattr(solving_paths.State, "grow", lambda state, places: grown.append(places) or grow(state, places))
    monkeypatch.setattr(solving_paths, "LEAST_PLACES", 0)
    few = elastic_net_paths(X, y, W, **options)
    assert len(grown) > 1
    assert max(np.diff(coefs.indptr).max() for coefs in few.coefs) > 2 * 24
    grown.clear()
    monkeypatch.setattr(solving_paths, "LEAST_PLACES", 400)
    assert same(elastic_net_paths(X, y, W, **options), few)
    assert not grown


def test_one_long_step_of_a_logistic_path_is_halved_until_it_descends(draw):
    X, y = draw(6, 80, 10)
    path = elastic_net_path(X * 3, y, lambdas=[1e-5])
    violation = kkt_violation(X * 3, y, np.ones(80), path.lambdas, path.coefs, path.intercepts, family="logistic")
    assert violation < 1e-10 + 1e-13


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("difference", [0.0, 1e-12, 1e-7, 1e-5])
def test_copies_and_near_copies_in_resamples_end_within_the_tolerance(family, difference):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 30))
    y = X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=40)
    y = (y > 0).astype(float) if family == "logistic" else y
    X = np.hstack([X, X * (1 + difference * rng.normal(size=X.shape))])
    W = bootstraps(40, 3)
    paths = elastic_net_paths(X, y, W, family=family, n_lambdas=15, lambda_min_ratio=0.01)
    assert worst_violation(X, y, W, paths, family=family) < 1e-8
    if difference == 0.0:
        assert not any(coefs.toarray()[:, 30:].any() for coefs in paths.coefs)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("difference", [0.0, 1e-10, 1e-8, 1e-6, 1e-4])
def test_features_that_are_nearly_sums_of_others_end_within_the_tolerance(family, difference):
    """The factor of the active set has no digits of what is left of such features."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 20))
    sums = X @ rng.normal(size=(20, 15)) * (rng.random(15) < 0.8) + 0.1 * X[:, :15]
    y = X[:, 0] - X[:, 1] + 0.5 * sums[:, 3] + 0.5 * rng.normal(size=50)
    y = (y > 0).astype(float) if family == "logistic" else y
    X = np.hstack([sums + difference * rng.normal(size=sums.shape), X])
    W = bootstraps(50, 3)
    paths = elastic_net_paths(X, y, W, family=family, n_lambdas=25, lambda_min_ratio=0.001)
    assert worst_violation(X, y, W, paths, family=family) < 1e-8


def test_every_path_ends_at_its_own_number_of_features(draw):
    X, y = draw(9, 60, 100)
    W = bootstraps(60, 4)
    whole = elastic_net_paths(X, y, W, n_lambdas=30)
    cut = elastic_net_paths(X, y, W, n_lambdas=30, max_features=8)
    for m in range(4):
        sizes = np.diff(cut.coefs[m].indptr)
        assert sizes[-1] >= 8 > sizes[:-1].max()
        np.testing.assert_array_equal(cut.coefs[m].toarray(), whole.coefs[m].toarray()[: len(sizes)])
    assert len({len(lambdas) for lambdas in cut.lambdas}) > 1


@pytest.mark.parametrize(
    "selector",
    [
        ElasticNetSelector(k=5),
        ElasticNetSelector(0.1),
        ElasticNetSelector(k=7, l1_ratio=0.5, task="number"),
        FilterSelector("anova", k=4),
    ],
    ids=repr,
)
def test_fits_of_many_weight_vectors_are_those_of_each(draw, selector):
    X, y = draw(10, 40, 90, classes=selector.task != "number")
    W = bootstraps(40, 5)
    for w, fitted in zip(W, selector.fit_many(X, y, W), strict=True):
        ours, alone = vars(fitted()), vars(selector.fit(X, y, w))
        assert ours.keys() == alone.keys()
        for name, value in alone.items():
            np.testing.assert_array_equal(ours[name], value)


def test_filters_that_draw_or_search_are_not_fitted_together():
    assert FilterSelector("anova").can_fit_many()
    assert not FilterSelector("jmi").can_fit_many()
    assert not FilterSelector("relief").can_fit_many()


def test_weights_that_cannot_be_are_refused_by_their_name():
    X, y = np.eye(4), np.arange(4.0)
    with pytest.raises(InputError, match=r"^weights sums to zero in resample 1"):
        elastic_net_paths(X, y, [np.ones(4), np.zeros(4)], family="linear")


def test_a_resample_with_one_class_is_named(draw):
    X, y = draw(11, 20, 4)
    W = np.ones((2, 20))
    W[1, y == 1] = 0
    with pytest.raises(InputError, match=r"y has one class only, 0\.0 in resample 1"):
        elastic_net_paths(X, y, W)


def test_penalty_factors_of_zero_alone_make_no_path(draw):
    X, y = draw(12, 20, 4)
    with pytest.raises(InputError, match="penalty_factors are all 0"):
        elastic_net_paths(X, y, np.ones((1, 20)), penalty_factors=np.zeros(4))


def test_factors_must_be_finite_and_leave_rows_to_fit(draw):
    X, y = draw(12, 20, 30, classes=False)
    with pytest.raises(InputError, match=r"must be finite and at least 0 \(got inf\); to keep a feature out"):
        elastic_net_paths(X, y, family="linear", penalty_factors=[np.inf, *np.ones(29)])
    with pytest.raises(InputError, match="has 25 zeros, and a resample has 20 rows"):
        elastic_net_paths(X, y, family="linear", penalty_factors=[*np.zeros(25), *np.ones(5)])


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_features_as_they_are_may_be_tiny_or_huge(draw, size):
    X, y = draw(13, 40, 12, classes=False)
    options = {"family": "linear", "standardise": False, "n_lambdas": 6, "lambda_min_ratio": 0.1}
    plain, scaled = elastic_net_path(X, y, **options), elastic_net_path(X * size, y, **options)
    np.testing.assert_array_equal(plain.coefs != 0, scaled.coefs != 0)
    np.testing.assert_allclose(plain.coefs, scaled.coefs * size, atol=1e-9)
    np.testing.assert_allclose(plain.lambdas, scaled.lambdas / size)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("standardise", [True, False])
def test_features_that_single_precision_cannot_hold_are_found_all_the_same(draw, family, standardise):
    X, y = draw(15, 60, 40, classes=family == "logistic")
    X = np.round(X * 64) / 64
    W = bootstraps(60, 3)
    options = {"family": family, "standardise": standardise, "n_lambdas": 12, "lambda_min_ratio": 0.05}
    near, far = elastic_net_paths(X, y, W, **options), elastic_net_paths(X + 2.0**24, y, W, **options)
    for m in range(3):
        assert near.coefs[m].nnz > 60
        np.testing.assert_array_equal(far.coefs[m].toarray() != 0, near.coefs[m].toarray() != 0)
        np.testing.assert_allclose(far.coefs[m].toarray(), near.coefs[m].toarray(), atol=1e-7)


def test_copies_with_zeros_of_another_sign_are_copies(draw):
    X, y = draw(16, 40, 6, classes=False)
    X[:10, 2] = 0.0
    X[:, 4] = np.where(X[:, 2] == 0.0, -0.0, X[:, 2])
    coefs = elastic_net_path(X, y, family="linear", n_lambdas=20).coefs
    assert coefs[:, 2].any()
    assert not coefs[:, 4].any()


def test_models_that_are_not_optimal_are_told(draw, monkeypatch):
    from sklearn.exceptions import ConvergenceWarning

    really = solving_paths.solver.walk

    def walk_badly(*given):
        ended = really(*given)
        given[-4][:, 1] = 1e-3  # the violations
        return ended

    monkeypatch.setattr(solving_paths.solver, "walk", walk_badly)
    with pytest.warns(ConvergenceWarning, match="with the optimality conditions off by"):
        elastic_net_paths(*draw(14, 40, 30), np.ones((1, 40)), n_lambdas=2)
