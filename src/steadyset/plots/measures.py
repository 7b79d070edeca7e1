"""Whether another measure would say something else: the stability by each, and each two against each other."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.assessment import Assessment
from steadyset.findings import Findings
from steadyset.findings.parts import Measured
from steadyset.foundation.arguments import LEVEL, check_level, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import DASH, counted, number, percent
from steadyset.inference.table import stability_table
from steadyset.kernels.arrays import Floats
from steadyset.measures.evaluate import Options, chosen_measures, estimates, has_needs, require_needs, require_two
from steadyset.measures.record import Measure, get_family, get_measure
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import Picture
from steadyset.selections import Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.findings.parts import ResultLike
    from steadyset.similarity import FeatureSimilarity

BY_MEASURE_COLUMNS = "selector measure: text; place: int; estimate low high: float; corrected: bool"


@picture(title="What each measure says", needs=("measures",), place=30)
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
    selectors = list(dict.fromkeys(row.name for row in rows))[: grammar.MOST_TOLD_APART]
    known = [row for row in rows if not isnan(row.estimate) and _has_scale(row.measure)]
    shown = [row for row in known if row.name in selectors]
    places = {name: place for place, name in enumerate(_order(shown))}
    points = [
        (row.name, row.measure, places[row.measure], row.estimate, row.low, row.high, _is_corrected(row.measure))
        for row in shown
    ]
    sure = result.level if isinstance(result, Findings) else level
    return grammar.pictured(points, BY_MEASURE_COLUMNS, _by_measure_drawn, _note(rows, shown, sure), _by_measure_seen)


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
    values = {one.measure: [row.estimate for row in rows if row.measure == one.measure] for one in rows}
    return sorted(values, key=lambda name: (not _is_corrected(name), -sum(values[name]) / len(values[name]), name))


def _note(rows: Sequence[Measured], shown: Sequence[Measured], level: float) -> str:
    undefined = len({row.measure for row in rows if isnan(row.estimate)} - {row.measure for row in shown})
    other = len({row.measure for row in rows if not (isnan(row.estimate) or _has_scale(row.measure))})
    selectors = len({row.name for row in rows})
    return grammar.noted(
        (not isnan(level), f"Lines: {percent(level)} intervals."),
        (True, "Measures that are not corrected for chance are not 0 for random selections."),
        (undefined, f"Undefined, so left out: {counted(undefined, 'measure')}."),
        (other, f"Left out, because 1 is not their steadiest value: {counted(other, 'measure')}."),
        (
            selectors > grammar.MOST_TOLD_APART,
            f"The first {grammar.MOST_TOLD_APART} of {counted(selectors, 'selector')}.",
        ),
    )


def _by_measure_drawn(alt: Any, data: pd.DataFrame) -> Any:
    selectors = list(dict.fromkeys(data["selector"]))
    kinds = {True: "Corrected for chance", False: "Not corrected for chance"}
    panels = [
        _panel(alt, data[data["corrected"] == kind], selectors).properties(title=grammar.heading(alt, "", words))
        for kind, words in kinds.items()
        if (data["corrected"] == kind).any()
    ]
    return alt.vconcat(*panels, spacing=18).resolve_scale(x="shared")


def _panel(alt: Any, data: pd.DataFrame, selectors: Sequence[str]) -> Any:
    several = len(selectors) > 1
    data = data.assign(words=[name.replace("_", " ") for name in data["measure"]])
    colour, shape = grammar.told_apart(alt, "selector", selectors)
    axis = alt.Axis(labelLimit=grammar.LONGEST_NAME, ticks=False, domain=False, grid=True)
    told = [alt.Tooltip("words", title="measure"), *grammar.tips(alt, estimate=".3f", low=".3f", high=".3f")]
    y = alt.Y("words:N", sort=alt.SortField("place"), title=None, axis=axis)
    base = alt.Chart(data).encode(y=y, color=colour, tooltip=["selector", *told] if several else told)
    base = base.encode(yOffset=alt.YOffset("selector:N", sort=list(selectors))) if several else base
    x = alt.X("estimate:Q", title="value (1: the same features in every run)", scale=alt.Scale(zero=True))
    lines = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q"), x2="high:Q")
    points = base.mark_point(filled=True, size=45, opacity=1).encode(x=x, shape=shape)
    step = {"step": max(18, 7 * len(selectors) + 6), "for": "position"}
    return alt.layer(grammar.dashed(alt, 0, 1), lines, points).properties(width=380, height=step)


def _by_measure_seen(data: pd.DataFrame) -> str:
    low, high = grammar.foremost(data, "estimate", least=True), grammar.foremost(data, "estimate")
    return (
        f"Stability by {counted(data['measure'].nunique(), 'measure')}: from {number(low['estimate'])} "
        f"({low['measure']}{_of(low)}) to {number(high['estimate'])} ({high['measure']}{_of(high)})."
    )


def _of(row: Mapping[str, Any]) -> str:
    return f" of {row['selector']}" if row["selector"] else ""


MOST_MEASURES = 6
MOST_RUNS = 100  # of which all pairs are scored
BINS = 16
OF_RUNS = ("nogueira", "jaccard", "hamming", "davis", "pearson", "msi")
OF_PAIRS = ("phi", "jaccard", "hamming", "pog", "pearson", "msi")
AGREEMENT_COLUMNS = "x_measure y_measure point: text; x y: float; points: int; correlation: float"


@picture(
    title="Do the measures agree?",
    needs=("selections",),
    applies=lambda findings: len(findings.selections) > 2 or len(findings.selections) == 1,
    caption="One plot for each two measures; opposite stands Spearman's rank correlation.",
    report=False,
)
def measure_agreement(
    selections: Selections | Mapping[str, Selections] | Findings,
    measures: Sequence[str | Measure] | None = None,
    *,
    similarity: FeatureSimilarity | None = None,
) -> Picture:
    """A scatter plot for each two measures, with Spearman's rank correlation opposite.

    The points are the selectors where several are given by name, each with its stability; of one selector they are the
    pairs of its runs, each with its score, and the measures must be means over pairs. Many points are binned: the
    darker, the more of them.

    Parameters
    ----------
    selections : Selections, Mapping or Findings
        The runs, those of several selectors by name, or findings.
    measures : sequence of str or Measure, or None, default=None
        At most 6 measures; None takes some of different kinds.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"], ["TP53", "KRAS", "MYC"]], features=genes)
    >>> st.plot.measure_agreement(runs, ["jaccard", "phi"]).data[["point", "x", "y"]].round(2)
              point     x     y
    0  runs 1 and 2  0.33  0.17
    1  runs 1 and 3  0.67  0.67
    2  runs 2 and 3  0.25 -0.17
    """
    options = Options(similarity=similarity)
    procedures = grammar.runs_by_name(selections)
    if not procedures:
        raise InputError("There are no selections; at least one procedure is needed.")
    several = len(procedures) > 1
    records = _records(measures, procedures, options, OF_RUNS if several else OF_PAIRS)
    if several:
        points, said = list(procedures), "Each point is a selector."
        found = [[one.value for one in estimates(sel, records, options)] for sel in procedures.values()]
        values = np.array(found, dtype=np.float64)
    else:
        points, values, said = _of_pairs(next(iter(procedures.values())), records, options)
    order = [record.specification for record in records]
    rows, binned = _marks(order, points, values)
    undefined = [name for k, name in enumerate(order) if np.isnan(values[:, k]).any()]
    note = grammar.noted(
        (True, said),
        (binned, f"Binned: the darker, the more of {counted(len(values), 'point')}."),
        (undefined, f"Undefined for some, which are left out: {', '.join(undefined)}."),
        (True, "Opposite each plot: Spearman's rank correlation."),
    )
    return grammar.pictured(
        rows, AGREEMENT_COLUMNS, lambda alt, shown: _agreement_drawn(alt, shown, order, binned), note, _agreement_seen
    )


def _records(
    measures: Any, procedures: Mapping[str, Selections], options: Options, usual: Sequence[str]
) -> list[Measure]:
    every = list(procedures.values())
    if measures is None:
        return [one for one in chosen_measures(list(usual)) if all(has_needs(one, sel, options) for sel in every)]
    if isinstance(measures, str) or not isinstance(measures, Sequence) or not 2 <= len(measures) <= MOST_MEASURES:
        raise wrong_argument("measures", f"a list of 2 to {MOST_MEASURES} measures", measures)
    records = chosen_measures(list(measures))
    if len({record.specification for record in records}) < len(records):
        raise wrong_argument("measures", "a list of different measures", measures)
    for record in records:
        for sel in every:
            require_needs(record, sel, options)
    return records


def _of_pairs(sel: Selections, records: Sequence[Measure], options: Options) -> tuple[list[str], Floats, str]:
    """The scores of pairs of runs; of very many runs some, evenly spaced."""
    require_two(sel)
    if options.similarity is not None:
        options.similarity.check(sel)
    for record in records:
        if not get_family(record).over_pairs:
            raise InputError(f"{record.name} is no mean over pairs of runs; choose another, or give several selectors.")
    chosen = np.unique(np.linspace(0, sel.n_runs - 1, min(sel.n_runs, MOST_RUNS)).astype(np.int64))
    some = sel.take(chosen)
    i, j = np.triu_indices(len(chosen), 1)
    scores = [get_family(record).pair_scores(some, record, options) for record in records]
    values = np.column_stack([(table[i, j] + table[j, i]) / 2 for table in scores])
    names = [f"runs {chosen[a] + 1} and {chosen[b] + 1}" for a, b in zip(i, j, strict=True)]
    part = f" of {len(chosen)} evenly spaced runs of {sel.n_runs}" if len(chosen) < sel.n_runs else ""
    return names, values, f"Each point is a pair of runs{part}."


def _marks(measures: Sequence[str], points: Sequence[str], values: Floats) -> tuple[list[tuple[Any, ...]], bool]:
    """One row per mark of each plot: a point, or a cell of the bins with its number of points; whether these are."""
    n_plots = len(measures) * (len(measures) - 1) // 2
    binned = len(values) * max(1, n_plots) > grammar.MOST_MARKS
    rows: list[tuple[Any, ...]] = []
    for a, b in itertools.combinations(range(len(measures)), 2):
        known = np.flatnonzero(~np.isnan(values[:, [a, b]]).any(axis=1))
        x, y = values[known, a], values[known, b]
        related = _rank_correlation(x, y)
        if binned and len(x):  # the middles of the cells that have points, and how many each has
            counts, across, up = np.histogram2d(x, y, BINS)
            i, j = np.nonzero(counts)
            middles = (across[i] + across[i + 1]) / 2, (up[j] + up[j + 1]) / 2
            marks = [("", *mark) for mark in zip(*middles, counts[i, j].astype(np.int64), strict=True)]
        else:
            marks = [(points[int(k)], values[k, a], values[k, b], 1) for k in known]
        rows += [(measures[a], measures[b], *mark, related) for mark in marks]
    return rows, binned


def _rank_correlation(x: Floats, y: Floats) -> float:
    """Spearman's; nan where one of them is constant."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    from scipy.stats import rankdata

    return float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])


