"""What a person brings: recorded selections, which are measured, or a table, which is assessed or tuned.

Files from the browser are streamed to the disk under names of ours, and gone again if they do not arrive whole. How a
table was understood is shown before anything is run.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from steadyset.foundation.errors import InputError
from steadyset.foundation.text import lasting
from steadyset.io.disk import explained, write_durably, written_durably
from steadyset.options import options_of
from steadyset.serve.access import UPLOADS
from steadyset.serve.forms import fields, options_given, proposal
from steadyset.serve.run_store import Kind, Order, harmless_name, kind_of
from steadyset.serve.sandbox import TooLongError
from steadyset.serve.site import Site, go_to, report_response, view

ESTIMATE_SECONDS = 90.0
SIDES = ("first", "second")
MEASURED = "measure"  # uploads for it are not kept
KEY = re.compile(r"[0-9a-f]{24}")


# ---- assess and tune: from a table to an order ---------------------------------------------------------------------


@view("/shortlist")
@view("/assess")
@view("/tune")
async def start_page(site: Site, request: Request) -> Response:
    """Where a table is dropped or chosen."""
    kind = _kind(request.url.path.strip("/"))
    return site.page(request, "start.html.j2", kind=kind, tables=site.store.tables())


@view("/data")
async def data_page(site: Site, request: Request) -> Response:
    """How a table is understood, and once its target is known, what to run on it."""
    asked = request.query_params
    kind = _kind(asked.get("kind", "assess"))
    site.store.table(asked.get("file", ""))
    content: dict[str, Any] = {"understood": None, "complaint": "", "ways": []}
    try:
        path, *reading = _reading_call(site, kind, asked)
        content["understood"] = await site.sandbox.call("understood", path, *reading, keep=path)
    except InputError as error:
        content["complaint"] = site.without_paths(str(error))
        content["ways"] = [way for one in getattr(error, "ways", ()) if (way := proposal(one, asked)) is not None]
    name = site.store.free_name(asked.get("file", "run").rpartition("/")[2].partition(".")[0])
    return site.page(
        request,
        "data.html.j2",
        kind=kind,
        asked=asked,
        tables=site.store.tables(),
        options=options_of(kind.command),
        reading=fields(kind.command, "reading"),
        runs=fields(kind.command, "runs"),
        read=["file", "kind", *(option.name for option in fields(kind.command, "target", "reading"))],
        values={"jobs": site.cores, "out": name},
        **content,
    )


@view("/estimate", "POST")
async def estimate(site: Site, request: Request) -> Response:
    """How long the order will take, by runs that are tried out."""
    form = await _form(request)
    each: dict[str, str] = {}
    try:
        kind = _kind(form.get("kind", ""))
        options = _running(site, kind, form)
        path, reading, options["task"] = _reading_call(site, kind, form)
        at_once = min(int(options["jobs"]), site.cores)
        words, each = await site.sandbox.call(
            kind.estimate, path, reading, options, at_once, seconds=ESTIMATE_SECONDS, keep=path
        )
    except TooLongError:
        words = f"Unknown: the first runs alone take longer than {lasting(ESTIMATE_SECONDS)}."
    except InputError as error:
        words = site.without_paths(str(error))
    return site.page(request, "estimate.html.j2", words=words, each=each)


@view("/runs", "POST")
async def order(site: Site, request: Request) -> Response:
    """Put an order into the queue, and show its run."""
    form = await _form(request)
    kind = _kind(form.get("kind", ""))
    name = form.get("out", "").strip()
    if site.store.place(name).exists():
        raise InputError(f"There is a folder {name!r} already; choose another name.")
    options = _running(site, kind, form)
    # What cannot be read or drawn is not put into the queue.
    path, reading, task = _reading_call(site, kind, form)
    if await site.sandbox.call("fixed_runs", path, reading, task, options.get("resampling", "subsample"), keep=path):
        options.pop("runs", None)
    reading = options_given(kind.command, form, "target", "reading")
    options = {"file": form.get("file", ""), **reading, **options, "out": name}
    site.queue.submit(name, Order(kind.command, options, cores=int(options["jobs"])))
    return go_to(request, f"/runs/{name}")


def _kind(command: str) -> Kind:
    kind = kind_of(command)
    if kind is None:
        raise InputError("This page does not know what to do with the table; begin at “List”, “Assess” or “Tune”.")
    return kind


async def _form(request: Request) -> QueryParams:
    return QueryParams([(name, str(value)) for name, value in (await request.form()).multi_items()])


def _reading_call(site: Site, kind: Kind, form: QueryParams) -> tuple[str, dict[str, Any], str | None]:
    """The arguments of what reads a table in the sandbox: the file, the arguments of `load_data`, and the task."""
    reading = options_given(kind.command, form, "target", "reading")
    task = reading.pop("task", None)
    if "samples" in reading:
        reading["samples"] = str(site.store.table(reading["samples"]))
    return str(site.store.table(form.get("file", ""))), reading, task


def _running(site: Site, kind: Kind, form: QueryParams) -> dict[str, Any]:
    """What is run, by the fields of the form; a field that is missing has the value with which the form shows it."""
    shown = {one.name: one.field.value or one.default for one in fields(kind.command, "runs") if one.field is not None}
    given = options_given(kind.command, form, "order", "runs")
    options = {**shown, "jobs": site.cores, **given}
    if "selector" in options_of(kind.command) and not options.get("selector"):
        raise InputError("Choose at least one selector.")
    return {name: value for name, value in options.items() if value is not None}


# ---- measure: recorded selections, pasted or dropped ---------------------------------------------------------------


@view("/measure")
async def measure_page(site: Site, request: Request) -> Response:
    """The form."""
    return site.page(
        request,
        "measure.html.j2",
        universe=fields("measure", "measure"),
        reading=fields("measure", "lists"),
    )


@view("/measure", "POST")
async def measure(site: Site, request: Request) -> Response:
    """The measures of what the form holds."""
    form = await _form(request)
    known = options_of("measure")
    given = options_given("measure", form, "measure", "lists")
    options = {known[name].argument or name: value for name, value in given.items()}
    inputs = _inputs(site, form)
    found = await site.sandbox.call("measured", inputs, options)
    key = secrets.token_hex(12)
    write_durably(site.temporary / f"{key}.json", json.dumps([inputs, options]).encode())
    return site.page(request, "measured.html.j2", found=found, key=key)


@view("/measure/{key}/pictures")
async def measure_pictures(site: Site, request: Request, key: str) -> Response:
    """The pictures of what was measured."""
    inputs, options = _asked(site, key)
    drawn = await site.sandbox.call("pictures", inputs, options)
    return site.page(request, "pictures.html.j2", pictures=drawn)


@view("/measure/{key}/report")
async def measure_report(site: Site, request: Request, key: str) -> Response:
    """What was measured as a report."""
    inputs, options = _asked(site, key)
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


def _asked(site: Site, key: str) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    path = site.temporary / f"{key}.json"
    if not KEY.fullmatch(key) or not path.is_file():
        raise InputError("This measurement is gone; measure again.")
    inputs, options = json.loads(path.read_bytes())
    return [(name, file) for name, file in inputs], options


# ---- files from the browser -----------------------------------------------------------------------------------------


@view(UPLOADS, "PUT")
async def upload(site: Site, request: Request) -> Response:
    """Take a file whose content is the body of the request; answer with the name that it got."""
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
