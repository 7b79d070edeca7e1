"""The command that started an assessment or a tuning, as one line that a shell takes; in Python there is none."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

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


def _without_secrets(argument: str) -> str:
    """An argument; the password in an address, such as that of a database, is not written down."""
    if "://" not in argument:
        return argument
    return SECRET.sub(rf"\1{HIDDEN}", PASSWORD.sub(rf"\1:{HIDDEN}@", argument))
