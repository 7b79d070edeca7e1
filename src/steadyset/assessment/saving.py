"""Finished cells are saved where they are computed, each before the next one is begun."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

from steadyset.assessment.folder import RunFolder
from steadyset.runner.run import Cell


class Saving:
    """Saves cells that have a selection, in whichever thread or process of this machine; without a folder nothing.

    Others are left to whoever asked for them: a first run that fails may end the assessment. After `close` nothing is
    saved any more, so that a thread that is still at work does not write into a folder that others have by then.
    """

    def __init__(self, folder: RunFolder | None = None) -> None:
        # Worker processes stay, and keep the folder that they were started in.
        self.folder = None if folder is None else RunFolder(folder.path.absolute())
        self._open = True
        self._lock = threading.Lock()

    def __reduce__(self) -> Any:
        return Saving, (self.folder,)

    def each(self, cells: Iterable[Cell]) -> Iterator[Cell]:
        """Hand on every cell, saved."""
        for cell in cells:
            with self._lock:
                if self.folder is not None and self._open and is_saved(cell):
                    self.folder.add(cell)
            yield cell

    def found(self, selector: int, run: int) -> Cell | None:
        """What a worker saved before it was lost."""
        cell = None if self.folder is None else self.folder.finished(selector, run)
        return cell if cell is not None and not cell.failure else None

    def close(self) -> None:
        """Save nothing from here on; what is being saved is waited for."""
        with self._lock:
            self._open = False


def is_saved(cell: Cell) -> bool:
    """Whether a cell is saved where it is computed."""
    return cell.selected is not None
