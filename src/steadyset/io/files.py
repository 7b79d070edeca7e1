"""A file that is opened once: its readers share the content, and what one of them recognised the others need not.

Reading a table takes several looks: is it packed, in which encoding, what separates its cells, is it one that GEO or R
wrote. Opening the file anew for each of them is slow on the disks of clusters, and a file that is written at the same
time could be recognised as one thing and read as another.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Hashable
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Self, TypeVar

KEPT = 64 << 20  # bytes up to which the content is kept; a larger file is streamed anew by each reader
Found = TypeVar("Found")


class File:
    """A file by its path, with its content and what was recognised of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name, self.suffix = path.name, path.suffix.lower()
        self.found: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, path: Path | Self) -> Self:
        """The file at a path, or the one that is given."""
        return cls(path) if isinstance(path, Path) else path

    def __str__(self) -> str:
        return str(self.path)

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def stat(self) -> os.stat_result:
        """What the system knows of the file."""
        return self.path.stat()

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return self.path.is_dir()

    @cached_property
    def content(self) -> bytes | None:
        """All of the file; None where it is too large to be kept."""
        if self.stat().st_size > KEPT:
            return None
        with self.path.open("rb") as source:
            content = source.read(KEPT + 1)
        return content if len(content) <= KEPT else None

    def open(self) -> IO[bytes]:
        """The bytes of the file from the first on."""
        return self.path.open("rb") if self.content is None else io.BytesIO(self.content)

    def begins_with(self, *starts: bytes) -> bool:
        """Whether these are the first bytes of the file."""
        with self.open() as source:
            return source.read(max(map(len, starts))).startswith(starts)

    def known(self, what: Hashable, find: Callable[[], Found]) -> Found:
        """What was found before, or is found now."""
        if what not in self.found:
            self.found[what] = find()
        found: Found = self.found[what]
        return found
