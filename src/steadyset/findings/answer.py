"""The answer in words: which procedure is steadiest, which predicts best, and where nobody can tell."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from steadyset.assessment.steadiness import BY_COLUMN_ORDER
from steadyset.findings.differing import STABILITY
from steadyset.findings.parts import Differences, Procedure
from steadyset.io.labels import shown_name
from steadyset.measures.scale import EXCELLENT, POOR
from steadyset.wording import counted, listed, number, percent, span

SCALE = f"poor below {POOR:.2f}, excellent above {EXCELLENT:.2f}; two words where the interval holds both"
NOTHING = "No selector came to two selections or more, so nothing can be said about stability."


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
        f"{', ' + first.verdict if first.verdict else ''}"
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
    unsure = f" The test cannot tell it from {listed([row.name for row in rivals])}." if rivals else ""
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
        return [f"In {words} {whom} first with {_scored(best, score)}, but cannot be told from {others}."]
    if best.name == leader:
        return [f"It also predicts best: mean {words} {_scored(best, score)}."]
    other = next((row for row in scored if row.name == leader), None)
    beside = f"; {shown_name(other.name)} has {_scored(other, score)}" if other is not None else ""
    steady = "" if isnan(best.stability) else f" Its stability is {number(best.stability)}, {best.verdict}."
    return [f"{shown_name(best.name)} predicts best: mean {words} {_scored(best, score)}{beside}.{steady}"]


def preferred(
    rows: Sequence[Procedure], differences: Sequence[Differences], score: str, lower_is_better: bool, noun: str
) -> list[str]:
    """Which of the ranked rows to prefer, or that none can be: first by what it predicts, then by how steady it is."""
    judged = [row for row in rows if not isnan(row.stability) and row.verdict != BY_COLUMN_ORDER]
    scored = [row for row in judged if not isnan(row.scores[score].mean)]
    if len(scored) < 2 or not {score, STABILITY} <= {one.what for one in differences}:
        return []  # nothing was tested
    best = (min if lower_is_better else max)(scored, key=lambda row: row.scores[score].mean)
    as_good = [best, *_not_told_apart(best, [row for row in scored if row is not best], differences, score)]
    candidates = [row for row in scored if row in as_good]
    first = candidates[0]
    rivals = _not_told_apart(first, candidates[1:], differences, STABILITY)
    words = score.replace("_", " ")
    if rivals:
        names = listed([row.name for row in (first, *rivals)])
        return [f"No preference between {names}: the tests tell them apart neither in {words} nor in stability."]
    if len(candidates) == 1:
        but = " and is the steadiest" if judged[0] is first else f", although {shown_name(judged[0].name)} is steadier"
        return [f"Prefer {shown_name(first.name)}: it has the better {words}{but}."]
    return [
        f"Prefer {shown_name(first.name)}: as far as the tests can tell no {noun} is better in {words}, and of those "
        "that are as good it is the steadiest."
    ]


def ranked(rows: Sequence[Procedure]) -> list[Procedure]:
    """The steadiest first, by a measure of which more is steadier; those without a stability last."""
    return sorted(rows, key=lambda row: (isnan(row.stability), -row.stability))


def _nothing(rows: Sequence[Procedure]) -> str:
    tied = [row.name for row in rows if row.verdict == BY_COLUMN_ORDER]
    if tied:
        return f"What {listed(tied)} selected was decided by the order of the columns, so it cannot be called steady."
    explained = [f"{shown_name(row.name) or 'The procedure'} {row.note}" for row in rows if row.note]
    return f"No stability can be told: {'; '.join(explained)}." if explained else NOTHING


def _not_told_apart(
    first: Procedure, others: Sequence[Procedure], differences: Sequence[Differences], what: str
) -> list[Procedure]:
    tests = next((one for one in differences if one.what == what), None)
    return [row for row in others if tests is not None and not tests.told_apart(first.name, row.name)]


def _scored(row: Procedure, score: str) -> str:
    return f"{number(row.scores[score].mean, 3)} with {counted(row.size, 'feature')}"
