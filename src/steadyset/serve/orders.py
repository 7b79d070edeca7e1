"""What the page was asked to run: written into the run folder, so that it outlives the server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from steadyset.io.disk import explained, write_durably

ASKED, HELD, SAID = "asked.json", "held", "said.txt"
WAITING, STARTED, PAUSED, STOPPED = "waiting", "started", "paused", "stopped"
SUBCOMMANDS = ("assess", "tune")
# A folder may come from a stranger: what would run code of its own, or ask another machine, is left to the terminal.
IN_TERMINAL = {
    "load": "its command loads Python code",
    "storage": "its configurations are in a database elsewhere",
    "engine": "its command uses other machines",
}
COMPLAINT = "steadyset: "  # what the command puts before a sentence on what is wrong


@dataclass(frozen=True)
class Order:
    """One call of the command.

    Attributes
    ----------
    subcommand : assess or tune
    options : the values of its parameters, by their names; paths are relative to the folder of the page
    cores : how many it occupies
    state : what was last asked of it; whether it runs is seen by its lock
    number : its place in the queue
    pid : of the process that runs it, or ran it last
    """

    subcommand: str
    options: Mapping[str, Any] = field(default_factory=dict)
    cores: int = 1
    state: str = WAITING
    number: int = 0
    pid: int = 0

    def but(self, **changed: Any) -> Order:
        """The same order with other values."""
        return replace(self, **changed)


def write_order(folder: Path, order: Order) -> None:
    """Put an order into its run folder."""
    with explained(folder):
        folder.mkdir(exist_ok=True)
        write_durably(folder / ASKED, json.dumps(asdict(order), indent=1).encode())


def read_order(folder: Path) -> Order | None:
    """The order of a run folder; None where the page did not start it, or its file is damaged."""
    try:
        content = json.loads((folder / ASKED).read_bytes())
        order = Order(**content)
    except (OSError, ValueError, TypeError):
        return None
    whole = all(isinstance(number, int) and number >= 0 for number in (order.cores, order.number, order.pid))
    sound = order.subcommand in SUBCOMMANDS and isinstance(order.options, dict) and whole
    return order if sound and not why_in_terminal(order.options) else None


def why_in_terminal(options: Mapping[str, Any]) -> str:
    """Why the page does not run a command with these options; "" where it does."""
    asked = (name for name in IN_TERMINAL if options.get(name) and (name != "engine" or "://" in str(options[name])))
    return next((IN_TERMINAL[name] for name in asked), "")
