"""Figures for print: any picture at the width of one column or of two, with letters of a journal's size."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from math import sqrt
from typing import Any

WIDTHS = {"single": 85.0, "double": 180.0}  # millimetres: one column of a page, and both
LETTERS = 11.0  # pixels: the letters of axes on a screen
LETTERS_IN_PRINT = 7.0  # points
PRINT_PPI = 600
POINTS_PER_MM = 72 / 25.4
LONGEST_NAME = {"single": 90, "double": 160}  # pixels
VIEWS = ("hconcat", "vconcat", "concat", "layer")
NARROWEST = 0.08  # of the width on a screen


def pixels(figure: str) -> float:
    """The width of a figure on the scale on which pictures are drawn; printing makes it smaller."""
    return points(figure) * LETTERS / LETTERS_IN_PRINT


def points(figure: str) -> float:
    """The width of a figure in print."""
    return WIDTHS[figure] * POINTS_PER_MM


def fitted(spec: dict[str, Any], figure: str, measured: Callable[[dict[str, Any]], float]) -> dict[str, Any]:
    """The specification with plots so wide that the whole has the width of the figure.

    `measured` gives the width of a drawing. That of axes, names and legends does not change with the plots', so that
    two drawings say how wide the plots must be.
    """
    spec, wanted = deepcopy(spec), pixels(figure)
    if figure == "single":
        for view in _views(spec):
            if "columns" in view:
                view["columns"] = 1
        # Below the plots and below each other: legends beside them would leave them no width.
        below = {"orient": "bottom", "columns": 2, "layout": {"bottom": {"direction": "vertical"}}}
        spec.setdefault("config", {}).setdefault("legend", {}).update(below)
    _limit_names(spec, LONGEST_NAME[figure])
    wide = measured(spec)
    factor = wanted / wide
    for _ in range(2):
        narrow = measured(_at(spec, factor))
        if abs(narrow - wanted) < 1 or abs(wide - narrow) < 1:
            break
        slope = (wide - narrow) / (1 - factor)
        factor = max(NARROWEST, factor + (wanted - narrow) / slope)
    return _at(spec, factor)


def _at(spec: dict[str, Any], factor: float) -> dict[str, Any]:
    """The specification with plots that are wider or narrower by a factor; narrow ones are lower, too."""
    changed = deepcopy(spec)
    for view in _views(changed):
        _widen(view, factor)
        if isinstance(view.get("height"), int | float):
            view["height"] = round(view["height"] * sqrt(min(1.0, factor)), 2)
    assumed = changed.setdefault("config", {}).setdefault("view", {})
    assumed["continuousWidth"] = round(assumed.get("continuousWidth", 300) * factor, 2)
    return changed


def _widen(view: dict[str, Any], factor: float) -> None:
    size = view.get("width")
    if isinstance(size, dict) and "step" in size:
        size["step"] = round(size["step"] * factor, 3)
        axis = view.get("encoding", {}).get("x", {}).get("axis")
        if axis and size["step"] < LETTERS:  # names would lie on each other
            axis["labelOverlap"] = True
    elif isinstance(size, int | float):
        view["width"] = round(size * factor, 2)


def _views(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The specification and all views in it."""
    inner = [part for kind in VIEWS for part in spec.get(kind, [])]
    if isinstance(spec.get("spec"), dict):
        inner.append(spec["spec"])
    return [spec, *(view for part in inner for view in _views(part))]


def _limit_names(part: Any, most: int) -> None:
    """Shorten the names on axes, wherever they may be longer."""
    if isinstance(part, dict):
        if isinstance(part.get("labelLimit"), int | float):
            part["labelLimit"] = min(part["labelLimit"], most)
        for name, value in part.items():
            if name != "datasets":
                _limit_names(value, most)
    elif isinstance(part, list):
        for value in part:
            _limit_names(value, most)
