"""The way in, the first page, and runs: their progress as it happens, what can be done with them, their reports."""

from __future__ import annotations

import asyncio
import io
import os
import tempfile
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse

from steadyset.foundation.errors import InputError
from steadyset.foundation.job import Job
from steadyset.io import beneath
from steadyset.io.disk import CELLS, FINISHED, RECORDED_FINDINGS, TABLE
from steadyset.options import as_shell_line, files_read, job_from, jobs, option_of, why_in_terminal
from steadyset.serve.forms import python_lines
from steadyset.serve.orders import PAUSED, STOPPED, WAITING, Order
from steadyset.serve.progress import (
    DAMAGED,
    FAILED,
    FINISHED_STATE,
    FOUND,
    INTERRUPTED,
    RUNNING,
    facts_of,
    progress_of,
    said,
    stamps,
)
from steadyset.serve.run_store import REPORT, Run
from steadyset.serve.site import Site, go_to, report_response, site_of

LEAST_PAUSE, DUTY = 1.0, 20.0  # seconds between two interim results, and how many times as long as one takes
WRONG_PASSWORD_SECONDS = 1.0
MAX_KNOWN = 500  # answers that are kept
MAX_SHOWN = 256 << 20  # bytes of a report or a table
REPORT_SECONDS = 900.0  # many selectors have many pictures
STATES = {
    WAITING: "Waiting for free cores",
    RUNNING: "Running",
    PAUSED: "Paused",
    STOPPED: "Stopped",
    FAILED: "It could not run",
    INTERRUPTED: "Interrupted",
    FINISHED_STATE: "Finished",
    FOUND: "Found in this folder, not ordered on this page",
    DAMAGED: "Damaged",
}

_known_answers: dict[tuple[Path, tuple[int, ...]], list[str]] = {}


