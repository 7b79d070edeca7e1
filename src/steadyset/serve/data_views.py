"""What a person brings: recorded selections, which are measured, or a table, which is assessed or tuned.

Files from the browser are streamed to the disk under what is harmless in their names, and gone again if they do not
arrive whole. How a table was understood is shown before anything is run.
"""

from __future__ import annotations

import asyncio
import json
import os
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
from steadyset.io.beneath import PART
from steadyset.io.disk import explained, write_durably, written_durably
from steadyset.options import data_option, options_of
from steadyset.serve import forms
from steadyset.serve.access import UPLOADS
from steadyset.serve.run_store import KINDS, Kind, Order, harmless_names, kind_of
from steadyset.serve.sandbox import TooLongError
from steadyset.serve.site import Site, go_to, report_response, view

ESTIMATE_SECONDS, LOOK_SECONDS = 90.0, 0.5
SIDES = ("first", "second")
SIZE_OF_ONE = "10"  # features, where one method has to choose a number of them
MEASURED = "measure"  # uploads for it are not kept
KEY = re.compile(r"[0-9a-f]{24}")
# Examples of one click: which table, and its target.
EXAMPLES = {"array": ("example-array.csv", "tumour"), "tumours": ("example-tumours.csv", "diagnosis")}


# ---- assess and tune: from a table to an order ---------------------------------------------------------------------


async def start_page(site: Site, request: Request) -> Response:
    """Where a table is dropped or chosen."""
    kind = _kind(request.url.path.strip("/"))
    several = data_option(kind.command).many
    return site.page(request, "start.html.j2", kind=kind, tables=site.store.tables(), several=several)


for _one in KINDS:
    view(f"/{_one.command}")(start_page)


@view("/data")
async def data_page(site: Site, request: Request) -> Response:
    """How a table is understood, and once its target is known, what to run on it; the address holds every field."""
    asked = _lines(request.query_params.multi_items())
    kind = _kind(asked.get("kind", KINDS[0].command))
    if "role" in asked:
        return RedirectResponse(forms.with_role(kind.command, asked, asked["role"]), 303)
    files = list(dict.fromkeys(filter(None, asked.getlist("file")))) or [""]
    for file in files:
        site.store.table(file)
    content: dict[str, Any] = {"understood": None, "complaint": "", "ways": [], "guess": {}, "studies": []}
    columns = forms.predicted(kind.command)

    async def understood(form: QueryParams, apart: Collection[str] = ()) -> Any:
        (path, *others), reading, task = _reading_call(site, kind, form)
        reading = {name: value for name, value in reading.items() if name not in apart}
        searched = "space" in options_of(kind.command)
        told = await site.sandbox.call("understood", path, reading, task, searched, keep=path)
        told["turned"] = site.without_paths(told["turned"])
        if told["heading"] and others:
            read = await site.sandbox.call("understood_too", others, reading, task, keep=path)
            content["studies"] = [site.without_paths(words) for words in read]
        return told

    try:
        content["understood"] = told = await understood(asked)
        if told["preview"] and not any(name in asked for name in columns):
            names = dict.fromkeys([*told["candidates"], *told["preview"]["columns"]])
            guess = forms.guessed(kind.command, names, [pair for pair in told["times"] if "time" in columns])
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
        content["ways"] = forms.proposals(getattr(error, "ways", ()), asked, kind.command)
        with suppress(InputError):  # what else could be predicted can still be shown
            content["understood"] = await understood(asked, apart=columns)
    read = forms.filled(kind.command, asked, "target", "columns", "reading")
    # Of an event the column alone, without the value that says that it took place.
    parts = {**read, "event": read.get("event", "").partition("=")[0]}
    # Another kind of order has other settings, also where they have the same names.
    same = QueryParams(asked if asked.get("was", kind.command) == kind.command else "")
    settings = forms.filled(kind.command, same, "order", "ask", "runs")
    name = same.get("out", "") or files[0].rpartition("/")[2].partition(".")[0]
    first = {**forms.filled(kind.command, QueryParams(""), "ask", "runs"), "jobs": str(site.cores)}
    settings |= {"out": site.store.free_name(name), "jobs": same.get("jobs", first["jobs"])}
    selectors, size = forms.methods_of(same.getlist("selector"))
    selector = options_of(kind.command).get("selector")
    if selector is not None and not selectors and content["understood"]:
        selectors = content["understood"].get("defaults", [])[: None if selector.many else 1]
        size = "" if selector.many else SIZE_OF_ONE
    presets = _presets(kind, first)
    return site.page(
        request,
        "data.html.j2",
        kind=kind,
        kinds=KINDS,
        asked=asked,
        files=files,
        tables=site.store.tables(),
        options=options_of(kind.command),
        roles=[one for one in forms.fields(kind.command, "target", "columns") if forms.is_column(one)],
        parts_played=parts,
        targets=[parts[name] for name in forms.predicted(kind.command) if parts[name]],
        time_in_words=forms.time_in_words,
        together=forms.TOGETHER,
        reading=forms.fields(kind.command, "target", "columns", "reading"),
        changed=any(read[option.name] for option in forms.fields(kind.command, "reading")),
        asking=forms.fields(kind.command, "ask"),
        runs=forms.fields(kind.command, "runs"),
        values={"resampling_parameters": same.get("resampling_parameters", ""), **read, **settings},
        selectors=selectors,
        size=same.get("size", size),
        scores=same.getlist("score"),
        limits={name: same.getlist(name) for name in forms.SPACE},
        presets=presets,
        chosen_preset=next((one for one, _, _, held in presets if held.items() <= settings.items()), ""),
        cores=site.cores,
        **content,
    )


