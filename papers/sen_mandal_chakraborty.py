"""Sen, Mandal and Chakraborty (2021): the corrected Lustgarten measure beside those that it corrects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from papers.framework import Cell, Row, Run, item
from papers.framework.property_tables import NO, YES, certificate, property_row, property_rows
from steadyset import Selections, get_measure, stability

PAPER = "sen-mandal-chakraborty"
FEATURES = 20
CLOSE = 1e-9
CORRECTED = "corrected_lustgarten"
DEFINED = "fully defined"
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
    yield from property_rows(run, ROWS, PROPERTIES, _fully_defined(run, ROWS))
    for cell in run.published.cells:
        if cell.column == "symmetry":
            yield run.row(cell, YES if _is_symmetric(ROWS[cell.row]) else NO)
        elif cell.column == "homogeneity":
            yield run.not_stated(cell)


def _fully_defined(run: Run, measures: Mapping[str, str]) -> dict[Cell, Row]:
    """The paper asks for a value of any collection of sets, whatever their sizes: also of empty and of full sets."""
    return {cell: _defined(run, cell, measures[cell.row]) for cell in run.published.cells if cell.column == DEFINED}


def _defined(run: Run, cell: Cell, measure: str) -> Row:
    decided = certificate(measure).properties
    limits, stated = decided["defined_at_limits"], decided["defined_by_convention"]
    correction = ""
    if decided["fully_defined"].holds and not limits.holds:
        correction = f"By its convention: {get_measure(measure).convention}." if stated.holds else f"But {limits}"
    return property_row(run, cell, decided["fully_defined"], correction)


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
    yield from _of_all_pairs(run, pairs)
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


Pairs = Sequence[tuple[int, int, int, int]]  # features, both sizes, shared features


def _of_all_pairs(run: Run, pairs: Pairs) -> Iterator[Row]:
    """Claims about every pair of sets of up to 10 features."""
    one_size = [one for one in pairs if one[1] == one[2]]
    subsets = [one for one in pairs if one[3] == min(one[1], one[2]) and one[1] != one[2]]
    told = f"so for all {len(one_size)} pairs of sets of one size of up to 10 features"
    lowest = {one for one in one_size if abs(_score("kuncheva", *one) + 1) < CLOSE}
    halves = {one for one in one_size if 2 * one[1] == one[0] and one[3] == 0}
    yield run.claim("kuncheva-least", lowest == halves, told)
    values = [_score("lustgarten", *one) for one in pairs]
    told = f"{min(values):g} to {max(values):g} in {len(pairs)} pairs of sets of up to 10 features"
    yield run.claim("lustgarten-between", min(values) > -1 and max(values) < 1, told)
    gap = max(abs(_score("wald", *one) - 1) for one in subsets)
    yield run.claim("wald-of-subsets", gap < CLOSE, f"so for all {len(subsets)} pairs of a set and a proper subset")
    ours = 2 * 6 / 10
    yield run.claim("wald-example", abs(ours - 3 / 5) < CLOSE, f"{ours:g}")
    lowest = {one for one in pairs if abs(_score("wald", *one) + 1) < CLOSE}
    others = sorted(one for one in lowest if not 2 * one[1] == 2 * one[2] == one[0])
    told = f"-1 for {len(lowest)} of {len(pairs)} pairs"
    if others:
        n, ki, kj, r = others[0]
        told += f", of which {len(others)} are others, such as sets of {ki} and {kj} of {n} features that share {r}"
    yield run.claim("wald-minus-one", not others, told)
    printed = max(abs(_npog(*one, divided=False) - _score("npog", *one)) for one in pairs if one[1] * one[2] != one[0])
    right = max(abs(_npog(*one, divided=True) - _score("npog", *one)) for one in pairs)
    told = f"off by up to {printed:.3g} as printed, by {right:.0e} with E[r] / k_i"
    correction = "With E[r] / k_i in place of E[r]." if printed > CLOSE else ""
    yield run.claim("npog-printed", right < CLOSE, told, correction=correction)
    gap = max(abs(_score("nogueira_brown", *one) - _score("kuncheva", *one)) for one in one_size)
    yield run.claim("nogueira-equal-sizes", gap < CLOSE, f"largest difference {gap:.0e} in {len(one_size)} pairs")
    values = [_score("nogueira_brown", *one) for one in pairs]
    identical = [_score("nogueira_brown", *one) for one in one_size if one[3] == one[1]]
    holds = min(values) >= -1 - CLOSE and max(values) <= 1 + CLOSE and min(identical) >= 1 - CLOSE
    yield run.claim("nogueira-bounds", holds, f"{min(values):g} to {max(values):g} in {len(pairs)} pairs")
    ones = [abs(_score("nogueira_brown", *one) - 1) < CLOSE for one in subsets]
    told = f"1 for {sum(ones)} of {len(ones)} pairs of a set and a proper subset"
    yield run.claim("nogueira-of-subsets", any(ones) and not all(ones), told)


def _npog(n: int, ki: int, kj: int, r: int, *, divided: bool) -> float:
    """Equation 9, first as it is printed, or with the expectation of r / k_i."""
    chance = ki * kj / n
    if divided:
        chance /= ki
    return (r / ki - chance) / (1 - chance)


@item(PAPER, "section-5.1", core=True)
def corrections(run: Run) -> Iterator[Row]:
    """The corrections added to Lustgarten's measure, for all sizes of sets of up to 20 features."""
    gaps = []
    for n, r in [(d, size) for d in range(2, FEATURES + 1) for size in range(1, d)]:
        correction = r / n if 2 * r < n else 1 / 2 if 2 * r == n else (n - r) / n
        gaps += [abs(_score("lustgarten", n, r, r, r) + correction - 1), abs(_score(CORRECTED, n, r, r, r) - 1)]
    told = f"largest difference {max(gaps):.0e} for up to {FEATURES} features"
    yield run.claim("identical", max(gaps) < CLOSE, told)
    gaps = []
    for n, ki in [(d, size) for d in range(2, FEATURES + 1) for size in range(1, d)]:
        for kj in range(1, n - ki + 1):
            correction = max(ki, kj) / n - 1
            gaps += [abs(_score("lustgarten", n, ki, kj, 0) + correction + 1), abs(_score(CORRECTED, n, ki, kj, 0) + 1)]
    told = f"largest difference {max(gaps):.0e} for up to {FEATURES} features"
    yield run.claim("disjoint", max(gaps) < CLOSE, told)
    full = Selections.from_sets([range(FEATURES)] * 2, n_features=FEATURES)
    stated = stability(full, CORRECTED, undefined="paper")
    told = f'{stated:g} with undefined="paper"; without, it is {stability(full, CORRECTED)}'
    yield run.claim("limits", stated == 0, told)


def _score(measure: str, n: int, ki: int, kj: int, r: int) -> float:
    """The score of two sets of so many features that share r."""
    return float(get_measure(measure).score(*(np.array([float(value)]) for value in (r, ki, kj)), n)[0])


@item(PAPER, "conclusion", core=True)
def conclusion(run: Run) -> Iterator[Row]:
    """Section 6 gives the corrected measure all properties of table 1 but redundancy awareness."""
    measures = {"corrected Lustgarten": "corrected_lustgarten"}
    yield from property_rows(run, measures, PROPERTIES, _fully_defined(run, measures))
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
