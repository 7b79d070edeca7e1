"""The stability score of every level and threshold of stability selection, with the one that is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.text import counted, number, percent
from steadyset.kernels.arrays import Floats
from steadyset.plots.catalogue import register_picture
from steadyset.plots.paths import level_axis, thinned, with_path
from steadyset.plots.picture import MARKED, MOST_MARKS, SHADES, Picture, foremost
from steadyset.selectors.ensembles.bounds import markov
from steadyset.selectors.ensembles.calibration import THRESHOLDS, stability_scores
from steadyset.selectors.ensembles.stability_selection import StabilitySelection

if TYPE_CHECKING:
    import pandas as pd

EDGES = ("level_from", "level_to", "threshold_from", "threshold_to")
COLUMNS = ("level", "threshold", *EDGES, "score", "pfer", "size", "chosen")


def stability_calibration(selector: StabilitySelection) -> Picture:
    """Level of the path x threshold, the darker the higher the stability score.

    The ring is what the rule "calibrated" chooses within the limits of the selector, by whatever rule that goes.
    `pfer` is the bound on false selections, `size` how many features a run selects there on average. Levels at which
    the runs select nothing or everything have no score.

    Parameters
    ----------
    selector : StabilitySelection
        Fitted.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    References
    ----------
    Bodinier, Filippi, Haugdahl Nost, Chiquet and Chadeau-Hyam (2023), Automated calibration for stability selection.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = st.StabilitySelection(n_runs=20, n_lambdas=20, random_state=0).fit(X, y)
    >>> st.plot.stability_calibration(selector).data["threshold"].nunique() > 1
    True
    """
    import pandas as pd

    fitted = with_path(selector)
    best = fitted.select(rule="calibrated")
    counts, M = fitted._runs().counts, fitted.paths_.n_runs
    levels, n_units = fitted.levels_, counts.shape[1]
    thresholds = np.unique([*THRESHOLDS, best.threshold])
    chosen = int(np.flatnonzero(levels == best.level)[0])
    shown = thinned(len(levels), MOST_MARKS // len(thresholds) - 1, [chosen])
    scores, sizes = stability_scores(counts[shown], M, thresholds), counts[shown].sum(axis=1) / M
    ends, tops = _ends(levels[shown], fitted.paths_.orders is not None), _ends(thresholds, log=False)
    rows = [
        (
            float(levels[shown[i]]),
            float(threshold),
            ends[i],
            ends[i + 1],
            tops[j],
            tops[j + 1],
            float(scores[i, j]),
            float(markov(sizes[i], threshold, n_units, M // 2)),
            float(sizes[i]),
            bool(shown[i] == chosen and threshold == best.threshold),
        )
        for i in range(len(shown))
        for j, threshold in enumerate(thresholds)
        if 0 < sizes[i] < n_units
    ]
    data = pd.DataFrame(rows, columns=list(COLUMNS))

    def draw(alt: Any, frame: pd.DataFrame) -> Any:
        return _drawn(alt, frame, fitted)

    note = (
        f"Chosen: threshold {percent(best.threshold)} at level {best.level:.3g}, where a run selects "
        f"{best.q:.3g} features on average ({counted(int(best.selected_clusters.sum()), 'stable feature')})."
    )
    if len(shown) < len(levels):
        note += f" {len(shown)} of {len(levels)} levels are drawn."
    return Picture(data, draw, COLUMNS, note, seen=_seen)


def _ends(values: Floats, log: bool) -> Floats:
    """Where the cells of ordered values begin and end: half way to their neighbours."""
    scale = np.log(values) if log else np.asarray(values, dtype=np.float64)
    if len(scale) == 1:
        scale = np.array([scale[0] - 0.01, scale[0] + 0.01])
        return np.exp(scale) if log else scale
    middle = (scale[1:] + scale[:-1]) / 2
    ends = np.concatenate([[2 * scale[0] - middle[0]], middle, [2 * scale[-1] - middle[-1]]])
    return np.exp(ends) if log else ends


def _drawn(alt: Any, data: pd.DataFrame, fitted: StabilitySelection) -> Any:
    threshold = alt.Y(
        "threshold_from:Q",
        scale=alt.Scale(zero=False, nice=False),
        title="threshold (share of the runs)",
        axis=alt.Axis(format="%", grid=False),
    )
    shade = {"scale": alt.Scale(range=list(SHADES)), "title": "stability score"}
    # Fill and stroke are alike, so that no white lines stand between the cells.
    colours = {"fill": alt.Fill("score:Q", **shade), "stroke": alt.Stroke("score:Q", **shade)}
    cells = {
        "x": level_axis(alt, fitted, "level_from:Q"),
        "x2": "level_to:Q",
        "y": threshold,
        "y2": "threshold_to:Q",
    }
    tooltip = [alt.Tooltip(name, format=".3g") for name in ("level", "threshold", "score", "pfer", "size")]
    field = alt.Chart(data).mark_rect(strokeWidth=0.7).encode(tooltip=tooltip, **colours, **cells)
    ring = alt.Chart(data[data["chosen"]]).encode(x="level:Q", y="threshold:Q")
    halo = ring.mark_point(size=140, stroke="white", strokeWidth=5, opacity=1)
    marked = ring.mark_point(size=140, stroke=MARKED, strokeWidth=2.5, opacity=1)
    return (field + halo + marked).properties(width=440, height=240)


def _seen(data: pd.DataFrame) -> str:
    best = foremost(data, "chosen")
    n_levels, n_thresholds = data["level"].nunique(), data["threshold"].nunique()
    return (
        f"Stability scores of {counted(n_levels, 'level')} by {counted(n_thresholds, 'threshold')}; chosen is level "
        f"{best['level']:.3g} and threshold {percent(best['threshold'])}, with score {number(best['score'])}."
    )


register_picture(
    "stability_calibration",
    stability_calibration,
    title="Calibration of stability selection",
    caption="The darker, the less the selection frequencies look like chance; the ring is chosen.",
    report=False,
    draws=lambda result: isinstance(result, StabilitySelection),
)
