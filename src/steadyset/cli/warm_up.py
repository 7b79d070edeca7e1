"""`steadyset warm-up`: compile ahead what the first runs would wait for."""

from __future__ import annotations

import time
from typing import Annotated

import typer


def warm_up(
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", help="Parallel jobs; -1 uses every core.")] = -1,
) -> None:
    """Compile the parts of steadyset that are compiled when they are first used, and keep them."""
    from steadyset.warming import warm_up as compile_ahead

    begin = time.monotonic()
    compile_ahead(jobs)
    typer.echo(f"All kernels are compiled ({time.monotonic() - begin:.0f} s).")
