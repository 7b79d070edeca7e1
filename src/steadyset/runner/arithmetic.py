"""The libraries of arithmetic that are loaded: BLAS, OpenMP."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import ThreadpoolController

_found: tuple[int, ThreadpoolController] | None = None


def arithmetic_libraries() -> ThreadpoolController:
    """The libraries that are loaded, to be told how many threads they may use.

    To look for them takes milliseconds, so it is done again only when something was imported since.
    """
    global _found
    import scipy.linalg  # noqa: F401 - its BLAS is one of them, and only a loaded library can be told

    if _found is None or _found[0] != len(sys.modules):
        imported = len(sys.modules)
        # The search runs functions that C calls. Ctrl-C would be lost there, but it only ever reaches the main thread.
        with ThreadPoolExecutor(1) as apart:
            _found = imported, apart.submit(ThreadpoolController).result()
    return _found[1]
