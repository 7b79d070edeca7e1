"""The limit of addresses that a cluster or `ulimit -v` sets to this process, and errors that it causes.

It imports next to nothing, because the command asks before it loads a library: those in C end the process where they
find too little room, and no exception can be caught then.
"""

from __future__ import annotations

import errno
import os

# Addresses of NumPy, SciPy, scikit-learn, pandas, numba and pyarrow, and some more: with 1.1e9, numba still aborts.
MIN_BYTES = 1_400_000_000
# How libraries report a lack of memory in errors of other kinds: threads and shared libraries need addresses as well.
SYMPTOMS = ("can't start new thread", "worker thread", "failed to map segment", "cannot allocate memory")
LOADING_FAILED = "shared object"  # which has other causes too, and so counts under a limit only


def memory_limit() -> int | None:
    """Return the bytes of addresses that this process may take; None if they are not limited."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (ImportError, OSError):  # not on Windows
        return None
    return None if limit == resource.RLIM_INFINITY else limit


def refusal_of_little_memory() -> str:
    """Return a sentence if the limit of this process is too low to load the libraries; "" otherwise."""
    limit = memory_limit()
    if limit is None or limit >= MIN_BYTES:
        return ""
    limited = in_gb(limit)
    if limited == in_gb(MIN_BYTES):  # so that it does not read as if it were enough
        limited = in_gb(limit, digits=9)
    return f"steadyset needs {in_gb(MIN_BYTES)} of memory; this process is limited to {limited}. {ADVICE}"


def in_gb(n_bytes: int, digits: int = 1) -> str:
    """Return a number of bytes in units of 10^9."""
    return f"{n_bytes / 1e9:.{digits}f} GB"


MORE_MEMORY = "Allow more memory, such as with `ulimit -v` or in the request of the cluster's job"
ADVICE = f"{MORE_MEMORY}."


def use_little_memory() -> None:
    """Let the libraries that are loaded later take few addresses if this process is limited.

    OpenBLAS reserves them for each thread, and has a thread for each core.
    """
    if memory_limit() is not None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def is_lack_of_memory(error: BaseException) -> bool:
    """Return whether an error, or the error that led to it, is a lack of memory."""
    limited = memory_limit() is not None
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        if isinstance(cause, MemoryError) or (isinstance(cause, OSError) and cause.errno == errno.ENOMEM):
            return True
        text = str(cause).lower()
        if isinstance(cause, ImportError | OSError | RuntimeError) and (
            any(symptom in text for symptom in SYMPTOMS) or (limited and LOADING_FAILED in text)
        ):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def out_of_memory() -> str:
    """Return the sentence for work that memory was lacking for."""
    limit = memory_limit()
    if limit is None:
        lack, advice = "There is not enough memory.", "Compute with fewer processes, or on a machine with more memory."
    else:
        lack, advice = f"This process ran out of the {in_gb(limit)} of memory that it may use.", ADVICE
    return f"{lack} Runs that finished are kept in the run folder, if there is one. {advice}"
