"""Files of AnnData (.h5ad), as versions 0.7 to 0.12 write them: X or a layer, the names, and columns of obs.

They are read without trust: no links elsewhere, no plugins, no more memory than allowed. The HDF5 library can loop
without end over a damaged heap of texts, or take any amount of memory for a damaged header, so a process with limits
looks at the file first; what that comes back from, this one can read.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from steadyset.foundation.errors import Argument, InputError, MissingExtraError
from steadyset.io.data.sources import Roles, Source, as_written, distinct_names
from steadyset.io.files import (
    BYTES_A_CELL,
    File,
    bounded_memory,
    first_line,
    lacks_memory,
    read_limited,
    readable,
    refuse_size,
    too_little_memory,
)
from steadyset.io.labels import some_names, trimmed_name
from steadyset.kernels.arrays import Floats

SCRIPT = """
path, *names = sys.argv[1:]

def attempt(look, *arguments):
    try:
        look(*arguments)
    except Exception:
        pass  # what can be told of it is told by who reads the file

def look_at(name, part):
    for attribute in part.attrs:
        attempt(part.attrs.__getitem__, attribute)
    if isinstance(part, h5py.Dataset):
        attempt(look_at_values, part)

def look_at_values(dataset):
    if dataset.chunks is not None:
        for i in range(dataset.id.get_num_chunks()):
            dataset.id.get_chunk_info(i)
    texts = h5py.check_string_dtype(dataset.dtype) is not None and not dataset.external and not dataset.is_virtual
    if texts and 64 * dataset.size < limit:
        dataset[()]

def look_below(file, name):
    if isinstance(file.get(name, getlink=True), h5py.HardLink):
        attempt(look_at, name, file[name])
        if isinstance(file[name], h5py.Group):
            file[name].visititems(look_at)

def look_at_file(path):
    with h5py.File(path, "r", locking=False) as file:
        for name in names:
            attempt(look_below, file, name)

