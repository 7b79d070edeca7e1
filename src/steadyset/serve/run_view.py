"""One run: its progress as it happens, what can be done with it, and its report."""

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
from starlette.responses import HTMLResponse, Response, StreamingResponse

from steadyset.foundation.errors import InputError
from steadyset.io import beneath
from steadyset.io.run_files import CELLS, FINISHED, RECORDED_FINDINGS, TABLE
from steadyset.serve.orders import PAUSED, STOPPED, WAITING, Order
from steadyset.serve.progress_seen import (
    DAMAGED,
    FAILED,
    FINISHED_STATE,
    FOUND,
    INTERRUPTED,
    RUNNING,
    progress_of,
    said,
    seen,
)
from steadyset.serve.python_lines import python_lines
from steadyset.serve.report_view import report_response
from steadyset.serve.retyped import order_again, recorded_command
from steadyset.serve.shelf import REPORT, Run
from steadyset.serve.site import Site, go_to, site_of

LEAST_PAUSE, DUTY = 1.0, 20.0  # seconds between two interim results, and how many times as long as one takes
MAX_SHOWN = 256 << 20  # bytes of a report or a table
REPORT_SECONDS = 900.0  # many selectors have many pictures
INTERIM = {"assessment": "interim", "tuning": "front"}  # tasks
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


class Display:
    """What is shown of runs as they go on; interim results are computed aside, and rarely enough to cost nothing."""

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
            self._interim[run.name] = await self.site.aside.call(INTERIM[run.kind], str(run.path))
        except InputError:
            pass  # the next one may find more
        finally:
            now = time.monotonic()
            self._next[run.name] = now + max(LEAST_PAUSE, DUTY * (now - begin))
            del self._busy[run.name]


async def run_page(request: Request) -> Response:
    """The page of a run."""
    site = site_of(request)
    run = site.shelf.run(request.path_params["name"])
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
        has_report=progress.done and (run.kind == "assessment" or beneath.modified(run.path, RECORDED_FINDINGS) > 0),
        said=said(run.path),
        **_copied(site, run),
        **_resumed(site, run, progress.state),
    )


def _copied(site: Site, run: Run) -> dict[str, Any]:
    """What can be copied: the command line and the lines of Python that do the same."""
    order = run.order or run.found
    if order is None:  # the command was typed
        return {"command": recorded_command(run), "python": ""}
    options = dict(order.options)
    try:
        return {"command": site.command(order.subcommand, options), "python": python_lines(order.subcommand, options)}
    except (InputError, TypeError, ValueError, KeyError):  # an order of another version, or of a stranger
        return {"command": "", "python": ""}


def _resumed(site: Site, run: Run, state: str) -> dict[str, Any]:
    """Whether a run can be resumed here, and why not where one might expect it."""
    if state in (FINISHED_STATE, RUNNING, WAITING, DAMAGED):
        return {"resumable": False, "why_not": ""}
    try:
        site.shelf.refuse_data_elsewhere(_order_of(site, run).options)
    except InputError as error:
        return {"resumable": False, "why_not": str(error)}
    return {"resumable": True, "why_not": ""}


def _order_of(site: Site, run: Run) -> Order:
    """What the page was asked for, an order that came with the folder, or the command that was typed."""
    return run.order or run.found or order_again(run, site.given, site.cores)


async def run_progress(request: Request) -> Response:
    """The states of a run as server-sent events."""
    site = site_of(request)
    run = site.shelf.run(request.path_params["name"])
    stream = request.app.state.watches.follow(run)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def run_action(request: Request) -> Response:
    """Pause, stop, resume, or add runs or selectors."""
    site = site_of(request)
    run = site.shelf.run(request.path_params["name"])
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
    return {**options, "selectors": list(options.get("selectors") or seen(run.path).selectors)}


def _more(options: Mapping[str, Any], form: Mapping[str, str]) -> dict[str, Any]:
    """The options with more runs, or with more selectors."""
    changed = dict(options)
    runs = form.get("runs", "").strip()
    if runs and runs != str(options.get("runs", "")):
        before = str(options.get("runs", "0"))
        if not runs.isdecimal() or len(runs) > 7 or (before.isdecimal() and int(runs) < int(before)):
            raise InputError(f"“Runs” must be a whole number of at least {before} (got {runs[:40]!r}).")
        changed["runs"] = runs
    added = [one.strip() for one in form.get("selectors", "").split("\n") if one.strip()]
    changed["selectors"] = list(dict.fromkeys([*options["selectors"], *added]))
    if changed == dict(options):
        raise InputError("Nothing is added; give more runs, or name a selector.")
    return changed


async def run_report(request: Request) -> Response:
    """The report of the finished runs."""
    site = site_of(request)
    run = site.shelf.run(request.path_params["name"])
    target = run.path / REPORT
    if not _is_fresh(run.path):
        begin = time.time_ns()
        await site.aside.call("write_report", str(run.path), str(target), "html", seconds=REPORT_SECONDS)
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
    run = site.shelf.run(request.path_params["name"])
    wanted = request.path_params["file"]
    if wanted == TABLE and os.path.lexists(run.path / TABLE):
        return _download(_content(run, TABLE), f"{run.name}-{TABLE}", "text/csv")
    if wanted == "methods.txt":
        text = await site.aside.call("methods", str(run.path))
        return site.page(request, "methods.html.j2", text=text)
    if wanted == "figures.zip":
        return await _figures(site, run)
    raise InputError(f"{run.name} has no {wanted!r}.")


async def _figures(site: Site, run: Run) -> Response:
    with tempfile.TemporaryDirectory(dir=site.temporary) as place:
        folder = Path(place) / "figures"
        await site.aside.call("write_report", str(run.path), str(folder), "folder", seconds=REPORT_SECONDS)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                archive.write(path, path.relative_to(folder))
    return _download(packed.getvalue(), f"{run.name}-figures.zip", "application/zip")


def _download(content: bytes, name: str, kind: str) -> Response:
    plain = name.encode("ascii", "replace").decode().replace('"', "")
    headers = {"Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=utf-8''{quote(name)}"}
    return Response(content, media_type=kind, headers=headers)
