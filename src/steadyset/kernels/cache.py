"""Where compiled kernels are kept: in numba's folder, else in a temporary one of this user, else nowhere.

numba stops where its folder cannot be written, believes whatever it finds there, and looks at the file of a kernel, not
at those of the parts that are built into it. Here every file ends with a digest of its content, of all sources of
kernels and of the signature: what does not fit (cut short, altered, left by another version of a source, mixed up by
two processes that wrote at once) is thrown away and compiled again.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.runtime.nrt import rtsys

from steadyset.kernels.light_loading import light_libraries, unpickled

DIGEST = hashlib.sha256().digest_size
_listeners: list[Callable[[], None]] = []


def stamp_of(folder: Path) -> str:
    """A digest of the names, times and sizes of all sources in a folder and the folders in it."""
    found: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                found.append(f"{entry.name} {entry.stat().st_mtime_ns} {entry.stat().st_size}")
            elif entry.is_dir() and entry.name != "__pycache__":
                found.append(f"{entry.name} {stamp_of(Path(entry.path))}")
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()


# As the sources are when they are imported, which is what will be compiled; those in an archive stay as they are.
STAMP = stamp_of(Path(__file__).parent) if Path(__file__).exists() else ""


@contextmanager
def before_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Within it `tell` is called once, before this process compiles a kernel that no cache has."""
    _listeners[:] = [tell]
    try:
        yield
    finally:
        _listeners.clear()


class KernelCache(caching._Cache):
    """The cache of one kernel; its folders are looked for when the kernel is first called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """The first folder that is used, if any."""
        return next((store.cache_path for store in (self._usual, self._temporary) if store is not None), None)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Forget what is kept."""
        for store in self._stores(_temporary_folder().exists()):
            with suppress(OSError):
                store.flush()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        for store in self._stores(_temporary_folder().exists()):
            found = store.load_overload(sig, target_context)
            if found is not None:
                return found
        while _listeners:
            _listeners.pop()()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        for place in ("_usual", "_temporary") if self._enabled else ():
            store = getattr(self, place)  # the temporary folder is made only where the usual one fails
            if store is not None:
                with suppress(OSError):  # full, read-only, gone: the next place, or none
                    store.save_overload(sig, data)
                    return

    def _stores(self, temporary: bool) -> list[_Store]:
        wanted = (self._usual, self._temporary if temporary else None) if self._enabled else ()
        return [store for store in wanted if store is not None]

    @cached_property
    def _usual(self) -> _Store | None:
        return _store(_Store, self._function)

    @cached_property
    def _temporary(self) -> _Store | None:
        return _store(_TemporaryStore, self._function)


class _Files(caching.IndexDataCacheFile):
    """numba's index and data files, each with a digest at its end."""

    def save(self, key: Any, data: Any) -> None:
        names = self._load_index()
        if key not in names:
            taken = set(names.values())
            names[key] = next(name for i in range(1, len(taken) + 2) if (name := self._data_name(i)) not in taken)
        content = self._dump(data)
        # The data first: an index that names a file of another signature would have it refused each time.
        self._write(self._data_path(names[key]), content, self._identity(key))
        self._save_index(names)

    def load(self, key: Any) -> Any:
        name = self._load_index().get(key)
        return None if name is None else self._read(self._data_path(name), self._identity(key))

    def discard(self, key: Any) -> None:
        """Remove the data of a signature."""
        with suppress(OSError):
            os.unlink(self._data_path(self._load_index().get(key, "")))

    def _load_index(self) -> dict[Any, str]:
        found = self._read(self._index_path, self._identity(None))
        return found if isinstance(found, dict) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, self._dump(overloads), self._identity(None))

    def _identity(self, key: Any) -> bytes:
        text = repr((self._version, self._source_stamp, key))
        return re.sub(r" at 0x[0-9a-f]+", "", text).encode()  # functions print where they lie, which changes

    def _write(self, path: str, content: bytes, identity: bytes) -> None:
        with self._open_for_write(path) as file:
            file.write(content + hashlib.sha256(identity + content).digest())

    def _read(self, path: str, identity: bytes) -> Any:
        """What a file holds; None where it is missing, cannot be read, or is not what was written."""
        try:
            content = Path(path).read_bytes()
        except OSError:
            return None
        content, digest = content[:-DIGEST], content[-DIGEST:]
        if hashlib.sha256(identity + content).digest() != digest:
            return None
        with suppress(Exception):  # sound, but of classes that this Python or numba no longer has
            return unpickled(content)
        return None


class _TemporaryLocator(caching._SourceFileBackedLocatorMixin, caching._CacheLocator):
    """A folder of this user alone below the system's folder for temporary files."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(_temporary_folder() / self.get_suitable_cache_subpath(py_file))

    def get_cache_path(self) -> str:
        return self._cache_path

    def ensure_cache_path(self) -> None:
        folder = _temporary_folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        # Others may have made it first, and what is read from it is run.
        mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        if not mine or not stat.S_ISDIR(status.st_mode) or (os.name == "posix" and status.st_mode & 0o077):
            raise OSError(f"{folder} belongs to somebody else")
        super().ensure_cache_path()


class _TemporaryFormat(caching.CompileResultCacheImpl):
    _locator_classes: Any = [_TemporaryLocator]  # noqa: RUF012 - as numba declares it


class _Store(caching.FunctionCache):
    """numba's cache of a function in one folder, which takes damage for absence."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp(), STAMP
        self._cache_file: _Files = _Files(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept, without numba's refresh of the context, which imports half a compiler: nothing is compiled."""
        rtsys.initialize(target_context)  # the memory of arrays that a kernel makes
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        key = self._index_key(sig, target_context.codegen())
        found = self._cache_file.load(key)
        if found is None:
            return None
        try:
            with light_libraries(target_context.codegen(), described=found[1]):
                return self._impl.rebuild(target_context, found)
        except Exception:  # made by another LLVM, for instance
            self._cache_file.discard(key)
            return None


class _TemporaryStore(_Store):
    _impl_class: Any = _TemporaryFormat


def _store(kind: type[_Store], function: Callable[..., Any]) -> _Store | None:
    try:
        return kind(function)
    except (OSError, RuntimeError):  # RuntimeError is numba's "no locator available"
        return None


def _temporary_folder() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"steadyset-kernels-{user}"
