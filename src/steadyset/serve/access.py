"""Who may use the page, and what every request passes: which host it names, who sends it, from where, how much.

Whoever has the printed link, or the password, gets in; after that, a cookie says so.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from steadyset.foundation.errors import InputError, SteadysetError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LEAST_PASSWORD = 8  # characters
OPEN = ("/static/", "/enter", "/login")  # paths that need no cookie
UPLOADS = "/files"
CHANGE = "X-Change-Token"
FORM_BYTES = 8 << 20
PATIENCE = 10.0  # seconds that a request may be silent before it is whole
SLOWEST = 10_000  # bytes a second that a body brings at least, so that it is whole some time
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
NO_KEY = (
    "Open the link that the command printed in the terminal; it holds a key. Each start of steadyset serve prints a "
    "new one."
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


@dataclass
class Access:
    """The secrets of one server: they last as long as its process.

    Attributes
    ----------
    host, port : where it listens
    password : what visitors type; None: a random token in the printed link lets them in
    """

    host: str
    port: int
    password: str | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie; servers on other ports of the machine share its cookies, so it has the port."""
        return f"steadyset-{self.port}"

    @property
    def link(self) -> str:
        """What opens the page."""
        shown = "127.0.0.1" if is_everywhere(self.host) else f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{shown}:{self.port}/" + ("" if self.password is not None else f"enter?token={self.token}")

    def admits(self, given: str) -> bool:
        """Whether this is the token, or the password."""
        expected = self.token if self.password is None else self.password
        return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())

    def new_session(self) -> str:
        """The content of a cookie that `knows` accepts."""
        name = secrets.token_urlsafe(16)
        return f"{name}.{self._signature('session', name)}"

    def knows(self, session: str) -> bool:
        """Whether a cookie is one of ours."""
        name, _, signature = session.partition(".")
        return hmac.compare_digest(signature.encode("utf-8", "replace"), self._signature("session", name).encode())

    def change_token(self, session: str) -> str:
        """What a request for a change has to carry, which only pages that came with this cookie know."""
        return self._signature("change", session)

    def is_own_host(self, header: str) -> bool:
        """Whether a Host header names this server: a stranger's name that was bound to its address does not."""
        name, _, port = header.rpartition(":") if not header.endswith("]") else (header, "", "")
        if not port.isdecimal():
            name, port = header, "80"
        if port != str(self.port):
            return False
        name = name.strip("[]").lower()
        if not is_everywhere(self.host):
            return name == self.host.lower() or (self.host in LOOPBACK and name in LOOPBACK)
        return name == "localhost" or _is_address(name)

    def _signature(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"{purpose}:{text}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def check_password(host: str, password: str | None) -> None:
    """Refuse a short password, and none where other machines reach the page."""
    if password is not None and len(password) < LEAST_PASSWORD:
        raise InputError(f"The password must have at least {LEAST_PASSWORD} characters.")
    if password is None and not is_this_machine(host):
        raise InputError(
            f"With the host {host} other machines can reach the page, and what they send and see is not encrypted; "
            "give a password that visitors have to type, or leave the host out."
        )


def is_everywhere(host: str) -> bool:
    """Whether a host stands for all addresses of the machine."""
    return host in ("0.0.0.0", "::", "*", "")


def is_this_machine(host: str) -> bool:
    """Whether nobody but this machine reaches a host."""
    return host in LOOPBACK or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class TooMuchError(SteadysetError):
    """The body of a request is larger than allowed."""


class TooSlowError(SteadysetError):
    """The body of a request does not arrive."""


class Guard:
    """Lets a request through to the application, or answers it with a sentence."""

    def __init__(
        self, app: ASGIApp, access: Access, upload_bytes: int, refusal: Callable[[Request, str, int, str], Response]
    ) -> None:
        self.app, self.access, self.upload_bytes, self.refusal = app, access, upload_bytes, refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        limit = self.upload_bytes if scope["path"] == UPLOADS else FORM_BYTES
        refused = self._refused(scope, headers, limit)

        has_body = "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
        body = Body(receive, limit, is_whole=not has_body)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(scope=message)
                if not body.is_whole:  # nobody waits for the rest of what was refused
                    given["Connection"] = "close"
                for name, value in HEADERS.items():
                    given.setdefault(name, value)
            await send(message)

        if refused is not None:
            await refused(scope, receive, sending)
            return
        await self.app(scope, body.receive, sending)

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
        return self.refusal(Request(scope), NO_KEY, 403, "This link has no key")


def session_of(headers: Mapping[str, str], access: Access) -> str | None:
    """The session of a request; None for a stranger's."""
    found = cookie_parser(headers.get("cookie", "")).get(access.cookie, "")
    return found if access.knows(found) else None


class Body:
    """The body of a request, as long as it arrives and is not larger than allowed, whatever its declared length."""

    def __init__(self, receive: Receive, limit: int, *, is_whole: bool = False) -> None:
        self._receive, self._limit = receive, limit
        self.is_whole = is_whole
        self._size, self._begin = 0, time.monotonic()

    async def receive(self) -> Message:
        """The next part; after the last one, the end of the connection."""
        left = self._begin + PATIENCE + self._size / SLOWEST - time.monotonic()
        try:
            async with asyncio.timeout(None if self.is_whole else min(PATIENCE, left)):
                message = await self._receive()
        except TimeoutError:
            raise TooSlowError("The request did not arrive whole.") from None
        self.is_whole = not message.get("more_body", False)
        self._size += len(message.get("body", b""))
        if self._size > self._limit:
            raise TooMuchError(_too_much_words(self._limit))
        return message


def _too_much_words(limit: int) -> str:
    return f"This is too large: at most {limit >> 20:,} MB are accepted."


class Impatient(H11Protocol):
    """Closes a connection whose request has begun, or should have, and whose headers are not whole in time."""

    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:  # the headers are there; the body is the guard's
            self._rest()
        elif self._end is None:
            self._end = self.loop.call_later(PATIENCE, self.transport.close)

    def _rest(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None
