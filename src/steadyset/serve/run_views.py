"""The way in, the first page, and runs: their progress as it happens, what can be done with them, their reports."""

from __future__ import annotations

import asyncio
import hashlib
import io
import mimetypes
import os
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from steadyset.foundation.errors import InputError
from steadyset.foundation.job import Job
from steadyset.foundation.pace import roughly
from steadyset.io import beneath
from steadyset.io.disk import CELLS, FINISHED, RECORDED_FINDINGS, TABLE, explained, write_durably
from steadyset.options import as_list, data_files, job_from, jobs, options_of, why_in_terminal, with_files
from steadyset.serve.forms import copied, question
from steadyset.serve.progress import DAMAGED, FINISHED_STATE, RUNNING, Progress, facts_of, progress_of, said, stamps
from steadyset.serve.run_store import MAX_NAME_BYTES, PAUSED, REPORT, STOPPED, TAGS, WAITING, Order, Run
from steadyset.serve.site import Site, go_to, report_response, view

ENDED = {"pause": PAUSED, "stop": STOPPED}  # what is asked for, and the state after it
WRONG_PASSWORD_SECONDS = 1.0
MAX_KNOWN = 500  # answers that are kept
MAX_COMPARED = 10
MAX_SHOWN = 256 << 20  # bytes of a report or a table
REPORT_SECONDS = 900.0  # many selectors have many pictures
DOCUMENTS = {f"{name}.{ending}": f"write_{name}" for name in ("report", "paragraphs") for ending in ("pdf", "docx")}
_known_answers: dict[tuple[Path, tuple[int, ...]], dict[str, Any]] = {}


@view("/runs/{run}")
async def run_page(site: Site, request: Request, run: Run) -> Response:
    """The page of a run."""
    progress = await asyncio.to_thread(progress_of, run)
    text, _ = await site.display.show(run)
    left = site.display.left(run, progress)
    return site.page(
        request,
        "run.html.j2",
        run=run,
        progress=progress,
        shown=text,
        left="" if left is None else roughly(left),
        tables=[name for name in run.kind.tables if beneath.modified(run.path, name)],
        has_report=_is_reported(run, progress),
        said=said(run.path),
        **_about(run),
        **copied(_content_of_job(run)),
        **_resumed(site, run, progress.state),
    )


def _is_reported(run: Run, progress: Progress) -> bool:
    """Whether there is something to report: finished runs, or the findings of what has none."""
    has_runs = progress.done > 0 or not run.kind.has_selectors
    ended = not progress.lives and progress.state != DAMAGED
    return ended and has_runs and beneath.modified(run.path, run.kind.reported) > 0


def _content_of_job(run: Run) -> Mapping[str, Any] | None:
    order = run.order or run.found
    return facts_of(run.path).job if order is None else order.job._asdict()


def _about(run: Run) -> dict[str, Any]:
    """What a run is about: its file, target and methods, and the address of the form that asks for it again."""
    facts, content = facts_of(run.path), _content_of_job(run)
    again = beyond = ""
    with suppress(InputError, TypeError, KeyError):
        job = job_from(content)
        if job.command == run.kind.command:
            again = question(job := _in_folder(run, job))
            beyond = _next_study(job)
    options = (content or {}).get("options") or {}
    named = as_list(options["selector"]) if options.get("selector") else facts.selectors
    chosen = "selector" in options_of(run.kind.command)
    methods = "" if not chosen else f"{len(named)} methods" if len(named) > 3 else ", ".join(named)
    files = [Path(file).name for file in data_files(Job(run.kind.command, options))]
    target = str(options.get("target") or facts.target)
    return {"about": {"file": ", ".join(files), "target": target, "methods": methods}, "again": again, "beyond": beyond}


def _next_study(job: Job) -> str:
    """The address of the form that asks what the next study would find of a list; "" for what makes none."""
    if job.command not in ("shortlist", "assess"):
        return ""
    methods = as_list(job.options.get("selector") or [])
    return question(Job("replicate", {**job.options, "files": data_files(job), "selector": methods[:1]}))


