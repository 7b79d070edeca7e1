"""A first look at an HDF5 file, in a process of its own.

The library can loop without end over a damaged heap of texts, or take any amount of memory for a damaged header. What a
process with limits comes back from, this one can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steadyset.foundation.errors import InputError
from steadyset.io.limited_process import read_limited

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


def refuse_what_does_not_end(path: Path, names: Sequence[str], max_gb: float) -> None:
    """Refuse a file from whose parts, of these names, the library does not come back."""
    instead = "read it with anndata and give the object"
    done = read_limited("import h5py", SCRIPT, path, *names, max_gb=max_gb, instead=instead)
    if done is None:
        raise InputError(f"{path} cannot be read; it is damaged or forged: the HDF5 library does not return from it.")
