"""The front of a tuning: which configurations no other beats, how sure that is, and which one is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted
from steadyset.kernels.arrays import Floats, Ints
from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import INK, MARKED, MOST_MARKS, MUTED, SHADES, Picture
from steadyset.tuning.result import Trials, Tuning, objective_words, settings_words

if TYPE_CHECKING:
    import pandas as pd

SIDES = ("value", "low", "high")
COLUMNS = (
    *("configuration", "settings", "objective", *SIDES, "first", "first_low", "first_high"),
    *("on_front", "front", "chosen"),
)
DRAWS, MANY = (1_000, 200), 150  # of the probability to be on the front, for few and for many configurations
MOST_BARS = 40  # configurations with intervals


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
    >>> found = st.tune(space, X, y, sampler="grid", resampling=st.KFold(3), progress=False)
    >>> st.plot.tuning_front(found, choose="best").data["configuration"].nunique()
    2
    """
    import pandas as pd

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
    y = tuning.interval(first)
    rows = [
        (
            int(frame.index[i]),
            settings[frame.index[i]],
            name,
            *(float(side[i]) for side in x),
            *(float(side[i]) for side in y),
            float(probability[i]),
            bool(front[i]),
            bool(frame.index[i] == chosen),
        )
        for name in others
        for x in (tuning.interval(name),)
        for i in shown
    ]
    data = pd.DataFrame(rows, columns=list(COLUMNS))

    def draw(alt: Any, drawn: pd.DataFrame) -> Any:
        panels = [_panel(alt, drawn[drawn["objective"] == name], tuning, name) for name in others]
        return alt.concat(*panels, columns=2, spacing=28)

    return Picture(data, draw, COLUMNS, _note(tuning, shown, defined, chosen), seen=_seen)


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


def _note(tuning: Trials, shown: Ints, defined: Any, chosen: int | None) -> str:
    n_front = int(tuning.frame["front"].sum())
    said = [f"Circled: {counted(n_front, 'configuration')} on the front, with 95% intervals."]
    if n_front > MOST_BARS:
        said = [f"Circled: {n_front} configurations on the front."]
    if chosen is not None:
        said.append(f"Ring: the chosen one, configuration {chosen}.")
    undefined = int((~defined).sum())
    if undefined:
        said.append(f"Left out: {counted(undefined, 'configuration')} with an undefined objective.")
    if len(shown) < defined.sum():
        said.append(f"The {len(shown)} of {int(defined.sum())} configurations that are most probably on the front.")
    return " ".join(said)


def _panel(alt: Any, data: pd.DataFrame, tuning: Trials, name: str) -> Any:
    free = alt.Scale(zero=False, padding=8)
    x = alt.X("value:Q", scale=free, title=objective_title(tuning, name), axis=alt.Axis(tickCount=6))
    y = alt.Y("first:Q", scale=free, title=objective_title(tuning, tuning.objectives[0]), axis=alt.Axis(tickCount=6))
    shade = alt.Color(
        "on_front:Q",
        scale=alt.Scale(domain=[0, 1], range=list(SHADES)),
        title=["probability to be", "on the front"],
        legend=alt.Legend(format="%"),
    )
    numbers = [alt.Tooltip(column, format=".3g") for column in ("value", "first")]
    tooltip = ["configuration", "settings", *numbers, alt.Tooltip("on_front", format=".0%")]
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


def _seen(data: pd.DataFrame) -> str:
    one = data[data["objective"] == data["objective"].iloc[0]]
    chosen = "".join(f"; configuration {number} is chosen" for number in one.loc[one["chosen"], "configuration"])
    return (
        f"{counted(len(one), 'configuration')} by their objectives: {int(one['front'].sum())} on the Pareto front"
        f"{chosen}."
    )


register_picture(
    "tuning_front",
    tuning_front,
    title="What tuning can reach",
    caption="Configurations by their objectives; strong ones are probably on the Pareto front.",
    needs=("trials",),
    applies=lambda findings: is_of_tuning(findings) and len(findings.trials.objectives) > 1,  # type: ignore[union-attr]
    draws=lambda result: isinstance(result, Tuning),
    place=10,
)
