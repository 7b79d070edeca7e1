"""Ctrl-C and a request to end (SIGTERM: of kill, a queue, a shutdown) stop a command alike: with one sentence.

A signal is heeded between two runs. Work that goes on for longer than GRACE seconds, or a second signal, ends the whole
process: what is finished is on disk by then, and an exception raised in the middle of compiled code may be lost, or
worse. A thread of its own waits for the signals, since the main one may be deep in compiled code.
"""

from __future__ import annotations

import select
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from steadyset.foundation.errors import InterruptedRunError
from steadyset.foundation.job import WORDS, leave
from steadyset.foundation.progress import Tell

GRACE, TIDYING = 1.0, 5.0  # seconds until the next run ends, and for what is left to do after it


class Stop:
    """Whether a signal came, and which."""

    def __init__(self, what_is_kept: str) -> None:
        self.what_is_kept = what_is_kept
        self.number: int | None = None
        self.tidying = False
        self._end = threading.Lock()  # held by whoever tells the end

    def between(self, progress: Tell | None) -> Tell:
        """A progress callback at which the work ends if it is asked to."""

        def call(done: int, total: int) -> None:
            if progress is not None:
                progress(done, total)
            if self.number is not None:
                self.tidying = True
                raise KeyboardInterrupt

        return call

    def sentence(self) -> str:
        return f"{WORDS.get(self.number or signal.SIGINT, 'interrupted')}; {self.what_is_kept}"

    def error(self) -> InterruptedRunError:
        return InterruptedRunError(self.sentence(), self.number or signal.SIGINT)

    def on_signal(self, number: int, *_: object) -> None:
        self.number = number

    def watch(self, signals: socket.socket) -> None:
        """Wait for signals, then for the work to end; end the process when it does not."""
        while (received := signals.recv(1)) and received[0] not in WORDS:
            pass
        if not received:
            return
        self.number = received[0]
        begin = time.monotonic()
        while (left := begin + GRACE + TIDYING * self.tidying - time.monotonic()) > 0:
            if select.select([signals], [], [], min(left, 0.05))[0]:
                again = signals.recv(1)
                if not again:
                    return
                if again[0] in WORDS:
                    break
        if self._end.acquire(blocking=False):
            leave(self.sentence(), self.number)

    def over(self) -> None:
        """The work has ended by itself: from here on the process is not ended from the other thread."""
        self._end.acquire()


@contextmanager
def resumable(what_is_kept: str) -> Iterator[Stop]:
    """Work that may be stopped at any moment; then the sentence says what is kept and how to go on."""
    stop = Stop(what_is_kept)
    with _heeded(stop):
        try:
            yield stop
        except KeyboardInterrupt:
            raise stop.error() from None
        except Exception:
            if stop.number is None:
                raise
            raise stop.error() from None  # signals reach the workers too: what they broke is no news
        finally:
            stop.over()
    if stop.number is not None:  # it came after the last run
        raise stop.error()


@contextmanager
def _heeded(stop: Stop) -> Iterator[None]:
    """Within it signals go to `stop`; another thread than the main one cannot have them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    written, read = socket.socketpair()
    written.setblocking(False)
    woken = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    before = {number: signal.signal(number, stop.on_signal) for number in WORDS}
    watching = threading.Thread(target=stop.watch, args=(read,), daemon=True)
    watching.start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(woken)
        written.close()
        watching.join()
        read.close()
