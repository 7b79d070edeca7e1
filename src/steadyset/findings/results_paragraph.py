"""The results paragraph: what came of it, in the numbers of the findings and their intervals, and nothing beyond."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, isnan

from steadyset.findings.cited_text import Paragraph, Sentence, sentences, told
from steadyset.findings.differing import STABILITY
from steadyset.findings.parts import Core, Differences, Findings, Procedure, Score, Test
from steadyset.foundation.text import counted, listed, number, p_equals, percent, shown_name, span
from steadyset.inference.spread import t_quantile

MOST_NAMED = 10  # procedures, pairs and features of a core that are named
SCORES = {"auc": "area under the ROC curve", "r2": "R²", "rmse": "root mean squared error"}
BOUNDS = {  # of scores, at which intervals end
    **dict.fromkeys(("accuracy", "balanced_accuracy", "auc", "error"), (0.0, 1.0)),
    "r2": (-inf, 1.0),
    "rmse": (0.0, inf),
}


def results_sentences(found: Findings) -> Paragraph:
    """Sizes and stability of each procedure, scores beside their baselines, steady cores, and what differs."""
    named = found.summary[:MOST_NAMED]
    left = len(found.summary) - len(named)
    more = [f"{counted(left, 'more procedure')} are in the tables."] if left else []
    return sentences(
        *(told("23a", [_stability(found, row)]) for row in named),
        told("", more),
        *(told("23a", [_scores(found, score, named)]) for score in found.scoring if _known(score, named)),
        *(told("", [_core(found, core)]) for core in found.cores[:MOST_NAMED]),
        *(_differences(found, one) for one in found.differences),
    )


def score_words(name: str) -> str:
    """A score as a text calls it."""
    return SCORES.get(name, name.replace("_", " "))


def _stability(found: Findings, row: Procedure) -> str:
    sel, who = found.selections.get(row.name), shown_name(row.name)
    if sel is None or not row.runs:
        return f"{who or 'The procedure'} made no selection in any run."
    low, high = int(sel.sizes.min()), int(sel.sizes.max())
    sizes = f"{low} of {counted(sel.n_features, 'feature')}"
    if low < high:
        sizes = f"{low} to {high} of {counted(sel.n_features, 'feature')} (mean {row.size:.1f})"
    runs = "one run" if row.runs == 1 else f"each of {row.runs} runs"
    said = f"{who} selected {sizes} in {runs}" if who else f"{runs[:1].upper()}{runs[1:]} selected {sizes}"
    if row.tied:
        said += f", {percent(row.tied)} of them by the order of the columns alone"
    if isnan(row.stability):
        return f"{said}; its stability is undefined{f' ({row.note})' if row.note else ''}."
    ends = "" if isnan(row.low) else f" ({percent(found.level)} confidence interval {span(row.low, row.high)})"
    return f"{said}, with a stability ({found.measure}) of {number(row.stability)}{ends}."


def _known(score: str, rows: Iterable[Procedure]) -> bool:
    return any(score in row.scores and not isnan(row.scores[score].mean) for row in rows)


def _scores(found: Findings, score: str, rows: Sequence[Procedure]) -> str:
    """The mean of a score for each procedure with its interval, and beside it what predicts without the selection."""
    said = []
    for row in rows:
        one = row.scores.get(score)
        if one is None or isnan(one.mean):
            continue
        who = f" for {shown_name(row.name)}" if row.name else ""
        random = "" if isnan(one.random) else f"as many random features: {number(one.random, 3)}"
        beside = "; ".join(filter(None, [_interval(found.level, score, one, row.runs), random]))
        said.append(f"{number(one.mean, 3)}{who}{f' ({beside})' if beside else ''}")
    blind = [row.scores[score].blind for row in rows if score in row.scores and not isnan(row.scores[score].blind)]
    without = f"; without features it was {number(blind[0], 3)}" if blind else ""
    return f"The mean {score_words(score)} on the rows that runs left out was {listed(said)}{without}."


def _interval(level: float, score: str, one: Score, runs: int) -> str:
    if isnan(one.se) or runs < 2:
        return ""
    half = t_quantile(level, runs - 1) * one.se
    low, high = BOUNDS.get(score, (-inf, inf))
    ends = span(max(low, one.mean - half), min(high, one.mean + half), 3)
    return f"{percent(level)} confidence interval {ends}"


def _core(found: Findings, core: Core) -> str:
    """The features of a core with their directions, where they are known."""
    whose = f" of {shown_name(core.name)}" if core.name else ""
    if not core.features:
        return f"The steady core{whose} is empty."
    rows = next((block.rows for block in found.features if block.name == core.name), ())
    ways = {row.feature: row.direction for row in rows if row.direction}
    names = [f"{shown_name(f)} ({ways[f]})" if f in ways else shown_name(f) for f in core.features[:MOST_NAMED]]
    left = len(core.features) - len(names)
    if left:
        names.append(f"{left} more")
    note = f" ({core.note})" if core.note else ""
    return f"The steady core{whose} holds {counted(len(core.features), 'feature')}: {listed(names)}{note}."


def _differences(found: Findings, one: Differences) -> Sentence:
    """Each pair with its difference: that no difference is significant is not that there is none."""
    what = "stability" if one.what == STABILITY else score_words(one.what)
    known = [test for test in one.tests if not isnan(test.difference)]
    if not known:
        return told("", [])
    first = sorted(known, key=lambda test: not test.told_apart)[:MOST_NAMED]
    said = [_pair(found.level, test, bool(one.adjust)) for test in first]
    left = len(known) - len(first)
    more = f"; {counted(left, 'further pair')} are in the tables" if left else ""
    return told("23a", [f"Differences in {what}: {'; '.join(said)}{more}."])


def _pair(level: float, test: Test, adjusted: bool) -> str:
    pair = f"{shown_name(test.second)} minus {shown_name(test.first)} {number(test.difference, 3)}"
    if isnan(test.p_value):
        return f"{pair} (not tested{f': {test.note}' if test.note else ''})"
    p = test.p_adjusted if adjusted else test.p_value
    ends = "" if isnan(test.low) else f"{percent(level)} confidence interval {span(test.low, test.high, 3)}, "
    sign = "significant" if test.told_apart else "not significant"
    return f"{pair} ({ends}{'adjusted ' if adjusted else ''}{p_equals(p)}, {sign})"
