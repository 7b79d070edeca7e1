"""The same conditions for every run: one thread for the arithmetic, and each run hears its own warnings."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Literal, get_args

from steadyset.foundation.arguments import check_choice
from steadyset.foundation.threads import one_arithmetic_thread

OnWarning = Literal["record", "fail"]
RECORD: OnWarning = "record"
FAIL: OnWarning = "fail"
MAX_WARNINGS, LONGEST_WARNING = 5, 200
ABOUT_CODE = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning, ResourceWarning)

_lock = threading.Lock()
_settings = ExitStack()
_runs_at_work = 0
_listeners: dict[int, list[str]] = {}


def check_on_warning(value: Any) -> OnWarning:
    """What becomes of a run that warns."""
    check_choice("on_warning", value, get_args(OnWarning))
    return FAIL if value == FAIL else RECORD


@contextmanager
def same_conditions() -> Iterator[list[str]]:
    """Compute with one thread, and hear what is warned of meanwhile: short, distinct texts.

    How warnings are heard belongs to the process, so threads that compute runs at the same time share it: the first to
    come sets it, the last to leave resets it.
    """
    global _runs_at_work
    with _lock:
        if _runs_at_work == 0:
            _settings.enter_context(warnings.catch_warnings())
            warnings.simplefilter("always")
            for kind in ABOUT_CODE:  # they address the author of the estimator and say nothing of this run
                warnings.simplefilter("ignore", kind)
            warnings.showwarning = _hear
        _runs_at_work += 1
    try:
        with one_arithmetic_thread(), listening() as heard:
            yield heard
    finally:
        with _lock:
            _runs_at_work -= 1
            if _runs_at_work == 0:
                _settings.close()


@contextmanager
def listening() -> Iterator[list[str]]:
    """Hear what this thread warns of from here on; who listened before hears nothing of it."""
    me = threading.get_ident()
    before = _listeners.get(me)
    heard: list[str] = []
    _listeners[me] = heard
    try:
        yield heard
    finally:
        if before is None:
            del _listeners[me]
        else:
            _listeners[me] = before


def _hear(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    heard = _listeners.get(threading.get_ident())
    if heard is None and len(_listeners) == 1:  # a thread that the only run at work has started
        heard = next(iter(_listeners.values()), None)
    text = one_line(category.__name__, str(message))
    if heard is not None and text not in heard and len(heard) < MAX_WARNINGS:
        heard.append(text)


def reason(error: BaseException) -> str:
    """An error in one line."""
    return one_line(type(error).__name__, str(error))


def one_line(kind: str, message: str) -> str:
    """What an error or a warning says, in one short line; halves of characters, which no file takes, are spelt."""
    lines = message.encode("utf-8", "backslashreplace").decode().strip().splitlines()
    text = f"{kind}: {lines[0].strip()}" if lines else kind
    return text if len(text) <= LONGEST_WARNING else f"{text[: LONGEST_WARNING - 1]}…"


def end_with(parent: int) -> None:
    """End this process as soon as its parent is gone, however that ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.getppid() != parent:
        os._exit(1)
    threading.Thread(target=watch, daemon=True).start()
