"""Certificates as lines of markdown: one row per measure, one line per disagreement."""

from __future__ import annotations

from collections.abc import Sequence

from steadyset.certificates.certificate import Certificate
from steadyset.certificates.properties import PROPERTIES, definition

MARKS = {True: "yes", False: "no", None: "–"}
AGAINST = " ≠"


def markdown_table(certificates: Sequence[Certificate]) -> list[str]:
    """One row per measure and one column per property; ≠ marks where a paper says otherwise."""
    head = ["measure", *(name.replace("_", " ") for name in PROPERTIES)]
    return [_row(head), _row(["---"] * len(head)), *map(markdown_row, certificates)]


def markdown_row(certificate: Certificate) -> str:
    against = certificate.disagreements()
    cells = [
        MARKS[verdict.holds] + (AGAINST if name in against else "") for name, verdict in certificate.properties.items()
    ]
    return _row([certificate.measure, *cells])


def markdown_disagreements(certificate: Certificate) -> list[str]:
    """What each paper says otherwise, with the reason."""
    return [
        f"- **{certificate.measure}, {name.replace('_', ' ')}**: {' and '.join(papers)} "
        f"{'say' if len(papers) > 1 else 'says'} {MARKS[not certificate.properties[name].holds]}. "
        f"{_sentence(str(certificate.properties[name]))}"
        for name, papers in certificate.disagreements().items()
    ]


def markdown_definitions() -> list[str]:
    return [_row(["property", "what is checked"]), _row(["---", "---"])] + [
        _row([name.replace("_", " "), definition(name)]) for name in PROPERTIES
    ]


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].removesuffix(".") + "."


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
