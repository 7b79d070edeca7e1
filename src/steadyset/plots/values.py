"""The data behind a result: values of its first features, samples by features as a heat map, samples as a map.

Features were chosen because they tell these samples apart, so that samples look apart in them even by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.findings import Findings, findings_of
from steadyset.findings.box import directions_of, shown_procedure
from steadyset.foundation.arguments import check_integer
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, listed, percent, shown_name
from steadyset.inference.features import Extract
from steadyset.kernels.arrays import Floats, Ints
from steadyset.plots import picture as grammar
from steadyset.plots.catalogue import picture
from steadyset.plots.drawing import shortened, text_width
from steadyset.plots.picture import Picture
from steadyset.shortlists.listed import CANDIDATE, GROUP, LISTED
from steadyset.tasks import CLASSES, TASKS

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.findings.parts import ResultLike

MAX_PANELS, MAX_CLASSES, MAX_DOTS, MAX_CELLS = 8, 6, 200, 150
MAX_ROWS, FEWEST = 30, 8  # features of a heat map, and how many are shown although fewer are steady
# The colours of classes, of which the first is hollow: dark enough for letters.
CLASS_COLOURS = ("#6a45a0", "#b04a00", "#1f6f43", "#0b6285", "#a3326f", "#5c5346")
# Few steps: the page gives each of them another colour on a dark ground.
NUMBERS = ("#9fc5d8", "#6aa5c4", "#0b6e99", "#0a5577", "#063b52")
HEAT = ("#2166ac", "#5b97c9", "#a9cbe2", "#dbe8f0", "#f4f4f2", "#f8e0d2", "#eeb595", "#d6745a", "#b2302c")
BOX, LONGEST_LABEL = 0.33, 70  # half of a box in rows, and pixels of the name of a class
FARTHEST = 2.0  # standard deviations at which colours end
CHOSEN = "Features were chosen to tell these samples apart: some of that is seen even where nothing is there."
VALUE_COLUMNS = "feature label direction: text; place: int; value jitter: float"
HEAT_COLUMNS = "feature label: text; row column step: int; deviation: float"
MAP_COLUMNS = "label: text; across upwards number: float"


@picture(
    title="How the values differ",
    needs=("extract",),
    applies=lambda findings: bool(shown_features(findings)),
    place=30,
)
def feature_values(result: ResultLike, *, top: int = MAX_PANELS) -> Picture:
    """The values of the first features: by class as dots and boxes, or against a number.

    Parameters
    ----------
    result : Assessment, Shortlist, Tuning or Findings
        A result that keeps an extract of its data.
    top : int, default=8
        How many features are shown.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = st.assess("anova:k=2", X, y, resampling=st.KFold(5))
    >>> st.plot.feature_values(result).data["feature"].unique().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """
    check_integer("top", top, least=1)
    found = findings_of(result)
    extract = _extract(found)
    names = shown_features(found)[:top]
    ways, labels = _directions(found), _labels(extract)
    random, rows = np.random.default_rng(0), []
    for place, name in enumerate(names):
        # The number of each sample; for classes a place beside others, so that equal values are seen.
        beside = random.uniform(-1, 1, len(labels)) if extract.labels else extract.numbers
        values = zip(labels, _values(extract, name), beside, strict=True)
        rows += [(name, label, ways.get(name, ""), place, *both) for label, *both in values if np.isfinite(both[0])]
    target = _target(found)
    dots = len(labels) <= MAX_DOTS

    def draw(alt: Any, data: pd.DataFrame) -> Any:
        panel = _class_panel if extract.labels else _number_panel
        shown = [data[data["place"] == place] for place in range(len(names))]
        panels = [panel(alt, one, _colours(labels), dots, target) for one in shown if len(one)]
        beside = max((min(LONGEST_LABEL, text_width(label, grammar.SMALL, bold=True)) for label in labels), default=0)
        fill = {"beside": 30 + (beside if extract.labels else 24), "least": 140, "narrow": 4}
        return alt.concat(*panels, columns=4, spacing=24, usermeta={"fill": fill}).resolve_scale(color="independent")

    many = len(labels) < extract.n_rows
    note = grammar.noted(
        (extract.labels, "Box: the middle half; thick line: the median." + " A dot per sample." * dots),
        (not extract.labels, f"Across: {target}; a dot per sample."),
        (many, f"{len(labels)} of {extract.n_rows} samples, drawn at random."),
        (True, f"The result keeps the values of {counted(len(extract.features), 'feature')} for such pictures."),
    )
    return grammar.pictured(rows, VALUE_COLUMNS, draw, note, _values_seen)


def shown_features(found: Findings) -> list[str]:
    """The features of the list of which the extract has values, the first first."""
    if found.shortlist is not None:
        whole = found.shortlist
        names = [one.feature for tier in (LISTED, GROUP, CANDIDATE) for one in whole.of_tier(tier)]
    else:
        name = shown_procedure(found)
        names = [] if name is None else list(found.frequencies[name])
    known = set() if found.extract is None else set(found.extract.features)
    return [name for name in names if name in known]


def _first(found: Findings, most: int = MAX_ROWS) -> list[str]:
    """As many as are listed or steady, with those that come next where these are few."""
    if found.shortlist is not None:
        n = len(found.shortlist.names)
    else:
        name = shown_procedure(found)
        n = max((len(core.features) for core in found.cores if core.name == name), default=0)
    return shown_features(found)[: min(most, max(FEWEST, n))]


def _extract(found: Findings) -> Extract:
    if found.extract is None:
        raise InputError("result keeps no values of its data; give what assess, shortlist or tune returns.")
    return found.extract


def _directions(found: Findings) -> dict[str, str]:
    if found.shortlist is not None:
        return {one.feature: one.direction for one in found.shortlist.features}
    return directions_of(found, shown_procedure(found) or "")


def _values(extract: Extract, name: str) -> Floats:
    return np.array(extract.values[extract.features.index(name)])


def _labels(extract: Extract) -> list[str]:
    """The class of each sample; the rarest of very many are together."""
    if not extract.labels:
        return [""] * len(extract.numbers)
    classes, counts = np.unique(extract.labels, return_counts=True)
    kept = classes if len(classes) <= MAX_CLASSES else classes[np.argsort(-counts, kind="stable")[: MAX_CLASSES - 1]]
    return [label if label in kept else "others" for label in extract.labels]


def _colours(labels: Sequence[str]) -> dict[str, str]:
    shown = grammar.distinct_names(sorted(set(labels)))
    return dict(zip(shown.values(), CLASS_COLOURS, strict=False))


def _target(found: Findings) -> str:
    """What the numbers of the samples are called."""
    name = str(found.settings.get("details", {}).get("target") or "the target")
    return TASKS.find(found.settings.get("task", CLASSES)).amounts_shown.format(target=shown_name(name))


def _class_panel(alt: Any, data: pd.DataFrame, colours: dict[str, str], dots: bool, target: str) -> Any:
    classes = list(colours)
    rows = data["label"].map(classes.index)
    shown = data.assign(row=rows + 0.2 * data["jitter"], top=rows - BOX, bottom=rows + BOX, middle=rows)
    base = alt.Chart(shown, title=_panel_title(alt, data))
    lines = alt.Scale(domain=[-0.5, len(classes) - 0.5], reverse=True)
    values = alt.X("value:Q", scale=alt.Scale(zero=False, nice=True), title=None, axis=_numbers(alt))
    ends = {
        "y": alt.Y("min(top):Q", scale=lines, axis=None),
        "y2": alt.Y2("max(bottom):Q"),
        "detail": alt.Detail("label:N"),
    }
    box = base.mark_rect(fill=None, stroke=grammar.MUTED, strokeWidth=1, aria=False)
    box = box.encode(x=alt.X("q1(value):Q", title=None), x2=alt.X2("q3(value):Q"), **ends)
    middle = base.mark_rule(color=grammar.INK, strokeWidth=2.5, aria=False)
    middle = middle.encode(x=alt.X("median(value):Q", title=None), **ends)
    points = base.mark_point(filled=False, size=16, strokeWidth=1).encode(**_by_class(alt, colours, 0.75))
    told = grammar.tips(alt, "feature", "label", value=".4~g")
    points = points.encode(x=values, y=alt.Y("row:Q", scale=lines, axis=None), tooltip=told)
    letters = {"fontSize": grammar.SMALL, "fontWeight": "bold", "limit": LONGEST_LABEL}
    words = base.mark_text(align="right", dx=-6, aria=False, **letters).encode(text=alt.Text("label:N"))
    beside = {"x": grammar.fixed(alt, "X", 0), "y": alt.Y("min(middle):Q", scale=lines, axis=None)}
    words = words.encode(**beside, color=_class_colour(alt, colours))
    points = points if dots else points.encode(opacity=grammar.fixed(alt, "Opacity", 0))
    layers = [box, points, middle, words]
    return alt.layer(*layers).properties(width=220, height=34 * len(classes))


def _class_colour(alt: Any, colours: dict[str, str], channel: str = "Color") -> Any:
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return getattr(alt, channel)("label:N", scale=scale, legend=None)


def _by_class(alt: Any, colours: dict[str, str], opacity: float) -> dict[str, Any]:
    """Points in the colours of their classes, those of the first class hollow."""
    hollow = grammar.either(alt, "FillOpacity", alt.datum.label == next(iter(colours)), 0.0, opacity)
    stroke, fill = (_class_colour(alt, colours, channel) for channel in ("Stroke", "Fill"))
    return {"stroke": stroke, "fill": fill, "fillOpacity": hollow}


def _number_panel(alt: Any, data: pd.DataFrame, colours: dict[str, str], dots: bool, target: str) -> Any:
    free = alt.Scale(zero=False, nice=True)
    x = alt.X("jitter:Q", scale=free, title=None, axis=_numbers(alt))
    y = alt.Y("value:Q", scale=free, title=None, axis=_numbers(alt))
    tooltip = grammar.tips(alt, "feature", value=".4~g", jitter=(".4~g", target))
    points = alt.Chart(data, title=_panel_title(alt, data)).encode(x=x, y=y, tooltip=tooltip)
    marks = points.mark_point(filled=False, size=16, strokeWidth=1, color=grammar.STEADY)
    return marks.properties(width=220, height=100)


def _numbers(alt: Any) -> Any:
    return alt.Axis(tickCount=4, format=",.3~r", labelOverlap=True, gridColor=grammar.RULE)


def _panel_title(alt: Any, data: pd.DataFrame) -> Any:
    first = data.iloc[0]
    name = shortened(str(first["feature"]), 200, 12, bold=True)
    return alt.Title(
        name, subtitle=shortened(str(first["direction"]), 200, grammar.SMALL), anchor="start", fontSize=12,
        color=grammar.INK, subtitleColor=grammar.MUTED, subtitleFontSize=grammar.SMALL, frame="group", offset=6,
    )  # fmt: skip


def _values_seen(data: pd.DataFrame) -> str:
    told = data.drop_duplicates("feature")
    pairs = zip(told["feature"].astype(str), told["direction"].astype(str), strict=True)
    each = [f"{name} ({way})" if way else name for name, way in pairs]
    return f"Values of {listed(each, MAX_PANELS)}."


@picture(
    title="Samples and features",
    needs=("extract",),
    applies=lambda findings: len(_first(findings)) > 1,
    place=31,
)
def heat_map(result: ResultLike, *, top: int = MAX_ROWS) -> Picture:
    """Samples by features as colours: features by direction, samples by class (or number) and then by likeness.

    Parameters
    ----------
    result : Assessment, Shortlist, Tuning or Findings
        A result that keeps an extract of its data.
    top : int, default=30
        How many features are shown at most.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = st.assess("anova:k=2", X, y, resampling=st.KFold(5))
    >>> st.plot.heat_map(result).data["column"].nunique()
    150
    """
    check_integer("top", top, least=2)
    found = findings_of(result)
    extract, ways = _extract(found), _directions(found)
    names = sorted(_first(found, top), key=lambda name: ways.get(name, ""))
    labels = np.array(_labels(extract))
    Z = _deviations(extract, names)
    columns = _columns(Z, labels, np.array(extract.numbers))
    rows = []
    for column, members in enumerate(columns):
        for row, name in enumerate(names):
            deviation = float(Z[members, row].mean())
            step = int(np.clip(np.floor((deviation / FARTHEST + 1) / 2 * len(HEAT)), 0, len(HEAT) - 1))
            rows.append((name, labels[members[0]], row, column, step, deviation))
    colours = _colours(labels.tolist())
    target = _target(found)

    def draw(alt: Any, data: pd.DataFrame) -> Any:
        return _heat(alt, data, colours, len(columns), "" if extract.labels else f"from low to high {target}")

    note = grammar.noted(
        (True, f"Blue is low, red is high: up to {FARTHEST:g} standard deviations from the mean of a feature."),
        (len(columns) < len(labels), f"{len(labels)} samples, neighbours averaged."),
    )
    return grammar.pictured(rows, HEAT_COLUMNS, draw, note, _heat_seen)


def _deviations(extract: Extract, names: Sequence[str]) -> Floats:
    """Samples by features, in standard deviations from the mean; what is missing is at the mean."""
    values = np.ma.masked_invalid(np.array([_values(extract, name) for name in names]).T)
    spread = values.std(axis=0).filled(0.0)
    return np.asarray(((values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).filled(0.0))


def _columns(Z: Floats, labels: Any, numbers: Floats) -> list[Ints]:
    """The samples of each column: by class and then by likeness, or by the number; neighbours where they are many."""
    if len(numbers):
        groups = [np.argsort(numbers, kind="stable")]
    else:
        members = [np.flatnonzero(labels == label) for label in sorted(set(labels.tolist()))]
        groups = [one[_alike_order(Z[one])] for one in members]
    together = -(-len(Z) // MAX_CELLS)
    return [part for one in groups for part in np.array_split(one, -(-len(one) // together))]


def _alike_order(Z: Floats) -> Ints:
    """Along the first principal component: neighbours are alike."""
    centred = Z - Z.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    return np.argsort(centred @ (axes[0] * np.sign(axes[0].sum() or 1.0)), kind="stable")


def _heat(alt: Any, data: pd.DataFrame, colours: dict[str, str], n: int, told: str) -> Any:
    free = alt.Scale(domain=[0, n], nice=False)
    shown = data.assign(end=data["column"] + 1, bottom=data["row"] + 1)
    features = data.drop_duplicates("row")["feature"].tolist()
    axis = alt.Axis(labelLimit=grammar.LONGEST_NAME, ticks=False, domain=False)
    y = alt.Y("feature:N", sort=features, title=None, axis=axis, scale=alt.Scale(paddingInner=0))
    heat = alt.Color("step:O", scale=alt.Scale(domain=list(range(len(HEAT))), range=list(HEAT)), legend=None)
    tooltip = grammar.tips(alt, "feature", "label", deviation=(".2f", "standard deviations"))
    cells = alt.Chart(shown).mark_rect(strokeWidth=0)
    cells = cells.encode(
        x=alt.X("column:Q", scale=free, axis=None), x2=alt.X2("end:Q"), y=y, color=heat, tooltip=tooltip
    )
    cells = cells.properties(width=560, height=alt.Step(min(30, max(16, 300 / len(features)))))
    spans = shown.groupby("label", sort=False).agg(start=("column", "min"), end=("end", "max")).reset_index()
    spans["middle"] = (spans["start"] + spans["end"]) / 2
    spans["words"] = told or spans["label"]
    base = alt.Chart(spans)
    colour = _class_colour(alt, colours)
    bars = base.mark_bar(height=4, yOffset=8)
    bars = bars.encode(x=alt.X("start:Q", scale=free, axis=None), x2=alt.X2("end:Q"), y=grammar.fixed(alt, "Y", 6))
    words = base.mark_text(align="center", fontSize=12, fontWeight="bold", dy=-4)
    words = words.encode(
        x=alt.X("middle:Q", scale=free, axis=None), y=grammar.fixed(alt, "Y", 6), text=alt.Text("words:N")
    )
    head = alt.layer(bars.encode(color=colour), words.encode(color=colour)) if not told else alt.layer(words)
    both = alt.vconcat(head.properties(width=560, height=14), cells, spacing=4, usermeta=grammar.filling(16, features))
    return both.resolve_scale(color="independent")


def _heat_seen(data: pd.DataFrame) -> str:
    n = data["column"].nunique()
    return f"{counted(data['feature'].nunique(), 'feature')} in {counted(n, 'column')} of samples, as colours."


@picture(
    title="The samples in one picture",
    needs=("extract",),
    applies=lambda findings: len(_first(findings)) > 1 and len(findings.extract.values[0]) > 2,
    caption=CHOSEN,
    place=32,
)
def sample_map(result: ResultLike, *, top: int = MAX_ROWS) -> Picture:
    """The samples by the two principal components of the first features: close together where these are alike.

    Parameters
    ----------
    result : Assessment, Shortlist, Tuning or Findings
        A result that keeps an extract of its data.
    top : int, default=30
        How many features count at most.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = st.assess("anova:k=2", X, y, resampling=st.KFold(5))
    >>> st.plot.sample_map(result).data["label"].unique().tolist()
    ['0', '1', '2']
    """
    check_integer("top", top, least=2)
    found = findings_of(result)
    extract = _extract(found)
    names, labels = _first(found, top), _labels(extract)
    Z = _deviations(extract, names)
    left, sizes, _ = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
    places = (left * sizes)[:, :2] * np.sqrt(1 / max(float((sizes**2).sum() / len(Z)), 1e-300))
    explained = sizes**2 / max(float((sizes**2).sum()), 1e-300)
    numbers = extract.numbers or (np.nan,) * len(labels)
    rows = [(label, *place, number) for label, place, number in zip(labels, places, numbers, strict=True)]
    target = _target(found)

    def draw(alt: Any, data: pd.DataFrame) -> Any:
        return _map(alt, data, _colours(labels) if extract.labels else {}, target)

    note = (
        f"Principal components of the first {len(names)} features: across {percent(round(float(explained[0]), 2))} of "
        f"their variance, upwards {percent(round(float(explained[1]), 2))}."
    )
    return grammar.pictured(rows, MAP_COLUMNS, draw, note, _map_seen)


def _map(alt: Any, data: pd.DataFrame, colours: dict[str, str], target: str) -> Any:
    axis = alt.Axis(labels=False, ticks=False, grid=False, title=None, domain=False)
    free = alt.Scale(zero=False, nice=True)
    whole = {"width": 300, "height": 240, "usermeta": grammar.filling(12, least=160)}
    base = alt.Chart(data).encode(
        x=alt.X("across:Q", axis=axis, scale=free), y=alt.Y("upwards:Q", axis=axis, scale=free)
    )
    marks = base.mark_point(filled=False, size=28, strokeWidth=1.3)
    if not colours:
        scale = alt.Scale(type="quantize", range=list(NUMBERS))
        legend = alt.Legend(title=target, orient="bottom", gradientLength=120)
        tip = grammar.tips(alt, number=(".4~g", target))
        points = marks.encode(color=alt.Color("number:Q", scale=scale, legend=legend), tooltip=tip)
        return alt.layer(points).properties(**whole)
    points = marks.encode(**_by_class(alt, colours, 0.8), tooltip=grammar.tips(alt, "label"))
    middles = data.groupby("label", sort=False).median(numeric_only=True).reset_index()
    words = alt.Chart(middles).encode(x="across:Q", y="upwards:Q", text="label:N")
    around = words.mark_text(fontSize=13, fontWeight="bold", stroke="white", strokeWidth=4, aria=False)
    text = words.mark_text(fontSize=13, fontWeight="bold").encode(color=_class_colour(alt, colours))
    return alt.layer(points, around, text).properties(**whole)


def _map_seen(data: pd.DataFrame) -> str:
    classes = [f"{n} of {label}" for label, n in data["label"].value_counts(sort=False).items() if label]
    return f"{counted(len(data), 'sample')}{f', {listed(classes, MAX_CLASSES)}' if classes else ''}, as points."
