"""The next study: how many features studies of each size have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyset.findings import Findings, findings_of
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import amount
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import INK, MUTED, STEADY, Picture, pictured, tips
from steadyset.replications.result import MeasuredSize, NextStudy, Replication

if TYPE_CHECKING:
    import pandas as pd

MEASURED, EXTRAPOLATED = "measured", "extrapolated"
STUDY_COLUMNS = "how: text; rows: int; in_common low high chance: float"


@picture(
    title="Agreement over the number of rows",
    needs=("replication",),
    draws=lambda result: isinstance(result, Replication),
    caption="Beyond half of the rows the agreement is extrapolated, and the interval says how little is known of it.",
    place=10,
)
def next_study(result: Findings | Replication) -> Picture:
    """How many features two studies have in common, over their number of rows, with 95% intervals.

    Parameters
    ----------
    result : Findings or Replication
        The replication, or its findings.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(0).normal(size=(80, 50))
    >>> y = np.arange(80) % 2
    >>> X[y == 1, :5] += 1
    >>> found = st.replication("anova:k=5", X, y)
    >>> st.plot.next_study(found).data["rows"].tolist()
    [10, 13, 20, 26, 40, 80, 160, 320]
    """
    one = findings_of(result).replication
    if one is None:
        raise InputError("result has no replication; give what st.replication returns.")
    chance = one.size * one.by_chance
    sizes: list[tuple[str, MeasuredSize | NextStudy]] = [(MEASURED, size) for size in one.measured[:-1]]
    sizes += [(MEASURED if study.measured else EXTRAPOLATED, study) for study in one.studies]
    rows = [
        (how, of.rows, one.common(of.agreement), one.common(of.low), one.common(of.high), chance) for how, of in sizes
    ]
    note = f"Of {one.size} features, with 95% intervals; dashed: random choices. Rows on a logarithmic scale."
    return pictured(rows, STUDY_COLUMNS, _drawn, note, _seen)


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
    shown = tips(alt, "how", "rows", in_common=(".1f", "in common"), low=".1f", high=".1f")
    base = alt.Chart(data).encode(
        x=alt.X("rows:Q", title="rows of each study", scale=alt.Scale(type="log", nice=False)), tooltip=shown
    )
    common = alt.Y("in_common:Q", title="features in common", scale=alt.Scale(zero=True))
    band = base.mark_area(opacity=0.18, color=STEADY, aria=False).encode(y=alt.Y("low:Q"), y2="high:Q")
    line = base.mark_line(color=STEADY, strokeWidth=1.5, aria=False).encode(y=common)
    points = base.mark_point(size=60, filled=True).encode(
        y=common,
        color=alt.Color(
            "how:N",
            scale=alt.Scale(domain=[MEASURED, EXTRAPOLATED], range=[STEADY, MUTED]),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
        shape=alt.Shape("how:N", scale=alt.Scale(domain=[MEASURED, EXTRAPOLATED], range=["circle", "diamond"])),
    )
    chance = base.mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1, aria=False).encode(y="chance:Q")
    return (band + chance + line + points).properties(width=420, height=240)


def _seen(data: pd.DataFrame) -> str:
    largest = data[data["how"] == MEASURED].iloc[-1]
    return (
        f"Two studies of {largest['rows']} rows have {amount(round(float(largest['in_common']), 1))} features in "
        f"common, by chance {amount(round(float(largest['chance']), 1))}."
    )
