"""Files of AnnData (.h5ad), as versions 0.7 to 0.12 write them: X or a layer, the names, and columns of obs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.genes import distinct_names
from steadyset.io.hdf5_files import Hdf5, opened
from steadyset.io.labels import some_names
from steadyset.io.limits import BYTES_A_CELL, refuse_size
from steadyset.io.phenotypes import as_written
from steadyset.io.roles import Roles
from steadyset.io.sources import Source
from steadyset.kernels.arrays import Floats

RAW = "raw"
PARTS = ("X", "layers", RAW, "obs", "var")
CATEGORIES = "__categories"  # where versions before 0.8 keep those of all columns
CELLS_AT_ONCE = 1 << 22
NULLABLE = ("nullable-integer", "nullable-boolean", "nullable-string-array")


def read_h5ad(path: Path, roles: Roles, *, layer: str | None = None, max_gb: float) -> Source:
    """X, or `layer` ("raw" is raw/X where no layer is called so), with the columns of obs that were named."""
    with opened(path, PARTS, max_gb) as file:
        place, var = _matrix(file, layer)
        frame = Frame(file, file.child(file.file, "obs"), "obs")
        names = Frame(file, var, "var").index()
        obs = frame.index()
        columns = roles.of(frame, f"obs of {path}")
        X = _dense(file, place, (len(obs), len(names)))
        where = place.name.strip("/")
    features, notes = distinct_names(names)
    if layer is not None:
        notes.insert(0, f"values from {where!r} in place of 'X'")
    return Source(X, features, columns, obs, notes, joined=" from obs")


def _matrix(file: Hdf5, layer: str | None) -> tuple[Any, Any]:
    """Where the values lie, and the frame that names their columns."""
    root = file.file
    layers = file.child(root, "layers")
    known = [] if layers is None else sorted(map(str, layers))
    raw = file.child(root, RAW)
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
    if form == "csr_matrix":
        _fill(file, place, X)
    else:
        _fill(file, place, X.T)
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
        block = sparse.csr_array(
            (data[low:high].astype(np.float64), columns, ends[row : end + 1] - low), shape=(end - row, X.shape[1])
        )
        X[row:end] = block.toarray()
        row = end


class Frame(Mapping[str, Sequence[Any]]):
    """A data frame of the file, whose columns are read when they are asked for."""

    def __init__(self, file: Hdf5, group: Any, what: str) -> None:
        import h5py

        if isinstance(group, h5py.Dataset):
            raise InputError(
                f"{file.path} was written by anndata before version 0.7; open it there and save it with a newer one."
            )
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


def _kind(place: Any) -> str:
    """What a part of the file says it is."""
    attributes = getattr(place, "attrs", {})
    if "h5sparse_format" in attributes:
        return f"{attributes['h5sparse_format']}_matrix"
    return str(attributes.get("encoding-type", ""))
