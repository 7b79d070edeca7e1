"""How the command ends when a signal asks it to: with one sentence, and 128 + the number of the signal.

It is in force from the first line of the command on, so it imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress

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
