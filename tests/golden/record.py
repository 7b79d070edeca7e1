"""Record the golden numbers: `python -m tests.golden.record`, or with `--only NAME` those whose names start so.

A change that alters numbers on purpose records its own entries anew and nothing else; the file in version control then
shows which numbers changed.
"""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "numbers.json"


def machine() -> dict[str, str]:
    """What the last bits depend on: the processor that kernels are compiled for, and the libraries."""
    import numba
    import numpy
    import scipy
    import sklearn
    from llvmlite import binding

    features = ",".join(sorted(name for name, has in binding.get_host_cpu_features().items() if has))
    libraries = {module.__name__: module.__version__ for module in (numpy, scipy, numba, sklearn)}
    return {"system": platform.system(), "cpu": binding.get_host_cpu_name(), "features": features, **libraries}


def read() -> dict[str, Any]:
    """{"machine": ..., "numbers": {name: value}}"""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def write(numbers: dict[str, Any], where: dict[str, str]) -> None:
    """One line per entry, in the order of names, so that a changed entry is a changed line."""
    lines = [f"{json.dumps(name)}: {json.dumps(numbers[name], separators=(',', ':'))}" for name in sorted(numbers)]
    body = ",\n".join(lines)
    FILE.write_text(f'{{"machine": {json.dumps(where)},\n"numbers": {{\n{body}\n}}}}\n', encoding="utf-8")


def record(only: str = "") -> None:
    from tests.golden.entries import computed, entries

    kept = {} if not only else {k: v for k, v in read()["numbers"].items() if not k.startswith(only)}
    found = {name: computed(compute) for name, compute in entries() if name.startswith(only)}
    if not found:
        raise SystemExit(f"No entry starts with {only!r}.")
    write(kept | found, read()["machine"] if only else machine())
    print(f"{len(found)} of {len(kept | found)} entries recorded, {FILE.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="NAME", help="record the entries whose names start with NAME")
    record(parser.parse_args().only)
