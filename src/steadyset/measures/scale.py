"""Words for values of the default measure."""

from __future__ import annotations

import math

POOR, EXCELLENT = 0.40, 0.75
BETWEEN = {
    ("poor", "intermediate to good"): "poor or intermediate",
    ("intermediate to good", "excellent"): "good or excellent",
    ("poor", "excellent"): "poor to excellent",
}


def scale(value: float) -> str:
    """Fleiss' scale, as Nogueira, Sechidis and Brown (2018) use it; nothing for what is undefined."""
    if math.isnan(value):
        return ""
    if value < POOR:
        return "poor"
    return "intermediate to good" if value <= EXCELLENT else "excellent"


def verdict(value: float, low: float, high: float) -> str:
    """The word of a value with an interval; where the ends of the interval have different words, both are said.

    Examples
    --------
    >>> verdict(0.72, 0.66, 0.74), verdict(0.72, 0.66, 0.78)
    ('intermediate to good', 'good or excellent')
    """
    ends = (scale(low), scale(high))
    return BETWEEN.get(ends, scale(value))
