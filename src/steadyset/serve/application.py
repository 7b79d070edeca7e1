"""The application: which view answers which path."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from steadyset.foundation.errors import SteadysetError
from steadyset.serve import data_view, measure_view, run_view, shelf_view
from steadyset.serve.access import Access
from steadyset.serve.guard import UPLOADS, Guard
from steadyset.serve.queueing import Words
from steadyset.serve.retyped import Given
from steadyset.serve.shelf import DATA, Shelf
from steadyset.serve.site import Site
from steadyset.serve.temporary import Temporary, remove_unfinished
from steadyset.serve.uploads import upload
from steadyset.serve.watching import Watches

UPLOAD_BYTES = 1 << 30
KINDS = {".css": "text/css", ".js": "text/javascript", ".txt": "text/plain", ".svg": "image/svg+xml"}
# Files that never change while the server runs: of the page itself, and the look of the report.
STATIC = {
    "app.css": "serve/static",
    "app.js": "serve/static",
    "htmx.min.js": "serve/static",
    "htmx-sse.js": "serve/static",
    "icon.svg": "serve/static",
    "page.css": "reports",
}


def create_application(
    folder: Path,
    access: Access,
    words: Words,
    given: Given,
    *,
    cores: int | None = None,
    upload_bytes: int = UPLOAD_BYTES,
) -> ASGIApp:
    """The page on a folder, for those whom `access` admits."""
    temporary = Temporary()
    site = Site(access, Shelf(folder), words, given, temporary.path, cores or os.cpu_count() or 1)

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        remove_unfinished(site.shelf.path / DATA)
        site.queue.begin()
        threading.Thread(target=site.aside.begin, daemon=True).start()
        with temporary:
            yield

    app = Starlette(
        routes=_routes(), lifespan=running, exception_handlers={SteadysetError: site.on_error, OSError: site.on_error}
    )
    app.state.site = site
    app.state.display = run_view.Display(site)
    app.state.watches = Watches(site.shelf, app.state.display)
    return Guard(app, access, upload_bytes)


def _routes() -> list[Route]:
    run = "/runs/{name}"
    return [
        Route("/static/{name}", _static),
        Route("/enter", shelf_view.enter),
        Route("/login", shelf_view.login_page),
        Route("/login", shelf_view.login, methods=["POST"]),
        Route("/", shelf_view.home),
        Route(UPLOADS, upload, methods=["PUT"]),
        Route("/measure", measure_view.measure_page),
        Route("/measure", measure_view.measure, methods=["POST"]),
        Route("/measure/{key}/pictures", measure_view.measure_pictures),
        Route("/measure/{key}/report", measure_view.measure_report),
        Route("/assess", data_view.start_page),
        Route("/tune", data_view.start_page),
        Route("/data", data_view.data_page),
        Route("/estimate", data_view.estimate, methods=["POST"]),
        Route("/runs", shelf_view.runs_page),
        Route("/runs", data_view.order, methods=["POST"]),
        Route(run, run_view.run_page),
        Route(run, shelf_view.delete, methods=["DELETE"]),
        Route(f"{run}/name", shelf_view.rename, methods=["POST"]),
        Route(f"{run}/answer", shelf_view.run_answer),
        Route(f"{run}/progress", run_view.run_progress),
        Route(f"{run}/report", run_view.run_report),
        Route(f"{run}/frame", run_view.run_frame),
        Route(f"{run}/files/{{file}}", run_view.run_file),
        Route(f"{run}/{{action}}", run_view.run_action, methods=["POST"]),
        Route("/compare", shelf_view.compare_page),
        Route("/compare/report", shelf_view.compare_report),
    ]


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("There is no such file.", 404)
    content = files("steadyset").joinpath(*STATIC[name].split("/"), name).read_bytes()
    kind = KINDS[Path(name).suffix]
    return Response(content, media_type=kind, headers={"Cache-Control": "private, max-age=3600"})
