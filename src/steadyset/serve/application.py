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
from steadyset.serve import data_view, measure_view, run_views
from steadyset.serve.access import UPLOADS, Access, Guard
from steadyset.serve.progress import Watches
from steadyset.serve.run_store import DATA, RunStore
from steadyset.serve.site import Site, Temporary, remove_unfinished

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
    folder: Path, access: Access, *, cores: int | None = None, upload_bytes: int = UPLOAD_BYTES
) -> ASGIApp:
    """The page on a folder, for those whom `access` admits."""
    temporary = Temporary()
    site = Site(access, RunStore(folder), temporary.path, cores or os.cpu_count() or 1)

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        remove_unfinished(site.store.path / DATA)
        site.queue.begin()
        threading.Thread(target=site.sandbox.begin, daemon=True).start()
        with temporary:
            yield

    app = Starlette(
        routes=_routes(), lifespan=running, exception_handlers={SteadysetError: site.on_error, OSError: site.on_error}
    )
    app.state.site = site
    app.state.display = run_views.Display(site)
    app.state.watches = Watches(site.store, app.state.display)
    return Guard(app, access, upload_bytes)


def _routes() -> list[Route]:
    run = "/runs/{name}"
    return [
        Route("/static/{name}", _static),
        Route("/enter", run_views.enter),
        Route("/login", run_views.login_page),
        Route("/login", run_views.login, methods=["POST"]),
        Route("/", run_views.home),
        Route(UPLOADS, measure_view.upload, methods=["PUT"]),
        Route("/measure", measure_view.measure_page),
        Route("/measure", measure_view.measure, methods=["POST"]),
        Route("/measure/{key}/pictures", measure_view.measure_pictures),
        Route("/measure/{key}/report", measure_view.measure_report),
        Route("/assess", data_view.start_page),
        Route("/tune", data_view.start_page),
        Route("/data", data_view.data_page),
        Route("/estimate", data_view.estimate, methods=["POST"]),
        Route("/runs", run_views.runs_page),
        Route("/runs", data_view.order, methods=["POST"]),
        Route(run, run_views.run_page),
        Route(run, run_views.delete, methods=["DELETE"]),
        Route(f"{run}/name", run_views.rename, methods=["POST"]),
        Route(f"{run}/answer", run_views.run_answer),
        Route(f"{run}/progress", run_views.run_progress),
        Route(f"{run}/report", run_views.run_report),
        Route(f"{run}/frame", run_views.run_frame),
        Route(f"{run}/files/{{file}}", run_views.run_file),
        Route(f"{run}/{{action}}", run_views.run_action, methods=["POST"]),
        Route("/compare", run_views.compare_page),
        Route("/compare/report", run_views.compare_report),
    ]


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("There is no such file.", 404)
    content = files("steadyset").joinpath(*STATIC[name].split("/"), name).read_bytes()
    kind = KINDS[Path(name).suffix]
    return Response(content, media_type=kind, headers={"Cache-Control": "private, max-age=3600"})
