"""Where a file is: text or a path, checked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from steadyset.errors import InputError


def file_path(path: Any) -> Path:
    """The path of a file; a sentence for what is none."""
    if not isinstance(path, (str, os.PathLike)) or "\0" in os.fspath(path):
        raise InputError(f"path must be the name of a file (got {path!r}).")
    return Path(path)
