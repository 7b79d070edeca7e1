"""What a person brings: recorded selections, which are measured, or a table, which is assessed or tuned.

Files from the browser are streamed to the disk under names of ours, and gone again if they do not arrive whole. How a
table was understood is shown before anything is run.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Collection, Coroutine, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from steadyset.foundation.errors import InputError
from steadyset.foundation.job import Job
from steadyset.foundation.text import lasting
from steadyset.io.disk import explained, write_durably, written_durably
from steadyset.options import options_of
from steadyset.serve.access import UPLOADS
from steadyset.serve.forms import (
    SPACE,
    copied,
    fields,
    filled,
    guessed,
    is_column,
    methods_of,
    options_given,
    predicted,
    proposal,
    sized,
    space_given,
    with_role,
)
from steadyset.serve.run_store import KINDS, Kind, Order, harmless_name, kind_of
from steadyset.serve.sandbox import TooLongError
from steadyset.serve.site import Site, go_to, report_response, view

ESTIMATE_SECONDS, LOOK_SECONDS = 90.0, 0.5
SIDES = ("first", "second")
MEASURED = "measure"  # uploads for it are not kept
KEY = re.compile(r"[0-9a-f]{24}")
# Examples of one click: what is done with which table, and its target.
EXAMPLES = {
    "array": ("shortlist", "example-array.csv", "tumour"),
    "tumours": ("shortlist", "example-tumours.csv", "diagnosis"),
    "methods": ("tune", "example-tumours.csv", "diagnosis"),
}


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
    """How a table is understood, and once its target is known, what to run on it; the address holds every field."""
    asked = _lines(request.query_params.multi_items())
    kind = _kind(asked.get("kind", KINDS[0].command))
    if "role" in asked:
        return RedirectResponse(with_role(kind.command, asked, asked["role"]), 303)
    site.store.table(asked.get("file", ""))
    content: dict[str, Any] = {"understood": None, "complaint": "", "ways": [], "guess": {}}
    columns = predicted(kind.command)

    async def understood(form: QueryParams, apart: Collection[str] = ()) -> Any:
        path, reading, task = _reading_call(site, kind, form)
        reading = {name: value for name, value in reading.items() if name not in apart}
        return await site.sandbox.call(
            "understood", path, reading, task, "space" in options_of(kind.command), keep=path
        )

    try:
        content["understood"] = told = await understood(asked)
        if told["preview"] and not any(name in asked for name in columns):
            guess = guessed(kind.command, dict.fromkeys([*told["candidates"], *told["preview"]["columns"]]))
            guessing = QueryParams([*asked.multi_items(), *guess.items()])
            try:
                content |= {"understood": await understood(guessing), "guess": guess}
                asked = guessing
            except InputError as error:
                if getattr(error, "ways", ()):  # the columns are what they are called, and another is in the way
                    content["guess"], asked = guess, guessing
                    raise
    except InputError as error:
        content["complaint"] = site.without_paths(str(error))
        content["ways"] = [way for one in getattr(error, "ways", ()) if (way := proposal(one, asked)) is not None]
        with suppress(InputError):  # what else could be predicted can still be shown
            content["understood"] = await understood(asked, apart=columns)
    read = filled(kind.command, asked, "target", "columns", "reading")
    # Another kind of order has other settings, also where they have the same names.
    same = QueryParams(asked if asked.get("was", kind.command) == kind.command else "")
    settings = filled(kind.command, same, "order", "ask", "runs")
    name = same.get("out", "") or asked.get("file", "run").rpartition("/")[2].partition(".")[0]
    first = {**filled(kind.command, QueryParams(""), "ask", "runs"), "jobs": str(site.cores)}
    settings |= {"out": site.store.free_name(name), "jobs": same.get("jobs", first["jobs"])}
    selectors, size = methods_of(same.getlist("selector"))
    if not selectors and content["understood"]:
        selectors = content["understood"].get("defaults", [])
    presets = _presets(kind, first)
    return site.page(
        request,
        "data.html.j2",
        kind=kind,
        kinds=KINDS,
        asked=asked,
        tables=site.store.tables(),
        options=options_of(kind.command),
        roles=[one for one in fields(kind.command, "target", "columns") if is_column(one)],
        targets=[read[name] for name in predicted(kind.command) if read[name]],
        reading=fields(kind.command, "target", "columns", "reading"),
        changed=any(read[option.name] for option in fields(kind.command, "reading")),
        asking=fields(kind.command, "ask"),
        runs=fields(kind.command, "runs"),
        values={"resampling_parameters": same.get("resampling_parameters", ""), **read, **settings},
        selectors=selectors,
        size=same.get("size", size),
        scores=same.getlist("score"),
        limits={name: same.getlist(name) for name in SPACE},
        presets=presets,
        chosen_preset=next((one for one, _, _, held in presets if held.items() <= settings.items()), ""),
        cores=site.cores,
        **content,
    )


def _presets(kind: Kind, first: Mapping[str, str]) -> list[tuple[str, str, str, dict[str, str]]]:
    """How thorough an order may be: what a choice is called, and what it puts into which fields."""
    quick = {one.name: one.field.quick for one in fields(kind.command, "ask", "runs") if one.field and one.field.quick}
    few = ", ".join(f"{value} {options_of(kind.command)[name].field.label.lower()}" for name, value in quick.items())  # type: ignore[union-attr]
    return [
        ("paper", "For a paper", "as many as the answer needs", {name: first[name] for name in quick}),
        ("quick", "Quick look", few, quick),
    ]


@view("/examples/{name}", "POST")
async def example(site: Site, request: Request, name: str) -> Response:
    """Put an example into the folder, and show its form."""
    kind, table, target = EXAMPLES.get(name, EXAMPLES["array"])
    path = site.store.new_table(table, exact=True)
    if not path.exists():
        await site.sandbox.call("write_example", table, str(path))
    file = quote(path.relative_to(site.store.path).as_posix())
    return Response(headers={"HX-Redirect": f"/data?kind={kind}&file={file}&target={target}"})


@view("/help")
async def help_page(site: Site, request: Request) -> Response:
    """What people ask first."""
    return site.page(request, "help.html.j2", methods=await site.sandbox.call("methods_in_short"))


@view("/estimate", "POST")
async def estimate(site: Site, request: Request) -> Response:
    """How long the order will take, by runs that are tried out; and the same as a command and in Python."""
    form = await _form(request)
    content: dict[str, Any] = {"told": "", "words": "", "each": {}, "command": "", "python": "", "cores": site.cores}
    try:
        kind = _kind(form.get("kind", ""))
        options = _running(site, kind, form)
        path, reading, options["task"] = _reading_call(site, kind, form)
        content["cores"] = at_once = min(int(options["jobs"]), site.cores)
        content |= copied(_job(kind, form, options)._asdict())
        trying = site.sandbox.call(kind.estimate, path, reading, options, at_once, seconds=ESTIMATE_SECONDS, keep=path)
        words, content["each"] = await _while_somebody_waits(request, trying)
        content["told"], _, content["words"] = words.partition(".")
    except TooLongError:
        content["words"] = f"The time is unknown: the first runs alone take longer than {lasting(ESTIMATE_SECONDS)}."
    except InputError as error:
        content["words"] = site.without_paths(str(error))
    return site.page(request, "estimate.html.j2", **content)


async def _while_somebody_waits(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """What a computation finds; it ends when the browser has left for another page, or asks anew."""
    task = asyncio.create_task(work)
    while not (await asyncio.wait([task], timeout=LOOK_SECONDS))[0]:
        if await request.is_disconnected():
            task.cancel()
            raise InputError("Nobody waits for the estimate.")
    return task.result()


@view("/runs", "POST")
async def order(site: Site, request: Request) -> Response:
    """Put an order into the queue, and show its run; what could not be run is refused here, with a sentence."""
    form = await _form(request)
    kind = _kind(form.get("kind", ""))
    name = form.get("out", "").strip()
    if site.store.place(name).exists():
        raise InputError(f"There is a folder {name!r} already; choose another name.")
    options = _running(site, kind, form)
    path, reading, task = _reading_call(site, kind, form)
    options |= await site.sandbox.call(kind.check, path, reading, {**options, "task": task}, keep=path)
    job = _job(kind, form, options)
    site.queue.submit(name, Order(kind.command, {**job.options, "out": name}, cores=int(options["jobs"])))
    return go_to(request, f"/runs/{name}")


def _job(kind: Kind, form: QueryParams, options: Mapping[str, Any]) -> Job:
    """What a filled form asks for."""
    reading = options_given(kind.command, form, "target", "columns", "reading")
    asked = {name: value for name, value in options.items() if value is not None}
    return Job(kind.command, {"file": form.get("file", ""), **reading, **asked})


def _kind(command: str) -> Kind:
    kind = kind_of(command)
    if kind is None:
        raise InputError("This page does not know what to do with the table; begin at “Data” or “Best method”.")
    return kind


async def _form(request: Request) -> QueryParams:
    return _lines((await request.form()).multi_items())


def _lines(given: Iterable[tuple[str, Any]]) -> QueryParams:
    """What a form holds, with lines that end as they do here: browsers send other ends."""
    return QueryParams([(name, str(value).replace("\r\n", "\n")) for name, value in given])


def _reading_call(site: Site, kind: Kind, form: QueryParams) -> tuple[str, dict[str, Any], str | None]:
    """The arguments of what reads a table in the sandbox: the file, the arguments of `load_data`, and the task."""
    reading = options_given(kind.command, form, "target", "columns", "reading")
    task = reading.pop("task", None)
    if "samples" in reading:
        reading["samples"] = str(site.store.table(reading["samples"]))
    return str(site.store.table(form.get("file", ""))), reading, task


def _running(site: Site, kind: Kind, form: QueryParams) -> dict[str, Any]:
    """What is run, by the fields of the form; a field that is missing has the value with which the form shows it."""
    places = ("order", "ask", "runs")
    asked = QueryParams([*filled(kind.command, QueryParams(""), "ask", "runs").items(), *form.multi_items()])
    options = {"jobs": site.cores, **options_given(kind.command, asked, *places)}
    if "selector" in options_of(kind.command):
        options["selector"] = sized(options.get("selector", []), form.get("size", "").strip())
        if not options["selector"]:
            raise InputError("Choose at least one method.")
    if "space" in options_of(kind.command):
        options["space"] = space_given(form)
    return options


# ---- measure: recorded selections, pasted or dropped ---------------------------------------------------------------


@view("/measure")
async def measure_page(site: Site, request: Request) -> Response:
    """The form."""
    return site.page(
        request,
        "measure.html.j2",
        universe=fields("measure", "measure"),
        reading=fields("measure", "lists"),
        example=request.query_params.get("example", ""),
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
    if len(inputs) == 1 and inputs[0][0] == SIDES[0]:
        inputs = [("your lists", inputs[0][1])]
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
