"""BLAS with one thread, for as long as anybody asks for it: the setting belongs to the process, not to a thread.

Small products gain nothing from more, and wait for milliseconds where other work keeps the cores busy.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_setting = ExitStack()
_asking = 0


@cache
def _libraries() -> ThreadpoolController:
    """The libraries that are loaded; to look for them takes milliseconds, so it is done once."""
    import scipy.linalg  # noqa: F401 - compiled code uses its BLAS, which only a loaded library can be told

    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """The first to come sets it, the last to leave puts back what was."""
    global _asking
    with _lock:
        if _asking == 0:
            _setting.enter_context(_libraries().limit(limits=1, user_api="blas"))
        _asking += 1
    try:
        yield
    finally:
        with _lock:
            _asking -= 1
            if _asking == 0:
                _setting.close()
