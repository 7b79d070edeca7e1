"""How far a long computation is: a bar in a terminal and in a notebook, or a function of the caller's."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from steadyset.foundation.arguments import check_function
from steadyset.foundation.display import framed, track
from steadyset.foundation.text import counted, lasting

Tell = Callable[[int, int], None]  # is told the numbers of what is finished and of all
Progress = bool | Tell | None
COMPILING = "Compiling the kernels; the first use takes a minute."
EVERY = 0.2  # seconds between two states in a notebook, each of which is a message to the browser


def check_progress(progress: Progress) -> None:
    """Refuse what is neither an answer nor a function of (done, total)."""
    check_function("progress", progress, "done", "total", or_flag=True)


@contextmanager
def progress_told(progress: Progress, what: str) -> Iterator[Tell | None]:
    """What is to be told how many `what` are finished; None where nobody looks.

    A function is the caller's own. None shows a bar in a notebook and in a terminal, and nothing where standard error
    goes to a file or a pipe; True shows one there too, at the end; False never shows any.
    """
    if callable(progress):
        yield progress
    elif progress is not None and not progress:
        yield None
    elif _in_notebook():
        yield NotebookBar(what)
    elif progress or sys.stderr.isatty():
        with _terminal_bar(what) as tell:
            yield tell
    else:
        yield None


def people_look() -> bool:
    """Whether what goes to standard error is seen at once: in a notebook or a terminal."""
    return _in_notebook() or sys.stderr.isatty()


@contextmanager
def _terminal_bar(what: str) -> Iterator[Tell]:
    """A bar on standard error with the time left; it vanishes from a terminal and stays in a file."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True, force_jupyter=False)
    with RichProgress(*columns, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class NotebookBar:
    """A bar below the cell of a notebook, in HTML: it needs no widgets, and a saved notebook keeps its last state."""

    def __init__(self, what: str) -> None:
        self._what = what.removesuffix("s")
        self._begin = self._shown_at = time.monotonic()
        self._first: int | None = None  # what was finished before: resumed work says nothing of the time left
        self._place: Any = None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = done
        if self._place is not None and done < total and now - self._shown_at < EVERY:
            return
        self._shown_at = now
        self._show(self._html(done, total, now - self._begin))

    def _html(self, done: int, total: int, seconds: float) -> str:
        new = done - (self._first or 0)
        if done == total:
            time_left = f", {lasting(seconds)}"
        else:
            time_left = f", {lasting(seconds / new * (total - done))} left" if new else ""
        words = f"{done} of {counted(total, self._what)}{time_left}"
        return framed(f'<p role="status">{track(done / total if total else 1.0)} {words}</p>')

    def _show(self, html: str) -> None:
        from IPython.display import HTML, display

        if self._place is None:
            self._place = display(HTML(html), display_id=True)
        else:
            self._place.update(HTML(html))


def _in_notebook() -> bool:
    """Whether the code runs in a kernel, whose front end shows HTML; IPython in a terminal is a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None
