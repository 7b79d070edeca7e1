"""Lines or points of several series, as most figures of papers have them, in the grammar of steadyset's pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyset.plot import Picture

if TYPE_CHECKING:
    import pandas as pd

WIDTH, HEIGHT, PER_ROW = 320, 220, 2
# Okabe and Ito (2008), which the colour-blind tell apart, without the yellow that is lost on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond")
DASHES = ([1, 0], [6, 4], [2, 3], [10, 3, 2, 3])  # through the gaps of a line one sees the line below it


def curves(
    frame: pd.DataFrame,
    x: str,
    y: str,
    *,
    series: str,
    panel: str = "",
    log: bool = False,
    lines: bool = True,
    note: str = "",
) -> Picture:
    """A line per value of the column `series`, a plot per value of `panel`; columns low and high become bands.

    `lines` False leaves points alone; `log` is for the horizontal axis.
    """
    banded = {"low", "high"} <= set(frame.columns)
    columns = (x, y, series, *([panel] if panel else []), *(["low", "high"] if banded else []))

    def draw(alt: Any, shown: pd.DataFrame) -> Any:
        names = [str(one) for one in dict.fromkeys(shown[series])]
        colour, shape = _told_apart(alt, series, names)
        patterns = [DASHES[place % len(DASHES)] for place in range(len(names))]
        dash = alt.StrokeDash(f"{series}:N", scale=alt.Scale(domain=names, range=patterns), legend=None)
        scale = alt.Scale(type="log" if log else "linear", zero=False, nice=not log)
        across = alt.X(f"{x}:Q", scale=scale, title=x, axis=alt.Axis(format="~g", grid=False))
        up = alt.Y(f"{y}:Q", scale=alt.Scale(zero=False), title=y)

        def plot(part: pd.DataFrame, title: str) -> Any:
            base = alt.Chart(part, title=title).encode(x=across, color=colour)
            layers = [base.mark_point(filled=True, size=28, opacity=1).encode(y=up, shape=shape)]
            if lines:
                layers.insert(0, base.mark_line().encode(y=up, strokeDash=dash))
            if banded:
                layers.insert(0, base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=y), y2="high:Q"))
            return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)

        if not panel:
            return plot(shown, "")
        parts = [plot(shown[shown[panel] == name], str(name)) for name in dict.fromkeys(shown[panel])]
        return alt.concat(*parts, columns=PER_ROW)

    return Picture(frame, draw, columns, note)


def _told_apart(alt: Any, series: str, names: list[str]) -> tuple[Any, Any]:
    """A colour and a shape for each of up to 14 series, with a legend; one for all where there are more."""
    if len(names) > 2 * len(COLOURS):
        return alt.value(COLOURS[0]), alt.value(SHAPES[0])
    n = len(COLOURS)
    colours = [COLOURS[place % n] for place in range(len(names))]
    shapes = [SHAPES[(place % n + 2 * (place // n)) % len(SHAPES)] for place in range(len(names))]
    legend = alt.Legend(symbolOpacity=1) if len(names) > 1 else None
    return (
        alt.Color(f"{series}:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
        alt.Shape(f"{series}:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
    )
