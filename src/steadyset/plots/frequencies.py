"""What runs select: how often each feature and how sure that is, which ones steady cores share, and which run what.

Steady selections are full columns of the last picture, unsteady ones are dust.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation import arguments
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed, number, p_equals, percent
from steadyset.inference.features import wilson
from steadyset.inference.instability import MOST_CLUSTERED, MOST_GROUPED, RunGroups, run_groups, similar_order
from steadyset.inference.runs import in_core, steady_core
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.evaluate import check_similarity
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import SELECTIONS, picture
from steadyset.plots.drawing import LETTERS
from steadyset.plots.picture import Picture
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

    from steadyset.similarity import FeatureSimilarity

FREQUENCY_COLUMNS = "selector feature: text; place selected runs: int; frequency low high: float; steady: bool"
IN_CORE = f"datum.selected >= ceil({grammar.CORE_SHARE} * datum.runs - 1e-9)"  # as `in_core` counts
MARKS = 3  # of each feature: a bar, its interval, and what sets that off


@picture(
    title="How often each feature is selected",
    needs=("selections",),
    draws=lambda result: isinstance(result, Selections),
    place=78,
)
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
    if isinstance(selections, Findings):
        core = selections.core if core is None else core
        level = selections.level if level is None else level
    share, sure = arguments.CORE if core is None else core, arguments.LEVEL if level is None else level
    arguments.check_core(share)
    arguments.check_level(sure)
    arguments.check_integer("top", top, least=1)
    several = grammar.runs_by_name(selections)
    top = max(1, min(top, grammar.MOST_MARKS // (MARKS * max(1, len(several)))))
    rows = [row for name, sel in several.items() for row in _rows(name, sel, top, share, sure)]
    written = grammar.distinct_names([*(name for name, *_ in rows), *several])
    ever = {written[name]: int((sel.counts > 0).sum()) for name, sel in several.items()}

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        panels = [_panel(alt, shown, name, n, top) for name, n in ever.items()]
        return alt.concat(
            *panels, columns=2, spacing=28, params=[alt.param(name=grammar.CORE_SHARE, value=share).param]
        )

    note = f"Strong: in at least {percent(share)} of the runs (dashed line). Thin lines: {percent(sure)} intervals."
    return grammar.pictured(rows, FREQUENCY_COLUMNS, draw, note, _frequency_seen)


def _rows(name: str, sel: Selections, top: int, core: float, level: float) -> list[tuple[Any, ...]]:
    order = np.argsort(-sel.counts, kind="stable")[:top]
    order = order[sel.counts[order] > 0]
    low, high = wilson(sel.counts[order], sel.n_runs, level) if len(order) else (order, order)
    shares = zip(sel.frequencies[order], low, high, in_core(sel, core)[order], strict=True)
    return [
        (name, sel.features[f], place, sel.counts[f], sel.n_runs, *share)
        for place, (f, share) in enumerate(zip(order, shares, strict=True))
    ]


def _panel(alt: Any, data: pd.DataFrame, name: str, n_ever: int, top: int) -> Any:
    features = counted(n_ever, "selected feature")
    said = f"The {top} most frequent of {features}" if n_ever > top else f"All {features}" if n_ever > 1 else features
    told = grammar.tips(alt, "feature", frequency=(".0%", "share of the runs"), low=(".0%", "from"), high=(".0%", "to"))
    told.append(alt.Tooltip("selected", title="runs that select it"))
    base = alt.Chart(data[data["selector"] == name], title=grammar.heading(alt, name, said))
    base = base.encode(y=grammar.names(alt, "feature", "place"), tooltip=told)
    often = grammar.shares(alt, "frequency", "share of the runs", stack=None)
    bars = base.mark_bar(height=9).encode(
        x=often, color=grammar.either(alt, "Color", IN_CORE, grammar.STEADY, grammar.PALE)
    )
    around, intervals = grammar.over_bars(alt, base)
    share = alt.XDatum(alt.ExprRef(grammar.CORE_SHARE), type="quantitative")
    rule = alt.Chart(alt.Data(values=[{}])).mark_rule(color=grammar.MUTED, strokeDash=[3, 3]).encode(x=share)
    return (bars + rule + around + intervals).properties(width=260, height=alt.Step(14))


def _frequency_seen(data: pd.DataFrame) -> str:
    """What is selected most often, and how many are steady."""
    first = grammar.foremost(data, "frequency")
    steady = data[data["steady"]].groupby("selector", sort=False).size()
    counts = {name: int(steady.get(name, 0)) for name in dict.fromkeys(data["selector"])}
    cores = listed([f"{n} of {name}" if name else str(n) for name, n in counts.items()], 5)
    whose = f" of {first['selector']}" if first["selector"] else ""
    often = percent(round(float(first["frequency"]), 2))
    return f"Most often selected is {first['feature']} ({often} of the runs{whose}); steady are {cores}."


MOST_INTERSECTIONS = 40
MOST_SELECTORS = 30
FEW = 12  # columns: so many have room for upright numbers
NAMED = 5  # features in a tooltip
OVERLAP_COLUMNS = "intersection features: int; named selector: text; row: int; inside: bool; core: int"


@picture(
    title="Which features the steady cores share",
    needs=("cores",),
    applies=lambda findings: sum(bool(one.features) for one in findings.cores) > 1,
    caption="Each column counts the features in the cores of exactly the selectors with a filled dot.",
    place=79,
)
def core_overlap(
    selections: Mapping[str, Selections] | Findings, *, core: float | None = None, top: int = MOST_INTERSECTIONS
) -> Picture:
    """Which features are in the steady core of exactly which selectors: bars of their numbers above a table of dots.

    Each column is a set of selectors (filled dots) and counts the features in all their cores and in no other one, the
    largest first; each feature of a core is counted once.

    Parameters
    ----------
    selections : Mapping or Findings
        The runs of several selectors by name, or findings.
    core : float or None, default=None
        The share of the runs from which a feature is in the steady core; None is that of the findings, else 0.9.
    top : int, default=40
        How many columns are shown at most; one column of a journal has room for some 15.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    References
    ----------
    Lex et al. 2014.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> picture = st.plot.core_overlap({
    ...     "lasso": st.Selections.from_sets([["TP53", "KRAS"]] * 5, features=genes),
    ...     "forest": st.Selections.from_sets([["TP53", "MYC"]] * 5, features=genes),
    ... })
    >>> picture.data.query("inside")[["named", "selector"]].to_dict("tight")["data"]
    [['TP53', 'lasso'], ['TP53', 'forest'], ['KRAS', 'lasso'], ['MYC', 'forest']]
    """
    arguments.check_integer("top", top, least=1, most=MOST_INTERSECTIONS)
    share, cores = _cores(selections, core)
    largest = sorted(cores, key=lambda name: -len(cores[name]))[:MOST_SELECTORS]
    shown = {name: cores[name] for name in largest}
    together = _intersections(shown)
    rows = [
        (place, len(features), listed(features, NAMED), name, row, name in members, len(cores[name]))
        for place, (members, features) in enumerate(together[:top])
        for row, name in enumerate(shown)
    ]
    every = f"Features in at least {percent(share)} of the runs, counted once each."
    none = f"No selector has a feature in at least {percent(share)} of its runs."
    smaller = together[top:]
    left = counted(sum(len(features) for _, features in smaller), "feature")
    note = grammar.noted(
        (True, every if together else none),
        (len(shown) < len(cores), f"The {len(shown)} largest cores of {counted(len(cores), 'selector')}."),
        (smaller, f"Left out: {counted(len(smaller), 'smaller set')} with {left} in all."),
    )
    return grammar.pictured(rows, OVERLAP_COLUMNS, _drawn, note, _overlap_seen)


def _cores(selections: Any, core: float | None) -> tuple[float, dict[str, list[str]]]:
    """The share of the runs that makes a core, and the core of each selector."""
    if isinstance(selections, Findings):
        if core is None or core == selections.core:
            return selections.core, {one.name: list(one.features) for one in selections.cores}
        selections = selections.selections
    share = arguments.CORE if core is None else core
    arguments.check_core(share)
    if not isinstance(selections, Mapping):
        raise arguments.wrong_argument(
            "selections", "Selections by the name of their selector, or findings", selections
        )
    if not selections:
        raise InputError("There are no selections; at least one procedure is needed.")
    return share, {str(name): steady_core(as_selections(one), share) for name, one in selections.items()}


def _intersections(cores: Mapping[str, list[str]]) -> list[tuple[tuple[str, ...], list[str]]]:
    """(selectors, the features in exactly their cores), most features first, then most selectors."""
    members: dict[str, tuple[str, ...]] = {}
    for name, features in cores.items():
        for feature in features:
            members[feature] = (*members.get(feature, ()), name)
    found: dict[tuple[str, ...], list[str]] = {}
    for feature, who in members.items():
        found.setdefault(who, []).append(feature)
    return sorted(found.items(), key=lambda one: (-len(one[1]), -len(one[0])))


def _drawn(alt: Any, data: pd.DataFrame) -> Any:
    """One frame for all parts: the page of a report puts that of another share in its place."""
    x = alt.X("intersection:O", axis=None)
    n_columns = data["intersection"].nunique()
    step = alt.Step(max(14, min(26, 520 // max(1, n_columns))))
    above = _numbers(alt, data, x, n_columns > FEW).properties(width=step, height=130)
    dots = _dots(alt, data, x, 36 if n_columns > FEW else 70).properties(width=step, height=alt.Step(18))
    beside = _sizes(alt, data).properties(width=90, height=alt.Step(18))
    return alt.vconcat(above, alt.hconcat(dots, beside, spacing=14), spacing=6)


def _bare(alt: Any) -> Any:
    """The axis of bars that have their numbers beside them."""
    return alt.Axis(labels=False, ticks=False, grid=False, domain=False)


def _numbers(alt: Any, data: pd.DataFrame, x: Any, turned: bool) -> Any:
    """How many features are in exactly these cores."""
    y = alt.Y("features:Q", title="features", axis=_bare(alt))
    bars = alt.Chart(data).transform_filter("datum.row == 0").encode(x=x, y=y, tooltip=_tips(alt))
    way = {"angle": 270, "align": "left", "dx": 4} if turned else {"dy": -6}
    return bars.mark_bar(color=grammar.STEADY) + bars.mark_text(color=grammar.INK, fontSize=10, **way).encode(
        text="features:Q"
    )


def _dots(alt: Any, data: pd.DataFrame, x: Any, size: int) -> Any:
    """Which cores these are; a line joins them."""
    y = grammar.names(alt, "selector", "row")
    inside = alt.Chart(data).transform_filter("datum.inside")
    ends = inside.transform_aggregate(from_row="argmin(row)", to_row="argmax(row)", groupby=["intersection"])
    first = {"selector": "datum.from_row.selector", "row": "datum.from_row.row"}
    ends = ends.transform_calculate(**first, last="datum.to_row.selector")
    tips = ["selector:N", *_tips(alt)]
    every = alt.Chart(data).mark_circle(size=size, color=grammar.RULE, opacity=1).encode(x=x, y=y, tooltip=tips)
    joined = ends.mark_rule(color=grammar.STEADY, strokeWidth=2).encode(x=x, y=y, y2="last:N")
    chosen = inside.mark_circle(size=size, color=grammar.STEADY, opacity=1).encode(x=x, y=y, tooltip=tips)
    return every + joined + chosen


def _sizes(alt: Any, data: pd.DataFrame) -> Any:
    """How large each core is."""
    x = alt.X("core:Q", stack=None, title="features in the core", axis=_bare(alt))
    y = alt.Y("selector:N", sort=alt.SortField("row"), axis=None)
    bars = alt.Chart(data).transform_filter("datum.intersection == 0").encode(x=x, y=y)
    text = bars.mark_text(align="left", dx=3, color=grammar.MUTED, fontSize=10).encode(text="core:Q")
    return bars.mark_bar(color=grammar.PALE, height=10) + text


def _tips(alt: Any) -> list[Any]:
    return [alt.Tooltip("features:Q"), alt.Tooltip("named:N", title="such as")]


def _overlap_seen(data: pd.DataFrame) -> str:
    """The largest set of features, and whose cores it is in."""
    sets = data.drop_duplicates("intersection")
    first = grammar.foremost(sets, "features")
    inside = data[(data["intersection"] == first["intersection"]) & data["inside"]]
    return (
        f"{counted(data['selector'].nunique(), 'steady core')} in {counted(len(sets), 'set')}; the largest has "
        f"{counted(int(first['features']), 'feature')}, in the core of {listed(inside['selector'].tolist(), 5)} alone."
    )


MOST_ROWS = 400
NAMED_RUNS = 5
RUN_COLUMNS = "row: int; run: text; runs group: int; feature: text; place: int; share: float"


@picture(
    title="Which run selected what",
    takes=SELECTIONS,
    caption="One row per run, one column per feature. Similar runs and features that the same runs select stand "
    "together. Steady selections are full columns.",
    place=80,
)
def runs_by_features(
    selections: RunsLike,
    *,
    top: int = MOST_GROUPED,
    clustered: bool = True,
    similarity: FeatureSimilarity | None = None,
) -> Picture:
    """A mark for each of the most frequent features that a run selected; similar runs and features stand together.

    Runs that agree among themselves, more than with others, form groups, which have colours. Where there would be more
    than 5,000 marks or 400 rows, neighbouring runs share a row: `share` says how many of its runs selected the feature,
    and the mark is as dark. The picture says so.

    Parameters
    ----------
    selections : Selections, array-like, Mapping or Findings
        The runs of one selector, or what `Selections.from_matrix` takes.
    top : int, default=60
        How many features are shown, the most frequent.
    clustered : bool, default=True
        Whether similar runs and similar features stand together; otherwise runs stand in their order, and features by
        frequency.
    similarity : FeatureSimilarity or None, default=None
        Which features are similar; with None those that the same runs select.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> genes = ["TP53", "KRAS", "EGFR", "MYC", "CDK1"]
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"], ["TP53", "KRAS"]], features=genes)
    >>> st.plot.runs_by_features(runs, clustered=False).data[["run", "group", "feature"]].head(3)
      run  group feature
    0   1      1    TP53
    1   1      1    KRAS
    2   2      1    TP53
    """
    arguments.check_integer("top", top, least=1)
    arguments.check_flag("clustered", clustered)
    if similarity is not None:
        check_similarity(similarity)
    sel = as_selections(selections)
    if similarity is not None:
        similarity.check(sel)
    shown = np.argsort(-sel.counts, kind="stable")[: min(top, grammar.MOST_MARKS)]
    shown = shown[sel.counts[shown] > 0]
    chosen = sel.to_matrix()[:, shown].astype(np.float64)  # runs x shown features
    alone = RunGroups(np.arange(sel.n_runs), np.ones(sel.n_runs, dtype=np.int64))
    groups = run_groups(chosen) if clustered else alone
    if clustered and len(shown) > 2:
        order = _feature_order(chosen, None if similarity is None else similarity.block(shown, shown))
        shown, chosen = shown[order], chosen[:, order]
    rows = _run_rows(chosen, groups)
    note = _runs_note(sel, len(shown), rows, groups, clustered)

    def draw(alt: Any, frame: pd.DataFrame) -> Any:
        return _runs_drawn(alt, frame, len(shown), rows, groups)

    return grammar.pictured(_marks(sel, shown, rows), RUN_COLUMNS, draw, note, _runs_seen)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of the picture: which runs each holds, and of which group they are."""

    runs: Sequence[Ints]
    group: Sequence[int]
    counts: Floats  # rows x shown features

    @property
    def together(self) -> int:
        return max((len(runs) for runs in self.runs), default=1)

    @property
    def are_alike(self) -> bool:
        """Whether all runs select the same of the shown features."""
        sizes = np.array([len(runs) for runs in self.runs])
        return bool((self.counts == sizes[:, None]).all() or not self.counts.any())


