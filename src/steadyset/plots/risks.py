"""How rows fared that a run left out, by the risk that its model predicted for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyset.assessment import Assessment
from steadyset.findings import Findings, findings_of
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import number
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import MARKED, MUTED, STEADY, Picture, coloured, noted, pictured, tips

if TYPE_CHECKING:
    import pandas as pd

RISK_COLUMNS = "selector risk: text; time share low high: float"
COLOURS = {"low": STEADY, "middle": MUTED, "high": MARKED}
MOST_PANELS = 6


@picture(
    title="Survival by predicted risk",
    needs=("risk_groups",),
    caption="Kaplan-Meier curves of the rows that runs left out, in thirds of the risks of their training rows.",
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
    selectors = list(dict.fromkeys(group.name for group in found))
    rows = [
        (group.name, group.risk, *point)
        for group in found
        if group.name in selectors[:MOST_PANELS]
        for point in zip(group.times, group.share, group.low, group.high, strict=True)
        if point[1] == point[1]
    ]
    note = noted((len(selectors) > MOST_PANELS, f"The first {MOST_PANELS} of {len(selectors)} selectors."))
    return pictured(rows, RISK_COLUMNS, _drawn, note, _seen)


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
    colour = coloured(alt, "risk", COLOURS, title="predicted risk")
    x = alt.X("time:Q", title="time")
    base = alt.Chart(data).encode(x=x, color=colour)
    share = alt.Y("share:Q", title="share without event", scale=alt.Scale(domain=[0, 1]))
    band = base.mark_area(opacity=0.15, interpolate="step-after").encode(y=alt.Y("low:Q"), y2="high:Q")
    tooltip = tips(alt, "selector", "risk", time=(".4~g", "time"), share=(".0%", "share without event"))
    line = base.mark_line(interpolate="step-after").encode(y=share, tooltip=tooltip)
    return (band + line).properties(width=260, height=200).facet(alt.Facet("selector:N", title=None), columns=2)


def _seen(data: pd.DataFrame) -> str:
    last = data.groupby(["selector", "risk"], sort=False).last().reset_index()
    told = [
        f"{one['selector']}, {one['risk']} risk: {number(one['share'], 2)} at {one['time']:.4g}"
        for one in last.to_dict("records")
    ]
    return f"Shares without an event at the end: {'; '.join(told)}."
