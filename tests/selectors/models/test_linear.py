"""The elastic-net paths are optimal, agree with scikit-learn, and stop at the size that was asked for."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.peers import sparse_logistic
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.preprocessing import StandardScaler

from steadyset.foundation.errors import InputError
from steadyset.selectors import paths as solving_paths
from steadyset.selectors.linear import ElasticNetSelector
from steadyset.selectors.models.group import GroupLassoSelector, fit_group_lasso
from steadyset.selectors.penalty_paths import elastic_net_path

FAMILIES = ["logistic", "linear"]


def kkt_violation(X, y, w, path, level, l1_ratio, family):
    """The optimality conditions written out for the standardised features, without any code of the library."""
    w = w / w.sum()
    centre = w @ X
    sd = np.sqrt(w @ (X - centre) ** 2)
    Z = (X - centre) / sd
    b = path.coefs[level] * sd
    eta = path.intercepts[level] + X @ path.coefs[level]
    residual = w * (y - (expit(eta) if family == "logistic" else eta))
    descent = Z.T @ residual - path.lambdas[level] * (1 - l1_ratio) * b
    bound = path.lambdas[level] * l1_ratio
    inside = np.maximum(np.abs(descent) - bound, 0)
    return max(np.where(b != 0, np.abs(descent - bound * np.sign(b)), inside).max(), abs(residual.sum()))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("l1_ratio", [1.0, 0.8, 0.1])
@pytest.mark.parametrize(("n", "d", "correlation"), [(60, 300, 0.5), (50, 200, 0.99), (200, 20, 0.9)])
def test_every_model_of_a_path_meets_the_kkt_conditions(draw, family, l1_ratio, n, d, correlation):
    X, y = draw(n + d, n, d, correlation=correlation, classes=family == "logistic")
    w = np.random.default_rng(d).multinomial(n, np.full(n, 1 / n)).astype(float)
    path = elastic_net_path(X, y, w, family=family, n_lambdas=30, l1_ratio=l1_ratio)
    direct = [kkt_violation(X, y, w, path, level, l1_ratio, family) for level in range(30)]
    assert max(direct) < 1e-8
    assert path.violations.max() < 1e-8
    assert np.count_nonzero(path.coefs[0]) == 0
    assert np.count_nonzero(path.coefs[-1]) > 10


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(5, 40), d=st.integers(1, 60), l1_ratio=st.floats(0.05, 1.0))
@pytest.mark.parametrize("family", FAMILIES)
def test_paths_of_arbitrary_data_meet_the_kkt_conditions(family, seed, n, d, l1_ratio):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-4, 5, size=d) + rng.normal(size=d)
    y = (rng.permutation(n) < max(1, n // 3)).astype(float) if family == "logistic" else rng.exponential(size=n)
    path = elastic_net_path(X, y, family=family, n_lambdas=15, l1_ratio=l1_ratio)
    assert path.violations.max() < 1e-8


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("standardise", [True, False])
def test_linear_models_equal_those_of_scikit_learn(draw, l1_ratio, standardise):
    X, y = draw(1, 60, 40, classes=False)
    X = X * np.linspace(0.5, 2, 40)
    w = np.random.default_rng(1).integers(1, 4, size=60)
    path = elastic_net_path(X, y, w, family="linear", n_lambdas=6, l1_ratio=l1_ratio, standardise=standardise)
    scaler = StandardScaler(with_std=standardise).fit(X, sample_weight=w)
    for level in range(1, 6):
        theirs = ElasticNet(alpha=path.lambdas[level], l1_ratio=l1_ratio, tol=1e-14, max_iter=10**6)
        theirs.fit(scaler.transform(X), y, sample_weight=w)
        scale = scaler.scale_ if standardise else 1.0
        np.testing.assert_allclose(path.coefs[level], theirs.coef_ / scale, atol=1e-7)


def test_the_lasso_support_equals_that_of_scikit_learn(draw):
    X, y = draw(2, 50, 100, classes=False)
    Z = StandardScaler().fit_transform(X)
    ours = ElasticNetSelector(penalty=0.2).fit(X, y)
    theirs = Lasso(alpha=0.2, tol=1e-14, max_iter=10**6).fit(Z, y)
    assert np.array_equal(ours.get_support(), theirs.coef_ != 0)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(Z), atol=1e-7)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.6])
def test_logistic_models_equal_those_of_scikit_learn(draw, l1_ratio):
    X, y = draw(3, 80, 15)
    w = np.random.default_rng(3).integers(1, 4, size=80).astype(float)
    scaler = StandardScaler().fit(X, sample_weight=w)
    ours = ElasticNetSelector(penalty=0.05, l1_ratio=l1_ratio).fit(X, y, w)
    theirs = sparse_logistic(
        l1_ratio, C=1 / (0.05 * w.sum()), solver="saga", tol=1e-12, max_iter=10**5, random_state=0
    ).fit(scaler.transform(X), y, sample_weight=w)
    np.testing.assert_allclose(ours.coef_ * scaler.scale_, theirs.coef_[0], atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(scaler.transform(X)), atol=1e-6)


@pytest.mark.parametrize("task", ["classes", "number"])
@pytest.mark.parametrize("k", [1, 5, 20])
def test_k_is_met_exactly_where_features_differ(draw, task, k):
    X, y = draw(4, 60, 200, classes=task == "classes")
    fitted = ElasticNetSelector(k=k, n_lambdas=8, task=task).fit(X, y)
    assert fitted.get_support().sum() == k
    same = ElasticNetSelector(penalty=fitted.penalty_, task=task).fit(X, y)
    assert np.array_equal(same.get_support(), fitted.get_support())


def test_where_two_features_enter_together_the_support_stays_below_k():
    rng = np.random.default_rng(5)
    x = rng.normal(size=40)
    X = np.column_stack([x, x])
    fitted = ElasticNetSelector(k=1, l1_ratio=0.5).fit(X, x + rng.normal(size=40))
    assert fitted.get_support().sum() == 0


def test_of_exact_copies_the_lasso_takes_the_first_alone():
    rng = np.random.default_rng(6)
    x, other = rng.normal(size=(2, 60))
    y = x + other + rng.normal(size=60)
    fitted = ElasticNetSelector(penalty=0.1).fit(np.column_stack([x, x, other, x]), y)
    assert fitted.get_support(indices=True).tolist() == [0, 2]


@pytest.mark.parametrize("family", ["number", "binary", "classes", "times"])
def test_of_copies_in_another_unit_the_lasso_takes_the_first_alone(family):
    """Standardised, a copy times a power of two is the same feature, and a shift by a whole number of a grid too."""
    rng = np.random.default_rng(16)
    x, other = np.round(1024 * rng.normal(size=(2, 60))) / 1024
    score = x + other + rng.normal(size=60)
    y = {
        "number": score,
        "binary": (score > 0).astype(int),
        "classes": np.digitize(score, [-1, 1]),
        "times": np.column_stack([np.exp(-score), rng.random(60) < 0.7]),
    }[family]
    fitted = ElasticNetSelector(k=2).fit(np.column_stack([x, x, other, x]), y)
    scaled = ElasticNetSelector(k=2).fit(np.column_stack([x, 1024.0 * x, other / 8.0, x + 5.0]), y)
    assert fitted.get_support(indices=True).tolist() == [0, 2]
    assert scaled.get_support(indices=True).tolist() == [0, 2]
    np.testing.assert_array_equal(scaled.importances_, fitted.importances_)
    assert scaled.n_tied_ == fitted.n_tied_ == 1
    # Without standardising, the larger one has the smaller penalty: it is another feature.
    as_given = ElasticNetSelector(k=1, standardise=False).fit(np.column_stack([x, 1024.0 * x, other]), y)
    assert as_given.get_support(indices=True).tolist() == [1]
    assert as_given.n_tied_ == 0


def test_the_first_level_is_the_least_penalty_without_features(draw):
    X, y = draw(7, 40, 30)
    levels = elastic_net_path(X, y, n_lambdas=3).lambdas
    assert not ElasticNetSelector(penalty=levels[0]).fit(X, y).get_support().any()
    assert ElasticNetSelector(penalty=levels[0] * 0.999).fit(X, y).get_support().any()


def test_a_larger_penalty_factor_keeps_a_feature_out(draw):
    X, y = draw(8, 60, 10)
    factors = np.ones(10)
    free = elastic_net_path(X, y, n_lambdas=5)
    assert free.coefs[-2, 0] != 0
    factors[0] = 1e6
    assert not elastic_net_path(X, y, lambdas=free.lambdas * factors.mean(), penalty_factors=factors).coefs[:, 0].any()


def test_max_features_ends_the_path(draw):
    X, y = draw(9, 60, 100)
    whole = elastic_net_path(X, y, n_lambdas=30)
    cut = elastic_net_path(X, y, n_lambdas=30, max_features=10)
    sizes = np.count_nonzero(cut.coefs, axis=1)
    assert sizes[-1] >= 10
    assert (sizes[:-1] < 10).all()
    np.testing.assert_array_equal(cut.coefs, whole.coefs[: len(sizes)])


def test_units_of_the_features_do_not_change_the_selection(draw):
    X, y = draw(10, 50, 60)
    units = 10.0 ** np.random.default_rng(10).integers(-6, 7, size=60)
    shifted = ElasticNetSelector(k=8).fit(X * units + 100 * units, y)
    plain = ElasticNetSelector(k=8).fit(X, y)
    assert np.array_equal(plain.get_support(), shifted.get_support())
    np.testing.assert_allclose(plain.importances_, shifted.importances_, rtol=1e-6)


def test_frames_keep_their_names(draw):
    X, y = draw(11, 100, 6)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    fitted = ElasticNetSelector(k=2).fit(frame, np.where(y > 0, "ill", "well")).set_output(transform="pandas")
    names = [name for name, chosen in zip("abcdef", fitted.get_support(), strict=True) if chosen]
    assert fitted.transform(frame).columns.tolist() == names
    by_numbers = ElasticNetSelector(k=2).fit(X, y).predict(X)
    assert fitted.predict(frame).tolist() == np.where(by_numbers > 0, "ill", "well").tolist()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"penalty": 0.1, "k": 2}, "penalty and k are both given"),
        ({"penalty": -1.0}, r"penalty must be a number above 0 \(got -1.0\)"),
        ({"l1_ratio": 0.0}, r"l1_ratio must be a number above 0 and at most 1 \(got 0.0\)"),
        ({"n_lambdas": 0}, r"n_lambdas must be a whole number from 1 to 100,000 \(got 0\)"),
    ],
)
def test_impossible_options_are_named(draw, options, sentence):
    X, y = draw(12, 20, 4)
    with pytest.raises(InputError, match=sentence):
        ElasticNetSelector(**options).fit(X, y)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"family": "probit"}, r"family must be one of logistic, linear, .*got 'probit'"),
        ({"lambdas": [0.1, 0.2]}, "lambdas must fall from level to level"),
        ({"lambdas": [0.1, 0.0]}, "lambdas must be a list of positive numbers"),
        (
            {"penalty_factors": [1.0]},
            r"penalty_factors has shape \(1,\); expected one number for each of the 4 features",
        ),
    ],
)
def test_impossible_path_options_are_named(draw, options, sentence):
    X, y = draw(13, 20, 4)
    with pytest.raises(InputError, match=sentence):
        elastic_net_path(X, y, **options)


def test_a_model_that_is_not_optimal_says_so(draw, monkeypatch):
    really = solving_paths.solver.walk

    def walk_badly(*given):
        ended = really(*given)
        given[-4][:, 1] = 1e-3  # the violations
        return ended

    monkeypatch.setattr(solving_paths.solver, "walk", walk_badly)
    with pytest.warns(ConvergenceWarning, match="with the optimality conditions off by"):
        ElasticNetSelector(penalty=0.01, n_lambdas=1).fit(*draw(14, 40, 30))


def test_a_path_of_weighted_rows_goes_as_far_as_that_of_their_copies(draw):
    X, y = draw(0, 10, 15)
    weighted = elastic_net_path(X, y, np.full(10, 2.0), n_lambdas=5).lambdas
    copied = elastic_net_path(np.repeat(X, 2, axis=0), np.repeat(y, 2), n_lambdas=5).lambdas
    np.testing.assert_allclose(weighted, copied)


def with_near_copies(n, d, difference, seed):
    """Independent features, and after them each once more with a small relative difference."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + 0.5 * rng.normal(size=n)
    return np.hstack([X, X * (1 + difference * rng.normal(size=(n, d)))]), y


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("difference", [1e-14, 1e-10, 1e-8, 1e-7, 1e-6, 1e-4])
@pytest.mark.parametrize(("n", "d"), [(100, 10), (25, 20)])
def test_near_copies_of_features_are_solved_like_any_others(family, difference, n, d):
    X, y = with_near_copies(n, d, difference, seed=n)
    y = (y > 0).astype(float) if family == "logistic" else y
    path = elastic_net_path(X, y, family=family, n_lambdas=20, lambda_min_ratio=0.01)
    direct = [kkt_violation(X, y, np.ones(n), path, level, 1.0, family) for level in range(20)]
    assert max(direct) < 1e-8


