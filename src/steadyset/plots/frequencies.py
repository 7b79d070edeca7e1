"""How often each feature is selected, and how sure that is: the features of a selector, most frequent first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation.arguments import check_integer
from steadyset.foundation.conventions import CORE, LEVEL, check_core, check_level
from steadyset.foundation.text import counted, listed, percent
from steadyset.inference.feature_details import wilson
from steadyset.inference.runs import in_core
from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import (
    CORE_SHARE,
    INK,
    MOST_MARKS,
    MUTED,
    PALE,
    STEADY,
    Picture,
    distinct_names,
    foremost,
    heading,
    names,
    shares,
)
from steadyset.selections import Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("selector", "feature", "place", "selected", "runs", "frequency", "low", "high", "steady")
KINDS = {"place": int, "selected": int, "runs": int, "frequency": float, "low": float, "high": float, "steady": bool}
IN_CORE = f"datum.selected >= ceil({CORE_SHARE} * datum.runs - 1e-9)"  # as `in_core` counts
MARKS = 3  # of each feature: a bar, its interval, and what sets that off


def selection_frequencies(
    selections: Selections | Mapping[str, Selections] | Findings,
    *,
    top: int = 25,
    core: float | None = None,
    level: float | None = None,
) -> Picture:
    """Bars of the selection frequencies of the most frequent features with intervals, dark where one is in the core.

    Parameters
    ----------
    selections : Selections, Mapping or Findings
        The runs, those of several selectors by name, or findings.
    top : int, default=25
        How many features are shown.
    core : float or None, default=None
        The share of the runs from which a feature is in the steady core; None is that of the findings, else 0.9.
    level : float or None, default=None
        The confidence of the intervals; None is that of the findings, else 0.95.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"], ["TP53", "KRAS"]], features=genes)
    >>> st.plot.selection_frequencies(runs).data[["feature", "frequency", "steady"]].round(2)
      feature  frequency  steady
    0    TP53       1.00    True
    1    KRAS       0.67   False
    2    EGFR       0.33   False
    """
    import pandas as pd

    if isinstance(selections, Findings):
        core = selections.core if core is None else core
        level = selections.level if level is None else level
        selections = selections.selections
    share, sure = CORE if core is None else core, LEVEL if level is None else level
    check_core(share)
    check_level(sure)
    check_integer("top", top, least=1)
    given = selections if isinstance(selections, Mapping) else {"": selections}
    several = {str(name): as_selections(one) for name, one in given.items()}
    top = max(1, min(top, MOST_MARKS // (MARKS * max(1, len(several)))))
    rows = [row for name, sel in several.items() for row in _rows(name, sel, top, share, sure)]
    # As objects: the text columns of pandas refuse halves of characters.
    data = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object).astype(KINDS)
    written = distinct_names([*data["selector"], *several])
    ever = {written[name]: int((sel.counts > 0).sum()) for name, sel in several.items()}

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        panels = [_panel(alt, shown, name, n, top) for name, n in ever.items()]
        return alt.concat(*panels, columns=2, spacing=28, params=[alt.param(name=CORE_SHARE, value=share).param])

    note = f"Strong: in at least {percent(share)} of the runs (dashed line). Thin lines: {percent(sure)} intervals."
    return Picture(data, draw, COLUMNS, note, seen=_seen)


def _rows(name: str, sel: Selections, top: int, core: float, level: float) -> list[tuple[Any, ...]]:
    order = np.argsort(-sel.counts, kind="stable")[:top]
    order = order[sel.counts[order] > 0]
    low, high = wilson(sel.counts[order], sel.n_runs, level) if len(order) else (order, order)
    steady = in_core(sel, core)
    return [
        (
            name,
            sel.features[f],
            place,
            int(sel.counts[f]),
            sel.n_runs,
            float(sel.frequencies[f]),
            float(low[place]),
            float(high[place]),
            bool(steady[f]),
        )
        for place, f in enumerate(order)
    ]


def _panel(alt: Any, data: pd.DataFrame, name: str, n_ever: int, top: int) -> Any:
    features = counted(n_ever, "selected feature")
    said = f"The {top} most frequent of {features}" if n_ever > top else f"All {features}" if n_ever > 1 else features
    base = alt.Chart(data[data["selector"] == name], title=heading(alt, name, said)).encode(
        y=names(alt, "feature", "place"),
        tooltip=[
            "feature",
            alt.Tooltip("frequency", title="share of the runs", format=".0%"),
            alt.Tooltip("low", title="from", format=".0%"),
            alt.Tooltip("high", title="to", format=".0%"),
            alt.Tooltip("selected", title="runs that select it"),
        ],
    )
    bars = base.mark_bar(height=9).encode(
        x=shares(alt, "frequency", "share of the runs", stack=None),
        color=alt.condition(IN_CORE, alt.value(STEADY), alt.value(PALE)),
    )
    ends = base.encode(x=alt.X("low:Q"), x2="high:Q")
    around = ends.mark_rule(color="white", strokeWidth=3, opacity=0.6, aria=False)  # lines are seen on dark bars, too
    intervals = ends.mark_rule(color=INK, strokeWidth=1, aria=False)  # bars have the words
    share = alt.XDatum(alt.ExprRef(CORE_SHARE), type="quantitative")
    rule = alt.Chart(alt.Data(values=[{}])).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x=share)
    return (bars + rule + around + intervals).properties(width=260, height=alt.Step(14))


def _seen(data: pd.DataFrame) -> str:
    """What is selected most often, and how many are steady."""
    first = foremost(data, "frequency")
    steady = data[data["steady"]].groupby("selector", sort=False).size()
    counts = {name: int(steady.get(name, 0)) for name in dict.fromkeys(data["selector"])}
    cores = listed([f"{n} of {name}" if name else str(n) for name, n in counts.items()], 5)
    whose = f" of {first['selector']}" if first["selector"] else ""
    often = percent(round(float(first["frequency"]), 2))
    return f"Most often selected is {first['feature']} ({often} of the runs{whose}); steady are {cores}."


register_picture(
    "selection_frequencies",
    selection_frequencies,
    title="How often each feature is selected",
    needs=("selections",),
    draws=lambda result: isinstance(result, Selections),
    place=30,
)
