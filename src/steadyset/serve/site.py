"""What the views of the page share: the folder, the queue, the templates, and how answers are made."""

from __future__ import annotations

import asyncio
import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from steadyset._version import __version__
from steadyset.foundation import text as wording
from steadyset.foundation.command_line import PROGRAM
from steadyset.foundation.errors import MissingExtraError, SteadysetError
from steadyset.foundation.text import shown_name
from steadyset.serve.access import Access
from steadyset.serve.aside import Aside, as_field
from steadyset.serve.guard import CHANGE, TooMuchError, TooSlowError
from steadyset.serve.queueing import Queue, Words
from steadyset.serve.retyped import Given
from steadyset.serve.shelf import Shelf

BAR = (3.0, 107.0)  # where the bar of an interval begins and ends


@dataclass
class Site:
    """One server: what it serves, and to whom.

    Attributes
    ----------
    words, given : turn a call of the command into the words that are typed, and back
    temporary : a folder for what is measured and not kept
    """

    access: Access
    shelf: Shelf
    words: Words
    given: Given
    temporary: Path
    cores: int
    aside: Aside = field(default_factory=Aside)
    guessing: asyncio.Lock = field(default_factory=asyncio.Lock)  # of passwords: one after the other

    def __post_init__(self) -> None:
        self.queue = Queue(self.shelf, self.words, self.cores)
        self._templates = _templates()

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

    def command(self, subcommand: str, options: dict[str, Any]) -> str:
        """The line that does the same in a terminal."""
        return shlex.join([PROGRAM, *self.words(subcommand, options)])

    def without_paths(self, text: str) -> str:
        """A sentence that names files as the page does, not where they lie on the disk."""
        for folder in (self.shelf.path, self.temporary):
            text = text.replace(f"{folder}{os.sep}", "")
        return text

    async def on_error(self, request: Request, error: Exception) -> Response:
        """The sentence of an error, where the page shows such; also of what the system refuses, such as a name."""
        told = error.told(as_field) if isinstance(error, SteadysetError) else f"This cannot be done: {_reason(error)}."
        sentence = self.without_paths(told)
        code = 413 if isinstance(error, TooMuchError) else 408 if isinstance(error, TooSlowError) else 400
        if request.headers.get("hx-request") != "true":
            if "text/html" not in request.headers.get("accept", ""):
                return PlainTextResponse(sentence, code)
            return HTMLResponse(self.text("refused.html.j2", request, sentence=sentence), code)
        # With 200: a browser lists other codes as errors of the page.
        part = self.text("complaint.html.j2", request, sentence=sentence)
        return HTMLResponse(part, headers={"HX-Retarget": "#complaint", "HX-Reswap": "innerHTML"})


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def site_of(request: Request) -> Site:
    """The server that got a request."""
    site = request.app.state.site
    assert isinstance(site, Site)
    return site


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
    return environment
