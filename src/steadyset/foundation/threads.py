"""One thread for the arithmetic libraries (BLAS and OpenMP) while something of ours computes.

Whatever runs in parallel here runs in threads or processes that were asked for by ``n_jobs``. Threads of the
arithmetic libraries would come on top: they wait for each other in busy loops, so that a machine that does something
else spends several times the processor time; and sums in another order change the last bits, and with them the
selection. Users' settings are as before as soon as the computation ends.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_lock = threading.Lock()
_process_limit: Any = None
_n_computing = 0
_controller: tuple[int, ThreadpoolController] | None = None


@contextmanager
def one_arithmetic_thread() -> Iterator[None]:
    """Limit the arithmetic libraries to one thread; blocks may be nested and may overlap in several threads."""
    with _lock:
        libraries = arithmetic_libraries()
        _enter(libraries)
    # A library that is built on OpenMP has a setting for each thread that calls it.
    limit = _limit(libraries, of_the_process=False)
    try:
        yield
    finally:
        if limit is not None:
            limit.restore_original_limits()
        with _lock:
            _leave()


def _enter(libraries: ThreadpoolController) -> None:
    """Limit the libraries with one setting for the process: the first to come limits them, the last to leave resets."""
    global _n_computing, _process_limit
    if _n_computing == 0:
        _take_control()
        _process_limit = _limit(libraries, of_the_process=True)
    _n_computing += 1


def _leave() -> None:
    global _n_computing, _process_limit
    _n_computing -= 1
    if _n_computing == 0 and _process_limit is not None:
        _take_control()
        _process_limit.restore_original_limits()
        _process_limit = None
        _take_control()


def _limit(libraries: ThreadpoolController, *, of_the_process: bool) -> Any:
    """Return the limits of these libraries, which are in force; None if there is no such library."""
    paths = [
        library["filepath"]
        for library in libraries.info()
        if (library["user_api"] == "blas" and library.get("threading_layer") != "openmp") == of_the_process
    ]
    return libraries.select(filepath=paths).limit(limits=1) if paths else None


def _take_control() -> None:
    """Let this thread change OpenBLAS, which threadpoolctl leaves to the thread that changed it first."""
    import threadpoolctl

    openblas: Any = getattr(threadpoolctl, "OpenBLASController", None)
    if hasattr(openblas, "clear_controlling_thread"):  # versions before 3.7 let every thread change it
        openblas.clear_controlling_thread(force=True)


def with_one_arithmetic_thread(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Decorate a function so that all it computes has one thread of the arithmetic libraries."""

    @wraps(function)
    def limited(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with one_arithmetic_thread():
            return function(*args, **kwargs)

    return limited


def arithmetic_libraries() -> ThreadpoolController:
    """Return the loaded arithmetic libraries; searched again only if something was imported since the last search."""
    global _controller
    import scipy.linalg  # noqa: F401 - its BLAS is one of them, and only a loaded library can be limited
    from threadpoolctl import ThreadpoolController

    if _controller is None or _controller[0] != len(sys.modules):
        n_modules = len(sys.modules)
        # The search runs functions that C calls. Ctrl-C would be lost there, but it only ever reaches the main thread.
        with ThreadPoolExecutor(1) as pool:
            _controller = n_modules, pool.submit(ThreadpoolController).result()
    return _controller[1]
