"""The job that is being done: a command with its options, which the run folder records; in Python there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

PROGRAM = "steadyset"
PASSWORD = re.compile(r"(://[^/@\s:]*):[^/\s]*@")
SECRET = re.compile(r"((?:password|passwd|pwd|secret|token|key)=)[^&\s]*", re.IGNORECASE)
HIDDEN = "***"


class Job(NamedTuple):
    """A command, and the options that it is given, as plain values by their names."""

    command: str
    options: Mapping[str, Any]


_current: ContextVar[Job | None] = ContextVar("job", default=None)


@contextmanager
def doing(job: Job) -> Iterator[None]:
    """Within this, what is recorded says that the job made it."""
    before = _current.set(job)
    try:
        yield
    finally:
        _current.reset(before)


def current_job() -> dict[str, Any] | None:
    """The job as it is recorded, without the passwords in addresses; None where Python made the call."""
    job = _current.get()
    if job is None:
        return None
    return {"command": job.command, "options": {name: _without_secrets(value) for name, value in job.options.items()}}


def _without_secrets(value: Any) -> Any:
    """An option; the password in an address, such as that of a database, is not written down."""
    if isinstance(value, list):
        return [_without_secrets(one) for one in value]
    if not isinstance(value, str) or "://" not in value:
        return value
    return SECRET.sub(rf"\1{HIDDEN}", PASSWORD.sub(rf"\1:{HIDDEN}@", value))
