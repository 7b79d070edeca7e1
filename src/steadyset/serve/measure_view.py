"""Measure: recorded selections, pasted or dropped, with every measure, the pictures and a comparison of two."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from steadyset.foundation.errors import InputError
from steadyset.io.disk import write_durably
from steadyset.serve.examples import EXAMPLES
from steadyset.serve.report_view import report_response
from steadyset.serve.site import Site, site_of
from steadyset.serve.uploads import measured_file

SIDES = ("first", "second")
LAYOUTS = (
    "wide",
    "long",
    "columns",
    "rows",
    "ranks",
    "importances",
    "gmt",
    "gmx",
    "caret",
    "glmnet",
    "mlr3fselect",
    "boruta",
)
KEY = re.compile(r"[0-9a-f]{24}")


async def measure_page(request: Request) -> Response:
    """The form."""
    return site_of(request).page(request, "measure.html.j2", layouts=LAYOUTS, examples=EXAMPLES)


async def measure(request: Request) -> Response:
    """The measures of what the form holds."""
    site = site_of(request)
    form = {name: str(value) for name, value in (await request.form()).items()}
    inputs, options = _inputs(site, form), reading_options(form)
    found = await site.aside.call("measured", inputs, options)
    key = secrets.token_hex(12)
    write_durably(site.temporary / f"{key}.json", json.dumps([inputs, options]).encode())
    return site.page(request, "measured.html.j2", found=found, key=key)


async def measure_pictures(request: Request) -> Response:
    """The pictures of what was measured."""
    site = site_of(request)
    inputs, options = _asked(site, request)
    drawn = await site.aside.call("pictures", inputs, options)
    return site.page(request, "pictures.html.j2", pictures=drawn)


async def measure_report(request: Request) -> Response:
    """What was measured as a report."""
    site = site_of(request)
    inputs, options = _asked(site, request)
    return report_response(HTMLResponse(await site.aside.call("selections_page", inputs, options)), request)


def reading_options(form: Mapping[str, str]) -> dict[str, Any]:
    """How recorded selections are read, by the fields of the form."""
    options: dict[str, Any] = {}
    for field, name in (("n_features", "n_features"), ("top", "top")):
        text = form.get(field, "").strip()
        if text and not (text.isdecimal() and len(text) <= 9 and int(text) > 0):
            label = "“Number of features”" if field == "n_features" else "“Top”"
            raise InputError(f"{label} must be a whole number of at least 1 (got {text[:40]!r}).")
        if text:
            options[name] = int(text)
    for field in ("transpose", "header"):
        if form.get(field) in ("yes", "no"):
            options[field] = form[field] == "yes"
    for field in ("layout", "runs", "sheet"):
        if form.get(field, "").strip():
            options[field] = form[field].strip()
    return options


def _inputs(site: Site, form: Mapping[str, str]) -> list[tuple[str, str]]:
    inputs = []
    for side in SIDES:
        text, file = form.get(f"{side}_text", ""), form.get(f"{side}_file", "")
        if file:
            name = form.get(f"{side}_name", "").rpartition("/")[2][:80] or side
            inputs.append((name, str(measured_file(site, file))))
        elif text.strip():
            ending = "json" if text.lstrip()[:1] in "[{" else "txt"
            path = site.temporary / f"{side}-{secrets.token_hex(6)}.{ending}"
            path.write_text(text.replace("\r\n", "\n"), encoding="utf-8", errors="replace")
            inputs.append((side, str(path)))
    if not inputs:
        raise InputError("There is nothing to measure; paste selections, choose a file, or click an example.")
    if len(inputs) == 2 and inputs[0][0] == inputs[1][0]:
        inputs = [(f"{name} ({place})", path) for place, (name, path) in enumerate(inputs, 1)]
    return inputs


def _asked(site: Site, request: Request) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    key = request.path_params["key"]
    path = site.temporary / f"{key}.json"
    if not KEY.fullmatch(key) or not path.is_file():
        raise InputError("This measurement is gone; measure again.")
    inputs, options = json.loads(path.read_bytes())
    return [(name, file) for name, file in inputs], options