def _in_folder(run: Run, job: Job) -> Job:
    """A job with its files as the page calls them; a KeyError where they do not lie in its folder."""

    def named(given: str) -> str:
        path = _found(given, job.options, run.path.parent)
        if path is None or not path.is_relative_to(run.path.parent):
            raise KeyError(given)
        return path.relative_to(run.path.parent).as_posix()

    return with_files(job, named)


def _resumed(site: Site, run: Run, state: str) -> dict[str, Any]:
    """Whether a run can be resumed here, and why not where one might expect it."""
    if state in (FINISHED_STATE, RUNNING, WAITING, DAMAGED):
        return {"resumable": False, "why_not": ""}
    try:
        site.store.refuse_data_elsewhere(_order_of(site, run).job)
    except InputError as error:
        return {"resumable": False, "why_not": str(error)}
    return {"resumable": True, "why_not": ""}


def _order_of(site: Site, run: Run) -> Order:
    """What the page was asked for, an order that came with the folder, or the job that a terminal began."""
    return run.order or run.found or resumed_order(run, site.cores)


def resumed_order(run: Run, cores: int) -> Order:
    """The order that continues a run which a terminal began; an InputError says why there is none.

    Whether the data is still the same is not asked here: the command compares it with what the run folder records.
    """
    content = facts_of(run.path).job
    if content is None:
        raise InputError("It cannot be resumed here: the folder does not record a command. Resume it where it began.")
    if why := _in_terminal(content):
        raise InputError(f"It cannot be resumed here: {why}. Use the command below, with its option to resume.")
    try:
        job = job_from(content)
        if job.command != run.kind.command:
            raise InputError("It is the job of another folder.")
    except InputError:
        raise InputError(
            "It cannot be resumed here: the recorded command is not one that could have made this folder."
        ) from None
    folder = run.path.parent

    def found(given: str) -> str:
        path = _found(given, job.options, folder)
        if path is None:
            raise InputError(f"It cannot be resumed: the file {given} is no longer there.")
        return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)

    options = dict(with_files(job, found).options)
    options.pop("resume", None)
    n_jobs = options.get("jobs", -1)
    return Order(job.command, {**options, "out": run.name}, cores=n_jobs if n_jobs > 0 else cores)


def _in_terminal(content: Mapping[str, Any]) -> str:
    """Why a recorded job is left to the terminal; "" for one that is not, and for what is no job at all."""
    command, options = content.get("command"), content.get("options")
    if not isinstance(command, str) or command not in jobs() or not isinstance(options, dict):
        return ""
    return why_in_terminal(Job(command, options))


def _found(name: str, options: Mapping[str, Any], folder: Path) -> Path | None:
    """A file of the command, seen from where it was typed: from there its option `out` leads to the folder."""
    out = Path(str(options.get("out", "")))
    typed_in = folder
    if not out.is_absolute() and ".." not in out.parts:
        above = [folder, *folder.parents]
        typed_in = above[min(max(len(out.parts) - 1, 0), len(above) - 1)]
    places = (Path(name),) if Path(name).is_absolute() else (typed_in / name, folder / name)
    return next((place.resolve() for place in places if place.is_file()), None)


@view("/runs/{run}/progress")
async def run_progress(site: Site, request: Request, run: Run) -> Response:
    """The states of a run as server-sent events."""
    return StreamingResponse(
        site.watches.follow(run), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )


def _refuse_running(run: Run, what_to_do: str = "pause or stop it first") -> None:
    if progress_of(run).state == RUNNING:
        raise InputError(f"{run.name} is running; {what_to_do}.")


def _more(options: Mapping[str, Any], form: Mapping[str, str]) -> dict[str, Any]:
    """The options with more runs, or with more selectors."""
    changed = dict(options)
    runs = form.get("runs", "").strip()
    if runs and runs != str(options.get("runs", "")):
        before = str(options.get("runs", "0"))
        if not runs.isdecimal() or len(runs) > 7 or (before.isdecimal() and int(runs) < int(before)):
            raise InputError(f"“Runs” must be a whole number of at least {before} (got {runs[:40]!r}).")
        changed["runs"] = runs
    added = [one.strip() for one in form.get("selector", "").split("\n") if one.strip()]
    changed["selector"] = list(dict.fromkeys([*options["selector"], *added]))
    if changed == dict(options):
        raise InputError("Nothing is added; give more runs, or name a method.")
    return changed


