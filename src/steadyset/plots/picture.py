"""A picture: the frame that it shows first, the drawing of it when asked; and the grammar that all pictures share."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.findings import Findings
from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError, MissingExtraError
from steadyset.foundation.text import shown_name
from steadyset.io.disk import explained, write_durably
from steadyset.plots import drawing
from steadyset.plots.drawing import converter, page, shortened, text_width
from steadyset.selections import Selections, as_selections

if TYPE_CHECKING:
    import pandas as pd

INK, MUTED, RULE = "#1f2933", "#616e7c", "#d9e2ec"
STEADY, PALE = "#0b6e99", "#9fc5d8"  # what holds, and what does not
MARKED = "#d55e00"  # the one that is chosen or observed
BAND = "#f4e9d8"  # behind marks: what is near enough
# Okabe and Ito (2008), which the colour-blind tell apart, without the yellow that is lost on white.
CATEGORIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond")
MOST_TOLD_APART = 2 * len(CATEGORIES)
SHADES = ("#eaf3f7", "#9fc5d8", "#4d9bbd", "#0b6e99", "#063b52")  # from little to much
SMALL, LARGE = drawing.LETTERS, 13.0  # sizes of letters
LONGEST_NAME, LONGEST_TITLE = 180, 300  # pixels on an axis, and above a plot
CORE_SHARE = "core_share"  # a parameter of a chart: the share of the runs that makes the core, which a page changes
MOST_MARKS = 5_000  # above this a picture is slow to look at, and its marks are too small to see
ENDINGS = (".html", ".svg", ".png", ".pdf")
NOTE_LETTERS = 110  # in a line of a note on a screen
POINTS_A_PIXEL = 0.75
LETTERING: dict[str, Any] = {
    "labelColor": INK,
    "labelFontSize": SMALL,
    "titleColor": MUTED,
    "titleFontSize": SMALL,
    "titleFontWeight": "normal",
}
# The look that all pictures share, as the configuration of Vega-Lite.
LOOK: dict[str, Any] = {
    "font": "Helvetica, Arial, sans-serif",
    "view": {"stroke": None},
    "axis": {**LETTERING, "gridColor": RULE, "domainColor": RULE, "tickColor": RULE},
    "header": {
        "labelColor": INK,
        "labelFontWeight": "bold",
        "labelFontSize": 12,
        "title": None,
        "labelAnchor": "start",
    },
    "legend": LETTERING,
}


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A picture: the frame that is shown, and how to draw it when a drawing is asked for.

    Parameters
    ----------
    data : pandas.DataFrame
        What is shown, with names as they are; the drawing sees them written out where they could not be shown.
    draw : Callable
        ``draw(altair, data)`` makes an Altair chart of the frame.
    columns : tuple of str
        What the drawing reads; a frame without one of them is refused.
    note : str, default=""
        What the reader has to know, such as what was left out; it stands in the picture.
    figure : str or None, default=None
        "single" (85 mm) or "double" (180 mm), the columns of a page that it fills in print; None is for a screen.
    seen : Callable or None, default=None
        Says in a sentence what the frame shows, for those who do not see the drawing.

    Examples
    --------
    >>> import steadyset as st
    >>> runs = st.Selections.from_sets([["TP53", "KRAS"], ["TP53", "EGFR"]], features=["TP53", "KRAS", "EGFR", "MYC"])
    >>> picture = st.plot.selection_frequencies(runs)
    >>> picture.data[["feature", "frequency"]].to_dict("records")[0]
    {'feature': 'TP53', 'frequency': 1.0}
    """

    data: pd.DataFrame
    draw: Callable[[Any, pd.DataFrame], Any]
    columns: tuple[str, ...]
    note: str = ""
    figure: str | None = None
    seen: Callable[[pd.DataFrame], str] | None = None

    def __post_init__(self) -> None:
        if self.figure is not None and not (isinstance(self.figure, str) and self.figure in drawing.WIDTHS):
            raise wrong_argument("figure", '"single", "double" or None', self.figure)
        missing = [name for name in self.columns if name not in self.data.columns]
        if missing:
            has = ", ".join(map(str, self.data.columns)) or "none"
            raise InputError(f"The picture's data has no column {', '.join(missing)}; it has {has}.")

    @cached_property
    def description(self) -> str:
        """What is seen, in a sentence from the frame; it is the description of the drawing."""
        if self.seen is None or self.data.empty:
            return self.note
        return self.seen(_as_shown(self.data))

    @cached_property
    def chart(self) -> Any:
        """The Altair chart."""
        alt = altair()
        with self._quickly(alt):
            return self.draw(alt, self.data) if isinstance(self.draw, _Drawing) else self._drawn(alt)

    def _drawn(self, alt: Any) -> Any:
        """The chart with what all of them have; each method of Altair that adds to a chart copies it whole."""
        chart = self.draw(alt, _as_shown(self.data[list(self.columns)]))
        chart = chart if self._is_own else chart.copy()
        if self.note:
            wide = NOTE_LETTERS if self.figure is None else int(drawing.pixels(self.figure) / (SMALL / 2))
            lines = textwrap.wrap(self.note, wide)
            chart.title = alt.Title(lines, anchor="start", fontSize=SMALL, fontWeight="normal", color=MUTED, offset=12)
        if self.description:
            chart.description = self.description
        chart.background = "white"
        asked = {} if chart.config is alt.Undefined else alt.Config.to_dict(chart.config)
        chart.config = alt.Config(**LOOK | asked)
        return chart

    def sized(self, figure: str | None) -> Picture:
        """The same picture for another width.

        The plots get the width that names, axes and legends leave, and the letters of axes are 7 points high.

        Parameters
        ----------
        figure : str or None
            "single" for one column of a journal (85 mm), "double" for two (180 mm), None for a screen.

        Returns
        -------
        Picture
            The picture.
        """
        return replace(self, figure=figure)

    def specification(self) -> dict[str, Any]:
        """The drawing as Vega-Lite.

        Returns
        -------
        dict
            The specification, with the data.

        Raises
        ------
        MissingExtraError
            Where Altair is not installed.
        """
        return json.loads(self._written)  # type: ignore[no-any-return]

    def svg(self) -> str:
        """The drawing as SVG text.

        Returns
        -------
        str
            The text of an SVG file.

        Raises
        ------
        MissingExtraError
            Where what draws is not installed.
        """
        drawn = str(converter().vegalite_to_svg(self._written))
        return drawn if self.figure is None else _resized(drawn, drawing.WIDTHS[self.figure], "mm")

    def save(self, path: str | Path, *, figure: str | None = None) -> None:
        """Write the drawing as .html (one file, which needs no network), .svg, .png or .pdf.

        Parameters
        ----------
        path : str or Path
            The file; its ending says the format.
        figure : str or None, default=None
            "single" or "double", as for `sized`; None keeps the picture's own width.

        Raises
        ------
        MissingExtraError
            Where what draws is not installed.
        """
        if figure is not None and figure != self.figure:
            self.sized(figure).save(path)
            return
        target = Path(path)
        if target.suffix.lower() not in ENDINGS:
            raise InputError(f"{target} has an unknown ending; expected {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}.")
        content = self._content(target.suffix.lower())
        with explained(target):
            write_durably(target, content)

    def _content(self, ending: str) -> bytes:
        if ending == ".html":
            return page(self.specification()).encode()
        if ending == ".svg":
            return self.svg().encode()
        if ending == ".pdf":
            drawn = str(converter().vegalite_to_svg(self._written))
            wide = extent(drawn)[0] * POINTS_A_PIXEL if self.figure is None else drawing.points(self.figure)
            return bytes(converter().svg_to_pdf(_resized(drawn, wide)))  # which takes its lengths for points
        if self.figure is None:
            return bytes(converter().vegalite_to_png(self._written, scale=2))
        scale = drawing.points(self.figure) / _width(self._written)
        return bytes(converter().vegalite_to_png(self._written, scale=scale, ppi=drawing.PRINT_PPI))

    @cached_property
    def _unfitted(self) -> Any:
        """The drawing as Vega-Lite, in its own width."""
        if isinstance(self.draw, _Drawing):
            return self.draw.chart
        # Altair's own limit of rows would stop a user's picture; ours are thinned where they are made.
        alt = altair()
        with alt.data_transformers.enable("default", max_rows=None), self._quickly(alt):
            return self.chart.to_dict(validate=not self._is_own)

    @cached_property
    def _written(self) -> str:
        spec = self._unfitted
        return json.dumps(spec if self.figure is None else drawing.fitted(spec, self.figure, _width))

    @property
    def _is_own(self) -> bool:
        return str(getattr(self.draw, "__module__", "")).startswith("steadyset.")  # code that is run has no module

    def _quickly(self, alt: Any) -> AbstractContextManager[Any]:
        """Altair checks each part of a chart against its schema, which takes longer than to draw it.

        The charts of this package are checked by its tests.
        """
        quickly: AbstractContextManager[Any] = alt.utils.schemapi.debug_mode(False) if self._is_own else nullcontext()
        return quickly

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the drawing and the sentence, since the functions that made them are local ones."""
        made = {one.name: getattr(self, one.name) for one in fields(self)}
        sentence = None if self.seen is None else _Constant(self.description)
        return _unpickled, (type(self), {**made, "draw": _Drawing(self._unfitted), "seen": sentence})

    def __repr__(self) -> str:
        return f"Picture({self.description})"

    def __str__(self) -> str:
        return self.description or repr(self)

    def _repr_mimebundle_(self, *arguments: Any, **options: Any) -> dict[str, str]:
        """What a notebook shows and keeps when it is saved: the drawing itself, which asks the network for nothing."""
        try:
            return {"image/svg+xml": self.svg(), "text/plain": str(self)}
        except (MissingExtraError, InputError) as error:
            return {"text/plain": f"{self} {error}"}


@dataclass(frozen=True)
class _Drawing:
    """A drawing that was made already, in the place of the function that made it."""

    chart: Mapping[str, Any]

    def __call__(self, alt: Any, _: pd.DataFrame) -> Any:
        return alt.Chart.from_dict(self.chart)


@dataclass(frozen=True)
class _Constant:
    """A sentence in the place of the function that wrote it."""

    text: str

    def __call__(self, _: pd.DataFrame) -> str:
        return self.text


def _unpickled(kind: type[Picture], values: Mapping[str, Any]) -> Picture:
    return kind(**values)


def altair() -> Any:
    """Altair, or a sentence on how to get it."""
    try:
        import altair as alt
    except ImportError:
        raise MissingExtraError('Pictures need altair: pip install "steadyset[report]".') from None
    return alt


def _as_shown(data: pd.DataFrame) -> pd.DataFrame:
    """Names as they may be shown: some characters end the process of the drawing library."""
    from pandas.api.types import is_object_dtype, is_string_dtype

    texts = [name for name in data.columns if is_object_dtype(data[name]) or is_string_dtype(data[name])]
    shown = {}
    for name in texts:
        names = distinct_names(data[name])
        shown[name] = [names[value] if isinstance(value, str) else value for value in data[name]]
    return data.assign(**shown)


def distinct_names(values: Iterable[Any]) -> dict[str, str]:
    """Names as they may be shown; those that look alike once written out are numbered, so that each keeps its mark."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for value in values:
        if isinstance(value, str) and value not in found:
            written = shown_name(value)
            others = (f"{written} ({i})" for i in count(2))
            found[value] = written if written not in taken else next(text for text in others if text not in taken)
            taken.add(found[value])
    return found


