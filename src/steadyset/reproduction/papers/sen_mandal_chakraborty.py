"""Sen, Mandal and Chakraborty (2021): the corrected Lustgarten measure beside those that it corrects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steadyset.measures import get_measure, stability
from steadyset.reproduction import Row, Run, item
from steadyset.reproduction.property_tables import NO, YES, property_rows
from steadyset.selections import Selections

PAPER = "sen-mandal-chakraborty"
MEASURES = {
    "Lustgarten": "lustgarten",
    "corrected Lustgarten": "corrected_lustgarten",
    "Nogueira": "nogueira_brown",
    "Wald": "wald",
}
PROPERTIES = {
    "fully defined": "fully_defined",
    "limits": "bounded",
    "max-min value": "extremes",
    "monotonicity": "monotone",
    "correction for chance": "corrected",
}
ROWS = {
    "Jaccard": "jaccard",
    "Dice-Sørensen": "dice",
    "Ochiai": "ochiai",
    "Hamming": "hamming",
    "POG": "pog",
    "Kuncheva": "kuncheva",
    "Lustgarten et al.": "lustgarten",
    "Wald et al.": "wald",
    "nPOG": "npog",
    "Nogueira and Brown": "nogueira_brown",
}


@item(PAPER, "table-1", core=True, seconds=5)
def table_1(run: Run) -> Iterator[Row]:
    """Properties of measures; symmetry is that of the score of one pair, which the paper speaks of."""
    yield from property_rows(run, ROWS, PROPERTIES)
    for cell in run.published.cells:
        if cell.column == "symmetry":
            yield run.row(cell, YES if _is_symmetric(ROWS[cell.row]) else NO)
        elif cell.column == "homogeneity":
            yield run.not_stated(cell)


def _is_symmetric(measure: str) -> bool:
    """Whether the score of a pair of sets is that of the pair in the other order, for all sets of 10 features."""
    d = 10
    r, ki, kj = (part.ravel() for part in np.mgrid[0 : d + 1, 0 : d + 1, 0 : d + 1])
    there = (r <= np.minimum(ki, kj)) & (r >= ki + kj - d)
    r, ki, kj = r[there], ki[there], kj[there]
    with np.errstate(invalid="ignore", divide="ignore"):
        score = get_measure(measure).score
        return np.allclose(score(r, ki, kj, d), score(r, kj, ki, d), equal_nan=True)


@item(PAPER, "conclusion", core=True)
def conclusion(run: Run) -> Iterator[Row]:
    """Section 6 gives the corrected measure all properties of table 1 but redundancy awareness."""
    measures = {"corrected Lustgarten": "corrected_lustgarten"}
    yield from property_rows(run, measures, PROPERTIES)
    cell = run.published.cell("corrected Lustgarten", "symmetry")
    yield run.row(cell, YES if _is_symmetric("corrected_lustgarten") else NO)


def _pairs(run: Run) -> Iterator[Row]:
    """Each row of a table is a pair of sets, given by their sizes and by how many features they share."""
    d, pairs = run.published.given["n_features"], run.published.given["pairs"]
    for cell in run.published.cells:
        pair = _two_sets(d, *pairs[cell.row])
        if cell.column == "correction":
            ours = stability(pair, "corrected_lustgarten") - stability(pair, "lustgarten")
        else:
            ours = stability(pair, MEASURES[cell.column])
        yield run.row(cell, ours)


def _two_sets(d: int, first: int, second: int, shared: int) -> Selections:
    return Selections.from_sets([range(first), range(first - shared, first - shared + second)], n_features=d)


# One set holds the other; equal sets; sets that share nothing; the corrected measure beside the others.
for _table in ("table-2", "table-3", "table-4", "table-5"):
    item(PAPER, _table, core=True)(_pairs)