@view("/runs/{run}/report")
async def run_report(site: Site, request: Request, run: Run) -> Response:
    """The report of the finished runs."""
    await _written(site, run)
    return report_response(HTMLResponse(_content(run, REPORT)), request, run.name)


async def _written(site: Site, run: Run) -> None:
    """Write the report where it is not there yet; who asks meanwhile waits for the same; leaving ends nothing."""
    if not _is_fresh(run.path):
        if run.path not in site.writing:
            site.writing[run.path] = task = asyncio.create_task(_write(site, run))
            task.add_done_callback(
                lambda done: site.writing.pop(run.path, None) and (done.cancelled() or done.exception())
            )
        await asyncio.shield(site.writing[run.path])


async def _write(site: Site, run: Run) -> None:
    target, begin = run.path / REPORT, time.time_ns()
    await site.sandbox.call("write_report", str(run.path), str(target), "html", seconds=REPORT_SECONDS)
    # It does not hold the runs that ended while it was written.
    os.utime(target, ns=(begin, begin), follow_symlinks=False)


def write_reports(site: Site, loop: asyncio.AbstractEventLoop) -> None:
    """Write the report of each run as soon as it has ended."""

    async def write(name: str) -> None:
        with suppress(InputError, OSError):  # it is gone, or says why when it is looked at
            run = site.store.run(name)
            if _is_reported(run, progress_of(run)):
                await _written(site, run)

    def ended(name: str) -> None:
        with suppress(RuntimeError):  # the server has ended meanwhile
            asyncio.run_coroutine_threadsafe(write(name), loop)

    site.queue.ended = ended


@view("/runs/{run}/frame")
async def run_frame(site: Site, request: Request, run: Run) -> Response:
    """The report in place, once it is written, with the steps that its buttons take."""
    await _written(site, run)
    at, steps = f"/runs/{quote(run.name)}", (await _told(site, run))["steps"]
    title = f"Report of {run.name}"
    return site.page(request, "frame.html.j2", at=at, source=f"{at}/report", title=title, steps=_addresses(run, steps))


def _addresses(run: Run, steps: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[int, str, str]]:
    """Of each step that this page can take its place, the address of its filled form, or how many runs it adds up to.

    Runs are added only to what was ordered here: a stranger's folder leads to a form.
    """
    for place, (command, options) in enumerate(steps):
        with suppress(InputError, TypeError, KeyError):
            job = job_from({"command": command, "options": options})
            address = question(_in_folder(run, job))
            adds = command == run.kind.command and "resume" in options and run.order is not None
            yield place, address, str(options["runs"]) if adds else ""


def _is_fresh(folder: Path) -> bool:
    """Whether a report was begun after the last run."""
    written = beneath.modified(folder, REPORT)
    sources = (CELLS, FINISHED, TABLE, RECORDED_FINDINGS)
    return written > 0 and all(beneath.modified(folder, name) <= written for name in sources)


def _content(run: Run, name: str) -> bytes:
    """A file of a run folder, which may be a stranger's."""
    try:
        return beneath.read(run.path, name, MAX_SHOWN)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from None


@view("/runs/{run}/files/{file}")
async def run_file(site: Site, request: Request, run: Run, file: str) -> Response:
    """Tables, the figures, the methods paragraph."""
    if file in run.kind.tables and os.path.lexists(run.path / file):
        kind = mimetypes.guess_type(file)[0] or "application/octet-stream"
        return _download(_content(run, file), f"{run.name}-{file}", kind)
    if file == "methods.txt":
        text = await site.sandbox.call("methods", str(run.path))
        return site.page(request, "methods.html.j2", text=text)
    if file == "figures.zip":
        return await _figures(site, run)
    if file in DOCUMENTS:
        with tempfile.TemporaryDirectory(dir=site.temporary) as place:
            written = Path(place) / file
            await site.sandbox.call(DOCUMENTS[file], str(run.path), str(written), seconds=REPORT_SECONDS)
            kind = mimetypes.guess_type(file)[0] or "application/octet-stream"
            return _download(written.read_bytes(), f"{run.name}-{file}", kind)
    raise InputError(f"{run.name} has no {file!r}.")


