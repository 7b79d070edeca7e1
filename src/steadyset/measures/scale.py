"""Words for values of the default measure: a convention of Fleiss, which says nothing of values at chance."""

from __future__ import annotations

import math

POOR, EXCELLENT = 0.40, 0.75
CONVENTION = "by the convention of Fleiss"
AT_CHANCE = ("not above chance", "interval holds chance")  # which is 0: the value, or the interval that begins there
BY_COLUMN_ORDER, UNDEFINED = "decided by column order", "undefined"
# Below this share of the selected features a tie at the end of a ranking moves the stability by less than its interval
# is wide; from it on the order of the columns, which is the same in every run, passes for steadiness.
MOST_TIED = 0.1
BETWEEN = {
    ("poor", "intermediate to good"): "poor or intermediate",
    ("intermediate to good", "excellent"): "good or excellent",
    ("poor", "excellent"): "poor to excellent",
}


def scale(value: float) -> str:
    """Fleiss' scale, as Nogueira, Sechidis and Brown (2018) use it; nothing for what is undefined."""
    if math.isnan(value):
        return ""
    if value <= 0:
        return AT_CHANCE[0]
    if value < POOR:
        return "poor"
    return "intermediate to good" if value <= EXCELLENT else "excellent"


def verdict(value: float, low: float, high: float) -> str:
    """The word of a value with an interval; where the ends of the interval have different words, both are said.

    An interval that holds the value of chance has no word of the scale.

    Examples
    --------
    >>> verdict(0.72, 0.66, 0.74), verdict(0.72, 0.66, 0.78)
    ('intermediate to good', 'good or excellent')
    >>> verdict(0.2, -0.01, 0.5)
    'interval holds chance'
    """
    if low <= 0 < max(value, high):
        return AT_CHANCE[1]
    return BETWEEN.get((scale(low), scale(high)), scale(value))


def judged(value: float, low: float, high: float, tied: float | None) -> str:
    """The verdict on selections, of whose features the share `tied` only column order decided (None: not known)."""
    if math.isnan(value):
        return UNDEFINED
    return BY_COLUMN_ORDER if tied is not None and tied >= MOST_TIED else verdict(value, low, high)


def is_of_scale(words: str) -> bool:
    """Whether a verdict is a word of the scale."""
    return words in {"poor", "intermediate to good", "excellent", *BETWEEN.values()}
