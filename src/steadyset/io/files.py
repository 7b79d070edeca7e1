"""Files that are opened once, and what may be read: files that exist, are whole, and take bearable memory and time.

Reading a table takes several looks: is it packed, in which encoding, what separates its cells, is it one that GEO or R
wrote. Opening the file anew for each of them is slow on the disks of clusters, and a file that is written at the same
time could be recognised as one thing and read as another. So its readers share the content, and what one of them
recognised the others need not.

Libraries in C and Rust can loop without end over a damaged file, or take as much memory as it claims to need, and
nothing in Python stops them. They read or try out a file by a script of a few lines, in a process with limits of memory
and time, which ends alone when it reaches them.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Self, TypeVar

from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.memory import MORE_MEMORY, in_gb, memory_limit

STEP = 1 << 20  # bytes that are read at once of a file whose size is not known
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
        size = self.stat().st_size
        if size > KEPT:
            return None
        with self.path.open("rb") as source:
            content = source.read(size + 1)  # which is taken from the memory before anything is read
            while size < len(content) <= KEPT and (more := source.read(STEP)):  # it grows meanwhile
                content += more
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


MAX_GB = 8.0  # of memory that a file may take
BYTES_A_CELL = 8  # as a number in memory
BYTES_A_NAME = 60  # in memory, about
SHARE_FOR_ONE = 0.5  # of the memory of the machine, for one thing
GZIP, ZIP, OLE = b"\x1f\x8b", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how files begin
UNCHECKED_CELLS, CELLS_PER_BYTE = 10_000_000, 1_000
SPARE = 512 << 20  # bytes that a library may take whatever it reads
OF_LIBRARIES = 1 << 30  # bytes of addresses that Python and a library take when they are imported, at most
# What a file may take: memory and time grow with its size, whatever it claims to hold.
SMALL, TIMES = 1 << 28, 64
# What can be packed most, columns of zeros and texts that repeat, may become so many times as large, or a gigabyte.
UNPACKED_GB, UNPACKED_TIMES = 1, 512
SECONDS, SECONDS_A_MB = 10, 5
# Libraries take addresses when they are imported, how many depends on the machine: the limit is on what comes after.
LIMITS = """
import sys
limit = int(sys.argv.pop(1))
seconds = int(sys.argv.pop(1))
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # also where nobody is left to end it
    with open("/proc/self/statm") as sizes:
        taken = int(sizes.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + limit, taken + limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except (ImportError, OSError, ValueError):
    pass  # not on Windows and macOS
"""


@contextmanager
def readable(path: Path | File) -> Iterator[None]:
    """Turn what the file system has to say into a sentence."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; expected a file.")
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty.")
        yield
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except (EOFError, zlib.error):
        raise InputError(f"{path} is not a well-formed gzip file.") from None
    except MemoryError:
        raise too_little_memory(path) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or first_line(error)}.") from None


def too_little_memory(path: Path | File) -> InputError:
    """Return the error for a file that this process has no room to read."""
    limit = memory_limit()
    within = "is available" if limit is None else f"the {in_gb(limit)} allowed to this process"
    return InputError(f"{path} needs more memory than {within}. {MORE_MEMORY}, or save the file with fewer columns.")


def lacks_memory(error: BaseException) -> bool:
    """Return whether a library failed because of the limit of this process rather than because of the file."""
    # A thread needs addresses for its stack, and a library reports its absence as an error of its own kind.
    return memory_limit() is not None and (isinstance(error, MemoryError) or "worker thread" in str(error))


@contextmanager
def enough_memory_to_read(path: Path | File) -> Iterator[None]:
    """Turn a lack of memory while a file is read into a sentence."""
    try:
        yield
    except MemoryError:
        raise too_little_memory(path) from None


def check_max_gb(max_gb: float) -> None:
    """Refuse a limit that is none."""
    if isinstance(max_gb, bool) or not isinstance(max_gb, (int, float)) or not max_gb > 0:
        # It imports numpy, which limited processes do not need.
        from steadyset.foundation.arguments import wrong_argument

        raise wrong_argument("max_gb", "a positive number", max_gb)


