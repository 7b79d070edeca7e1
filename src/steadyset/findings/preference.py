"""Which selector to prefer, by one rule, or that these data cannot tell.

"Not significantly different" is no evidence that a selector predicts as well as another: with few rows no test finds
anything, and the most rigid selector would win. A selector is preferred where the interval of its loss against the best
predictor lies within a margin, it predicts better than as many random features and than none, and of those of which
that holds it is the steadiest by the tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isnan, log10, nan

from steadyset.assessment import Assessment
from steadyset.assessment.baselines import Beaten
from steadyset.findings.parts import Differences, Loss, Preference, Procedure
from steadyset.foundation.text import listed, number, percent, shown_name
from steadyset.inference.scores import LossInterval, losses_against_best
from steadyset.measures.scale import BY_COLUMN_ORDER
from steadyset.runner.scoring import LOWER_IS_BETTER, is_bounded

CANNOT_TELL = "These data cannot tell which selector to prefer"
MAX_NAMED = 6  # selectors whose losses a sentence tells
MAX_GROWTH = 50  # times the rows; beyond, a number of rows would be no help


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
    runs = {name: values for name, values in assessment.score_runs(score).items() if len(values) > 1}
    if not runs:
        return None
    case = _Case(
        [row for row in ranked if row.name in runs and not isnan(row.stability) and row.verdict != BY_COLUMN_ORDER],
        losses_against_best(runs, assessment.test_ratio, lower_is_better=score in LOWER_IS_BETTER, level=level),
        assessment.baselines_beaten(level=level),
        score,
        margin if is_bounded(score) else margin * _without_features(ranked, score),
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
            Loss(name, one.estimate, one.low, one.high, case.within(name), beaten.random, beaten.blind)
            for name, one in case.losses.items()
            for beaten in [case.beaten[name]]
        ),
        () if len(runs) < 2 else tuple(_told(case, able, alike)),
    )


def _without_features(rows: Sequence[Procedure], score: str) -> float:
    """The size of the score without features: what a margin of a score without bounds is a share of."""
    return next((abs(row.scores[score].blind) for row in rows if not isnan(row.scores[score].blind)), nan)


def _told(case: _Case, able: Sequence[Procedure], alike: Sequence[Procedure]) -> list[str]:
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
    but = f", although {listed(steadier, MAX_NAMED)} {'is' if len(steadier) == 1 else 'are'} steadier"
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
        return [f"{CANNOT_TELL}: there are no scores of random features to hold them against.", _intervals(case)]
    if not better:
        return [
            f"{CANNOT_TELL}: none predicts significantly better than as many random features and than none. More rows, "
            "another number of features or other selectors may; more resamples of the same rows help little.",
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
    return f"{which}: {listed(each, MAX_NAMED)}."


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
    return (
        f"What would help: {rows}; a margin of {number(_above(least), 3)}, where such a loss is acceptable, would be "
        "met today. More resamples of the same rows help little."
    )


def _growth(case: _Case, name: str) -> float:
    """How many times the rows an interval needs that lies within the margin; its width falls as their square root."""
    loss = case.losses[name]
    room = case.largest - (loss.high - loss.half)
    return (loss.half / room) ** 2 if room > 0 else float("inf")


def _above(value: float) -> float:
    """Rounded up to three decimals."""
    return ceil(1000 * value) / 1000


def _rounded(count: float) -> str:
    """Two digits of a number of rows."""
    unit = 10 ** max(0, int(log10(count)) - 1)
    return f"{ceil(count / unit) * unit:,}"
