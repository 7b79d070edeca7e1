"""The command that started an assessment or a tuning, as one line that a shell takes; in Python there is none."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

PROGRAM = "steadyset"
_started_by: ContextVar[str] = ContextVar("started_by", default="")
PASSWORD = re.compile(r"(://[^/@\s:]*):[^/\s]*@")
SECRET = re.compile(r"((?:password|passwd|pwd|secret|token|key)=)[^&\s]*", re.IGNORECASE)
HIDDEN = "***"


@contextmanager
def started_by(arguments: Sequence[str]) -> Iterator[None]:
    """Within this, what is recorded says that the command with these arguments made it."""
    before = _started_by.set(shlex.join(map(_without_secrets, arguments)))
    try:
        yield
    finally:
        _started_by.reset(before)


def command_line() -> str:
    """The command as it was typed, without the passwords in addresses; "" where no command was."""
    return _started_by.get()


def recorded_line(text: str) -> str:
    """A line that a folder holds, for people to run again; "" for one that is not of the command.

    The folder may come from a stranger: whatever stands behind the command in it is an argument, never another command.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    return shlex.join(words) if words[:1] == [PROGRAM] else ""


def _without_secrets(argument: str) -> str:
    """An argument; the password in an address, such as that of a database, is not written down."""
    if "://" not in argument:
        return argument
    return SECRET.sub(rf"\1{HIDDEN}", PASSWORD.sub(rf"\1:{HIDDEN}@", argument))