def pictured(
    rows: Iterable[Sequence[Any]],
    columns: str,
    draw: Callable[[Any, pd.DataFrame], Any],
    note: str = "",
    seen: Callable[[pd.DataFrame], str] | None = None,
) -> Picture:
    """A picture of rows, whose values are named by kind, in their order: "feature: text; place runs: int"."""
    import pandas as pd

    kinds = {
        name: kind.strip() for part in columns.split(";") for names, kind in [part.split(":")] for name in names.split()
    }
    # As objects: the text columns of pandas refuse halves of characters.
    data = pd.DataFrame([*rows], columns=list(kinds), dtype=object)
    data = data.astype({name: kind for name, kind in kinds.items() if kind != "text"})
    return Picture(data, draw, tuple(kinds), note, seen=seen)


def runs_by_name(selections: Any) -> dict[str, Selections]:
    """The runs of one selector, of several by name, or of findings; a single one has no name."""
    given = selections.selections if isinstance(selections, Findings) else selections
    given = given if isinstance(given, Mapping) else {"": given}
    return {str(name): as_selections(one) for name, one in given.items()}


def noted(*said: tuple[object, str]) -> str:
    """The sentences of a note whose condition holds."""
    return " ".join(sentence for holds, sentence in said if holds)


def foremost(data: pd.DataFrame, column: str, *, least: bool = False) -> dict[str, Any]:
    """The row with the most of a column, or with the least."""
    row = data.sort_values(column, ascending=least, kind="stable").head(1).to_dict("records")[0]
    return {str(name): value for name, value in row.items()}


