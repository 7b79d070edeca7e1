"""What the views of the page share: the folder, the queue, the templates, and how answers are made."""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from steadyset._version import __version__
from steadyset.foundation import text as wording
from steadyset.foundation.errors import MissingExtraError, SteadysetError
from steadyset.foundation.text import shown_name
from steadyset.io import beneath
from steadyset.serve.access import CHANGE, Access, TooMuchError, TooSlowError
from steadyset.serve.forms import as_field, proposal
from steadyset.serve.job_queue import Queue
from steadyset.serve.progress import STATES, Display, Watches
from steadyset.serve.run_store import DATA, RunStore
from steadyset.serve.sandbox import Sandbox

PREFIX, LOCK = "steadyset-page-", "held"  # of temporary folders
FORGOTTEN = 3600.0  # seconds after which an upload that did not arrive is nobody's
OPENING = 60.0  # seconds in which a browser has read the page that leads to the link
BAR = (3.0, 107.0)  # where the bar of an interval begins and ends
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
# Files that never change while the server runs: of the page itself, and the look of the report.
STATIC = {
    "app.css": "serve/static",
    "app.js": "serve/static",
    "htmx.min.js": "serve/static",
    "htmx-sse.js": "serve/static",
    "icon.svg": "serve/static",
    "page.css": "reports",
}

# A report names what it runs by digests in a policy of its own; this one holds whatever file lies there.
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)


@dataclass
class Site:
    """One server: what it serves, and to whom.

    Attributes
    ----------
    temporary : a folder for what is measured and not kept
    """

    access: Access
    store: RunStore
    temporary: Path
    cores: int
    sandbox: Sandbox = field(default_factory=Sandbox)
    writing: dict[Path, asyncio.Task[None]] = field(default_factory=dict)  # reports
    guessing: asyncio.Lock = field(default_factory=asyncio.Lock)  # of passwords: one after the other

    def __post_init__(self) -> None:
        self.queue = Queue(self.store, self.cores)
        self._templates = _templates()
        self.display = Display(self.text, self.sandbox, self.queue)
        self.watches = Watches(self.store, self.display)

    def page(self, request: Request, template: str, **content: Any) -> Response:
        """A page, or a part of one."""
        return HTMLResponse(self.text(template, request, **content))

    def text(self, template: str, request: Request | None = None, **content: Any) -> str:
        """What a template makes of its content."""
        session = None if request is None else request.scope.get("session")
        token = "" if session is None else self.access.change_token(session)
        path = "" if request is None else request.url.path
        common = {"change_header": CHANGE, "change_token": token, "path": path, "version": __version__}
        return str(self._templates.get_template(template).render(**common, **content))

    def without_paths(self, text: str) -> str:
        """A sentence that names files as the page does, not where they lie on the disk."""
        for folder in (self.store.path / DATA, self.store.path, self.temporary):
            text = text.replace(f"{folder}{os.sep}", "")
        return text

    def refused(self, request: Request, sentence: str, code: int, heading: str = "That did not work") -> Response:
        """A sentence on why there is nothing else to show: as a page for a browser that opens one, else as text."""
        if "text/html" not in request.headers.get("accept", "") or request.headers.get("hx-request") == "true":
            return PlainTextResponse(sentence, code)
        return HTMLResponse(self.text("refused.html.j2", request, sentence=sentence, heading=heading), code)

    async def on_missing(self, request: Request, error: Exception) -> Response:
        """What the page says of an address that it does not know."""
        sentence = f"There is nothing at {request.url.path[:80]}; the address may be mistyped, or of another version."
        return self.refused(request, sentence, getattr(error, "status_code", 404), "No such page")

    async def on_error(self, request: Request, error: Exception) -> Response:
        """The sentence of an error, where the page shows such; also of what the system refuses, such as a name."""
        why = getattr(error, "strerror", None) or error
        told = error.told(as_field) if isinstance(error, SteadysetError) else f"This cannot be done: {why}."
        sentence = self.without_paths(told)
        code = 413 if isinstance(error, TooMuchError) else 408 if isinstance(error, TooSlowError) else 400
        if request.headers.get("hx-request") != "true":
            return self.refused(request, sentence, code)
        # With 200: a browser lists other codes as errors of the page.
        named = (proposal(one, {}, "measure") for one in getattr(error, "ways", ()))
        ways = [way for way in named if way is not None]
        part = self.text("complaint.html.j2", request, sentence=sentence, ways=ways)
        return HTMLResponse(part, headers={"HX-Retarget": "#complaint", "HX-Reswap": "innerHTML"})


