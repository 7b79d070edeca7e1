"""The folder that the page works in: its run folders and its data files, by names that cannot leave it."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from steadyset.foundation.errors import InputError
from steadyset.foundation.job import Job
from steadyset.foundation.text import shown_name
from steadyset.io import beneath
from steadyset.io.disk import (
    ALIKE_FEATURES,
    CELLS,
    CHOSEN,
    DATABASE,
    FINISHED,
    LOCK,
    RANKINGS,
    RECORDED_FINDINGS,
    RECORDED_METHODS,
    SETTINGS,
    TABLE,
    TRIALS,
    explained,
)
from steadyset.io.formats.record import PACKED, endings_in_words, format_of
from steadyset.options import files_read
from steadyset.serve.orders import HELD, JOB, SAID, Order, found_order, read_order

DATA = "data"  # the folder of uploaded tables
LONGEST = 255  # bytes of a name
REPORT = "report.html"
NAME = re.compile(r"[^\W_][\w .()+-]{0,79}")  # begins with a letter or digit, and has no separators
# What runs and the page write: nothing else is ever deleted.
OWN = (JOB, HELD, SAID, REPORT, SETTINGS, CELLS, ALIKE_FEATURES, TABLE, LOCK, DATABASE, TRIALS)
OWN_TOO = (RECORDED_FINDINGS, RECORDED_METHODS, CHOSEN, *(f"{DATABASE}-{part}" for part in ("journal", "wal", "shm")))


class Kind(NamedTuple):
    """A kind of run folder: the command that makes it, what it is called, and by which files it is known.

    `mark` is there from the first run on, `last` once all are finished; `interim` is what the sandbox computes before.
    """

    command: str
    name: str
    mark: str
    last: str
    title: str
    interim: str


KINDS = (
    Kind("assess", "assessment", SETTINGS, TABLE, "Assess selectors", "interim"),
    Kind("tune", "tuning", DATABASE, TRIALS, "Tune: find the best configurations", "front"),
)


class Run(NamedTuple):
    """A run folder.

    `order` is what a person asked this user's page for; `found` is an order that came with the folder.
    """

    name: str
    path: Path
    kind: Kind
    order: Order | None
    changed: datetime
    found: Order | None = None


class RunStore:
    """A folder with run folders and tables."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def runs(self) -> list[Run]:
        """The run folders, the last changed first."""
        found = [run for path in self._folders() if (run := self._run(path)) is not None]
        return sorted(found, key=lambda run: run.changed, reverse=True)

    def run(self, name: str) -> Run:
        """A run folder by its name."""
        path = self.place(name)
        found = self._run(path) if path.is_dir() else None
        if found is None:
            raise InputError(f"There is no run {name!r} here.")
        return found

    def tables(self) -> list[str]:
        """The data files: those that were uploaded, and those beside the run folders."""
        places = [self.path / DATA, self.path]
        there = [place for place in places if place.is_dir() and not place.is_symlink()]
        files = [path for place in there for path in place.iterdir() if _is_table(path)]
        files.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        return [path.relative_to(self.path).as_posix() for path in files]

    def table(self, name: str) -> Path:
        """A data file by the name that `tables` gives it."""
        folder, _, file = name.rpartition("/")
        path = self.path / folder / file
        known = folder in ("", DATA) and not (self.path / folder).is_symlink()
        if not known or not _fits(file) or not _is_plain(file) or not _is_table(path):
            raise InputError(f"There is no data file {name!r} here.")
        return path

    def new_table(self, given: str) -> Path:
        """Where an upload goes: a name of ours, made of what is harmless in the given one."""
        return self._within(DATA) / harmless_name(given)

    def place(self, name: str) -> Path:
        """The path of a run folder, which may not exist; names that could leave the folder are refused."""
        if not NAME.fullmatch(name) or name.rstrip(" .") != name or name == DATA or not _fits(name):
            raise InputError(
                f"{name[:80]!r} cannot be the name of a run: use at most 80 letters, digits, spaces and . _ - ( ) +, "
                "and begin with a letter or a digit."
            )
        path = self.path / name
        if path.is_symlink() or path.resolve().parent != self.path:
            raise InputError(f"{name!r} lies outside of the folder.")
        return path

    def free_name(self, wanted: str) -> str:
        """The wanted name, with a number where it is taken."""
        stem = re.sub(r"[^\w.-]+", "-", wanted).strip("-._")[:60]
        stem = stem.encode()[:200].decode(errors="ignore") or "run"
        names = (stem, *(f"{stem}-{i}" for i in range(2, 10_000)))
        return next(name for name in names if name != DATA and not self.place(name).exists())

    def rename(self, run: Run, name: str) -> None:
        """Give a run folder another name."""
        target = self.place(name)
        if target.exists():
            raise InputError(f"There is a folder {name!r} already; choose another name.")
        with explained(target):
            run.path.rename(target)

    def delete(self, run: Run) -> list[str]:
        """Remove a run folder; what neither runs nor the page wrote stays, and is named."""
        with explained(run.path):
            for name in (*OWN, *OWN_TOO):
                with suppress(IsADirectoryError, PermissionError):  # a folder of that name stays
                    beneath.remove(run.path, name)
            for name in (FINISHED, RANKINGS):
                beneath.remove_folder(run.path, name)
            left = sorted(path.name for path in run.path.iterdir())
            if not left:
                run.path.rmdir()
        return left

    def refuse_data_elsewhere(self, job: Job) -> None:
        """Refuse a job that reads files outside of the folder, also by way of a link."""
        for name in files_read(job.command):
            given = job.options.get(name)
            if given is None:
                continue
            path = Path(str(given))
            inside = path.relative_to(self.path) if path.is_relative_to(self.path) else path
            try:
                if inside.is_absolute() or ".." in inside.parts or not inside.parts:
                    raise InputError(
                        f"{shown_name(str(given))} lies outside of the folder of the page, which reads nothing there; "
                        "use the command in a terminal, or upload the file."
                    )
                with beneath.opened(self.path, inside):
                    pass
            except OSError as error:
                why = error.strerror or str(error)
                raise InputError(f"{shown_name(str(given))} cannot be read: {why}.") from None

    def _within(self, name: str) -> Path:
        folder = self.path / name
        if folder.is_symlink():
            raise InputError(f"{folder} is a link; it has to be a folder.")
        with explained(folder):
            folder.mkdir(exist_ok=True)
        return folder

    def _folders(self) -> Iterator[Path]:
        for path in self.path.iterdir():
            if NAME.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
                yield path

    def _run(self, path: Path) -> Run | None:
        order, found = read_order(path), found_order(path)
        kind = next((kind for kind in KINDS if os.path.lexists(path / kind.mark)), None)
        asked = order or found
        if kind is None and asked is not None:
            kind = kind_of(asked.command)
        if kind is None:
            return None
        stamps = [beneath.modified(path, name) for name in (".", FINISHED, CELLS, DATABASE)]
        return Run(path.name, path, kind, order, _moment(max(stamps)), found)