def _presets(kind: Kind, first: Mapping[str, str]) -> list[tuple[str, str, str, dict[str, str]]]:
    """How thorough an order may be: what a choice is called, and what it puts into which fields."""
    quick = {
        one.name: one.field.quick for one in forms.fields(kind.command, "ask", "runs") if one.field and one.field.quick
    }
    known = options_of(kind.command)
    few = ", ".join(
        f"{'no' if value == '0' else value} {known[name].field.label.lower()}"  # type: ignore[union-attr]
        for name, value in quick.items()
    )
    if "quick" in known:
        few = f"the same list with {few}; in a terminal {known['quick'].flag}"
    return [
        ("paper", "For a paper", "as many as the answer needs", {name: first[name] for name in quick}),
        ("quick", "Quick look", few, quick),
    ]


@view("/examples/{name}", "POST")
async def example(site: Site, request: Request, name: str) -> Response:
    """Put an example into the folder, and show the form of what is asked for."""
    kind = _kind(request.query_params.get("kind", KINDS[0].command)).command
    table, target = EXAMPLES.get(name, EXAMPLES["array"])
    path = site.store.tables_folder() / table
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
    content: dict[str, Any] = {"told": "", "words": "", "refused": False, "each": {}, "command": "", "python": ""}
    content["cores"] = site.cores
    try:
        kind = _kind(form.get("kind", ""))
        options = _running(site, kind, form)
        files, reading, options["task"] = _reading_call(site, kind, form)
        content["cores"] = at_once = min(int(options["jobs"]), site.cores)
        content |= forms.copied(_job(kind, form, options)._asdict())
        asked = files, reading, options, at_once
        trying = site.sandbox.call(kind.estimate, *asked, seconds=ESTIMATE_SECONDS, keep=files[0])
        words, content["each"] = await _while_somebody_waits(request, trying)
        content["told"], _, content["words"] = words.partition(".")
    except TooLongError:
        content["words"] = f"The time is unknown: the first runs alone take longer than {lasting(ESTIMATE_SECONDS)}."
    except InputError as error:
        content |= {"words": site.without_paths(str(error)), "refused": True}
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
    files, reading, task = _reading_call(site, kind, form)
    options |= await site.sandbox.call(kind.check, files, reading, {**options, "task": task}, keep=files[0])
    job = _job(kind, form, options)
    site.queue.submit(name, Order(kind.command, {**job.options, "out": name}, cores=int(options["jobs"])))
    return go_to(request, f"/runs/{name}")


