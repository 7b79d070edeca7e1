"""The feature stability map: how each run shares out its importance, similar features in one colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import check_integer
from steadyset.foundation.text import counted, percent
from steadyset.inference.feature_details import numbered_groups
from steadyset.inference.feature_table import alike_features
from steadyset.io.labels import text_frame
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.rows import Rows, weight_rows
from steadyset.plots.catalogue import SELECTIONS, register_picture
from steadyset.plots.picture import CATEGORIES, LONGEST_NAME, MOST_MARKS, RULE, Picture
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

MOST_ROWS = 100
NO_WEIGHTS = "Without weights the selected features of a run are equally important."
COLUMNS = ("run", "last", "group", "place", "feature", "start", "end", "share")


def stability_map(
    selections: RunsLike, similarity: FeatureSimilarity | None = None, *, top: int = len(CATEGORIES)
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
    check_integer("top", top, least=1, most=len(CATEGORIES))
    sel = as_selections(selections)
    rows = weight_rows(sel).positive()
    shares = rows.values / rows.sums(rows.values)[rows.runs]
    mean = np.bincount(rows.indices, shares, sel.n_features) / max(1, sel.n_runs)
    groups = _groups(sel, similarity, mean)
    order = _largest(groups, mean, top)
    names = [_group_name(sel, groups, mean, g) for g in order]
    n_grey = int((~np.isin(groups[mean > 0], order)).sum())
    together = -(-sel.n_runs // MOST_ROWS)
    data = _frame(sel, rows, shares, groups, order, names, together)

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return _drawn(alt, shown, sel.n_runs, together, len(order))

    return Picture(data, draw, COLUMNS, _note(sel, similarity is not None, n_grey, together), seen=_seen)


def _groups(sel: Selections, similarity: FeatureSimilarity | None, mean: Floats) -> Ints:
    """A number for each feature; alike features have the same one."""
    alone = np.arange(sel.n_features)
    if similarity is None:
        return alone
    numbers = numbered_groups(alike_features(similarity, {"": sel}), np.argsort(-mean, kind="stable"))
    return np.where(numbers > 0, sel.n_features + numbers, alone)


def _largest(groups: Ints, mean: Floats, top: int) -> Ints:
    found, where = np.unique(groups[mean > 0], return_inverse=True)
    total = np.bincount(where, mean[mean > 0], len(found))
    return found[np.argsort(-total, kind="stable")[:top]]


def _group_name(sel: Selections, groups: Ints, mean: Floats, group: int) -> str:
    members = np.flatnonzero(groups == group)
    best = sel.features[members[np.argmax(mean[members])]]
    return best if len(members) == 1 else f"{best} ({len(members)} alike)"


def _frame(
    sel: Selections, rows: Rows, shares: Floats, groups: Ints, order: Ints, names: list[str], together: int
) -> pd.DataFrame:
    """One row per segment of a bar. Runs that share a bar, and grey features, are added up."""
    place = np.full(sel.n_features, len(order))
    for k, group in enumerate(order):
        place[groups == group] = k
    single = together == 1 and len(rows.indices) <= MOST_MARKS
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
    return text_frame(
        {
            "run": first + 1,
            "last": last,
            "group": np.array([labels[k] for k in part], dtype=object),
            "place": part,
            "feature": np.array([sel.features[f] if f >= 0 else "" for f in feature], dtype=object),
            "start": end - share,
            "end": end,
            "share": share,
        }
    )


def others_name(taken: list[str]) -> str:
    """What the features without a mark of their own are called: like none of those that have one."""
    name = "all others"
    while name in taken:
        name += " together"
    return name


def _note(sel: Selections, similar: bool, n_grey: int, together: int) -> str:
    said = ["Each colour is a feature or a group of similar features."] if similar else []
    if n_grey:
        said.append(f"Grey: {counted(n_grey, 'other selected feature')}.")
    if together > 1:
        said.append(f"Each bar is the mean of {together} runs.")
    if sel.weights is None:
        said.append(NO_WEIGHTS)
    return " ".join(said)


def _drawn(alt: Any, data: pd.DataFrame, n_runs: int, together: int, n_coloured: int) -> Any:
    in_order = data.drop_duplicates("place").sort_values("place")
    domain = in_order["group"].tolist()
    palette = [CATEGORIES[k] if k < n_coloured else RULE for k in in_order["place"]]
    bars = [1 + first for first in range(0, n_runs, together)]
    several = ["last:Q"] if together > 1 else ["feature:N"]
    return (
        alt.Chart(data)
        .mark_bar(stroke="white", strokeWidth=0.6)
        .encode(
            x=alt.X(
                "start:Q",
                scale=alt.Scale(domain=[0, 1]),
                title="share of the run's importance",
                axis=alt.Axis(format="%", tickCount=5),
            ),
            x2="end:Q",
            y=alt.Y("run:O", scale=alt.Scale(domain=bars), title="run", axis=alt.Axis(labelOverlap=True, ticks=False)),
            color=alt.Color(
                "group:N",
                scale=alt.Scale(domain=domain, range=palette),
                legend=alt.Legend(title=None, labelLimit=LONGEST_NAME, symbolType="square"),
            ),
            tooltip=["run:O", *several, "group:N", alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(width=460, height=alt.Step(max(4, min(22, 500 // max(1, len(bars))))))
    )


def _seen(data: pd.DataFrame) -> str:
    rows = data["run"].nunique()
    shares = data.groupby("group", sort=False)["share"].sum() / rows
    return (
        f"{counted(rows, 'bar')} of importance in {counted(len(shares), 'colour')}; the largest part, "
        f"{percent(round(float(shares.max()), 2))} on average: {shares.idxmax()}."
    )


register_picture(
    "stability_map",
    stability_map,
    title="How each run shares out its importance",
    takes=SELECTIONS,
    caption="One bar per run; similar features have one colour. Steady runs show the same colours at the same widths.",
    report=False,
)
