"""Runs x features: which run selected what. Steady selections are full columns, unsteady ones are dust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.arguments import check_integer
from steadyset.plots.catalogue import SELECTIONS, register_picture
from steadyset.plots.picture import MOST_MARKS, STEADY, Picture
from steadyset.selections import Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 400
COLUMNS = ("run", "last", "feature", "place", "share")


def runs_by_features(selections: Any, *, top: int = 60) -> Picture:
    """A mark for each selected feature of each run; features by frequency, runs in their order.

    Where that would be more than 5,000 marks or 400 rows, consecutive runs share a row: `share` says how many of those
    from `run` to `last` selected the feature, and the mark is as dark. The picture says so.
    """
    import pandas as pd

    check_integer("top", top, least=1)
    sel = as_selections(selections)
    order = np.argsort(-sel.counts, kind="stable")[: min(top, MOST_MARKS)]
    order = order[sel.counts[order] > 0]
    together = _runs_in_a_row(sel, order)
    counts = _counts(sel, order, together)
    block, place = np.nonzero(counts)
    first = block * together
    last = np.minimum(first + together, sel.n_runs)
    data = pd.DataFrame(
        {
            "run": first + 1,
            "last": last,
            "feature": [sel.features[order[p]] for p in place],
            "place": place,
            "share": counts[block, place] / (last - first),
        },
        dtype=object,  # the text columns of pandas refuse halves of characters
    ).astype({"run": int, "last": int, "place": int, "share": float})

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return _drawn(alt, shown, len(order), len(counts), together)

    return Picture(data, draw, COLUMNS, _note(sel, len(order), together))


def _runs_in_a_row(sel: Selections, order: np.ndarray[Any, Any]) -> int:
    """How many consecutive runs share a row, so that there are not too many marks."""
    most = MOST_ROWS if sel.counts[order].sum() <= MOST_MARKS else min(MOST_ROWS, MOST_MARKS // len(order))
    return -(-sel.n_runs // max(1, most))


def _counts(sel: Selections, order: np.ndarray[Any, Any], together: int) -> np.ndarray[Any, Any]:
    """Rows of runs x shown features: how many runs of the row selected the feature."""
    place = np.full(sel.n_features, -1)
    place[order] = np.arange(len(order))
    row = np.repeat(np.arange(sel.n_runs), sel.sizes) // together
    column = place[sel.indices]
    counts = np.zeros((-(-sel.n_runs // together), len(order)), dtype=np.int64)
    np.add.at(counts, (row[column >= 0], column[column >= 0]), 1)
    return counts


def _note(sel: Selections, n_shown: int, together: int) -> str:
    ever = int((sel.counts > 0).sum())
    said = [f"The {n_shown} most frequent of {ever} selected features."] if n_shown < ever else []
    if together > 1:
        said.append(f"Each row is {together} runs: the darker, the more of them select the feature.")
    return " ".join(said)


def _drawn(alt: Any, data: pd.DataFrame, n_features: int, n_rows: int, together: int) -> Any:
    several = together > 1
    shares = {"opacity": alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None)}
    every = alt.Scale(domain=[1 + row * together for row in range(n_rows)])  # also runs that selected nothing
    return (
        alt.Chart(data)
        .mark_rect(color=STEADY)
        .encode(
            x=alt.X(
                "feature:N",
                sort=alt.SortField("place"),
                title=None,
                axis=alt.Axis(labelAngle=-60, labelLimit=120, labelOverlap=n_features > 50),
            ),
            y=alt.Y("run:O", scale=every, title="run", axis=alt.Axis(labelOverlap=True, ticks=False)),
            tooltip=["run", *(["last"] if several else []), "feature", alt.Tooltip("share", format=".0%")],
            **(shares if several else {}),
        )
        .properties(
            width=alt.Step(max(6, min(14, 720 // max(1, n_features)))),
            height=alt.Step(max(2, min(8, 320 // max(1, n_rows)))),
        )
    )


register_picture(
    "runs_by_features",
    runs_by_features,
    title="Which run selected what",
    takes=SELECTIONS,
    caption="One row per run, one column per feature, the most frequent first. Steady selections are full columns.",
)
