"""What the models of the runs predict: for the same rows, beside what was observed, and how left-out rows fared."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.assessment import Assessment
from steadyset.findings import Findings, findings_of
from steadyset.findings.parts import RiskGroup
from steadyset.foundation.arguments import check_number
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.text import number, shown_name
from steadyset.inference.models import Predicted
from steadyset.plots.catalogue import picture
from steadyset.plots.drawing import wrapped
from steadyset.plots.picture import INK, MARKED, MUTED, PALE, SMALL, STEADY, Picture, coloured, noted, pictured, tips
from steadyset.tasks import TASKS

if TYPE_CHECKING:
    import pandas as pd

RISK_COLUMNS = "selector risk: text; time share low high: float"
COLOURS = {"low": STEADY, "middle": MUTED, "high": MARKED}
MOST_PANELS, MOST_SPREADS, PANELS_A_ROW, PANEL = 6, 4, 3, 260
INSTABILITY_COLUMNS = "selector: text; row: int; prediction low high value: float"
CALIBRATION_COLUMNS = "selector risk: text; time predicted observed low high: float"
FAN_COLUMNS = "panel model: text; run: int; predicted observed: float"


@picture(
    title="Survival by predicted risk",
    needs=("risk_groups",),
    caption="Kaplan-Meier curves of the rows that runs left out, in thirds of the risks of their training rows.",
    place=25,
)
def risk_groups(result: Findings | Assessment) -> Picture:
    """Kaplan-Meier curves of left-out rows by thirds of the predicted risk, the mean over the runs.

    Where the thirds are cut is told by the training rows of each run, and who belongs to which by the model that was
    fitted to these: nothing that is shown was learnt from the rows that are shown. The band holds the middle 80% of the
    runs.

    Parameters
    ----------
    result : Findings or Assessment
        An assessment of times to events, or its findings.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(120, 5))
    >>> y = st.Survival(random.exponential(np.exp(-X[:, 0])), np.ones(120))
    >>> result = st.assess(["anova:k=1"], X, y, resampling=st.Subsample(10))
    >>> st.plot.risk_groups(result).data["risk"].unique().tolist()
    ['low', 'middle', 'high']
    """
    found = findings_of(result).risk_groups
    if not found:
        raise InputError("result has no groups of risk; give an assessment of times to events, with scores.")
    shown, left_out = _first_selectors(found)
    rows = [
        (group.name, group.risk, *point)
        for group in shown
        for point in zip(group.times, group.share, group.low, group.high, strict=True)
        if not isnan(point[1])
    ]
    return pictured(rows, RISK_COLUMNS, _drawn, left_out, _seen)


def _first_selectors(groups: Sequence[RiskGroup]) -> tuple[list[RiskGroup], str]:
    """The groups of the selectors that there is room for, and what is said of the others."""
    names = list(dict.fromkeys(group.name for group in groups))
    left_out = f"The first {MOST_PANELS} of {len(names)} selectors." if len(names) > MOST_PANELS else ""
    return [group for group in groups if group.name in names[:MOST_PANELS]], left_out


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
    colour = coloured(alt, "risk", COLOURS, title="predicted risk")
    x = alt.X("time:Q", title="time")
    base = alt.Chart().encode(x=x, color=colour)
    share = alt.Y("share:Q", title="share without event", scale=alt.Scale(domain=[0, 1]))
    band = base.mark_area(opacity=0.15, interpolate="step-after").encode(y=alt.Y("low:Q"), y2="high:Q")
    tooltip = tips(alt, "selector", "risk", time=(".4~g", "time"), share=(".0%", "share without event"))
    line = base.mark_line(interpolate="step-after").encode(y=share, tooltip=tooltip)
    return _in_panels(alt, [band, line], data, "selector", height=200)


def _seen(data: pd.DataFrame) -> str:
    last = data.groupby(["selector", "risk"], sort=False).last().reset_index()
    told = [
        f"{one['selector']}, {one['risk']} risk: {number(one['share'], 2)} at {one['time']:.4g}"
        for one in last.to_dict("records")
    ]
    return f"Shares without an event at the end: {'; '.join(told)}."


@picture(
    title="Calibration",
    needs=("risk_groups",),
    applies=lambda findings: any(group.expected for group in findings.risk_groups),
    caption="Predicted against observed shares without an event of the rows that runs left out, by predicted risk.",
    place=83,
)
def risk_calibration(result: Findings | Assessment, at: float | None = None) -> Picture:
    """Predicted against observed shares without an event up to a time, of left-out rows by thirds of predicted risk.

    Where the model is right, points lie on the diagonal. The thirds are those of `risk_groups`; bars hold the middle
    80% of the runs.

    Parameters
    ----------
    result : Findings or Assessment
        An assessment of times to events, or its findings.
    at : float or None, default=None
        The time; None is the middle of those that `risk_groups` shows. The nearest of these is taken.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(120, 5))
    >>> y = st.Survival(random.exponential(np.exp(-X[:, 0])), np.ones(120))
    >>> result = st.assess(["anova:k=1"], X, y, resampling=st.Subsample(10))
    >>> st.plot.risk_calibration(result, at=1.0).data["risk"].tolist()
    ['low', 'middle', 'high']
    """
    if at is not None:
        check_number("at", at)
    found = [group for group in findings_of(result).risk_groups if group.expected]
    if not found:
        raise InputError("result has no predicted curves; give an assessment of times to events, with scores.")
    times = np.array(found[0].times)
    place = len(times) // 2 if at is None else int(np.argmin(np.abs(times - at)))
    shown, left_out = _first_selectors(found)
    rows = [
        (group.name, group.risk, *point)
        for group in shown
        for point in [[one[place] for one in (group.times, group.expected, group.share, group.low, group.high)]]
        if not isnan(point[1]) and not isnan(point[2])
    ]
    note = noted((True, f"Up to the time {times[place]:.4g}."), (left_out, left_out))
    return pictured(rows, CALIBRATION_COLUMNS, _drawn_calibration, note, _seen_calibration)


def _drawn_calibration(alt: Any, data: pd.DataFrame) -> Any:
    whole = alt.Scale(domain=[0, 1])
    across = alt.X("predicted:Q", title="predicted share without event", scale=whole)
    colour = coloured(alt, "risk", COLOURS, title="predicted risk")
    tooltip = tips(alt, "selector", "risk", predicted=(".0%", "predicted"), observed=(".0%", "observed"))
    observed = alt.Y("observed:Q", title="observed share without event", scale=whole)
    bars = alt.Chart().mark_rule().encode(x=across, y=alt.Y("low:Q", scale=whole), y2="high:Q", color=colour)
    points = alt.Chart().mark_point(filled=True, size=60).encode(x=across, y=observed, color=colour, tooltip=tooltip)
    return _in_panels(alt, [points, bars, _diagonal(alt, [0.0, 1.0])], data, "selector")


def _seen_calibration(data: pd.DataFrame) -> str:
    told = [
        f"{one['selector']}, {one['risk']} risk: {number(one['predicted'], 2)} predicted, {number(one['observed'], 2)} "
        "observed"
        for one in data.to_dict("records")
    ]
    return f"Shares without an event: {'; '.join(told)}." if told else "No group of risk reaches this time."


@picture(
    title="Predictions of the runs for the same rows",
    needs=("predictions",),
    caption="Each row of the data: what the model on all rows predicts for it, and what the models of the runs do. "
    "Lines hold 95% of the runs; models that agreed would lie on the diagonal.",
    place=84,
)
def prediction_instability(result: Findings | Assessment) -> Picture:
    """The instability plot: predictions of the runs' models against those of the model on all rows.

    Parameters
    ----------
    result : Findings or Assessment
        An assessment with ``execution={"predictions": True}``, or its findings.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    References
    ----------
    Riley and Collins 2023

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> result = st.assess("t_test:k=5", X, y, resampling=st.Bootstrap(5), execution={"predictions": True})
    >>> st.plot.prediction_instability(result).data["row"].nunique()
    120
    """
    found = findings_of(result)
    several = _with_predictions(found)
    rows = [
        (one.name, place, prediction, low, high, value)
        for one in several
        for place, (prediction, low, high, *runs) in enumerate(one.rows)
        for value in runs
    ]
    words = TASKS[found.settings["task"]].prediction_words

    def draw(alt: Any, data: pd.DataFrame) -> Any:
        title = wrapped(f"{words}, model on all rows", PANEL, SMALL)
        across = alt.X("prediction:Q", title=title, scale=alt.Scale(zero=False))
        upwards = alt.Y("value:Q", title="models of the runs", scale=alt.Scale(zero=False))
        tooltip = tips(alt, "selector", prediction=".3~g", low=".3~g", high=".3~g")
        base = alt.Chart()
        diagonal = _diagonal(alt, [float(data["prediction"].min()), float(data["prediction"].max())])
        ranges = base.mark_rule(color=PALE).encode(x=across, y=alt.Y("low:Q"), y2="high:Q", tooltip=tooltip)
        dots = base.mark_circle(color=STEADY, size=8, opacity=0.6).encode(x=across, y=upwards)
        return _in_panels(alt, [ranges, dots, diagonal], data, "selector")

    return pictured(rows, INSTABILITY_COLUMNS, draw, _shown_of(found, len(several)), _instability_seen)


def _instability_seen(data: pd.DataFrame) -> str:
    widths = (data["high"] - data["low"]).groupby(data["selector"], sort=False).mean()
    return (
        f"Mean width of the ranges of the rows: {', '.join(f'{name} {value:.2g}' for name, value in widths.items())}."
    )


@picture(
    title="Calibration of the runs' models",
    needs=("predictions",),
    applies=lambda findings: any(one.tenths for one in findings.predictions),
    caption="Tenths of the rows by the prediction of each model: the mean prediction, and what was observed. All "
    "models meet the same rows, most of which they were fitted to: how far the lines lie apart says how much they "
    "depend on the rows at hand, not how well calibrated a model is in new rows.",
    place=85,
)
def calibration_fan(result: Findings | Assessment) -> Picture:
    """The calibration of each run's model on all rows of the data, beside that of the model on all rows.

    Parameters
    ----------
    result : Findings or Assessment
        An assessment with ``execution={"predictions": True}``, or its findings.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    References
    ----------
    Riley and Collins 2023

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> result = st.assess("t_test:k=5", X, y, resampling=st.Bootstrap(5), execution={"predictions": True})
    >>> st.plot.calibration_fan(result).data["model"].unique().tolist()
    ['all rows', 'a run']
    """
    found = findings_of(result)
    several, classes = _with_predictions(found), list(found.settings["details"]["classes"])
    rows = []
    for one in several:
        many = len({int(output) for _, output, *_ in one.tenths}) > 1
        for run, output, predicted, observed in one.tenths:
            panel = f"{one.name}, {classes[int(output)]}" if many else one.name
            rows.append((panel, "all rows" if run < 0 else "a run", int(run), predicted, observed))
    panels = list(dict.fromkeys(row[0] for row in rows))[:MOST_PANELS]
    words = TASKS[found.settings["task"]].prediction_words

    def draw(alt: Any, data: pd.DataFrame) -> Any:
        both = data[["predicted", "observed"]].to_numpy(dtype=float)
        limits = [float(both.min()), float(both.max())]
        diagonal = _diagonal(alt, limits)
        across = alt.X("predicted:Q", title=wrapped(words, PANEL, SMALL), scale=alt.Scale(domain=limits))
        upwards = alt.Y("observed:Q", title="observed", scale=alt.Scale(domain=limits))
        colour = coloured(alt, "model", {"a run": PALE, "all rows": STEADY}, title="model")
        base = alt.Chart().encode(x=across, y=upwards, color=colour, detail="run:N")
        lines = [
            base.transform_filter(f"datum.model == {name!r}").mark_line(strokeWidth=width, opacity=opacity)
            for name, width, opacity in (("a run", 1, 0.6), ("all rows", 2.5, 1.0))
        ]
        return _in_panels(alt, [*lines, diagonal], data, "panel")

    shown = [row for row in rows if row[0] in panels]
    return pictured(shown, FAN_COLUMNS, draw, _shown_of(found, len(several)), _fan_seen)


def _fan_seen(data: pd.DataFrame) -> str:
    runs = data[data["model"] == "a run"]
    apart = (runs["observed"] - runs["predicted"]).abs().groupby(runs["panel"], sort=False).mean()
    told = [f"{name} {value:.2g}" for name, value in apart.items()]
    return f"Mean distance of what was observed from what a run's model predicts: {', '.join(told)}."


def _with_predictions(found: Findings) -> list[Predicted]:
    several = list(found.predictions[:MOST_SPREADS])
    if not several:
        raise InputError(
            "result keeps no predictions; assess with ", Argument("predictions", True, of="Execution"), "."
        )
    return several


def _shown_of(found: Findings, shown: int) -> str:
    every, classes = len(found.predictions), list(found.settings["details"]["classes"])
    return noted(
        (len(classes) == 2, f"Probabilities are those of {shown_name(classes[-1])}." if classes else ""),
        (every > shown, f"The first {shown} of {every} selectors."),
    )


def _diagonal(alt: Any, ends: list[float]) -> Any:
    places = alt.Data(values=[{"at": end} for end in ends])
    return alt.Chart(places).mark_line(color=INK, strokeDash=[3, 3]).encode(x="at:Q", y="at:Q")


def _in_panels(alt: Any, layers: list[Any], data: pd.DataFrame, panel: str, height: int = 220) -> Any:
    """The same layers for each value of a column; those without data of their own get the rows of the panel."""
    chart = alt.layer(*layers, data=data).properties(width=PANEL, height=height)
    return chart.facet(alt.Facet(f"{panel}:N", title=None), columns=PANELS_A_ROW)
