"""How pictures are drawn: as a page of their own, at the widths of print, small within a page; how wide a text is."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from functools import cache
from html import escape
from math import sqrt
from typing import Any

from steadyset.foundation.errors import Argument, InputError, MissingExtraError
from steadyset.foundation.memory import memory_limit
from steadyset.foundation.text import shown_name
from steadyset.io.disk import write_durably
from steadyset.kernels.jit import FOLDER

WIDTHS = {"single": 85.0, "double": 180.0}  # millimetres: one column of a page, and both
LETTERS = 11.0  # pixels: the letters of axes on a screen
LETTERS_IN_PRINT = 7.0  # points
PRINT_PPI = 600
POINTS_PER_MM = 72 / 25.4
LONGEST_NAME = {"single": 90, "double": 160}  # pixels
VIEWS = ("hconcat", "vconcat", "concat", "layer")
ENGINE_BYTES = 100 << 30  # of addresses: with 64 GiB the engine of drawings does not start, with 80 GiB it does
NARROWEST = 0.08  # of the width on a screen
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>steadyset</title>
<style>body {{ margin: 1rem; background: white; }} #picture {{ max-width: 100%; overflow-x: auto; }}</style>
</head>
<body>
<div id="picture"></div>
<script>{library}</script>
<script>
vegaEmbed("#picture", {specification}, {{renderer: "svg", ast: true, actions: {{export: true, source: false, compiled: false, editor: false}}}});
</script>
</body>
</html>
"""  # noqa: E501
# In Liberation Sans, which has the widths of Helvetica and Arial, in hundredths of the size of the letters.
LETTER_WIDTHS = {
    19: "'", 22: "ijl", 26: "|", 28: " !,./:;I[\\]ft", 33: "()-`r{}", 35: '"', 39: "*", 47: "^", 50: "Jcksvxyz",
    56: "#$0123456789?L_abdeghnopqu", 58: "+<=>~", 61: "FTZ", 67: "&ABEKPSVXY", 72: "CDHNRUw", 78: "GOQ", 83: "Mm",
    89: "%", 94: "W", 102: "@",
}  # fmt: skip
LETTER_SIZES = {letter: width / 100 for width, letters in LETTER_WIDTHS.items() for letter in letters}
ROUNDING, ELLIPSIS = 1e-6, "…"
BOLD = 1.08  # times as wide, as a rule


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


def converter() -> Any:
    """Return vl-convert; raise MissingExtraError if it is not installed, InputError if it cannot start.

    Its JavaScript engine reserves 80 GB of addresses when it starts, though it uses little memory, and ends the whole
    process if it may not.
    """
    limit = memory_limit()
    if limit is not None and limit < ENGINE_BYTES:
        raise InputError(
            f"Pictures cannot be drawn under the limit of memory of {limit / 1e9:.1f} GB (`ulimit -v`). "
            "Write the report without pictures with ",
            Argument("format", "md"),
            ", or draw them on a computer without this limit.",
        )
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError('Saving pictures needs vl-convert: pip install "steadyset[report]".') from None
    return vl_convert


@cache
def drawing_library() -> str:
    """The JavaScript of Vega, Vega-Lite and Vega-Embed: it sets vegaEmbed, vega and vegaLite, and may stand in a page.

    Putting it together takes a second of processor time, so it is kept next to the compiled kernels.
    """
    return f"(() => {{{_kept_bundle(converter())}\n}})();"  # its own names stay within


def _kept_bundle(vl_convert: Any) -> str:
    """Return the libraries of this version of vl-convert from the folder of the user, where they are put once."""
    if FOLDER is None:
        return str(vl_convert.javascript_bundle())
    path = FOLDER / f"drawing-{vl_convert.__version__}.js"
    with suppress(OSError, ValueError):
        digest, _, text = path.read_bytes().decode().partition("\n")
        if digest == hashlib.sha256(text.encode()).hexdigest():  # else it was cut off
            return text
    text = str(vl_convert.javascript_bundle())
    with suppress(OSError):
        write_durably(path, f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}".encode())
    return text


