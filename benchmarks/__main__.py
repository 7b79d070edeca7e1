"""Run every benchmark and write docs/performance.md: `python -m benchmarks [MODULE...]`."""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import benchmarks

HELPERS = {
    "__init__",
    "__main__",
    "characteristics",
    "compare",
    "coordinate_descent",
    "earlier_paths",
    "error_bounds",
    "kept_predictions",
    "listed_effects",
    "overlap",
    "peers",
    "preparation",
    "replication",
    "several_studies",
    "shortlist",
    "shortlist_peers",
    "timing",
    "tracked",
    "tuning_on_noise",
    "turns",
}
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
HEADINGS = {"case": "case", "size": "size", "ours_s": "steadyset (s)", "theirs_s": "other (s)", "ratio": "ratio"}
INTRODUCTION = """# Performance

Written by `python -m benchmarks` (`make performance`). Each table compares steadyset with another way to get the same
numbers, side by side in one process; a ratio above 1 means that steadyset is faster. Ratios travel between machines,
seconds do not. Unless a section says otherwise, times are processor seconds, medians of several calls after a first one
that loads the compiled kernels. Whether a kernel became slower than in another commit is another question, which
`make performance BASE=commit` answers.
"""


def main(names: list[str]) -> None:
    """Measure the modules asked for (all of them without names) and put their sections on the page."""
    known = {path.stem for path in Path(benchmarks.__path__[0]).glob("*.py")} - HELPERS
    unknown = sorted(set(names) - known)
    if unknown:
        raise SystemExit(f"There is no benchmark {unknown[0]!r}; there are {', '.join(sorted(known))}.")
    sections = _kept_sections() if names else {}
    for name in sorted(names or known, key=lambda name: (name != "core", name)):
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"benchmarks.{name} ...", flush=True)
        start = time.monotonic()
        sections[module.TITLE] = "\n\n".join(
            [f"## {module.TITLE}", module.__doc__.strip(), f"Machine: {_machine()}.", _table(module.rows())]
        )
        print(f"benchmarks.{name} took {time.monotonic() - start:.0f} s.", flush=True)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n\n".join([INTRODUCTION.strip(), *sections.values()]) + "\n", encoding="utf-8")
    print(f"docs/{PAGE.name} is written.")


def _kept_sections() -> dict[str, str]:
    """The sections that the page has already, by title, so that one module can be measured again by itself."""
    if not PAGE.exists():
        return {}
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.splitlines()[0]: f"## {part.strip()}" for part in parts}


def _table(rows: list[dict[str, Any]]) -> str:
    """A Markdown table; columns beyond the usual ones are kept as they are called."""
    columns = [key for key in HEADINGS if any(key in row for row in rows)]
    columns += [key for key in dict.fromkeys(key for row in rows for key in row) if key not in HEADINGS]
    lines = [
        "| " + " | ".join(HEADINGS.get(key, key) for key in columns) + " |",
        "|" + "|".join("---" if key in ("case", "size") else "---:" for key in columns) + "|",
    ]
    lines += ["| " + " | ".join(_cell(row.get(key)) for key in columns) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if isinstance(value, float) and value >= 100 else _short(value)


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def _machine() -> str:
    """The machine in words: kind of processor, how many cores, the system and Python."""
    cores = os.cpu_count()
    load = f"load {os.getloadavg()[0]:.0f} from other work" if hasattr(os, "getloadavg") else "load unknown"
    return f"{cores} cores ({platform.machine()}), {platform.system()}, Python {platform.python_version()}, {load}"


if __name__ == "__main__":
    main(sys.argv[1:])
