"""numba's compiler with the settings that every kernel shares."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit

from steadyset.kernels.cache import KernelCache

P = ParamSpec("P")
R = TypeVar("R")

SUMMING = {"reassoc", "contract", "nsz"}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on the first call, keep the result on disk, release the GIL while running."""
    return _compiled(function, fastmath=False)


def summing_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel whose sums the compiler may reorder, which lets it use vector instructions."""
    return _compiled(function, fastmath=SUMMING)


def part(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that kernels alone call. Python must not: there is no entry, which takes long to compile."""
    return _compiled(function, fastmath=False, no_cpython_wrapper=True)


def summing_part(function: Callable[P, R]) -> Callable[P, R]:
    """A part whose sums the compiler may reorder."""
    return _compiled(function, fastmath=SUMMING, no_cpython_wrapper=True)


def inner_part(function: Callable[P, R]) -> Callable[P, R]:
    """A part that numba writes into its callers, because a call copies every field of the tuples of arrays it hands on.

    Its arithmetic gets the settings of the caller, so a part belongs into parts, not into summing ones.
    """
    return _compiled(function, fastmath=False, no_cpython_wrapper=True, inline="always")


def _compiled(function: Callable[P, R], fastmath: bool | set[str], **options: Any) -> Callable[P, R]:
    compile_with: Any = njit  # whose types lack some of its options
    compiled = compile_with(nogil=True, error_model="numpy", fastmath=fastmath, no_cfunc_wrapper=True, **options)(
        function
    )
    compiled._cache = KernelCache(function)  # what numba's own cache=True does, with another cache
    return cast(Callable[P, R], compiled)
