"""The way in, the first page, and the earlier runs: their answers, names, comparison and end."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from steadyset.foundation.errors import InputError
from steadyset.serve.progress_seen import RUNNING, progress_of, stamps
from steadyset.serve.report_view import report_response
from steadyset.serve.run_view import STATES
from steadyset.serve.site import Site, go_to, site_of

WRONG_PASSWORD_SECONDS = 1.0


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
    run = site.shelf.run(request.path_params["name"])
    found = _known_answers.get((run.path, stamps(run.path)))
    if found is None:
        try:
            found = await site.aside.call("answer", str(run.path))
        except InputError as error:
            found = [site.without_paths(str(error))]
        _known_answers[run.path, stamps(run.path)] = found
        while len(_known_answers) > MOST_KNOWN:
            del _known_answers[next(iter(_known_answers))]
    return site.page(request, "answer.html.j2", answer=found)


async def rename(request: Request) -> Response:
    """Give a run another name."""
    site = site_of(request)
    run = site.shelf.run(request.path_params["name"])
    name = str((await request.form()).get("name", "")).strip()
    _refuse_running(run.name, progress_of(run).state)
    site.shelf.rename(run, name)
    if run.order is not None:
        moved = site.shelf.run(name)
        site.queue.moved(moved, run.order.but(options={**run.order.options, "out": name}))
    return go_to(request, f"/runs/{name}")


async def delete(request: Request) -> Response:
    """Remove a run."""
    site = site_of(request)
    run = site.shelf.run(request.path_params["name"])
    _refuse_running(run.name, progress_of(run).state)
    left = site.shelf.delete(run)
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
        site.shelf.run(name)
    return site.page(request, "compare.html.j2", names=names)


async def compare_report(request: Request) -> Response:
    """The report over the selectors of two runs."""
    site = site_of(request)
    runs = [site.shelf.run(name) for name in request.query_params.getlist("run")[:2]]
    page = await site.aside.call("compared", {run.name: str(run.path) for run in runs})
    return report_response(HTMLResponse(page), request, "comparison")


def _refuse_running(name: str, state: str) -> None:
    if state == RUNNING:
        raise InputError(f"{name} is running; pause or stop it first.")


async def _listed(site: Site, most: int | None = None) -> dict[str, object]:
    runs = await asyncio.to_thread(site.shelf.runs)
    shown = [{"run": run, "progress": await asyncio.to_thread(progress_of, run)} for run in runs[:most]]
    return {"runs": shown, "more": len(runs) - len(shown), "states": STATES, "folder": str(site.shelf.path)}


def _with_cookie(response: Response, site: Site) -> Response:
    response.set_cookie(site.access.cookie, site.access.new_session(), httponly=True, samesite="strict", path="/")
    return response


MOST_KNOWN = 500
_known_answers: dict[tuple[Path, tuple[int, ...]], list[str]] = {}