async def _figures(site: Site, run: Run) -> Response:
    with tempfile.TemporaryDirectory(dir=site.temporary) as place:
        folder = Path(place) / "figures"
        await site.sandbox.call("write_report", str(run.path), str(folder), "folder", seconds=REPORT_SECONDS)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                archive.write(path, path.relative_to(folder))
    return _download(packed.getvalue(), f"{run.name}-figures.zip", "application/zip")


def _download(content: bytes, name: str, kind: str) -> Response:
    plain = name.encode("ascii", "replace").decode().replace('"', "")
    headers = {"Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=utf-8''{quote(name)}"}
    return Response(content, media_type=kind, headers=headers)


# ---- the way in, and all runs ---------------------------------------------------------------------------------------


@view("/enter")
async def enter(site: Site, request: Request) -> Response:
    """Trade the token of the printed link for a cookie."""
    if site.access.password is not None or not site.access.admits(request.query_params.get("token", "")):
        sentence = "This link is of another server, or of an earlier start; open the one printed last."
        return site.refused(request, sentence, 403, "This key no longer fits")
    # Not a redirect: a browser that followed a link from elsewhere would not send the cookie along.
    return _with_cookie(site.page(request, "enter.html.j2"), site)


@view("/login")
async def login_page(site: Site, request: Request) -> Response:
    """Where the password is typed."""
    if site.access.password is None:
        return RedirectResponse("/", 303)
    return site.page(request, "login.html.j2", wrong=False)


@view("/login", "POST")
async def login(site: Site, request: Request) -> Response:
    """Trade the password for a cookie; guesses wait for each other, so that many at once are no faster than one."""
    form = await request.form()
    async with site.guessing:
        if site.access.password is None or not site.access.admits(str(form.get("password", ""))):
            await asyncio.sleep(WRONG_PASSWORD_SECONDS)
            return HTMLResponse(site.text("login.html.j2", request, wrong=True), 403)
    return _with_cookie(RedirectResponse("/", 303), site)


@view("/")
async def home(site: Site, request: Request) -> Response:
    """The first page."""
    return site.page(request, "home.html.j2", **await _listed(site, most=5))


@view("/runs")
async def runs_page(site: Site, request: Request) -> Response:
    """All runs."""
    return site.page(request, "runs.html.j2", **await _listed(site))


@view("/runs/{run}/answer")
async def run_answer(site: Site, request: Request, run: Run) -> Response:
    """What a run says, in a sentence or two."""
    return site.page(request, "answer.html.j2", answer=(await _told(site, run))["answer"])


async def _told(site: Site, run: Run) -> dict[str, Any]:
    """What a run says and the steps from there, asked once as long as nothing happens in its folder."""
    found = _known_answers.get((run.path, stamps(run.path)))
    if found is None:
        try:
            found = await site.sandbox.call("answer", str(run.path))
        except InputError as error:
            found = {"answer": [site.without_paths(str(error))], "steps": []}
        _known_answers[run.path, stamps(run.path)] = found
        while len(_known_answers) > MAX_KNOWN:
            del _known_answers[next(iter(_known_answers))]
    return found


@view("/runs/{run}/name", "POST")
async def rename(site: Site, request: Request, run: Run) -> Response:
    """Give a run another name."""
    name = str((await request.form()).get("name", "")).strip()
    _refuse_running(run)
    site.store.rename(run, name)
    if run.order is not None:
        moved = site.store.run(name)
        site.queue.moved(moved, run.order.but(options={**run.order.options, "out": name}))
    return go_to(request, f"/runs/{name}")


@view("/runs/{run}/tags", "POST")
async def tag(site: Site, request: Request, run: Run) -> Response:
    """Put words to a run."""
    text = " ".join(str((await request.form()).get("tags", "")).split())
    if len(text.encode()) > MAX_NAME_BYTES:
        raise InputError(f"Tags may have {MAX_NAME_BYTES} letters in all.")
    with explained(run.path):
        beneath.write(run.path, TAGS, text.encode())
    return go_to(request, f"/runs/{run.name}")


