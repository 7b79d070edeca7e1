"""numba's compiler with the settings that every kernel shares, and the folder where compiled kernels are kept.

numba keeps what it compiles (`cache=True`) and finds it again by the time and size of the file of a kernel, not of
the files whose kernels are built into it. So everything is kept in a folder whose name is a digest of all sources of
kernels: a change of any of them starts a new folder, and removes those that nothing was added to for a week. Times say
nothing there (a checkout or a new installation of the same sources has others), so numba is shown a copy of each
source that lies in the folder, of one and the same time. numba
stops where its folder cannot be written, so the first of several folders is taken that can be: numba's own where
somebody has set one, the one of Python's compiled modules, the user's, a temporary one; without any of them kernels
are compiled again by every process. It stops at files that were cut short, too, so those are removed first; it has no
digest of their content.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.extending import register_jitable

from steadyset.foundation.display import COMPILING, Progress, people_look

P = ParamSpec("P")
R = TypeVar("R")

SUMMING = {"reassoc", "contract", "nsz"}
NEEDED_BYTES = 100_000_000  # that a disk must have left: numba stops where one fills up
OLD = 7 * 24 * 3600  # seconds
HERE = Path(__file__).parent
settings: Any = numba.config  # whose names are made when it is imported


def stamp_of(folder: Path) -> str:
    """A digest of the names and contents of all sources in a folder and the folders in it."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(folder.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


def cache_folder(stamp: str) -> Path | None:
    """The folder that keeps compiled kernels, made if it is missing; None where none can be written."""
    own = Path(settings.CACHE_DIR) / "steadyset" if settings.CACHE_DIR else HERE / "__pycache__"
    user = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "steadyset"
    for place in (own, user, _temporary_folder()):
        with suppress(OSError):
            return _made(place, f"kernels-{stamp}")
    return None


def _made(place: Path, name: str) -> Path:
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_strangers(place)
    folder = place / name
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        for old in place.glob("kernels-*"):
            if old.stat().st_mtime < time.time() - OLD:  # other versions may run at the same time
                shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryFile(dir=folder):
        pass
    if shutil.disk_usage(folder).free < NEEDED_BYTES:
        raise OSError(f"{folder} has no room left")
    for path in folder.rglob("*.nb?"):
        if not _ends_well(path):
            path.unlink(missing_ok=True)
    return folder.resolve()  # numba tells folders apart by their paths, also where a link leads to the same one


def _ends_well(path: Path) -> bool:
    """Whether the file of a kernel ends as a pickle does."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read() == b"."


def _refuse_strangers(place: Path) -> None:
    """What is read from the folder is run: in a place that everybody may write it must be this user's alone."""
    if place == _temporary_folder() and os.name == "posix":
        status = place.lstat()
        if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode) or status.st_mode & 0o077:
            raise OSError(f"{place} belongs to somebody else")


def _temporary_folder() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"steadyset-kernels-{user}"


# As the sources are when they are imported, which is what will be compiled; those in an archive are not kept.
FOLDER = cache_folder(stamp_of(HERE)) if HERE.is_dir() else None


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on the first call, keep the result on disk, release the GIL while running."""
    return _compiled(function, fastmath=False)


def summing_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel whose sums the compiler may reorder, which lets it use vector instructions."""
    return _compiled(function, fastmath=SUMMING)


def part(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that kernels alone call. Python must not: there is no entry, which takes long to compile."""
    return _compiled(function, fastmath=False, no_cpython_wrapper=True)


def summing_part(function: Callable[P, R]) -> Callable[P, R]:
    """A part whose sums the compiler may reorder."""
    return _compiled(function, fastmath=SUMMING, no_cpython_wrapper=True)


def both(function: Callable[P, R]) -> Callable[P, R]:
    """A few operations on numbers that Python and kernels both do: it stays a function of Python."""
    return register_jitable(error_model="numpy")(function)


def inner_part(function: Callable[P, R]) -> Callable[P, R]:
    """A part that numba writes into its only caller, so that what it calls is not compiled once more for it.

    Its arithmetic gets the settings of the caller, so it belongs into parts, not into summing ones.
    """
    return _compiled(function, fastmath=False, no_cpython_wrapper=True, inline="always")


def _compiled(function: Callable[P, R], fastmath: bool | set[str], **options: Any) -> Callable[P, R]:
    compile_with: Any = numba.njit  # whose types lack some of its options
    decorate = compile_with(
        nogil=True, error_model="numpy", fastmath=fastmath, no_cfunc_wrapper=True, cache=FOLDER is not None, **options
    )
    before = settings.CACHE_DIR
    if FOLDER is not None:
        function.__code__ = function.__code__.replace(co_filename=_copy_of(function.__code__.co_filename, FOLDER))
    settings.CACHE_DIR = str(FOLDER or before)  # which numba reads now; kernels of others keep their own
    try:
        return cast(Callable[P, R], decorate(function))
    finally:
        settings.CACHE_DIR = before


@cache
def _copy_of(source: str, folder: Path) -> str:
    """The copy of a source of kernels in the folder of compiled ones, whose time is always the same."""
    path = Path(source)
    copy = folder / (path.relative_to(HERE) if path.is_relative_to(HERE) else path.name)
    copy = copy.with_suffix(".source")  # no module for anybody who looks for modules
    if not copy.exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=copy.parent, delete=False) as file:
            file.write(path.read_bytes())
        os.utime(file.name, (0, 0))
        os.replace(file.name, copy)  # at once: another process may be doing the same
    return str(copy)


def nothing_compiled() -> bool:
    """Whether no kernel is kept compiled yet, so that the first use waits for the compiler."""
    return FOLDER is None or next(FOLDER.rglob("*.nbi"), None) is None


def say_what_is_compiled(progress: Progress) -> None:
    """Say what the first use waits for, where a bar is shown."""
    if progress is not False and not callable(progress) and (progress or people_look()) and nothing_compiled():
        print(COMPILING, file=sys.stderr, flush=True)
