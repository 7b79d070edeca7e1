"""Signals in the midst of a kernel: compiled code runs no handler by itself, so Ctrl-C would wait for its end."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from steadyset.kernels.arrays import Ints
from steadyset.kernels.jit import kernel

# Multiply-adds from one look at the signals to the next: a fraction of a second, and nothing beside the work itself.
WORK_BETWEEN_LOOKS = 100_000_000


@kernel
def count_work(done: Ints, multiply_adds: int) -> None:
    """Add to the work in done[0], and let signals in when there was enough of it since the last time."""
    done[0] += multiply_adds
    if done[0] >= WORK_BETWEEN_LOOKS:
        done[0] = 0
        let_signals_in()


def let_signals_in() -> None:
    """Run the handlers of the signals that came; what one raises (KeyboardInterrupt) ends the kernel.

    A handler that raises nothing changes nothing: the kernel goes on where it was. Python that is not compiled looks at
    signals anyway.
    """


@overload(let_signals_in)
def _compiled_let_signals_in() -> Callable[[], None]:
    return lambda: _run_handlers()  # type: ignore[call-arg]


@intrinsic
def _run_handlers(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(32)
        check = builder.module.globals.get("PyErr_CheckSignals") or ir.Function(
            builder.module, ir.FunctionType(number, []), "PyErr_CheckSignals"
        )
        python = context.get_python_api(builder)
        lock = python.gil_ensure()  # kernels run without it
        raised = builder.call(check, [])
        python.gil_release(lock)
        with builder.if_then(builder.icmp_signed("!=", raised, ir.Constant(number, 0)), likely=False):
            context.call_conv.return_exc(builder)  # "an exception is set", to the caller and its callers
        return context.get_dummy_value()

    return types.void(), generate
