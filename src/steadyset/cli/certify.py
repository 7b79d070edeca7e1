"""`steadyset certify`: the properties of measures, decided by computation, beside what papers claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from steadyset.cli import shared
from steadyset.cli.output import Format, print_rows

if TYPE_CHECKING:
    from steadyset.certificates import Certificate

HALVES = ("identical_is_maximal", "maximal_is_identical")  # of maximum, which the table of many measures shows


def certify(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Measures, or all.")],
    load: shared.Load = None,
    form: shared.Form = Format.table,
    spreadsheet_safe: shared.SpreadsheetSafe = False,
) -> None:
    """Determine the properties of measures, with counter-examples, and show where papers disagree."""
    from steadyset.certificates import certify as decide
    from steadyset.measures.evaluate import chosen_measures

    certificates = [decide(measure) for measure in chosen_measures("all" if names == ["all"] else names)]
    if form is not Format.table:
        print_rows([row for certificate in certificates for row in _rows(certificate)], form, safe=spreadsheet_safe)
    elif len(certificates) == 1:
        print_rows(_lines(certificates[0]), form, title=certificates[0].measure, wide=["papers", "reason"])
    else:
        _print_many(certificates)


def _rows(certificate: Certificate) -> list[dict[str, Any]]:
    from steadyset.measures.claims import CLAIMS

    against = certificate.disagreements()
    return [
        {
            "measure": certificate.measure,
            "property": name,
            "holds": verdict.holds,
            **{paper: certificate.claims.get(paper, {}).get(name) for paper in {**CLAIMS, **certificate.claims}},
            "disagrees": against.get(name, ()),
            "reason": str(verdict),
        }
        for name, verdict in certificate.properties.items()
    ]


def _lines(certificate: Certificate) -> list[dict[str, str]]:
    from steadyset.certificates.markdown import MARKS

    against = certificate.disagreements()
    return [
        {
            "property": name.replace("_", " "),
            "holds": MARKS[verdict.holds] + (" ≠" if name in against else ""),
            "papers": ", ".join(
                f"{paper}: {MARKS[said[name]]}" for paper, said in certificate.claims.items() if name in said
            ),
            "reason": str(verdict),
        }
        for name, verdict in certificate.properties.items()
    ]


def _print_many(certificates: list[Certificate]) -> None:
    from steadyset.certificates.markdown import markdown_disagreements

    rows = [
        {"measure": certificate.measure}
        | {
            line["property"].replace(" ", "\n"): line["holds"]
            for line, name in zip(_lines(certificate), certificate.properties, strict=True)
            if name not in HALVES
        }
        for certificate in certificates
    ]
    print_rows(rows, Format.table)
    typer.echo("≠: a paper says otherwise. `steadyset certify NAME` gives the counter-examples.")
    for certificate in certificates:
        for line in markdown_disagreements(certificate):
            typer.echo(line.replace("**", ""))
