"""The folder that the page works in: its run folders with their orders, and its data files, by names within it.

A run folder may come from a stranger, and so may the order in it: what the page was asked to run is written there, so
that it outlives the server. Orders that a person gave to a page of this user carry a seal, made with a key that lies
outside of every served folder; an order without it is shown and never obeyed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from steadyset.foundation.errors import InputError
from steadyset.foundation.job import Job
from steadyset.foundation.text import shown_name
from steadyset.io import beneath
from steadyset.io.disk import (
    ALIKE_FEATURES,
    CELLS,
    CERTAIN_LIST,
    CHOSEN,
    DATABASE,
    FINISHED,
    LIST,
    LIST_NAMES,
    LIST_SHEET,
    LIST_TABLE,
    LOCK,
    PREDICTIONS,
    RANKINGS,
    RECORDED_FINDINGS,
    REPLICATION,
    SETTINGS,
    TABLE,
    TARGETS,
    TRIALS,
    VALUES,
    explained,
    study_folders,
)
from steadyset.io.formats.record import PACKED, endings_in_words, format_of
from steadyset.options import jobs, why_in_terminal, with_files

DATA = "data"  # the folder of uploaded tables
JOB, HELD, SAID, REPORT, TAGS = "job.json", "held", "said.txt", "report.html", "tags.txt"
WAITING, STARTED, PAUSED, STOPPED = "waiting", "started", "paused", "stopped"
COMPLAINT = "steadyset: "  # what the command puts before a sentence on what is wrong
PAGE, SEAL, KEY, KEY_BYTES = "page", "seal", "page.key", 32
MAX_ORDER_BYTES, MAX_NAME_BYTES = 1 << 20, 255
NAME = re.compile(r"[^\W_][\w .()+-]{0,79}")  # begins with a letter or digit, and has no separators
# What runs and the page write: nothing else is ever deleted.
OWN = (JOB, HELD, SAID, REPORT, TAGS, SETTINGS, CELLS, ALIKE_FEATURES, TABLE, VALUES, LOCK, DATABASE, TRIALS)
BESIDE_DATABASE = tuple(f"{DATABASE}-{part}" for part in ("journal", "wal", "shm"))
LISTS = (LIST, CERTAIN_LIST, LIST_TABLE, LIST_SHEET, LIST_NAMES)
OWN_TOO = (REPLICATION, PREDICTIONS, RECORDED_FINDINGS, CHOSEN, *LISTS, *BESIDE_DATABASE)


class Kind(NamedTuple):
    """A kind of run folder: all in which the page treats one job otherwise than another.

    Attributes
    ----------
    command : that makes it
    name : what it is called
    wish, note : what a person wants who asks for it, and a sentence about that
    start : what the button says
    unit : what is counted while it goes on
    mark, last : files by which it is known: from the first run on, and once all are finished
    reported : the file that a report needs
    check, estimate, interim : what the sandbox computes when it is ordered, before, and while it goes on
    tables : files of it that people take away
    has_selectors : whether methods and runs can be added to it, and several of them be compared
    """

    command: str
    name: str
    wish: str
    note: str
    start: str
    unit: str
    mark: str
    last: str
    reported: str
    check: str
    estimate: str
    interim: str
    tables: tuple[str, ...]
    has_selectors: bool


KINDS = (
    Kind(
        command="shortlist",
        name="Shortlist",
        wish="A shortlist with as many features as the data support",
        note="It says how many of them may be false.",
        start="Find the shortlist",
        unit="repeats",
        mark=LIST,
        last=RECORDED_FINDINGS,
        reported=RECORDED_FINDINGS,
        check="checked_shortlist",
        estimate="estimated_shortlist",
        interim="provisional",
        tables=(LIST_TABLE, LIST_SHEET, LIST_NAMES),
        has_selectors=False,
    ),
    Kind(
        command="replicate",
        name="Next study",
        wish="Would the next study find the same?",
        note="How many features of a list another study would choose again; or what your studies have in common.",
        start="See what the next study would find",
        unit="parts of the samples",
        mark=REPLICATION,
        last=RECORDED_FINDINGS,
        reported=RECORDED_FINDINGS,
        check="checked_replication",
        estimate="estimated_replication",
        interim="part_studies",
        tables=(),
        has_selectors=False,
    ),
    Kind(
        command="assess",
        name="Methods compared",
        wish="Lists of methods that I choose, compared",
        note="How steady each list is, and how well it predicts; no error is stated.",
        start="Compare the methods",
        unit="runs",
        mark=SETTINGS,
        last=TABLE,
        reported=SETTINGS,
        check="checked",
        estimate="estimated",
        interim="interim",
        tables=(TABLE,),
        has_selectors=True,
    ),
    Kind(
        command="tune",
        name="Best method",
        wish="The best method for my data",
        note="Tries many, and keeps accurate, steady and small ones.",
        start="Find the best method",
        unit="configurations",
        mark=DATABASE,
        last=TRIALS,
        reported=RECORDED_FINDINGS,
        check="checked_tuning",
        estimate="estimated_tuning",
        interim="front",
        tables=(CHOSEN,),
        has_selectors=False,
    ),
)


@dataclass(frozen=True)
class Order:
    """One job, and how the page deals with it.

    Attributes
    ----------
    command : one of steadyset.options.jobs
    options : their values by name; paths are relative to the folder of the page
    cores : how many it occupies
    state : what was last asked of it; whether it runs is seen by its lock
    number : its place in the queue
    pid, born : of the process that runs it, or ran it last; a number alone is given to others later
    """

    command: str
    options: Mapping[str, Any] = field(default_factory=dict)
    cores: int = 1
    state: str = WAITING
    number: int = 0
    pid: int = 0
    born: str = ""

    @property
    def job(self) -> Job:
        """What is to be done."""
        return Job(self.command, self.options)

    def but(self, **changed: Any) -> Order:
        """The same order with other values."""
        return replace(self, **changed)


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

    @property
    def tags(self) -> str:
        """Words that a person put to it."""
        with suppress(OSError):
            return beneath.read(self.path, TAGS, MAX_NAME_BYTES).decode("utf-8", "replace")
        return ""


class RunStore:
    """A folder with run folders and tables."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def runs(self) -> list[Run]:
        """The run folders, the last changed first."""
        folders = [
            path
            for path in self.path.iterdir()
            if NAME.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
        ]
        found = [run for path in folders if (run := self._run(path)) is not None]
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
        plain = bool(file) and not any(sign in file for sign in "/\\\0\n\r")
        if not known or not plain or not _fits(file) or not _is_table(path):
            raise InputError(f"There is no data file {name!r} here.")
        return path

    def tables_folder(self) -> Path:
        """Where uploads go."""
        folder = self.path / DATA
        if folder.is_symlink():
            raise InputError(f"{folder} is a link; it has to be a folder.")
        with explained(folder):
            folder.mkdir(exist_ok=True)
        return folder

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
            for name in (FINISHED, RANKINGS, TARGETS, *study_folders(run.path)):
                beneath.remove_folder(run.path, name)
            left = sorted(path.name for path in run.path.iterdir())
            if not left:
                run.path.rmdir()
        return left

    def refuse_data_elsewhere(self, job: Job) -> None:
        """Refuse a job that reads files outside of the folder, also by way of a link."""

        def within(given: str) -> str:
            path = Path(given)
            inside = path.relative_to(self.path) if path.is_relative_to(self.path) else path
            try:
                if inside.is_absolute() or ".." in inside.parts or not inside.parts:
                    raise InputError(
                        f"{shown_name(given)} lies outside of the folder of the page, which reads nothing there; "
                        "use the command in a terminal, or upload the file."
                    )
                with beneath.opened(self.path, inside):
                    return given
            except OSError as error:
                why = error.strerror or str(error)
                raise InputError(f"{shown_name(given)} cannot be read: {why}.") from None

        with_files(job, within)

    def _run(self, path: Path) -> Run | None:
        asked, sealed = order_in(path)
        kind = next((kind for kind in KINDS if os.path.lexists(path / kind.mark)), None)
        if kind is None and asked is not None:
            kind = kind_of(asked.command)
        if kind is None:
            return None
        changed = _moment(max(beneath.modified(path, name) for name in (".", FINISHED, CELLS, DATABASE)))
        order, found = (asked, None) if sealed else (None, asked)
        return Run(path.name, path, kind, order, changed, found)


