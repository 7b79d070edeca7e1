"""numba's compiler with the settings that every kernel shares."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit

from steadyset.kernels.cache import KernelCache

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on the first call, keep the result on disk, release the GIL while running."""
    return _compiled(function, fastmath=False)


def summing_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel whose sums the compiler may reorder, which lets it use vector instructions."""
    return _compiled(function, fastmath={"reassoc", "contract", "nsz"})


def _compiled(function: Callable[P, R], fastmath: bool | set[str]) -> Callable[P, R]:
    compiled: Any = njit(nogil=True, error_model="numpy", fastmath=fastmath)(function)
    compiled._cache = KernelCache(function)  # what numba's own cache=True does, with another cache
    return cast(Callable[P, R], compiled)
