"""Stability and score along a hyperparameter, with the points that one would choose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyset.assessment.result import Assessment
from steadyset.assessment.steadiness import steadiness
from steadyset.foundation.arguments import is_number, wrong_argument
from steadyset.foundation.conventions import LEVEL, check_level
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed
from steadyset.measures.record import get_measure
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import CATEGORIES, INK, MARKED, MOST_MARKS, Picture, noted, pictured, tips, told_apart
from steadyset.plots.tunings import chosen_by
from steadyset.runner.scoring import lower_is_better
from steadyset.selections import Selections
from steadyset.tuning.evaluation import NORMAL, STABILITY
from steadyset.tuning.result import Tuning, objective_words

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = "series: text; value: float; what: text; estimate low high: float; point: text"
WIDE = 20  # times: from there on the parameter has a log scale
# The colour and the dashes of each value that is marked.
POINTS = {"best score": (MARKED, [6, 3]), "steadiest": (INK, [2, 2]), "chosen": (CATEGORIES[2], [1, 0])}
MOST_ROWS = MOST_MARKS // 4  # of each panel


@picture(
    title="Stability and score along a hyperparameter",
    caption="What a little accuracy buys in stability: the lines mark the best of each.",
    report=False,
    draws=lambda result: isinstance(result, Tuning),
)
def hyperparameter(
    result: Tuning | Mapping[float, Assessment | Selections],
    parameter: str | None = None,
    *,
    score: str | None = None,
    measure: str | None = None,
    choose: str | None = None,
    level: float = LEVEL,
) -> Picture:
    """Stability and score against a parameter.

    Vertical lines mark the value with the best score, the steadiest one, and of a tuning the one that the rule `choose`
    takes. Bands are intervals; a score's are those of its mean. Where other parameters vary, too, points are not
    joined.

    Parameters
    ----------
    result : Tuning or Mapping
        A Tuning, or a mapping from the values of a parameter to what was found there: an Assessment, or Selections,
        which have no score.
    parameter : str or None, default=None
        Of a Tuning a column of numbers; None is the only one that varies. Of a mapping what its keys are called.
    score : str or None, default=None
        One of the scores that were computed; None is the first.
    measure : str or None, default=None
        The measure of stability, for assessments and Selections; None is nogueira.
    choose : str or None, default=None
        A rule of `Tuning.choose`, which marks one value; None marks none.
    level : float, default=0.95
        The confidence of the intervals, for assessments and Selections.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    References
    ----------
    Nogueira (2018), Quantifying the stability of feature selection, figure 6.5.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> loose = st.Selections.from_sets([["TP53", "KRAS"], ["EGFR", "MYC"], ["TP53", "CDK1"]], features=genes)
    >>> tight = st.Selections.from_sets([["TP53"], ["TP53"], ["EGFR"]], features=genes)
    >>> st.plot.hyperparameter({0.1: loose, 1.0: tight}, "penalty").data[["value", "what", "estimate"]].round(2).head(2)
       value       what  estimate
    0    0.1  stability     -0.39
    1    1.0  stability      0.17
    """
    check_level(level)
    for name, given in (("parameter", parameter), ("score", score)):
        if given is not None and not isinstance(given, str):
            raise wrong_argument(name, "a name or None", given)
    if isinstance(result, Tuning):
        if measure is not None or level != LEVEL:
            raise InputError("A tuning has its own measure and level; leave out measure and level.")
        found = _of_tuning(result, parameter, score, choose)
    elif isinstance(result, Mapping) and result:
        found = _of_results(result, parameter, score, measure, level)
    else:
        raise wrong_argument("result", "a Tuning or a mapping from values to assessments", result)
    rows = [row for row in found.rows if np.isfinite(row.value)]
    if not any(np.isfinite(row.estimate) for row in rows):
        raise InputError("Neither stability nor score is defined for any value of the parameter.")
    drawn, points = _thinned(rows), _points(found)
    marks = [("", value, "", np.nan, np.nan, np.nan, name) for name, value in points.items()]
    undefined = sum(not np.isfinite(row.estimate) for row in rows)
    note = noted(
        *((True, f"{name.capitalize()}: {value:.3g}.") for name, value in points.items()),
        (undefined, f"{counted(undefined, 'undefined value')} left out."),
        (len(drawn) < len(rows), f"{len(drawn)} of {len(rows)} values are drawn."),
        (not found.lines, "Other parameters vary, too, so points are not joined."),
    )
    every = [*((*row, "") for row in drawn), *marks]
    return pictured(every, COLUMNS, lambda alt, shown: _drawn(alt, shown, found), note, _seen)


class _Row(NamedTuple):
    series: str
    value: float
    what: str
    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class _Found:
    """What is drawn: rows, the parameter and the score in words, which way is better, and what a rule chose."""

    rows: list[_Row]
    parameter: str
    score: str
    less_is_better: bool
    less_is_steadier: bool
    chosen: float | None = None
    lines: bool = True


def _thinned(rows: list[_Row]) -> list[_Row]:
    """Rows of the score, then those of the stability, and of many every so many."""
    kept = []
    for stability in (False, True):
        some = [row for row in rows if (row.what == STABILITY) == stability]
        kept += some[:: -(-len(some) // MOST_ROWS) or 1]
    return kept


def _of_tuning(tuning: Tuning, parameter: str | None, score: str | None, choose: str | None) -> _Found:
    frame = tuning.frame
    known = list(dict.fromkeys(name for _, params, _ in tuning.trials for name in params))
    numeric = [name for name in known if all(is_number(value) for value in frame[name].dropna())]
    varying = [name for name in numeric if frame[name].nunique() > 1]
    if parameter is None and len(varying) == 1:
        parameter = varying[0]
    if parameter not in numeric:
        raise InputError(f"parameter must be one of {', '.join(varying or numeric) or 'none'} (got {parameter!r:.80}).")
    names = tuning.evaluator.plan.score_names
    name = (names[0] if names else "") if score is None else score
    if name not in names:
        raise InputError(f"score must be one of {', '.join(names)} (got {score!r:.80}).")
    values = tuning.column(parameter)
    series = _series(tuning, frame)
    ends = {what: tuning.interval(what) for what in (name, STABILITY)}
    rows = [
        _Row(series[i], float(values[i]), what, *(float(side[i]) for side in sides))
        for what, sides in ends.items()
        for i in np.argsort(values, kind="stable")
    ]
    chosen = chosen_by(tuning, choose)
    at = float("nan") if chosen is None else float(values[frame.index.get_loc(chosen)])
    less, there = tuning.evaluator.lower_is_steadier, frame[np.isfinite(values)]
    others = [one for one in known if one not in (parameter, "filter", "model") and there[one].nunique() > 1]
    here = at if np.isfinite(at) else None
    return _Found(rows, parameter, name, lower_is_better(name), less, here, lines=not others)


def _series(tuning: Tuning, frame: pd.DataFrame) -> list[str]:
    """What tells configurations apart besides the parameter: filter and model, where these vary."""
    parts = [name for name in ("filter", "model") if name in frame and frame[name].nunique() > 1]
    return [" ".join(str(row[name]) for name in parts) for row in frame.to_dict("records")]


def _of_results(
    results: Mapping[Any, Any], parameter: str | None, score: str | None, measure: str | None, level: float
) -> _Found:
    rows: list[_Row] = []
    name = ""
    record = get_measure("nogueira" if measure is None else measure)
    for value in sorted(_checked(results)):
        one = results[value]
        if isinstance(one, Selections):
            found = steadiness(one, measure=record.name, level=level)
            rows.append(_Row("", float(value), STABILITY, found.stability, found.low, found.high))
            continue
        names = list(one.settings["scoring"])
        name = name or (score if score is not None else next(iter(names), ""))
        if name and name not in names:
            raise InputError(f"score must be one of {', '.join(names)} (got {name!r:.80}).")
        rows += _of_assessment(one, float(value), name, record.name, level)
    title = "hyperparameter" if parameter is None else str(parameter)
    return _Found(rows, title, name, lower_is_better(name), not record.higher_is_steadier)


def _checked(results: Mapping[Any, Any]) -> Iterator[Any]:
    for value, one in results.items():
        if not is_number(value):
            raise InputError(f"result has {value!r:.80} among the values of the parameter; expected numbers.")
        if not isinstance(one, Assessment | Selections):
            raise wrong_argument("result", "a mapping from values to assessments or Selections", one)
        yield value


def _of_assessment(one: Assessment, value: float, score: str, measure: str, level: float) -> Iterator[_Row]:
    table = one.summary(measure=measure, level=level, details=True)
    several = len(table) > 1
    for selector, row in zip(table.index, table.to_dict("records"), strict=True):
        series = str(selector) if several else ""
        yield _Row(series, value, STABILITY, row["stability"], row["low"], row["high"])
        if score:
            margin = NORMAL * row[f"{score}_se"]
            yield _Row(series, value, score, row[score], row[score] - margin, row[score] + margin)


def _points(found: _Found) -> dict[str, float]:
    """The values that are marked, by why."""
    marked = {}
    for what, name, less in (
        (found.score, "best score", found.less_is_better),
        (STABILITY, "steadiest", found.less_is_steadier),
    ):
        rows = [row for row in found.rows if row.what == what and np.isfinite(row.estimate) and np.isfinite(row.value)]
        if rows:
            marked[name] = (min if less else max)(rows, key=lambda row: row.estimate).value
    return ({} if found.chosen is None else {"chosen": found.chosen}) | marked  # the first is drawn below the others


def _drawn(alt: Any, data: pd.DataFrame, found: _Found) -> Any:
    rows, marks = data[data["point"] == ""], data[data["point"] != ""]
    values = rows["value"]
    log = values.min() > 0 and values.max() / values.min() >= WIDE
    scale = alt.Scale(type="log" if log else "linear", zero=False, nice=False, padding=10)
    title = found.parameter.replace("__", ".") + (" (log scale)" if log else "")
    x = alt.X("value:Q", scale=scale, title=title, axis=alt.Axis(grid=False, format="~g", tickCount=5))
    whats = dict.fromkeys(rows["what"])
    panels = [_panel(alt, rows[rows["what"] == what], marks, x, found.lines) for what in whats]
    return alt.vconcat(*panels, spacing=14)


def _panel(alt: Any, data: pd.DataFrame, marks: pd.DataFrame, x: Any, lines: bool) -> Any:
    y = alt.Y("low:Q", scale=alt.Scale(zero=False), title=objective_words(data["what"].iloc[0]))
    colour, shape = told_apart(alt, "series", data["series"].drop_duplicates().tolist())
    base = alt.Chart(data).encode(x=x, color=colour)
    tooltip = tips(alt, "series", value=".3g", estimate=".3g", low=".3g", high=".3g")
    layers = [base.mark_area(opacity=0.15).encode(y=y, y2="high:Q"), base.mark_line().encode(y="estimate:Q")]
    if not lines or data.duplicated(["series", "value"]).any():
        layers = [base.mark_rule(opacity=0.25).encode(y=y, y2="high:Q")]
    layers.append(base.mark_point(filled=True, size=28, opacity=1).encode(y="estimate:Q", shape=shape, tooltip=tooltip))
    kinds = [name for name in POINTS if name in set(marks["point"])]
    colours, lengths = [POINTS[kind][0] for kind in kinds], [POINTS[kind][1] for kind in kinds]
    dashes = alt.StrokeDash("point:N", scale=alt.Scale(domain=kinds, range=lengths), title="marked")
    stroke = alt.Stroke("point:N", scale=alt.Scale(domain=kinds, range=colours), title="marked")
    layers.append(alt.Chart(marks).mark_rule(strokeWidth=1.8).encode(x=x, strokeDash=dashes, stroke=stroke))
    return alt.layer(*layers).properties(width=420, height=170)


def _seen(data: pd.DataFrame) -> str:
    curves = data[data["what"] != ""]
    marked = [f"{row.point} at {row.value:.3g}" for row in data[data["point"] != ""].itertuples()]
    what = listed([name.replace("_", " ") for name in dict.fromkeys(curves["what"])])
    return (
        f"{what[0].upper()}{what[1:]} over {counted(curves['value'].nunique(), 'value')} from "
        f"{curves['value'].min():.3g} to {curves['value'].max():.3g}{f'; {listed(marked)}' if marked else ''}."
    )