def _feature_order(chosen: sparse.csr_array, similarities: Floats | None) -> Ints:
    """Similar features together, the end with the more frequent ones first."""
    counts = chosen.sum(axis=0)
    if similarities is None:
        shared = (chosen.T @ chosen).toarray()
        similarities = shared / (counts[:, None] + counts - shared)
    distances = np.clip(1 - (similarities + similarities.T) / 2, 0, None)
    np.fill_diagonal(distances, 0)
    order = similar_order(distances)[1]
    weights, half = counts[order], len(order) // 2
    return order[::-1] if weights[:half].sum() < weights[-half:].sum() else order


def _run_rows(chosen: sparse.csr_array, groups: RunGroups) -> _Rows:
    """Neighbours in the order share a row where there are too many runs; rows never mix groups."""
    n_runs, n_shown = chosen.shape
    most = MOST_ROWS if chosen.nnz <= grammar.MOST_MARKS else min(MOST_ROWS, grammar.MOST_MARKS // n_shown)
    together = -(-n_runs // max(1, most))
    runs: list[Ints] = []
    for group in range(1, groups.n_groups + 1):
        members = groups.order[groups.group[groups.order] == group]
        runs += [members[i : i + together] for i in range(0, len(members), together)]
    counts = np.array([chosen[members].sum(axis=0) for members in runs]).reshape(len(runs), n_shown)
    return _Rows(runs, [int(groups.group[members[0]]) for members in runs], counts)


def _marks(sel: Selections, shown: Ints, rows: _Rows) -> list[tuple[Any, ...]]:
    named = [listed([str(run + 1) for run in np.sort(runs)], NAMED_RUNS) for runs in rows.runs]
    size, names = [len(runs) for runs in rows.runs], [sel.features[f] for f in shown]
    return [
        (row + 1, named[row], size[row], rows.group[row], names[place], place, rows.counts[row, place] / size[row])
        for row, place in zip(*np.nonzero(rows.counts), strict=True)
    ]


def _runs_note(sel: Selections, n_shown: int, rows: _Rows, groups: RunGroups, clustered: bool) -> str:
    ever = int((sel.counts > 0).sum())
    differ = (
        f"{groups.n_groups} groups of runs: two runs of the same group share more of these features (mean Jaccard "
        f"similarity {number(groups.within)}) than two of different groups ({number(groups.between)}), more so "
        f"than runs with these sizes and frequencies of features do by chance ({p_equals(groups.p_value)})."
    )
    many = f"More than {MOST_CLUSTERED:,} runs are not grouped; they stand in the order of their leading component."
    together = f"Each row is up to {rows.together} runs: the darker, the more of them select the feature."
    alike = clustered and groups.clustered and groups.n_groups == 1 and sel.n_runs > 2
    return grammar.noted(
        (n_shown < ever, f"The {n_shown} most frequent of {ever} selected features."),
        (rows.together > 1, together),
        (groups.n_groups > 1, differ),
        (not rows.are_alike and not groups.clustered, many),
        (not rows.are_alike and alike, "No groups of runs stand out; similar runs stand together."),
    )


def _runs_drawn(alt: Any, data: pd.DataFrame, n_features: int, rows: _Rows, groups: RunGroups) -> Any:
    n_rows, several = len(rows.runs), rows.together > 1
    step = max(1.5, min(16.0, 360 / max(1, n_rows)))
    named = not several and step >= LETTERS - 3
    sizes = np.bincount(groups.group)[1:]
    labels = [f"{place + 1}: {counted(int(size), 'run')}" for place, size in enumerate(sizes)]
    options: dict[str, Any] = {}
    if several:
        options["opacity"] = alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None)
    if len(labels) > 1:
        data = data.assign(shown_group=[labels[group - 1] for group in data["group"]])
        scale = alt.Scale(domain=labels, range=list(grammar.CATEGORIES[: len(labels)]))
        options["color"] = alt.Color("shown_group:N", scale=scale, title="group of runs")
    runs = "runs" if several else "run"
    run_of_row = f"{[int(runs[0]) + 1 for runs in rows.runs]}[datum.value - 1]"
    axis = alt.Axis(labelAngle=-60, labelLimit=120, labelOverlap=n_features > 60, ticks=False)
    x = alt.X("feature:N", sort=alt.SortField("place"), title=None, axis=axis)
    rows_told = alt.Axis(**({"labelExpr": run_of_row} if named else {"labels": False}), ticks=False, domain=False)
    every = alt.Scale(domain=list(range(1, n_rows + 1)))  # also runs that selected nothing
    y = alt.Y("row:O", scale=every, title="runs", axis=rows_told)
    tooltip = [alt.Tooltip("run", title=runs), *grammar.tips(alt, "feature", share=(".0%", "share of the runs"))]
    chart = alt.Chart(data).encode(x=x, y=y, tooltip=tooltip, **options)
    marks = chart.mark_rect(
        aria=False, **({} if len(labels) > 1 else {"color": grammar.STEADY})
    )  # too many to be read aloud
    return marks.properties(width=alt.Step(max(6, min(24, 720 // max(1, n_features)))), height=alt.Step(step))


def _runs_seen(data: pd.DataFrame) -> str:
    most = data.groupby("feature", sort=False)["share"].sum()
    return (
        f"{counted(data['row'].nunique(), 'row')} of runs by {counted(data['feature'].nunique(), 'feature')}, in "
        f"{counted(data['group'].nunique(), 'group')} of runs; {most.idxmax()} is selected most often."
    )
