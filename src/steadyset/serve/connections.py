"""Connections on which nothing whole arrives are closed: a server has only so many, and they would stay."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from steadyset.serve.guard import PATIENCE


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
