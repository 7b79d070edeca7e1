"""How the command tells findings: the answer, a table, and a section for every part that has something to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from steadyset.cli.output import Format, print_rows

if TYPE_CHECKING:
    from steadyset.findings import Findings


def tell(found: Findings, form: Format, *, safe: bool = False) -> None:
    """For people: everything; as csv: the table; as json: the findings."""
    if form is Format.json:
        print(found.to_json())
        return
    from steadyset.findings.display import front_cells, front_rows

    rows = front_rows(found) if found.front else summary_rows(found)
    if form is Format.csv:
        print_rows(rows, form, safe=safe)
        return
    if found.front:
        print_rows(front_cells(found), form, title="The Pareto front", wide=("parameters",))
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


def _tell_summary(found: Findings) -> None:
    from steadyset.findings.display import summary_cells
    from steadyset.findings.sections import legends

    print_rows([summary_cells(row, found) for row in found.summary], Format.table)
    for line in legends(found):
        typer.echo(line)


def _tell_parts(found: Findings) -> None:
    from steadyset.findings.sections import brief_sections

    for title, lines in brief_sections(found).items():
        typer.echo(f"\n{title}:")
        for line in lines:
            typer.echo(f"  {line}")
