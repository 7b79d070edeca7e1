"""Runs x features: which run selected what. Steady selections are full columns, unsteady ones are dust."""

from __future__ import annotations

import numpy as np

from steadyset.plots.picture import STEADY, Picture, altair, styled
from steadyset.selections import Selections


def runs_by_features(selections: Selections, *, top: int = 60) -> Picture:
    """A dot for each selected feature of each run; features by frequency, runs in their order."""
    import pandas as pd

    order = np.argsort(-selections.counts, kind="stable")[:top]
    order = order[selections.counts[order] > 0]
    place = np.full(selections.n_features, -1)
    place[order] = np.arange(len(order))
    run = np.repeat(np.arange(selections.n_runs), selections.sizes) + 1
    shown = place[selections.indices] >= 0
    feature = selections.indices[shown]
    names = np.array(selections.features, dtype=object)
    data = pd.DataFrame({"run": run[shown], "feature": names[feature], "place": place[feature]})
    alt = altair()
    chart = (
        alt.Chart(data)
        .mark_rect(color=STEADY)
        .encode(
            x=alt.X(
                "feature:N",
                sort=alt.SortField("place"),
                title=None,
                axis=alt.Axis(labelAngle=-60, labelLimit=120, labelOverlap=len(order) > 50),
            ),
            y=alt.Y("run:O", title="run", axis=alt.Axis(labelOverlap=True, ticks=False)),
            tooltip=["run", "feature"],
        )
        .properties(
            width=alt.Step(max(6, min(14, 720 // max(1, len(order))))),
            height=alt.Step(max(2, min(8, 320 // selections.n_runs))),
            background="white",
        )
    )
    return Picture(data, styled(chart))
