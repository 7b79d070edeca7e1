"""Tunings: the front, how sure it is and what is chosen, which settings lead where; and the way along one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from steadyset.assessment.result import Assessment, steadiness
from steadyset.findings import Findings
from steadyset.foundation.arguments import LEVEL, check_level, is_number, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.record import get_measure
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import Picture
from steadyset.runner.scoring import lower_is_better
from steadyset.selections import Selections
from steadyset.tuning.evaluation import STABILITY
from steadyset.tuning.result import Trials, Tuning, objective_words, settings_words

if TYPE_CHECKING:
    import pandas as pd

FRONT_COLUMNS = (
    "configuration: int; settings objective: text; value low high first first_low first_high on_front: float; "
    "front chosen: bool"
)
DRAWS, MANY = (1_000, 200), 150  # of the probability to be on the front, for few and for many configurations
MOST_BARS = 40  # configurations with intervals


@picture(
    title="What tuning can reach",
    caption="Configurations by their objectives; strong ones are probably on the Pareto front.",
    needs=("trials",),
    applies=lambda findings: is_of_tuning(findings) and len(findings.trials.objectives) > 1,
    draws=lambda result: isinstance(result, Tuning),
    place=30,
)
def tuning_front(result: Tuning | Findings, *, choose: str | None = None) -> Picture:
    """The configurations by their objectives: the first one upwards, each of the others along a plot of its own.

    The darker a point, the more probable its place on the Pareto front; those on the front as it is are circled and
    have 95% intervals. Configurations with an undefined objective are left out.

    Parameters
    ----------
    result : Tuning or Findings
        A tuning, or its findings.
    choose : str or None, default=None
        A rule of `Tuning.choose`, which marks one configuration; findings know theirs, and None marks none else.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> space = {"filter": ["anova"], "fraction": [0.25, 0.5, 1.0], "model": {"knn": {}}}
    >>> found = st.tune(space, X, y, resampling=st.KFold(3), search=st.SearchOptions(sampler="grid"))
    >>> st.plot.tuning_front(found, choose="best").data["configuration"].nunique()
    2
    """
    tuning, chosen = tried(result, choose)
    first, *others = tuning.objectives
    if not others:
        raise InputError(f"The tuning has one objective, {first}; a front needs two.")
    frame = tuning.frame
    defined = frame[list(tuning.objectives)].notna().all(axis=1).to_numpy()
    n_draws = DRAWS[0] if len(frame) <= MANY else DRAWS[1]
    probability = np.asarray(tuning.front_probability(n_draws=n_draws), dtype=np.float64)
    front = frame["front"].to_numpy(dtype=bool)
    important = front | (frame.index.to_numpy() == chosen)
    shown = kept_places(np.flatnonzero(defined), important, probability, grammar.MOST_MARKS // (2 * len(others)))
    settings = {number: settings_words(params) for number, params, _ in tuning.trials}
    rows = []
    for name in others:
        sides = [*tuning.interval(name), *tuning.interval(first), probability, front]
        for i in shown:
            number = int(frame.index[i])
            rows.append((number, settings[number], name, *(side[i] for side in sides), number == chosen))

    def draw(alt: Any, drawn: pd.DataFrame) -> Any:
        panels = [_panel(alt, drawn[drawn["objective"] == name], tuning, name) for name in others]
        return alt.concat(*panels, columns=2, spacing=28, usermeta=grammar.filling(60 + 110 / len(panels)))

    return grammar.pictured(rows, FRONT_COLUMNS, draw, _front_note(tuning, shown, defined, chosen), _front_seen)


def tried(result: Any, rule: str | None) -> tuple[Trials, int | None]:
    """What a tuning tried, of itself or of its findings, and the configuration that is chosen."""
    if isinstance(result, Findings) and result.trials is not None:
        number = next((one.number for one in result.front if one.chosen), None)
        return result.trials, number if rule is None else chosen_by(result.trials, rule)
    if not isinstance(result, Trials):
        raise wrong_argument("result", "what st.tune returns, or its findings", result)
    return result, chosen_by(result, rule)


def is_of_tuning(findings: Findings) -> bool:
    """Whether findings tell of several configurations, of which at least one is defined."""
    return findings.trials is not None and len(findings.trials.trials) > 1 and bool(len(findings.trials.front))


def chosen_by(tuning: Trials, rule: str | None) -> int | None:
    """The configuration that a rule chooses; without a rule the default one, where it has something to choose from."""
    if rule is not None:
        if not isinstance(rule, str):
            raise wrong_argument("choose", "a rule such as one_se", rule)
        return tuning.choose(rule)
    try:
        return tuning.choose()
    except (InputError, KeyError):  # no score, or no stability among the objectives
        return None


def kept_places(places: Ints, important: Any, probability: Floats, most: int) -> Ints:
    """At most so many of the places: the important ones, then those that are most probably on the front."""
    order = np.lexsort((places, -probability[places], ~important[places]))
    return np.sort(places[order[:most]])


def objective_title(tuning: Trials, name: str) -> str:
    """An objective in words, and which way is better."""
    better = tuning.directions[tuning.objectives.index(name)]
    return f"{objective_words(name)} ({'higher' if better == 'max' else 'lower'} is better)"


def _front_note(tuning: Trials, shown: Ints, defined: Any, chosen: int | None) -> str:
    n_front = int(tuning.frame["front"].sum())
    sure = ", with 95% intervals" if n_front <= MOST_BARS else ""
    n_defined, undefined = int(defined.sum()), int((~defined).sum())
    some = f"The {len(shown)} of {n_defined} configurations that are most probably on the front."
    return grammar.noted(
        (True, f"Circled: {counted(n_front, 'configuration')} on the front{sure}."),
        (chosen is not None, f"Ring: the chosen one, configuration {chosen}."),
        (undefined, f"Left out: {counted(undefined, 'configuration')} with an undefined objective."),
        (len(shown) < n_defined, some),
    )


def _panel(alt: Any, data: pd.DataFrame, tuning: Trials, name: str) -> Any:
    free = alt.Scale(zero=False, padding=8)
    x = alt.X("value:Q", scale=free, title=objective_title(tuning, name), axis=alt.Axis(tickCount=6))
    y = alt.Y("first:Q", scale=free, title=objective_title(tuning, tuning.objectives[0]), axis=alt.Axis(tickCount=6))
    shade = grammar.shades(alt, "on_front:Q").title(["probability to be", "on the front"])
    tooltip = grammar.tips(alt, "configuration", "settings", value=".3g", first=".3g", on_front=".0%")
    front, chosen = data[data["front"]], data[data["chosen"]]
    bars = alt.Chart(front if len(front) <= MOST_BARS else chosen)
    thin = {"color": grammar.MUTED, "opacity": 0.35, "strokeWidth": 1}
    layers = [
        bars.mark_rule(**thin).encode(x=alt.X("low:Q", scale=free), x2="high:Q", y=y),
        bars.mark_rule(**thin).encode(x=x, y=alt.Y("first_low:Q", scale=free), y2="first_high:Q"),
        alt.Chart(data.sort_values("on_front"))
        .mark_circle(size=45, opacity=0.9, stroke=grammar.MUTED, strokeWidth=0.3)
        .encode(x=x, y=y, color=shade, tooltip=tooltip),
        alt.Chart(front).mark_point(size=60, stroke=grammar.INK, strokeWidth=1.2, opacity=1).encode(x=x, y=y),
        alt.Chart(chosen).mark_point(size=190, stroke=grammar.MARKED, strokeWidth=2.5, opacity=1).encode(x=x, y=y),
    ]
    return alt.layer(*layers).properties(width=300, height=230)


def _front_seen(data: pd.DataFrame) -> str:
    one = data[data["objective"] == data["objective"].iloc[0]]
    chosen = "".join(f"; configuration {number} is chosen" for number in one.loc[one["chosen"], "configuration"])
    return (
        f"{counted(len(one), 'configuration')} by their objectives: {int(one['front'].sum())} on the Pareto front"
        f"{chosen}."
    )


PARALLEL_COLUMNS = (
    "configuration: int; axis: text; place: int; position: float; value: text; front chosen: bool; label: text"
)
WIDE = 100  # times: from there on numbers are spread on a log scale
MOST_AXES = 10
MOST_TICKS = 300


@picture(
    title="Which settings lead where",
    caption="One line per configuration over its parameters and objectives.",
    needs=("trials",),
    applies=lambda findings: is_of_tuning(findings),
    draws=lambda result: isinstance(result, Tuning),
    place=81,
)
def tuning_parallel(
    result: Tuning | Findings, *, parameters: list[str] | None = None, choose: str | None = None
) -> Picture:
    """One line per configuration over its parameters and objectives; the best of an objective is at the top.

    Lines of the Pareto front are dark, that of the chosen configuration is marked. In `data` the rows with a `label`
    are the ticks of the axes. Configurations with an undefined objective are left out.

    Parameters
    ----------
    result : Tuning or Findings
        A tuning, or its findings.
    parameters : list of str or None, default=None
        Columns of `Tuning.frame`; None takes those that vary and that at least half of the configurations have.
    choose : str or None, default=None
        A rule of `Tuning.choose`, which marks one configuration; findings know theirs, and None marks none else.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> space = {"filter": ["anova"], "fraction": [0.25, 0.5, 1.0], "model": {"knn": {}}}
    >>> found = st.tune(space, X, y, resampling=st.KFold(3), search=st.SearchOptions(sampler="grid"))
    >>> st.plot.tuning_parallel(found).data["axis"].unique().tolist()
    ['fraction', 'accuracy', 'stability', 'number of features']
    """
    tuning, chosen = tried(result, choose)
    frame = tuning.frame
    names = _parameters(tuning, parameters)
    defined = frame[list(tuning.objectives)].notna().all(axis=1).to_numpy()
    axes = [_axis(frame[name][defined].tolist(), name.replace("__", ".")) for name in names]
    for name, way in zip(tuning.objectives, tuning.directions, strict=True):
        axes.append(_axis(frame[name][defined].tolist(), objective_words(name), turned=way == "min"))
    front, numbers = frame["front"].to_numpy(dtype=bool)[defined], frame.index.to_numpy()[defined]
    important = front | (numbers == chosen)
    lines = kept_places(
        np.arange(len(numbers)), important, front.astype(float), (grammar.MOST_MARKS - MOST_TICKS) // len(axes)
    )
    rows: list[tuple[Any, ...]] = [
        (numbers[i], axis.title, place, axis.positions[i], axis.texts[i], front[i], numbers[i] == chosen, "")
        for i in lines
        for place, axis in enumerate(axes)
    ]
    rows += [
        (-1, axis.title, place, position, label, False, False, label)
        for place, axis in enumerate(axes)
        for label, position in axis.ticks.items()
    ]
    left_out = [name.replace("__", ".") for name in _varying(tuning) if name not in names]
    has_gaps = any(params.get(name) is None for _, params, _ in tuning.trials for name in names)
    undefined = int((~defined).sum())
    note = grammar.noted(
        (True, "Strong: on the front. The best of each objective is at the top."),
        (chosen is not None, f"Marked: the chosen one, configuration {chosen}."),
        (left_out, f"Parameters without an axis: {listed(left_out, 5)}."),
        (has_gaps, "A line breaks where a configuration has no such parameter."),
        (undefined, f"{undefined} with an undefined objective left out."),
        (len(lines) < len(numbers), f"{len(lines)} of {len(numbers)} configurations are drawn, the front among them."),
    )
    titles = [axis.title for axis in axes]
    return grammar.pictured(rows, PARALLEL_COLUMNS, lambda alt, shown: _drawn(alt, shown, titles), note, _parallel_seen)


@dataclass(frozen=True)
class _Axis:
    """Where each configuration is on an axis, from 0 to 1 (nan: it has no such parameter), and the ticks."""

    title: str
    positions: list[float]
    texts: list[str]
    ticks: dict[str, float]


def _parameters(tuning: Trials, given: Any) -> list[str]:
    """The columns of the frame that are drawn."""
    known = list(dict.fromkeys(name for _, params, _ in tuning.trials for name in params))
    if given is not None:
        wanted = [given] if isinstance(given, str) else given
        if not isinstance(wanted, list | tuple) or not all(isinstance(name, str) and name in known for name in wanted):
            raise InputError(f"parameters must hold some of {', '.join(known)} (got {given!r:.80}).")
        return list(dict.fromkeys(wanted))
    has = {name: sum(params.get(name) is not None for _, params, _ in tuning.trials) for name in known}
    usual = [name for name in _varying(tuning) if 2 * has[name] >= len(tuning.trials)]
    return usual[: MOST_AXES - len(tuning.objectives)]


def _varying(tuning: Trials) -> list[str]:
    """The parameters of which there is more than one value."""
    found: dict[str, set[str]] = {}
    for _, params, _ in tuning.trials:
        for name, value in params.items():
            found.setdefault(name, set()).add(repr(value))
    return [name for name, values in found.items() if len(values) > 1]


def _axis(values: list[Any], title: str, *, turned: bool = False) -> _Axis:
    """An axis of numbers or of categories."""
    values = [None if value != value else value for value in values]  # gaps are None or nan
    there = [value for value in values if value is not None]
    if there and all(is_number(value) for value in there):
        numbers = np.array(values, dtype=np.float64)
        low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
        log = low > 0 and high / low >= WIDE
        ticks = np.geomspace(low, high, 3) if log else np.linspace(low, high, 3)
        places = _placed(numbers, low, high, log, turned).tolist()
        labelled = dict(zip(map("{:.3g}".format, ticks), _placed(ticks, low, high, log, turned).tolist(), strict=True))
        texts = ["" if np.isnan(x) else f"{x:.4g}" for x in numbers]
        return _Axis(f"{title} (log)" if log else title, places, texts, labelled)
    kinds = sorted({str(value) for value in there}, reverse=True)
    at = {kind: (place + 0.5) / len(kinds) for place, kind in enumerate(kinds)}
    texts = ["" if value is None else str(value) for value in values]
    return _Axis(title, [np.nan if value is None else at[str(value)] for value in values], texts, at)


def _placed(numbers: Floats, low: float, high: float, log: bool, turned: bool) -> Floats:
    """From 0 to 1; all in the middle where there is one value."""
    if low == high:
        return np.where(np.isnan(numbers), np.nan, 0.5)
    scaled = np.log(numbers / low) / np.log(high / low) if log else (numbers - low) / (high - low)
    return np.asarray(1 - scaled if turned else scaled)


def _drawn(alt: Any, data: pd.DataFrame, titles: list[str]) -> Any:
    angle = -20 if max(map(len, titles)) > 18 else 0  # so that long names do not overlap
    labels = {"labelAngle": angle, "labelLimit": 200, "labelPadding": 14}
    axis = alt.Axis(**labels, domain=False, ticks=False, grid=True, orient="bottom")
    x = alt.X("axis:N", sort=alt.SortField("place"), scale=alt.Scale(type="point", padding=0.3), title=None, axis=axis)
    y = alt.Y("position:Q", scale=alt.Scale(domain=[0, 1]), axis=None)
    lines, ticks = data[data["configuration"] >= 0], data[data["configuration"] < 0]
    tooltip = ["configuration", "axis", "value"]
    layers = []
    faint = float(np.clip(40 / max(1, lines["configuration"].nunique()), 0.08, 0.5))
    for part, style in (
        (lines[~lines["front"] & ~lines["chosen"]], {"color": grammar.PALE, "opacity": faint, "strokeWidth": 1}),
        (lines[lines["front"] & ~lines["chosen"]], {"color": grammar.STEADY, "opacity": 0.9, "strokeWidth": 1.5}),
        (lines[lines["chosen"]], {"color": grammar.MARKED, "strokeWidth": 3}),
    ):
        line = alt.Chart(part).mark_line(**style)
        layers.append(line.encode(x=x, y=y, detail="configuration:N", order="place:Q", tooltip=tooltip))
    words = alt.Chart(ticks).encode(x=x, y=y, text="label:N")
    letters = {"align": "left", "dx": 5, "fontSize": 10, "limit": 90}
    layers += [
        alt.Chart(ticks).mark_tick(color=grammar.MUTED, width=6, thickness=1).encode(x=x, y=y),
        words.mark_text(**letters, stroke="white", strokeWidth=3),
        words.mark_text(**letters, color=grammar.INK),
    ]
    return alt.layer(*layers).properties(width=alt.Step(110), height=260)


def _parallel_seen(data: pd.DataFrame) -> str:
    lines = data[data["configuration"] >= 0]
    front = lines.loc[lines["front"], "configuration"].nunique()
    return (
        f"{counted(lines['configuration'].nunique(), 'line')}, {front} of the front, over "
        f"{listed(list(dict.fromkeys(data['axis'])), 10)}."
    )


ALONG_COLUMNS = "series: text; value: float; what: text; estimate low high: float; point: text"
WIDE_ALONG = 20  # times: from there on the parameter has a log scale
# The colour and the dashes of each value that is marked.
POINTS = {
    "best score": (grammar.MARKED, [6, 3]),
    "steadiest": (grammar.INK, [2, 2]),
    "chosen": (grammar.CATEGORIES[2], [1, 0]),
}
MOST_ROWS = grammar.MOST_MARKS // 4  # of each panel


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
    note = grammar.noted(
        *((True, f"{name.capitalize()}: {value:.3g}.") for name, value in points.items()),
        (undefined, f"{counted(undefined, 'undefined value')} left out."),
        (len(drawn) < len(rows), f"{len(drawn)} of {len(rows)} values are drawn."),
        (not found.lines, "Other parameters vary, too, so points are not joined."),
    )
    every = [*((*row, "") for row in drawn), *marks]
    return grammar.pictured(every, ALONG_COLUMNS, lambda alt, shown: _along_drawn(alt, shown, found), note, _along_seen)


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
    # What tells configurations apart besides the parameter: filter and model, where these vary.
    parts = [one for one in ("filter", "model") if one in frame and frame[one].nunique() > 1]
    series = [" ".join(str(row[one]) for one in parts) for row in frame.to_dict("records")]
    ends = {what: tuning.interval(what) for what in (name, STABILITY)}
    rows = [
        _Row(series[i], float(values[i]), what, *(float(side[i]) for side in sides))
        for what, sides in ends.items()
        for i in np.argsort(values, kind="stable")
    ]
    chosen = chosen_by(tuning, choose)
    at = float("nan") if chosen is None else float(values[frame.index.get_loc(chosen)])
    less, there = tuning.lower_is_steadier, frame[np.isfinite(values)]
    others = [one for one in known if one not in (parameter, "filter", "model") and there[one].nunique() > 1]
    here = at if np.isfinite(at) else None
    return _Found(rows, parameter, name, lower_is_better(name), less, here, lines=not others)


def _of_results(
    results: Mapping[Any, Any], parameter: str | None, score: str | None, measure: str | None, level: float
) -> _Found:
    rows: list[_Row] = []
    name = ""
    record = get_measure("nogueira" if measure is None else measure)
    for value, one in results.items():
        if not is_number(value):
            raise InputError(f"result has {value!r:.80} among the values of the parameter; expected numbers.")
        if not isinstance(one, Assessment | Selections):
            raise wrong_argument("result", "a mapping from values to assessments or Selections", one)
    for value in sorted(results):
        one = results[value]
        if isinstance(one, Selections):
            found = steadiness(one, measure=record.specification, level=level)
            rows.append(_Row("", float(value), STABILITY, found.stability, found.low, found.high))
            continue
        names = list(one.settings["scoring"])
        name = name or (score if score is not None else next(iter(names), ""))
        if name and name not in names:
            raise InputError(f"score must be one of {', '.join(names)} (got {name!r:.80}).")
        table = one.summary(measure=record.specification, level=level, details=True)
        for selector, row in zip(table.index, table.to_dict("records"), strict=True):
            at = (str(selector) if len(table) > 1 else "", float(value))
            rows.append(_Row(*at, STABILITY, row["stability"], row["low"], row["high"]))
            if name:
                values = [cell.scores.get(name, np.nan) for cell in one.cells_of(str(selector))]
                low, high = one.hidden_spread(name).interval(values, one.test_ratio, level)
                rows.append(_Row(*at, name, row[name], low, high))
    title = "hyperparameter" if parameter is None else str(parameter)
    return _Found(rows, title, name, lower_is_better(name), not record.higher_is_steadier)


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


def _along_drawn(alt: Any, data: pd.DataFrame, found: _Found) -> Any:
    rows, marks = data[data["point"] == ""], data[data["point"] != ""]
    values = rows["value"]
    log = values.min() > 0 and values.max() / values.min() >= WIDE_ALONG
    scale = alt.Scale(type="log" if log else "linear", zero=False, nice=False, padding=10)
    title = found.parameter.replace("__", ".") + (" (log scale)" if log else "")
    x = alt.X("value:Q", scale=scale, title=title, axis=alt.Axis(grid=False, format="~g", tickCount=5))
    whats = dict.fromkeys(rows["what"])
    panels = [_along_panel(alt, rows[rows["what"] == what], marks, x, found.lines) for what in whats]
    return alt.vconcat(*panels, spacing=14)


def _along_panel(alt: Any, data: pd.DataFrame, marks: pd.DataFrame, x: Any, lines: bool) -> Any:
    y = alt.Y("low:Q", scale=alt.Scale(zero=False), title=objective_words(data["what"].iloc[0]))
    colour, shape = grammar.told_apart(alt, "series", data["series"].drop_duplicates().tolist())
    base = alt.Chart(data).encode(x=x, color=colour)
    tooltip = grammar.tips(alt, "series", value=".3g", estimate=".3g", low=".3g", high=".3g")
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


def _along_seen(data: pd.DataFrame) -> str:
    curves = data[data["what"] != ""]
    marked = [f"{row.point} at {row.value:.3g}" for row in data[data["point"] != ""].itertuples()]
    what = listed([name.replace("_", " ") for name in dict.fromkeys(curves["what"])])
    return (
        f"{what[0].upper()}{what[1:]} over {counted(curves['value'].nunique(), 'value')} from "
        f"{curves['value'].min():.3g} to {curves['value'].max():.3g}{f'; {listed(marked)}' if marked else ''}."
    )