ROUTES: list[Route] = []
View = Callable[..., Awaitable[Response]]


def view(path: str, method: str = "GET") -> Callable[[View], View]:
    """Let a function answer requests for a path, by the site, the request and the parts of the path in braces.

    `run` among these parts is the run folder of that name. A screen needs nothing else than this and its template.
    """

    def registered(answer: View) -> View:
        async def answered(request: Request) -> Response:
            site, parts = request.app.state.site, request.path_params
            if "run" in parts:
                parts = {**parts, "run": site.store.run(parts["run"])}
            return await answer(site, request, **parts)

        ROUTES.append(Route(path, answered, methods=[method]))
        return answer

    return registered


@view("/static/{name}")
async def static(site: Site, request: Request, name: str) -> Response:
    """A file of the page itself."""
    if name not in STATIC:
        return PlainTextResponse("There is no such file.", 404)
    content = files("steadyset").joinpath(*STATIC[name].split("/"), name).read_bytes()
    kind = TYPES[Path(name).suffix]
    return Response(content, media_type=kind, headers={"Cache-Control": "private, max-age=3600"})


def go_to(request: Request, path: str) -> Response:
    """Send the browser to another page, whether a script or a form asked."""
    place = quote(path)  # headers hold few of the letters that names of runs may have
    if request.headers.get("hx-request") == "true":
        return Response(headers={"HX-Redirect": place})
    return RedirectResponse(place, 303)


def _place(share: float) -> str:
    """Where a share of the range is on the bar of an interval."""
    return f"{BAR[0] + (BAR[1] - BAR[0]) * min(max(share, 0.0), 1.0):.1f}"


def _templates() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, select_autoescape
    except ImportError:
        raise MissingExtraError('The page needs jinja2: pip install "steadyset[serve]".') from None
    environment = Environment(
        loader=PackageLoader("steadyset.serve", "templates"),
        autoescape=select_autoescape(["html.j2"], default=True),
        trim_blocks=True,
        lstrip_blocks=True,
        # Names come from strangers: control characters and halves of characters are written out.
        finalize=lambda value: shown_name(value) if type(value) is str and "\n" not in value else value,
    )
    environment.filters |= {"place": _place, "counted": wording.counted, "percent": wording.percent}
    environment.filters["file"] = lambda path: path.rpartition("/")[2]
    environment.globals["states"] = STATES
    return environment


def report_response(response: Response, request: Request, name: str = "report") -> Response:
    """A report as it may be shown within the page, or, with ?download, as a file."""
    response.headers["Content-Security-Policy"] = REPORT_POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    if "download" in request.query_params:
        stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "report"
        response.headers["Content-Disposition"] = f'attachment; filename="{stem}.html"'
    return response


class Temporary:
    """A folder for this user alone, which ends with the server; a lock in it says that the server lives."""

    def __init__(self) -> None:
        _remove_left()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
        self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def __enter__(self) -> Temporary:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def remove_unfinished(folder: Path) -> None:
    """Remove uploads that were interrupted with their server."""
    for path in folder.glob(f".*{beneath.PART}"):
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > FORGOTTEN:
                path.unlink()


def _remove_left() -> None:
    """Remove the folders of this user's servers that were killed, and what led browsers to them."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if path.is_symlink() or path.lstat().st_uid != os.getuid():
                continue
            if path.is_file():
                if time.time() - path.lstat().st_mtime > OPENING:
                    path.unlink()
                continue
            with beneath.opened(path, LOCK, os.O_RDWR) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
