"""How the command tells findings: the answer, a table, and a section for every part that has something to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from steadyset.cli.output import Format, print_rows
from steadyset.io.labels import shown_name
from steadyset.wording import amount, counted, number, percent, span

if TYPE_CHECKING:
    from steadyset.findings import Configuration, Findings, Procedure, Reason


def tell(found: Findings, form: Format, *, safe: bool = False) -> None:
    """For people: everything; as csv: the table; as json: the findings."""
    if form is Format.json:
        print(found.to_json())
        return
    rows = front_rows(found) if found.front else summary_rows(found)
    if form is Format.csv:
        print_rows(rows, form, safe=safe)
        return
    if found.front:
        shown = [{**row, "n_features": amount(row["n_features"])} if "n_features" in row else row for row in rows]
        print_rows(shown, form, title="The Pareto front", wide=("parameters",))
    for sentence in found.answer:
        typer.echo(sentence)
    if not found.front:
        _tell_summary(found)
    _tell_parts(found)


def summary_rows(found: Findings) -> list[dict[str, Any]]:
    """The summary as flat rows."""
    return [
        {
            "selector": row.name,
            "runs": row.runs,
            "stability": row.stability,
            "low": row.low,
            "high": row.high,
            "verdict": row.verdict,
            **{
                key: value
                for name, score in row.scores.items()
                for key, value in (
                    (name, score.mean),
                    (f"{name}_se", score.se),
                    (f"{name}_blind", score.blind),
                    (f"{name}_random", score.random),
                )
            },
            "size": row.size,
            "failures": row.failures,
            "warnings": row.warned,
            "tied": row.tied,
            "note": row.note,
        }
        for row in found.summary
    ]


def front_rows(found: Findings) -> list[dict[str, Any]]:
    """The front and the chosen configuration as flat rows: what it is, its objectives, how sure its place is."""
    return [
        {
            "configuration": one.number,
            "filter": one.params.get("filter", ""),
            "model": one.params.get("model", ""),
            **one.objectives,
            "on_front": one.on_front,
            "parameters": _parameters(one),
            "chosen": "yes" if one.chosen else "",
        }
        for one in found.front
    ]


def _tell_summary(found: Findings) -> None:
    from steadyset.findings.answer import SCALE

    print_rows([_shown(row, found) for row in found.summary], Format.table)
    for name in found.scoring:
        known = [f"{one.name} {number(one.scores[name], 3)}" for one in found.baselines]
        if known:
            typer.echo(f"baselines, {name.replace('_', ' ')}: {'; '.join(known)}.")
    typer.echo(
        f"stability: 1 = the same features each time, 0 = chance; in brackets its {percent(found.level)} interval for "
        "this data\nset and resampling, not for new data."
    )
    if found.scoring:
        typer.echo("±: standard error over resamples, corrected for their overlap (Nadeau and Bengio 2003).")
    typer.echo(f"verdict: {SCALE}.")


def _tell_parts(found: Findings) -> None:
    from steadyset.findings.cores import named

    parts = {
        "What differs": [one.words for one in found.differences],
        f"Steady core (selected in at least {percent(found.core)} of the runs)": [named(one) for one in found.cores],
        "To know": list(found.notes),
        "Runs without a selection or a score": [] if found.front else [_reason(one) for one in found.failures],
        "Runs with warnings": [_reason(one) for one in found.warnings],
    }
    for title, lines in parts.items():
        if lines:
            typer.echo(f"\n{title}:")
            for line in lines:
                typer.echo(f"  {line}")


def _shown(row: Procedure, found: Findings) -> dict[str, str]:
    """A row of the summary for people: short enough for a terminal of 80 columns."""
    scores = {name: _with_error(row.scores[name].mean, row.scores[name].se) for name in found.scoring}
    return {
        "selector": row.name,
        "stability": number(row.stability) + (f" ({span(row.low, row.high)})" if row.low == row.low else ""),
        "verdict": row.verdict,
        **scores,
        "size": amount(row.size),
        "runs": str(row.runs),
        **({"failures": str(row.failures)} if any(one.failures for one in found.summary) else {}),
        **({"warnings": str(row.warned)} if any(one.warned for one in found.summary) else {}),
    }


def _with_error(mean: float, se: float) -> str:
    return number(mean, 3) + (f" ± {number(se, 3)}" if se == se else "")


def _reason(one: Reason) -> str:
    return f"{shown_name(one.name)}: {counted(one.runs, 'run')}: {shown_name(one.text)}"


def _parameters(one: Configuration) -> str:
    return ", ".join(
        f"{name.rpartition('__')[2].rpartition('.')[2]}={_short(value)}"
        for name, value in one.params.items()
        if name not in ("filter", "model")
    )


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
