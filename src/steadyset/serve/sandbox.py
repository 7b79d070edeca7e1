"""Computations in a process of their own: a hostile or huge file ends that process, never the server."""

from __future__ import annotations

import asyncio
import functools
import multiprocessing
import os
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from steadyset.foundation.errors import Argument, InputError, SteadysetError
from steadyset.serve.forms import as_field

SECONDS = 120.0
MAX_GB = 8.0  # of memory for one computation; less where the machine has not as much for all of them
SPARE_GB = 4.0  # of addresses that libraries take beside the data
# The library that draws takes far more addresses than memory; what it draws has been read within the limit before.
DRAWING = ("pictures", "selections_page", "write_report", "compared")


class RefusedError(InputError):
    """What a computation refused; `ways` are the arguments with values that its sentence proposes."""

    ways: tuple[Argument, ...] = ()


class TooLongError(InputError):
    """A computation took longer than it may here."""


class Sandbox:
    """Computes in other processes, a few at a time, each with limits of time and memory."""

    def __init__(self, at_once: int = 2, max_gb: float | None = None) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["steadyset.serve.sandboxed"])
        self._turns = asyncio.Semaphore(at_once)
        self._max_gb = min(MAX_GB, _memory_gb() / (at_once + 1)) if max_gb is None else max_gb

    def begin(self) -> None:
        """Load what the tasks need, so that the first of them does not wait for it."""
        process = self._context.Process(target=_loaded, daemon=True)
        process.start()
        process.join()

    async def call(self, task: str, *arguments: Any, seconds: float = SECONDS) -> Any:
        """What a function of steadyset.serve.sandboxed returns; an InputError with one sentence where it cannot.

        Tasks are called by name, so that the server itself never imports what they need.
        """
        async with self._turns:
            loop = asyncio.get_running_loop()
            called = functools.partial(self._call, task, arguments, seconds)
            return await loop.run_in_executor(None, called)

    def _call(self, task: str, arguments: tuple[Any, ...], seconds: float) -> Any:
        ours, theirs = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_answer, args=(theirs, task, arguments, self._max_gb), daemon=True)
        process.start()
        theirs.close()
        try:
            if not ours.poll(seconds):
                raise TooLongError(f"This took longer than {seconds:.0f} s and was stopped; use the command instead.")
            kind, content, ways = ours.recv()
        except EOFError:
            raise InputError("The file cannot be read: it is damaged, or too large for the memory.") from None
        finally:
            process.kill()
            process.join()
            process.close()
            ours.close()
        if kind == "refused":
            refused = RefusedError(content)
            refused.ways = ways
            raise refused
        return content


def _memory_gb() -> float:
    """The memory of the machine; where it is not told, as if it were enough."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError):
        return float("inf")


def _loaded() -> None:
    """The process that is forked for each task has loaded everything by now."""


def _answer(back: Connection, task: str, arguments: tuple[Any, ...], max_gb: float) -> None:
    """In the other process: the result, or the sentence of an error."""
    if task not in DRAWING:
        limit_memory(int((max_gb + SPARE_GB) * 2**30))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what native libraries print is no answer
    try:
        from steadyset.serve import sandboxed

        back.send(("done", getattr(sandboxed, task)(*arguments), ()))
    except SteadysetError as error:
        ways = tuple(part for part in error.args if isinstance(part, Argument) and part.value not in (None, ...))
        back.send(("refused", error.told(as_field), ways))
    except MemoryError:
        back.send(("refused", "This needs more memory than is allowed here; use the command instead.", ()))


def limit_memory(n_bytes: int) -> None:
    """Let this process take no more than so many bytes beyond what it has, where the system can hold it to that."""
    with suppress(ImportError, OSError, ValueError):  # not everywhere
        import resource

        with open("/proc/self/statm", encoding="ascii") as sizes:
            taken = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + n_bytes, taken + n_bytes))
