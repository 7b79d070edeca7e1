"""How the command lists selectors and resamplings: one line each, one in full, or for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import typer

from steadyset.cli.output import Format, print_rows
from steadyset.foundation.text import shown_name

PARTS = ("parameters", "meanings")  # those that are mappings
OF_THE_RUN = ("random_state", "task", "n_jobs")  # what an assessment sets itself


def print_catalogue(
    entries: Sequence[Mapping[str, Any]],
    form: Format,
    *,
    alone: bool,
    shown: Sequence[str],
    example: tuple[str, str],
    safe: bool = False,
) -> None:
    """Entries with a name, a summary, parameters with defaults and meanings, and a reference; `shown` columns besides.

    `example` is a command that uses one of them, and the command that shows more.
    """
    if form is Format.json:
        print_rows([{key: _plain(value) for key, value in entry.items()} for entry in entries], form)
    elif form is Format.csv:
        print_rows([{key: _flat(key, value) for key, value in entry.items()} for entry in entries], form, safe=safe)
    elif alone:
        _tell(entries[0])
    else:
        rows = [
            {
                "name": entry["name"],
                "what it does": entry["summary"],
                **{key: entry[key] for key in shown},
                "parameters": _with_defaults({k: v for k, v in entry["parameters"].items() if k not in OF_THE_RUN}),
                "reference": entry["reference"],
            }
            for entry in entries
        ]
        print_rows(rows, form, wide=["what it does", "parameters", "reference"])
        typer.echo(f"Parameters follow a colon: `steadyset {example[0]}`. `{example[1]}` shows more.")


def _tell(entry: Mapping[str, Any]) -> None:
    for key, value in entry.items():
        if key not in PARTS and value != "":
            words = ("yes" if value else "no") if isinstance(value, bool) else shown_name(str(value))
            typer.echo(f"{key.replace('_', ' ')}: {words}")
    if entry["parameters"]:
        typer.echo("parameters:")
    told = {name: entry["meanings"].get(name, "") for name in entry["parameters"]}
    for meaning, names in groupby(told, key=lambda name: told[name]):
        values = _with_defaults({name: entry["parameters"][name] for name in names})
        typer.echo(f"  {shown_name(values)}{': ' + meaning if meaning else ''}")


def _with_defaults(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in parameters.items())


def _value(value: Any) -> str:
    """A default as it is typed after a colon, where texts have no quotes."""
    return value if isinstance(value, str) else repr(value)


def _flat(key: str, value: Any) -> Any:
    if key == "meanings":
        return "; ".join(f"{name}: {text}" for name, text in value.items())
    return _with_defaults(value) if key in PARTS else value


def _plain(value: Any) -> Any:
    """What JSON can hold: a default that is an object is told by its text."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return value if value is None or isinstance(value, (str, bool, int, float)) else repr(value)
