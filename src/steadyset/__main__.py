"""`python -m steadyset` is the command `steadyset`."""

import atexit
import os

from steadyset.foundation.job import end_undisturbed, leave_at_once


def main() -> None:
    """Run the command; signals are heeded before it is loaded, since an exception within an import may be lost."""
    # Processes of Python that it starts would look for modules in the current folder first, which may be a stranger's.
    os.environ["PYTHONSAFEPATH"] = "1"
    atexit.register(end_undisturbed)  # the first to be registered is the last to be called
    leave_at_once()
    from steadyset.cli import main as command

    command()


if __name__ == "__main__":
    main()
