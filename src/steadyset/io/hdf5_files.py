"""Parts of an HDF5 file, read without trust: no links elsewhere, no plugins, no more memory than allowed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.errors import InputError, MissingExtraError
from steadyset.io.hdf5_probe import refuse_what_does_not_end
from steadyset.io.limits import bounded_memory, first_line, readable, refuse_size

SPARE_GB = 1.0  # for what else is done while a file is open
BYTES_A_TEXT = 64  # in memory, at least
REFERENCE = 16  # bytes that stand for a text: its length, the address of a heap, and its place there
DEFLATE, SHUFFLE, FLETCHER, SZIP, NBIT, OFFSET, LZF = 1, 2, 3, 4, 5, 6, 32000
# What the library raises for a damaged file
DAMAGE = (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError, OverflowError, zlib.error)
BUILT_IN = {DEFLATE, SHUFFLE, FLETCHER, SZIP, NBIT, OFFSET, LZF}


class Hdf5:
    """An open file: its groups and datasets by path, and its values within a limit of memory."""

    def __init__(self, path: Path, file: Any, max_gb: float) -> None:
        self.path, self.file, self.max_gb = path, file, max_gb

    def child(self, parent: Any, name: str) -> Any:
        """What a group holds under a name, None for nothing; links to other places are not followed."""
        import h5py

        if not isinstance(parent, h5py.Group) or "/" in name or name in ("", "."):
            return None
        link = parent.get(name, getlink=True)
        if link is None:
            return None
        if not isinstance(link, h5py.HardLink):
            raise InputError(f"{self.path} keeps {name!r} as a link, which is not followed; save a copy without links.")
        return parent[name]

    def check(self, dataset: Any, n_cells: int | None = None) -> None:
        """Refuse values that lie elsewhere, need a plugin, or would take more memory than allowed."""
        if dataset.shape is None:
            raise self.damaged(f"{dataset.name} has no values")
        if dataset.external or dataset.is_virtual:
            raise InputError(f"{self.path} keeps {dataset.name} in other files, which are not read; save it whole.")
        creation = dataset.id.get_create_plist()
        filters = {creation.get_filter(i)[0] for i in range(creation.get_nfilters())}
        if filters - BUILT_IN:
            plugin = f"the HDF5 filter {min(filters - BUILT_IN)}"
            raise InputError(f"{self.path} is compressed by a plugin ({plugin}); save it with gzip or uncompressed.")
        size = BYTES_A_TEXT if dataset.dtype.kind == "O" else dataset.dtype.itemsize
        count = dataset.size if n_cells is None else n_cells
        chunk = 0 if dataset.chunks is None else int(np.prod([float(side) for side in dataset.chunks]))
        refuse_size(self.path, max(count, chunk) * size, self.max_gb)

    def values(self, dataset: Any) -> NDArray[Any]:
        """A whole dataset of one dimension; texts as str."""
        import h5py

        if not isinstance(dataset, h5py.Dataset) or len(dataset.shape or ()) != 1:
            raise self.damaged("a column is not a list of values")
        self.check(dataset)
        if h5py.check_string_dtype(dataset.dtype) is not None:
            if dataset.dtype.kind == "O":
                self._check_texts(dataset)
            return np.asarray(dataset.asstr()[()], dtype=object)
        values = np.asarray(dataset[()])
        if values.dtype.kind not in "biuf":
            raise self.damaged(f"{dataset.name} holds {values.dtype}")
        return values

    def _check_texts(self, dataset: Any) -> None:
        """Refuse texts whose claimed lengths do not fit into the file, or not into memory once unfolded.

        The library takes memory for what a text claims before it looks whether that is there.
        """
        total = 0
        for block in self._text_references(dataset):
            lengths = np.frombuffer(block[: len(block) // REFERENCE * REFERENCE], np.uint8).reshape(-1, REFERENCE)
            claimed = np.ascontiguousarray(lengths[:, :4]).view("<u4").astype(np.int64)
            if claimed.max(initial=0) > self.path.stat().st_size:
                raise self.damaged(f"{dataset.name} has a text longer than the file")
            total += int(claimed.sum())
            refuse_size(self.path, total, self.max_gb)

    def _text_references(self, dataset: Any) -> Iterator[bytes]:
        """What a dataset of texts stores for each of them: its length, and where it lies."""
        creation = dataset.id.get_create_plist()
        filters = [creation.get_filter(i)[0] for i in range(creation.get_nfilters())]
        if set(filters) - {DEFLATE, SHUFFLE, FLETCHER}:
            raise InputError(f"{self.path} has its texts compressed by lzf or another filter; save it with gzip.")
        if dataset.chunks is None:
            start = dataset.id.get_offset()
            if start is not None:
                with self.path.open("rb") as source:
                    source.seek(start)
                    yield source.read(REFERENCE * dataset.size)
            elif dataset.id.get_storage_size():
                raise self.damaged(f"{dataset.name} keeps its texts in an unusual place")
            return
        most = REFERENCE * int(np.prod(dataset.chunks))
        for i in range(dataset.id.get_num_chunks()):
            mask, block = dataset.id.read_direct_chunk(dataset.id.get_chunk_info(i).chunk_offset)
            for place in reversed(range(len(filters))):
                if mask & 1 << place:
                    continue
                if filters[place] == FLETCHER:
                    block = block[:-4]
                elif filters[place] == DEFLATE:
                    block = zlib.decompressobj().decompress(block, most)
                else:  # the first bytes of all texts, then the second ones, ...
                    block = np.frombuffer(block, np.uint8).reshape(REFERENCE, -1).T.tobytes()
            yield block

    def damaged(self, what: str) -> InputError:
        return InputError(f"{self.path} is damaged, or not what its ending says: {what}.")


@contextmanager
def opened(path: Path, names: Sequence[str], max_gb: float) -> Iterator[Hdf5]:
    """A file of whose parts those of these names are read; what the library says of a damaged one is a sentence."""
    try:
        import h5py
    except ImportError:
        raise MissingExtraError('Files of AnnData need h5py: pip install "steadyset[anndata]".') from None
    with readable(path):
        refuse_size(path, path.stat().st_size, max_gb)
        if not h5py.is_hdf5(path):
            raise InputError(f"{path} is not an HDF5 file, which an .h5ad file has to be.")
        refuse_what_does_not_end(path, names, max_gb)
        try:
            with bounded_memory(int((max_gb + SPARE_GB) * 2**30)), h5py.File(path, "r", locking=False) as file:
                yield Hdf5(path, file, max_gb)
        except InputError:
            raise
        except DAMAGE as error:
            raise InputError(f"{path} cannot be read; it is damaged or forged: {first_line(error)}.") from None
