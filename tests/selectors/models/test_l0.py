"""L0 regression finds the best support nearly always, and never takes a copy of a feature that it has."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from steadyset.datasets import fifteen_features
from steadyset.selectors.models.l0 import L0Selector


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def least_linear_objective(Z, y, size):
    """The normal equations of every support of the size."""
    supports = np.array(list(combinations(range(Z.shape[1]), size)))
    centred = y - y.mean()
    gram = (Z.T @ Z)[supports[:, :, None], supports[:, None, :]]
    right = (Z.T @ centred)[supports]
    coef = np.linalg.solve(gram, right[:, :, None])[:, :, 0]
    return 0.5 * (centred @ centred - (coef * right).sum(axis=1)).min() / len(y)


def least_logistic_objective(Z, y, size, ridge):
    """Newton's method on every support of the size, all at once."""
    supports = np.array(list(combinations(range(Z.shape[1]), size)))
    design = np.insert(Z.T[supports], 0, 1.0, axis=1)
    penalty = np.full(size + 1, ridge)
    penalty[0] = 0
    theta = np.zeros(design.shape[:2])
    for _ in range(20):
        p = expit(np.einsum("sa,san->sn", theta, design))
        hessian = np.einsum("san,sn,sbn->sab", design, p * (1 - p) / len(y), design, optimize=True) + np.diag(penalty)
        gradient = np.einsum("san,sn->sa", design, y - p) / len(y) - penalty * theta
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        theta += step / np.maximum(1.0, np.abs(step).max(axis=1, keepdims=True))
    eta = np.einsum("sa,san->sn", theta, design)
    return (np.mean(np.logaddexp(0, eta) - y * eta, axis=1) + 0.5 * theta**2 @ penalty).min()


def random_problem(rng, n, d, *, classes):
    correlation = rng.choice([0.0, 0.5, 0.9])
    X = np.sqrt(correlation) * rng.normal(size=(n, 1)) + np.sqrt(1 - correlation) * rng.normal(size=(n, d))
    score = X[:, 0] - X[:, 1] + 0.7 * X[:, 2] - 0.6 * X[:, 3] + rng.normal(size=n)
    return X, (score > 0).astype(float) if classes else score


def test_linear_supports_are_the_best_of_all_in_nearly_all_cases():
    rng = np.random.default_rng(0)
    optimal = []
    for d in [6, 8, 10, 12, 14] * 4:
        X, y = random_problem(rng, 40, d, classes=False)
        found = L0Selector(k=4).fit(X, y)
        for size in range(1, 5):
            best = least_linear_objective(standard(X), y, size)
            assert found.objectives_[size - 1] >= best - 1e-9
            optimal.append(found.objectives_[size - 1] <= best + 1e-9)
    assert np.mean(optimal) >= 0.97


def test_supports_of_mixed_features_are_mostly_the_best_and_no_swap_helps():
    """Features that are mixtures of each other are the hardest: the best support may be two swaps away."""
    optimal = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 9)) @ (np.eye(9) + 0.4 * rng.normal(size=(9, 9)))
        y = X[:, :3].sum(axis=1) + rng.normal(size=30)
        found = L0Selector(k=3).fit(X, y)
        mine, support = found.objectives_[2], np.flatnonzero(found.get_support())
        optimal.append(mine <= least_linear_objective(standard(X), y, 3) + 1e-9)
        for out in support:
            kept = np.setdiff1d(support, [out])
            for new in np.setdiff1d(np.arange(9), support):
                assert least_linear_objective(standard(X)[:, [*kept, new]], y, 3) >= mine - 1e-8
    assert np.mean(optimal) >= 0.75


def test_logistic_supports_are_the_best_of_all_in_nearly_all_cases():
    rng = np.random.default_rng(1)
    optimal = []
    for d in [6, 8, 10, 14] * 3:
        X, y = random_problem(rng, 50, d, classes=True)
        found = L0Selector(k=3, ridge=1e-2).fit(X, y)
        for size in range(1, 4):
            best = least_logistic_objective(standard(X), y, size, 1e-2)
            assert found.objectives_[size - 1] >= best - 1e-8
            optimal.append(found.objectives_[size - 1] <= best + 1e-8)
    assert np.mean(optimal) >= 0.97


def test_coefficients_minimise_the_objective_on_their_support(draw):
    X, y = draw(2, 80, 12)
    found = L0Selector(k=3, ridge=0.05).fit(X, y)
    Z = standard(X)[:, found.get_support()]

    def objective(theta):
        eta = theta[0] + Z @ theta[1:]
        return np.mean(np.logaddexp(0, eta) - y * eta) + 0.025 * theta[1:] @ theta[1:]

    best = minimize(objective, np.zeros(4), tol=1e-12)
    assert found.objectives_[-1] == pytest.approx(best.fun, abs=1e-9)
    np.testing.assert_allclose(found.importances_[found.get_support()], np.abs(best.x[1:]), atol=1e-4)


@pytest.mark.parametrize("k", [2, 4, 8, 13])
def test_of_three_copies_one_is_taken_as_in_figure_8_4_of_bommert(k):
    for seed in range(10):
        data = fifteen_features(random_state=seed)
        chosen = L0Selector(k=k).fit(data.X, data.y).get_support()
        assert chosen.sum() == k
        assert chosen[1:4].sum() <= 1
        assert chosen[0]


def test_one_of_the_features_like_x2_is_taken_at_the_size_of_the_true_model():
    drawn = [fifteen_features(random_state=seed) for seed in range(30)]
    taken = [L0Selector(k=2).fit(data.X, data.y).get_support() for data in drawn]
    assert all(chosen[0] for chosen in taken)
    assert all(chosen[1:8].sum() == 1 for chosen in taken)
    assert np.mean([chosen[1:4].sum() for chosen in taken]) >= 0.9


def test_sums_of_chosen_features_are_never_added():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3))
    wide = np.column_stack([X, X[:, 0] + X[:, 1], X[:, 1] - X[:, 2], 2 * X[:, 0] + 3])
    y = X @ [1.0, 2.0, -1.0] + rng.normal(size=60)
    assert L0Selector(k=6).fit(wide, y).get_support().sum() == 3
    assert L0Selector(k=6).fit(wide, y > 0).get_support().sum() == 3


def test_the_path_ends_where_nothing_is_left_to_explain():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(30, 10))
    found = L0Selector(k=8).fit(X, X[:, 2] - 3 * X[:, 7] + 5)
    assert found.get_support(indices=True).tolist() == [2, 7]
    assert found.intercept_ == pytest.approx(5)
    np.testing.assert_allclose(found.coef_[[2, 7]], [1, -3])


@pytest.mark.parametrize("task", ["classes", "number"])
def test_objectives_fall_with_the_size_and_supports_have_it(draw, task):
    X, y = draw(7, 60, 50, classes=task == "classes")
    found = L0Selector(k=10, task=task).fit(X, y)
    assert [len(support) for support in found.path_] == list(range(1, 11))
    assert (np.diff(found.objectives_) < 0).all()
    assert np.array_equal(found.path_[-1], found.get_support(indices=True))


def test_a_target_of_any_unit_and_offset_gives_the_same_features(draw):
    X, y = draw(2, 80, 30)
    plain = L0Selector(k=4, task="number").fit(X, y)
    for unit, offset in [(1e-180, 0.0), (1e200, 0.0), (1.0, 1e8)]:
        model = L0Selector(k=4, task="number").fit(X, unit * y + offset * y.std())
        np.testing.assert_array_equal(model.support_, plain.support_)
        np.testing.assert_allclose(model.coef_ / unit, plain.coef_, rtol=1e-5)
