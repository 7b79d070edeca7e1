"""The answer in words: who predicts no better than chance, which procedure is steadiest, and which predicts best.

Which selector to prefer is decided by one rule, or these data cannot tell. "Not significantly different" is no evidence
that a selector predicts as well as another: with few rows no test finds anything, and the most rigid selector would
win. A selector is preferred where the interval of its loss against the best predictor lies within a margin, it predicts
better than as many random features and than none, and of those of which that holds it is the steadiest by the tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isnan, log10, nan

from steadyset.assessment import Assessment
from steadyset.assessment.result import Beaten
from steadyset.findings.parts import STABILITY, Differences, Loss, Preference, Procedure
from steadyset.foundation.text import counted, is_whole_scale, listed, number, p_equals, percent, shown_name, span
from steadyset.inference.comparison import LossInterval, losses_against_best
from steadyset.inference.instability import Alternatives
from steadyset.measures.evaluate import (
    AT_CHANCE,
    BY_COLUMN_ORDER,
    CONVENTION,
    EXCELLENT,
    MIN_TESTED_RUNS,
    POOR,
    TOO_FEW_RUNS,
    is_of_scale,
)
from steadyset.runner.scoring import is_bounded, lower_is_better

SCALE = (
    f"{CONVENTION}, poor below {POOR:.2f} and excellent above {EXCELLENT:.2f}; two words where the interval holds both"
    ", none where it holds chance or the score is not above its baselines"
)
MAX_NAMED = 5  # selectors that a sentence about baselines tells
NOTHING = "No selector came to two selections or more, so nothing can be said about stability."
CANNOT_TELL = "These data cannot tell which selector to prefer"
MAX_LOSSES = 6  # selectors whose losses a sentence tells
MAX_GROWTH = 50  # times the rows; beyond, a number of rows would be no help


def tells(classes: Sequence[str], target: str, *, one: bool) -> str:
    """What features do for a target with these classes, or without: tell them apart, or go with it."""
    of = shown_name(target) if target else "the target"
    if not classes:
        return f"{'goes' if one else 'go'} with {of}"
    verb = "tells" if one else "tell"
    if len(classes) == 2:
        return f"{verb} {shown_name(classes[1])} from {shown_name(classes[0])}"
    return f"{verb} the {len(classes)} classes of {of} apart"


def no_better_than_baselines(
    rows: Sequence[Procedure], beaten: Mapping[str, Beaten], score: str, without: tuple[str, str]
) -> list[str]:
    """Whose features are not shown to predict better than none, or else than as many random ones: what comes first."""
    as_blind = [row for row in rows if beaten[row.name].blind is False]
    as_random = [row for row in rows if beaten[row.name].random is False and row not in as_blind]
    nearly_all = [row.name for row in rows if beaten[row.name].nearly_all]
    # What holds comes before what does not: random features predict as well where many features carry the target.
    better = [row.name for row in as_random if beaten[row.name].blind]
    who = "All selectors" if 1 < len(better) == len(rows) else listed(better, MAX_NAMED)
    verb = "predicts" if len(better) == 1 else "predict"
    return [
        *([f"{who} {verb} significantly better than {without[1]}."] if better else []),
        *_not_better(as_blind, rows, score, "blind", *without),
        *_not_better(as_random, rows, score, "random", "random", "as many random features"),
        *([nearly_all_words(nearly_all)] if nearly_all else []),
    ]


def nearly_all_words(names: Sequence[str]) -> str:
    """Return why there is no comparison with random features."""
    who = f"{listed(names, MAX_NAMED)} {'selects' if len(names) == 1 else 'select'}"
    return f"{who} nearly all features, so no comparison with as many random features is made."


def _not_better(
    rows: Sequence[Procedure], every: Sequence[Procedure], score: str, baseline: str, word: str, what: str
) -> list[str]:
    """One sentence about these of all rows."""
    if not rows:
        return []
    words, several = score.replace("_", " "), len(rows) > 1
    means = [number(row.scores[score].mean, 3) for row in rows]
    others = [number(getattr(row.scores[score], baseline), 3) for row in rows]
    better = f"predict significantly better than {what}"
    nobody = f"No selector {better.replace('predict', 'predicts', 1)}" if several and len(rows) == len(every) else ""
    if several and len(set(others)) == 1:
        each = [f"{row.name} {mean}" for row, mean in zip(rows, means, strict=True)]
        who = nobody or f"{listed([row.name for row in rows], MAX_NAMED)} do not {better}"
        return [f"{who} ({words}: {listed(each, MAX_NAMED)}, {word} {others[0]})."]
    each = [
        f"{row.name} ({words} {mean}, {word} {other})" for row, mean, other in zip(rows, means, others, strict=True)
    ]
    told = listed(each, MAX_NAMED)
    return [f"{nobody}: {told}." if nobody else f"{told} {'do' if several else 'does'} not {better}."]


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
    interval = f"{percent(level)} interval {span(first.low, first.high)}"
    # Two runs leave an interval as wide as the scale, which says nothing.
    says_nothing = isnan(first.low) or (not lower and is_whole_scale(first.low, first.high))
    known = () if says_nothing else (interval,)
    brackets = "; ".join((*known, *(("less is steadier",) if lower else ())))
    behind = f" ({brackets})" if brackets else ""
    value = f"{lower or STABILITY} {number(first.stability)}{behind}{_judged(first.verdict)}"
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
    return f", {verdict}" if verdict in (*AT_CHANCE, BY_COLUMN_ORDER, TOO_FEW_RUNS) else ""


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


@dataclass(frozen=True)
class _Case:
    """What the rule looks at: the ranked rows that may be preferred, and what is known of each."""

    rows: Sequence[Procedure]
    losses: Mapping[str, LossInterval]
    beaten: Mapping[str, Beaten]
    score: str
    largest: float
    level: float
    n_rows: int

    @property
    def words(self) -> str:
        return self.score.replace("_", " ")

    def within(self, name: str) -> bool:
        """Whether the loss is shown to lie within the margin; comparisons with nan are False."""
        return self.losses[name].high <= self.largest


def preference(
    assessment: Assessment, ranked: Sequence[Procedure], stabilities: Differences | None, *, margin: float, level: float
) -> Preference | None:
    """By the first score; `ranked` are the rows of the summary, the steadiest first. None where nothing is scored."""
    score = next(iter(assessment.settings["scoring"]), None)
    if score is None:
        return None
    runs = {name: values for name, values in assessment.score_runs(score).items() if len(values) >= MIN_TESTED_RUNS}
    if not runs:
        return None
    # The size of the score without features: what a margin of a score without bounds is a share of.
    blind = (row.scores[score].blind for row in ranked)
    without_features = next((abs(value) for value in blind if not isnan(value)), nan)
    case = _Case(
        [row for row in ranked if row.name in runs and not isnan(row.stability) and row.verdict != BY_COLUMN_ORDER],
        losses_against_best(
            runs,
            assessment.test_ratio,
            lower_is_better=lower_is_better(score),
            level=level,
            hidden=assessment.hidden_spread(score),
        ),
        assessment.baselines_beaten(level=level),
        score,
        margin if is_bounded(score) else margin * without_features,
        level,
        assessment.settings["n_rows"],
    )
    able = [row for row in case.rows if case.within(row.name) and case.beaten[row.name].both]
    alike = [row for row in able[1:] if stabilities is None or not stabilities.told_apart(able[0].name, row.name)]
    preferred = able[0].name if len(runs) > 1 and able and not alike else None
    return Preference(
        score,
        margin,
        case.largest,
        level,
        preferred,
        tuple(row.name for row in (able[0], *alike)) if alike else (),
        tuple(
            Loss(
                name,
                one.estimate,
                one.low,
                one.high,
                case.within(name),
                beaten.random,
                beaten.blind,
                beaten.nearly_all,
            )
            for name, one in case.losses.items()
            for beaten in [case.beaten[name]]
        ),
        () if len(runs) < 2 else tuple(_preference_told(case, able, alike)),
    )


def _preference_told(case: _Case, able: Sequence[Procedure], alike: Sequence[Procedure]) -> list[str]:
    if not able:
        return _cannot_tell(case)
    first = able[0]
    if alike:
        most = max(case.losses[row.name].high for row in (first, *alike))
        return [
            f"No preference between {listed([row.name for row in (first, *alike)])}: {_loss_words(case, most)}, they "
            "predict better than as many random features, and their stability is not significantly different. More "
            "runs may tell their stability apart; otherwise choose by size, cost or meaning."
        ]
    steadier = [row.name for row in case.rows[: case.rows.index(first)]]
    but = f", although {listed(steadier, MAX_LOSSES)} {'is' if len(steadier) == 1 else 'are'} steadier"
    if case.losses[first.name].high == 0 and not case.losses[first.name].against:
        steady = but if steadier else " and is the steadiest"
        return [
            f"Prefer {shown_name(first.name)}: it predicts significantly better ({case.words}) than every other "
            f"selector and than as many random features{steady}."
        ]
    of = (
        f"it is the steadiest of the {len(able)} selectors of which that can be said"
        if len(able) > 1
        else f"of no other selector can that be said{but if steadier else ''}"
    )
    return [
        f"Prefer {shown_name(first.name)}: {_loss_words(case, case.losses[first.name].high)}, it predicts better than "
        f"as many random features, and {of}."
    ]


def _loss_words(case: _Case, most: float) -> str:
    return (
        f"with {percent(case.level)} confidence the loss in {case.words} against the best selector is at most "
        f"{number(most, 3)} (margin {case.largest:.3g})"
    )


def _cannot_tell(case: _Case) -> list[str]:
    """Why nobody can be preferred, the intervals, and what would help."""
    better = [row for row in case.rows if case.beaten[row.name].both]
    if not case.rows:
        return [f"{CANNOT_TELL}: none of those with a score has a stability to choose by.", _intervals(case)]
    if not better and all(case.beaten[row.name].random is None for row in case.rows):
        why = "there are no scores of random features to compare with"
        if any(case.beaten[row.name].nearly_all for row in case.rows):
            why = "selectors of nearly all features cannot be compared with random features"
        return [f"{CANNOT_TELL}: {why}.", _intervals(case)]
    if not better:
        return [
            f"{CANNOT_TELL}: {_none_better(case)}. More rows, another number of features or other selectors may; more "
            "resamples of the same rows help little.",
            _intervals(case),
        ]
    if isnan(case.largest):
        return [f"{CANNOT_TELL}: {case.words} has no bounds, and there is no score without features to measure by."]
    few = len(better) == 1
    return [
        f"{CANNOT_TELL}: {'the loss' if few else 'no loss'} in {case.words} against the best selector of "
        f"{'the one' if few else 'those'} that predict{'s' if few else ''} better than as many random features is "
        f"{'not ' if few else ''}shown to be at most {case.largest:.3g}.",
        _intervals(case),
        *_no_candidates(case),
        _help(case, better),
    ]


def _none_better(case: _Case) -> str:
    """Return what no selector is shown to be better than: none and random features, or random features alone."""
    if not any(case.beaten[row.name].blind for row in case.rows):
        return "none predicts significantly better than as many random features and than none"
    names = [row.name for row in case.rows if case.beaten[row.name].blind]
    who = "all" if 1 < len(names) == len(case.rows) else listed(names, MAX_NAMED)
    verb = "predicts" if len(names) == 1 else "predict"
    return f"{who} {verb} significantly better than no features, but none better than as many random features too"


def _no_candidates(case: _Case) -> list[str]:
    """Who could be preferred by the score, and cannot."""
    rows = [row.name for row in case.rows]
    names = [name for name in case.losses if case.within(name) and case.beaten[name].both and name not in rows]
    if not names:
        return []
    return [f"By its score {listed(names)} could be, but its stability is undefined or {BY_COLUMN_ORDER}."]


def _intervals(case: _Case) -> str:
    told = sorted(case.losses, key=lambda name: (isnan(case.losses[name].high), case.losses[name].high))
    each = [f"{name} {number(case.losses[name].low, 3)} to {number(case.losses[name].high, 3)}" for name in told]
    which = f"Loss in {case.words} against the best selector ({percent(case.level)} intervals, jointly)"
    return f"{which}: {listed(each, MAX_LOSSES)}."


def _help(case: _Case, better: Sequence[Procedure]) -> str:
    """How many rows, or which margin, would be enough for the selector that is nearest to it."""
    known = [row.name for row in better if not isnan(case.losses[row.name].high)]
    if not known:
        return "More resamples would help: a test needs scores that differ in two runs or more."
    name = min(known, key=lambda one: _growth(case, one))
    growth, least = _growth(case, name), min(case.losses[one].high for one in known)
    rows = (
        f"roughly {_rounded(case.n_rows * growth)} rows instead of {case.n_rows} would narrow the interval of "
        f"{shown_name(name)} to the margin"
        if growth <= MAX_GROWTH
        else "many more rows would narrow the intervals"
    )
    enough = number(ceil(1000 * least) / 1000, 3)  # rounded up
    return (
        f"What would help: {rows}; a margin of {enough}, where such a loss is acceptable, would be met today. More "
        "resamples of the same rows help little."
    )


def _growth(case: _Case, name: str) -> float:
    """How many times the rows an interval needs that lies within the margin; its width falls as their square root."""
    loss = case.losses[name]
    room = case.largest - (loss.high - loss.half)
    return (loss.half / room) ** 2 if room > 0 else float("inf")


def _rounded(count: float) -> str:
    """Two digits of a number of rows."""
    unit = 10 ** max(0, int(log10(count)) - 1)
    return f"{ceil(count / unit) * unit:,}"


def alternatives_words(found: Alternatives, score: str) -> str:
    """What groups of runs select instead of each other, and how well each predicts."""
    lists, n = found.lists, len(found.lists)
    who = f"of {shown_name(found.name)} " if found.name else ""
    sizes = listed([str(one.runs) for one in lists])
    everyone = "Both lists" if n == 2 else f"All {n} lists"
    shared = f"{everyone} share {counted(found.n_shared, 'feature')}"
    if found.n_exchanged:
        shared += f", and have {found.n_exchanged} more up to features that are alike"
    said = (
        f"The runs {who}fall into {n} groups that agree among themselves ({sizes} of {found.n_runs} runs; "
        f"{p_equals(found.p_value)} if they were of one kind). {shared}."
    )
    known = [number(one.score, 3) for one in lists if not isnan(one.score)]
    if len(known) == n:
        said += f" Their {score.replace('_', ' ')} is {listed(known)}."
    return f"{said} None of them is the one answer: report them all, or choose by what is easier to measure."
