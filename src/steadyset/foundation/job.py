"""The job that is being done: a command with its options, which the run folder records, and how a signal ends it.

In Python there is no job. A command that a signal asks to end (Ctrl-C, or SIGTERM of kill, a queue, a shutdown) says
one sentence and gives 128 + the number of the signal; that is in force from the first line of the command on, so this
imports next to nothing.

In work that can be resumed a signal is heeded between two runs. Work that goes on for longer than GRACE seconds, or a
second signal, ends the whole process: what is finished is on disk by then, and an exception raised in the middle of
compiled code may be lost, or worse. A thread of its own waits for the signals, since the main one may be deep in
compiled code.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import socket

    from steadyset.foundation.errors import InterruptedRunError

PROGRAM = "steadyset"
PASSWORD = re.compile(r"(://[^/@\s:]*):[^/\s]*@")
SECRET = re.compile(r"((?:password|passwd|pwd|secret|token|key)=)[^&\s]*", re.IGNORECASE)
HIDDEN = "***"
GRACE, TIDYING = 1.0, 5.0  # seconds until the next run ends, and for what is left to do after it


class Job(NamedTuple):
    """A command, and the options that it is given, as plain values by their names."""

    command: str
    options: Mapping[str, Any]


_current: ContextVar[Job | None] = ContextVar("job", default=None)


@contextmanager
def doing(job: Job) -> Iterator[None]:
    """Within this, what is recorded says that the job made it."""
    before = _current.set(job)
    try:
        yield
    finally:
        _current.reset(before)


def current_job() -> dict[str, Any] | None:
    """The job as it is recorded, without the passwords in addresses; None where Python made the call."""
    job = _current.get()
    if job is None:
        return None
    return {"command": job.command, "options": {name: _without_secrets(value) for name, value in job.options.items()}}


_purpose: ContextVar[str] = ContextVar("purpose", default="")


@contextmanager
def runs_for(purpose: str) -> Iterator[None]:
    """Within this, assessments record which question their runs are for, so that nobody reads them as an assessment."""
    before = _purpose.set(purpose)
    try:
        yield
    finally:
        _purpose.reset(before)


def current_purpose() -> str:
    """Return the question that runs are for; "" for an assessment of its own."""
    return _purpose.get()


def _without_secrets(value: Any) -> Any:
    """An option; the password in an address, such as that of a database, is not written down."""
    if isinstance(value, list):
        return [_without_secrets(one) for one in value]
    if not isinstance(value, str) or "://" not in value:
        return value
    return SECRET.sub(rf"\1{HIDDEN}", PASSWORD.sub(rf"\1:{HIDDEN}@", value))


KILLED_BY = 128  # a command that a signal ends gives 128 + its number
WORDS: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "asked to end"}


def leave(sentence: str, number: int) -> None:
    """End the process from wherever it is, with a sentence."""
    uncovered = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""  # a progress bar hides the cursor
    text = f"{uncovered}steadyset: {' '.join(sentence.split())}\n"
    with suppress(OSError):  # nobody may be listening any more
        # Not through sys.stderr, which may be in use by what is left here.
        os.write(2, text.encode(getattr(sys.stderr, "encoding", None) or "utf-8", "backslashreplace"))
    os._exit(KILLED_BY + number)


def leave_at_once() -> None:
    """Outside of resumable work nothing can be lost: a signal ends the process where it is."""
    _answer(lambda number, _: leave(f"{WORDS[number]}.", number))


def end_undisturbed() -> None:
    """All is done and told: a signal that comes now must not put another end in its place."""
    _answer(signal.SIG_IGN)


def _answer(handler: signal._HANDLER) -> None:
    if threading.current_thread() is threading.main_thread():
        for number in WORDS:
            signal.signal(number, handler)


# ---- work that can be resumed ----------------------------------------------------------------------------------------


class Stop:
    """Whether a signal came, and which."""

    def __init__(self, what_is_kept: str) -> None:
        self.what_is_kept = what_is_kept
        self.number: int | None = None
        self.tidying = False
        self._end = threading.Lock()  # held by whoever tells the end

    def between(self, progress: Callable[[int, int], None] | None) -> Callable[[int, int], None]:
        """A progress callback at which the work ends if it is asked to."""

        def call(done: int, total: int) -> None:
            if progress is not None:
                progress(done, total)
            if self.number is not None:
                self.tidying = True
                raise KeyboardInterrupt

        if progress is not None:
            call.__wrapped__ = progress  # type: ignore[attr-defined]  # what shows it can be told more
        return call

    def sentence(self) -> str:
        return f"{WORDS.get(self.number or signal.SIGINT, 'interrupted')}; {self.what_is_kept}"

    def error(self) -> InterruptedRunError:
        from steadyset.foundation.errors import InterruptedRunError

        return InterruptedRunError(self.sentence(), self.number or signal.SIGINT)

    def on_signal(self, number: int, *_: object) -> None:
        self.number = number

    def watch(self, signals: socket.socket) -> None:
        """Wait for signals, then for the work to end; end the process when it does not."""
        import select

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
    import socket

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
