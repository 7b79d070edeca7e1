"""Do measures agree? A scatter plot for each two of them, over selectors or over pairs of runs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings
from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import DASH, counted, number
from steadyset.io.labels import text_frame
from steadyset.kernels.arrays import Floats
from steadyset.measures.evaluate import chosen_measures, estimates, has_needs, require_needs
from steadyset.measures.options import Options
from steadyset.measures.record import Measure, get_family
from steadyset.plots.catalogue import register_picture
from steadyset.plots.picture import INK, MOST_MARKS, MUTED, RULE, SHADES, STEADY, Picture
from steadyset.selections import Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

MOST_MEASURES = 6
MOST_RUNS = 100  # of which all pairs are scored
BINS = 16
OF_RUNS = ("nogueira", "jaccard", "hamming", "davis", "pearson", "msi")
OF_PAIRS = ("phi", "jaccard", "hamming", "pog", "pearson", "msi")
COLUMNS = ("x_measure", "y_measure", "point", "x", "y", "points", "correlation")


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
    runs = selections.selections if isinstance(selections, Findings) else selections
    given = runs if isinstance(runs, Mapping) else {"": runs}
    if not given:
        raise InputError("There are no selections; at least one procedure is needed.")
    procedures = {str(name): as_selections(one) for name, one in given.items()}
    several = len(procedures) > 1
    records = _records(measures, procedures, options, OF_RUNS if several else OF_PAIRS)
    points, values, said = (_of_selectors if several else _of_pairs)(procedures, records, options)
    data, binned = _frame([record.name for record in records], points, values)
    if binned:
        said += f" Binned: the darker, the more of {counted(len(values), 'point')}."
    undefined = [record.name for k, record in enumerate(records) if np.isnan(values[:, k]).any()]
    if undefined:
        said += f" Undefined for some, which are left out: {', '.join(undefined)}."
    said += " Opposite each plot: Spearman's rank correlation."
    order = [record.name for record in records]

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        return _drawn(alt, shown, order, binned)

    return Picture(data, draw, COLUMNS, said, seen=_seen)


def _records(
    measures: Any, procedures: Mapping[str, Selections], options: Options, usual: Sequence[str]
) -> list[Measure]:
    every = list(procedures.values())
    if measures is None:
        return [one for one in chosen_measures(list(usual)) if all(has_needs(one, sel, options) for sel in every)]
    if isinstance(measures, str) or not isinstance(measures, Sequence) or not 2 <= len(measures) <= MOST_MEASURES:
        raise wrong_argument("measures", f"a list of 2 to {MOST_MEASURES} measures", measures)
    records = chosen_measures(list(measures))
    if len({record.name for record in records}) < len(records):
        raise wrong_argument("measures", "a list of different measures", measures)
    for record in records:
        for sel in every:
            require_needs(record, sel, options)
    return records


def _of_selectors(
    procedures: Mapping[str, Selections], records: Sequence[Measure], options: Options
) -> tuple[list[str], Floats, str]:
    values = [[one.value for one in estimates(sel, records, options)] for sel in procedures.values()]
    return list(procedures), np.array(values, dtype=np.float64), "Each point is a selector."


def _of_pairs(
    procedures: Mapping[str, Selections], records: Sequence[Measure], options: Options
) -> tuple[list[str], Floats, str]:
    """The scores of pairs of runs; of very many runs some, evenly spaced."""
    (sel,) = procedures.values()
    if sel.n_runs < 2:
        raise InputError(f"Stability compares runs: at least 2 are needed, found {sel.n_runs}.")
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


def _frame(measures: Sequence[str], points: Sequence[str], values: Floats) -> tuple[pd.DataFrame, bool]:
    """One row per mark of each plot: a point, or a cell of the bins with its number of points."""
    n_plots = len(measures) * (len(measures) - 1) // 2
    binned = len(values) * max(1, n_plots) > MOST_MARKS
    rows: list[tuple[Any, ...]] = []
    for a, b in itertools.combinations(range(len(measures)), 2):
        known = np.flatnonzero(~np.isnan(values[:, [a, b]]).any(axis=1))
        x, y = values[known, a], values[known, b]
        related = _rank_correlation(x, y)
        if binned and len(x):
            marks = [("", *mark) for mark in zip(*_bins(x, y), strict=True)]
        else:
            marks = [(points[int(k)], values[k, a], values[k, b], 1) for k in known]
        rows += [(measures[a], measures[b], *mark, related) for mark in marks]
    kinds = {"x": np.float64, "y": np.float64, "points": np.int64, "correlation": np.float64}
    columns = zip(*rows, strict=True) if rows else [()] * len(COLUMNS)
    parts = {
        name: np.array(column, dtype=kinds.get(name, object)) for name, column in zip(COLUMNS, columns, strict=True)
    }
    return text_frame(parts), binned


def _rank_correlation(x: Floats, y: Floats) -> float:
    """Spearman's; nan where one of them is constant."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    from scipy.stats import rankdata

    return float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])


