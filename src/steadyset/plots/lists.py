"""A few lists beside each other: which names are in which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation.arguments import check_integer
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted
from steadyset.plots.catalogue import picture
from steadyset.plots.drawing import text_width
from steadyset.plots.picture import LONGEST_NAME, RULE, SMALL, STEADY, Picture, foremost, names, pictured, tips
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

MAX_LISTS, MAX_SHARED = 8, 30
SHARED_COLUMNS = "feature list: text; place column lists: int; inside: bool"


def _few(findings: Findings) -> bool:
    sel = findings.selections.get("")
    return sel is not None and 1 < sel.n_runs <= MAX_LISTS and int(sel.counts.max(initial=0)) > 1


@picture(title="Who is in which list", needs=("selections",), applies=_few, place=15)
def shared_names(selections: RunsLike | Findings, *, top: int = MAX_SHARED) -> Picture:
    """A dot for each list that holds a name, for the names in two lists or more, those in most lists first.

    Parameters
    ----------
    selections : Selections, Assessment, array, frame or Findings
        Two to eight lists.
    top : int, default=30
        How many names are shown at most.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> lists = st.Selections.from_sets([["BIRC5", "RRM2"], ["BIRC5", "MYC"], ["BIRC5", "RRM2"]], n_features=20_000)
    >>> st.plot.shared_names(lists).data.query("inside").groupby("feature").size().to_dict()
    {'BIRC5': 3, 'RRM2': 2}
    """
    check_integer("top", top, least=1)
    sel = _only(selections) if isinstance(selections, Findings) else as_selections(selections)
    if not 1 < sel.n_runs <= MAX_LISTS:
        raise InputError(f"selections must be 2 to {MAX_LISTS} lists (got {sel.n_runs}).")
    order = np.argsort(-sel.counts, kind="stable")
    shared = order[: int((sel.counts > 1).sum())]
    labels = [str(label) for label in sel.labels or range(1, sel.n_runs + 1)]
    inside = np.asarray(sel.to_matrix()[:, shared[:top]].toarray(), dtype=bool)
    rows = [
        (sel.features[f], labels[run], place, run, sel.counts[f], inside[run, place])
        for place, f in enumerate(shared[:top])
        for run in range(sel.n_runs)
    ]
    alone = int((sel.counts == 1).sum())
    left = len(shared) - len(shared[:top])
    note = f"{counted(len(shared), 'name')} in two lists or more{f', the first {top} shown' if left else ''}; "
    return pictured(rows, SHARED_COLUMNS, _drawn, f"{note}{counted(alone, 'name')} in one list only.", _seen)


def _only(found: Findings) -> Selections:
    if len(found.selections) != 1:
        raise InputError(f"The findings must be of one set of lists (got {len(found.selections)}).")
    return next(iter(found.selections.values()))


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
    axis = alt.Axis(orient="top", labelAngle=0, labelLimit=110, ticks=False, domain=False, labelOverlap=False)
    lists = alt.X("list:N", sort=alt.SortField("column"), title=None, axis=axis)
    base = alt.Chart(data).encode(y=names(alt, "feature", "place"), tooltip=tips(alt, "feature", "list", "lists"))
    dots = base.mark_circle().encode(
        x=lists,
        size=alt.condition("datum.inside", alt.value(90), alt.value(14)),
        color=alt.condition("datum.inside", alt.value(STEADY), alt.value(RULE)),
    )
    beside = min(LONGEST_NAME, max((text_width(str(name), SMALL) for name in data["feature"]), default=0.0))
    return alt.layer(dots).properties(
        width=520, height=alt.Step(19), usermeta={"fill": {"beside": 20 + beside, "least": 200}}
    )


def _seen(data: pd.DataFrame) -> str:
    most = foremost(data, "lists")
    n = data["column"].nunique()
    return f"{most['feature']} is in {most['lists']} of {n} lists."
