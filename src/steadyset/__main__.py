"""`python -m steadyset` is the command `steadyset`."""

import signal
import sys


def main() -> None:
    """Run the command; Ctrl-C while it is still being loaded is a sentence too."""
    try:
        from steadyset.cli import main as command
    except KeyboardInterrupt:
        print("steadyset: interrupted.", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    command()


if __name__ == "__main__":
    main()
