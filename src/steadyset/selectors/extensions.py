"""What was loaded and registered in this process, made known to a worker process by sending it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steadyset.foundation.registry import additions, receive


class Extensions:
    """Loaded modules and whatever was registered that runs look up by name, such as filters and rules.

    It has to be unpickled before what refers to it, so it stands first in whatever is sent.
    """

    def __reduce__(self) -> tuple[Callable[..., Extensions], tuple[Any, ...]]:
        return _arrive, additions()


def _arrive(*sent: Any) -> Extensions:  # this module's package has every registry that runs use
    receive(*sent)
    return Extensions()
