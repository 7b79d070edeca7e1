"""numba's compiler with the settings that every kernel shares."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on the first call, keep the result on disk, release the GIL while running."""
    return cast(Callable[P, R], njit(cache=True, nogil=True, error_model="numpy")(function))
