"""The pictures under their public name: `steadyset.plot` has what `steadyset.plots` has, registered pictures too."""

from typing import Any

from steadyset import plots
from steadyset.plots import *  # noqa: F403


def __getattr__(name: str) -> Any:
    return getattr(plots, name)


def __dir__() -> list[str]:
    return dir(plots)