def script_json(value: Any) -> str:
    """JSON that may stand within a script: names in it cannot end the script."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page(specification: Mapping[str, Any]) -> str:
    """A specification of Vega-Lite as HTML."""
    return PAGE.format(library=drawing_library(), specification=script_json(specification))


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text; that of other alphabets is a careful guess."""
    return sum(map(_letter, text)) * size * (BOLD if bold else 1)


def wrapped(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Lines that are no wider than that: broken between words, and within a word that is wider."""
    lines, line, used = [], "", 0.0
    space = text_width(" ", size, bold=bold)
    for word in text.split():
        needed = text_width(word, size, bold=bold)
        if line and used + space + needed <= width + ROUNDING:
            line, used = f"{line} {word}", used + space + needed
            continue
        if line:
            lines.append(line)
        *full, line = _pieces(word, width, size, bold)
        lines += full
        used = text_width(line, size, bold=bold)
    return [*lines, line] if line or not lines else lines


def shortened(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """A text that is no wider than that: the end of a longer one is left out."""
    if text_width(text, size, bold=bold) <= width:
        return text
    kept = _pieces(text, width - text_width(ELLIPSIS, size, bold=bold), size, bold)[0]
    return kept.rstrip() + ELLIPSIS


def _pieces(word: str, width: float, size: float, bold: bool) -> list[str]:
    """A word in pieces that are no wider than that; a mark stays with the letter that carries it."""
    pieces, piece, used = [], "", 0.0
    for letter in word:
        needed = text_width(letter, size, bold=bold)
        if piece and needed and used + needed > width + ROUNDING:
            pieces.append(piece)
            piece, used = "", 0.0
        piece, used = piece + letter, used + needed
    return [*pieces, piece]


@cache
def _letter(letter: str) -> float:
    if letter in LETTER_SIZES:
        return LETTER_SIZES[letter]
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.8 if letter.isupper() else 0.65


TAG = re.compile(r"<[a-zA-Z][^<>]*>")
DECIMALS = re.compile(r"(\d\.\d\d)\d+")
IDENTIFIED = re.compile(r'( id="|url\(#)')
GEOMETRY = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|cx|cy|width|height|opacity)="[^"]*"')
NEEDLESS = re.compile(r' opacity="1"| role="[^"]*"| aria-[a-z]+="[^"]*"')
FONT = re.compile(r' font-family="[^"]*"')
RECTANGLE = re.compile(r"M(-?[\d.]+),(-?[\d.]+)(h[\d.]+)v([\d.]+)h-[\d.]+Z")
OUTLINE = re.compile(r' d="([^"]*)"')
FILLED_ALIKE = re.compile(r'<path d="[^"]*"( fill="[^"]*")/>(?:<path d="[^"]*"\1/>)+')  # one after the other, opaque


def slim_svg(svg: str, prefix: str, name: str, *, fonts: bool = True) -> str:
    """The drawing; for those who do not see it, it is one image with a name: what it shows is in the tables.

    Without `fonts` its letters are those of what surrounds it.
    """

    def slim(tag: re.Match[str]) -> str:
        text = GEOMETRY.sub(lambda one: DECIMALS.sub(r"\1", one[0]), NEEDLESS.sub("", tag[0]))
        return IDENTIFIED.sub(rf"\1{prefix}-", text if fonts else FONT.sub("", text))

    def joined(paths: re.Match[str]) -> str:
        outline, look = "".join(OUTLINE.findall(paths[0])), paths[1]
        if not RECTANGLE.sub("", outline) and len(heights := {one[4] for one in RECTANGLE.finditer(outline)}) == 1:
            # Rectangles of one height are thick lines, which take half of the letters.
            outline = RECTANGLE.sub(lambda one: f"M{one[1]},{float(one[2]) + float(one[4]) / 2:.6g}{one[3]}", outline)
            look = f' fill="none"{look.replace("fill", "stroke")} stroke-width="{heights.pop()}"'
        return f'<path d="{outline}"{look}/>'

    small = FILLED_ALIKE.sub(joined, TAG.sub(slim, svg))
    return small.replace("<svg ", f'<svg role="img" aria-label="{escape(shown_name(name))}" ', 1)
