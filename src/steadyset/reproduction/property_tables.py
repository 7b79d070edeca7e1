"""Tables of the properties of measures: each cell beside what the certificate of the measure finds by computation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from steadyset.certificates import certify
from steadyset.reproduction.run import Run
from steadyset.reproduction.verdicts import Row

YES, NO = "yes", "no"


def property_rows(run: Run, measures: Mapping[str, str], properties: Mapping[str, str]) -> Iterator[Row]:
    """The rows of a table whose rows name measures and whose columns name properties; other columns are left out.

    `measures` and `properties` say what the rows and columns are called here. A refuted cell gets the counter-example.
    """
    certificates = {name: certify(name) for name in dict.fromkeys(measures.values())}
    for cell in run.published.cells:
        if cell.column in properties:
            verdict = certificates[measures[cell.row]].properties[properties[cell.column]]
            ours = YES if verdict.holds else NO
            reason = "" if ours == cell.value else _sentence(str(verdict))
            yield run.row(cell, ours, reason=reason)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].removesuffix(".") + "."