def _agreement_drawn(alt: Any, data: pd.DataFrame, measures: Sequence[str], binned: bool) -> Any:
    side = max(80, min(160, 560 // max(1, len(measures))))
    last = len(measures) - 1
    rows = []
    for b, below in enumerate(measures):
        row = []
        for a, beside in enumerate(measures):
            x, y = (beside, below) if a < b else (below, beside)
            part = data[(data["x_measure"] == x) & (data["y_measure"] == y)]
            if a < b:
                chart = _plot(alt, part, beside if b == last else None, below if a == 0 else None, binned)
            else:
                related = number(float(part["correlation"].iloc[0])) if len(part) else DASH
                text, weight, colour = (below, "bold", grammar.INK) if a == b else (related, "normal", grammar.MUTED)
                chart = alt.Chart(alt.Data(values=[{"text": text}])).encode(text="text:N")
                chart = chart.mark_text(fontSize=12, fontWeight=weight, color=colour)
            row.append(chart.properties(width=side, height=side))
        rows.append(alt.hconcat(*row, spacing=8, bounds="flush"))
    return alt.vconcat(*rows, spacing=8)


def _plot(alt: Any, part: pd.DataFrame, x_title: str | None, y_title: str | None, binned: bool) -> Any:
    def axis(title: str | None) -> dict[str, Any]:
        shown = {"labels": title is not None, "ticks": title is not None, "tickCount": 3, "format": ".3~g"}
        look = alt.Axis(**shown, domainColor=grammar.RULE, labelFlush=True, labelOverlap="greedy")
        return {"title": title, "scale": alt.Scale(zero=False, nice=False, padding=6), "axis": look}  # no point is cut

    chart = alt.Chart(part)
    where = {"x": alt.X("x:Q", **axis(x_title)), "y": alt.Y("y:Q", **axis(y_title))}
    if not binned:
        told = grammar.tips(alt, "point:N", x=".3f", y=".3f")
        return chart.mark_circle(size=28, color=grammar.STEADY, opacity=0.6).encode(**where, tooltip=told)
    shade = alt.Color("points:Q", scale=alt.Scale(type="quantile", range=list(grammar.SHADES[1:])), legend=None)
    return chart.mark_square(size=30, opacity=1).encode(**where, color=shade, tooltip=["points:Q"])


def _agreement_seen(data: pd.DataFrame) -> str:
    measures = len({*data["x_measure"], *data["y_measure"]})
    known = data["correlation"].dropna()
    ranks = f"from {number(known.min())} to {number(known.max())}" if len(known) else "undefined"
    return f"{counted(measures, 'measure')} against each other; their rank correlations are {ranks}."
