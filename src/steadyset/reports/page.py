"""The report as one HTML page, with everything in it: it opens offline and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from steadyset import wording
from steadyset._version import __version__
from steadyset.errors import MissingExtraError
from steadyset.findings import Findings
from steadyset.io.labels import shown_name
from steadyset.plots import pictures_for
from steadyset.reports.page_data import page_data, script_safe
from steadyset.reports.report_tables import MOST_FEATURES, all_tables, bar_scale
from steadyset.reports.settings_told import settings_told
from steadyset.reports.slim_svg import slim_svgs

BAR = (3.0, 107.0)  # where the bar of an interval begins and ends


def page_of(found: Findings) -> str:
    """The page."""
    template = _template()
    return str(template.render(**_content(found)))


def _content(found: Findings) -> dict[str, Any]:
    from markupsafe import Markup

    pictures = [
        {
            "name": record.name,
            "title": record.title,
            "caption": record.caption,
            "drawn": slim_svgs({name: one.svg() for name, one in record.of(found).items()}, record.name, record.title),
        }
        for record in pictures_for(found)
    ]
    tables = all_tables(found)
    return {
        "version": __version__,
        "today": datetime.now(UTC).strftime("%Y-%m-%d"),
        "found": found,
        "pictures": pictures,
        "several": len(found.summary) > 1,
        "tables": tables,
        "features": [table for name, table in tables.items() if name.startswith("features-")],
        "places": {name: place for place, name in enumerate(found.selections)},
        "scale_of_bars": bar_scale(found.summary),
        "settings": settings_told(found),
        "data": Markup(script_safe(page_data(found, tables))),
        "style": Markup(_shipped("page.css")),
        "script": Markup(_shipped("page.js")),
    }


def _shipped(name: str) -> str:
    return files("steadyset.reports").joinpath(name).read_text(encoding="utf-8")


def content_digest(text: str) -> str:
    """What a content security policy calls a script or a style that stands in the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _place(value: float, low: float, high: float) -> str:
    """Where a value is on the bar of an interval."""
    return f"{BAR[0] + (BAR[1] - BAR[0]) * (value - low) / (high - low):.1f}"


def _template() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, select_autoescape
    except ImportError:
        raise MissingExtraError('The report needs jinja2: pip install "steadyset[report]".') from None
    from steadyset.findings.answer import SCALE
    from steadyset.findings.cores import core_words

    environment = Environment(
        loader=PackageLoader("steadyset.reports", "."),
        autoescape=select_autoescape(["html.j2"], default=True),
        trim_blocks=True,
        lstrip_blocks=True,
        # Names come from strangers: control characters and halves of characters are written out.
        finalize=lambda value: shown_name(value) if type(value) is str else value,
    )
    environment.filters |= {
        "percent": wording.percent,
        "counted": wording.counted,
        "core": core_words,
        "digest": content_digest,
        "place": _place,
    }
    environment.globals |= {"scale": SCALE, "most_features": MOST_FEATURES}
    return environment.get_template("page.html.j2")
