"""What differs: the tests of a comparison as findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steadyset.findings.parts import Differences, Test
from steadyset.inference import Comparison
from steadyset.io.labels import shown_name
from steadyset.wording import percent

STABILITY = "stability"
ADJUSTED = {"holm": ", Holm", "bh": ", Benjamini-Hochberg"}
CORRECTED_T = "corrected resampled t-tests"


def differences(found: Comparison, what: str, test: str) -> Differences:
    """The tests of a comparison, and its letters in a sentence."""
    alpha = 1 - found.level
    tests = tuple(_test(row, alpha) for row in found.pairs)
    how = f"{test}{ADJUSTED.get(found.adjust or '', '')}, {percent(alpha)}"
    groups = {str(name): letters for name, letters in found.groups.items()}
    letters = ", ".join(f"{shown_name(name)} ({letters})" for name, letters in groups.items() if letters)
    words = f"In {what.replace('_', ' ')}: {letters}; those that share a letter show no significant difference ({how})."
    return Differences(what, how, groups, tests, words, found.adjust or "")


def _test(row: Mapping[str, Any], alpha: float) -> Test:
    return Test(
        str(row["first"]),
        str(row["second"]),
        float(row["difference"]),
        float(row["low"]),
        float(row["high"]),
        float(row["p_value"]),
        float(row["p_adjusted"]),
        bool(row["p_adjusted"] <= alpha),
        str(row["note"]),
        bool(row["paired"]),
    )
