"""Arrays that a kernel borrows: they belong to its caller, who keeps them alive, so nobody needs to count references.

Counting is done by every function that gets a tuple of arrays, for each of them; between short functions that takes as
long as the work itself.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

Arrays = TypeVar("Arrays")


def borrowed(arrays: Arrays) -> Arrays:
    """The same (named) tuple of arrays, as borrowed ones."""
    return arrays


@overload(borrowed)
def _compiled_borrowed(arrays: Any) -> Callable[[Any], Any]:
    def implementation(arrays: Any) -> Any:
        return _without_counts(arrays)  # type: ignore[call-arg]

    return implementation


@intrinsic
def _without_counts(typing_context: Any, arrays: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (value,) = arguments
        for place, kind in enumerate(arrays.types):
            if isinstance(kind, types.Array):
                array = context.make_array(kind)(context, builder, builder.extract_value(value, place))
                array.meminfo = ir.Constant(array.meminfo.type, None)
                value = builder.insert_value(value, array._getvalue(), place)
        return value

    return arrays(arrays), generate