@view("/runs/{run}/{action}", "POST")
async def run_action(site: Site, request: Request, run: Run, action: str) -> Response:
    """Pause, stop, resume, or add runs or selectors."""
    if action in ENDED:
        site.queue.end(run, ENDED[action])
    elif action in ("resume", "more"):
        _refuse_running(run, "pause it first")
        order = _order_of(site, run)
        if action == "more":
            form = {name: str(value) for name, value in (await request.form()).items()}
            # Where the command left the selectors to its defaults, they are those of the folder.
            selectors = list(order.options.get("selector") or facts_of(run.path).selectors)
            order = order.but(options=_more({**order.options, "selector": selectors}, form))
        site.queue.submit(run.name, order)
    else:
        raise InputError(f"A run cannot be asked to {action!r}.")
    return go_to(request, f"/runs/{run.name}")


@view("/runs/{run}", "DELETE")
async def delete(site: Site, request: Request, run: Run) -> Response:
    """Remove a run."""
    _refuse_running(run)
    left = site.store.delete(run)
    if left:
        raise InputError(
            f"{run.name} is deleted but for files that are not of a run, which stay: {', '.join(left[:5])}."
        )
    return go_to(request, "/runs")


@view("/compare")
async def compare_page(site: Site, request: Request) -> Response:
    """Several runs side by side; what cannot be compared says why."""
    names = list(_compared(site, request))
    await _comparison(site, request)
    query = urlencode([("run", name) for name in names])
    return site.page(request, "compare.html.j2", names=names, source=f"/compare/report?{query}", title="Comparison")


@view("/compare/report")
async def compare_report(site: Site, request: Request) -> Response:
    """The report over the methods of several runs."""
    return report_response(HTMLResponse(await _comparison(site, request)), request, "comparison")


async def _comparison(site: Site, request: Request) -> bytes:
    """The report as it was made for the page around it, or anew."""
    folders = _compared(site, request)
    state = [(path, stamps(Path(path))) for path in folders.values()]
    kept = site.temporary / f"compared-{hashlib.sha256(repr(state).encode()).hexdigest()[:24]}.html"
    if not kept.exists():
        write_durably(kept, (await site.sandbox.call("compared", folders)).encode())
    return kept.read_bytes()


def _compared(site: Site, request: Request) -> dict[str, str]:
    """The folders of the runs that a request names."""
    names = dict.fromkeys(request.query_params.getlist("run"))
    if not 2 <= len(names) <= MAX_COMPARED:
        raise InputError(f"Choose two to {MAX_COMPARED} results to compare.")
    runs = [site.store.run(name) for name in names]
    fits = {run.name: facts_of(run.path).fits if run.kind.has_selectors else "" for run in runs}
    for name, features in fits.items():
        if not features:
            raise InputError(f"{name} has no lists of methods that could be compared; choose others under “Results”.")
        if features != fits[runs[0].name]:
            raise InputError(
                f"{runs[0].name} and {name} were chosen from different features, so their lists cannot be compared; "
                "choose results on the same features under “Results”."
            )
    return {run.name: str(run.path) for run in runs}


async def _listed(site: Site, most: int | None = None) -> dict[str, object]:
    runs = await asyncio.to_thread(site.store.runs)
    shown = [await asyncio.to_thread(_in_table, run) for run in runs[:most]]
    return {"runs": shown, "more": len(runs) - len(shown), "folder": str(site.store.path)}


def _in_table(run: Run) -> dict[str, Any]:
    progress = progress_of(run)
    tags = [tag.strip() for tag in run.tags.split(",") if tag.strip()]
    fits = facts_of(run.path).fits if progress.done and not progress.lives and run.kind.has_selectors else ""
    told = _is_reported(run, progress)
    return {"run": run, "progress": progress, "tags": tags, "fits": fits, "told": told, **_about(run)}


def _with_cookie(response: Response, site: Site) -> Response:
    response.set_cookie(site.access.cookie, site.access.new_session(), httponly=True, samesite="strict", path="/")
    return response
