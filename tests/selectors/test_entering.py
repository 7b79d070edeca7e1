"""Orders in which features enter the paths of halves are those of the models of `elastic_net_paths`."""

import numpy as np
import pytest

import steadyset as st
from steadyset.selectors.entering import entering_orders, lay_out_columns

LENGTH, LEVELS, LAST = 12, 30, 0.2


def first_levels(X, y, half):
    """Return the level at which each feature first has a coefficient, and its size there; by the public paths."""
    path = st.selectors.elastic_net_path(
        X,
        y,
        half.astype(float),
        family="linear",
        n_lambdas=LEVELS,
        lambda_min_ratio=LAST,
        max_features=LENGTH,
        tol=1e-6,
    )
    inside = path.coefs != 0
    levels = np.where(inside.any(axis=0), inside.argmax(axis=0), LEVELS)
    sizes = np.abs(path.coefs[np.minimum(levels, len(path.coefs) - 1), np.arange(X.shape[1])])
    return levels, sizes


def expected_order(X, y, half):
    levels, sizes = first_levels(X, y, half)
    order = np.lexsort((-sizes, levels))
    return order[levels[order] < LEVELS][:LENGTH]


@pytest.mark.parametrize(("n", "d"), [(40, 5), (41, 60), (60, 300)])
@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200, 3e307])
def test_features_enter_as_in_the_path_of_the_half_alone(n, d, unit):
    random = np.random.default_rng([n, d])
    X = random.normal(size=(n, d))
    X[:, 1] = random.random(n) < 0.1  # in many halves hardly any
    X[:, 2] = 3.0
    X[:, 3] = 2 * X[:, 0]  # a copy in another unit
    y = X[:, 4] + random.normal(size=n)
    halves = np.array([random.permutation(n) < n // 2 for _ in range(60)])
    found = entering_orders(
        lay_out_columns(X), y * unit, halves, length=LENGTH, n_levels=LEVELS, last_level=LAST, tol=1e-6
    )
    assert found.shape == (60, LENGTH)
    for order, half in zip(found, halves, strict=True):
        assert order[order >= 0].tolist() == expected_order(X, y, half).tolist()
        assert (np.diff(np.flatnonzero(order < 0)) == 1).all()  # gaps are at the end only
    assert not np.isin(found, [2, 3]).any()


def test_a_constant_half_of_every_column_ranks_nothing():
    X = np.zeros((20, 3))
    X[10:] = np.random.default_rng(0).normal(size=(10, 3))
    y = np.arange(20.0)
    half = np.arange(20) < 10
    settings = {"length": 2, "n_levels": LEVELS, "last_level": LAST, "tol": 1e-6}
    found = entering_orders(lay_out_columns(X), y, np.array([half, ~half]), **settings)
    assert (found[0] == -1).all()
    assert (found[1] >= 0).all()
