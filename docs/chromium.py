"""The browser of this machine, for the pictures of the documentation and the tests of pages."""

from __future__ import annotations

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def found() -> str | None:
    """The path of the first of the browsers that this machine has."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def needed() -> str:
    """The same, for a script that cannot go on without."""
    if (path := found()) is None:
        raise SystemExit(f"No browser found; install one of {', '.join(NAMES)}.")
    return path
