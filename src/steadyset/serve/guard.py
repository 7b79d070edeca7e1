"""What every request passes: which host it names, who sends it, from which page, and how much."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steadyset.foundation.errors import SteadysetError
from steadyset.serve.access import Access

OPEN = ("/static/", "/enter", "/login")  # paths that need no cookie
UPLOADS = "/files"
CHANGE = "X-Change-Token"
FORM_BYTES = 8 << 20
PATIENCE = 10.0  # seconds that a request may be silent before it is whole
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
}


class TooMuchError(SteadysetError):
    """The body of a request is larger than allowed."""


class TooSlowError(SteadysetError):
    """The body of a request does not arrive."""


class Guard:
    """Lets a request through to the application, or answers it with a sentence."""

    def __init__(self, app: ASGIApp, access: Access, upload_bytes: int) -> None:
        self.app, self.access, self.upload_bytes = app, access, upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        limit = self.upload_bytes if scope["path"] == UPLOADS else FORM_BYTES
        refused = self._refused(scope, headers, limit)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    given.setdefault(name, value)
            await send(message)

        if refused is not None:
            await refused(scope, receive, sending)
            return
        await self.app(scope, _counted(receive, limit), sending)

    def _refused(self, scope: Scope, headers: Headers, limit: int) -> Response | None:
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self.access.is_own_host(host):
            return PlainTextResponse("This server does not answer to that host; open the printed link.", 421)
        session = session_of(headers, self.access)
        scope["session"] = session
        if session is None and not scope["path"].startswith(OPEN):
            return self._stranger(scope)
        if scope["method"] in ("GET", "HEAD"):
            return None
        if headers.get("origin") != f"http://{host}" or headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return PlainTextResponse("Changes are accepted from this server's own pages only.", 403)
        given = headers.get(CHANGE, "")
        expected = "" if session is None else self.access.change_token(session)
        own = hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())
        if session is not None and not own and scope["path"] != "/login":
            return PlainTextResponse("This page is out of date; load it again.", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > limit:
            return PlainTextResponse(_too_much_words(limit), 413)
        return None

    def _stranger(self, scope: Scope) -> Response:
        """The way in, for those who know it."""
        if self.access.password is not None and scope["method"] == "GET":
            return RedirectResponse("/login", 303)
        return PlainTextResponse("Open the link that the command printed in the terminal; it holds a key.", 403)


def session_of(headers: Mapping[str, str], access: Access) -> str | None:
    """The session of a request; None for a stranger's."""
    found = cookie_parser(headers.get("cookie", "")).get(access.cookie, "")
    return found if access.knows(found) else None


def _counted(receive: Receive, limit: int) -> Receive:
    """The body, as long as it arrives and is not larger than allowed, whatever its declared length."""
    total, whole = 0, False

    async def receiving() -> Message:
        nonlocal total, whole
        try:
            async with asyncio.timeout(None if whole else PATIENCE):  # after the body comes the end of the connection
                message = await receive()
        except TimeoutError:
            raise TooSlowError("The request did not arrive whole.") from None
        whole = not message.get("more_body", False)
        total += len(message.get("body", b""))
        if total > limit:
            raise TooMuchError(_too_much_words(limit))
        return message

    return receiving


def _too_much_words(limit: int) -> str:
    return f"This is too large: at most {limit >> 20:,} MB are accepted."
