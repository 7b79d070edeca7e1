"""Assess and tune: from a table to an order; how it was understood is shown before anything is run."""

from __future__ import annotations

import math
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from steadyset.foundation.conventions import FIRST_RUNS, MAX_RUNS
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted, lasting, listed
from steadyset.options import AUTO, options_of
from steadyset.serve.forms import MAX_NAMED, fields, options_given, proposal
from steadyset.serve.orders import Order
from steadyset.serve.run_store import Kind, kind_of
from steadyset.serve.sandbox import TooLongError
from steadyset.serve.site import Site, go_to, site_of

ESTIMATE_SECONDS = 90.0


async def start_page(request: Request) -> Response:
    """Where a table is dropped or chosen."""
    site = site_of(request)
    kind = _kind(request.url.path.strip("/"))
    return site.page(request, "start.html.j2", kind=kind.command, title=kind.title, tables=site.store.tables())


async def data_page(request: Request) -> Response:
    """How a table is understood, and once its target is known, what to run on it."""
    site = site_of(request)
    asked = request.query_params
    kind = _kind(asked.get("kind", "assess"))
    site.store.table(asked.get("file", ""))
    content: dict[str, Any] = {"understood": None, "complaint": "", "ways": []}
    try:
        content["understood"] = await site.sandbox.call("understood", *_reading_call(site, kind, asked))
    except InputError as error:
        content["complaint"] = site.without_paths(str(error))
        content["ways"] = [way for one in getattr(error, "ways", ()) if (way := proposal(one, asked)) is not None]
    name = site.store.free_name(asked.get("file", "run").rpartition("/")[2].partition(".")[0])
    return site.page(
        request,
        "data.html.j2",
        kind=kind.command,
        title=kind.title,
        asked=asked,
        tables=site.store.tables(),
        options=options_of(kind.command),
        reading=fields(kind.command, "reading"),
        runs=fields(kind.command, "runs"),
        read=["file", "kind", *(option.name for option in fields(kind.command, "target", "reading"))],
        values={"jobs": site.cores, "out": name},
        **content,
    )


async def estimate(request: Request) -> Response:
    """How long the order will take, by runs that are tried out."""
    site = site_of(request)
    form = await _form(request)
    try:
        words, each = await _estimated(site, _kind(form.get("kind", "")), form)
    except TooLongError:
        words, each = f"Unknown: the first runs alone take longer than {lasting(ESTIMATE_SECONDS)}.", {}
    except InputError as error:
        words, each = site.without_paths(str(error)), {}
    return site.page(request, "estimate.html.j2", words=words, each=each)


async def _estimated(site: Site, kind: Kind, form: QueryParams) -> tuple[str, dict[str, str]]:
    options = _running(site, kind, form)
    *call, options["task"] = _reading_call(site, kind, form)
    at_once = min(int(options["jobs"]), site.cores)
    if kind.command == "tune":
        total, tried = await site.sandbox.call("estimated_tuning", *call, options, seconds=ESTIMATE_SECONDS)
        return f"About {lasting(max(total / at_once, 1.0))}, by {counted(tried, 'configuration')} tried out.", {}
    seconds, fixed = await site.sandbox.call("estimated", *call, options, seconds=ESTIMATE_SECONDS)
    until_narrow = not fixed and options["runs"] == AUTO
    runs = FIRST_RUNS if until_narrow else fixed or int(options["runs"])
    known = {name: value for name, value in seconds.items() if math.isfinite(value)}
    total = sum(known.values()) * runs / at_once
    about = f"About {lasting(max(total, 1.0))}"
    words = f"{about}."
    if until_narrow:
        most = lasting(max(total * MAX_RUNS / runs, 1.0))
        words = f"{about} for the first {runs} runs; more follow until the intervals are narrow, at most {MAX_RUNS:,} "
        words += f"in {most}."
    untried = [name for name in options["selector"] if name not in seconds]
    if untried:
        words = f"More than {lasting(total)}: there was no time to try {listed(untried, MAX_NAMED)}."
    failed = [name for name in seconds if name not in known]
    if failed:
        words += f" The first runs of {listed(failed, MAX_NAMED)} failed."
    return words, {name: f"{value:.2g} s" for name, value in known.items()}


async def order(request: Request) -> Response:
    """Put an order into the queue, and show its run."""
    site = site_of(request)
    form = await _form(request)
    kind = _kind(form.get("kind", ""))
    name = form.get("out", "").strip()
    if site.store.place(name).exists():
        raise InputError(f"There is a folder {name!r} already; choose another name.")
    options = _running(site, kind, form)
    # What cannot be read or drawn is not put into the queue.
    path, reading, task = _reading_call(site, kind, form)
    if await site.sandbox.call("fixed_runs", path, reading, task, options["resampling"]):
        options.pop("runs", None)
    reading = options_given(kind.command, form, "target", "reading")
    options = {"file": form.get("file", ""), **reading, **options, "out": name}
    site.queue.submit(name, Order(kind.command, options, cores=int(options["jobs"])))
    return go_to(request, f"/runs/{name}")


def _kind(command: str) -> Kind:
    kind = kind_of(command)
    if kind is None:
        raise InputError("This page does not know what to do with the table; begin at “Assess” or “Tune”.")
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
