"""Stability selection: how often each feature is selected along the path, and how level and threshold are chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import check_integer, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed, number, percent
from steadyset.kernels.arrays import Floats, Ints
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import picture
from steadyset.plots.picture import Picture
from steadyset.selectors.ensembles.rules import THRESHOLDS, markov, stability_scores
from steadyset.selectors.ensembles.stability_selection import StabilitySelection

if TYPE_CHECKING:
    import pandas as pd

CALIBRATION_COLUMNS = (
    "level threshold level_from level_to threshold_from threshold_to score pfer size: float; chosen: bool"
)


@picture(
    title="Calibration of stability selection",
    caption="The darker, the less the selection frequencies look like chance; the ring is chosen.",
    report=False,
    draws=lambda result: isinstance(result, StabilitySelection),
)
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
    fitted = with_path(selector)
    best = fitted.select(rule="calibrated")
    counts, M = fitted._runs().counts, fitted.paths_.n_runs
    levels, n_units = fitted.levels_, counts.shape[1]
    thresholds = np.unique([*THRESHOLDS, best.threshold])
    chosen = int(np.flatnonzero(levels == best.level)[0])
    shown = thinned(len(levels), grammar.MOST_MARKS // len(thresholds) - 1, [chosen])
    scores, sizes = stability_scores(counts[shown], M, thresholds), counts[shown].sum(axis=1) / M
    ends, tops = _ends(levels[shown], fitted.paths_.orders is not None), _ends(thresholds, log=False)
    rows = [
        (
            *(levels[level], threshold, ends[i], ends[i + 1], tops[j], tops[j + 1]),
            *(scores[i, j], markov(sizes[i], threshold, n_units, M // 2), sizes[i]),
            level == chosen and threshold == best.threshold,
        )
        for i, level in enumerate(shown)
        for j, threshold in enumerate(thresholds)
        if 0 < sizes[i] < n_units
    ]
    decided = (
        f"Chosen: threshold {percent(best.threshold)} at level {best.level:.3g}, where a run selects "
        f"{best.q:.3g} features on average ({counted(int(best.selected_clusters.sum()), 'stable feature')})."
    )
    note = grammar.noted(
        (True, decided), (len(shown) < len(levels), f"{len(shown)} of {len(levels)} levels are drawn.")
    )

    def draw(alt: Any, frame: pd.DataFrame) -> Any:
        return _calibration_drawn(alt, frame, fitted)

    return grammar.pictured(rows, CALIBRATION_COLUMNS, draw, note, _calibration_seen)


def _ends(values: Floats, log: bool) -> Floats:
    """Where the cells of ordered values begin and end: half way to their neighbours."""
    scale = np.log(values) if log else np.asarray(values, dtype=np.float64)
    if len(scale) == 1:
        ends = scale[0] + np.array([-0.01, 0.01])
    else:
        middle = (scale[1:] + scale[:-1]) / 2
        ends = np.concatenate([[2 * scale[0] - middle[0]], middle, [2 * scale[-1] - middle[-1]]])
    return np.asarray(np.exp(ends) if log else ends)


def _calibration_drawn(alt: Any, data: pd.DataFrame, fitted: StabilitySelection) -> Any:
    free, axis = alt.Scale(zero=False, nice=False), alt.Axis(format="%", grid=False)
    threshold = alt.Y("threshold_from:Q", scale=free, title="threshold (share of the runs)", axis=axis)
    shade = {"scale": alt.Scale(type="quantize", range=list(grammar.SHADES)), "title": "stability score"}
    # Fill and stroke are alike, so that no white lines stand between the cells.
    colours = {"fill": alt.Fill("score:Q", **shade), "stroke": alt.Stroke("score:Q", **shade)}
    level = level_axis(alt, fitted, "level_from:Q")
    cells = {"x": level, "x2": "level_to:Q", "y": threshold, "y2": "threshold_to:Q"}
    tooltip = grammar.tips(alt, **dict.fromkeys(("level", "threshold", "score", "pfer", "size"), ".3g"))
    field = alt.Chart(data).mark_rect(strokeWidth=0.7).encode(tooltip=tooltip, **colours, **cells)
    ring = alt.Chart(data[data["chosen"]]).encode(x="level:Q", y="threshold:Q")
    halo = ring.mark_point(size=140, stroke="white", strokeWidth=5, opacity=1)
    marked = ring.mark_point(size=140, stroke=grammar.MARKED, strokeWidth=2.5, opacity=1)
    return (field + halo + marked).properties(width=440, height=240)


def _calibration_seen(data: pd.DataFrame) -> str:
    best = grammar.foremost(data, "chosen")
    n_levels, n_thresholds = data["level"].nunique(), data["threshold"].nunique()
    return (
        f"Stability scores of {counted(n_levels, 'level')} by {counted(n_thresholds, 'threshold')}; chosen is level "
        f"{best['level']:.3g} and threshold {percent(best['threshold'])}, with score {number(best['score'])}."
    )


PATH_COLUMNS = "feature: text; place: int; level frequency: float; selected named: bool"
MOST_LEVELS = 60
OTHERS = 30  # features that are drawn besides the selected ones, where nobody says how many
DASHES = ([1, 0], [6, 3], [2, 2])  # tell features apart where the colours come again


@picture(
    title="Stability paths",
    caption="How often each feature is selected along the path; stable features in colour.",
    report=False,
    draws=lambda result: isinstance(result, StabilitySelection),
)
def stability_path(selector: StabilitySelection, *, top: int | None = None) -> Picture:
    """The share of the runs that select each feature, against the penalty or the number of features.

    Stable features have a colour each, and the dashed line is the threshold. Of clustered features the clusters are
    drawn, which decide, each under the name of its first feature.

    Parameters
    ----------
    selector : StabilitySelection
        Fitted.
    top : int or None, default=None
        How many features are drawn at most: the stable ones first, then those that are most often selected somewhere;
        None is the stable ones and 30 others.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = st.StabilitySelection(n_runs=20, n_lambdas=20, random_state=0).fit(X, y)
    >>> sorted(st.plot.stability_path(selector, top=3).data["feature"].unique())
    ['bmi', 'bp', 's5']
    """
    if top is not None:
        check_integer("top", top, least=1)
    fitted = with_path(selector)
    # Levels x clusters: the share of the runs that select each; a feature is a cluster where none were given.
    frequencies = np.asarray(fitted.paths_.counts(fitted.clusters_) / fitted.paths_.n_runs)
    names = unit_names(fitted)
    selected = fitted.result_.selected_clusters
    drawn, ever = _drawn_units(frequencies, selected, top)
    levels = thinned(len(frequencies), min(MOST_LEVELS, max(2, grammar.MOST_MARKS // max(1, len(drawn)))), [])
    # A colour says who a line is only while there are colours and dashes for all of them.
    n_named = min(int(selected[drawn].sum()), len(grammar.CATEGORIES) * len(DASHES))
    rows = [
        (names[unit], place, fitted.levels_[at], frequencies[at, unit], selected[unit], place < n_named)
        for place, unit in enumerate(drawn)
        for at in levels
    ]
    note = _note(fitted, len(drawn), ever)
    return grammar.pictured(rows, PATH_COLUMNS, lambda alt, shown: _path_drawn(alt, shown, fitted), note, _path_seen)


def with_path(selector: Any) -> StabilitySelection:
    """A fitted selector that has followed a path."""
    if not isinstance(selector, StabilitySelection):
        raise wrong_argument("selector", "a fitted StabilitySelection", selector)
    if not hasattr(selector, "result_"):
        raise InputError("selector is not fitted; call its fit first.")
    if len(selector.levels_) < 2:
        raise InputError(
            "The base of selector has no path, only one selection per run; "
            "draw st.plot.selection_frequencies(selector.selections_)."
        )
    return selector


def unit_names(fitted: StabilitySelection) -> list[str]:
    """The name of each cluster: that of its first feature, and how many others it has."""
    features = fitted.selections_.features
    first = np.unique(fitted.clusters_, return_index=True)[1]
    sizes = np.bincount(fitted.clusters_)
    return [
        features[f] if size == 1 else f"{features[f]} and {size - 1} more" for f, size in zip(first, sizes, strict=True)
    ]


def read_level(fitted: StabilitySelection) -> float | None:
    """The level of the path that decided; None where the runs were read at different ones."""
    result = fitted.result_
    return float(result.q) if result.level is None and fitted.paths_.orders is None else result.level


def level_axis(alt: Any, fitted: StabilitySelection, field: str = "level:Q") -> Any:
    """The path from left to right: from strong penalties to weak ones, or from few features to many."""
    if fitted.paths_.orders is None:
        axis = alt.Axis(grid=False, tickMinStep=1, format="d")
        return alt.X(field, scale=alt.Scale(zero=False, nice=False), title="number of features", axis=axis)
    scale = alt.Scale(type="log", reverse=True, nice=False)
    axis = alt.Axis(grid=False, format="~g", tickCount=4)
    return alt.X(field, scale=scale, title="penalty, from strong to weak (log scale)", axis=axis)


def thinned(n: int, most: int, kept: list[int]) -> list[int]:
    """At most so many places of n, evenly; those in `kept` are always among them."""
    return sorted({*kept, *np.linspace(0, n - 1, min(n, most)).round().astype(int).tolist()})


def _drawn_units(frequencies: Floats, selected: Any, top: int | None) -> tuple[Ints, int]:
    """Which are drawn, the stable ones first, and how many are ever selected."""
    highest = frequencies.max(axis=0)
    order = np.lexsort((-frequencies.mean(axis=0), -highest, ~selected))
    ever = int((highest > 0).sum())
    most = int(selected.sum()) + OTHERS if top is None else top
    return order[: min(most, ever, grammar.MOST_MARKS // 2)], ever


def _note(fitted: StabilitySelection, n_drawn: int, ever: int) -> str:
    result, level = fitted.result_, read_level(fitted)
    features = "feature" if result.q == 1 else counted(result.q, "feature")
    return grammar.noted(
        (True, f"Dashed line: threshold {percent(result.threshold)}."),
        (level is None, f"Stable is read from the first {features} of each run, wherever on the path."),
        (level is not None, f"Vertical line: where stable is read, {level or 0:.3g}."),
        (n_drawn < ever, f"{n_drawn} of the {ever} features that are ever selected are drawn."),
        (not result.selected_clusters.any(), "No feature is stable."),
    )


def _path_drawn(alt: Any, data: pd.DataFrame, fitted: StabilitySelection) -> Any:
    level = level_axis(alt, fitted)
    whole, axis = alt.Scale(domain=[0, 1]), alt.Axis(format="%", tickCount=5)
    share = alt.Y("frequency:Q", scale=whole, title="share of the runs that select the feature", axis=axis)
    tooltip = grammar.tips(alt, "feature", level=".3g", frequency=".0%")
    lines = {"x": level, "y": share, "detail": "feature:N", "tooltip": tooltip}
    pale = (
        alt.Chart(data[~data["selected"]]).mark_line(color=grammar.MUTED, opacity=0.35, strokeWidth=1).encode(**lines)
    )
    dark = (
        alt.Chart(data[data["selected"] & ~data["named"]])
        .mark_line(color=grammar.STEADY, strokeWidth=1.2)
        .encode(**lines)
    )
    layers = [pale, dark, *([_named(alt, data[data["named"]], lines)] if data["named"].any() else [])]
    rules = alt.Chart(alt.Data(values=[{"threshold": fitted.threshold_, "level": read_level(fitted)}]))
    layers.append(rules.mark_rule(color=grammar.MUTED, strokeDash=[3, 3]).encode(y="threshold:Q"))
    if read_level(fitted) is not None:
        layers.append(rules.mark_rule(color=grammar.MARKED, strokeWidth=1.5).encode(x=level_axis(alt, fitted)))
    return alt.layer(*layers).properties(width=440, height=280)


def _named(alt: Any, data: pd.DataFrame, lines: dict[str, Any]) -> Any:
    """The stable features: one colour each, and dashes where the colours come again."""
    names = data["feature"].drop_duplicates().tolist()
    legend = alt.Legend(title="stable features", labelLimit=grammar.LONGEST_NAME, symbolLimit=0, symbolType="stroke")
    colours = [grammar.CATEGORIES[i % len(grammar.CATEGORIES)] for i in range(len(names))]
    dashes = [DASHES[i // len(grammar.CATEGORIES)] for i in range(len(names))]
    colour = alt.Color("feature:N", scale=alt.Scale(domain=names, range=colours), legend=legend)
    dash = alt.StrokeDash("feature:N", scale=alt.Scale(domain=names, range=dashes), legend=legend)
    return alt.Chart(data).mark_line(strokeWidth=2).encode(**lines, color=colour, strokeDash=dash)


def _path_seen(data: pd.DataFrame) -> str:
    selected = list(dict.fromkeys(data.loc[data["selected"], "feature"]))
    are = "is" if len(selected) == 1 else "are"
    stable = f"{listed(selected, 5)} {are} selected" if selected else "none is selected"
    levels = counted(data["level"].nunique(), "level")
    return f"Selection frequencies of {counted(data['feature'].nunique(), 'feature')} along {levels}; {stable}."