def kind_of(command: str) -> Kind | None:
    """The kind of run folder that a command makes."""
    return next((kind for kind in KINDS if kind.command == command), None)


def harmless_name(given: str) -> str:
    """A name of ours for a file: letters and digits of its own, random ones, and its ending if a reader knows it."""
    base = given.replace("\\", "/").rpartition("/")[2]
    if format_of(base) is None:
        raise InputError(f"{base[:80]!r} has an unknown ending; expected {endings_in_words()}.")
    packed = base.lower().endswith(PACKED)
    stem, _, ending = (base.lower().removesuffix(PACKED) if packed else base.lower()).rpartition(".")
    known = re.sub(r"[^A-Za-z0-9]+", "-", base[: len(stem)]).strip("-")[:40] or "table"
    return f"{known}-{secrets.token_hex(3)}.{ending}{PACKED if packed else ''}"


def _fits(name: str) -> bool:
    """Whether a disk can hold a name."""
    with suppress(UnicodeError):
        return len(os.fsencode(name)) <= LONGEST
    return False


def _moment(nanoseconds: int) -> datetime:
    """A time of a file; one that a stranger set may lie beyond every calendar."""
    try:
        return datetime.fromtimestamp(nanoseconds / 1e9)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0)


def _is_plain(name: str) -> bool:
    return bool(name) and not name.startswith(".") and not any(sign in name for sign in "/\\\0\n\r")


def _is_table(path: Path) -> bool:
    known = format_of(path.name) is not None
    return known and not path.name.startswith(".") and path.is_file() and not path.is_symlink()
