"""The figures of the page: drawn for readers without JavaScript, and packed for the script that draws them live."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from steadyset.findings import Findings
from steadyset.foundation.text import shown_name
from steadyset.plots import Picture, pictures_for
from steadyset.plots.catalogue import RegisteredPicture
from steadyset.plots.pages import converter
from steadyset.reports.slim_svg import slim_svg


@dataclass(frozen=True)
class Drawing:
    """One figure: of a procedure or, without its name, of all; the note stands below it as text."""

    key: str
    procedure: str
    note: str
    svg: Markup


@dataclass(frozen=True)
class Section:
    """The figures of one kind of picture."""

    name: str
    title: str
    caption: str
    drawings: tuple[Drawing, ...]


def sections_of(found: Findings) -> tuple[list[Section], str]:
    """What stands in the page, and what the script unpacks: specifications of Vega-Lite by the keys of the figures."""
    specifications: dict[str, Any] = {}
    waiting = []
    # To draw takes as long as to specify, and another thread does it.
    with ThreadPoolExecutor(1) as thread:
        for record in pictures_for(found):
            drawn = []
            for key, name, picture in _pictures(record, found):
                specification = _specification(record, name, picture)
                specifications[key] = specification
                drawn.append(
                    (key, name, picture.note, thread.submit(_drawn, json.dumps(_without_words(specification))))
                )
            waiting.append((record, drawn))
        sections = [
            Section(
                record.name,
                record.title,
                record.caption,
                tuple(
                    Drawing(key, name, note, _still(svg.result(), key, specifications[key]))
                    for key, name, note, svg in drawn
                ),
            )
            for record, drawn in waiting
        ]
    return sections, packed(specifications)


def packed(content: Any) -> str:
    """JSON, compressed and written in letters that end no element of a page."""
    return base64.b64encode(gzip.compress(json.dumps(content, allow_nan=False).encode(), mtime=0)).decode()


def _pictures(record: RegisteredPicture, found: Findings) -> Iterator[tuple[str, str, Picture]]:
    for place, (name, picture) in enumerate(record.of(found).items()):
        yield f"{record.name}-{place}", name, picture


def _specification(record: RegisteredPicture, name: str, picture: Picture) -> dict[str, Any]:
    """Without the note, which stands in the page, and on the ground of the page."""
    specification = replace(picture, note="").specification()
    specification.pop("$schema", None)
    of = f": {shown_name(name)}" if name else ""
    words = [f"{record.title}{of}.", picture.description, record.caption, shown_name(picture.note)]
    return specification | {"background": None, "description": " ".join(filter(None, words))}


def _without_words(part: Any) -> Any:
    """A specification whose marks have no tooltips and no labels: nobody can ask a drawing for them."""
    if isinstance(part, list):
        return [_without_words(one) for one in part]
    if not isinstance(part, dict):
        return part
    rows = ("datasets", "values")
    changed = {key: one if key in rows else _without_words(one) for key, one in part.items() if key != "tooltip"}
    return changed | {"config": changed["config"] | {"aria": False}} if "config" in changed else changed


def _still(svg: str, key: str, specification: Mapping[str, Any]) -> Markup:
    return Markup(slim_svg(svg, key, specification["description"], fonts=False))


def _drawn(specification: str) -> str:
    return str(converter().vegalite_to_svg(specification))
