"""How often each feature is selected: the features of a selector, most frequent first."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from steadyset.plots.picture import MUTED, PALE, STEADY, Picture, altair, styled
from steadyset.selections import Selections

CORE = 0.9


def selection_frequencies(selections: Selections | Mapping[str, Selections], *, top: int = 25) -> Picture:
    """Bars of the selection frequencies of the `top` features, dark where a feature is in at least 90% of the runs."""
    import pandas as pd

    several = selections if isinstance(selections, Mapping) else {"": selections}
    rows = []
    for name, sel in several.items():
        order = np.argsort(-sel.frequencies, kind="stable")[:top]
        rows += [
            (name, sel.features[f], place, float(sel.frequencies[f]))
            for place, f in enumerate(order)
            if sel.frequencies[f] > 0
        ]
    data = pd.DataFrame(rows, columns=["selector", "feature", "place", "frequency"])
    alt = altair()
    panels = []
    for name in several:
        mine = data[data["selector"] == name]
        scale = alt.Scale(domain=[0, 1])
        bars = (
            alt.Chart(mine, title=alt.Title(name, anchor="start", fontSize=13))
            .mark_bar(height=9)
            .encode(
                x=alt.X("frequency:Q", scale=scale, title="share of the runs", axis=alt.Axis(format="%", tickCount=5)),
                y=alt.Y("feature:N", sort=alt.SortField("place"), title=None, axis=alt.Axis(labelLimit=180)),
                color=alt.condition(alt.datum.frequency >= CORE, alt.value(STEADY), alt.value(PALE)),
                tooltip=["feature", alt.Tooltip("frequency", format=".0%")],
            )
        )
        rule = alt.Chart(pd.DataFrame({"x": [CORE]})).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x="x:Q")
        panels.append((bars + rule).properties(width=260, height=alt.Step(14)))
    chart = alt.concat(*panels, columns=2, spacing=28).properties(background="white")
    return Picture(data, styled(chart))