attempt(look_at_file, path)
"""
SPARE_GB = 1.0  # for what else is done while a file is open
BYTES_A_TEXT = 64  # in memory, at least
REFERENCE = 16  # bytes that stand for a text: its length, the address of a heap, and its place there
DEFLATE, SHUFFLE, FLETCHER, SZIP, NBIT, OFFSET, LZF = 1, 2, 3, 4, 5, 6, 32000
# What the library raises for a damaged file
DAMAGE = (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError, OverflowError, zlib.error)
BUILT_IN = {DEFLATE, SHUFFLE, FLETCHER, SZIP, NBIT, OFFSET, LZF}
RAW = "raw"
PARTS = ("X", "layers", RAW, "obs", "var")
CATEGORIES = "__categories"  # where versions before 0.8 keep those of all columns
CELLS_AT_ONCE = 1 << 22
NULLABLE = ("nullable-integer", "nullable-boolean", "nullable-string-array")


def refuse_what_does_not_end(path: File, names: Sequence[str], max_gb: float) -> None:
    """Refuse a file from whose parts, of these names, the library does not come back."""
    instead = "read it with anndata and give the object"
    done = read_limited("import h5py", SCRIPT, path, *names, max_gb=max_gb, instead=instead)
    if done is None:
        raise InputError(f"{path} cannot be read; it is damaged or forged: the HDF5 library does not return from it.")


class Hdf5:
    """An open file: its groups and datasets by path, and its values within a limit of memory."""

    def __init__(self, path: File, file: Any, max_gb: float) -> None:
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
        if foreign := set(_filters(dataset)) - BUILT_IN:
            plugin = f"the HDF5 filter {min(foreign)}"
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
        filters = _filters(dataset)
        if set(filters) - {DEFLATE, SHUFFLE, FLETCHER}:
            raise InputError(f"{self.path} has its texts compressed by lzf or another filter; save it with gzip.")
        if dataset.chunks is None:
            start = dataset.id.get_offset()
            if start is not None:
                with self.path.open() as source:
                    source.seek(start)
                    yield source.read(min(REFERENCE * dataset.size, self.path.stat().st_size))
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
def opened(path: File, names: Sequence[str], max_gb: float) -> Iterator[Hdf5]:
    """A file of whose parts those of these names are read; what the library says of a damaged one is a sentence."""
    try:
        import h5py
    except ImportError:
        raise MissingExtraError('Files of AnnData need h5py: pip install "steadyset[anndata]".') from None
    with readable(path):
        refuse_size(path, path.stat().st_size, max_gb)
        if not h5py.is_hdf5(path.path):
            raise InputError(f"{path} is not an HDF5 file, which an .h5ad file has to be.")
        refuse_what_does_not_end(path, names, max_gb)
        try:
            with bounded_memory(int((max_gb + SPARE_GB) * 2**30)), h5py.File(path.path, "r", locking=False) as file:
                yield Hdf5(path, file, max_gb)
        except InputError:
            raise
        except DAMAGE as error:
            if lacks_memory(error):
                raise too_little_memory(path) from None
            raise InputError(f"{path} cannot be read; it is damaged or forged: {first_line(error)}.") from None


def read_h5ad(path: File, roles: Roles, *, layer: str | None = None, max_gb: float) -> Source:
    """X, or `layer` ("raw" is raw/X where no layer is called so), with the columns of obs that were named."""
    with opened(path, PARTS, max_gb) as file:
        place, var = _matrix(file, layer)
        frame = Frame(file, file.child(file.file, "obs"), "obs")
        names = Frame(file, var, "var").index()
        obs = frame.index()
        columns = roles.of(frame, f"obs of {path}")
        X = _dense(file, place, (len(obs), len(names)))
        where = place.name.strip("/")
    features, notes = distinct_names(list(map(trimmed_name, names)))
    if layer is not None:
        notes.insert(0, f"values from {where!r} in place of 'X'")
    return Source(X, features, columns, obs, notes, joined=" from obs")


def _matrix(file: Hdf5, layer: str | None) -> tuple[Any, Any]:
    """Where the values lie, and the frame that names their columns."""
    root = file.file
    layers, raw = file.child(root, "layers"), file.child(root, RAW)
    known = [] if layers is None else sorted(map(str, layers))
    if layer is not None and layer in known:
        return file.child(layers, layer), file.child(root, "var")
    if layer == RAW and raw is not None:
        return file.child(raw, "X"), file.child(raw, "var")
    if raw is not None and RAW not in known:
        known.append(RAW)
    there = f"it has {some_names(known)}" if known else "it has none"
    if layer is not None:
        raise InputError(f"{file.path} has no layer {layer!r}; {there}.")
    X = file.child(root, "X")
    if X is None or _kind(X) == "null":
        told = (f"{file.path} has no X; ", "choose a layer with ", Argument("layer", ...), f" ({there}).")
        raise InputError(*told) if known else file.damaged("it has neither X nor layers")
    return X, file.child(root, "var")


def _dense(file: Hdf5, place: Any, shape: tuple[int, int]) -> Floats:
    """The values as one array, filled in blocks."""
    import h5py

    try:
        refuse_size(file.path, BYTES_A_CELL * shape[0] * shape[1], file.max_gb)
    except InputError as error:
        cells = f"{shape[0]:,} x {shape[1]:,} values"
        raise error.after(f"Selectors need all {cells} at once, and keeping the most variable ones helps: ") from None
    X = np.empty(shape)
    if isinstance(place, h5py.Dataset):
        if place.shape != shape or place.dtype.kind not in "biuf":
            raise file.damaged(f"{place.name} has the shape {place.shape} of {place.dtype} for {shape} names")
        step = max(1, CELLS_AT_ONCE // max(1, shape[1]))
        file.check(place, step * shape[1])
        for start in range(0, shape[0], step):
            X[start : start + step] = place[start : start + step]
        return X
    form = _kind(place)
    if form not in ("csr_matrix", "csc_matrix"):
        raise file.damaged(f"{getattr(place, 'name', 'X')} holds {form or 'something'} in place of numbers")
    _fill(file, place, X if form == "csr_matrix" else X.T)
    return X


def _fill(file: Hdf5, place: Any, X: Floats) -> None:
    """Put the compressed rows of a sparse matrix into X, some of them at a time."""
    parts = {name: file.child(place, name) for name in ("data", "indices", "indptr")}
    data, indices, n = parts["data"], parts["indices"], len(X)
    ends = file.values(parts["indptr"]).astype(np.int64)
    if len(ends) != n + 1 or ends[0] != 0 or (np.diff(ends) < 0).any():
        raise file.damaged(f"{place.name}/indptr does not count {n} rows")
    lengths = {getattr(data, "shape", None), getattr(indices, "shape", None)}
    if lengths != {(int(ends[-1]),)} or data.dtype.kind not in "biuf" or indices.dtype.kind not in "iu":
        raise file.damaged(f"{place.name} does not have as many values as it says")
    file.check(data, CELLS_AT_ONCE)
    file.check(indices, CELLS_AT_ONCE)
    row = 0
    step = max(1, CELLS_AT_ONCE // max(1, X.shape[1]))
    while row < n:
        end = min(n, row + step)
        low, high = int(ends[row]), int(ends[end])
        if high - low > CELLS_AT_ONCE * 4 and end > row + 1:
            step = max(1, step // 2)  # entries that repeat a place
            continue
        columns = indices[low:high].astype(np.int64)
        if len(columns) and not 0 <= columns.min() <= columns.max() < X.shape[1]:
            raise file.damaged(f"{place.name}/indices points outside of the table")
        cells = data[low:high].astype(np.float64), columns, ends[row : end + 1] - low
        X[row:end] = sparse.csr_array(cells, shape=(end - row, X.shape[1])).toarray()
        row = end


class Frame(Mapping[str, Sequence[Any]]):
    """A data frame of the file, whose columns are read when they are asked for."""

    def __init__(self, file: Hdf5, group: Any, what: str) -> None:
        import h5py

        if isinstance(group, h5py.Dataset):
            old = f"{file.path} was written by anndata before version 0.7"
            raise InputError(f"{old}; open it there and save it with a newer one.")
        if group is None or "_index" not in group.attrs:
            raise file.damaged(f"it has no {what}, or one without names")
        self.file, self.group = file, group
        self.index_name = str(group.attrs["_index"])

    def index(self) -> list[str]:
        """The names of the rows."""
        place = self.file.child(self.group, self.index_name)
        values = self.file.values(place) if not _kind(place).startswith("nullable") else self._masked(place)
        return as_written(values)

    def __getitem__(self, name: str) -> Sequence[Any]:
        place = self.file.child(self.group, name)
        if place is None or name in (self.index_name, CATEGORIES):
            raise KeyError(name)
        if _kind(place) == "categorical":
            return self._labels(self.file.child(place, "codes"), self.file.child(place, "categories"))
        if _kind(place) in NULLABLE:
            return self._masked(place)
        earlier = self.file.child(self.file.child(self.group, CATEGORIES), name)
        if earlier is not None:
            return self._labels(place, earlier)
        values: list[Any] = self.file.values(place).tolist()
        return values

    def __iter__(self) -> Iterator[str]:
        order = self.group.attrs.get("column-order", ())
        named = [str(name) for name in order] if np.ndim(order) == 1 else []
        others = [str(name) for name in self.group if str(name) not in {self.index_name, CATEGORIES, *named}]
        return iter([*(name for name in named if name in self.group), *others])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _labels(self, codes: Any, categories: Any) -> list[Any]:
        places, labels = self.file.values(codes), [*self.file.values(categories).tolist(), None]
        if places.dtype.kind not in "iu" or (len(places) and not -1 <= places.min() <= places.max() < len(labels) - 1):
            raise self.file.damaged(f"{codes.name} points outside of its categories")
        return [labels[place] for place in places.astype(np.int64)]

    def _masked(self, place: Any) -> list[Any]:
        values = self.file.values(self.file.child(place, "values"))
        mask: NDArray[Any] = self.file.values(self.file.child(place, "mask"))
        if len(mask) != len(values):
            raise self.file.damaged(f"{place.name} has {len(values)} values and {len(mask)} marks")
        return [None if missing else value for value, missing in zip(values.tolist(), mask.astype(bool), strict=True)]


def _filters(dataset: Any) -> list[int]:
    """The ways of packing that a dataset went through, in their order."""
    creation = dataset.id.get_create_plist()
    return [creation.get_filter(i)[0] for i in range(creation.get_nfilters())]


def _kind(place: Any) -> str:
    """What a part of the file says it is."""
    attributes = getattr(place, "attrs", {})
    if "h5sparse_format" in attributes:
        return f"{attributes['h5sparse_format']}_matrix"
    return str(attributes.get("encoding-type", ""))
