"""A tuning as parallel coordinates: which settings lead where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation.arguments import is_number
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed
from steadyset.kernels.arrays import Floats
from steadyset.plots.catalogue import register_picture
from steadyset.plots.fronts import is_of_tuning, kept_places, tried
from steadyset.plots.picture import INK, MARKED, MOST_MARKS, MUTED, PALE, STEADY, Picture
from steadyset.tuning.result import Trials, Tuning, objective_words

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("configuration", "axis", "place", "position", "value", "front", "chosen", "label")
WIDE = 100  # times: from there on numbers are spread on a log scale
MOST_AXES = 10
MOST_TICKS = 300


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
    >>> found = st.tune(space, X, y, sampler="grid", resampling=st.KFold(3), progress=False)
    >>> st.plot.tuning_parallel(found).data["axis"].unique().tolist()
    ['fraction', 'accuracy', 'stability', 'number of features']
    """
    import pandas as pd

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
        (
            int(numbers[i]),
            axis.title,
            place,
            axis.positions[i],
            axis.texts[i],
            bool(front[i]),
            bool(numbers[i] == chosen),
            "",
        )
        for i in lines
        for place, axis in enumerate(axes)
    ]
    rows += [
        (-1, axis.title, place, position, label, False, False, label)
        for place, axis in enumerate(axes)
        for label, position in axis.ticks.items()
    ]
    kinds = {"configuration": int, "place": int, "position": float, "front": bool, "chosen": bool}
    data = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object).astype(kinds)

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return _drawn(alt, shown, [axis.title for axis in axes])

    return Picture(
        data, draw, COLUMNS, _note(tuning, names, chosen, int((~defined).sum()), len(lines), len(numbers)), seen=_seen
    )


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


def _note(tuning: Trials, names: list[str], chosen: int | None, undefined: int, n_lines: int, n_all: int) -> str:
    said = ["Strong: on the front. The best of each objective is at the top."]
    if chosen is not None:
        said.append(f"Marked: the chosen one, configuration {chosen}.")
    left_out = [name.replace("__", ".") for name in _varying(tuning) if name not in names]
    if left_out:
        said.append(f"Parameters without an axis: {listed(left_out, 5)}.")
    if any(params.get(name) is None for _, params, _ in tuning.trials for name in names):
        said.append("A line breaks where a configuration has no such parameter.")
    if undefined:
        said.append(f"{undefined} with an undefined objective left out.")
    if n_lines < n_all:
        said.append(f"{n_lines} of {n_all} configurations are drawn, the front among them.")
    return " ".join(said)


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


def _seen(data: pd.DataFrame) -> str:
    lines = data[data["configuration"] >= 0]
    front = lines.loc[lines["front"], "configuration"].nunique()
    return (
        f"{counted(lines['configuration'].nunique(), 'line')}, {front} of the front, over "
        f"{listed(list(dict.fromkeys(data['axis'])), 10)}."
    )


register_picture(
    "tuning_parallel",
    tuning_parallel,
    title="Which settings lead where",
    caption="One line per configuration over its parameters and objectives.",
    needs=("trials",),
    applies=is_of_tuning,
    draws=lambda result: isinstance(result, Tuning),
    place=11,
)