def kind_of(command: str) -> Kind | None:
    """The kind of run folder that a command makes."""
    return next((kind for kind in KINDS if kind.command == command), None)


def harmless_names(given: str) -> Iterator[str]:
    """Names for an uploaded file: what is harmless in its own, and the same with a number, as that may be taken."""
    base = unicodedata.normalize("NFC", given.replace("\\", "/").rpartition("/")[2])
    if format_of(base) is None:
        raise InputError(f"{base[:80]!r} has an unknown ending; expected {endings_in_words()}.")
    ending = re.search(rf"\.[^.]*({re.escape(PACKED)})?$", base, re.IGNORECASE)
    assert ending is not None  # the format has one
    known = re.sub(r"[^\w ()+]+", "-", base[: ending.start()]).strip(" -_")[:60]
    known = known.encode()[:200].decode(errors="ignore").rstrip(" -_") or "table"
    numbers = chain([""], (f"-{number}" for number in count(2)))
    return (f"{known}{number}{ending[0].lower()}" for number in numbers)


def _fits(name: str) -> bool:
    """Whether a disk can hold a name."""
    with suppress(UnicodeError):
        return len(os.fsencode(name)) <= MAX_NAME_BYTES
    return False


def _moment(nanoseconds: int) -> datetime:
    """A time of a file; one that a stranger set may lie beyond every calendar."""
    try:
        return datetime.fromtimestamp(nanoseconds / 1e9)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0)


