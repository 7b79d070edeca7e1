"""The lines of Python that do what the page does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

READING = (
    "samples",
    "transpose",
    "sheet",
    "samples_sheet",
    "layer",
    "drop",
    "keep",
    "impute",
    "delimiter",
    "groups",
    "max_gb",
)
NAMES = {"scores": "scoring", "jobs": "n_jobs", "runs": "n_runs", "seed": "random_state", "trials": "n_trials"}
RUNNING = (
    *("objectives", "sampler", "measure", "resampling", "runs", "width", "max_runs", "scores", "task", "impute"),
    *("on_warning", "jobs", "engine", "seed", "all_rows", "trials", "out"),
)
NUMBERS = ("runs", "width", "max_runs", "jobs", "seed", "trials", "max_gb")


def python_lines(subcommand: str, options: Mapping[str, Any]) -> str:
    """A script with the same result as the command with these options."""
    reading = [repr(options["file"]), repr(options.get("target")), *_arguments(options, READING)]
    what = repr(options.get("space")) if subcommand == "tune" else _selectors(options.get("selectors"))
    running = ",\n    ".join([what, "data", *_arguments(options, RUNNING)])
    lines = [
        "import steadyset as st",
        "",
        f"data = st.load_data({', '.join(reading)})",
        f"result = st.{subcommand}(\n    {running},\n)",
        "print(result)",
        'st.report(result, "report.html")',
    ]
    return "\n".join(lines) + "\n"


def _selectors(given: Any) -> str:
    return "None" if not given else repr(list(given))


def _arguments(options: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    return [
        f"{NAMES.get(name, name)}={_literal(name, options[name])}" for name in names if options.get(name) is not None
    ]


def _literal(name: str, value: Any) -> str:
    if name == "objectives":
        return repr([one.strip() for one in str(value).split(",") if one.strip()])
    return str(value) if name in NUMBERS and value != "auto" else repr(value)
