"""Ctrl-C and a request to end (SIGTERM: of kill, a queue, a shutdown) stop a command alike: with one sentence.

A signal is heeded between two runs. Work that goes on for longer than GRACE seconds, or a second signal, ends the whole
process: what is finished is on disk by then, and an exception raised in the middle of compiled code may be lost, or
worse. A thread of its own waits for the signals, since the main one may be deep in compiled code.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from steadyset.cli.output import complain
from steadyset.errors import InterruptedRunError

Progress = Callable[[int, int], None]
KILLED_BY = 128  # a command that a signal ends gives 128 + its number
GRACE, TIDYING = 1.0, 5.0  # seconds until the next run ends, and for what is left to do after it
WORDS: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "asked to end"}


class Stop:
    """Whether a signal came, and which."""

    def __init__(self, what_is_kept: str) -> None:
        self.what_is_kept = what_is_kept
        self.number: int | None = None
        self.tidying = False
        self._end = threading.Lock()  # held by whoever tells the end

    def between(self, progress: Progress | None) -> Progress:
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


def leave(sentence: str, number: int) -> None:
    """End the process from wherever it is, with a sentence."""
    if sys.stderr.isatty():
        os.write(2, b"\r\x1b[2K\x1b[?25h")  # a progress bar hides the cursor
    complain(sentence)
    sys.stderr.flush()
    os._exit(KILLED_BY + number)


@contextmanager
def resumable(what_is_kept: str) -> Iterator[Stop]:
    """Work that may be stopped at any moment; then the sentence says what is kept and how to go on."""
    stop = Stop(what_is_kept)
    with _heeded(stop):
        try:
            yield stop
        except KeyboardInterrupt:
            raise InterruptedRunError(stop.sentence(), stop.number or signal.SIGINT) from None
        finally:
            stop.over()


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


def leave_at_once() -> None:
    """Outside of resumable work nothing can be lost: a signal ends the process where it is."""
    if threading.current_thread() is threading.main_thread():
        for number in WORDS:
            signal.signal(number, lambda number, _: leave(f"{WORDS[number]}.", number))