def _is_table(path: Path) -> bool:
    known = format_of(path.name) is not None
    return known and not path.name.startswith(".") and path.is_file() and not path.is_symlink()


# ---- orders in their folders, and the seal of this user's pages ------------------------------------------------------


def write_order(folder: Path, order: Order) -> None:
    """Put an order into its run folder, sealed: a job that `steadyset run` takes, with what the page knows of it."""
    page = asdict(order)
    job = {"command": page.pop("command"), "options": page.pop("options")}
    page[SEAL] = _seal(folder, {**job, PAGE: page})
    with explained(folder):
        folder.mkdir(exist_ok=True)
        beneath.write(folder, JOB, json.dumps({**job, PAGE: page}, indent=1).encode())


def read_order(folder: Path) -> Order | None:
    """The order that a person gave to a page of this user; None where there is none, or its file is damaged."""
    order, sealed = order_in(folder)
    return order if sealed else None


def order_in(folder: Path) -> tuple[Order | None, bool]:
    """The order in a folder, and whether its seal is one of this user's pages: others came with the folder."""
    try:
        content = json.loads(beneath.read(folder, JOB, MAX_ORDER_BYTES))
        page = content[PAGE]
        seal = page.pop(SEAL, "")
        order = Order(content["command"], content["options"], **page)
        whole = all(isinstance(number, int) and number >= 0 for number in (order.cores, order.number, order.pid))
        texts = all(isinstance(text, str) for text in (order.state, order.born, seal))
        sound = order.command in jobs() and isinstance(order.options, dict) and whole and texts
        if not sound or why_in_terminal(order.job):
            return None, False
        return order, hmac.compare_digest(seal.encode(), _seal(folder, content).encode())
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None, False


def _seal(folder: Path, content: Mapping[str, Any]) -> str:
    """Of an order in this very folder: a copy of it elsewhere has none."""
    sealed = json.dumps([str(folder.absolute()), content], sort_keys=True)
    return hmac.new(_key(_state_folder()), sealed.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _state_folder() -> Path:
    given = os.environ.get("XDG_STATE_HOME", "")
    return (Path(given) if os.path.isabs(given) else Path.home() / ".local" / "state") / "steadyset"


@cache
def _key(folder: Path) -> bytes:
    """The key of this user, made when it is first needed; where it cannot be kept, that of this server alone."""
    fresh = secrets.token_bytes(KEY_BYTES)
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with beneath.opened(folder, KEY, flags, 0o600) as file:
                os.write(file, fresh)
        kept = beneath.read(folder, KEY, KEY_BYTES)
        if len(kept) == KEY_BYTES:
            return kept
    return fresh
