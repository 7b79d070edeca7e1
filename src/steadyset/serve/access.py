"""Who may use the page: whoever has the printed link, or the password; after that, a cookie says so."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LEAST_PASSWORD = 8  # characters


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
