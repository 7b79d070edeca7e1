"""The answer of an assessment in words: what the command prints and the report says."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from steadyset.assess.scoring import LOWER_IS_BETTER
from steadyset.errors import InputError
from steadyset.measures.scale import scale

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.assess.assessment import Assessment

SHOWN_CORE = 10


def answer(summary: pd.DataFrame, score: str) -> list[str]:
    """Which selector is steadiest, which predicts best, and how far apart they are."""
    known = summary.dropna(subset=["stability"])
    if known.empty:
        return ["No selector came to two selections or more, so nothing can be said about stability."]
    steadiest = known.loc[known["stability"].idxmax()]
    lines = [
        f"The steadiest selector is {steadiest.name}: stability {steadiest['stability']:.2f} "
        f"(95% interval {steadiest['low']:.2f} to {steadiest['high']:.2f}), {scale(steadiest['stability'])}."
    ]
    if score in known and known[score].notna().any():
        best = known.loc[known[score].idxmin() if score in LOWER_IS_BETTER else known[score].idxmax()]
        words = score.replace("_", " ")
        if best.name == steadiest.name:
            lines.append(f"It also predicts best: mean {words} {best[score]:.3f} with {best['size']:.1f} features.")
        else:
            lines.append(
                f"{best.name} predicts best (mean {words} {best[score]:.3f} with {best['size']:.1f} features; "
                f"{steadiest.name} has {steadiest[score]:.3f} with {steadiest['size']:.1f}), "
                f"and its stability is {best['stability']:.2f}, {scale(best['stability'])}."
            )
    return lines


def differences(assessment: Assessment) -> list[str]:
    """Which selectors differ in stability."""
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
