"""`python -m steadyset` is the command `steadyset`."""

from steadyset.cli import main

if __name__ == "__main__":
    main()
