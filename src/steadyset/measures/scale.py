"""Words for values of the default measure."""

from __future__ import annotations

import math

POOR, EXCELLENT = 0.40, 0.75


def scale(value: float) -> str:
    """Fleiss' scale, as Nogueira, Sechidis and Brown (2018) use it; nothing for what is undefined."""
    if math.isnan(value):
        return ""
    if value < POOR:
        return "poor"
    return "intermediate to good" if value <= EXCELLENT else "excellent"
