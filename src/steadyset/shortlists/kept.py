"""The orders of each target: in a folder, from which an interrupted shortlist goes on, and in a file while one is made.

    shortlist.json     what was asked for: data, allowance, seed, bases, splits, strata
    targets/0007       a digest of the number, of shortlist.json and of the orders; then the orders of that target as
                       32-bit numbers: how many arrays, their shapes, then their content

Who asks for more permuted targets, or more repeats, goes on from what is there.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

import numpy as np

from steadyset.foundation.errors import Argument, InputError
from steadyset.io import beneath
from steadyset.io.disk import CERTAIN_LIST, LIST, TARGETS, explained
from steadyset.kernels.arrays import Places
from steadyset.shortlists.bases import SOMEBODY, Orders

DIGEST_BYTES = 32
IN_MEMORY = 1 << 20  # bytes of orders; what is more goes to a temporary file


class StoredOrders(Sequence[Mapping[str, Places]]):
    """The orders of each target by base, in memory while they are few: a list reads one target at a time."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - it lives as long as this does
        self._ends = [0]
        weakref.finalize(self, self._file.close)

    def append(self, orders: Mapping[str, Places]) -> None:
        """Store those of the next target."""
        self._file.seek(self._ends[-1])
        self._file.write(pickle.dumps(dict(orders)))
        self._ends.append(self._file.tell())

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, target: Any) -> Any:
        self._file.seek(self._ends[target])
        return pickle.loads(self._file.read(self._ends[target + 1] - self._ends[target]))


class KeptOrders:
    """The orders in a folder; without one nothing is kept."""

    def __init__(self, folder: Path | None, asked: Mapping[str, Any], *, resume: bool) -> None:
        self.folder = folder
        self.request = content = json.dumps(asked, sort_keys=True, indent=2).encode()
        if folder is None:
            return
        with explained(folder, resumable=True):
            folder.mkdir(parents=True, exist_ok=True)
            before = beneath.read(folder, LIST) if beneath.modified(folder, LIST) else None
            if before is not None and not (resume and before == content):
                raise InputError(
                    f"{folder} already holds a shortlist{' of other data or settings' if resume else ''}; ",
                    "choose another folder with ",
                    Argument("out", ...),
                    "." if resume else ", or continue it with ",
                    *(() if resume else (Argument("resume", True, of="Execution"), ".")),
                )
            beneath.make_folder(folder, TARGETS)
            beneath.remove_abandoned_parts(folder, ".", TARGETS)
            beneath.write(folder, LIST, content)
            # More permuted targets may change a list that was certain; it is recorded again after them.
            beneath.remove(folder, CERTAIN_LIST)

    @classmethod
    def found(cls, folder: Path) -> KeptOrders:
        """What lies in a folder that others write."""
        kept = cls(None, {}, resume=True)
        kept.folder = folder
        with explained(folder, resumable=True):
            kept.request = beneath.read(folder, LIST)
        return kept

    def get(self, number: int, sizes: Mapping[str, int]) -> dict[str, Orders] | None:
        """What is kept of a target; None where nothing is, or it is damaged, or the file of another target or list."""
        name = f"{TARGETS}/{number:04d}"
        if self.folder is None or not beneath.modified(self.folder, name):
            return None
        try:
            content = beneath.read(self.folder, name)
            digest, orders = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
            return _unpacked(orders, sizes) if digest == self._digest(number, orders) else None
        except (OSError, ValueError):
            return None

    def put(self, number: int, orders: Mapping[str, Orders]) -> None:
        """Keep the orders of a target."""
        if self.folder is not None:
            arrays = [one for base in orders.values() for one in (base.features, base.clusters)]
            shapes = [number for one in arrays for number in one.shape]
            content = np.concatenate([[len(arrays), *shapes], *(one.ravel() for one in arrays)]).astype("<i4")
            written = content.tobytes()
            with explained(self.folder, resumable=True):
                beneath.write(self.folder, f"{TARGETS}/{number:04d}", self._digest(number, written) + written)

    def _digest(self, number: int, orders: bytes) -> bytes:
        """Return what ties orders to the number of their target and to what was asked for."""
        return hashlib.sha256(b"%d:%d:%b%b" % (number, len(self.request), self.request, orders)).digest()


def _unpacked(content: bytes, sizes: Mapping[str, int]) -> dict[str, Orders]:
    """Orders of bases by name: numbers below how many features and clusters there are; a ValueError otherwise."""
    bases = [name for name in sizes if name not in ("features", "clusters")]
    values = np.frombuffer(content, "<i4").astype(np.int64)
    n_arrays, start = 2 * len(bases), 1 + 4 * len(bases)
    if len(values) < start or values[0] != n_arrays or (values[1:start] < 0).any():
        raise ValueError("not these orders")
    arrays = []
    for place, (rows, columns) in enumerate(values[1:start].reshape(-1, 2)):
        part = values[start : start + rows * columns]
        most = sizes["clusters" if place % 2 else "features"]
        if (
            len(part) != rows * columns
            or rows != sizes[bases[place // 2]]
            or ((part < SOMEBODY) | (part >= most)).any()
        ):
            raise ValueError("not these orders")
        arrays.append(part.reshape(rows, columns).astype(np.int32))
        start += rows * columns
    return {name: Orders(arrays[2 * i], arrays[2 * i + 1]) for i, name in enumerate(bases)}
