"""`python -m steadyset` is the command `steadyset`."""

import atexit
import os
import sys

from steadyset.foundation.job import PROGRAM, end_undisturbed, leave_at_once
from steadyset.foundation.memory import (
    is_lack_of_memory,
    out_of_memory,
    refusal_of_little_memory,
    use_little_memory,
)


def main() -> None:
    """Run the command; signals are heeded before it is loaded, since an exception within an import may be lost."""
    # Processes of Python that it starts would look for modules in the current folder first, which may be a stranger's.
    os.environ["PYTHONSAFEPATH"] = "1"
    atexit.register(end_undisturbed)  # the first to be registered is the last to be called
    leave_at_once()
    if too_little := refusal_of_little_memory():
        sys.exit(_complain(too_little))
    use_little_memory()
    try:
        from steadyset.cli import main as command
    except Exception as error:  # libraries report a lack of memory in errors of many kinds
        if not is_lack_of_memory(error):
            raise
        sys.exit(_complain(out_of_memory()))
    command()


def _complain(sentence: str) -> int:
    """Print a sentence on standard error, and return the exit code."""
    print(f"{PROGRAM}: {sentence}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    main()
