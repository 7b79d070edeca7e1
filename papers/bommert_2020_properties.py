"""Bommert (2020), section 6.1 and appendix B: the properties and the ranges of the measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import Any

import numpy as np

from papers.bommert_2020_data_sets import PAPER, THRESHOLD
from papers.bommert_2020_pairs import (
    EXACT,
    MEASURES,
    SMA,
    P,
    all_pairs,
    kinds_of_sets,
    values_of,
)
from papers.framework import Cell, Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.property_tables import YES, certificate, property_row
from papers.framework.text import listed, number
from steadyset import FeatureSimilarity, Selections, get_measure, stability

PENALISED = "SMD-alpha"
PENALTIES = (0.0, 100.0)  # of SMD-alpha: none, and a large one
FORMULAS: dict[str, Callable[[int, int], float]] = {
    "0": lambda p, m: 0.0,
    "1": lambda p, m: 1.0,
    "-1": lambda p, m: -1.0,
    "1 - p": lambda p, m: 1.0 - p,
    "-1/(m - 1)": lambda p, m: -1.0 / (m - 1),
}
FEWER, FEW, FAR = (
    (3, 4),
    (P, P + 1),
    1_000_000,
)  # numbers of features: of threes, of pairs, and where bounds are only approached
NUMBERS, TAUS = (10, 20, 40, 70, 100), (0.9, 0.95, 1.0)  # of figure B.1, which has 2 to 100, and 0.90, 0.91, ..., 1
PROPERTIES = {
    "fully defined": "fully_defined",
    "monotonicity": "monotone",
    "correction": "corrected",
    "bounds": "bounded",
    "maximum": "maximum",
    "adjusted": "adjusted",
    "adjusted monotonicity": "adjusted_monotone",
    "maximum for equal cardinalities": "maximum_for_equal_sizes",
}


@item(PAPER, "table-6.1", core=True, seconds=15)
def properties(run: Run) -> Iterator[Row]:
    """Each tick by the certificates of the measure, or of its variants."""
    for name in run.published.rows():
        certificates = [certificate(MEASURES.get(one, "davis"), **_params(one)).properties for one in _variants(name)]
        for column, key in PROPERTIES.items():
            cell = run.published.cell(name, column)
            decided, correction = _decided([one[key] for one in certificates]), ""
            if key == "corrected" and cell.value == YES and not decided.holds:
                equal = _decided([one["corrected_for_equal_sizes"] for one in certificates])
                if equal.holds:
                    decided, correction = equal, f"For sets of equal sizes only. {decided}"
            yield property_row(run, cell, decided, correction)


def _decided(verdicts: Sequence[Any]) -> Any:
    """The verdict on all variants of a measure: the first that refutes the property."""
    return next((verdict for verdict in verdicts if not verdict.holds), verdicts[0])


def _variants(name: str) -> tuple[str, ...]:
    return SMA if name == "SMA" else (name,)


def _params(name: str) -> dict[str, float]:
    return {"alpha": 1.0} if name == PENALISED else {}


@item(PAPER, "table-6.2", core=True, seconds=8)
def ranges(run: Run) -> Iterator[Row]:
    """The bounds by all pairs of sets of 7 and of 8 features, their tightness by all threes of sets of 3 and of 4."""
    for name in run.published.rows():
        values = _values_of_pairs(name)
        ends = {
            "lower bound": {p: float(np.nanmin(found)) for p, found in values.items()},
            "upper bound": {p: float(np.nanmax(found)) for p, found in values.items()},
        }
        for cell in run.published.cells:  # there is none where the thesis knows no bound
            if cell.row == name and cell.column in ends:
                yield _bound(run, cell, ends[cell.column])
            elif cell.row == name:
                yield _tightness(run, cell, str(run.published.cell(name, "lower bound").value))


def _bound(run: Run, cell: Cell, found: dict[int, float]) -> Row:
    """A bound is right where no value is beyond it, and some reaches it or comes near it for very many features."""
    formula = FORMULAS[str(cell.value)]
    sign = 1 if cell.column == "lower bound" else -1
    seen = listed([f"{number(value, 4)} for p = {p}" for p, value in found.items()])
    if any(sign * (value - formula(p, 2)) < -EXACT for p, value in found.items()):
        return run.row(cell, seen)
    if any(abs(value - formula(p, 2)) < EXACT for p, value in found.items()):
        return run.row(cell, str(cell.value))
    far = _far(cell.row, sign)
    near = abs(far - formula(FAR, 2)) < 10 / FAR
    reason = f"Approached as p grows: {seen}, {number(far, 6)} for p = {FAR:,}."
    return run.row(cell, str(cell.value) if near else seen, reason=reason)


def _far(name: str, sign: int) -> float:
    """The value of two equal sets of one feature, or of one feature and all others, among very many."""
    sets = [[0], [0]] if sign < 0 else [[0], list(range(1, FAR))]
    return stability(Selections.from_sets(sets, n_features=FAR), MEASURES[name])


def _tightness(run: Run, cell: Cell, bound: str) -> Row:
    """Whether three sets reach the bound."""
    if cell.row == PENALISED:
        least = [min(_smallest("davis", alpha=alpha).values()) for alpha in PENALTIES]
        told = [f"{number(value, 3)} for alpha = {alpha:g}" for value, alpha in zip(least, PENALTIES, strict=True)]
        ours = "depends on alpha" if least[0] > EXACT > least[1] else "yes" if least[0] < EXACT else "no"
        return run.row(cell, ours, reason=f"The least of three sets: {listed(told)}.")
    smallest = _smallest(MEASURES[cell.row])
    reached = any(abs(value - FORMULAS[bound](p, 3)) < EXACT for p, value in smallest.items())
    told = [f"{number(value, 4)} for p = {p}" for p, value in smallest.items()]
    return run.row(cell, "yes" if reached else "no", reason=f"The least of three sets: {listed(told)}.")


def _values_of_pairs(name: str) -> dict[int, Floats]:
    """The values of all pairs by the number of features; what knows similar features gets those of figure 6.1."""
    if name == PENALISED:
        kinds = {p: [_pair_values("davis", p, alpha=alpha) for alpha in PENALTIES] for p in FEW}
        return {p: np.concatenate(values) for p, values in kinds.items()}
    if "similarity" in get_measure(MEASURES[_variants(name)[0]]).needs:
        return {P: all_pairs()[list(_variants(name))].to_numpy().ravel()}
    return {p: _pair_values(MEASURES[name], p) for p in FEW}


def _pair_values(measure: str, p: int, **params: float) -> Floats:
    return values_of(measure, [sets for sets, _ in kinds_of_sets((range(p),), 2)], p, None, **params)


def _smallest(measure: str, **params: float) -> dict[int, float]:
    """The least value of three sets by the number of features; alike are the first two, where that counts."""
    if "similarity" not in get_measure(measure).needs:
        kinds = {p: kinds_of_sets((range(p),), 3) for p in FEWER}
        alike = None
    else:
        kinds = {FEWER[0]: kinds_of_sets(((0, 1), *((f,) for f in range(2, FEWER[0]))), 3)}
        alike = _first_two_alike(FEWER[0])
    return {
        p: float(np.nanmin(values_of(measure, [sets for sets, _ in found], p, alike, **params)))
        for p, found in kinds.items()
    }


def _first_two_alike(p: int) -> FeatureSimilarity:
    table = np.eye(p)
    table[0, 1] = table[1, 0] = 0.95
    return FeatureSimilarity.from_matrix(table, threshold=THRESHOLD)


@item(PAPER, "figures-B.1-and-B.2", core=True, seconds=5)
def without_bounds(run: Run) -> Iterator[Row]:
    """SMES in the two scenarios of appendix B.1, and the mean of SME of random sets beside the formula of B.3."""
    run.note(f"For SMES {listed([str(p) for p in NUMBERS])} features, similarities from {TAUS[0]} to {TAUS[-1]:g}.")
    for claim, scenario, sign in (("sechidis-grows", _facing, 1), ("sechidis-falls", _apart, -1)):
        values = np.array([[_sechidis(*scenario(p, tau)) for p in NUMBERS] for tau in TAUS])
        along = bool((sign * np.diff(values, axis=1) > 0).all())
        steeper = bool((np.diff(sign * (values[:, -1] - values[:, 0])) > 0).all())
        told = f"{number(values[0, 0], 1)} to {number(values[0, -1], 1)} for {TAUS[0]}"
        yield run.claim(
            claim, along and steeper, f"{told}, {number(values[-1, 0], 1)} to {number(values[-1, -1], 1)} for 1"
        )
    p = 6
    kinds = {m: kinds_of_sets((range(p),), m) for m in (2, 3)}
    gaps, rising = [], []
    for m, found in kinds.items():
        means = [_mean_of_size(found, k, p) for k in range(1, p + 1)]
        gaps += [abs(mean - _novovicova(k / p, m)) for k, mean in enumerate(means, 1)]
        rising.append(bool((np.diff(means) > 0).all()))
    told = f"over all pairs and threes of sets of {p} features, off by at most {number(max(gaps), 9)}"
    yield run.claim("novovicova-share", max(gaps) < EXACT and all(rising), told)


def _facing(p: int, tau: float) -> tuple[list[list[int]], Floats]:
    """Two halves of the features; each is like all of the other half, by tau."""
    half = (p + 1) // 2
    table = np.eye(p)
    table[:half, half:] = table[half:, :half] = tau
    return [list(range(half)), list(range(half, p))], table


def _apart(p: int, tau: float) -> tuple[list[list[int]], Floats]:
    """Two sets of one feature that is like no other; all others are alike, by tau."""
    table = np.full((p, p), tau)
    table[:2] = table[:, :2] = 0.0
    np.fill_diagonal(table, 1.0)
    return [[0], [1]], table


def _sechidis(sets: list[list[int]], table: Floats) -> float:
    alike = FeatureSimilarity.from_matrix(table, threshold=THRESHOLD)
    return float(values_of("sechidis_thresholded", [sets], len(table), alike)[0])


def _mean_of_size(kinds: Sequence[tuple[list[list[int]], int]], k: int, p: int) -> float:
    """The mean of SME over all collections of sets of k features."""
    some = [(sets, n) for sets, n in kinds if all(len(one) == k for one in sets)]
    values = values_of("novovicova", [sets for sets, _ in some], p)
    return float(np.average(values, weights=[n for _, n in some]))


def _novovicova(share: float, m: int) -> float:
    """The expected value of SME by appendix B.3."""
    terms = [h * np.log2(h) * comb(m, h) * share ** (h - 1) * (1 - share) ** (m - h) for h in range(1, m + 1)]
    return float(sum(terms) / (m * np.log2(m)))
