"""How often each feature is selected: the features of a selector, most frequent first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.arguments import check_integer
from steadyset.conventions import CORE, check_core
from steadyset.findings import Findings
from steadyset.inference.core import in_core
from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import INK, MOST_MARKS, MUTED, PALE, STEADY, Picture, distinct_names
from steadyset.selections import Selections, as_selections
from steadyset.wording import counted, percent

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("selector", "feature", "place", "frequency", "steady")


def selection_frequencies(
    selections: Selections | Mapping[str, Selections] | Findings, *, top: int = 25, core: float | None = None
) -> Picture:
    """Bars of the selection frequencies of the `top` features, dark where a feature is in the steady core.

    `core` is the share of the runs from which it is: that of the findings, else 0.9.
    """
    import pandas as pd

    if isinstance(selections, Findings):
        core, selections = selections.core if core is None else core, selections.selections
    share = CORE if core is None else core
    check_core(share)
    check_integer("top", top, least=1)
    given = selections if isinstance(selections, Mapping) else {"": selections}
    several = {str(name): as_selections(one) for name, one in given.items()}
    top = max(1, min(top, MOST_MARKS // max(1, len(several))))
    rows = []
    for name, sel in several.items():
        order, steady = np.argsort(-sel.frequencies, kind="stable")[:top], in_core(sel, share)
        rows += [
            (name, sel.features[f], place, float(sel.frequencies[f]), bool(steady[f]))
            for place, f in enumerate(order)
            if sel.frequencies[f] > 0
        ]
    # As objects: the text columns of pandas refuse halves of characters.
    kinds = {"place": int, "frequency": float, "steady": bool}
    data = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object).astype(kinds)
    names = distinct_names([*data["selector"], *several])
    ever = {names[name]: int((sel.counts > 0).sum()) for name, sel in several.items()}

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return alt.concat(*[_panel(alt, shown, name, n, top, share) for name, n in ever.items()], columns=2, spacing=28)

    note = f"Dark: in at least {percent(share)} of the runs (dashed line)."
    return Picture(data, draw, COLUMNS, note)


def _panel(alt: Any, data: pd.DataFrame, name: str, n_ever: int, top: int, core: float) -> Any:
    left_out = f"The {top} most frequent of {counted(n_ever, 'selected feature')}" if n_ever > top else ""
    if name:
        title = alt.Title(name, subtitle=left_out, fontSize=13, color=INK, subtitleColor=MUTED, subtitleFontSize=11)
    else:
        title = alt.Title(left_out, fontSize=11, fontWeight="normal", color=MUTED)
    title.anchor = "start"
    bars = (
        alt.Chart(data[data["selector"] == name], title=title)
        .mark_bar(height=9)
        .encode(
            x=alt.X(
                "frequency:Q",
                scale=alt.Scale(domain=[0, 1]),
                title="share of the runs",
                axis=alt.Axis(format="%", tickCount=5),
            ),
            y=alt.Y("feature:N", sort=alt.SortField("place"), title=None, axis=alt.Axis(labelLimit=180)),
            color=alt.condition(alt.datum.steady, alt.value(STEADY), alt.value(PALE)),
            tooltip=["feature", alt.Tooltip("frequency", format=".0%")],
        )
    )
    rule = alt.Chart(alt.Data(values=[{"x": core}])).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x="x:Q")
    return (bars + rule).properties(width=260, height=alt.Step(14))


register_picture(
    "selection_frequencies",
    selection_frequencies,
    title="How often each feature is selected",
    needs=("selections",),
    draws=lambda result: isinstance(result, Selections),
)
