"""The report as one HTML page, with everything in it: it opens offline and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.resources import files
from math import isnan
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from steadyset._version import __version__
from steadyset.assessment.baselines import NOT_ABOVE
from steadyset.findings import Core, Findings
from steadyset.findings.answer import SCALE, ranked
from steadyset.findings.cores import core_words
from steadyset.foundation import text as wording
from steadyset.foundation.text import shown_name
from steadyset.measures import get_measure
from steadyset.measures.scale import AT_CHANCE, BY_COLUMN_ORDER
from steadyset.plots.pages import drawing_library
from steadyset.reports.drawings import sections_of
from steadyset.reports.isolated_names import isolating
from steadyset.reports.page_data import page_data, script_safe
from steadyset.reports.report_tables import MOST_FEATURES, all_tables, bar_scale
from steadyset.reports.settings_told import settings_told

BAR = (3.0, 107.0)  # where the bar of an interval begins and ends


def page_of(found: Findings) -> str:
    """The page."""
    template = _template(isolating(_names(found)))
    return str(template.render(**_content(found)))


def _names(found: Findings) -> Iterator[str]:
    """What sentences and lists of the page name: procedures, and the features of cores and tables."""
    yield from (row.name for row in found.summary)
    yield from (name for core in found.cores for name in core.features)
    for row in (row for block in found.features for row in block.rows):
        yield row.feature
        yield from (one.feature for one in row.stand_ins)
    yield from (row.feature for row in found.ranking)


def _content(found: Findings) -> dict[str, Any]:
    sections, drawings = sections_of(found)
    tables = all_tables(found)
    return {
        "version": __version__,
        "today": datetime.now(UTC).strftime("%Y-%m-%d"),
        "found": found,
        "sections": sections,
        "several": len(found.summary) > 1,
        "answer_core": _answer_core(found),
        "tables": tables,
        "features": [table for name, table in tables.items() if name.startswith("features-")],
        "places": {name: place for place, name in enumerate(found.selections)},
        "scale_of_bars": bar_scale(found.summary),
        "settings": settings_told(found),
        "data": Markup(script_safe(page_data(found, tables))),
        "style": Markup(_shipped("page.css")),
        "drawings": Markup(drawings),
        "library": Markup(drawing_library()) if sections else "",
        "script": Markup(_shipped("live.js") + _shipped("page.js")),
    }


def _answer_core(found: Findings) -> Core | None:
    """The core of the procedure that the answer prefers, else of the steadiest whose selection says something."""
    nothing = (BY_COLUMN_ORDER, NOT_ABOVE, *AT_CHANCE)
    judged = [row.name for row in ranked(found.summary) if not isnan(row.stability) and row.verdict not in nothing]
    if not judged:
        return None
    steadiest = judged[0] if get_measure(found.measure).higher_is_steadier else judged[-1]
    preferred = None if found.preference is None else found.preference.preferred
    return next((core for core in found.cores if core.name == (preferred or steadiest)), None)


def _shipped(name: str) -> str:
    return files("steadyset.reports").joinpath(name).read_text(encoding="utf-8")


def content_digest(text: str) -> str:
    """What a content security policy calls a script or a style that stands in the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _place(value: float, low: float, high: float) -> str:
    """Where a value is on the bar of an interval."""
    return f"{BAR[0] + (BAR[1] - BAR[0]) * (value - low) / (high - low):.1f}"


def _template(isolated: Callable[[str], Markup]) -> Any:
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
        "isolated": isolated,
    }
    environment.globals |= {"scale": SCALE, "most_features": MOST_FEATURES}
    return environment.get_template("page.html.j2")
