"""The next study, several studies side by side, and why reruns differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyset.findings import Findings, findings_of
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import amount, counted, percent
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import Picture
from steadyset.replications.result import MeasuredSize, NextStudy, Replication
from steadyset.replications.split import VarianceSplit
from steadyset.replications.studies import StudyComparison

if TYPE_CHECKING:
    import pandas as pd

MEASURED, EXTRAPOLATED = "measured", "extrapolated"
SOURCE_COLUMNS = "source: text; place: int; features share low high: float"
SHOWN_FEATURES = 20  # of those that studies select
SELECTED, NOT_SELECTED = "selected", "not selected"
EFFECT_COLUMNS = "feature study selected: text; place studies: int; effect: float"
STUDY_COLUMNS = "how: text; rows: int; in_common low high chance: float"


@picture(
    title="Agreement over the number of rows",
    needs=("replication",),
    draws=lambda result: isinstance(result, Replication),
    caption="Beyond half of the rows the agreement is extrapolated, and the interval says how little is known of it.",
    place=23,
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
    return grammar.pictured(rows, STUDY_COLUMNS, _drawn, note, _seen)


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
    shown = grammar.tips(alt, "how", "rows", in_common=(".1f", "in common"), low=".1f", high=".1f")
    apart = alt.Axis(labelSeparation=4)  # numbers of a logarithmic scale crowd at its end, most of all on a phone
    rows = alt.X("rows:Q", title="rows of each study", scale=alt.Scale(type="log", nice=False), axis=apart)
    base = alt.Chart(data).encode(x=rows, tooltip=shown)
    common = alt.Y("in_common:Q", title="features in common", scale=alt.Scale(zero=True))
    band = base.mark_area(opacity=0.18, color=grammar.STEADY, aria=False).encode(y=alt.Y("low:Q"), y2="high:Q")
    line = base.mark_line(color=grammar.STEADY, strokeWidth=1.5, aria=False).encode(y=common)
    colour = grammar.coloured(
        alt, "how:N", {MEASURED: grammar.STEADY, EXTRAPOLATED: grammar.MUTED}, title=None, orient="bottom"
    )
    shape = alt.Shape("how:N", scale=alt.Scale(domain=[MEASURED, EXTRAPOLATED], range=["circle", "diamond"]))
    points = base.mark_point(size=60, filled=True).encode(y=common, color=colour, shape=shape)
    chance = base.mark_line(color=grammar.INK, strokeDash=[4, 3], strokeWidth=1, aria=False).encode(y="chance:Q")
    return (band + chance + line + points).properties(width=420, height=240, usermeta=grammar.filling(60))


def _seen(data: pd.DataFrame) -> str:
    largest = data[data["how"] == MEASURED].iloc[-1]
    return (
        f"Two studies of {largest['rows']} rows have {amount(round(float(largest['in_common']), 1))} features in "
        f"common, by chance {amount(round(float(largest['chance']), 1))}."
    )


@picture(
    title="Effects by study",
    needs=("studies",),
    draws=lambda result: isinstance(result, StudyComparison),
    caption="Effects on the same side of 0 in all studies are what comes back; those of a study that selects the "
    "feature are too large on average.",
    place=10,
)
def study_effects(result: Findings | StudyComparison) -> Picture:
    """The effect of each feature in every study, those that most studies select first.

    Parameters
    ----------
    result : Findings or StudyComparison
        The comparison of studies, or its findings.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> random = np.random.default_rng(0)
    >>> y = np.arange(60) % 2
    >>> studies = {name: (random.normal(size=(60, 99)) + np.outer(y, np.arange(99) < 4), y) for name in "AB"}
    >>> found = st.compare_studies("anova:k=4", studies, pairs=20)
    >>> st.plot.study_effects(found).data["study"].tolist()[:2]
    ['A', 'B']
    """
    found = findings_of(result).studies
    if found is None:
        raise InputError("result compares no studies; give what st.compare_studies returns.")
    rows = [
        (one.feature, study.name, SELECTED if chosen else NOT_SELECTED, place, one.studies, effect)
        for place, one in enumerate(found.features[:SHOWN_FEATURES])
        for study, chosen, effect in zip(found.studies, one.selected, one.effects, strict=True)
    ]
    left = len(found.features) - SHOWN_FEATURES
    note = (
        f"Effects: {found.effect}; filled where the study selects the feature. "
        f"{counted(len(found.features), 'feature')} selected by any study{f', {left} not shown' if left > 0 else ''}."
    )
    return grammar.pictured(rows, EFFECT_COLUMNS, _drawn_effects, note, _seen_effects)


def _drawn_effects(alt: Any, data: pd.DataFrame) -> Any:
    base = alt.Chart(data).encode(y=grammar.names(alt, "feature", "place"))
    zero = alt.Chart(data).mark_rule(color=grammar.MUTED, strokeWidth=1, aria=False).encode(x=alt.datum(0))
    colours = alt.Scale(range=list(grammar.CATEGORIES))
    colour = alt.Color("study:N", scale=colours, legend=alt.Legend(title=None, orient="bottom"))
    filled = grammar.either(alt, "FillOpacity", alt.datum.selected == SELECTED, 1.0, 0.0)
    told = grammar.tips(alt, "feature", "study", "selected", "studies", effect=".2f")
    points = base.mark_point(size=70, strokeWidth=1.5, opacity=1).encode(x=alt.X("effect:Q", title="effect"))
    points = points.encode(color=colour, shape=alt.Shape("study:N"), tooltip=told)
    points = points.encode(fill=alt.Fill("study:N", scale=colours), fillOpacity=filled)
    return (zero + points).properties(width=420, height=alt.Step(20), usermeta=grammar.filling(20, data["feature"]))


def _seen_effects(data: pd.DataFrame) -> str:
    several = data.loc[data["studies"] > 1, "feature"].nunique()
    return f"{counted(several, 'feature')} selected by at least two studies in the same direction."


@picture(
    title="What the disagreement comes from",
    needs=("sources",),
    draws=lambda result: isinstance(result, VarianceSplit),
    caption="Shares of the features in which two unrelated runs differ, with 95% intervals.",
    place=10,
)
def disagreement_sources(result: Findings | VarianceSplit) -> Picture:
    """Shares of the disagreement of reruns that come from the data, the selector's own randomness and the method.

    Parameters
    ----------
    result : Findings or VarianceSplit
        The split of the disagreement, or its findings.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(0).normal(size=(60, 20))
    >>> y = np.arange(60) % 2
    >>> X[y == 1, :2] += 1
    >>> found = st.variance_split(["anova:k=3", "lasso:k=3"], X, y, resampling="bootstrap:n_runs=20")
    >>> st.plot.disagreement_sources(found).data["source"].tolist()
    ['the data', 'data and method together', 'the method']
    """
    found = findings_of(result).sources
    if found is None:
        raise InputError("result does not say why reruns differ; give what st.variance_split returns.")
    if not found.parts:
        raise InputError("All runs select the same features: there is no disagreement to show.")
    rows = [
        (one.name, place, one.features, max(one.share, 0.0), one.low, one.high) for place, one in enumerate(found.parts)
    ]
    note = f"Of {amount(round(found.disagreement, 1))} features in which two unrelated runs differ."
    return grammar.pictured(rows, SOURCE_COLUMNS, _drawn_sources, note, _seen_sources)


def _drawn_sources(alt: Any, data: pd.DataFrame) -> Any:
    told = grammar.tips(alt, "source", share=".0%", low=".0%", high=".0%", features=".2f")
    base = alt.Chart(data).encode(y=grammar.names(alt, "source", "place"), tooltip=told)
    bars = base.mark_bar(height=14, color=grammar.STEADY).encode(
        x=grammar.shares(alt, "share", "share of the disagreement")
    )
    ends = base.mark_rule(color=grammar.INK, strokeWidth=1, aria=False).encode(x=alt.X("low:Q"), x2="high:Q")
    return (bars + ends).properties(width=420, height=alt.Step(28), usermeta=grammar.filling(30, data["source"]))


def _seen_sources(data: pd.DataFrame) -> str:
    first = data.iloc[0]
    return f"{percent(round(float(first['share']), 2))} of the disagreement comes from {first['source']}."
