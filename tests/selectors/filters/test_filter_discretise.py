"""Bins agree with a direct reading of the definitions, on weighted rows too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.selectors.filters.binned import discretise

from steadyset.foundation.errors import InputError


def class_entropy(y: list[int]) -> float:
    share = np.unique(y, return_counts=True)[1] / len(y)
    return float(-(share * np.log2(share)).sum())


def mdl_cuts(x: np.ndarray, y: np.ndarray) -> list[float]:
    """Cut points of Fayyad and Irani (1993), straight from the definition."""
    values = np.unique(x)
    best = None
    for cut in (values[:-1] + values[1:]) / 2:
        sides = [list(y[x < cut]), list(y[x >= cut])]
        after = sum(len(side) / len(y) * class_entropy(side) for side in sides)
        if best is None or after < best[0] - 1e-12:
            best = (after, cut, sides)
    if best is None:
        return []
    after, cut, sides = best
    k, entropy = len(set(y)), class_entropy(list(y))
    parts = sum(len(set(side)) * class_entropy(side) for side in sides)
    delta = np.log2(3**k - 2) - (k * entropy - parts)
    if entropy - after <= (np.log2(len(y) - 1) + delta) / len(y):
        return []
    return [*mdl_cuts(x[x < cut], y[x < cut]), cut, *mdl_cuts(x[x >= cut], y[x >= cut])]


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 60), st.integers(2, 4))
def test_mdl_makes_the_cuts_of_the_definition(seed, n_rows, n_classes):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    x = (y * rng.uniform(0, 5) + rng.normal(size=n_rows)).round(1)
    expected = np.searchsorted(mdl_cuts(x, y), x)
    np.testing.assert_array_equal(discretise(x[:, None], y, method="mdl")[:, 0], expected)


def test_mdl_makes_several_cuts_where_classes_alternate():
    x = np.arange(90.0)[:, None]
    y = np.repeat([0, 1, 0], 30)
    np.testing.assert_array_equal(discretise(x, y, method="mdl")[:, 0], np.repeat([0, 1, 2], 30))


def test_mdl_keeps_noise_in_one_bin():
    rng = np.random.default_rng(0)
    assert not discretise(rng.normal(size=(40, 5)), rng.permutation(np.repeat([0, 1], 20)), method="mdl").any()


@pytest.mark.parametrize(("n_rows", "n_bins"), [(2, 2), (8, 2), (9, 3), (29, 9), (30, 10), (500, 10)])
def test_equal_width_takes_a_third_of_the_rows_as_bins_between_two_and_ten(n_rows, n_bins):
    x = np.linspace(-1, 3, n_rows)
    codes = discretise(x[:, None])[:, 0]
    assert codes[0] == 0
    assert codes[-1] == n_bins - 1
    expected = np.minimum(np.floor(n_bins * (x + 1) / 4), n_bins - 1)
    np.testing.assert_array_equal(codes, expected)


def test_a_constant_feature_has_one_bin():
    X = np.full((20, 1), 0.1)
    for method in ("equal_width", "mdl", "distinct"):
        assert not discretise(X, np.arange(20) % 2, method=method).any()


def test_distinct_numbers_the_values_in_order():
    assert discretise([[3.0], [-1.0], [3.0], [8.0]], method="distinct")[:, 0].tolist() == [1, 0, 1, 2]


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["equal_width", "mdl", "distinct"]))
def test_bins_of_weighted_rows_are_those_of_copied_rows(seed, method):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 25)
    X = (y[:, None] * 2 + rng.normal(size=(25, 3))).round(1)
    weights = rng.integers(0, 4, 25)
    weights[0] = 1
    codes = discretise(X, y, method=method, sample_weight=weights)
    assert (codes[weights == 0] == -1).all()
    copied = discretise(np.repeat(X, weights, axis=0), np.repeat(y, weights), method=method)
    np.testing.assert_array_equal(np.repeat(codes, weights, axis=0), copied)


def test_unknown_methods_are_refused():
    with pytest.raises(InputError, match=r"method must be one of equal_width, mdl, distinct \(got 'quantile'\)"):
        discretise(np.ones((3, 1)), method="quantile")