def _bins(x: Floats, y: Floats) -> tuple[Floats, Floats, Any]:
    """The middles of the cells that have points, and how many each has."""
    counts, across, up = np.histogram2d(x, y, BINS)
    i, j = np.nonzero(counts)
    return (across[i] + across[i + 1]) / 2, (up[j] + up[j + 1]) / 2, counts[i, j].astype(np.int64)


def _drawn(alt: Any, data: pd.DataFrame, measures: Sequence[str], binned: bool) -> Any:
    side = max(80, min(160, 560 // max(1, len(measures))))
    last = len(measures) - 1
    rows = []
    for b, below in enumerate(measures):
        row = []
        for a, beside in enumerate(measures):
            if a < b:
                part = data[(data["x_measure"] == beside) & (data["y_measure"] == below)]
                chart = _plot(alt, part, beside if b == last else None, below if a == 0 else None, binned)
            else:
                text = below if a == b else _related(data, below, beside)
                chart = (
                    alt.Chart(alt.Data(values=[{"text": text}]))
                    .mark_text(fontSize=12, fontWeight="bold" if a == b else "normal", color=INK if a == b else MUTED)
                    .encode(text="text:N")
                )
            row.append(chart.properties(width=side, height=side))
        rows.append(alt.hconcat(*row, spacing=8, bounds="flush"))
    return alt.vconcat(*rows, spacing=8)


def _related(data: pd.DataFrame, x: str, y: str) -> str:
    part = data[(data["x_measure"] == x) & (data["y_measure"] == y)]
    return number(float(part["correlation"].iloc[0])) if len(part) else DASH


def _plot(alt: Any, part: pd.DataFrame, x_title: str | None, y_title: str | None, binned: bool) -> Any:
    def axis(title: str | None) -> dict[str, Any]:
        shown = title is not None
        return {
            "title": title,
            "scale": alt.Scale(zero=False, nice=False, padding=6),  # so that no point is cut
            "axis": alt.Axis(
                labels=shown,
                ticks=shown,
                tickCount=3,
                format=".3~g",
                domainColor=RULE,
                labelFlush=True,
                labelOverlap="greedy",
            ),
        }

    chart = alt.Chart(part)
    where = {"x": alt.X("x:Q", **axis(x_title)), "y": alt.Y("y:Q", **axis(y_title))}
    if not binned:
        tips = ["point:N", alt.Tooltip("x:Q", format=".3f"), alt.Tooltip("y:Q", format=".3f")]
        return chart.mark_circle(size=28, color=STEADY, opacity=0.6).encode(**where, tooltip=tips)
    shade = alt.Color("points:Q", scale=alt.Scale(type="log", range=list(SHADES[1:])), legend=None)
    return chart.mark_square(size=30, opacity=1).encode(**where, color=shade, tooltip=["points:Q"])


def _seen(data: pd.DataFrame) -> str:
    measures = len({*data["x_measure"], *data["y_measure"]})
    known = data["correlation"].dropna()
    ranks = f"from {number(known.min())} to {number(known.max())}" if len(known) else "undefined"
    return f"{counted(measures, 'measure')} against each other; their rank correlations are {ranks}."


register_picture(
    "measure_agreement",
    measure_agreement,
    title="Do the measures agree?",
    needs=("selections",),
    applies=lambda findings: len(findings.selections) > 2 or len(findings.selections) == 1,
    caption="One plot for each two measures; opposite stands Spearman's rank correlation.",
    report=False,
)