def _job(kind: Kind, form: QueryParams, options: Mapping[str, Any]) -> Job:
    """What a filled form asks for."""
    reading = forms.options_given(kind.command, form, "target", "columns", "reading")
    asked = {name: value for name, value in options.items() if value is not None}
    data, files = data_option(kind.command), _files(kind, form)
    return Job(kind.command, {data.name: files if data.many else files[0], **reading, **asked})


def _files(kind: Kind, form: QueryParams) -> list[str]:
    """The data files of a form, each once; the first where what is asked for takes one."""
    named = list(dict.fromkeys(filter(None, form.getlist("file")))) or [""]
    return named if data_option(kind.command).many else named[:1]


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


def _reading_call(site: Site, kind: Kind, form: QueryParams) -> tuple[list[str], dict[str, Any], str | None]:
    """The arguments of what reads tables in the sandbox: the files, the arguments of `load_data`, and the task."""
    reading = forms.options_given(kind.command, form, "target", "columns", "reading")
    task = reading.pop("task", None)
    if "samples" in reading:
        reading["samples"] = str(site.store.table(reading["samples"]))
    return [str(site.store.table(name)) for name in _files(kind, form)], reading, task


def _running(site: Site, kind: Kind, form: QueryParams) -> dict[str, Any]:
    """What is run, by the fields of the form; a field that is missing has the value with which the form shows it."""
    places = ("order", "ask", "runs")
    asked = QueryParams([*forms.filled(kind.command, QueryParams(""), "ask", "runs").items(), *form.multi_items()])
    options, known = {"jobs": site.cores, **forms.options_given(kind.command, asked, *places)}, options_of(kind.command)
    if "selector" in known:
        options["selector"] = forms.selector_given(form, known["selector"])
    if "space" in known:
        options["space"] = forms.space_given(form)
    return options


# ---- measure: recorded selections, pasted or dropped ---------------------------------------------------------------


@view("/measure")
async def measure_page(site: Site, request: Request) -> Response:
    """The form."""
    return site.page(
        request,
        "measure.html.j2",
        universe=forms.fields("measure", "measure"),
        measures=forms.fields("measure", "measures"),
        reading=forms.fields("measure", "lists"),
        example=request.query_params.get("example", ""),
    )


@view("/measure", "POST")
async def measure(site: Site, request: Request) -> Response:
    """The measures of what the form holds."""
    form = await _form(request)
    known = options_of("measure")
    given = forms.options_given("measure", form, "measure", "measures", "lists")
    options = {known[name].argument or name: value for name, value in given.items()}
    inputs = _inputs(site, form)
    found = await site.sandbox.call("measured", inputs, options)
    key = secrets.token_hex(12)
    write_durably(site.temporary / f"{key}.json", json.dumps([inputs, options]).encode())
    source = f"/measure/{key}/report"
    return site.page(request, "measured.html.j2", found=found, source=source, title="What the lists share")


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
    names, folder = harmless_names(given), site.temporary if measured else site.store.tables_folder()
    await _streamed(request, part := folder / f".{secrets.token_hex(8)}{PART}")
    places = folder, site.store.path  # tables of both are shown by their names alone
    target = folder / next(one for one in names if not any(os.path.lexists(place / one) for place in places))
    part.rename(target)
    return JSONResponse({"name": target.name if measured else target.relative_to(site.store.path).as_posix()})


async def _streamed(request: Request, target: Path) -> None:
    size = 0
    try:
        with explained(target.parent), written_durably(target) as beside, beside.open("wb") as file:
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
