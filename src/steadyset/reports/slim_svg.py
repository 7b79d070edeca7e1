"""Drawings as they stand in the page: small, each an image with a name, and none in the way of another."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup, escape

from steadyset.io.labels import shown_name

MOST_LABELLED = 300_000  # characters of one kind of picture, above which its marks lose their labels
TAG = re.compile(r"<[a-zA-Z][^<>]*>")
DECIMALS = re.compile(r"(\d\.\d\d)\d+")
MARK_ROLES = re.compile(r' role="graphics-(?:symbol|object)"| aria-roledescription="[^"]*"')
LABEL = re.compile(r' aria-label="([^"]*)"')
IDENTIFIED = re.compile(r'( id="|url\(#)')
GEOMETRY = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|cx|cy|width|height)="[^"]*"')


def slim_svgs(drawn: Mapping[str, str], kind: str, title: str) -> dict[str, Markup]:
    """The drawings of one kind by procedure; the script of the page shows the label of a mark as its tooltip."""
    small = {name: _slim(svg, f"{kind}-{place}-") for place, (name, svg) in enumerate(drawn.items())}
    if sum(map(len, small.values())) > MOST_LABELLED:
        small = {name: TAG.sub(_without_label, svg) for name, svg in small.items()}
    return {name: _named(svg, f"{title}: {shown_name(name)}" if name else title) for name, svg in small.items()}


def _slim(svg: str, prefix: str) -> str:
    def tag(found: re.Match[str]) -> str:
        text = MARK_ROLES.sub("", found[0])
        text = GEOMETRY.sub(lambda one: DECIMALS.sub(r"\1", one[0]), text)
        return IDENTIFIED.sub(rf"\1{prefix}", LABEL.sub(r' data-label="\1"', text))

    return TAG.sub(tag, svg)


def _without_label(found: re.Match[str]) -> str:
    return re.sub(r' data-label="[^"]*"', "", found[0])


def _named(svg: str, title: str) -> Markup:
    """For those who do not see it, a drawing is one image; what it shows is in the tables."""
    return Markup(svg.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1))
