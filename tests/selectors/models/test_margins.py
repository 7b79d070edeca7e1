"""Rows are weighted by their margins as Han and Yu 2010 define them."""

import numpy as np
import pytest

from steadyset.foundation.errors import InputError
from steadyset.selectors.models.margins import _margins, margin_weights
from steadyset.selectors.models.rfe import RecursiveElimination


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, size=30)
    return rng.normal(size=(7, 30)) + codes, codes, rng.integers(1, 4, size=30).astype(float)


def test_weights_follow_the_definition(rows):
    Xt, codes, _ = rows
    n = len(codes)
    margins = np.zeros_like(Xt)
    for i in range(n):
        for other in range(n):
            sign = 1 if codes[other] != codes[i] else -1
            margins[:, i] += sign * np.abs(Xt[:, i] - Xt[:, other])
    np.testing.assert_allclose(_margins(Xt, codes, np.ones(n)), margins, atol=1e-10)
    distance = np.array([np.mean([np.linalg.norm(margins[:, i] - z) for z in margins.T]) for i in range(n)])
    expected = (1 / distance) / (1 / distance).sum()
    np.testing.assert_allclose(margin_weights(Xt, codes, np.full(n, 1 / n)), expected, rtol=1e-10)


def test_weights_of_rows_equal_copies(rows):
    Xt, codes, weight = rows
    copies = np.repeat(np.arange(30), weight.astype(int))
    together = np.bincount(copies, margin_weights(Xt[:, copies], codes[copies], np.ones(len(copies))))
    np.testing.assert_allclose(margin_weights(Xt, codes, weight), together, rtol=1e-10)


def test_a_row_in_the_wrong_class_counts_least():
    rng = np.random.default_rng(1)
    codes = np.repeat([0, 1], 20)
    Xt = rng.normal(size=(5, 40)) * 0.3 + 2 * codes
    codes[0] = 1
    weights = margin_weights(Xt, codes, np.ones(40))
    assert np.argmin(weights) == 0
    assert weights.sum() == pytest.approx(40)


def test_rows_that_do_not_differ_keep_their_weights():
    np.testing.assert_array_equal(margin_weights(np.zeros((2, 4)), np.array([0, 0, 1, 1]), np.ones(4)), np.ones(4))


def test_the_elimination_takes_the_weights(draw):
    X, y = draw(0, 60, 20)
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    weights = margin_weights(standardised.T.copy(), (y == np.unique(y)[1]).astype(int), np.ones(60))
    ours = RecursiveElimination(5, loss="hinge", row_weights="margin").fit(X, y)
    direct = RecursiveElimination(5, loss="hinge").fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, direct.coef_, atol=1e-7)
    assert np.abs(ours.coef_ - RecursiveElimination(5, loss="hinge").fit(X, y).coef_).max() > 1e-3


def test_margins_are_for_classes(draw):
    X, _ = draw(0, 30, 4)
    with pytest.raises(InputError, match="classes"):
        RecursiveElimination(2, row_weights="margin", task="number").fit(X, X[:, 0])
