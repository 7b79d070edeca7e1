"""What a server keeps only while it runs: a private folder, and what a server that was killed left of such."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from steadyset.io import beneath

PREFIX, LOCK = "steadyset-page-", "held"
FORGOTTEN = 3600.0  # seconds after which an upload that did not arrive is nobody's


class Temporary:
    """A folder for this user alone, which ends with the server; a lock in it says that the server lives."""

    def __init__(self) -> None:
        _remove_left()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
        self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def __enter__(self) -> Temporary:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def remove_unfinished(folder: Path) -> None:
    """Remove uploads that were interrupted with their server."""
    for path in folder.glob(f".*{beneath.PART}"):
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > FORGOTTEN:
                path.unlink()


def _remove_left() -> None:
    """Remove the folders of this user's servers that were killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if path.is_symlink() or path.lstat().st_uid != os.getuid():
                continue
            with beneath.opened(path, LOCK, os.O_RDWR) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