class Display:
    """What is shown of runs as they go on; interim results come from the sandbox, rarely enough to cost nothing."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._interim: dict[str, Any] = {}
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._next: dict[str, float] = {}

    def revision(self, name: str) -> int:
        """Changes with the interim result."""
        return id(self._interim.get(name))

    async def show(self, run: Run) -> tuple[str, bool]:
        """The state of a run as a part of a page, and whether it may still change."""
        progress = await asyncio.to_thread(progress_of, run)
        if progress.state == RUNNING and progress.done:
            self._compute(run)
        interim = self._interim.get(run.name)
        text = self.site.text("progress.html.j2", run=run, progress=progress, states=STATES, interim=interim)
        if not progress.lives:
            self._interim.pop(run.name, None)
        return text, progress.lives

    def _compute(self, run: Run) -> None:
        if run.name in self._busy or time.monotonic() < self._next.get(run.name, 0.0):
            return
        self._busy[run.name] = asyncio.create_task(self._computed(run))

    async def _computed(self, run: Run) -> None:
        begin = time.monotonic()
        try:
            self._interim[run.name] = await self.site.sandbox.call(run.kind.interim, str(run.path))
        except InputError:
            pass  # the next one may find more
        finally:
            now = time.monotonic()
            self._next[run.name] = now + max(LEAST_PAUSE, DUTY * (now - begin))
            del self._busy[run.name]


async def run_page(request: Request) -> Response:
    """The page of a run."""
    site = site_of(request)
    run = site.store.run(request.path_params["name"])
    progress = await asyncio.to_thread(progress_of, run)
    part = "run_part.html.j2" if request.headers.get("hx-request") == "true" else "run.html.j2"
    text, _ = await request.app.state.display.show(run)
    return site.page(
        request,
        part,
        run=run,
        progress=progress,
        shown=text,
        states=STATES,
        has_table=beneath.modified(run.path, TABLE) > 0,
        has_report=progress.done
        and (run.kind.name == "assessment" or beneath.modified(run.path, RECORDED_FINDINGS) > 0),
        said=said(run.path),
        **_copied(run),
        **_resumed(site, run, progress.state),
    )


def _copied(run: Run) -> dict[str, Any]:
    """What can be copied: the command line and the lines of Python that do the same."""
    order = run.order or run.found
    content = facts_of(run.path).job if order is None else order.job._asdict()
    command = as_shell_line(content)
    if not command or content is None:  # a job of another version, or of a stranger; or Python made the folder
        return {"command": "", "python": ""}
    try:
        return {"command": command, "python": python_lines(job_from(content))}
    except (InputError, KeyError):  # the lines would leave out what the command loads
        return {"command": command, "python": ""}


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
        if job.command != run.kind.command or "file" not in job.options:
            raise InputError("It is the job of another folder.")
    except InputError:
        raise InputError(
            "It cannot be resumed here: the recorded command is not one that could have made this folder."
        ) from None
    folder, options = run.path.parent, dict(job.options)
    for name in files_read(job.command):
        if name in options:
            path = _found(options[name], options, folder)
            if path is not None:
                options[name] = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
            elif option_of(job.command, name).kind is Path:
                raise InputError(f"It cannot be resumed: the file {options[name]} is no longer there.")
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


async def run_progress(request: Request) -> Response:
    """The states of a run as server-sent events."""
    site = site_of(request)
    run = site.store.run(request.path_params["name"])
    stream = request.app.state.watches.follow(run)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def run_action(request: Request) -> Response:
    """Pause, stop, resume, or add runs or selectors."""
    site = site_of(request)
    run = site.store.run(request.path_params["name"])
    action = request.path_params["action"]
    if action == "pause":
        site.queue.pause(run)
    elif action == "stop":
        site.queue.stop(run)
    elif action == "resume":
        _refuse_locked(run)
        site.queue.submit(run.name, _order_of(site, run))
    elif action == "more":
        _refuse_locked(run)
        form = {name: str(value) for name, value in (await request.form()).items()}
        order = _order_of(site, run)
        site.queue.submit(run.name, order.but(options=_more(_with_selectors(order.options, run), form)))
    else:
        raise InputError(f"A run cannot be asked to {action!r}.")
    return go_to(request, f"/runs/{run.name}")


def _refuse_locked(run: Run) -> None:
    if progress_of(run).state == RUNNING:
        raise InputError(f"{run.name} is running; pause it first.")


def _with_selectors(options: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """The options with the selectors of the folder, where the command left them to its defaults."""
    return {**options, "selector": list(options.get("selector") or facts_of(run.path).selectors)}


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
        raise InputError("Nothing is added; give more runs, or name a selector.")
    return changed


async def run_report(request: Request) -> Response:
    """The report of the finished runs."""
    site = site_of(request)
    run = site.store.run(request.path_params["name"])
    target = run.path / REPORT
    if not _is_fresh(run.path):
        begin = time.time_ns()
        await site.sandbox.call("write_report", str(run.path), str(target), "html", seconds=REPORT_SECONDS)
        # It does not hold the runs that ended while it was written.
        os.utime(target, ns=(begin, begin), follow_symlinks=False)
    return report_response(HTMLResponse(_content(run, REPORT)), request, run.name)


async def run_frame(request: Request) -> Response:
    """The report in place, once it is written."""
    await run_report(request)
    return site_of(request).page(request, "frame.html.j2", name=request.path_params["name"])


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


async def run_file(request: Request) -> Response:
    """The table of features, the figures, the methods paragraph."""
    site = site_of(request)
    run = site.store.run(request.path_params["name"])
    wanted = request.path_params["file"]
    if wanted == TABLE and os.path.lexists(run.path / TABLE):
        return _download(_content(run, TABLE), f"{run.name}-{TABLE}", "text/csv")
    if wanted == "methods.txt":
        text = await site.sandbox.call("methods", str(run.path))
        return site.page(request, "methods.html.j2", text=text)
    if wanted == "figures.zip":
        return await _figures(site, run)
    raise InputError(f"{run.name} has no {wanted!r}.")


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


async def enter(request: Request) -> Response:
    """Trade the token of the printed link for a cookie."""
    site = site_of(request)
    if site.access.password is not None or not site.access.admits(request.query_params.get("token", "")):
        return PlainTextResponse(
            "This link is of another server, or of an earlier start; open the one printed last.", 403
        )
    # Not a redirect: a browser that followed a link from elsewhere would not send the cookie along.
    return _with_cookie(site.page(request, "enter.html.j2"), site)


async def login_page(request: Request) -> Response:
    """Where the password is typed."""
    site = site_of(request)
    if site.access.password is None:
        return RedirectResponse("/", 303)
    return site.page(request, "login.html.j2", wrong=False)


async def login(request: Request) -> Response:
    """Trade the password for a cookie; guesses wait for each other, so that many at once are no faster than one."""
    site = site_of(request)
    form = await request.form()
    async with site.guessing:
        if site.access.password is None or not site.access.admits(str(form.get("password", ""))):
            await asyncio.sleep(WRONG_PASSWORD_SECONDS)
            return HTMLResponse(site.text("login.html.j2", request, wrong=True), 403)
    return _with_cookie(RedirectResponse("/", 303), site)


async def home(request: Request) -> Response:
    """The first page."""
    site = site_of(request)
    return site.page(request, "home.html.j2", **await _listed(site, most=5))


async def runs_page(request: Request) -> Response:
    """All runs."""
    site = site_of(request)
    return site.page(request, "runs.html.j2", **await _listed(site))


async def run_answer(request: Request) -> Response:
    """What a run says, in a sentence or two."""
    site = site_of(request)
    run = site.store.run(request.path_params["name"])
    found = _known_answers.get((run.path, stamps(run.path)))
    if found is None:
        try:
            found = await site.sandbox.call("answer", str(run.path))
        except InputError as error:
            found = [site.without_paths(str(error))]
        _known_answers[run.path, stamps(run.path)] = found
        while len(_known_answers) > MAX_KNOWN:
            del _known_answers[next(iter(_known_answers))]
    return site.page(request, "answer.html.j2", answer=found)


async def rename(request: Request) -> Response:
    """Give a run another name."""
    site = site_of(request)
    run = site.store.run(request.path_params["name"])
    name = str((await request.form()).get("name", "")).strip()
    _refuse_running(run.name, progress_of(run).state)
    site.store.rename(run, name)
    if run.order is not None:
        moved = site.store.run(name)
        site.queue.moved(moved, run.order.but(options={**run.order.options, "out": name}))
    return go_to(request, f"/runs/{name}")


async def delete(request: Request) -> Response:
    """Remove a run."""
    site = site_of(request)
    run = site.store.run(request.path_params["name"])
    _refuse_running(run.name, progress_of(run).state)
    left = site.store.delete(run)
    if left:
        raise InputError(
            f"{run.name} is deleted but for files that are not of a run, which stay: {', '.join(left[:5])}."
        )
    return go_to(request, "/runs")


async def compare_page(request: Request) -> Response:
    """Two runs side by side."""
    site = site_of(request)
    names = request.query_params.getlist("run")
    if len(set(names)) != 2:
        raise InputError("Choose two runs to compare.")
    for name in names:
        site.store.run(name)
    return site.page(request, "compare.html.j2", names=names)


async def compare_report(request: Request) -> Response:
    """The report over the selectors of two runs."""
    site = site_of(request)
    runs = [site.store.run(name) for name in request.query_params.getlist("run")[:2]]
    page = await site.sandbox.call("compared", {run.name: str(run.path) for run in runs})
    return report_response(HTMLResponse(page), request, "comparison")


def _refuse_running(name: str, state: str) -> None:
    if state == RUNNING:
        raise InputError(f"{name} is running; pause or stop it first.")


async def _listed(site: Site, most: int | None = None) -> dict[str, object]:
    runs = await asyncio.to_thread(site.store.runs)
    shown = [{"run": run, "progress": await asyncio.to_thread(progress_of, run)} for run in runs[:most]]
    return {"runs": shown, "more": len(runs) - len(shown), "states": STATES, "folder": str(site.store.path)}


def _with_cookie(response: Response, site: Site) -> Response:
    response.set_cookie(site.access.cookie, site.access.new_session(), httponly=True, samesite="strict", path="/")
    return response
