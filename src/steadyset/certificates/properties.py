"""The properties of a certificate by name (the docstring of each defines it), and certificates as lines of Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from steadyset.certificates.certificate import Certificate, Verdict
from steadyset.certificates.evidence import Evidence
from steadyset.certificates.extremes import (
    bounded,
    corrected,
    corrected_for_equal_sizes,
    defined_at_limits,
    extremes,
    fully_defined,
    identical_is_maximal,
    maximal_is_identical,
    maximum,
    maximum_for_equal_sizes,
)
from steadyset.certificates.order import adjusted, adjusted_monotone, monotone, monotone_in_total, symmetric

PROPERTIES: dict[str, Callable[[Evidence], Verdict]] = {
    check.__name__: check
    for check in (
        fully_defined,
        defined_at_limits,
        monotone,
        monotone_in_total,
        bounded,
        maximum,
        identical_is_maximal,
        maximal_is_identical,
        maximum_for_equal_sizes,
        extremes,
        corrected,
        corrected_for_equal_sizes,
        adjusted,
        adjusted_monotone,
        symmetric,
    )
}


def definition(name: str) -> str:
    """What a property says, as it is computed."""
    return " ".join((inspect.getdoc(PROPERTIES[name]) or "").split())


SIGNS = {True: "yes", False: "no", None: "–"}
AGAINST = " ≠"


def markdown_table(certificates: Sequence[Certificate]) -> list[str]:
    """One row per measure and one column per property; ≠ marks where a paper says otherwise."""
    head = ["measure", *(name.replace("_", " ") for name in PROPERTIES)]
    return [_row(head), _row(["---"] * len(head)), *map(markdown_row, certificates)]


def markdown_row(certificate: Certificate) -> str:
    against = certificate.disagreements()
    cells = [
        SIGNS[verdict.holds] + (AGAINST if name in against else "") for name, verdict in certificate.properties.items()
    ]
    return _row([certificate.measure, *cells])


def markdown_disagreements(certificate: Certificate) -> list[str]:
    """What each paper says otherwise, with the reason."""
    return [
        f"- **{certificate.measure}, {name.replace('_', ' ')}**: {' and '.join(papers)} "
        f"{'say' if len(papers) > 1 else 'says'} {SIGNS[not certificate.properties[name].holds]}. "
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
