"""Ctrl-C and a request to end (SIGTERM: of kill, a queue, a shutdown) stop a command alike: with one sentence.

Where this process computes by itself, a signal is heeded between two runs, and work in hand is stopped only when it
goes on for longer than GRACE seconds, or at the second signal: an exception that is raised where compiled code hands
its results over may be lost, or worse. A process that waits for others stops at once.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from steadyset.errors import InterruptedRunError

Progress = Callable[[int, int], None]
GRACE = 1.0
HAS_TIMER = hasattr(signal, "setitimer")  # where there is none, every signal stops at once


class Stop:
    """Whether a signal came, and which."""

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once
        self.number: int | None = None

    def between(self, progress: Progress | None) -> Progress:
        """A progress callback at which the work ends if it is asked to."""

        def call(done: int, total: int) -> None:
            if progress is not None:
                progress(done, total)
            if self.number is not None:
                raise KeyboardInterrupt

        return call

    def on_signal(self, number: int, *_: object) -> None:
        now = self.at_once or self.number is not None or not HAS_TIMER
        self.number = number
        if HAS_TIMER:
            signal.setitimer(signal.ITIMER_REAL, GRACE, GRACE)
        if now:
            self.on_alarm()

    def on_alarm(self, *_: object) -> None:
        if not isinstance(sys.exc_info()[1], KeyboardInterrupt):  # tidying up is not to be stopped
            raise KeyboardInterrupt


@contextmanager
def resumable(what_is_kept: str, *, at_once: bool = False) -> Iterator[Stop]:
    """Work that may be stopped at any moment; then the sentence says what is kept and how to go on."""
    stop = Stop(at_once)
    with _heeded(stop):
        try:
            yield stop
        except KeyboardInterrupt:
            word = "asked to end" if stop.number == signal.SIGTERM else "interrupted"
            raise InterruptedRunError(f"{word}; {what_is_kept}", stop.number or signal.SIGINT) from None


@contextmanager
def _heeded(stop: Stop) -> Iterator[None]:
    """Within it signals go to `stop`; another thread than the main one cannot have them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[int, Callable[..., None]] = {signal.SIGINT: stop.on_signal, signal.SIGTERM: stop.on_signal}
    if HAS_TIMER:
        handlers[signal.SIGALRM] = stop.on_alarm
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        if HAS_TIMER:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
