"""One thread for BLAS, or for every library of arithmetic, for as long as anybody asks for it.

The setting belongs to the process, not to a thread. Small products gain nothing from more, and wait for milliseconds
where other work keeps the cores busy.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager

from threadpoolctl import ThreadpoolController

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


class _Libraries:
    """Libraries of one kind. The first who asks sets one thread, the last to leave puts back what was."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._lock = threading.Lock()
        self._setting = ExitStack()
        self._asking = 0

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        with self._lock:
            if self._asking == 0:
                self._setting.enter_context(arithmetic_libraries().limit(limits=1, user_api=self._kind))
            self._asking += 1
        try:
            yield
        finally:
            with self._lock:
                self._asking -= 1
                if self._asking == 0:
                    self._setting.close()


_blas, _openmp = _Libraries("blas"), _Libraries("openmp")


def one_blas_thread() -> AbstractContextManager[None]:
    """One thread for products of matrices."""
    return _blas.one_thread()


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for all arithmetic."""
    with _blas.one_thread(), _openmp.one_thread():
        yield
