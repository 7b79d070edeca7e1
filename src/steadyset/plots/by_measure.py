"""Stability by measure: whether another measure would say something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from steadyset.assessment import Assessment
from steadyset.findings import Findings, Measured
from steadyset.foundation.conventions import LEVEL, check_level
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, number, percent
from steadyset.inference.table import stability_table
from steadyset.measures.record import get_measure
from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import LONGEST_NAME, MOST_TOLD_APART, MUTED, Picture, foremost, heading, told_apart
from steadyset.selections import as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.findings.parts import ResultLike
    from steadyset.similarity import FeatureSimilarity

COLUMNS = ("selector", "measure", "place", "estimate", "low", "high", "corrected")
KINDS = {"place": int, "estimate": float, "low": float, "high": float, "corrected": bool}


def stability_by_measure(
    result: ResultLike,
    *,
    measures: str | Sequence[str] = "all",
    level: float = LEVEL,
    similarity: FeatureSimilarity | None = None,
) -> Picture:
    """A point with its interval for each measure and selector; those that are corrected for chance come first.

    Parameters
    ----------
    result : Selections, Mapping, Assessment or Findings
        The runs, those of several selectors by name, an assessment, or findings of measures.
    measures : str or sequence of str, default="all"
        Names, or "all" that apply.
    level : float, default=0.95
        The confidence of the intervals.
    similarity : FeatureSimilarity or None, default=None
        Lets the measures in that need one.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"], ["TP53", "KRAS"]], features=genes)
    >>> st.plot.stability_by_measure(runs, measures=["nogueira", "jaccard"]).data["measure"].tolist()
    ['nogueira', 'jaccard']
    """
    rows = _measured(result, measures, level, similarity)
    selectors = list(dict.fromkeys(row.name for row in rows))[:MOST_TOLD_APART]
    known = [row for row in rows if not isnan(row.estimate) and _has_scale(row.measure)]
    shown = [row for row in known if row.name in selectors]
    places = {name: place for place, name in enumerate(_order(shown))}
    data = _data(shown, places)

    def draw(alt: Any, frame: pd.DataFrame) -> Any:
        return _drawn(alt, frame)

    return Picture(
        data, draw, COLUMNS, _note(rows, shown, result.level if isinstance(result, Findings) else level), seen=_seen
    )


def _measured(result: Any, measures: Any, level: float, similarity: Any) -> list[Measured]:
    if isinstance(result, Findings) and result.measures:
        return list(result.measures)
    check_level(level)
    if isinstance(result, Assessment | Findings):
        result = {name: sel for name, sel in result.selections.items() if sel.n_runs > 1}
    several = result if isinstance(result, Mapping) else {"": result}
    if not several:
        raise InputError("There are no selections to measure; two runs or more are needed.")
    return [
        Measured(str(name), str(measure), row["estimate"], row["steadier"], low=row["low"], high=row["high"])
        for name, sel in several.items()
        for measure, row in stability_table(as_selections(sel), measures, level=level, similarity=similarity).iterrows()
    ]


def _has_scale(measure: str) -> bool:
    """Whether 1 is the steadiest value, as it is of most measures."""
    record = get_measure(measure)
    return record.higher_is_steadier and record.bounds[1] == 1


def _is_corrected(measure: str) -> bool:
    return get_measure(measure).correction != "no"


def _order(rows: Sequence[Measured]) -> list[str]:
    """The measures: corrected ones first, and the larger values first."""
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row.measure, []).append(row.estimate)
    return sorted(values, key=lambda name: (not _is_corrected(name), -sum(values[name]) / len(values[name]), name))


def _data(rows: Sequence[Measured], places: Mapping[str, int]) -> pd.DataFrame:
    import pandas as pd

    cells = [
        (row.name, row.measure, places[row.measure], row.estimate, row.low, row.high, _is_corrected(row.measure))
        for row in rows
    ]
    # As objects: the text columns of pandas refuse halves of characters.
    return pd.DataFrame(cells, columns=list(COLUMNS), dtype=object).astype(KINDS)


def _note(rows: Sequence[Measured], shown: Sequence[Measured], level: float) -> str:
    said = [] if isnan(level) else [f"Lines: {percent(level)} intervals."]
    said.append("Measures that are not corrected for chance are not 0 for random selections.")
    undefined = len({row.measure for row in rows if isnan(row.estimate)} - {row.measure for row in shown})
    if undefined:
        said.append(f"Undefined, so left out: {counted(undefined, 'measure')}.")
    other = len({row.measure for row in rows if not (isnan(row.estimate) or _has_scale(row.measure))})
    if other:
        said.append(f"Left out, because 1 is not their steadiest value: {counted(other, 'measure')}.")
    selectors = len({row.name for row in rows})
    if selectors > MOST_TOLD_APART:
        said.append(f"The first {MOST_TOLD_APART} of {counted(selectors, 'selector')}.")
    return " ".join(said)


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
    selectors = list(dict.fromkeys(data["selector"]))
    kinds = {True: "Corrected for chance", False: "Not corrected for chance"}
    panels = [
        _panel(alt, data[data["corrected"] == kind], selectors).properties(title=heading(alt, "", words))
        for kind, words in kinds.items()
        if (data["corrected"] == kind).any()
    ]
    return alt.vconcat(*panels, spacing=18).resolve_scale(x="shared")


def _panel(alt: Any, data: pd.DataFrame, selectors: Sequence[str]) -> Any:
    several = len(selectors) > 1
    data = data.assign(words=[name.replace("_", " ") for name in data["measure"]])
    colour, shape = told_apart(alt, "selector", selectors)
    axis = alt.Axis(labelLimit=LONGEST_NAME, ticks=False, domain=False, grid=True)
    base = alt.Chart(data).encode(
        y=alt.Y("words:N", sort=alt.SortField("place"), title=None, axis=axis),
        color=colour,
        tooltip=[
            *(["selector"] if several else []),
            alt.Tooltip("words", title="measure"),
            *(alt.Tooltip(end, format=".3f") for end in ("estimate", "low", "high")),
        ],
        **({"yOffset": alt.YOffset("selector:N", sort=list(selectors))} if several else {}),
    )
    x = alt.X("estimate:Q", title="value (1: the same features in every run)", scale=alt.Scale(zero=True))
    lines = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q"), x2="high:Q")
    points = base.mark_point(filled=True, size=45, opacity=1).encode(x=x, shape=shape)
    ends = alt.Chart(alt.Data(values=[{"x": 0}, {"x": 1}])).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x="x:Q")
    step = {"step": max(18, 7 * len(selectors) + 6), "for": "position"}
    return alt.layer(ends, lines, points).properties(width=380, height=step)


def _seen(data: pd.DataFrame) -> str:
    low, high = foremost(data, "estimate", least=True), foremost(data, "estimate")
    return (
        f"Stability by {counted(data['measure'].nunique(), 'measure')}: from {number(low['estimate'])} "
        f"({low['measure']}{_of(low)}) to {number(high['estimate'])} ({high['measure']}{_of(high)})."
    )


def _of(row: Mapping[str, Any]) -> str:
    return f" of {row['selector']}" if row["selector"] else ""


register_picture(
    "stability_by_measure",
    stability_by_measure,
    title="What each measure says",
    needs=("measures",),
    place=70,
)
