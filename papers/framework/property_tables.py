"""Tables of the properties of measures: each cell beside what the certificate of the measure finds by computation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from papers.framework.published_numbers import Cell
from papers.framework.run import Run
from papers.framework.verdicts import Row
from steadyset import Certificate, certify

YES, NO = "yes", "no"


def property_rows(
    run: Run, measures: Mapping[str, str], properties: Mapping[str, str], corrections: Mapping[Cell, Row] | None = None
) -> Iterator[Row]:
    """The rows of a table whose rows name measures and whose columns name properties; other columns are left out.

    `measures` and `properties` say what the rows and columns are called here. `corrections` holds rows that are made
    otherwise.
    """
    certificates = {name: certificate(name) for name in dict.fromkeys(measures.values())}
    made = corrections or {}
    for cell in run.published.cells:
        if cell in made:
            yield made[cell]
        elif cell.column in properties:
            yield property_row(run, cell, certificates[measures[cell.row]].properties[properties[cell.column]])


@cache
def certificate(measure: str, **params: float) -> Certificate:
    """Decided once, since several tables ask for it."""
    return certify(measure, **params)


def property_row(run: Run, cell: Cell, decided: Any, correction: str = "") -> Row:
    """A cell beside a property that was decided; a refuted cell gets the counter-example."""
    ours = YES if decided.holds else NO
    reason = "" if ours == cell.value else _sentence(str(decided))
    return run.row(cell, ours, correction=correction, reason=reason)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].removesuffix(".") + "."
