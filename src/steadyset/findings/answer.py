"""The answer in words: who predicts no better than chance, which procedure is steadiest, and which predicts best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from steadyset.assessment.baselines import Beaten
from steadyset.findings.differing import STABILITY
from steadyset.findings.parts import Differences, Procedure
from steadyset.foundation.text import counted, listed, number, percent, shown_name, span
from steadyset.measures.scale import AT_CHANCE, BY_COLUMN_ORDER, CONVENTION, EXCELLENT, POOR, is_of_scale

SCALE = (
    f"{CONVENTION}, poor below {POOR:.2f} and excellent above {EXCELLENT:.2f}; two words where the interval holds both"
    ", none where it holds chance or the score is not above its baselines"
)
MAX_NAMED = 5  # selectors that a sentence about baselines tells
NOTHING = "No selector came to two selections or more, so nothing can be said about stability."


def no_better_than_baselines(
    rows: Sequence[Procedure], beaten: Mapping[str, Beaten], score: str, noun: str
) -> list[str]:
    """Whose features are not shown to predict better than as many random ones, or than none: what comes first."""
    as_random = [row for row in rows if beaten[row.name].random is False]
    as_blind = [row for row in rows if beaten[row.name].blind is False and row not in as_random]
    return [
        *_not_better(
            as_random, "random", "as many random features", score, noun if len(as_random) == len(rows) else ""
        ),
        *_not_better(as_blind, "blind", "no features", score, noun if len(as_blind) == len(rows) else ""),
    ]


def _not_better(rows: Sequence[Procedure], baseline: str, what: str, score: str, all_of: str) -> list[str]:
    """One sentence about these rows; `all_of` is the noun where they are all of several."""
    if not rows:
        return []
    words, word = score.replace("_", " "), {"random": "random", "blind": "without features"}[baseline]
    means = [number(row.scores[score].mean, 3) for row in rows]
    others = [number(getattr(row.scores[score], baseline), 3) for row in rows]
    if len(rows) > 1 and len(set(others)) == 1:
        each = [f"{row.name} {mean}" for row, mean in zip(rows, means, strict=True)]
        told = f"{listed(each, MAX_NAMED)}, {word} {others[0]}"
        if all_of:
            return [f"No {all_of} predicts significantly better than {what} ({words}: {told})."]
        names = listed([row.name for row in rows], MAX_NAMED)
        return [f"{names} do not predict significantly better than {what} ({words}: {told})."]
    each = [
        f"{row.name} ({words} {mean}, {word} {other})" for row, mean, other in zip(rows, means, others, strict=True)
    ]
    if all_of and len(rows) > 1:
        return [f"No {all_of} predicts significantly better than {what}: {listed(each, MAX_NAMED)}."]
    do = "does" if len(rows) == 1 else "do"
    return [f"{listed(each, MAX_NAMED)} {do} not predict significantly better than {what}."]


def steadiest(
    rows: Sequence[Procedure], differences: Sequence[Differences], level: float, noun: str, lower: str = ""
) -> list[str]:
    """Which of the ranked rows is steadiest, as far as the tests can tell; one decided by column order is none.

    `lower` is the name of the measure where less of it is steadier.
    """
    judged = [row for row in rows if not isnan(row.stability) and row.verdict != BY_COLUMN_ORDER]
    if not judged:
        return [_nothing(rows)]
    first, alone = judged[0], len(rows) == 1
    value = (
        f"{lower or STABILITY} {number(first.stability)} ({percent(level)} interval {span(first.low, first.high)}"
        f"{'; less is steadier' if lower else ''})"
        f"{_judged(first.verdict)}"
    )
    if alone:
        name = f"{shown_name(first.name)}: {value}" if first.name else value[0].upper() + value[1:]
        return [f"{name}."]
    same = [row for row in judged if number(row.stability) == number(first.stability)]
    if len(same) > 1:
        return [
            f"The steadiest {noun}s are {listed([row.name for row in same])}: {value}"
            f"{' (of the first)' if len({(r.low, r.high) for r in same}) > 1 else ''}."
        ]
    rivals = _not_told_apart(first, judged[1:], differences, STABILITY)
    unsure = f" Not significantly less steady: {listed([row.name for row in rivals])}." if rivals else ""
    return [f"The steadiest {noun} is {shown_name(first.name)}: {value}.{unsure}"]


def best_predictor(
    rows: Sequence[Procedure], differences: Sequence[Differences], score: str, lower_is_better: bool
) -> list[str]:
    """Which procedure predicts best, beside the steadiest; no winner where digits or the test cannot tell."""
    scored = [row for row in rows if not isnan(row.scores[score].mean)]
    if not scored:
        return []
    words = score.replace("_", " ")
    scored.sort(key=lambda row: row.scores[score].mean, reverse=not lower_is_better)
    best = scored[0]
    if len(rows) == 1:
        return [f"It predicts with mean {words} {_scored(best, score)}."]
    rivals = _not_told_apart(best, scored[1:], differences, score)
    shown = number(best.scores[score].mean, 3)
    rivals += [row for row in scored[1:] if row not in rivals and number(row.scores[score].mean, 3) == shown]
    leader = next((row.name for row in rows if not isnan(row.stability) and row.verdict != BY_COLUMN_ORDER), None)
    if rivals:
        others = listed([f"{row.name} ({number(row.scores[score].mean, 3)})" for row in rivals], 4)
        whom = "it is also" if best.name == leader else f"{shown_name(best.name)} is"
        return [f"In {words} {whom} first with {_scored(best, score)}; not significantly worse: {others}."]
    if best.name == leader:
        return [f"It also predicts best: mean {words} {_scored(best, score)}."]
    other = next((row for row in scored if row.name == leader), None)
    beside = f"; {shown_name(other.name)} has {_scored(other, score)}" if other is not None else ""
    steady = "" if isnan(best.stability) else f" Its stability is {number(best.stability)}{_judged(best.verdict)}."
    return [f"{shown_name(best.name)} predicts best: mean {words} {_scored(best, score)}{beside}.{steady}"]


def _judged(verdict: str) -> str:
    """The verdict behind a number; its words are named as the convention that they are, and baselines come before."""
    if is_of_scale(verdict):
        return f", {verdict} {CONVENTION}"
    return f", {verdict}" if verdict in (*AT_CHANCE, BY_COLUMN_ORDER) else ""


def ranked(rows: Sequence[Procedure]) -> list[Procedure]:
    """The steadiest first, by a measure of which more is steadier; those without a stability last."""
    return sorted(rows, key=lambda row: (isnan(row.stability), -row.stability))


def _nothing(rows: Sequence[Procedure]) -> str:
    tied = [row.name for row in rows if row.verdict == BY_COLUMN_ORDER]
    if tied:
        return f"What {listed(tied)} selected was decided by the order of the columns, so it cannot be called steady."
    explained = [f"{shown_name(row.name) or 'The procedure'} {row.note}" for row in rows if row.note]
    return f"Stability is undefined: {'; '.join(explained)}." if explained else NOTHING


def _not_told_apart(
    first: Procedure, others: Sequence[Procedure], differences: Sequence[Differences], what: str
) -> list[Procedure]:
    tests = next((one for one in differences if one.what == what), None)
    return [row for row in others if tests is not None and not tests.told_apart(first.name, row.name)]


def _scored(row: Procedure, score: str) -> str:
    return f"{number(row.scores[score].mean, 3)} with {counted(row.size, 'feature')}"
