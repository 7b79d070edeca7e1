"""Tunings: the front, how sure it is and what is chosen, and which settings lead where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation.arguments import is_number, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed
from steadyset.kernels.arrays import Floats, Ints
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import INK, MARKED, MOST_MARKS, MUTED, PALE, STEADY, Picture, noted, pictured, shades, tips
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
    place=10,
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
    shown = kept_places(np.flatnonzero(defined), important, probability, MOST_MARKS // (2 * len(others)))
    settings = {number: settings_words(params) for number, params, _ in tuning.trials}
    rows = []
    for name in others:
        sides = [*tuning.interval(name), *tuning.interval(first), probability, front]
        for i in shown:
            number = int(frame.index[i])
            rows.append((number, settings[number], name, *(side[i] for side in sides), number == chosen))

    def draw(alt: Any, drawn: pd.DataFrame) -> Any:
        panels = [_panel(alt, drawn[drawn["objective"] == name], tuning, name) for name in others]
        return alt.concat(*panels, columns=2, spacing=28)

    return pictured(rows, FRONT_COLUMNS, draw, _front_note(tuning, shown, defined, chosen), _front_seen)


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
    return noted(
        (True, f"Circled: {counted(n_front, 'configuration')} on the front{sure}."),
        (chosen is not None, f"Ring: the chosen one, configuration {chosen}."),
        (undefined, f"Left out: {counted(undefined, 'configuration')} with an undefined objective."),
        (
            len(shown) < n_defined,
            f"The {len(shown)} of {n_defined} configurations that are most probably on the front.",
        ),
    )


def _panel(alt: Any, data: pd.DataFrame, tuning: Trials, name: str) -> Any:
    free = alt.Scale(zero=False, padding=8)
    x = alt.X("value:Q", scale=free, title=objective_title(tuning, name), axis=alt.Axis(tickCount=6))
    y = alt.Y("first:Q", scale=free, title=objective_title(tuning, tuning.objectives[0]), axis=alt.Axis(tickCount=6))
    shade = shades(alt, "on_front:Q").title(["probability to be", "on the front"])
    tooltip = tips(alt, "configuration", "settings", value=".3g", first=".3g", on_front=".0%")
    front, chosen = data[data["front"]], data[data["chosen"]]
    bars = alt.Chart(front if len(front) <= MOST_BARS else chosen)
    thin = {"color": MUTED, "opacity": 0.35, "strokeWidth": 1}
    layers = [
        bars.mark_rule(**thin).encode(x=alt.X("low:Q", scale=free), x2="high:Q", y=y),
        bars.mark_rule(**thin).encode(x=x, y=alt.Y("first_low:Q", scale=free), y2="first_high:Q"),
        alt.Chart(data.sort_values("on_front"))
        .mark_circle(size=45, opacity=0.9, stroke=MUTED, strokeWidth=0.3)
        .encode(x=x, y=y, color=shade, tooltip=tooltip),
        alt.Chart(front).mark_point(size=60, stroke=INK, strokeWidth=1.2, opacity=1).encode(x=x, y=y),
        alt.Chart(chosen).mark_point(size=190, stroke=MARKED, strokeWidth=2.5, opacity=1).encode(x=x, y=y),
    ]
    return alt.layer(*layers).properties(width=300, height=260)


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
    place=11,
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
    lines = kept_places(np.arange(len(numbers)), important, front.astype(float), (MOST_MARKS - MOST_TICKS) // len(axes))
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
    note = noted(
        (True, "Strong: on the front. The best of each objective is at the top."),
        (chosen is not None, f"Marked: the chosen one, configuration {chosen}."),
        (left_out, f"Parameters without an axis: {listed(left_out, 5)}."),
        (has_gaps, "A line breaks where a configuration has no such parameter."),
        (undefined, f"{undefined} with an undefined objective left out."),
        (len(lines) < len(numbers), f"{len(lines)} of {len(numbers)} configurations are drawn, the front among them."),
    )
    titles = [axis.title for axis in axes]
    return pictured(rows, PARALLEL_COLUMNS, lambda alt, shown: _drawn(alt, shown, titles), note, _parallel_seen)


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
    has = [value is not None and not (is_number(value) and np.isnan(value)) and value == value for value in values]
    there = [value for value, known in zip(values, has, strict=True) if known]
    if there and all(is_number(value) for value in there):
        numbers = np.array([float(value) if known else np.nan for value, known in zip(values, has, strict=True)])
        low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
        log = low > 0 and high / low >= WIDE
        ticks = np.geomspace(low, high, 3) if log else np.linspace(low, high, 3)
        places = _placed(numbers, low, high, log, turned)
        labelled = dict(zip((f"{tick:.3g}" for tick in ticks), _placed(ticks, low, high, log, turned), strict=True))
        texts = ["" if np.isnan(x) else f"{x:.4g}" for x in numbers]
        return _Axis(
            f"{title} (log)" if log else title, places.tolist(), texts, {k: float(v) for k, v in labelled.items()}
        )
    kinds = list(dict.fromkeys(str(value) for value in there))
    at = {kind: (place + 0.5) / len(kinds) for place, kind in enumerate(sorted(kinds, reverse=True))}
    positions = [at[str(value)] if known else float("nan") for value, known in zip(values, has, strict=True)]
    return _Axis(title, positions, [str(v) if known else "" for v, known in zip(values, has, strict=True)], at)


def _placed(numbers: Floats, low: float, high: float, log: bool, turned: bool) -> Floats:
    """From 0 to 1; all in the middle where there is one value."""
    if low == high:
        return np.where(np.isnan(numbers), np.nan, 0.5)
    scaled = np.log(numbers / low) / np.log(high / low) if log else (numbers - low) / (high - low)
    return np.asarray(1 - scaled if turned else scaled)


def _drawn(alt: Any, data: pd.DataFrame, titles: list[str]) -> Any:
    angle = -20 if max(map(len, titles)) > 18 else 0  # so that long names do not overlap
    axis = alt.Axis(
        labelAngle=angle, labelLimit=200, domain=False, ticks=False, grid=True, orient="bottom", labelPadding=14
    )
    x = alt.X("axis:N", sort=alt.SortField("place"), scale=alt.Scale(type="point", padding=0.3), title=None, axis=axis)
    y = alt.Y("position:Q", scale=alt.Scale(domain=[0, 1]), axis=None)
    lines, ticks = data[data["configuration"] >= 0], data[data["configuration"] < 0]
    tooltip = ["configuration", "axis", "value"]
    layers = []
    faint = float(np.clip(40 / max(1, lines["configuration"].nunique()), 0.08, 0.5))
    for part, style in (
        (lines[~lines["front"] & ~lines["chosen"]], {"color": PALE, "opacity": faint, "strokeWidth": 1}),
        (lines[lines["front"] & ~lines["chosen"]], {"color": STEADY, "opacity": 0.9, "strokeWidth": 1.5}),
        (lines[lines["chosen"]], {"color": MARKED, "strokeWidth": 3}),
    ):
        ways = {"x": x, "y": y, "detail": "configuration:N", "order": "place:Q", "tooltip": tooltip}
        layers.append(alt.Chart(part).mark_line(**style).encode(**ways))
    words = alt.Chart(ticks).encode(x=x, y=y, text="label:N")
    halo = words.mark_text(align="left", dx=5, fontSize=10, stroke="white", strokeWidth=3, limit=90)
    layers += [
        alt.Chart(ticks).mark_tick(color=MUTED, width=6, thickness=1).encode(x=x, y=y),
        halo,
        words.mark_text(align="left", dx=5, fontSize=10, color=INK, limit=90),
    ]
    return alt.layer(*layers).properties(width=alt.Step(110), height=260)


def _parallel_seen(data: pd.DataFrame) -> str:
    lines = data[data["configuration"] >= 0]
    front = lines.loc[lines["front"], "configuration"].nunique()
    return (
        f"{counted(lines['configuration'].nunique(), 'line')}, {front} of the front, over "
        f"{listed(list(dict.fromkeys(data['axis'])), 10)}."
    )
