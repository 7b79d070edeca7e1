"""Scripts of a few lines that read a file without trust, in a process with limits of memory and time.

Libraries in C and Rust can loop without end over a damaged file, or take as much memory as it claims to need, and
nothing in Python stops them. A process that reaches its limits ends alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from steadyset.foundation.errors import InputError

SPARE = 512 << 20  # bytes that a library may take whatever it reads
# What a file may take: memory and time grow with its size, whatever it claims to hold.
SMALL, TIMES = 1 << 28, 64
SECONDS, SECONDS_A_MB = 10, 5
# Libraries take addresses when they are imported, how many depends on the machine: the limit is on what comes after.
LIMITS = """
import sys
limit = int(sys.argv.pop(1))
try:
    import resource
    with open("/proc/self/statm") as sizes:
        taken = int(sizes.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + limit, taken + limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except (ImportError, OSError, ValueError):
    pass  # not on Windows and macOS
"""


def read_limited(imports: str, script: str, path: Path, *arguments: str, max_gb: float, instead: str) -> bytes | None:
    """The same as `run_limited`, with the limits of a file: they follow its size, and `max_gb` are never exceeded."""
    size = path.stat().st_size
    n_bytes, seconds = min(int(max_gb * 2**30), SMALL + TIMES * size), SECONDS + SECONDS_A_MB * size / 2**20
    return run_limited(imports, script, path, *arguments, n_bytes=n_bytes, seconds=seconds, instead=instead)


def run_limited(
    imports: str, script: str, path: Path, *arguments: str, n_bytes: int, seconds: float, instead: str
) -> bytes | None:
    """What a script prints that gets a path and more arguments; None where it fails or reaches a limit.

    It finds the modules that this process finds, and none in the folder that the command is called in, which may be a
    stranger's. Where no process can be started, as in some programs that embed Python, the sentence says what to do
    `instead`.
    """
    command = [
        sys.executable,
        "-P",
        "-c",
        f"{imports}\n{LIMITS}\n{script}",
        str(n_bytes + SPARE),
        str(path),
        *arguments,
    ]
    modules = os.pathsep.join(folder for folder in sys.path if folder)
    alone = {**os.environ, "PYTHONPATH": modules, "OPENBLAS_NUM_THREADS": "1"}  # each thread takes addresses
    try:
        if not sys.executable:
            raise FileNotFoundError
        done = subprocess.run(
            command,
            env=alone,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    except OSError:
        raise InputError(
            f"{path} is read by a Python process of its own, and none can be started here "
            f"(sys.executable is {sys.executable!r}); {instead}."
        ) from None
    return done.stdout if done.returncode == 0 else None
