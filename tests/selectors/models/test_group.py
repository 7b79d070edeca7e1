"""Group-lasso models are optimal, and take groups whole."""

import numpy as np
import pytest
from scipy.special import expit

from steadyset.foundation.errors import InputError
from steadyset.selectors.linear import ElasticNetSelector
from steadyset.selectors.models.group import GroupLassoSelector

TASKS = ["classes", "number"]


def kkt_violation(X, y, w, fitted, groups, logistic):
    """The optimality conditions written out for the standardised features."""
    w = w / w.sum()
    centre = w @ X
    sd = np.sqrt(w @ (X - centre) ** 2)
    b = fitted.coef_ * sd
    eta = fitted.intercept_ + X @ fitted.coef_
    residual = w * (y - (expit(eta) if logistic else eta))
    descent = ((X - centre) / sd).T @ residual
    worst = abs(residual.sum())
    for group in np.unique(groups):
        own = groups == group
        strength = fitted.penalty_ * np.sqrt(own.sum())
        norm = np.linalg.norm(b[own])
        if norm > 0:
            worst = max(worst, np.linalg.norm(descent[own] - strength * b[own] / norm))
        else:
            worst = max(worst, np.linalg.norm(descent[own]) - strength)
    return worst


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("correlation", [0.3, 0.95])
@pytest.mark.parametrize("penalty", [0.1, 0.03, 0.005])
def test_models_meet_the_kkt_conditions(draw, task, correlation, penalty):
    logistic = task == "classes"
    X, y = draw(0, 60, 100, correlation=correlation, classes=logistic)
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 25, size=100)
    w = rng.multinomial(60, np.full(60, 1 / 60)).astype(float)
    fitted = GroupLassoSelector(groups, task=task, penalty=penalty).fit(X, y, w)
    assert kkt_violation(X, y, w, fitted, groups, logistic) < 1e-8
    assert fitted.violation_ < 1e-8
    assert fitted.get_support().any()


@pytest.mark.parametrize("task", TASKS)
def test_groups_are_taken_whole_and_k_counts_them(draw, task):
    X, y = draw(1, 80, 60, classes=task == "classes")
    groups = np.array([f"pathway {j // 5}" for j in range(60)])
    fitted = GroupLassoSelector(groups, task=task, k=4).fit(X, y)
    chosen = fitted.get_support().reshape(12, 5)
    assert chosen.all(axis=1).sum() == 4
    assert chosen.any(axis=1).sum() == 4
    assert np.count_nonzero(fitted.coef_) == 20


@pytest.mark.parametrize("task", TASKS)
def test_groups_of_one_feature_are_the_lasso(draw, task):
    X, y = draw(2, 50, 80, classes=task == "classes")
    a, b = (kind(penalty=0.05, task=task).fit(X, y) for kind in (GroupLassoSelector, ElasticNetSelector))
    assert np.array_equal(a.get_support(), b.get_support())
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-8)


def test_a_constant_feature_of_a_selected_group_is_left_out(draw):
    X, y = draw(3, 60, 10)
    X[:, 1] = 4.0
    chosen = GroupLassoSelector([0] * 5 + [1] * 5, k=2).fit(X, y).get_support()
    assert chosen.tolist() == [True, False] + [True] * 8


def test_groups_must_fit_the_features(draw):
    with pytest.raises(
        InputError, match=r"groups has the shape \(2,\); expected one value for each of the 4 features of X"
    ):
        GroupLassoSelector([0, 1]).fit(*draw(4, 20, 4, classes=False))


def test_k_is_compared_with_the_number_of_groups(draw):
    with pytest.raises(InputError, match=r"k must be at most 2, the number of groups of X \(got 3\)"):
        GroupLassoSelector([0, 0, 1, 1], k=3).fit(*draw(5, 20, 4, classes=False))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.filterwarnings("error")
def test_near_copies_in_other_groups_end_at_the_optimum(task):
    rng = np.random.default_rng(2)
    n, d, c = (int(rng.choice(sizes)) for sizes in ([12, 30, 100, 200], [5, 20, 60], [3, 20, 60]))
    X = rng.standard_normal((n, d))
    difference = 10.0 ** -rng.integers(1, 16, c)
    source = rng.integers(0, d, c)
    copies = X[:, source] * rng.choice([-1, 1, 2.54], c) * (1 + difference * rng.standard_normal((n, c)))
    total = X[:, :2].sum(axis=1, keepdims=True) + 1e-9 * rng.standard_normal((n, 1))
    score = X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + rng.standard_normal(n) * 0.5
    y = score > np.median(score) if task == "classes" else score
    groups = np.r_[np.arange(d) // 2, np.arange(c) // 2 + 1000, 5000]
    assert GroupLassoSelector(groups, task=task, k=3).fit(np.hstack([X, copies, total]), y).violation_ < 1e-9
