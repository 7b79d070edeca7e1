"""numba's compiler with the settings that every kernel shares."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit

from steadyset.kernels.cache import KernelCache

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on the first call, keep the result on disk, release the GIL while running."""
    compiled: Any = njit(nogil=True, error_model="numpy")(function)
    compiled._cache = KernelCache(function)  # what numba's own cache=True does, with another cache
    return cast(Callable[P, R], compiled)
