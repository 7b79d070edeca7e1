"""The importance that runs give to features: how each run shares it out, and what two runs share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import check_integer
from steadyset.foundation.text import counted, number, percent
from steadyset.inference.features import alike_features, numbered_groups
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.weights import Rows, shared_importance, weight_rows
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import SELECTIONS, picture
from steadyset.plots.picture import Picture
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

MOST_ROWS = 100
NO_WEIGHTS = "Without weights the selected features of a run are equally important."
MAP_COLUMNS = "run last: int; group: text; place: int; feature: text; start end share: float"


@picture(
    title="How each run shares out its importance",
    takes=SELECTIONS,
    caption="One bar per run; similar features have one colour. Steady runs show the same colours at the same widths.",
    report=False,
)
def stability_map(
    selections: RunsLike, similarity: FeatureSimilarity | None = None, *, top: int = len(grammar.CATEGORIES)
) -> Picture:
    """A bar for each run, cut into the shares of its importance; similar features have one colour.

    Steady runs show the same colours at the same widths, even where they select different features of a group. The
    importance of a feature is its absolute weight; without weights the selected features of a run are equally
    important.

    Parameters
    ----------
    selections : Selections, array-like, Mapping or Findings
        The runs of one selector, or what `Selections.from_matrix` takes.
    similarity : FeatureSimilarity or None, default=None
        Which features share a colour; with None each has its own.
    top : int, default=7
        How many groups, those with the largest mean share, have a colour of their own (7 at most, which everybody can
        tell apart); all others are grey.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    References
    ----------
    Hamer and Dupont 2021, figures 1, 2 and 4.

    Examples
    --------
    >>> import steadyset as st
    >>> runs = st.Selections.from_weights([[3.0, 0.0, 1.0], [0.0, 2.0, 2.0]], features=["CDK1", "CCNB1", "TP53"])
    >>> st.plot.stability_map(runs).data["share"].round(2).tolist()
    [0.75, 0.25, 0.5, 0.5]
    """
    check_integer("top", top, least=1, most=len(grammar.CATEGORIES))
    sel = as_selections(selections)
    rows = weight_rows(sel).positive()
    shares = rows.values / rows.sums(rows.values)[rows.runs]
    mean = np.bincount(rows.indices, shares, sel.n_features) / max(1, sel.n_runs)
    groups = _groups(sel, similarity, mean)
    found, where = np.unique(groups[mean > 0], return_inverse=True)
    order = found[np.argsort(-np.bincount(where, mean[mean > 0], len(found)), kind="stable")[:top]]
    names = []
    for group in order:
        members = np.flatnonzero(groups == group)
        best = sel.features[members[np.argmax(mean[members])]]
        names.append(best if len(members) == 1 else f"{best} ({len(members)} alike)")
    n_grey = int((~np.isin(groups[mean > 0], order)).sum())
    together = -(-sel.n_runs // MOST_ROWS)
    note = grammar.noted(
        (similarity is not None, "Each colour is a feature or a group of similar features."),
        (n_grey, f"Grey: {counted(n_grey, 'other selected feature')}."),
        (together > 1, f"Each bar is the mean of {together} runs."),
        (sel.weights is None, NO_WEIGHTS),
    )
    segments = _segments(sel, rows, shares, groups, order, names, together)

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return _map_drawn(alt, shown, sel.n_runs, together, len(order))

    return grammar.pictured(segments, MAP_COLUMNS, draw, note, _map_seen)


def _groups(sel: Selections, similarity: FeatureSimilarity | None, mean: Floats) -> Ints:
    """A number for each feature; alike features have the same one."""
    alone = np.arange(sel.n_features)
    if similarity is None:
        return alone
    numbers = numbered_groups(alike_features(similarity, {"": sel}), np.argsort(-mean, kind="stable"))
    return np.where(numbers > 0, sel.n_features + numbers, alone)


def _segments(
    sel: Selections, rows: Rows, shares: Floats, groups: Ints, order: Ints, names: list[str], together: int
) -> Iterable[tuple[Any, ...]]:
    """One row per segment of a bar. Runs that share a bar, and grey features, are added up."""
    place = np.full(sel.n_features, len(order))
    for k, group in enumerate(order):
        place[groups == group] = k
    single = together == 1 and len(rows.indices) <= grammar.MOST_MARKS
    within = np.where(place[rows.indices] < len(order), rows.indices, -1) if single else np.full(len(rows.indices), -1)
    entries = np.column_stack([rows.runs // together, place[rows.indices], within])
    keys, where = np.unique(entries, axis=0, return_inverse=True)
    bar, part, feature = keys.T if len(keys) else np.empty((3, 0), np.int64)
    first = bar * together
    last = np.minimum(first + together, sel.n_runs)
    share = np.bincount(np.ravel(where), shares, len(keys)) / np.maximum(1, last - first)
    end = np.cumsum(share)
    end -= (np.concatenate([[0.0], end]))[np.searchsorted(bar, bar)] if len(bar) else 0.0
    labels = [*names, others_name(names)]
    groups_named = [labels[k] for k in part]
    features = [sel.features[f] if f >= 0 else "" for f in feature]
    return zip(first + 1, last, groups_named, part, features, end - share, end, share, strict=True)


def others_name(taken: list[str]) -> str:
    """What the features without a mark of their own are called: like none of those that have one."""
    name = "all others"
    while name in taken:
        name += " together"
    return name


def _map_drawn(alt: Any, data: pd.DataFrame, n_runs: int, together: int, n_coloured: int) -> Any:
    in_order = data.drop_duplicates("place").sort_values("place")
    palette = [grammar.CATEGORIES[k] if k < n_coloured else grammar.RULE for k in in_order["place"]]
    colours = dict(zip(in_order["group"], palette, strict=True))
    bars = [1 + first for first in range(0, n_runs, together)]
    several = ["last:Q"] if together > 1 else ["feature:N"]
    shares, axis = alt.Axis(format="%", tickCount=5), alt.Axis(labelOverlap=True, ticks=False)
    x = alt.X("start:Q", scale=alt.Scale(domain=[0, 1]), title="share of the run's importance", axis=shares)
    y = alt.Y("run:O", scale=alt.Scale(domain=bars), title="run", axis=axis)
    legend = {"title": None, "labelLimit": grammar.LONGEST_NAME, "symbolType": "square"}
    colour = grammar.coloured(alt, "group:N", colours, **legend)
    tooltip = grammar.tips(alt, "run:O", *several, "group:N", share=".1%")
    parts = alt.Chart(data).encode(x=x, x2="end:Q", y=y, color=colour, tooltip=tooltip)
    height = alt.Step(max(4, min(22, 500 // max(1, len(bars)))))
    return parts.mark_bar(stroke="white", strokeWidth=0.6).properties(width=460, height=height)


def _map_seen(data: pd.DataFrame) -> str:
    rows = data["run"].nunique()
    shares = data.groupby("group", sort=False)["share"].sum() / rows
    return (
        f"{counted(rows, 'bar')} of importance in {counted(len(shares), 'colour')}; the largest part, "
        f"{percent(round(float(shares.max()), 2))} on average: {shares.idxmax()}."
    )


STEPS = np.linspace(0, 1, 17)  # of a ribbon from left to right
THINNEST_NAMED = 0.035  # of the height: letters are as high
FLOW_COLUMNS = "feature_i feature_j: text; share similarity: float; same: bool; start_i end_i start_j end_j: float"


@picture(
    title="What two runs share",
    takes=SELECTIONS,
    caption="Importance that flows from the features of one run to the same or similar features of another.",
    report=False,
)
def importance_flow(
    selections: RunsLike,
    similarity: FeatureSimilarity,
    *,
    i: int = 0,
    j: int = 1,
    top: int = 20,
    thresholded: bool = False,
) -> Picture:
    """The exchange of importance behind msi between two runs, as ribbons.

    Each side is the importance of one run, cut into its features. A ribbon leads to the same feature or to a similar
    one in the other run, and is the paler the less similar they are; what is not similar at all has none. The sum of
    share x similarity is the msi of the two runs.

    Parameters
    ----------
    selections : Selections, array-like, Mapping or Findings
        The runs of one selector, or what `Selections.from_matrix` takes.
    similarity : FeatureSimilarity
        How similar the features are.
    i : int, default=0
        The first run, from 0.
    j : int, default=1
        The second run, from 0.
    top : int, default=20
        How many features of a run are shown; those beyond are put together.
    thresholded : bool, default=False
        Whether similarities below the threshold count as 0.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    References
    ----------
    Hamer and Dupont 2021, figure 3.

    Examples
    --------
    >>> import steadyset as st
    >>> runs = st.Selections.from_weights([[3.0, 0.0, 1.0], [0.0, 2.0, 2.0]], features=["CDK1", "CCNB1", "TP53"])
    >>> alike = st.FeatureSimilarity.from_groups(["cycle", "cycle", "guard"], features=["CDK1", "CCNB1", "TP53"])
    >>> st.plot.importance_flow(runs, alike).data[["feature_i", "feature_j", "share", "similarity"]]
      feature_i feature_j  share  similarity
    0      CDK1     CCNB1   0.50         1.0
    1      CDK1      TP53   0.25         0.0
    2      TP53      TP53   0.25         1.0
    """
    check_integer("top", top, least=1, most=60)
    sel = as_selections(selections)
    flows = shared_importance(sel, i, j, similarity, thresholded=thresholded)
    amount, alike = flows["amount"].to_numpy(), flows["similarity"].to_numpy()
    share = amount / amount.sum() if len(amount) else amount
    one, left, n_left = _sides(flows["feature_i"], share, top)
    other, right, n_right = _sides(flows["feature_j"], share, top)
    same = flows["feature_i"].to_numpy() == flows["feature_j"].to_numpy()
    rest = [f"{n} of run {run + 1}" for run, n in ((i, n_left), (j, n_right)) if n]
    note = grammar.noted(
        *((not sel.sizes[run], f"Run {run + 1} selects nothing.") for run in dict.fromkeys((i, j))),
        (len(share), f"Runs {i + 1} and {j + 1} share {number(float(share @ alike))} of their importance (msi)."),
        (rest, f"The least important features are put together: {' and '.join(rest)}."),
        (sel.weights is None, NO_WEIGHTS),
    )
    drawn = _flows(one, other, left, right, share, alike, same, n_right)

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return _flow_drawn(alt, shown, f"run {i + 1}", f"run {j + 1}")

    return grammar.pictured(drawn, FLOW_COLUMNS, draw, note, _flow_seen)


def _sides(features: Any, share: Floats, top: int) -> tuple[list[str], Ints, int]:
    """The features of a run, the most important first; to which each flow belongs; how many are put together."""
    names, where = np.unique(np.asarray(features, dtype=object), return_inverse=True)
    order = np.argsort(-np.bincount(where, share, len(names)), kind="stable")
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    n_together = len(names) - top if len(names) > top + 1 else 0
    kept = [str(names[k]) for k in order[: len(names) - n_together]]
    return [*kept, others_name(kept)] if n_together else kept, np.minimum(place[where], len(kept)), n_together


def _flows(
    one: list[str], other: list[str], left: Ints, right: Ints, share: Floats, alike: Floats, same: Any, n_together: int
) -> list[tuple[Any, ...]]:
    """One row per flow between what is shown, with where it begins and ends; the right side avoids crossings."""
    keys, where = np.unique(np.column_stack([left, right]), axis=0, return_inverse=True)
    where = np.ravel(where)
    total: Floats = np.bincount(where, share, len(keys)).astype(np.float64)
    shared = np.bincount(where, share * alike, len(keys))
    all_same = np.bincount(where, share * same, len(keys)) >= total * (1 - 1e-9)
    left, right = (keys.T if len(keys) else np.empty((2, 0), np.int64)).astype(np.int64)
    start_i = _stacked(np.lexsort((right, left)), total)
    middle = start_i + total / 2
    pull = np.bincount(right, shared * middle, len(other)) / np.maximum(np.bincount(right, shared, len(other)), 1e-300)
    pull[np.bincount(right, shared, len(other)) == 0] = 1.0  # what shares nothing stands below
    if n_together:
        pull[-1] = 2.0
    rank = np.argsort(np.argsort(pull, kind="stable"), kind="stable")
    start_i = _stacked(np.lexsort((rank[right], left)), total)
    start_j = _stacked(np.lexsort((left, rank[right])), total)
    names = [(one[i], other[j]) for i, j in zip(left, right, strict=True)]
    alike = shared / np.where(total > 0, total, 1.0)
    flows = zip(total, alike, all_same, start_i, start_i + total, start_j, start_j + total, strict=True)
    return [(*who, *flow) for who, flow in zip(names, flows, strict=True)]


def _stacked(order: Ints, share: Floats) -> Floats:
    """Where each flow begins when they lie one after the other."""
    start = np.empty(len(share))
    start[order] = np.cumsum(share[order]) - share[order]
    return start


def _flow_drawn(alt: Any, data: pd.DataFrame, one: str, other: str) -> Any:
    y = alt.Y("start:Q", scale=alt.Scale(domain=[1, 0], nice=False), axis=None)
    x = alt.X("x:Q", scale=alt.Scale(domain=[-0.05, 1.05], nice=False), axis=None)
    kinds = {"same feature": grammar.STEADY, "similar feature": grammar.CATEGORIES[4]}
    below = {"orient": "bottom", "symbolType": "square"}
    colour = grammar.coloured(alt, "kind:N", kinds, title=None, **below)
    pale = alt.Scale(domain=[0, 1], range=[0.05, 0.8])
    legend = alt.Legend(title="similarity", values=[0.25, 0.5, 0.75, 1], format=".2~f", **below)
    opacity = alt.Opacity("similarity:Q", scale=pale, legend=legend)
    tooltip = grammar.tips(alt, "from:N", "to:N", share=".1%", similarity=".2f")
    ribbons = alt.Chart(_ribbons(data)).mark_area().encode(x=x, y=y, y2="end:Q", detail="flow:N", color=colour)
    layers = [ribbons.encode(opacity=opacity, tooltip=tooltip)]
    for side, name, x0, align in (("i", one, -0.05, "right"), ("j", other, 1.0, "left")):
        nodes = _nodes(data, side).assign(x=x0, x2=x0 + 0.05)
        parts = alt.Chart(nodes).mark_rect(color=grammar.PALE, stroke="white", strokeWidth=0.8)
        told = grammar.tips(alt, "feature:N", share=".1%")
        wide = nodes[nodes["share"] >= THINNEST_NAMED]
        named = alt.Chart(wide.assign(start=(wide["start"] + wide["end"]) / 2, x=-0.06 if side == "i" else 1.06))
        named = named.mark_text(align=align, baseline="middle", color=grammar.INK, limit=130)
        head = alt.Chart(alt.Data(values=[{"x": x0 + 0.025, "start": 0, "name": name}]))
        head = head.mark_text(baseline="bottom", dy=-4, color=grammar.MUTED, fontSize=12)
        layers += [
            parts.encode(x=x, x2="x2:Q", y=y, y2="end:Q", tooltip=told),
            named.encode(x=x, y=y, text="feature:N"),
            head.encode(x=x, y=y, text="name:N"),
        ]
    return alt.layer(*layers).properties(width=380, height=400)


def _ribbons(data: pd.DataFrame) -> pd.DataFrame:
    """The two edges of each ribbon, from left to right."""
    import pandas as pd

    kept = data[data["similarity"] > 0].reset_index(drop=True)
    rise = STEPS**2 * (3 - 2 * STEPS)
    edges = {
        edge: np.outer(kept[f"{edge}_i"], 1 - rise).ravel() + np.outer(kept[f"{edge}_j"], rise).ravel()
        for edge in ("start", "end")
    }
    parts = kept.loc[kept.index.repeat(len(STEPS))]
    kinds = np.where(parts["same"], "same feature", "similar feature")
    named = {"share": "share", "similarity": "similarity", "from": "feature_i", "to": "feature_j"}
    told = {name: parts[column].to_numpy() for name, column in named.items()}
    return pd.DataFrame({"flow": parts.index, "x": np.tile(STEPS, len(kept)), **edges, **told, "kind": kinds})


def _nodes(data: pd.DataFrame, side: str) -> pd.DataFrame:
    """The features of one run: where each begins and ends."""
    found = data.groupby(f"feature_{side}", sort=False).agg(
        start=(f"start_{side}", "min"), end=(f"end_{side}", "max"), share=("share", "sum")
    )
    return found.reset_index(names="feature")


def _flow_seen(data: pd.DataFrame) -> str:
    same, whole = data.loc[data["same"], "share"].sum(), data["share"].sum()
    kept = percent(round(float(same / whole), 2)) if whole else "0%"
    return f"{counted(len(data), 'flow')} of importance between two runs; {kept} of it stays with the same feature."
