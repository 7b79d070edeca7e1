"""Sen, Mandal and Chakraborty (2021): the corrected Lustgarten measure beside those that it corrects."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from papers.framework import Row, Run, item
from papers.framework.property_tables import NO, YES, property_rows
from steadyset import Selections, get_measure, stability

PAPER = "sen-mandal-chakraborty"
FEATURES = 20
CLOSE = 1e-9
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


@item(PAPER, "sections-3-and-4", core=True)
def limits(run: Run) -> Iterator[Row]:
    """What the text says of the least and the greatest values, for all sizes of two sets of up to 20 features."""
    whole = [(n, q, n - q) for n in range(2, FEATURES + 1) for q in range(1, n // 2 + 1)]
    small = [(n, q, k) for n in range(3, FEATURES + 1) for k in range(1, n) for q in range(1, k + 1) if q + k < n]
    gaps = [abs(_score("wald", n, k, q, 0) - (1 - n / q)) for n, q, k in whole]
    yield run.claim(
        "wald-least", max(gaps) < CLOSE, f"so for all {len(gaps)} pairs of sizes; largest difference {max(gaps):.0e}"
    )
    gaps = [abs(_score("nogueira_brown", n, k, q, 0) + 1) for n, q, k in whole]
    yield run.claim("nogueira-least", max(gaps) < CLOSE, f"so for all {len(gaps)} pairs of sizes")
    for claim, measure in (("wald-between", "wald"), ("nogueira-between", "nogueira_brown")):
        values = {sizes: _score(measure, sizes[0], sizes[2], sizes[1], 0) for sizes in small}
        outside = {sizes: value for sizes, value in values.items() if not -1 + CLOSE < value < 0}
        least = min(outside, key=outside.__getitem__, default=None)
        told = (
            ""
            if least is None
            else f"{outside[least]:g} for sets of {least[1]} and {least[2]} of {least[0]} features; "
        )
        yield run.claim(claim, not outside, f"{told}outside for {len(outside)} of {len(values)} pairs of sizes")
    pairs = [
        (n, ki, kj, r)
        for n, ki, kj in product(range(2, 11), range(1, 10), range(1, 10))
        if ki < n and kj < n
        for r in range(max(0, ki + kj - n), min(ki, kj) + 1)
    ]
    apart = [one for one in pairs if abs(_score("npog", *one) - _score("wald", *one)) > CLOSE]
    same = all(ki > kj for _, ki, kj, _ in apart)
    told = f"others for {len(apart)} of {len(pairs)} pairs of sets, all of them with k_i > k_j"
    yield run.claim(
        "npog-is-wald", same, told, correction="Where the first set is not the larger one." if apart else ""
    )
    same_sets = [_score("lustgarten", FEATURES, k, k, k) for k in range(1, FEATURES)]
    low, high = min(same_sets), max(same_sets)
    told = f"{low:g} to {high:g} for {FEATURES} features"
    yield run.claim("lustgarten-of-identical", low >= 0.5 - CLOSE and high < 1, told)


def _score(measure: str, n: int, ki: int, kj: int, r: int) -> float:
    """The score of two sets of so many features that share r."""
    return float(get_measure(measure).score(*(np.array([float(value)]) for value in (r, ki, kj)), n)[0])


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
