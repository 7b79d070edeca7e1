"""Hamer and Dupont 2021, sections 4 and 5: two limit cases with a group of q copies, a worked example, and properties.

The paper lets the number d of features go to infinity. Here values at d and 2d are extrapolated, which leaves terms of
the order (q / d)².
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment, linprog

from papers.framework import Row, Run, item
from papers.framework.property_tables import certificate
from papers.hamer_dupont_2021_measures import MEASURES, PAPER, measured
from steadyset import FeatureSimilarity, Selections, shared_importance, stability
from steadyset.plot import importance_flow

if TYPE_CHECKING:
    from papers.framework.arrays import Floats

D = 40_000
LEFT = 1e-5  # more than what the extrapolation leaves for the q of the paper
LARGE = (64, 128, 256)
SEARCHED = 500
CLOSE = 1e-9
FORMULAS: dict[tuple[int, str], Callable[[int], float]] = {
    (1, "phi_S"): lambda q: (q + 1) / (q + 3),
    (1, "phi"): lambda q: (q + 1) / (q + 3),
    (1, "phi_pears"): lambda q: (q + 1) / (3 * q + 1),
    (1, "POGR"): lambda q: (q + 1) / (q + 3),
    (2, "phi_S"): lambda q: 1 - (q**2 - 2 * q + 5) / (q + 7),
    (2, "phi"): lambda q: 1 - (q + 3) / (q + 7),
    (2, "phi_pears"): lambda q: (1 / (4 * q) + 1 / 4) / sqrt(1 / (4 * q) + 3 / 4),
    (2, "POGR"): lambda q: (1 / 2 + (q + 1) / (q + 3)) / 2,
}


@item(PAPER, "table-1", core=True, seconds=5)
def limit_cases(run: Run) -> Iterator[Row]:
    """The measures of two runs that share half of their importance, whatever the size of a group of copies."""
    sizes = run.published.given["q"]
    values = {(s, q): _values(s, q) for s in (1, 2) for q in (*sizes, *LARGE)}
    run.note(f"The number of features goes to infinity: extrapolated from d = {D:,} and {2 * D:,}.")
    for (scenario, measure), formula in FORMULAS.items():
        along = {q: values[scenario, q][measure] for q in (*sizes, *LARGE)}
        name = f"scenario {scenario}, {measure}"
        yield run.row(run.published.cell(name, "q = 1"), along[1])
        yield run.row(run.published.cell(name, "q → ∞"), _limit(along))
        apart = max(abs(along[q] - formula(q)) for q in sizes)
        yield run.claim(
            f"formula-{scenario}-{measure}", apart < LEFT, f"at most {apart:.1g} apart for q = {_listed(sizes)}"
        )
    for scenario in (1, 2):
        found = [values[scenario, q]["phi_msi"] for q in (*sizes, *LARGE)]
        found += [_values(scenario, q, uneven=True)["phi_msi"] for q in sizes]
        apart = max(abs(value - 0.5) for value in found)
        yield run.claim(
            f"msi-{scenario}", apart < LEFT, f"at most {apart:.1g} from 1/2 for q = {_listed((*sizes, *LARGE))}"
        )


@item(PAPER, "figure-3", core=True, seconds=1)
def worked_example(run: Run) -> Iterator[Row]:
    """What two runs with four features each share."""
    names = [str(f) for f in range(1, 8)]
    runs = Selections.from_weights([[1.3, 0.7, 1.2, 0.8, 0, 0, 0], [0, 0.7, 0, 0, 0.7, 1.4, 1.2]], features=names)
    alike = np.eye(7)
    for f, g, s in ((1, 6, 0.8), (1, 5, 0.6), (3, 6, 0.4)):
        alike[f - 1, g - 1] = alike[g - 1, f - 1] = s
    similar = FeatureSimilarity.from_matrix(alike, features=names)
    flows = shared_importance(runs, 0, 1, similar).set_index(["feature_i", "feature_j"])["amount"]
    run.figure(importance_flow(runs, similar))
    yield run.row(run.published.cell("S(i, j)", ""), stability(runs, "msi", similarity=similar))
    for pair in (("1", "5"), ("1", "6"), ("3", "6")):
        yield run.row(run.published.cell(f"x({', '.join(pair)})", ""), float(flows[pair]))


@item(PAPER, "section-5", core=True, seconds=10)
def properties(run: Run) -> Iterator[Row]:
    """Properties 5.1 and 5.2 by the certificate of the measure, 5.3 and the theorem by other ways to the optimum."""
    decided = certificate("msi").properties
    values = [_msi(*pair) for pair in _searched(run)]
    within = min(values) >= -CLOSE and max(values) <= 1 + CLOSE
    told = f"{min(values):g} to {max(values):g} in {len(values)} random pairs of runs; {decided['bounded']}"
    yield run.claim("property-5.1", bool(decided["bounded"].holds) and within, told)
    defined = [decided["fully_defined"], decided["defined_at_limits"]]
    told = "; with empty sets, ".join(map(str, defined))
    yield run.claim("property-5.2", all(one.holds for one in defined), told)
    yield _maximal(run)
    gaps = [abs(_msi(runs, alike) - _matched(runs, alike)) for runs, alike in _searched(run, even=True)]
    told = f"at most {max(gaps):.1g} apart in {len(gaps)} random pairs of runs"
    yield run.claim("theorem-5.1", max(gaps) < CLOSE, f"{told}; the matching is found by another algorithm")


def _searched(run: Run, *, even: bool = False) -> Iterator[tuple[Selections, Floats]]:
    """Random pairs of runs of a few features, of which some are perfectly alike and some half; `even` importances."""
    random = np.random.default_rng((run.seed, 5))
    for _ in range(SEARCHED):
        d = int(random.integers(3, 7))
        sizes = np.full(2, random.integers(1, d)) if even else random.integers(1, d, size=2)
        chosen = random.permuted(np.arange(d) < sizes[:, None], axis=1)
        alike = random.choice([0.0, 0.5, 1.0], size=(d, d), p=[0.4, 0.2, 0.4])
        alike = np.triu(alike, 1) + np.triu(alike, 1).T + np.eye(d)
        weights = chosen * (1 if even else random.integers(1, 4, size=chosen.shape))
        yield Selections.from_weights(weights.astype(float)), alike


def _msi(runs: Selections, alike: Floats) -> float:
    return stability(runs, "msi", similarity=FeatureSimilarity.from_matrix(alike))


def _maximal(run: Run) -> Row:
    """The value is 1 if and only if all importance can be shared between perfectly similar features."""
    both = [
        (abs(_msi(runs, alike) - 1) < CLOSE, abs(_shared(runs, alike) - 1) < CLOSE) for runs, alike in _searched(run)
    ]
    reached = sum(value for value, _ in both)
    told = f"no counter-example in {len(both)} random pairs of runs, of which {reached} have the value 1"
    against = sum(value != shared for value, shared in both)
    return run.claim("property-5.3", not against, told if not against else f"{against} counter-examples of {len(both)}")


def _shared(runs: Selections, alike: Floats) -> float:
    """The most importance that two runs can share between perfectly similar features, by linear programming."""
    first, second = _shares(runs)
    perfect = np.argwhere(alike == 1)
    limits = np.zeros((2 * runs.n_features, len(perfect)))
    for place, (f, g) in enumerate(perfect):
        limits[f, place] = limits[runs.n_features + g, place] = 1
    found = linprog(-np.ones(len(perfect)), A_ub=limits, b_ub=np.concatenate([first, second]))
    return -float(found.fun or 0.0)


def _shares(runs: Selections) -> Floats:
    weights = runs.to_matrix(weights=True).toarray()
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _matched(runs: Selections, alike: Floats) -> float:
    """The weight of the best matching of the features of two runs of one size, divided by that size."""
    weights = alike[np.ix_(runs.selected(0), runs.selected(1))]
    return float(weights[linear_sum_assignment(weights, maximize=True)].mean())


def _values(scenario: int, q: int, *, uneven: bool = False) -> dict[str, float]:
    """The measures as d goes to infinity."""
    near, far = (_values_at(scenario, q, d, uneven) for d in (D, 2 * D))
    return {name: 2 * far[name] - near[name] for name in MEASURES}


def _values_at(scenario: int, q: int, d: int, uneven: bool) -> dict[str, float]:
    runs = _two_runs(scenario, q, d, uneven)
    similar = FeatureSimilarity.from_groups([list(range(q))], n_features=d)
    return measured(runs, similar)


def _two_runs(scenario: int, q: int, d: int, uneven: bool) -> Selections:
    """A quarter of the importance for the group, a quarter for a common feature, and two quarters that differ.

    In the second scenario the first run selects a single feature of the group.
    """
    even: Floats = np.full(q, 1 / q)
    rising = np.arange(1.0, q + 1) / (q * (q + 1) / 2)
    first = np.eye(1, q)[0] if scenario == 2 else rising if uneven else even
    weights: Any = sparse.lil_array((2, d))
    for i, group in enumerate((first, rising[::-1] if uneven else even)):
        weights[i, :q] = group
        weights[i, [q, q + 1 + 2 * i, q + 2 + 2 * i]] = 1.0
    return Selections.from_weights(weights.tocsr())


def _limit(along: dict[int, float]) -> float | str:
    """What the values tend to as q doubles: without their terms in 1/q and 1/q², or -∞ where they fall like -q."""
    first, second, third = (along[q] for q in LARGE)
    if third < 1.9 * second < 0:
        return "-∞"
    return (8 * third - 6 * second + first) / 3


def _listed(sizes: Any) -> str:
    return ", ".join(map(str, sizes))
