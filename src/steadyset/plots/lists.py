"""Lists: which names are in which of a few, and a shortlist with the look-alikes of its features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings, findings_of
from steadyset.foundation.arguments import check_integer
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, percent
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import Picture
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.shortlists.listed import CANDIDATE, GROUP, LISTED, ListedFeature
from steadyset.shortlists.result import Shortlist

if TYPE_CHECKING:
    import pandas as pd

MAX_LISTS, MAX_SHARED = 8, 30
SHARED_COLUMNS = "feature list: text; place column lists: int; inside: bool"
PIXELS_A_LETTER = 6.5
STANDS_IN = "look-alike"
ROLES = {LISTED: grammar.STEADY, STANDS_IN: grammar.MUTED, CANDIDATE: grammar.PALE}
SHORTLIST_COLUMNS = "feature role beside direction: text; place: int; frequency low high: float"


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
    return grammar.pictured(
        rows, SHARED_COLUMNS, _shared_drawn, f"{note}{counted(alone, 'name')} in one list only.", _shared_seen
    )


def _only(found: Findings) -> Selections:
    if len(found.selections) != 1:
        raise InputError(f"The findings must be of one set of lists (got {len(found.selections)}).")
    return next(iter(found.selections.values()))


def _shared_drawn(alt: Any, data: pd.DataFrame) -> Any:
    width = 520
    room = width / data["column"].nunique() / PIXELS_A_LETTER
    turned = {"labelAngle": 0} if data["list"].str.len().max() <= room else {"labelAngle": -30, "labelAlign": "left"}
    axis = alt.Axis(orient="top", **turned, labelLimit=110, ticks=False, domain=False, labelOverlap=False)
    lists = alt.X("list:N", sort=alt.SortField("column"), title=None, axis=axis)
    names, told = grammar.names(alt, "feature", "place"), grammar.tips(alt, "feature", "list", "lists")
    size = grammar.either(alt, "Size", "datum.inside", 90, 14)
    colour = grammar.either(alt, "Color", "datum.inside", grammar.STEADY, grammar.RULE)
    dots = alt.Chart(data).mark_circle().encode(x=lists, y=names, size=size, color=colour, tooltip=told)
    return alt.layer(dots).properties(width=width, height=alt.Step(19), usermeta=grammar.filling(20, data["feature"]))


def _shared_seen(data: pd.DataFrame) -> str:
    most = grammar.foremost(data, "lists")
    n = data["column"].nunique()
    return f"{most['feature']} is in {most['lists']} of {n} lists."


@picture(
    title="The list and its look-alikes",
    needs=("shortlist",),
    draws=lambda result: isinstance(result, Shortlist),
    caption="Look-alikes stand below the feature that they can stand in for.",
    place=76,
)
def listed_features(result: Findings | Shortlist, *, top: int = 30, alike: int = 2) -> Picture:
    """Bars of how often features are among the best of the halves: listed ones, look-alikes below them, candidates.

    A look-alike that is listed itself, or a candidate, keeps that colour below the feature that it resembles.

    Parameters
    ----------
    result : Findings or Shortlist
        The shortlist, or its findings.
    top : int, default=30
        How many listed features are shown at most; a third as many candidates follow.
    alike : int, default=2
        How many look-alikes that are not listed are shown below each.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(2).normal(size=(60, 200))
    >>> y = np.arange(60) % 2
    >>> X[y == 1, :3] += 1.5
    >>> found = st.shortlist(X, y, bases=["filter"], permutations=20, outer=0)
    >>> st.plot.listed_features(found).data["role"].value_counts()[["listed", "candidate"]].tolist()
    [3, 10]
    """
    check_integer("top", top, least=1)
    check_integer("alike", alike, least=0)
    listed = findings_of(result).shortlist
    if listed is None:
        raise InputError("result has no shortlist; give what st.shortlist returns.")
    known = {one.feature: one for one in listed.features}
    leads = [*listed.of_tier(LISTED)[:top], *listed.of_tier(GROUP)[:top]]
    rows: dict[str, tuple[Any, ...]] = {}
    for lead in [*leads, *listed.of_tier(CANDIDATE)[: max(10, top // 3)]]:
        if lead.feature in rows:
            continue
        rows[lead.feature] = _row(lead, "", len(rows))
        stand_in = [name for name in lead.alike if name not in rows] if lead.tier == LISTED else []
        too = [name for name in stand_in if name in known and known[name].tier == LISTED]
        for name in [*too, *[name for name in stand_in if name not in too][:alike]]:
            often = lead.alike_frequencies[lead.alike.index(name)]
            unknown = (name, STANDS_IN, lead.feature, "", len(rows), often, often, often)
            rows[name] = _row(known[name], lead.feature, len(rows)) if name in known else unknown
    among = listed.features[0].among if listed.features else 0
    note = f"Among the best {among} of {2 * listed.n_splits} random halves of the rows; thin lines: 95% intervals."
    if any(beside for _, _, beside, *_ in rows.values()):
        note += " Thin bars: look-alikes of the feature above."
    return grammar.pictured(list(rows.values()), SHORTLIST_COLUMNS, _listed_drawn, note, _listed_seen)


def _row(one: ListedFeature, beside: str, place: int) -> tuple[Any, ...]:
    role = STANDS_IN if one.tier == GROUP else one.tier
    return one.feature, role, beside, one.direction, place, one.frequency, one.low, one.high


def _listed_drawn(alt: Any, data: pd.DataFrame) -> Any:
    told = grammar.tips(alt, "feature", "role", "beside", "direction", frequency=(".0%", "share of halves"))
    base = alt.Chart(data).encode(y=grammar.names(alt, "feature", "place"), tooltip=told)
    halves = grammar.shares(alt, "frequency", "share of halves", stack=None)
    coded = base.encode(x=halves, color=grammar.coloured(alt, "role", ROLES, title=None))
    bars = coded.transform_filter("datum.beside === ''").mark_bar(height=9)
    thinner = coded.transform_filter("datum.beside !== ''").mark_bar(height=4)
    around, intervals = grammar.over_bars(alt, base)
    return (bars + thinner + around + intervals).properties(width=420, height=alt.Step(15))


def _listed_seen(data: pd.DataFrame) -> str:
    chosen = data[data["role"] == LISTED]
    if not len(chosen):
        return "No feature passes; the closest are shown."
    first = grammar.foremost(chosen, "frequency")
    often = percent(round(float(first["frequency"]), 2))
    return f"{counted(len(chosen), 'feature')} passed; most often chosen is {first['feature']} ({often} of halves)."
