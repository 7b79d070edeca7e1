"""What differs: the tests of a comparison as findings."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

from steadyset.findings.parts import Differences, Test
from steadyset.foundation.text import counted, percent, shown_name
from steadyset.inference import Comparison

STABILITY = "stability"
ADJUSTED = {"holm": ", Holm", "bh": ", Benjamini-Hochberg"}
CORRECTED_T = "corrected resampled t-tests"


def differences(found: Comparison, what: str) -> Differences:
    """The tests of a comparison of `what` (the stability, or a score), and its letters in a sentence.

    How many pairs the p-values are adjusted for is said: beside others the same two procedures have other p-values.
    """
    alpha = 1 - found.level
    tests = tuple(_test(row, alpha) for row in found.pairs)
    known = counted(sum(not isnan(test.p_value) for test in tests), "pair")
    adjusted = f"{ADJUSTED[found.adjust]} over {known}" if found.adjust in ADJUSTED else ""
    how = f"{_kind(tests) if what == STABILITY else CORRECTED_T}{adjusted}, {percent(alpha)}"
    groups = {str(name): letters for name, letters in found.groups.items()}
    letters = ", ".join(f"{shown_name(name)} ({letters})" for name, letters in groups.items() if letters)
    words = f"In {what.replace('_', ' ')}: {letters}; those that share a letter show no significant difference ({how})."
    return Differences(what, how, groups, tests, words, found.adjust or "")


def _kind(tests: tuple[Test, ...]) -> str:
    paired = {test.paired for test in tests}
    if len(paired) > 1:
        return "tests, paired where runs match"
    return "paired tests" if True in paired else "tests of independent runs"


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