def heading(alt: Any, text: str, said: str | list[str] = "") -> Any:
    """The title of a plot, and a line or more below it; without a title these alone."""
    if not text:
        return alt.Title(said, anchor="start", fontSize=SMALL, fontWeight="normal", color=MUTED)
    title = shortened(text, LONGEST_TITLE, LARGE, bold=True)
    return alt.Title(
        title, subtitle=said, anchor="start", fontSize=LARGE, color=INK, subtitleColor=MUTED, subtitleFontSize=SMALL
    )


def tips(alt: Any, *plain: str, **formats: str | tuple[str, str]) -> list[Any]:
    """What a mark tells who points at it: columns as they are, then numbers with their format, or format and title."""
    written = {name: (form, alt.Undefined) if isinstance(form, str) else form for name, form in formats.items()}
    columns = [alt.Tooltip(name) for name in plain]
    return [*columns, *(alt.Tooltip(name, format=form, title=title) for name, (form, title) in written.items())]


def fixed(alt: Any, channel: str, value: Any) -> Any:
    """Return a value of a channel, such as "Opacity", that is the same for all marks.

    From `alt.value`, Altair would look up the class of the channel among all of its schemas each time.
    """
    return getattr(alt, f"{channel}Value")(value)


def either(alt: Any, channel: str, test: Any, value: Any, otherwise: Any) -> Any:
    """Return a channel with one value for marks that pass a test, and another one for the others."""
    written = test if isinstance(test, str) else test.to_dict()
    return getattr(alt, f"{channel}Value")(otherwise, condition={"test": written, "value": value})


