"""What the page was asked to run: written into the run folder, so that it outlives the server.

A run folder may come from a stranger, and so may the order in it. Orders that a person gave to a page of this user
carry a seal, made with a key that lies outside of every served folder; an order without it is shown and never obeyed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from steadyset.foundation.job import Job
from steadyset.io import beneath
from steadyset.io.disk import explained
from steadyset.options import jobs, why_in_terminal

JOB, HELD, SAID = "job.json", "held", "said.txt"
WAITING, STARTED, PAUSED, STOPPED = "waiting", "started", "paused", "stopped"
COMPLAINT = "steadyset: "  # what the command puts before a sentence on what is wrong
PAGE, SEAL, KEY, KEY_BYTES = "page", "seal", "page.key", 32
MAX_BYTES = 1 << 20  # of an order


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
    order, sealed = _read(folder)
    return order if sealed else None


def found_order(folder: Path) -> Order | None:
    """An order that came with the folder, from another machine or from a stranger."""
    order, sealed = _read(folder)
    return None if sealed else order


def _read(folder: Path) -> tuple[Order | None, bool]:
    """The order in a folder, and whether its seal is one of this user's pages."""
    try:
        content = json.loads(beneath.read(folder, JOB, MAX_BYTES))
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
