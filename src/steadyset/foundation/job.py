"""The job that is being done: a command with its options, which the run folder records, and how a signal ends it.

In Python there is no job. A command that a signal asks to end says one sentence and gives 128 + the number of the
signal; that is in force from the first line of the command on, so this imports next to nothing.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, NamedTuple

PROGRAM = "steadyset"
PASSWORD = re.compile(r"(://[^/@\s:]*):[^/\s]*@")
SECRET = re.compile(r"((?:password|passwd|pwd|secret|token|key)=)[^&\s]*", re.IGNORECASE)
HIDDEN = "***"


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