def refuse_size(path: Path | File, n_bytes: int, max_gb: float) -> None:
    """Refuse what would take more memory than allowed, before it is read."""
    check_max_gb(max_gb)
    if n_bytes > max_gb * 2**30:
        told = f"{path} would take more than {max_gb:g} GB of memory; if you trust the file, raise the limit with "
        raise InputError(told, Argument("max_gb", ...), ".")
    size = path.stat().st_size
    if n_bytes > max(UNPACKED_GB << 30, UNPACKED_TIMES * size) and not path.is_dir():
        raise InputError(
            f"{path} has {size:,} bytes and would take {n_bytes / 2**30:.1f} GB of memory; it is damaged or forged. If "
            "you trust it, save it without compression."
        )


def refuse_claim(path: Path | File, n_rows: int, n_columns: int) -> None:
    """A table that claims many cells must have a file of plausible size behind it."""
    cells, size = n_rows * max(1, n_columns), path.stat().st_size
    if cells > UNCHECKED_CELLS and cells > CELLS_PER_BYTE * size:
        raise InputError(f"{path} claims {n_rows:,} rows in {size:,} bytes; it is damaged or forged.")


@contextmanager
def bounded_memory(n_bytes: int) -> Iterator[None]:
    """Let the process take no more than so many bytes beyond what it has, where the system can hold it to that.

    For a damaged or forged file libraries take as much memory as it claims, before they look whether that is there.
    """
    try:
        import resource

        used = int(Path("/proc/self/statm").read_text("ascii").split()[5]) * resource.getpagesize()
    except (ImportError, OSError):  # not on Windows and macOS
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [limit for limit in before if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([used + n_bytes, *limits]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


@contextmanager
def enough_memory(n_features: int, bytes_each: int, what: str) -> Iterator[None]:
    """Say in a sentence that there are more features than this machine has room for, before or when that shows."""
    limit = machine_bytes()
    told = f"{what} of {n_features:,} features would take {bytes_each * n_features / 2**30:,.0f} GB of memory"
    error = InputError(f"{told[0].upper()}{told[1:]}; leave out features that could not have been selected.")
    if limit is not None and bytes_each * n_features > SHARE_FOR_ONE * limit:
        raise error
    try:
        yield
    except MemoryError:
        raise error from None


def machine_bytes() -> int | None:
    """The memory of the machine; None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on Windows
        return None


def first_line(error: BaseException) -> str:
    """What a library says of an error, without its advice."""
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__


def read_limited(
    imports: str, script: str, path: Path | File, *arguments: str, max_gb: float, instead: str
) -> bytes | None:
    """The same as `run_limited`, with the limits of a file: they follow its size, and `max_gb` are never exceeded."""
    size = path.stat().st_size
    n_bytes, seconds = min(int(max_gb * 2**30), SMALL + TIMES * size), SECONDS + SECONDS_A_MB * size / 2**20
    return run_limited(imports, script, path, *arguments, n_bytes=n_bytes, seconds=seconds, instead=instead)


def run_limited(
    imports: str, script: str, path: Path | File, *arguments: str, n_bytes: int, seconds: float, instead: str
) -> bytes | None:
    """What a script prints that gets a path and more arguments; None where it fails or reaches a limit.

    It finds the modules that this process finds, and none in the folder that the command is called in, which may be a
    stranger's. Where no process can be started, as in some programs that embed Python, the sentence says what to do
    `instead`.
    """
    code = f"{imports}\n{LIMITS}\n{script}"
    limits = [str(n_bytes + SPARE), str(int(seconds) + 1)]
    command = [sys.executable, "-P", "-c", code, *limits, str(path), *arguments]
    modules = os.pathsep.join(folder for folder in sys.path if folder)
    alone = {**os.environ, "PYTHONPATH": modules, "OPENBLAS_NUM_THREADS": "1"}  # each thread takes addresses
    try:
        if not sys.executable:
            raise FileNotFoundError
        done = subprocess.run(
            command, env=alone, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    except OSError:
        raise InputError(
            f"{path} is read by a Python process of its own, and none can be started here "
            f"(sys.executable is {sys.executable!r}); {instead}."
        ) from None
    if done.returncode == 0:
        return done.stdout
    # Under a lower limit of this process, which the other one inherits, a failure says nothing about the file.
    allowed = memory_limit()
    if allowed is not None and allowed < n_bytes + SPARE + OF_LIBRARIES:
        raise too_little_memory(path)
    return None
