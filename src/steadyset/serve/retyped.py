"""Runs that were started in a terminal: their recorded command as an order of the page, where it is safe to repeat.

Whether the data is still the same is not asked here: the command compares it with what the run folder records.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from steadyset.foundation.command_line import recorded_line
from steadyset.foundation.errors import InputError
from steadyset.serve.orders import Order, why_in_terminal
from steadyset.serve.progress_seen import seen
from steadyset.serve.shelf import FILES, Run

Given = Callable[[Sequence[str]], tuple[str, dict[str, Any]]]  # what the words of a call of the command say
SUBCOMMAND_OF = {"assessment": "assess", "tuning": "tune"}


def recorded_command(run: Run) -> str:
    """The line that started a run; "" where none was recorded, as for runs started in Python, or another command."""
    return recorded_line(seen(run.path).command)


def order_again(run: Run, given: Given, cores: int) -> Order:
    """The order that continues a run; an InputError says why there is none."""
    text = seen(run.path).command
    if not text:
        raise InputError("It cannot be resumed here: the folder does not record a command. Resume it where it began.")
    subcommand, options = _read(recorded_line(text), run, given)
    if why := why_in_terminal(options):
        raise InputError(f"It cannot be resumed here: {why}. Use the command below, with its option to resume.")
    folder = run.path.parent
    found = {name: _found(str(options[name]), options, folder) for name in FILES if name in options}
    for name in ("file", "samples"):
        if name in found and found[name] is None:
            raise InputError(f"It cannot be resumed: the file {options[name]} is no longer there.")
    paths = {name: _shown(path, folder) for name, path in found.items() if path is not None}
    jobs = int(options.get("jobs", -1))
    return Order(subcommand, {**options, **paths, "out": run.name, "resume": None}, cores=jobs if jobs > 0 else cores)


def _read(line: str, run: Run, given: Given) -> tuple[str, dict[str, Any]]:
    """The options of a recorded command."""
    try:
        _, *words = shlex.split(line)
        if words[0] == SUBCOMMAND_OF[run.kind]:
            subcommand, options = given(words)
            for name in ("jobs", "trials"):
                if name in options:
                    options[name] = int(options[name])
            if "file" in options:
                return subcommand, options
    except (ValueError, IndexError):  # InputErrors among them
        pass
    raise InputError("It cannot be resumed here: the recorded command is not one that could have made this folder.")


def _found(name: str, options: dict[str, Any], folder: Path) -> Path | None:
    """A file of the command, seen from where it was typed: from there its option `out` leads to the folder."""
    out = Path(str(options.get("out", "")))
    typed_in = folder
    if not out.is_absolute() and ".." not in out.parts:
        above = [folder, *folder.parents]
        typed_in = above[min(max(len(out.parts) - 1, 0), len(above) - 1)]
    places = (Path(name),) if Path(name).is_absolute() else (typed_in / name, folder / name)
    return next((place for place in places if place.is_file()), None)


def _shown(path: Path, folder: Path) -> str:
    path = path.resolve()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
