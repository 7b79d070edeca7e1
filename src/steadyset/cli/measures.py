"""`steadyset measures`: the catalogue."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from steadyset.cli import shared
from steadyset.cli.output import Format, print_rows
from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError


def measures(
    name: Annotated[str | None, typer.Argument(help="Show only this measure, with all its details.")] = None,
    which: Annotated[
        bool, typer.Option("--which", help="Say which measure to use, after three questions or the options below.")
    ] = False,
    sizes: Annotated[
        str | None,
        typer.Option(metavar="fixed|vary", help="With --which: whether all runs select the same number of features."),
    ] = None,
    correlated: Annotated[
        str | None,
        typer.Option(metavar="yes|no", help="With --which: whether features may stand in for each other."),
    ] = None,
    importances: Annotated[
        str | None,
        typer.Option(metavar="yes|no", help="With --which: whether every run weighs its features, and that counts."),
    ] = None,
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """List the measures: formula, range, properties and reference."""
    answers = {"sizes": sizes, "correlated": correlated, "importances": importances}
    if which:
        if name is not None:
            raise InputError(f"--which finds a measure; leave out {name}, or leave out --which.")
        _advise(answers, form)
        return
    given = [key for key, value in answers.items() if value is not None]
    if given:
        raise InputError(f"--{given[0]} answers a question of --which, which is not given.")
    from steadyset.measures import all_measures, get_measure
    from steadyset.measures.record import catalogue_entry

    records = all_measures() if name is None else [get_measure(name)]
    rows = [catalogue_entry(record) for record in records]
    if form is not Format.table:
        print_rows(rows, form, safe=spreadsheet_safe)
    elif name is not None:
        for key, value in rows[0].items():
            typer.echo(f"{key.replace('_', ' ')}: {_words(value)}")
    else:
        shown = [
            {
                "name": row["name"],
                "aliases": _words(row["aliases"]),
                "family": row["family"],
                "range": _range(row["bounds"]),
                "corrected": _words(row["corrected"]),
                "adjusted": _words(row["adjusted"]),
                "formula": row["formula"],
                "reference": row["reference"],
            }
            for row in rows
        ]
        print_rows(shown, Format.table, wide=["formula", "reference"])
        typer.echo(
            "corrected: random selection has the same mean value whatever the sizes, or for equal sizes. "
            "adjusted: similar features count as alike. `steadyset measures NAME` shows more."
        )


# What is asked, what may be answered, and what the library is told.
QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "sizes": (
        "Does every run select the same number of features, or does it vary?",
        {"fixed": "fixed", "vary": "vary"},
    ),
    "correlated": (
        "May features stand in for each other, as correlated ones do, and should that count as agreement?",
        {"yes": True, "no": False},
    ),
    "importances": (
        "Does every run say how important its features are, and should that count?",
        {"yes": True, "no": False},
    ),
}


def _advise(answers: Mapping[str, str | None], form: Format) -> None:
    from steadyset.measures import get_measure, which_measure

    advice = which_measure(**{key: _answer(key, given, form) for key, given in answers.items()})
    if form is not Format.table:
        row = {"measure": advice.measure, "because": advice.because, "instead": dict(advice.instead)}
        others = " ".join(f"{other}: {when}" for other, when in advice.instead.items())
        flat = {"because": " ".join(advice.because), "instead": others}
        print_rows([row if form is Format.json else row | flat], form)
        return
    typer.echo(str(advice))
    data = " --data DATA" if "similarity" in get_measure(advice.measure).needs else ""
    typer.echo(f"\n`steadyset measure RUNS --measure {advice.measure}{data}` computes it.")


def _answer(key: str, given: str | None, form: Format) -> Any:
    question, answers = QUESTIONS[key]
    if given is None:
        if form is not Format.table or not sys.stdin.isatty():
            needed = ", ".join(f"--{name} {'|'.join(takes)}" for name, (_, takes) in QUESTIONS.items())
            raise InputError(f"--which asks its questions on a terminal; here give {needed}.")
        given = typer.prompt(f"{question} ({'/'.join(answers)})", prompt_suffix=" ")
    words = given.strip().lower()
    fitting = [answer for answer in answers if words and answer.startswith(words)]
    if len(fitting) != 1:
        raise wrong_argument(key, " or ".join(answers), given)
    return answers[fitting[0]]


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return _range(value) if value and not isinstance(value[0], str) else ", ".join(map(str, value))
    return str(value)


def _range(bounds: tuple[float, ...]) -> str:
    return " to ".join(f"{x:g}".replace("inf", "∞") for x in bounds)
