"""The answer of an assessment in words: what the command prints and the report says."""

from __future__ import annotations

from collections import Counter
from math import isnan
from typing import TYPE_CHECKING, Any

from steadyset.errors import InputError
from steadyset.measures.scale import EXCELLENT, POOR
from steadyset.runner.scoring import LOWER_IS_BETTER

if TYPE_CHECKING:
    from steadyset.assessment.result import Assessment

SHOWN_CORE = 10
SCALE = f"poor below {POOR:.2f}, excellent above {EXCELLENT:.2f}; two words where the interval holds both"


def answer(assessment: Assessment) -> list[str]:
    """Which selector is steadiest, which predicts best, how far apart they are, and which never came to a selection."""
    failed = [
        f"All {number} runs of {name} failed, the first one because of: {why}"
        for name, (number, why) in assessment.failed_selectors.items()
    ]
    return [*_best(assessment), *failed]


def _best(assessment: Assessment) -> list[str]:
    score = assessment.settings["scoring"][0]
    rows = [row for row in summary_rows(assessment) if not isnan(row["stability"])]
    if not rows:
        return ["No selector came to two selections or more, so nothing can be said about stability."]
    steadiest = max(rows, key=lambda row: row["stability"])
    alone = len(assessment.selectors) == 1
    start = "" if alone else "The steadiest selector is "
    lines = [
        f"{start}{steadiest['selector']}: stability {steadiest['stability']:.2f} "
        f"(95% interval {steadiest['low']:.2f} to {steadiest['high']:.2f}), {steadiest['verdict']}."
    ]
    scored = [row for row in rows if not isnan(row[score])]
    if not scored:
        return lines
    best = (min if score in LOWER_IS_BETTER else max)(scored, key=lambda row: row[score])
    words = score.replace("_", " ")
    if best is steadiest:
        verb = "It predicts with" if alone else "It also predicts best:"
        return [*lines, f"{verb} mean {words} {best[score]:.3f} with {best['size']:.1f} features."]
    return [
        *lines,
        f"{best['selector']} predicts best (mean {words} {best[score]:.3f} with {best['size']:.1f} features; "
        f"{steadiest['selector']} has {steadiest[score]:.3f} with {steadiest['size']:.1f}), "
        f"and its stability is {best['stability']:.2f}, {best['verdict']}.",
    ]


def summary_rows(assessment: Assessment) -> list[dict[str, Any]]:
    """The summary table as plain rows."""
    table = assessment.summary().reset_index()
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def differences(assessment: Assessment) -> list[str]:
    """Which selectors differ in stability; nothing where there is only one."""
    if len(assessment.selectors) == 1:
        return []
    try:
        groups = assessment.compare().groups
    except InputError as error:
        return [str(error)]
    letters = ", ".join(f"{name} ({letter})" for name, letter in groups.items())
    return [f"Selectors that share a letter cannot be told apart (paired tests, Holm, 5%): {letters}."]


def core(assessment: Assessment) -> list[str]:
    """The steady core of each selector."""
    lines = []
    for name, features in assessment.core().items():
        more = f" and {len(features) - SHOWN_CORE} more" if len(features) > SHOWN_CORE else ""
        lines.append(f"{name}: {', '.join(features[:SHOWN_CORE]) + more if features else 'none'}")
    return lines


def failures(assessment: Assessment) -> list[str]:
    """How many runs came to no selection or no score, and why."""
    table = assessment.failures
    counts = Counter(zip(table["selector"], table["reason"], strict=True))
    return [f"{selector}: {n} x {why}" for (selector, why), n in counts.items()]
