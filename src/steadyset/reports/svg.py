"""A drawing as it stands in the page: small, an image with a name, and in the way of no other drawing."""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise
from math import nan
from typing import NamedTuple

from steadyset.foundation.text import shown_name

TAG = re.compile(r"<[a-zA-Z][^<>]*>")
DECIMALS = re.compile(r"(\d\.\d\d)\d+")
IDENTIFIED = re.compile(r'( id="|url\(#)')
GEOMETRY = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|cx|cy|width|height|opacity)="[^"]*"')
NEEDLESS = re.compile(r' opacity="1"| role="[^"]*"| aria-[a-z]+="[^"]*"')
FONT = re.compile(r' font-family="[^"]*"')
PATH = r'<path d="[^"]*"(?: [a-z-]+="[^"]*")*/>'
PATHS = re.compile(f"(?:{PATH}){{2,}}")
ONE_PATH = re.compile(r'<path d="([^"]*)"((?: [a-z-]+="[^"]*")*)/>')
OUTLINE = re.compile(r"M(-?[\d.]+),(-?[\d.]+)h(-?[\d.]+)v(-?[\d.]+)h-?[\d.]+Z$")
FILLED = re.compile(r'(?: fill="[^"]*"| opacity="[^"]*")*')
ROUNDING = 0.011  # of coordinates


class Rectangle(NamedTuple):
    """A rectangle of a grid."""

    x: float
    y: float
    width: float
    height: float


def slim_svg(svg: str, prefix: str, name: str, *, fonts: bool = True) -> str:
    """The drawing; for those who do not see it, it is one image with a name: what it shows is in the tables.

    Without `fonts` its letters are those of what surrounds it.
    """
    small = PATHS.sub(_joined, TAG.sub(lambda found: _slim(found[0], prefix, fonts), svg))
    return small.replace("<svg ", f'<svg role="img" aria-label="{escape(shown_name(name))}" ', 1)


def _slim(tag: str, prefix: str, fonts: bool) -> str:
    text = GEOMETRY.sub(lambda one: DECIMALS.sub(r"\1", one[0]), NEEDLESS.sub("", tag))
    text = text if fonts else FONT.sub("", text)
    return IDENTIFIED.sub(rf"\1{prefix}-", text)


def _joined(found: re.Match[str]) -> str:
    """Cells of a grid as one path for each colour: they do not overlap, so that their order does not matter."""
    paths = ONE_PATH.findall(found[0])
    cells = _grid([outline for outline, _ in paths])
    if cells is None or any(not FILLED.fullmatch(look) for _, look in paths):
        return found[0]
    by_look: dict[str, list[Rectangle]] = {}
    for cell, (_, look) in zip(cells, paths, strict=True):
        by_look.setdefault(look, []).append(cell)
    thick = f'stroke-width="{cells[0].height:g}"'
    return "".join(
        f'<path d="{_lines(of_one)}" fill="none"{look.replace(" fill=", " stroke=")} {thick}/>'
        for look, of_one in by_look.items()
    )


def _lines(cells: list[Rectangle]) -> str:
    """Cells as thick lines along the rows: one for cells that touch, and each begins where the last one ends."""
    written: list[tuple[str, float]] = []
    end = row = nan
    for cell in sorted(cells, key=lambda one: (one.y, one.x)):
        if cell.y == row and abs(cell.x - end) <= ROUNDING:
            written[-1] = (written[-1][0], round(written[-1][1] + cell.width, 2))
        elif cell.y == row:
            written.append((f"m{round(cell.x - end, 2):g},0", cell.width))
        else:
            written.append((f"M{cell.x:g},{cell.y + cell.height / 2:.6g}", cell.width))
        row, end = cell.y, round(cell.x + cell.width, 2)
    return "".join(f"{move}h{width:g}" for move, width in written)


def _grid(outlines: list[str]) -> list[Rectangle] | None:
    """The cells, if these are rectangles of one size, in columns and rows that do not overlap."""
    found = [OUTLINE.match(outline) for outline in outlines]
    cells = [Rectangle(*map(float, one.groups())) for one in found if one]
    if len(cells) < len(outlines) or len(set(cells)) < len(cells):
        return None
    columns, rows, widths, heights = (set(part) for part in zip(*cells, strict=True))
    return cells if _are_apart(columns, widths) and _are_apart(rows, heights) else None


def _are_apart(places: set[float], sizes: set[float]) -> bool:
    room = max(sizes) - ROUNDING
    return max(sizes) - min(sizes) <= ROUNDING and all(y - x >= room for x, y in pairwise(sorted(places)))
