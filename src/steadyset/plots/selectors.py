"""Selectors beside each other: which differ, and accuracy against stability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.assessment import Assessment
from steadyset.assessment.result import baseline_words
from steadyset.findings import Findings, findings_of
from steadyset.findings.of_results import random_features
from steadyset.findings.parts import STABILITY, Procedure
from steadyset.foundation.arguments import check_choice, check_integer
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import amount, counted, listed, number, percent
from steadyset.inference.comparison import Comparison, compare, shared_letters
from steadyset.measures.evaluate import CONVENTION, EXCELLENT, POOR
from steadyset.measures.record import get_measure
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import Picture
from steadyset.runner.scoring import lower_is_better
from steadyset.tuning import pareto_front

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.findings.parts import ResultLike

MOST_SELECTORS = 40
DEFAULT_MEASURE = "nogueira"
COMPARED_COLUMNS = "selector: text; place: int; estimate low high: float; runs: int; letters: text"
TRADE_OFF_COLUMNS = (
    "kind selector: text; stability low high score score_low score_high features: float; front preferred: bool"
)
SELECTOR, RANDOM = "selector", "random"
NO_RING = "these data do not tell which selector to prefer"


_Value = tuple[str, float, float, float, int, str]  # of a selector: its name, estimate, low, high, runs and letters


def _draws(result: Any) -> bool:
    return isinstance(result, Comparison) or (
        isinstance(result, Assessment) and len(result.selectors) > 1 and not result.settings["scoring"]
    )


@picture(
    title="Which selectors differ in stability",
    needs=("summary", "differences"),
    applies=lambda findings: findings.differences[0].what == STABILITY,
    draws=_draws,
    place=77,
)
def selectors_compared(result: ResultLike, *, what: str | None = None, top: int = MOST_SELECTORS) -> Picture:
    """A point with its interval for each selector, the best first; lines join those without a significant difference.

    Parameters
    ----------
    result : Comparison, Assessment, Findings or Mapping
        A comparison, an assessment, findings of one, or Selections by name.
    what : str or None, default=None
        "stability" or a score of the assessment; None is the stability, and a Comparison has its own.
    top : int, default=40
        How many selectors are shown, the best.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> steady = st.Selections.from_sets([["TP53", "KRAS"]] * 7 + [["TP53", "MYC"]], features=genes)
    >>> shaky = st.Selections.from_sets([["TP53", "MYC"], ["KRAS", "EGFR"]] * 4, features=genes)
    >>> st.plot.selectors_compared({"shaky": shaky, "steady": steady}).data["selector"].tolist()
    ['steady', 'shaky']
    """
    check_integer("top", top, least=1)
    if isinstance(result, Mapping):
        result = compare(result)
    if isinstance(result, Comparison):
        if what not in (None, result.measure):
            raise InputError(f"what must be {result.measure!r}, that of the Comparison (got {what!r}).")
        values: list[_Value] = [
            (str(name), float(row["estimate"]), float(row["low"]), float(row["high"]), row["n_runs"], row["group"])
            for name, row in zip(result.table.index, result.table.to_dict("records"), strict=True)
        ]
        return _picture(values, result.measure, result.level, top)
    found = findings_of(result)
    known = tuple(one.what for one in found.differences)
    if not known:
        raise InputError("The result compares no selectors; it takes two of them, with two runs or more each.")
    what = known[0] if what is None else what
    check_choice("what", what, known)
    return _picture(_of_findings(found, what), found.measure if what == STABILITY else what, found.level, top)


def _of_findings(found: Findings, what: str) -> list[_Value]:
    letters = next(one.groups for one in found.differences if one.what == what)
    values: list[_Value] = []
    for row in found.summary:
        ends = (row.stability, row.low, row.high) if what == STABILITY else _score_ends(row, what)
        values.append((row.name, *ends, row.runs, letters.get(row.name, "")))
    less = lower_is_better(what) if what != STABILITY else not get_measure(found.measure).higher_is_steadier
    return sorted(values, key=lambda one: one[1] if less else -one[1])


def _score_ends(row: Procedure, name: str) -> tuple[float, float, float]:
    """The mean of a score, and the interval around it."""
    score = row.scores[name]
    return score.mean, score.low, score.high


def _picture(values: list[_Value], measure: str, level: float, top: int) -> Picture:
    known = [one for one in values if not isnan(one[1])]
    rows = [(name, place, *numbers) for place, (name, *numbers) in enumerate(known[:top])]
    scale = f"Dashed: poor below {POOR:.2f} and excellent above {EXCELLENT:.2f} {CONVENTION}."
    note = grammar.noted(
        (True, f"Lines: {percent(level)} intervals. {shared_letters('Selectors', level)}."),
        (measure == DEFAULT_MEASURE, scale),
        (len(rows) < len(known), f"The best {len(rows)} of {counted(len(known), 'selector')}."),
        (len(known) < len(values), f"Without a value: {counted(len(values) - len(known), 'selector')}."),
    )
    return grammar.pictured(
        rows, COMPARED_COLUMNS, lambda alt, shown: _compared_drawn(alt, shown, measure), note, _compared_seen
    )


def _compared_drawn(alt: Any, data: pd.DataFrame, measure: str) -> Any:
    default = measure == DEFAULT_MEASURE
    words = measure.replace("_", " ")
    title = f"stability ({words.capitalize()})" if default else words
    tooltip = [*grammar.tips(alt, "selector", estimate=".3f", low=".3f", high=".3f"), "runs", "letters"]
    base = alt.Chart(data).encode(y=grammar.names(alt, "selector", "place"), tooltip=tooltip)
    x = alt.X("estimate:Q", title=title, scale=alt.Scale(zero=default, nice=True))
    points = base.mark_point(filled=True, size=60, color=grammar.STEADY, opacity=1).encode(x=x)
    lines = base.mark_rule(color=grammar.STEADY, strokeWidth=1.5).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    scale = [grammar.dashed(alt, POOR, EXCELLENT)] if default else []
    values = alt.layer(*scale, lines, points).properties(width=360, height=alt.Step(20))
    return alt.hconcat(values, _letters(alt, data), spacing=8)


def _letters(alt: Any, data: pd.DataFrame) -> Any:
    """One column per letter, with a line from its first selector to its last."""
    rows = [
        {"selector": name, "place": int(place), "letter": letter}
        for name, place, letters in zip(data["selector"], data["place"], data["letters"], strict=True)
        for letter in letters
    ]
    every = alt.Scale(domain=[*data["selector"]])
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("letter:N", title=None, axis=None), y=alt.Y("selector:N", title=None, axis=None, scale=every)
    )
    line = base.mark_line(color=grammar.MUTED, strokeWidth=1).encode(detail="letter:N", order="place:Q")
    back = base.mark_point(filled=True, shape="square", size=170, color="white", opacity=1)
    text = base.mark_text(color=grammar.INK, fontSize=11).encode(text="letter:N")
    return alt.layer(line, back, text).properties(width=alt.Step(16), height=alt.Step(20))


def _compared_seen(data: pd.DataFrame) -> str:
    first, last = data.iloc[0], data.iloc[-1]
    told = f"{counted(len(data), 'selector')} with intervals: {first['selector']} has {number(first['estimate'])}"
    return told + (f", the last, {last['selector']}, {number(last['estimate'])}." if len(data) > 1 else ".")


@picture(
    title="Accuracy against stability",
    needs=("summary", "scoring"),
    applies=lambda findings: findings.kind == "assessment" and len(findings.summary) > 1,
    draws=lambda result: isinstance(result, Assessment) and bool(result.settings["scoring"]),
    place=82,
)
def accuracy_against_stability(result: ResultLike, *, score: str | None = None, margin: float | None = None) -> Picture:
    """A point with intervals for each selector, the Pareto front, the preferred selector, and random selections.

    Parameters
    ----------
    result : Assessment or Findings
        An assessment with scores, or its findings.
    score : str or None, default=None
        One of the scores that were computed; None is the first.
    margin : float or None, default=None
        The loss in the first score that counts as none, as in `findings_of`; the selector that they prefer is ringed.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = st.assess(["anova:k=1", "anova:k=2"], X, y, resampling=st.Bootstrap(10))
    >>> st.plot.accuracy_against_stability(result).data["selector"].tolist()
    ['anova:k=1', 'anova:k=2', 'random, 1 feature', 'random, 2 features']
    """
    found = findings_of(result, margin=margin)
    if not found.scoring:
        raise InputError("The result has no scores; accuracy against stability needs an assessment with scoring.")
    name = found.scoring[0] if score is None else score
    check_choice("score", name, found.scoring)
    rule = found.preference
    # The loss that counts as none, of the score by which a selector is preferred.
    slack = None if rule is None or rule.score != name or isnan(rule.largest_loss) else rule.largest_loss
    blind = next((row.scores[name].blind for row in found.summary if not isnan(row.scores[name].blind)), nan)

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return _trade_off_drawn(alt, shown, name, slack, blind)

    made = grammar.pictured(_trade_off_rows(found, name), TRADE_OFF_COLUMNS, draw, seen=_trade_off_seen)
    return replace(made, note=_trade_off_note(found, made.data, name, slack, blind))


def _trade_off_rows(found: Findings, name: str) -> list[tuple[Any, ...]]:
    """Selectors with a stability and a score, then random selections of their sizes."""
    known = [row for row in found.summary if not (isnan(row.stability) or isnan(row.scores[name].mean))]
    values = np.array([(row.scores[name].mean, row.stability) for row in known], dtype=np.float64)
    best = pareto_front(values, ["min" if lower_is_better(name) else "max", "max"]).tolist() if known else []
    preferred = None if found.preference is None else found.preference.preferred
    rows: list[tuple[Any, ...]] = [
        (
            *(SELECTOR, row.name, row.stability, row.low, row.high),
            *(*_score_ends(row, name), row.size, place in best, row.name == preferred),
        )
        for place, row in enumerate(known)
    ]
    random = {amount(row.size): row for row in found.summary if not isnan(row.scores[name].random)}
    for size, row in random.items():
        # By chance the stability, which is corrected for it, is 0.
        ends = (row.scores[name].random, nan, nan)
        rows.append((RANDOM, random_features(size), 0.0, nan, nan, *ends, row.size, False, False))
    return rows


def _trade_off_note(found: Findings, data: pd.DataFrame, name: str, slack: float | None, blind: float) -> str:
    ours = data[data["kind"] == SELECTOR]
    named = " (with their names)" if len(ours) > grammar.MOST_TOLD_APART else ""
    rule, ring = found.preference, f"No ring: {NO_RING}."
    if rule is not None and data["preferred"].any():
        ring = f"Ringed: preferred by {_words(rule.score)} and stability."
    missing = len(found.summary) - len(ours)
    band = f"Band: within {slack or 0:.3g} of the best {_words(name)}, the loss that counts as none."
    without = f"{'Dashed:' if _is_near(blind, data) else number(blind, 3)} {baseline_words(found.settings)[0]}."
    return grammar.noted(
        (True, f"Crosses: {percent(found.level)} intervals."),
        (len(ours) > 1, f"Line: the Pareto front, selectors that no other beats in both{named}."),
        (slack is not None and len(ours) > 1, band),
        (rule is not None and rule.words, ring),
        ((data["kind"] == RANDOM).any(), "Grey: as many features drawn at random."),
        (not isnan(blind), without),
        (missing, f"Without a stability or a score: {counted(missing, 'selector')}."),
    )


def _is_near(blind: float, data: pd.DataFrame) -> bool:
    """Whether what predicts without features can be shown without making everything else small."""
    scores = data[["score", "score_low", "score_high"]]
    low, high = float(scores.min().min()), float(scores.max().max())
    far = (high - low) / 2
    return low - far <= blind <= high + far


def _words(name: str) -> str:
    return name.replace("_", " ")


def _trade_off_drawn(alt: Any, data: pd.DataFrame, name: str, slack: float | None, blind: float) -> Any:
    lower = lower_is_better(name)
    ours, drawn_at_random = data[data["kind"] == SELECTOR], data[data["kind"] == RANDOM]
    x = alt.X("stability:Q", title="stability", scale=alt.Scale(zero=False, nice=True))
    title = f"{_words(name)}{' (lower is better)' if lower else ''}"
    y = alt.Y("score:Q", title=title, scale=alt.Scale(zero=False, nice=True, reverse=lower))
    ends = {"score": (".3f", _words(name)), "score_low": (".3f", "from"), "score_high": (".3f", "to")}
    tooltip = grammar.tips(alt, "selector", stability=".3f", low=".3f", high=".3f", **ends, features=".1f")
    colour, shape = grammar.told_apart(alt, "selector", [*ours["selector"]])
    base = alt.Chart(ours).encode(x=x, y=y, tooltip=tooltip)
    layers = [
        base.transform_filter("datum.front").mark_line(color=grammar.INK, strokeWidth=1).encode(order="stability:Q"),
        base.mark_rule(strokeWidth=1.2, opacity=0.8).encode(x=alt.X("low:Q"), x2="high:Q", color=colour),
        base.mark_rule(strokeWidth=1.2, opacity=0.8).encode(y=alt.Y("score_low:Q"), y2="score_high:Q", color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(color=colour, shape=shape),
        base.transform_filter("datum.preferred").mark_point(size=220, strokeWidth=1.5, color=grammar.MARKED),
        alt.Chart(drawn_at_random)
        .mark_point(shape="cross", filled=True, size=60, color=grammar.MUTED, opacity=0.8)
        .encode(x=x, y=y, tooltip=grammar.tips(alt, "selector", score=(".3f", _words(name)))),
    ]
    if len(ours) > grammar.MOST_TOLD_APART:  # no legend says who is who
        best = base.transform_filter("datum.front").mark_text(
            align="left", dx=7, dy=-7, limit=grammar.LONGEST_NAME, color=grammar.INK
        )
        layers.append(best.encode(text="selector:N"))
    if not isnan(blind) and _is_near(blind, data):
        ends = alt.Data(values=[{"blind": blind}])
        layers.insert(0, alt.Chart(ends).mark_rule(color=grammar.MUTED, strokeDash=[3, 3]).encode(y="blind:Q"))
    if slack is not None and len(ours) > 1:
        best = float(ours["score"].min() if lower else ours["score"].max())
        ends = alt.Data(values=[{"best": best, "near": best + slack if lower else best - slack}])
        layers.insert(
            0, alt.Chart(ends).mark_rect(color=grammar.BAND).encode(y=alt.Y("near:Q", title=title), y2="best:Q")
        )
    return alt.layer(*layers).properties(width=460, height=340)


def _trade_off_seen(data: pd.DataFrame) -> str:
    ours = data[data["kind"] == SELECTOR]
    chosen = "".join(f" {name} is preferred." for name in ours.loc[ours["preferred"], "selector"])
    front = listed(ours.loc[ours["front"], "selector"].tolist(), 5) or "none"
    return f"{counted(len(ours), 'selector')} by score and stability; on the front: {front}.{chosen}"
