"""A picture: the frame that it shows, and how to draw it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.errors import InputError, MissingExtraError
from steadyset.files import written_beside

if TYPE_CHECKING:
    import pandas as pd

INK, MUTED, RULE = "#1f2933", "#7b8794", "#d9e2ec"
STEADY, PALE = "#0b6e99", "#9fc5d8"


@dataclass(frozen=True)
class Picture:
    """`data` is what is shown; `chart` is an Altair chart of it. A notebook shows the chart."""

    data: pd.DataFrame
    chart: Any

    def svg(self) -> str:
        """The drawing as SVG text."""
        return str(_converter().vegalite_to_svg(self.chart.to_json()))

    def save(self, path: str | Path) -> None:
        """Write the drawing as .svg or .png."""
        target = Path(path)
        if target.suffix == ".svg":
            content = self.svg().encode()
        elif target.suffix == ".png":
            content = _converter().vegalite_to_png(self.chart.to_json(), scale=2)
        else:
            raise InputError(f"{target} has an unknown ending; wanted is .svg or .png.")
        with written_beside(target) as beside:
            beside.write_bytes(content)

    def _repr_mimebundle_(self, *arguments: Any, **options: Any) -> Any:
        return self.chart._repr_mimebundle_(*arguments, **options)


def altair() -> Any:
    """Altair, or a sentence on how to get it."""
    try:
        import altair as alt
    except ImportError:
        raise MissingExtraError('Pictures need altair: pip install "steadyset[report]".') from None
    return alt


def styled(chart: Any) -> Any:
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
