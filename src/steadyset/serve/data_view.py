"""Assess and tune: from a table to an order; how it was understood is shown before anything is run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from steadyset.foundation.conventions import FIRST_RUNS, MAX_RUNS
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.text import counted, lasting, listed
from steadyset.serve.aside import TooLongError, as_field
from steadyset.serve.orders import Order
from steadyset.serve.site import Site, go_to, site_of

TEXTS = ("target", "groups", "sheet", "samples_sheet", "layer")
LISTS = ("drop", "keep")  # of columns
RESAMPLINGS = {
    "bootstrap": "bootstrap: rows drawn with replacement",
    "subsample": "subsample: half of the rows",
    "subsample:fraction=0.8": "subsample: 80% of the rows",
    "complementary_pairs": "complementary pairs of halves",
    "kfold:n_splits=10": "10-fold cross-validation",
}
FIXED = ("kfold:n_splits=10",)  # those with a number of runs of their own
KINDS = {"assess": "Assess selectors", "tune": "Tune: find the best configurations"}
ESTIMATE_SECONDS = 90.0
DEFAULT_RUNS, DEFAULT_TRIALS = "100", "50"
FOLDS = 10
SHOWN = 5  # selectors in a sentence


async def start_page(request: Request) -> Response:
    """Where a table is dropped or chosen."""
    site = site_of(request)
    kind = request.url.path.strip("/")
    return site.page(request, "start.html.j2", kind=kind, title=KINDS[kind], tables=site.shelf.tables())


async def data_page(request: Request) -> Response:
    """How a table is understood, and once its target is known, what to run on it."""
    site = site_of(request)
    asked = request.query_params
    kind = asked.get("kind", "assess")
    if kind not in KINDS:
        raise InputError("This page does not know what to do with the table; begin at “Assess” or “Tune”.")
    site.shelf.table(asked.get("file", ""))
    content: dict[str, Any] = {"understood": None, "complaint": "", "ways": []}
    try:
        content["understood"] = await site.aside.call("understood", *_reading_call(site, asked))
    except InputError as error:
        content["complaint"] = site.without_paths(str(error))
        content["ways"] = [way for one in getattr(error, "ways", ()) if (way := _way(one, asked)) is not None]
    return site.page(
        request,
        "data.html.j2",
        kind=kind,
        title=KINDS[kind],
        asked=asked,
        tables=site.shelf.tables(),
        resamplings=RESAMPLINGS,
        cores=site.cores,
        name=site.shelf.free_name(asked.get("file", "run").rpartition("/")[2].partition(".")[0]),
        runs=DEFAULT_RUNS,
        trials=DEFAULT_TRIALS,
        **content,
    )


async def estimate(request: Request) -> Response:
    """How long the order will take, by runs that are tried out."""
    site = site_of(request)
    form = await request.form()
    fields = QueryParams([(name, str(value)) for name, value in form.multi_items()])
    told = _tuning_estimated if fields.get("kind") == "tune" else _assessment_estimated
    try:
        words, each = await told(site, fields)
    except TooLongError:
        words, each = f"Unknown: the first runs alone take longer than {lasting(ESTIMATE_SECONDS)}.", {}
    except InputError as error:
        words, each = site.without_paths(str(error)), {}
    return site.page(request, "estimate.html.j2", words=words, each=each)


async def _tuning_estimated(site: Site, fields: QueryParams) -> tuple[str, dict[str, str]]:
    options = _tune_options(fields)
    call = _reading_call(site, fields)[:2]
    total, tried = await site.aside.call("estimated_tuning", *call, options, seconds=ESTIMATE_SECONDS)
    words = lasting(max(total / min(int(options["jobs"]), site.cores), 1.0))
    return f"About {words}, by {counted(tried, 'configuration')} tried out.", {}


async def _assessment_estimated(site: Site, fields: QueryParams) -> tuple[str, dict[str, str]]:
    request_of = _assess_options(fields)
    call = _reading_call(site, fields)[:2]
    seconds = await site.aside.call("estimated", *call, request_of, seconds=ESTIMATE_SECONDS)
    until_narrow = request_of.get("runs") == "auto"
    runs = FIRST_RUNS if until_narrow else int(request_of.get("runs", FOLDS))
    known = {name: value for name, value in seconds.items() if math.isfinite(value)}
    total = sum(known.values()) * runs / min(int(request_of["jobs"]), site.cores)
    about = f"About {lasting(max(total, 1.0))}"
    words = f"{about}."
    if until_narrow:
        most = lasting(max(total * MAX_RUNS / runs, 1.0))
        words = f"{about} for the first {runs} runs; more follow until the intervals are narrow, at most {MAX_RUNS:,} "
        words += f"in {most}."
    untried = [name for name in request_of["selectors"] if name not in seconds]
    if untried:
        words = f"More than {lasting(total)}: there was no time to try {listed(untried, SHOWN)}."
    failed = [name for name in seconds if name not in known]
    if failed:
        words += f" The first runs of {listed(failed, SHOWN)} failed."
    return words, {name: f"{value:.2g} s" for name, value in known.items()}


async def order(request: Request) -> Response:
    """Put an order into the queue, and show its run."""
    site = site_of(request)
    form = await request.form()
    fields = QueryParams([(name, str(value)) for name, value in form.multi_items()])
    kind = fields.get("kind", "")
    if kind not in KINDS:
        raise InputError("Nothing says what to run; begin at “Assess” or “Tune”.")
    name = fields.get("name", "").strip()
    if site.shelf.place(name).exists():
        raise InputError(f"There is a folder {name!r} already; choose another name.")
    options = _assess_options(fields) if kind == "assess" else _tune_options(fields)
    reading, samples = _reading(fields), fields.get("samples", "")
    await site.aside.call("understood", *_reading_call(site, fields))  # what cannot be read is not put into the queue
    if samples:
        reading["samples"] = samples
    options = {"file": fields.get("file", ""), **reading, **options, "out": name}
    site.queue.submit(name, Order(kind, options, cores=int(options["jobs"])))
    return go_to(request, f"/runs/{name}")


def _way(proposed: Argument, asked: QueryParams) -> tuple[str, str, str] | None:
    """What a button says that does what an error proposes, with the field that it sets and its value."""
    name, value = proposed.name, proposed.value
    said = as_field(proposed).replace("“", "").replace("”", "")
    if name in LISTS and isinstance(value, str | tuple):
        names = [value] if isinstance(value, str) else list(value)
        said = f"{said.partition(':')[0]}: {listed(names, SHOWN)}"
        return said, name, "\n".join([one for one in [asked.get(name, "").strip(), *names] if one])
    if name == "transpose" and isinstance(value, bool):
        return f"{said}: {'yes' if value else 'no'}", name, "yes" if value else "no"
    return (said, name, value) if name in ("impute", "sheet", "samples_sheet") and isinstance(value, str) else None


def _reading_call(site: Site, asked: QueryParams) -> tuple[str, dict[str, Any], str | None]:
    """The arguments of the task that reads a table."""
    reading = _reading(asked)
    if asked.get("samples"):
        reading["samples"] = str(site.shelf.table(asked["samples"]))
    return str(site.shelf.table(asked.get("file", ""))), reading, asked.get("task") or None


def _reading(asked: QueryParams) -> dict[str, Any]:
    """The options of reading that were chosen, as `load_data` and the command name them."""
    found: dict[str, Any] = {name: asked[name].strip() for name in TEXTS if asked.get(name, "").strip()}
    if asked.get("delimiter"):
        found["delimiter"] = asked["delimiter"].strip() or asked["delimiter"][0]  # which may be a tab
    if asked.get("transpose") in ("yes", "no"):
        found["transpose"] = asked["transpose"] == "yes"
    for name in LISTS:
        names = [one.strip() for one in asked.get(name, "").split("\n") if one.strip()]
        if names:
            found[name] = names
    if asked.get("impute"):
        found["impute"] = "median"
    return found


def _common(fields: Mapping[str, str]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "jobs": _whole(fields, "cores", "“Cores”", 1),
        "seed": _whole(fields, "seed", "“Seed”", 0),
    }
    if fields.get("task"):
        options["task"] = fields["task"]
    return options


def _assess_options(fields: QueryParams) -> dict[str, Any]:
    selectors = [*fields.getlist("selector"), *(one.strip() for one in fields.get("more", "").split("\n"))]
    chosen = list(dict.fromkeys(one for one in selectors if one))
    if not chosen:
        raise InputError("Choose at least one selector.")
    resampling = _resampling(fields)
    options: dict[str, Any] = {"selectors": chosen, "resampling": resampling, **_common(fields)}
    if resampling not in FIXED:
        runs = fields.get("runs", DEFAULT_RUNS).strip()
        options["runs"] = runs if runs == "auto" else str(_whole(fields, "runs", "“Runs”", 2))
    scores = fields.getlist("score")
    return {**options, **({"scores": scores} if scores else {})}


def _tune_options(fields: QueryParams) -> dict[str, Any]:
    trials = _whole(fields, "trials", "“Configurations”", 1)
    return {"trials": trials, "resampling": _resampling(fields), **_common(fields)}


def _resampling(fields: Mapping[str, str]) -> str:
    name = fields.get("resampling", "")
    if name not in RESAMPLINGS:
        raise InputError(f"“Resampling” must be one of {', '.join(RESAMPLINGS)} (got {json.dumps(name[:40])}).")
    return name


def _whole(fields: Mapping[str, str], name: str, label: str, least: int) -> int:
    text = fields.get(name, "").strip()
    if not text.isdecimal() or len(text) > 9 or int(text) < least:
        raise InputError(f"{label} must be a whole number of at least {least} (got {json.dumps(text[:40])}).")
    return int(text)
