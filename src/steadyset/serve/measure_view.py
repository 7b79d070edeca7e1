"""Measure: recorded selections, pasted or dropped, with every measure, the pictures and a comparison of two.

Files from the browser are streamed to the disk under names of ours, and gone again if they do not arrive whole.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from steadyset.foundation.errors import InputError
from steadyset.io.disk import explained, write_durably, written_durably
from steadyset.options import options_of
from steadyset.serve.forms import fields, options_given
from steadyset.serve.run_store import harmless_name
from steadyset.serve.site import Site, report_response, site_of

SIDES = ("first", "second")
MEASURED = "measure"  # uploads for it are not kept
KEY = re.compile(r"[0-9a-f]{24}")


async def measure_page(request: Request) -> Response:
    """The form."""
    return site_of(request).page(
        request,
        "measure.html.j2",
        examples=EXAMPLES,
        universe=fields("measure", "measure"),
        reading=fields("measure", "lists"),
    )


async def measure(request: Request) -> Response:
    """The measures of what the form holds."""
    site = site_of(request)
    form = QueryParams([(name, str(value)) for name, value in (await request.form()).multi_items()])
    known = options_of("measure")
    given = options_given("measure", form, "measure", "lists")
    options = {known[name].argument or name: value for name, value in given.items()}
    inputs = _inputs(site, form)
    found = await site.sandbox.call("measured", inputs, options)
    key = secrets.token_hex(12)
    write_durably(site.temporary / f"{key}.json", json.dumps([inputs, options]).encode())
    return site.page(request, "measured.html.j2", found=found, key=key)


async def measure_pictures(request: Request) -> Response:
    """The pictures of what was measured."""
    site = site_of(request)
    inputs, options = _asked(site, request)
    drawn = await site.sandbox.call("pictures", inputs, options)
    return site.page(request, "pictures.html.j2", pictures=drawn)


async def measure_report(request: Request) -> Response:
    """What was measured as a report."""
    site = site_of(request)
    inputs, options = _asked(site, request)
    return report_response(HTMLResponse(await site.sandbox.call("selections_page", inputs, options)), request)


def _inputs(site: Site, form: Mapping[str, str]) -> list[tuple[str, str]]:
    inputs = []
    for side in SIDES:
        text, file = form.get(f"{side}_text", ""), form.get(f"{side}_file", "")
        if file:
            name = form.get(f"{side}_name", "").rpartition("/")[2][:80] or side
            inputs.append((name, str(_measured_file(site, file))))
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


# ---- files from the browser -----------------------------------------------------------------------------------------


async def upload(request: Request) -> Response:
    """Take a file whose content is the body of the request; answer with the name that it got."""
    site = site_of(request)
    given = request.query_params.get("name", "")
    measured = request.query_params.get("for") == MEASURED
    target = site.temporary / harmless_name(given) if measured else site.store.new_table(given)
    await _streamed(request, target)
    return JSONResponse({"name": target.name if measured else target.relative_to(site.store.path).as_posix()})


async def _streamed(request: Request, target: Path) -> None:
    size = 0
    try:
        with explained(target), written_durably(target) as beside, beside.open("wb") as file:
            async for part in request.stream():
                size += len(part)
                file.write(part)
            file.flush()
            if not size:
                raise InputError("The file is empty.")
    except ClientDisconnect:
        raise InputError("The file did not arrive whole.") from None


def _measured_file(site: Site, name: str) -> Path:
    """An upload that is to be measured, by the name that it got."""
    path = site.temporary / name
    if not name or "/" in name or name.startswith(".") or not path.is_file() or path.resolve().parent != site.temporary:
        raise InputError("The uploaded file is gone; choose it again.")
    return path


# ---- selections to click on: small inputs of each kind --------------------------------------------------------------


class Example(NamedTuple):
    """A title, what is shown by it, and what goes into the form."""

    title: str
    words: str
    first: str
    second: str = ""
    features: str = ""


_STEADY = """\
a,b,c,d,e,f,g,h
1,1,1,0,0,0,0,0
1,1,0,1,0,0,0,0
1,1,1,0,0,0,0,0
1,1,1,0,0,0,0,0
1,1,0,0,1,0,0,0
1,1,1,0,0,0,0,0
"""
_UNSTEADY = """\
a,b,c,d,e,f,g,h
1,0,1,0,0,1,0,0
0,1,0,1,0,0,1,0
1,0,0,0,1,0,0,1
0,0,1,1,0,1,0,0
1,1,0,0,0,0,1,0
0,0,1,0,1,0,0,1
"""
_LISTS = """\
run 1,run 2,run 3,run 4
TP53,TP53,BRCA1,TP53
BRCA1,EGFR,TP53,BRCA1
EGFR,BRCA1,KRAS,EGFR
KRAS,MYC,EGFR,PTEN
"""
_LONG = """\
run,feature
1,age
1,glucose
1,bmi
2,age
2,glucose
3,age
3,glucose
3,pressure
4,age
4,bmi
4,glucose
"""
_RANKS = """\
run,age,glucose,bmi,pressure,insulin
1,1,2,3,4,5
2,1,3,2,4,5
3,2,1,3,5,4
4,1,2,3,4,5
"""

EXAMPLES = (
    Example("0/1 matrix", "one row per run, one column per feature", _STEADY),
    Example("Two procedures", "a steady one and an unsteady one, compared", _STEADY, _UNSTEADY),
    Example("Lists of genes", "one column per run, out of 20,000 genes", _LISTS, features="20000"),
    Example("Long table", "one row per run and feature, out of 8", _LONG, features="8"),
    Example("Ranks", "every feature ranked in every run", _RANKS),
)
