"""How the stability depends on the similarity from which two features count as alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from steadyset.assessment import Assessment
from steadyset.findings import Findings
from steadyset.foundation.arguments import LEVEL, check_level
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import listed, number, percent, span
from steadyset.inference.table import THRESHOLDS, threshold_rows
from steadyset.measures.evaluate import Options
from steadyset.measures.record import Measure
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import Picture
from steadyset.selections import Selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

CURVE_COLUMNS = "selector measure: text; threshold estimate low high: float"


@picture(
    title="Stability by the threshold of similarity",
    needs=("thresholds",),
    caption="The lower the threshold, the more features count as alike. A conclusion should not depend on it.",
    place=83,
)
def stability_by_threshold(
    result: Selections | Mapping[str, Selections] | Assessment | Findings,
    similarity: FeatureSimilarity | None = None,
    measure: str | Measure = "intersection_count",
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    level: float = LEVEL,
    random_state: int | None = 0,
) -> Picture:
    """The stability with its interval against the similarity from which two features count as alike.

    Parameters
    ----------
    result : Selections, Mapping, Assessment or Findings
        The runs, those of several selectors by name, an assessment, or findings that have the curve.
    similarity : FeatureSimilarity or None, default=None
        The similarities; None where findings have the curve.
    measure : str or Measure, default="intersection_count"
        A measure that needs a similarity.
    thresholds : sequence of float, default=(0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
        The thresholds.
    level : float, default=0.95
        The confidence of the intervals, each for its threshold.
    random_state : int or None, default=0
        Seed of what is simulated.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> similarity = st.FeatureSimilarity.from_matrix([[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]], features=["a", "b", "c"])
    >>> runs = st.Selections.from_sets([["a"], ["b"], ["a"]], features=["a", "b", "c"])
    >>> picture = st.plot.stability_by_threshold(runs, similarity, thresholds=[0.7, 0.9])
    >>> picture.data[["threshold", "estimate"]].round(2).values.tolist()
    [[0.7, 1.0], [0.9, 0.0]]
    """
    check_level(level)
    rows: list[tuple[Any, ...]] = []
    if isinstance(result, Findings) and result.thresholds and similarity is None:
        rows = [(one.name, one.measure, one.threshold, one.estimate, one.low, one.high) for one in result.thresholds]
        level = result.level
    elif similarity is None:
        raise InputError("similarity is missing: give the similarities of the features, of which the threshold varies.")
    else:
        several = {name: one for name, one in grammar.runs_by_name(result).items() if one.n_runs > 1}
        options = Options(similarity=similarity, random_state=random_state)
        for name, runs in list(several.items())[: grammar.MOST_TOLD_APART]:
            for threshold, (row,) in threshold_rows(runs, [measure], options, level, thresholds).items():
                rows.append((name, row["measure"], threshold, row["estimate"], row["low"], row["high"]))
    if not rows:
        raise InputError("There are no selections to measure; two runs or more are needed.")
    note = f"Band: {percent(level)} interval of each threshold by itself."
    return grammar.pictured(rows, CURVE_COLUMNS, _drawn, note, _seen)


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
    names = list(dict.fromkeys(data["selector"]))
    colour, shape = grammar.told_apart(alt, "selector", names)
    at = alt.X("threshold:Q", title="similarity from which features count as alike", scale=alt.Scale(zero=False))
    value = alt.Y("estimate:Q", title=f"stability ({data['measure'].iloc[0]})", scale=alt.Scale(zero=False))
    tooltip = grammar.tips(alt, "selector", threshold=".2f", estimate=".3f", low=".3f", high=".3f")
    base = alt.Chart(data).encode(x=at)
    band = base.mark_area(opacity=0.15, aria=False).encode(y=alt.Y("low:Q"), y2="high:Q", color=colour)
    line = base.mark_line(aria=False).encode(y=value, color=colour)
    points = base.mark_point(filled=True, size=36, opacity=1)
    points = points.encode(y=value, color=colour, shape=shape, tooltip=tooltip)
    return (band + line + points).properties(width=420, height=240, usermeta=grammar.filling(60))


def _seen(data: pd.DataFrame) -> str:
    told = []
    for name in dict.fromkeys(data["selector"].tolist()):
        part = data[data["selector"] == name]
        first, last = part.iloc[0], part.iloc[-1]
        told.append(
            f"{f'{name}: ' if name else ''}{number(first['estimate'])} ({span(first['low'], first['high'])}) from "
            f"{first['threshold']:g} on, {number(last['estimate'])} ({span(last['low'], last['high'])}) from "
            f"{last['threshold']:g} on"
        )
    return f"Stability where features count as alike: {listed(told, 5)}."
