"""A picture: the frame that it shows first, the drawing of it when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.errors import InputError, MissingExtraError
from steadyset.io.disk import explained, write_durably
from steadyset.io.labels import shown_name

if TYPE_CHECKING:
    import pandas as pd

INK, MUTED, RULE = "#1f2933", "#616e7c", "#d9e2ec"
STEADY, PALE = "#0b6e99", "#9fc5d8"
MOST_MARKS = 5_000  # above this a picture is slow to look at, and its marks are too small to see
ENDINGS = (".svg", ".png")


@dataclass(frozen=True, eq=False)
class Picture:
    """`data` is what is shown; `draw(altair, data)` makes an Altair chart of it when one is asked for.

    Attributes
    ----------
    data : the frame, with names as they are; the drawing sees them written out where they could not be shown
    draw : gets the module altair and the frame
    columns : what the drawing reads; a frame without one of them is refused
    note : what the reader has to know, such as what was left out; it stands in the picture
    """

    data: pd.DataFrame
    draw: Callable[[Any, pd.DataFrame], Any]
    columns: tuple[str, ...]
    note: str = ""

    def __post_init__(self) -> None:
        missing = [name for name in self.columns if name not in self.data.columns]
        if missing:
            has = ", ".join(map(str, self.data.columns)) or "none"
            raise InputError(f"The picture's data has no column {', '.join(missing)}; it has {has}.")

    @cached_property
    def chart(self) -> Any:
        """The Altair chart."""
        alt = altair()
        chart = self.draw(alt, _as_shown(self.data[list(self.columns)]))
        if self.note:
            title = alt.Title(self.note, anchor="start", fontSize=11, fontWeight="normal", color=MUTED, offset=12)
            chart = chart.properties(title=title)
        return _styled(chart.properties(background="white"))

    def svg(self) -> str:
        """The drawing as SVG text."""
        return str(_converter().vegalite_to_svg(self._specification()))

    def save(self, path: str | Path) -> None:
        """Write the drawing as .svg or .png."""
        target = Path(path)
        if target.suffix not in ENDINGS:
            raise InputError(f"{target} has an unknown ending; expected {' or '.join(ENDINGS)}.")
        if target.suffix == ".svg":
            content = self.svg().encode()
        else:
            content = _converter().vegalite_to_png(self._specification(), scale=2)
        with explained(target):
            write_durably(target, content)

    def _specification(self) -> str:
        # Altair's own limit of rows would stop a user's picture; ours are thinned where they are made.
        with altair().data_transformers.enable("default", max_rows=None):
            return str(self.chart.to_json())

    def _repr_mimebundle_(self, *arguments: Any, **options: Any) -> Any:
        return self.chart._repr_mimebundle_(*arguments, **options)


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


def _styled(chart: Any) -> Any:
    """The look that all pictures share."""
    return (
        chart.configure(font="Helvetica, Arial, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=MUTED, titleFontWeight="normal", gridColor=RULE, domainColor=RULE, tickColor=RULE
        )
        .configure_header(labelColor=INK, labelFontWeight="bold", labelFontSize=12, title=None, labelAnchor="start")
        .configure_legend(labelColor=INK, titleColor=MUTED, titleFontWeight="normal")
    )


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError('Saving pictures needs vl-convert: pip install "steadyset[report]".') from None
    return vl_convert
