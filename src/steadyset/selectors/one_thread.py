"""One thread for BLAS, or for every library of arithmetic, for as long as anybody asks for it.

The setting belongs to the process, not to a thread. Small products gain nothing from more, and wait for milliseconds
where other work keeps the cores busy.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_setting = ExitStack()
_asking = 0
_found: tuple[int, ThreadpoolController] | None = None


def arithmetic_libraries() -> ThreadpoolController:
    """The libraries that are loaded, to be told how many threads they may use.

    To look for them takes milliseconds, so it is done again only when something was imported since.
    """
    global _found
    import scipy.linalg  # noqa: F401 - compiled code uses its BLAS, which only a loaded library can be told

    if _found is None or _found[0] != len(sys.modules):
        imported = len(sys.modules)
        # The search runs functions that C calls. Ctrl-C would be lost there, but it only ever reaches the main thread.
        with ThreadPoolExecutor(1) as apart:
            _found = imported, apart.submit(ThreadpoolController).result()
    return _found[1]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """The first to come sets it, the last to leave puts back what was."""
    global _asking
    with _lock:
        if _asking == 0:
            _setting.enter_context(arithmetic_libraries().limit(limits=1, user_api="blas"))
        _asking += 1
    try:
        yield
    finally:
        with _lock:
            _asking -= 1
            if _asking == 0:
                _setting.close()
