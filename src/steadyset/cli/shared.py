"""Options that subcommands share one by one; those that come together are records (data_options, recorded)."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from steadyset.cli.output import Format
from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.conventions import CORE, LEVEL, MARGIN

CHANCE = "Undefined values and chance"  # a heading of the help

OnWarning = Annotated[
    str,
    typer.Option(
        "--on-warning",
        metavar="record|fail",
        help="What happens when a selector warns: record it beside the result, or fail the run.",
    ),
]
MaxGb = Annotated[float, typer.Option("--max-gb", metavar="GB", help="Refuse files that need more memory than this.")]
TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task", metavar="classes|number", help="What the target is. Default: decided by its values, and printed."
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue what is in the folder.")]
RunSeed = Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same result.", min=0)]
CoreShare = Annotated[
    float, typer.Option("--core", metavar="SHARE", help="Share of the runs a feature needs to be in the steady core.")
]
Level = Annotated[float, typer.Option("--level", metavar="L", help="Confidence level of intervals and tests.")]
OwnCoreShare = Annotated[  # of what has none of its own, as a recorded tuning has
    float | None,
    typer.Option(
        "--core", metavar="SHARE", help=f"Share of the runs a feature needs to be in the steady core ({CORE:g})."
    ),
]
OwnLevel = Annotated[
    float | None, typer.Option("--level", metavar="L", help=f"Confidence level of intervals and tests ({LEVEL:g}).")
]
Margin = Annotated[
    float | None,
    typer.Option(
        "--margin",
        metavar="LOSS",
        help=f"Loss in the first score that counts as none when a selector is preferred ({MARGIN:g}); a share of the "
        "score without features where a score has no bounds.",
    ),
]
Form = Annotated[Format, typer.Option("--format", help="Output for people, or for programs.")]
SpreadsheetSafe = Annotated[
    bool,
    typer.Option(
        "--spreadsheet-safe",
        help="In csv, put an apostrophe before names that a spreadsheet would run as formulas (= + - @).",
    ),
]


def _load(names: list[str] | None) -> list[str] | None:
    if names:
        from steadyset.foundation.registry import load

        for name in names:
            load(name)
    return names


Load = Annotated[
    list[str] | None,
    typer.Option(
        "--load",
        metavar="FILE|MODULE",
        callback=_load,
        help="Run the code of a Python file, or of an installed module, that registers your own measures, filters, "
        "resamplings, selectors, rules or pictures; may be repeated.",
    ),
]

Policy = Annotated[
    str,
    typer.Option(
        "--undefined",
        metavar="POLICY",
        help="How undefined pairs of runs are treated: nan (reported), raise (stop), or a number to use.",
        rich_help_panel=CHANCE,
    ),
]
Expected = Annotated[
    str,
    typer.Option(
        "--expectation",
        metavar="HOW",
        help="Correction for chance of measures without one: exact, monte_carlo (simulate where no exact form exists), "
        "none, or auto (each measure as published).",
        rich_help_panel=CHANCE,
    ),
]
Draws = Annotated[
    int,
    typer.Option("--draws", metavar="N", help="Number of random draws in a simulation.", min=2, rich_help_panel=CHANCE),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", help="Seed of the simulation.", min=0, rich_help_panel=CHANCE)
]


def undefined_policy(text: str) -> Any:
    """The policy that --undefined names."""
    if text in ("nan", "raise"):
        return text
    try:
        return float(text)
    except ValueError:
        raise wrong_argument("undefined", "nan, raise or a number", text) from None
