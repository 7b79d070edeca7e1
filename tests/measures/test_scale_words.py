"""Words for values: honest about their uncertainty."""

import math

import pytest

from steadyset.measures.evaluate import verdict


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ((0.2, 0.1, 0.39), "poor"),
        ((0.39, 0.3, 0.5), "poor or intermediate"),
        ((0.6, 0.4, 0.75), "intermediate to good"),
        ((0.74, 0.6, 0.9), "good or excellent"),
        ((0.8, 0.76, 0.9), "excellent"),
        ((0.5, 0.1, 1.0), "poor to excellent"),
        ((0.5, 0.0, 1.0), "interval holds chance"),
        ((-0.1, -0.2, 0.0), "not above chance"),
        ((-0.1, math.nan, math.nan), "not above chance"),
        ((0.8, math.nan, math.nan), "excellent"),
        ((math.nan, math.nan, math.nan), ""),
    ],
)
def test_an_interval_across_a_boundary_gets_both_words(interval, words):
    assert verdict(*interval) == words
