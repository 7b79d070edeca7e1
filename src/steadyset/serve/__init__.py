"""The local page: from a file to a report without typing a command. It computes nothing itself."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from steadyset.foundation.errors import InputError, MissingExtraError, SteadysetError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp

    from steadyset.serve.access import Access

__all__ = ["serve"]

PORT = 8351
GRACE = 1  # seconds that open streams get at the end
UPLOAD_BYTES = 1 << 30


def serve(
    folder: Path,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    password: str | None = None,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve the page on a folder until the process is asked to end; runs go on without it.

    Parameters
    ----------
    folder : where run folders and uploaded tables are
    host, port : where to listen; without a port the usual one, or a free one where it is taken
    password : what visitors type; needed where other machines reach the page. None: the link holds a random key
    ready : is told the link once the page can be opened
    """
    if os.name == "nt":
        raise InputError("The page needs Linux or macOS; on Windows it runs in the Linux subsystem (WSL).")
    try:
        import uvicorn

        from steadyset.serve.access import Access, Impatient, check_password
    except ImportError as error:
        if isinstance(error, MissingExtraError):
            raise
        raise MissingExtraError('The page needs starlette and uvicorn: pip install "steadyset[serve]".') from None
    check_password(host, password)
    listening = _listen(host, port)
    access = Access(host, listening.getsockname()[1], password)
    config = uvicorn.Config(
        create_application(folder, access),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,  # it would need a clock that ticks
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=30,
        lifespan="on",
        http=Impatient,
    )

    class Quiet(uvicorn.Server):
        """A server that sleeps until something happens, where the original looks at the time ten times a second."""

        async def main_loop(self) -> None:
            self.loop, self.ended = asyncio.get_running_loop(), asyncio.Event()
            ready(access.link)
            if not self.should_exit:
                await self.ended.wait()

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if sig == signal.SIGINT:  # how it is closed; the original would give the signal again at the end
                self.force_exit, self.should_exit = self.should_exit, True
            else:
                super().handle_exit(sig, frame)
            if hasattr(self, "ended"):
                self.loop.call_soon_threadsafe(self.ended.set)

    before = os.umask(0o077)  # uploads and run folders are this user's alone
    try:
        Quiet(config).run([listening])
    finally:
        os.umask(before)


def create_application(
    folder: Path, access: Access, *, cores: int | None = None, upload_bytes: int = UPLOAD_BYTES
) -> ASGIApp:
    """The page on a folder, for those whom `access` admits."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException

    from steadyset.serve import data_views, run_views  # noqa: F401 - the first registers what it answers
    from steadyset.serve.access import Guard
    from steadyset.serve.run_store import DATA, RunStore
    from steadyset.serve.site import ROUTES, Site, Temporary, remove_unfinished

    temporary = Temporary()
    site = Site(access, RunStore(folder), temporary.path, cores or os.cpu_count() or 1)

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        remove_unfinished(site.store.path / DATA)
        run_views.write_reports(site, asyncio.get_running_loop())
        site.queue.begin()
        threading.Thread(target=site.sandbox.begin, daemon=True).start()
        with temporary:
            yield
        site.sandbox.keep_only({})

    told = {SteadysetError: site.on_error, OSError: site.on_error, HTTPException: site.on_missing}
    app = Starlette(routes=ROUTES, lifespan=running, exception_handlers=told)
    app.state.site = site
    return Guard(app, access, upload_bytes, site.refused)


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket on the port that was asked for; on the usual one, or a free one, where none was."""
    refused: OSError | None = None
    for wanted in (PORT, 0) if port is None else (port,):
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            return socket.create_server((host, wanted), family=family)
        except OSError as error:
            refused = error
    at = host if port is None else f"{host}, port {port}"
    raise InputError(f"The page cannot listen at {at}: {refused.strerror if refused else ''}.") from None