def test_one_of_two_near_copies_is_enough():
    X, y = with_near_copies(100, 10, 1e-8, seed=0)
    support = ElasticNetSelector(0.01).fit(X, y).support_
    assert support.any()
    assert not (support[:10] & support[10:]).any()


def test_a_combination_of_features_up_to_rounding_is_solved_to_the_end(draw):
    X, y = draw(3, 40, 30)
    rng = np.random.default_rng(0)
    X = np.hstack([X, X[:, :15] @ rng.normal(size=(15, 30)) + 1e-9 * rng.normal(size=(40, 30))])
    path = elastic_net_path(X, y, family="linear", n_lambdas=20)
    assert max(kkt_violation(X, y, np.ones(40), path, level, 1.0, "linear") for level in range(20)) < 1e-8


@pytest.mark.parametrize(("unit", "offset"), [(1.0, 1e8), (1e-180, 0.0), (1e-300, 0.0), (1e200, 0.0)])
def test_the_offset_and_the_unit_of_the_target_do_not_change_the_selection(draw, unit, offset):
    X, y = draw(2, 80, 30)
    plain = ElasticNetSelector(k=5, task="number").fit(X, y)
    model = ElasticNetSelector(k=5, task="number").fit(X, unit * y + offset * y.std())
    np.testing.assert_array_equal(model.support_, plain.support_)
    np.testing.assert_allclose(model.coef_ / unit, plain.coef_, rtol=1e-6)


def test_an_offset_of_the_target_does_not_change_an_elastic_net(draw):
    X, y = draw(2, 80, 30)
    plain = ElasticNetSelector(0.1, l1_ratio=0.5, task="number").fit(X, y)
    model = ElasticNetSelector(0.1, l1_ratio=0.5, task="number").fit(X, y + 1e8 * y.std())
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-6)


def test_a_fit_comes_back_from_compiled_code_between_blocks_of_sweeps(draw, monkeypatch):
    X, y = draw(4, 60, 40, correlation=0.9)
    groups = np.arange(40) // 2
    at_once = GroupLassoSelector(groups, penalty=0.01).fit(X, y)
    calls = []

    def counted(model, *given):
        calls.append(model.strength[0])
        return fit_group_lasso(model, *given)

    monkeypatch.setattr("steadyset.selectors.models.group.fit_group_lasso", counted)
    monkeypatch.setattr("steadyset.selectors.models.group.SWEEPS_A_CALL", 6)
    in_blocks = GroupLassoSelector(groups, penalty=0.01).fit(X, y)
    assert len(calls) > len(set(calls))
    np.testing.assert_allclose(in_blocks.coef_, at_once.coef_, atol=1e-9)
