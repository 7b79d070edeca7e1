"""The small dense kernels under the models: factors of singular matrices, and the support vector machine."""

import numpy as np
import pytest
from sklearn.svm import SVC

from steadyset.kernels.linear.algebra import cholesky, cholesky_solve, first_largest, pivoted_cholesky
from steadyset.kernels.linear.models import hinge_fit


def test_cholesky_solves_and_says_when_a_matrix_is_singular():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 9))
    K = A @ A.T
    factor, x = K.copy(), rng.normal(size=6)
    solution = x.copy()
    assert cholesky(factor, 6, 1e-14)
    cholesky_solve(factor, 6, solution)
    np.testing.assert_allclose(K @ solution, x)
    assert not cholesky(A.T @ A, 9, 1e-12)


def test_pivoted_cholesky_finds_the_rank_and_a_triangle():
    A = np.random.default_rng(1).normal(size=(8, 3))
    K = A @ A.T
    columns, pivots = pivoted_cholesky(K, 1e-12)
    assert columns.shape == (3, 8)
    np.testing.assert_allclose(columns.T @ columns, K, atol=1e-12)
    assert not np.tril(columns[:, pivots], -1).any()


@pytest.mark.parametrize("penalty", [1.0, 0.01, 1e-4])
def test_the_support_vector_machine_is_at_least_as_good_as_libsvm(penalty):
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(60, 4))
    y = np.sign(Z[:, 0] + rng.normal(size=60))
    w = rng.random(60)
    w /= w.sum()
    theta = hinge_fit(np.ascontiguousarray(Z.T), y, w, penalty, 1e-13)
    theirs = SVC(kernel="linear", C=1 / penalty, tol=1e-6).fit(Z, y, sample_weight=w)

    def objective(coef, intercept):
        return w @ np.maximum(0, 1 - y * (Z @ coef + intercept)) + penalty / 2 * coef @ coef

    reached = objective(theta[:4], theta[4])
    assert reached <= objective(theirs.coef_[0], theirs.intercept_[0]) + 1e-10
    np.testing.assert_allclose(theta[:4], theirs.coef_[0], atol=1e-3)


def test_values_that_differ_by_rounding_are_a_tie():
    assert first_largest(np.array([0.0, 1.0, 1.0 + 1e-15])) == 1
    assert first_largest(np.array([0.0, 1.0, 1.001])) == 2
    assert first_largest(np.zeros(3)) == 0
