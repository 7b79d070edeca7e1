"""Runs x features: which run selected what. Steady selections are full columns, unsteady ones are dust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import check_flag, check_integer
from steadyset.foundation.text import counted, listed, number, p_equals
from steadyset.inference.run_groups import MOST_CLUSTERED, RunGroups, run_groups, similar_order
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.options import check_similarity
from steadyset.plots.catalogue import SELECTIONS, picture
from steadyset.plots.drawing import LETTERS
from steadyset.plots.picture import CATEGORIES, MOST_MARKS, STEADY, Picture, noted, pictured, tips
from steadyset.selections import RunsLike, Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

    from steadyset.similarity import FeatureSimilarity

MOST_ROWS = 400
NAMED_RUNS = 5
COLUMNS = "row: int; run: text; runs group: int; feature: text; place: int; share: float"


@picture(
    title="Which run selected what",
    takes=SELECTIONS,
    caption="One row per run, one column per feature. Similar runs and features that the same runs select stand "
    "together. Steady selections are full columns.",
    place=60,
)
def runs_by_features(
    selections: RunsLike, *, top: int = 60, clustered: bool = True, similarity: FeatureSimilarity | None = None
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
    check_integer("top", top, least=1)
    check_flag("clustered", clustered)
    if similarity is not None:
        check_similarity(similarity)
    sel = as_selections(selections)
    if similarity is not None:
        similarity.check(sel)
    shown = np.argsort(-sel.counts, kind="stable")[: min(top, MOST_MARKS)]
    shown = shown[sel.counts[shown] > 0]
    chosen = _chosen(sel, shown)
    one = np.ones(sel.n_runs, dtype=np.int64)
    groups = run_groups(chosen) if clustered else RunGroups(np.arange(sel.n_runs), one)
    if clustered and len(shown) > 2:
        order = _feature_order(chosen, None if similarity is None else similarity.block(shown, shown))
        shown, chosen = shown[order], chosen[:, order]
    rows = _rows(chosen, groups)
    return pictured(
        _marks(sel, shown, rows),
        COLUMNS,
        lambda alt, frame: _drawn(alt, frame, len(shown), rows, groups),
        _note(sel, len(shown), rows, groups, clustered),
        _seen,
    )


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


def _chosen(sel: Selections, shown: Ints) -> sparse.csr_array:
    """Runs x shown features: 1 where the run selected the feature."""
    from scipy import sparse

    ends = np.concatenate([[0], np.cumsum(sel.sizes)])
    every = sparse.csr_array((np.ones(len(sel.indices)), sel.indices, ends), shape=(sel.n_runs, sel.n_features))
    return every[:, shown]


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


def _rows(chosen: sparse.csr_array, groups: RunGroups) -> _Rows:
    """Neighbours in the order share a row where there are too many runs; rows never mix groups."""
    n_runs, n_shown = chosen.shape
    most = MOST_ROWS if chosen.nnz <= MOST_MARKS else min(MOST_ROWS, MOST_MARKS // n_shown)
    together = -(-n_runs // max(1, most))
    runs: list[Ints] = []
    for group in range(1, groups.n_groups + 1):
        members = groups.order[groups.group[groups.order] == group]
        runs += [members[i : i + together] for i in range(0, len(members), together)]
    counts = np.zeros((len(runs), n_shown))
    for row, members in enumerate(runs):
        counts[row] = chosen[members].sum(axis=0)
    return _Rows(runs, [int(groups.group[members[0]]) for members in runs], counts)


def _marks(sel: Selections, shown: Ints, rows: _Rows) -> list[tuple[Any, ...]]:
    named = [listed([str(run + 1) for run in np.sort(runs)], NAMED_RUNS) for runs in rows.runs]
    size, names = [len(runs) for runs in rows.runs], [sel.features[f] for f in shown]
    return [
        (row + 1, named[row], size[row], rows.group[row], names[place], place, rows.counts[row, place] / size[row])
        for row, place in zip(*np.nonzero(rows.counts), strict=True)
    ]


def _note(sel: Selections, n_shown: int, rows: _Rows, groups: RunGroups, clustered: bool) -> str:
    ever = int((sel.counts > 0).sum())
    differ = (
        f"{groups.n_groups} groups of runs: two runs of the same group share more of these features (mean Jaccard "
        f"similarity {number(groups.within)}) than two of different groups ({number(groups.between)}), more so "
        f"than runs with these sizes and frequencies of features do by chance ({p_equals(groups.p_value)})."
    )
    many = f"More than {MOST_CLUSTERED:,} runs are not grouped; they stand in the order of their leading component."
    alike = clustered and groups.clustered and groups.n_groups == 1 and sel.n_runs > 2
    return noted(
        (n_shown < ever, f"The {n_shown} most frequent of {ever} selected features."),
        (
            rows.together > 1,
            f"Each row is up to {rows.together} runs: the darker, the more of them select the feature.",
        ),
        (groups.n_groups > 1, differ),
        (not rows.are_alike and not groups.clustered, many),
        (not rows.are_alike and alike, "No groups of runs stand out; similar runs stand together."),
    )


def _drawn(alt: Any, data: pd.DataFrame, n_features: int, rows: _Rows, groups: RunGroups) -> Any:
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
        scale = alt.Scale(domain=labels, range=list(CATEGORIES[: len(labels)]))
        options["color"] = alt.Color("shown_group:N", scale=scale, title="group of runs")
    runs = "runs" if several else "run"
    return (
        alt.Chart(data)
        .mark_rect(aria=False, **({} if len(labels) > 1 else {"color": STEADY}))  # too many to be read aloud
        .encode(
            x=alt.X(
                "feature:N",
                sort=alt.SortField("place"),
                title=None,
                axis=alt.Axis(labelAngle=-60, labelLimit=120, labelOverlap=n_features > 60, ticks=False),
            ),
            y=alt.Y(
                "row:O",
                scale=alt.Scale(domain=list(range(1, n_rows + 1))),  # also runs that selected nothing
                title="runs",
                axis=alt.Axis(
                    **({"labelExpr": _run_labels(rows)} if named else {"labels": False}), ticks=False, domain=False
                ),
            ),
            tooltip=[alt.Tooltip("run", title=runs), *tips(alt, "feature", share=(".0%", "share of the runs"))],
            **options,
        )
        .properties(width=alt.Step(max(6, min(24, 720 // max(1, n_features)))), height=alt.Step(step))
    )


def _run_labels(rows: _Rows) -> str:
    """An expression that gives the number of the run of a row."""
    return f"{[int(runs[0]) + 1 for runs in rows.runs]}[datum.value - 1]"


def _seen(data: pd.DataFrame) -> str:
    most = data.groupby("feature", sort=False)["share"].sum()
    return (
        f"{counted(data['row'].nunique(), 'row')} of runs by {counted(data['feature'].nunique(), 'feature')}, in "
        f"{counted(data['group'].nunique(), 'group')} of runs; {most.idxmax()} is selected most often."
    )