def dashed(alt: Any, *values: float) -> Any:
    """Dashed lines from top to bottom."""
    places = alt.Data(values=[{"x": value} for value in values])
    return alt.Chart(places).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x="x:Q")


def over_bars(alt: Any, base: Any) -> tuple[Any, Any]:
    """The intervals of bars as thin lines, and what sets them off from dark bars; bars have the words."""
    ends = base.encode(x=alt.X("low:Q"), x2="high:Q")
    around = ends.mark_rule(color="white", strokeWidth=3, opacity=0.6, aria=False)
    return around, ends.mark_rule(color=INK, strokeWidth=1, aria=False)


def coloured(alt: Any, field: str, colours: Mapping[str, str], **legend: Any) -> Any:
    """A colour for each value of a column, in the order of its legend."""
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return alt.Color(field, scale=scale, legend=alt.Legend(**legend))


def shades(alt: Any, field: str, **legend: Any) -> Any:
    """The darker, the larger a share is; in steps, whose colours a dark page knows."""
    scale = alt.Scale(type="quantize", domain=[0, 1], range=list(SHADES))
    return alt.Color(field, scale=scale, legend=alt.Legend(format="%", **legend))


def shares(alt: Any, field: str, title: str, **options: Any) -> Any:
    """The horizontal axis of shares, from 0% to 100%."""
    axis = alt.Axis(format="%", tickCount=5, labelSeparation=4)
    return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, 1]), title=title, axis=axis, **options)


def names(alt: Any, field: str, by: str, **options: Any) -> Any:
    """The vertical axis of names, in the order of the column `by`."""
    axis = alt.Axis(labelLimit=LONGEST_NAME, ticks=False, domain=False)
    return alt.Y(f"{field}:N", sort=alt.SortField(by), title=None, axis=axis, **options)


def filling(beside: float, labels: Iterable[object] = (), least: int = 200) -> dict[str, Any]:
    """The mark of a plot that a report draws as wide as its card: what stands beside it, with the longest label."""
    longest = max((text_width(str(label), SMALL) for label in labels), default=0.0)
    return {"fill": {"beside": beside + min(LONGEST_NAME, longest), "least": least}}


def told_apart(alt: Any, field: str, categories: Sequence[str]) -> tuple[Any, Any]:
    """A colour and a shape for each of up to 14 categories, with a legend; one for all where there are more."""
    if len(categories) > MOST_TOLD_APART:
        return fixed(alt, "Color", STEADY), fixed(alt, "Shape", "circle")
    rounds = [divmod(place, len(CATEGORIES)) for place in range(len(categories))]
    colours = [CATEGORIES[place] for _, place in rounds]
    shapes = [SHAPES[(place + 2 * turn) % len(SHAPES)] for turn, place in rounds]
    legend = alt.Legend(labelLimit=LONGEST_NAME, symbolOpacity=1) if len(categories) > 1 else None
    return (
        alt.Color(f"{field}:N", scale=alt.Scale(domain=list(categories), range=colours), legend=legend),
        alt.Shape(f"{field}:N", scale=alt.Scale(domain=list(categories), range=shapes), legend=legend),
    )


_EXTENT = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def extent(drawn: str) -> tuple[float, float]:
    """Width and height of an SVG."""
    found = _EXTENT.search(drawn)
    assert found is not None
    return float(found[1]), float(found[2])


def _resized(drawn: str, width: float, unit: str = "") -> str:
    """An SVG with another width, and the height that belongs to it."""
    old, height = extent(drawn)
    return _EXTENT.sub(f'width="{width:g}{unit}" height="{height * width / old:.6g}{unit}"', drawn, count=1)


def _width(spec: dict[str, Any] | str) -> float:
    written = spec if isinstance(spec, str) else json.dumps(spec)
    return extent(str(converter().vegalite_to_svg(written)))[0]
