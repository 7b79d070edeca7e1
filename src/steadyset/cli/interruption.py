"""Ctrl-C and a request to end (SIGTERM: of kill, a queue, a shutdown) stop a command alike: with one sentence."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from steadyset.errors import InterruptedRunError


class _AskedToEndError(KeyboardInterrupt):
    """SIGTERM came; whoever tidies up after Ctrl-C tidies up after this too."""


@contextmanager
def resumable(what_is_kept: str) -> Iterator[None]:
    """Work that may be stopped at any moment; then the sentence says what is kept and how to go on."""
    with _sigterm_raises():
        try:
            yield
        except KeyboardInterrupt as stop:
            asked = isinstance(stop, _AskedToEndError)
            word, number = ("asked to end", signal.SIGTERM) if asked else ("interrupted", signal.SIGINT)
            raise InterruptedRunError(f"{word}; {what_is_kept}", number) from None


@contextmanager
def _sigterm_raises() -> Iterator[None]:
    """Within it SIGTERM is an exception, so that worker processes and shared memory are put away."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # tidying up is not to be stopped by a second one
        raise _AskedToEndError

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
