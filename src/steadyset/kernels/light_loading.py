"""Kernels that are kept on disk, loaded without what only a compiler needs.

numba prepares each kernel that it loads for being built into others: it reads the intermediate code beside the machine
code, and imports every module that any of the functions inside came from. Both take longer than loading the machine
code, and no kernel that is called needs either. Here the intermediate code is read when a kernel is compiled that asks
for it, and the modules are not imported.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import llvmlite.binding as llvm
from numba.core import environment


def unpickled(content: bytes) -> Any:
    """What was pickled; functions inside kernels do not bring their modules."""
    return _Unpickler(io.BytesIO(content)).load()


@contextmanager
def light_libraries(codegen: Any, described: Any) -> Iterator[None]:
    """Within it, the library of the kernel so described is made without its intermediate code.

    Only one thread at a time may be in here: numba loads kernels under its own lock.
    """
    # The names by which numba may ask for addresses; a kernel has those that stand in its machine code.
    symbols = (described.llvm_func_name, described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name)
    codegen.unserialize_library = partial(_library, codegen, symbols)
    try:
        yield
    finally:
        del codegen.unserialize_library


def _library(codegen: Any, symbols: tuple[str, ...], state: tuple[str, str, Any]) -> Any:
    name, kind, data = state
    if kind != "object":
        return type(codegen).unserialize_library(codegen, state)
    machine_code, intermediate = data
    library = codegen.create_library(name)
    library.enable_object_caching()
    library._set_compiled_object(machine_code)
    library._finalize_final_module()
    codegen._engine._defined_symbols.update(symbol for symbol in symbols if symbol.encode() + b"\0" in machine_code)
    library._get_module_for_linking = partial(_read_once, library, intermediate)
    return library


def _read_once(library: Any, intermediate: bytes) -> Any:
    if library._shared_module is None:
        library._shared_module = llvm.parse_bitcode(intermediate)
    return library._shared_module


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (environment.__name__, "_rebuild_env"):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """The constants of a compiled function; its globals are for code of the interpreter, which no kernel has."""
    if module in sys.modules or environment.lookup_environment(name) is not None:
        return environment._rebuild_env(module, constants, name)
    made = environment.Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    environment.Environment._memo[name] = made
    return made
